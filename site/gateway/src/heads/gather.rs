//! One frame that several heads heard: its copies are counted once, and the head that heard it best
//! gets the answer.
//!
//! The first copy waits a moment for better ones. Copies that come later are dropped, for as long as
//! a frame is remembered. That is less than the time after which a node repeats a frame, so a
//! repetition is a frame of its own.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::wire::Signal;

/// Time that the first copy of a frame waits for better ones. Heads of one site differ by the delay
/// of their networks.
pub const WAIT: Duration = Duration::from_millis(80);
/// Time after which the same bytes are a new frame. A node repeats itself after a second at the
/// earliest (SELO_LINK_ACKNOWLEDGE_AGAIN).
pub const REMEMBER: Duration = Duration::from_millis(900);

/// Maximum frames that are remembered, about 200 bytes each. Beyond them, frames pass at once and
/// copies are not told apart: the engine refuses them, at a cost.
const FRAMES_MAX: usize = 100_000;

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// The first one, which waits for better ones.
    First,
    /// A further one, which is dropped.
    Further,
    /// The caller passes it on now.
    Alone,
}

#[derive(Debug)]
struct Best<T> {
    from: T,
    signal: Signal,
    /// False once it was passed on.
    waits: bool,
}

/// Copies of frames, from sources `T`.
#[derive(Debug)]
pub struct Gather<T> {
    frames: HashMap<Arc<[u8]>, Best<T>>,
    /// Frames that wait, and frames that are remembered, each in the order of their first copy.
    waiting: VecDeque<(Instant, Arc<[u8]>)>,
    remembered: VecDeque<(Instant, Arc<[u8]>)>,
}

impl<T> Default for Gather<T> {
    fn default() -> Self {
        Gather {
            frames: HashMap::new(),
            waiting: VecDeque::new(),
            remembered: VecDeque::new(),
        }
    }
}

impl<T: std::marker::Copy> Gather<T> {
    /// Takes a copy of a frame.
    pub fn heard(&mut self, now: Instant, from: T, signal: Signal, frame: &[u8]) -> Copy {
        self.forget(now);
        if let Some(best) = self.frames.get_mut(frame) {
            if best.waits && signal.strength() > best.signal.strength() {
                (best.from, best.signal) = (from, signal);
            }
            return Copy::Further;
        }
        if self.frames.len() >= FRAMES_MAX {
            return Copy::Alone;
        }
        let frame: Arc<[u8]> = frame.into();
        self.waiting.push_back((now + WAIT, frame.clone()));
        self.remembered.push_back((now + REMEMBER, frame.clone()));
        let best = Best {
            from,
            signal,
            waits: true,
        };
        self.frames.insert(frame, best);
        Copy::First
    }

    /// The next frame that has waited long enough, with the source that heard it best.
    pub fn due(&mut self, now: Instant) -> Option<(T, Signal, Arc<[u8]>)> {
        self.waiting.front().filter(|(at, _)| *at <= now)?;
        let (_, frame) = self.waiting.pop_front()?;
        let best = self.frames.get_mut(&frame)?;
        best.waits = false;
        Some((best.from, best.signal, frame))
    }

    /// When [`Gather::due`] next has one.
    pub fn deadline(&self) -> Option<Instant> {
        self.waiting.front().map(|(at, _)| *at)
    }

    fn forget(&mut self, now: Instant) {
        while let Some((at, frame)) = self.remembered.front() {
            // After a pause of the process a frame may still wait.
            let waits = self.frames.get(frame).is_some_and(|best| best.waits);
            if *at > now || waits {
                return;
            }
            self.frames.remove(frame);
            self.remembered.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rssi(rssi: i16) -> Signal {
        Signal {
            rssi: Some(rssi),
            snr: None,
        }
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn the_best_of_several_heads_gets_the_frame_once() {
        let (mut gather, start) = (Gather::default(), Instant::now());
        assert_eq!(gather.heard(start, 1, rssi(-110), b"frame"), Copy::First);
        assert_eq!(
            gather.heard(start + ms(10), 2, rssi(-90), b"frame"),
            Copy::Further
        );
        assert_eq!(
            gather.heard(start + ms(20), 3, rssi(-100), b"frame"),
            Copy::Further
        );
        assert_eq!(gather.deadline(), Some(start + WAIT));
        assert_eq!(gather.due(start + WAIT - ms(1)), None);
        let (from, signal, frame) = gather.due(start + WAIT).expect("due");
        assert_eq!((from, signal, &*frame), (2, rssi(-90), &b"frame"[..]));
        assert_eq!(gather.due(start + WAIT), None);
        // Too late, however well it was heard.
        assert_eq!(
            gather.heard(start + ms(200), 4, rssi(-20), b"frame"),
            Copy::Further
        );
        assert_eq!(gather.due(start + ms(300)), None);
    }

    #[test]
    fn a_repetition_is_a_frame_of_its_own() {
        let (mut gather, start) = (Gather::default(), Instant::now());
        gather.heard(start, 1, rssi(-110), b"frame");
        assert!(gather.due(start + WAIT).is_some());
        assert_eq!(
            gather.heard(start + REMEMBER, 2, rssi(-110), b"frame"),
            Copy::First
        );
        assert_eq!(
            gather.due(start + REMEMBER + WAIT).map(|(from, ..)| from),
            Some(2)
        );
        assert_eq!(gather.frames.len(), 1);
    }

    #[test]
    fn different_frames_do_not_wait_for_each_other() {
        let (mut gather, start) = (Gather::default(), Instant::now());
        for number in 0..10u8 {
            let at = start + ms(u64::from(number));
            assert_eq!(gather.heard(at, number, rssi(-50), &[number]), Copy::First);
        }
        for number in 0..10u8 {
            let (from, _, frame) = gather.due(start + WAIT + ms(9)).expect("due");
            assert_eq!((from, &*frame), (number, &[number][..]));
        }
    }

    #[test]
    fn a_flood_passes_unsorted_and_memory_stays_bounded() {
        let (mut gather, start) = (Gather::default(), Instant::now());
        for number in 0..FRAMES_MAX as u32 {
            gather.heard(start, 1, rssi(0), &number.to_be_bytes());
        }
        assert_eq!(gather.heard(start, 1, rssi(0), b"another"), Copy::Alone);
        assert_eq!(gather.frames.len(), FRAMES_MAX);
        while gather.due(start + WAIT).is_some() {}
        assert_eq!(
            gather.heard(start + REMEMBER, 1, rssi(0), b"another"),
            Copy::First
        );
        assert_eq!((gather.frames.len(), gather.remembered.len()), (1, 1));
    }

    #[test]
    fn a_pause_of_the_process_loses_no_frame() {
        let (mut gather, start) = (Gather::default(), Instant::now());
        gather.heard(start, 1, rssi(0), b"one");
        assert_eq!(
            gather.heard(start + ms(9000), 1, rssi(0), b"two"),
            Copy::First
        );
        assert_eq!(
            gather
                .due(start + ms(9000))
                .map(|(.., frame)| frame.to_vec()),
            Some(b"one".to_vec())
        );
        assert_eq!(
            gather.heard(start + ms(9001), 1, rssi(0), b"one"),
            Copy::First
        );
    }
}
