//! The number of stations that share a channel: a model, without a simulation.
//!
//! - Stations send at random times (pure ALOHA [ABRAMSON1970]). A frame arrives if no other one
//!   overlaps it, and the gateway does not send meanwhile. Weak signals and capture are left out.
//! - A frame that needs an acknowledgement is sent up to four times. Two frames that collided are
//!   repeated after waits that differ by at most the link's jitter, so they may collide again.
//! - The radio's currents are those of a data sheet. Between two readings everything sleeps.

use std::time::Duration;

use serde::Serialize;

use crate::airtime::{AirRate, Framing, Modulation};
use crate::regions::{Limit, Region};

/// Transmissions of a frame that needs an acknowledgement [docs/protocol.md, state machines].
const TRANSMISSIONS: usize = 4;
/// Wait after the first transmission, and the most that is added to it. Both double with each.
const WAIT_S: f64 = 2.0;
const JITTER_S: f64 = 1.02;
/// Time between a frame and its acknowledgement: both serial lines, and the silences that end
/// the frames, at 9600 baud.
const TURNAROUND_S: f64 = 0.1;
/// Bytes of an acknowledgement.
const ACK_BYTES: usize = 15;

/// A radio's settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Radio {
    /// An E32 module with forward error correction.
    E32(AirRate),
    /// A transceiver that the station programs itself.
    Sx127x(Modulation),
}

impl Radio {
    /// The modulation on the air.
    pub fn modulation(self) -> Modulation {
        match self {
            Radio::E32(rate) => rate.modulation(),
            Radio::Sx127x(modulation) => modulation,
        }
    }

    /// Air time of a frame of the link.
    pub fn airtime(self, bytes: usize) -> Duration {
        match self {
            Radio::E32(rate) => rate.airtime(bytes, true),
            Radio::Sx127x(modulation) => modulation.airtime(Framing::default(), bytes),
        }
    }
}

/// Currents and capacity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Supply {
    /// Capacity in mAh.
    pub capacity_mah: f64,
    /// Current while the radio sends, mA.
    pub transmit_ma: f64,
    /// Current while the radio listens, mA.
    pub receive_ma: f64,
    /// Current while everything sleeps, mA.
    pub sleep_ma: f64,
}

/// A network.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Plan {
    /// Number of stations.
    pub nodes: u32,
    /// Time between two readings of a station.
    pub period: Duration,
    /// Bytes of a reading's frame.
    pub frame_bytes: usize,
    /// Readings are acknowledged, and repeated without an acknowledgement.
    pub acknowledged: bool,
    /// Settings of all radios.
    pub radio: Radio,
    /// Rules that apply.
    pub region: Region,
    /// Accepted share of lost readings.
    pub loss_max: f64,
}

/// A reason for which a plan does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obstacle {
    /// The signal is wider than the band.
    WiderThanBand,
    /// A fixed channel must be wider.
    Narrow,
    /// A station is on the air too much.
    StationDuty,
    /// The gateway is on the air too much.
    GatewayDuty,
    /// Too many readings are lost.
    Loss,
}

impl Obstacle {
    /// Returns true if a longer period removes it.
    pub fn depends_on_period(self) -> bool {
        !matches!(self, Obstacle::WiderThanBand | Obstacle::Narrow)
    }
}

/// What the model says about a plan.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outcome {
    /// Air time of a reading's frame, s.
    pub frame_s: f64,
    /// Air time of an acknowledgement, s; 0 without.
    pub ack_s: f64,
    /// Mean transmissions of a reading.
    pub transmissions: f64,
    /// Share of the time in which frames and acknowledgements would fill the channel.
    pub load: f64,
    /// Share of readings that are lost.
    pub loss: f64,
    /// Share of the time that a station sends.
    pub station_duty: f64,
    /// Share of the time that the gateway sends.
    pub gateway_duty: f64,
    /// Mean time per reading in which a station listens, s.
    pub listens_s: f64,
}

/// Rates and chances at an assumed mean number of transmissions.
struct Guess {
    frames: f64,
    acks: f64,
    /// A frame reaches the gateway.
    arrives: f64,
    /// A frame arrives, and so does its acknowledgement.
    settled: f64,
    /// Share of the failures that are collisions of frames.
    by_frames: f64,
}

impl Plan {
    fn guess(&self, frame: f64, ack: f64, transmissions: f64) -> Guess {
        let of_one = transmissions / self.period.as_secs_f64();
        let others = f64::from(self.nodes.saturating_sub(1)) * of_one;
        let collide = 2.0 * others * frame;
        if !self.acknowledged {
            let arrives = (-collide).exp();
            return Guess {
                frames: f64::from(self.nodes) * of_one,
                acks: 0.0,
                arrives,
                settled: arrives,
                by_frames: 1.0,
            };
        }
        // The acknowledgements of the other stations' frames keep the gateway from listening.
        let free = (-collide).exp();
        let deaf = others * free * (frame + ack);
        let arrives = (-collide - deaf).exp();
        let settled = arrives * (-others * (frame + ack)).exp();
        let failures = collide + deaf;
        Guess {
            frames: f64::from(self.nodes) * of_one,
            acks: f64::from(self.nodes) * of_one * arrives,
            arrives,
            settled,
            by_frames: if failures > 0.0 {
                collide / failures
            } else {
                1.0
            },
        }
    }

    /// Share of readings of which no transmission arrives.
    fn lost(&self, guess: &Guess, frame: f64) -> f64 {
        let first = 1.0 - guess.arrives;
        if !self.acknowledged {
            return first;
        }
        let mut lost = first;
        for repetition in 1..TRANSMISSIONS {
            let jitter = JITTER_S * f64::from(1_u32 << (repetition - 1));
            // Two uniform waits differ by less than the frame.
            let apart = (1.0 - frame / jitter).max(0.0);
            let again = guess.by_frames * (1.0 - apart * apart);
            lost *= 1.0 - guess.arrives * (1.0 - again);
        }
        lost
    }

    /// Mean transmissions of a reading if each one is settled with this chance.
    fn transmissions(&self, settled: f64) -> f64 {
        if !self.acknowledged {
            return 1.0;
        }
        (0..TRANSMISSIONS as i32)
            .map(|number| (1.0 - settled).powi(number))
            .sum()
    }

    /// Computes the model.
    pub fn outcome(&self) -> Outcome {
        let frame = self.radio.airtime(self.frame_bytes).as_secs_f64();
        let ack = if self.acknowledged {
            self.radio.airtime(ACK_BYTES).as_secs_f64()
        } else {
            0.0
        };
        // Repetitions make collisions, and collisions make repetitions. From one transmission
        // upwards the mean only grows, and at most to four.
        let mut transmissions = 1.0;
        for _ in 0..200 {
            let next = self.transmissions(self.guess(frame, ack, transmissions).settled);
            transmissions = f64::max(transmissions, next);
        }
        let guess = self.guess(frame, ack, transmissions);
        let failed = transmissions - 1.0;
        Outcome {
            frame_s: frame,
            ack_s: ack,
            transmissions,
            load: guess.frames * frame + guess.acks * ack,
            loss: self.lost(&guess, frame),
            station_duty: transmissions * frame / self.period.as_secs_f64(),
            gateway_duty: guess.acks * ack,
            listens_s: if self.acknowledged {
                TURNAROUND_S + ack + failed * (WAIT_S + JITTER_S / 2.0)
            } else {
                0.0
            },
        }
    }

    /// Everything that keeps the plan from fitting.
    pub fn obstacles(&self) -> Vec<Obstacle> {
        let outcome = self.outcome();
        let (low, high) = self.region.band_khz;
        let bandwidth = self.radio.modulation().bandwidth_hz;
        let mut found = Vec::new();
        if bandwidth > 1000 * (high - low) {
            found.push(Obstacle::WiderThanBand);
        }
        match self.region.limit {
            Limit::WideOrHopping { fixed_hz, .. } => {
                if bandwidth < fixed_hz {
                    found.push(Obstacle::Narrow);
                }
            }
            Limit::DutyCycle(share) => {
                if outcome.station_duty > share {
                    found.push(Obstacle::StationDuty);
                }
                if outcome.gateway_duty > share {
                    found.push(Obstacle::GatewayDuty);
                }
            }
        }
        if outcome.loss > self.loss_max {
            found.push(Obstacle::Loss);
        }
        found
    }

    /// The shortest period at which the plan fits, in whole seconds; above two minutes in whole
    /// minutes. At most 30 days.
    pub fn shortest_period(&self) -> Option<Duration> {
        let fits = |seconds: u64| {
            let period = Duration::from_secs(seconds);
            Plan { period, ..*self }.obstacles().is_empty()
        };
        let (mut short, mut long) = (0, PERIOD_MAX.as_secs());
        if !fits(long) {
            return None;
        }
        while long - short > 1 {
            let middle = short.midpoint(long);
            if fits(middle) {
                long = middle;
            } else {
                short = middle;
            }
        }
        let step = if long > 120 { 60 } else { 1 };
        Some(Duration::from_secs(long.next_multiple_of(step)))
    }
}

/// Longest period of a plan.
pub const PERIOD_MAX: Duration = Duration::from_secs(30 * 86_400);

impl Supply {
    /// Mean current of a station in mA.
    pub fn mean_ma(&self, outcome: &Outcome, period: Duration) -> f64 {
        let period = period.as_secs_f64();
        let sends = (outcome.station_duty * period).min(period);
        let listens = outcome.listens_s.min(period - sends);
        let sleeps = period - sends - listens;
        (sends * self.transmit_ma + listens * self.receive_ma + sleeps * self.sleep_ma) / period
    }

    /// Days until the battery is empty. Its self-discharge is left out.
    pub fn days(&self, outcome: &Outcome, period: Duration) -> f64 {
        self.capacity_mah / self.mean_ma(outcome, period) / 24.0
    }
}

#[cfg(test)]
mod tests;
