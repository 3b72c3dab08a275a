//! A channel model of points in a plane. A transmission arrives with the sender's power minus a
//! log-distance path loss with shadowing. It is received if the receiver listened throughout, the
//! signal is above the sensitivity of its spreading factor, and no overlapping transmission with
//! the same channel and modulation came within [`Propagation::capture_db`] of it. This is the
//! capture effect of [BOR2016] without its exception for the first symbols of the preamble: here
//! every overlap counts. Of several overlapping transmissions the strongest counts, not their
//! sum. Other channels and modulations are neither received nor interfere; leakage in real
//! receivers is not modelled.
//!
//! The same seed gives the same links in every run: shadowing is drawn from the seed and the pair
//! of places, not from a sequence.

use crate::Time;
use selo_e32::airtime::{AirRate, Modulation};

/// A position in metres.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[allow(missing_docs)]
pub struct Position {
    pub x: f64,
    pub y: f64,
}

impl Position {
    fn distance(self, other: Position) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// Radio propagation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Propagation {
    /// Path loss at one metre in dB.
    pub loss_at_1m_db: f64,
    /// Path-loss exponent: ten times this is lost in dB per tenfold distance.
    pub exponent: f64,
    /// Standard deviation of a link's shadowing, in dB.
    pub shadowing_db: f64,
    /// A packet survives others that are weaker by at least this, in dB. Infinite: every overlap
    /// destroys both packets (pure ALOHA).
    pub capture_db: f64,
}

impl Default for Propagation {
    /// Free-space loss to one metre at 433 MHz; from there an exponent with which 20 dBm at 2.4k
    /// reach the 3 km of the module's manual; the shadowing measured in [BOR2016]; 6 dB capture.
    fn default() -> Propagation {
        Propagation {
            loss_at_1m_db: 25.2,
            exponent: 3.5,
            shadowing_db: 3.57,
            capture_db: 6.0,
        }
    }
}

impl Propagation {
    /// A medium in which all links are equally good, and every overlap destroys.
    pub const ALOHA: Propagation = Propagation {
        loss_at_1m_db: 0.0,
        exponent: 0.0,
        shadowing_db: 0.0,
        capture_db: f64::INFINITY,
    };
}

/// A transmission without its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signal {
    /// Frequency channel.
    pub channel: u8,
    /// Air data rate.
    pub rate: AirRate,
    /// Transmission power.
    pub power_dbm: f64,
}

impl Signal {
    fn modulation(&self) -> Modulation {
        self.rate.modulation()
    }

    /// Returns true if two signals interfere.
    fn collides(&self, other: &Signal) -> bool {
        let (ours, theirs) = (self.modulation(), other.modulation());
        self.channel == other.channel
            && ours.spreading_factor == theirs.spreading_factor
            && ours.bandwidth_hz == theirs.bandwidth_hz
    }
}

/// Outcome of a transmission at one receiver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reception {
    /// Received.
    Received {
        /// Signal strength.
        rssi_dbm: f64,
        /// Signal-to-noise ratio.
        snr_db: f64,
    },
    /// The receiver was asleep, tuned elsewhere, or transmitting meanwhile.
    Deaf,
    /// Below the sensitivity.
    Weak,
    /// An overlapping transmission was too strong.
    Collided,
}

/// A transmission that is on the air.
#[derive(Debug, Clone)]
struct OnAir {
    id: u64,
    from: usize,
    signal: Signal,
    ends: Time,
    /// The receivers, with their state at its beginning.
    ears: Vec<Ear>,
}

#[derive(Debug, Clone)]
struct Ear {
    to: usize,
    epoch: u64,
    power_dbm: f64,
    /// The strongest overlapping signal at this receiver.
    disturbed_dbm: f64,
}

/// A position with a transceiver.
#[derive(Debug, Clone)]
struct Radio {
    position: Position,
    listens: bool,
    /// Changes whenever listening is interrupted.
    epoch: u64,
}

/// See the module's documentation.
#[derive(Debug, Clone)]
pub struct Medium {
    propagation: Propagation,
    seed: u64,
    radios: Vec<Radio>,
    on_air: Vec<OnAir>,
    next_id: u64,
}

impl Medium {
    /// Creates an empty medium.
    pub fn new(propagation: Propagation, seed: u64) -> Medium {
        Medium {
            propagation,
            seed,
            radios: Vec::new(),
            on_air: Vec::new(),
            next_id: 0,
        }
    }

    /// Adds a transceiver that does not listen yet. Returns its number.
    pub fn add(&mut self, position: Position) -> usize {
        self.radios.push(Radio {
            position,
            listens: false,
            epoch: 0,
        });
        self.radios.len() - 1
    }

    /// Sets whether a transceiver listens from now on. Repeating the same state has no effect.
    pub fn listen(&mut self, radio: usize, listens: bool) {
        let radio = &mut self.radios[radio];
        if radio.listens != listens {
            radio.listens = listens;
            radio.epoch += 1;
        }
    }

    /// Interrupts the listening of a transceiver that is retuned.
    pub fn retune(&mut self, radio: usize) {
        self.radios[radio].epoch += 1;
    }

    /// The received power for a transmission power in dBm.
    pub fn received_dbm(&self, from: usize, to: usize, power_dbm: f64) -> f64 {
        let Propagation {
            loss_at_1m_db,
            exponent,
            shadowing_db,
            ..
        } = self.propagation;
        let (a, b) = (self.radios[from].position, self.radios[to].position);
        let loss = loss_at_1m_db + 10.0 * exponent * a.distance(b).max(1.0).log10();
        let shadow = if shadowing_db == 0.0 {
            0.0
        } else {
            shadowing_db * self.normal(from, to)
        };
        power_dbm - loss - shadow
    }

    /// A normal deviate that is determined by the seed and a pair of places.
    fn normal(&self, a: usize, b: usize) -> f64 {
        let pair = (a.min(b) as u64) << 32 | a.max(b) as u64;
        let first = mix(self.seed ^ mix(pair));
        // Box-Muller transform; the argument of the logarithm is never 0.
        let u = (unit(first) + f64::EPSILON).min(1.0);
        let v = unit(mix(first));
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// Starts a transmission. `ears` are the potential receivers; those that do not listen now
    /// count as deaf. The sender should have stopped listening. Returns the transmission's
    /// number, for [`Medium::end`].
    pub fn begin(
        &mut self,
        from: usize,
        signal: Signal,
        ends: Time,
        ears: impl IntoIterator<Item = usize>,
    ) -> u64 {
        let mut begun = OnAir {
            id: self.next_id,
            from,
            signal,
            ends,
            ears: Vec::new(),
        };
        self.next_id += 1;
        for to in ears {
            if to == from {
                continue;
            }
            let radio = &self.radios[to];
            begun.ears.push(Ear {
                to,
                // No epoch reaches this value, so the receiver counts as deaf from the beginning.
                epoch: if radio.listens { radio.epoch } else { u64::MAX },
                power_dbm: self.received_dbm(from, to, signal.power_dbm),
                disturbed_dbm: f64::NEG_INFINITY,
            });
        }
        for index in 0..self.on_air.len() {
            let other = &self.on_air[index];
            if !other.signal.collides(&signal) {
                continue;
            }
            for ear in &mut begun.ears {
                let power = self.received_dbm(other.from, ear.to, other.signal.power_dbm);
                // Its own sender does not receive it anyway.
                if other.from != ear.to {
                    ear.disturbed_dbm = ear.disturbed_dbm.max(power);
                }
            }
            let disturbed: Vec<f64> = other
                .ears
                .iter()
                .map(|ear| match ear.to == from {
                    true => f64::NEG_INFINITY,
                    false => self.received_dbm(from, ear.to, signal.power_dbm),
                })
                .collect();
            for (ear, power) in self.on_air[index].ears.iter_mut().zip(disturbed) {
                ear.disturbed_dbm = ear.disturbed_dbm.max(power);
            }
        }
        let id = begun.id;
        self.on_air.push(begun);
        id
    }

    /// Time at which the next transmission ends, and its number.
    pub fn next_end(&self) -> Option<(Time, u64)> {
        self.on_air.iter().map(|one| (one.ends, one.id)).min()
    }

    /// Ends a transmission. Returns the outcome at each receiver; empty if the number is not on
    /// the air.
    pub fn end(&mut self, id: u64) -> Vec<(usize, Reception)> {
        let Some(index) = self.on_air.iter().position(|one| one.id == id) else {
            return Vec::new();
        };
        let ended = self.on_air.swap_remove(index);
        let outcome = |ear: &Ear| (ear.to, self.outcome(&ended.signal, ear));
        ended.ears.iter().map(outcome).collect()
    }

    fn outcome(&self, signal: &Signal, ear: &Ear) -> Reception {
        let modulation = signal.modulation();
        if self.radios[ear.to].epoch != ear.epoch {
            Reception::Deaf
        } else if ear.power_dbm < modulation.sensitivity_dbm() {
            Reception::Weak
        } else if ear.disturbed_dbm > f64::NEG_INFINITY
            && ear.power_dbm - ear.disturbed_dbm < self.propagation.capture_db
        {
            Reception::Collided
        } else {
            Reception::Received {
                rssi_dbm: ear.power_dbm,
                snr_db: ear.power_dbm - modulation.noise_dbm(),
            }
        }
    }
}

/// Converts 64 random bits to a uniform deviate in [0, 1).
pub(crate) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Mixes the bits of a number, so that neighbouring numbers become practically independent. A
/// sequential generator would need a state for each pair.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
