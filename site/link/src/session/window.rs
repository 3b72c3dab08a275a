//! The replay window: the counters that were accepted [docs/protocol.md, Data].

/// Exclusive upper bound of counters in each direction of a session.
pub const COUNTER_LIMIT: u64 = 1 << 32;

/// The replay window: which counters were accepted [docs/protocol.md, Data].
#[derive(Clone, Copy, Default)]
pub(super) struct Window {
    /// One more than the highest accepted counter; 0 before the first.
    pub(super) next: u64,
    /// Bit i is set if counter `highest - 1 - i` was accepted. Stored as two halves, low first,
    /// which makes a session 16 bytes smaller than a `u128` would.
    pub(super) seen: [u64; 2],
}

/// Position of a counter relative to the window.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WindowPosition {
    /// Above the highest.
    Newest,
    /// In the window and not accepted yet.
    Within,
    /// Accepted before.
    Seen,
    /// Below the window, so its history is unknown.
    Below,
}

impl Window {
    pub(super) fn new(next: u64, seen: u128) -> Self {
        Window {
            next,
            seen: [seen as u64, (seen >> 64) as u64],
        }
    }

    pub(super) fn seen(&self) -> u128 {
        u128::from(self.seen[1]) << 64 | u128::from(self.seen[0])
    }

    /// Reconstructs the full counter: the one nearest to `next` with these low 16 bits. `None`
    /// if it is out of range.
    pub(super) fn complete(&self, low: u16) -> Option<u64> {
        let distance = low.wrapping_sub(self.next as u16) as i16;
        self.next
            .checked_add_signed(distance.into())
            .filter(|&counter| counter < COUNTER_LIMIT)
    }

    pub(super) fn place(&self, counter: u64, window: u32) -> WindowPosition {
        if counter >= self.next {
            return WindowPosition::Newest;
        }
        match self.next - 1 - counter {
            0 => WindowPosition::Seen,
            back if back > window.into() => WindowPosition::Below,
            back if self.seen() >> (back - 1) & 1 == 1 => WindowPosition::Seen,
            _ => WindowPosition::Within,
        }
    }

    /// Accepts a counter that is `Newest` or `Within`.
    pub(super) fn accept(&mut self, counter: u64) {
        let mut seen = self.seen();
        if counter < self.next {
            seen |= 1 << (self.next - 2 - counter);
            *self = Window::new(self.next, seen);
            return;
        }
        // The previous highest counter, if any, becomes the bit `steps` back.
        let steps = counter - self.next + 1;
        let shift = u32::try_from(steps).unwrap_or(u32::MAX);
        seen = seen.checked_shl(shift).unwrap_or(0);
        if self.next > 0 {
            seen |= 1u128.checked_shl(shift - 1).unwrap_or(0);
        }
        *self = Window::new(counter + 1, seen);
    }
}
