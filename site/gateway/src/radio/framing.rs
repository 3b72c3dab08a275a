//! Frames on the serial line: silence ends one, and a pause separates two.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use selo_link::frame::FRAME_MAX;

/// Minimum silence that ends a frame. USB adapters buffer bytes for up to 16 ms, so a shorter
/// silence would split frames.
pub(super) const SILENCE: Duration = Duration::from_millis(20);

/// Extracts frames from a byte stream. Silence ends a frame. A run of more bytes than a frame
/// can have is noise or merged frames, and is dropped up to the next silence.
#[derive(Debug)]
pub(super) struct Deframer {
    silence: Duration,
    bytes: Vec<u8>,
    /// Too many bytes: drop everything until the next silence.
    lost: bool,
    last: Option<Instant>,
}

impl Deframer {
    pub(super) fn new(silence: Duration) -> Deframer {
        Deframer {
            silence,
            bytes: Vec::with_capacity(FRAME_MAX),
            lost: false,
            last: None,
        }
    }

    /// Time at which the current silence ends the frame.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.last.map(|last| last + self.silence)
    }

    /// Adds received bytes. Returns the frame that ended before them, if any.
    pub(super) fn push(&mut self, now: Instant, bytes: &[u8]) -> Option<Vec<u8>> {
        let ended = self.end(now);
        if bytes.is_empty() {
            return ended;
        }
        self.last = Some(now);
        if self.lost || self.bytes.len() + bytes.len() > FRAME_MAX {
            self.lost = true;
            self.bytes.clear();
        } else {
            self.bytes.extend_from_slice(bytes);
        }
        ended
    }

    /// The frame that has ended by `now`, if any.
    pub(super) fn end(&mut self, now: Instant) -> Option<Vec<u8>> {
        self.deadline().filter(|deadline| *deadline <= now)?;
        self.last = None;
        self.lost = false;
        let frame = std::mem::take(&mut self.bytes);
        (!frame.is_empty()).then_some(frame)
    }
}

/// Holds frames back until the module has sent the previous one. Otherwise the module could
/// merge or lose frames.
#[derive(Debug, Default)]
pub(super) struct Pacer {
    pub(super) waiting: VecDeque<Vec<u8>>,
    free_at: Option<Instant>,
}

impl Pacer {
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.free_at.filter(|_| !self.waiting.is_empty())
    }

    /// The next frame, if the module is free.
    pub(super) fn next(
        &mut self,
        now: Instant,
        busy: impl Fn(usize) -> Duration,
    ) -> Option<Vec<u8>> {
        if self.free_at.is_some_and(|at| now < at) {
            return None;
        }
        let frame = self.waiting.pop_front()?;
        self.free_at = Some(now + busy(frame.len()));
        Some(frame)
    }
}
