//! A bad network: frames are lost, delayed, reordered, duplicated, corrupted and truncated.
//!
//! [`Impairment`] holds the rates. [`Path`] applies them to one frame at a time, without a clock:
//! it returns the arriving copies with their times. [`Schedule`] holds the copies in transit. The
//! same seed treats the same frames in the same way.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use rand::{Rng as _, RngCore, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Extra delay of a frame that is to be overtaken: long enough for later frames to pass it, short
/// enough not to count as lost.
const OVERTAKEN: RangeInclusive<Duration> = Duration::from_millis(20)..=Duration::from_millis(200);

/// A probability from 0 (never) to 1 (always). Parsed from `0.05` or `5%`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
pub struct Chance(f64);

impl Chance {
    /// Probability 0.
    pub const NEVER: Chance = Chance(0.0);
    /// Probability 1.
    pub const ALWAYS: Chance = Chance(1.0);

    /// Returns `None` if `value` is not a probability.
    pub fn new(value: f64) -> Option<Chance> {
        (0.0..=1.0).contains(&value).then_some(Chance(value))
    }

    fn strikes(self, random: &mut impl RngCore) -> bool {
        self.0 > 0.0 && random.random_bool(self.0)
    }
}

impl FromStr for Chance {
    type Err = String;

    fn from_str(text: &str) -> Result<Chance, String> {
        let (number, scale) = match text.trim().strip_suffix('%') {
            Some(number) => (number.trim_end(), 100.0),
            None => (text.trim(), 1.0),
        };
        number
            .parse::<f64>()
            .ok()
            .and_then(|value| Chance::new(value / scale))
            .ok_or_else(|| {
                "a probability must be from 0 to 1, or from 0% to 100%: 0.05 or 5%".into()
            })
    }
}

/// Impairment of the frames of one direction.
#[derive(Debug, Clone, PartialEq)]
pub struct Impairment {
    /// The frame is lost.
    pub loss: Chance,
    /// Transit time of every frame, uniformly distributed over this range.
    pub delay: RangeInclusive<Duration>,
    /// The frame is delayed further, so that later ones overtake it.
    pub reorder: Chance,
    /// The frame arrives twice, the second time with its own delay.
    pub duplicate: Chance,
    /// One bit of the frame is flipped.
    pub corrupt: Chance,
    /// The frame loses one or more bytes at its end.
    pub truncate: Chance,
}

impl Default for Impairment {
    /// A perfect network.
    fn default() -> Self {
        Impairment {
            loss: Chance::NEVER,
            delay: Duration::ZERO..=Duration::ZERO,
            reorder: Chance::NEVER,
            duplicate: Chance::NEVER,
            corrupt: Chance::NEVER,
            truncate: Chance::NEVER,
        }
    }
}

/// Counters of the impairments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Strikes {
    /// Frames that were lost.
    pub lost: u64,
    /// Frames that arrived twice.
    pub doubled: u64,
    /// Copies that were delayed further.
    pub overtaken: u64,
    /// Copies with a flipped bit.
    pub altered: u64,
    /// Copies that were truncated.
    pub cut: u64,
}

impl std::ops::AddAssign for Strikes {
    fn add_assign(&mut self, more: Strikes) {
        self.lost += more.lost;
        self.doubled += more.doubled;
        self.overtaken += more.overtaken;
        self.altered += more.altered;
        self.cut += more.cut;
    }
}

/// One direction between two ends.
#[derive(Debug, Clone)]
pub struct Path {
    impairment: Impairment,
    random: ChaCha8Rng,
    strikes: Strikes,
}

impl Path {
    /// `stream` distinguishes the paths of one seed.
    pub fn new(impairment: Impairment, seed: u64, stream: u64) -> Path {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Path {
            impairment,
            random,
            strikes: Strikes::default(),
        }
    }

    /// Counters of this path.
    pub fn strikes(&self) -> Strikes {
        self.strikes
    }

    /// Sends `frame` at `now`. Calls `arrive` for every copy with its time and bytes.
    pub fn pass(&mut self, now: Duration, frame: &[u8], mut arrive: impl FnMut(Duration, Vec<u8>)) {
        let Path {
            impairment,
            random,
            strikes,
        } = self;
        if impairment.loss.strikes(random) {
            strikes.lost += 1;
            return;
        }
        let mut copies = 1;
        if impairment.duplicate.strikes(random) {
            strikes.doubled += 1;
            copies = 2;
        }
        for _ in 0..copies {
            let mut due = now + between(&impairment.delay, random);
            if impairment.reorder.strikes(random) {
                strikes.overtaken += 1;
                due += between(&OVERTAKEN, random);
            }
            let mut bytes = frame.to_vec();
            if impairment.corrupt.strikes(random) && !bytes.is_empty() {
                strikes.altered += 1;
                let bit = random.random_range(0..bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            if impairment.truncate.strikes(random) && !bytes.is_empty() {
                strikes.cut += 1;
                bytes.truncate(random.random_range(0..bytes.len()));
            }
            arrive(due, bytes);
        }
    }
}

fn between(range: &RangeInclusive<Duration>, random: &mut impl RngCore) -> Duration {
    if range.start() >= range.end() {
        return *range.start();
    }
    let (least, most) = (range.start().as_micros(), range.end().as_micros());
    let drawn = random.random_range(least..=most);
    Duration::from_micros(u64::try_from(drawn).unwrap_or(u64::MAX))
}

/// Items ordered by due time. Items with equal times keep the order in which they were added.
#[derive(Debug)]
pub struct Schedule<T> {
    heap: BinaryHeap<Reverse<Entry<T>>>,
    next: u64,
}

#[derive(Debug)]
struct Entry<T> {
    due: Duration,
    order: u64,
    item: T,
}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl<T> Eq for Entry<T> {}

impl<T> PartialOrd for Entry<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Entry<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.due, self.order).cmp(&(other.due, other.order))
    }
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Schedule {
            heap: BinaryHeap::new(),
            next: 0,
        }
    }
}

impl<T> Schedule<T> {
    /// Adds `item`, due at `due`.
    pub fn add(&mut self, due: Duration, item: T) {
        let order = self.next;
        self.next += 1;
        self.heap.push(Reverse(Entry { due, order, item }));
    }

    /// Takes the next item if it is due at `now`.
    pub fn take(&mut self, now: Duration) -> Option<T> {
        if self.due()? > now {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| entry.item)
    }

    /// Time at which the next item is due.
    pub fn due(&self) -> Option<Duration> {
        self.heap.peek().map(|Reverse(entry)| entry.due)
    }

    /// Number of items that were not taken yet.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Returns true if there is no item.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests;
