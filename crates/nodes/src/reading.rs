//! The readings of a made-up rain gauge, in the layout of `firmware/node/reading.h`, so that
//! one codec reads a virtual node and a board.

use std::time::Duration;

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

/// Bytes of a reading.
pub const READING_BYTES: usize = 16;

/// How likely a minute begins rain, and ends it.
const RAIN_BEGINS: f64 = 0.01;
const RAIN_ENDS: f64 = 0.05;

/// A tipping-bucket rain gauge with a thermometer and a battery.
#[derive(Debug, Clone)]
pub struct RainGauge {
    random: ChaCha8Rng,
    number: u16,
    raining: bool,
    tips: u16,
    centidegrees: i16,
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
            number: 0,
            tips: 0,
            random,
        }
    }

    /// The next reading, `since_start` after the node's start; little-endian:
    /// milliseconds (4), number (2), centidegrees (2, signed), rain tips since the start (2),
    /// battery millivolts (2), zeros (4).
    pub fn read(&mut self, since_start: Duration) -> [u8; READING_BYTES] {
        let change = if self.raining { RAIN_ENDS } else { RAIN_BEGINS };
        self.raining ^= self.random.random_bool(change);
        if self.raining {
            self.tips = self.tips.wrapping_add(self.random.random_range(0..=3));
        }
        let drift = self.random.random_range(-5..=5);
        self.centidegrees = (self.centidegrees + drift).clamp(-1000, 5000);
        let mut reading = [0; READING_BYTES];
        reading[..4].copy_from_slice(&(since_start.as_millis() as u32).to_le_bytes());
        reading[4..6].copy_from_slice(&self.number.to_le_bytes());
        reading[6..8].copy_from_slice(&self.centidegrees.to_le_bytes());
        reading[8..10].copy_from_slice(&self.tips.to_le_bytes());
        reading[10..12].copy_from_slice(&self.millivolts.to_le_bytes());
        self.number = self.number.wrapping_add(1);
        reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_has_its_fields_in_their_places() {
        let mut gauge = RainGauge::new(1, 2);
        for number in 0..3u16 {
            let reading = gauge.read(Duration::from_millis(0x0102_0304));
            assert_eq!(reading[..4], [4, 3, 2, 1]);
            assert_eq!(reading[4..6], number.to_le_bytes());
            let centidegrees = i16::from_le_bytes([reading[6], reading[7]]);
            assert!((1000..3500).contains(&centidegrees));
            let millivolts = u16::from_le_bytes([reading[10], reading[11]]);
            assert!((3600..=4100).contains(&millivolts));
            assert_eq!(reading[12..], [0; 4]);
        }
    }

    #[test]
    fn it_rains_sometimes_and_seeds_repeat_the_weather() {
        let run = |seed| -> Vec<_> {
            let mut gauge = RainGauge::new(seed, 0);
            (0..2000).map(|_| gauge.read(Duration::ZERO)).collect()
        };
        let tips: Vec<u16> = run(3)
            .iter()
            .map(|r| u16::from_le_bytes([r[8], r[9]]))
            .collect();
        assert!(tips.windows(2).any(|pair| pair[0] == pair[1]));
        assert!(tips.windows(2).any(|pair| pair[0] != pair[1]));
        assert_eq!(run(3), run(3));
        assert_ne!(run(3), run(4));
    }
}
