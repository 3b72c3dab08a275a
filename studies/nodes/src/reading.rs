//! Readings of a simulated rain gauge, in the layout of `station/src/selo_station/reading.h`, so that one
//! codec decodes virtual nodes and boards.

use std::time::{Duration, SystemTime};

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Length of a reading in bytes.
pub const READING_BYTES: usize = 16;

/// Bits of the status.
const CLOCK_LOST: u16 = 1;
const RESTARTED: u16 = 2;

/// Probability per minute that rain begins, and that it ends.
const RAIN_BEGINS: f64 = 0.01;
const RAIN_ENDS: f64 = 0.05;

/// A tipping-bucket rain gauge with a thermometer and a battery.
#[derive(Debug, Clone)]
pub struct RainGauge {
    random: ChaCha8Rng,
    started: bool,
    raining: bool,
    tips: u32,
    centidegrees: i32,
    millivolts: u16,
}

impl RainGauge {
    /// The same seed and stream give the same weather.
    pub fn new(seed: u64, stream: u64) -> RainGauge {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        RainGauge {
            centidegrees: random.random_range(1500..3000),
            millivolts: random.random_range(3600..=4100),
            raining: random.random_bool(RAIN_BEGINS / (RAIN_BEGINS + RAIN_ENDS)),
            started: false,
            tips: 0,
            random,
        }
    }

    /// The next reading, at `time` since 1970 by the station's clock (`None`: the clock is not
    /// set). Little-endian: seconds (4), tips of 0.2 mm since the start (4), centidegrees (4,
    /// signed), battery millivolts (2), status (2).
    pub fn read(&mut self, time: Option<Duration>) -> [u8; READING_BYTES] {
        let change = if self.raining { RAIN_ENDS } else { RAIN_BEGINS };
        self.raining ^= self.random.random_bool(change);
        if self.raining {
            self.tips = self.tips.wrapping_add(self.random.random_range(0..=3));
        }
        let drift = self.random.random_range(-5..=5);
        self.centidegrees = (self.centidegrees + drift).clamp(-1000, 5000);
        let seconds = time.map_or(0, |time| time.as_secs() as u32);
        let mut status = 0;
        if seconds == 0 {
            status |= CLOCK_LOST;
        }
        if !std::mem::replace(&mut self.started, true) {
            status |= RESTARTED;
        }
        let mut reading = [0; READING_BYTES];
        reading[..4].copy_from_slice(&seconds.to_le_bytes());
        reading[4..8].copy_from_slice(&self.tips.to_le_bytes());
        reading[8..12].copy_from_slice(&self.centidegrees.to_le_bytes());
        reading[12..14].copy_from_slice(&self.millivolts.to_le_bytes());
        reading[14..].copy_from_slice(&status.to_le_bytes());
        reading
    }
}

/// This machine's time since 1970; `None` if it is before 1970.
pub fn wall_clock() -> Option<Duration> {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_has_its_fields_in_their_places() {
        let mut gauge = RainGauge::new(1, 2);
        for number in 0..3 {
            let time = (number < 2).then_some(Duration::from_millis(0x4000_0001 * 1000));
            let reading = gauge.read(time);
            let seconds: u32 = [0x4000_0001, 0x4000_0001, 0][number];
            assert_eq!(reading[..4], seconds.to_le_bytes());
            let tips = u32::from_le_bytes([reading[4], reading[5], reading[6], reading[7]]);
            assert!(tips < 10);
            let centi = i32::from_le_bytes([reading[8], reading[9], reading[10], reading[11]]);
            assert!((1000..3500).contains(&centi));
            let millivolts = u16::from_le_bytes([reading[12], reading[13]]);
            assert!((3600..=4100).contains(&millivolts));
            assert_eq!(reading[14..], [[2, 0], [0, 0], [1, 0]][number]);
        }
    }

    #[test]
    fn it_rains_sometimes_and_seeds_repeat_the_weather() {
        let run = |seed| -> Vec<_> {
            let mut gauge = RainGauge::new(seed, 0);
            (0..2000).map(|_| gauge.read(None)).collect()
        };
        let tips: Vec<u32> = run(3)
            .iter()
            .map(|r| u32::from_le_bytes([r[4], r[5], r[6], r[7]]))
            .collect();
        assert!(tips.windows(2).any(|pair| pair[0] == pair[1]));
        assert!(tips.windows(2).any(|pair| pair[0] != pair[1]));
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
    }
}
