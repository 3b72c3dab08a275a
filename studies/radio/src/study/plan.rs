//! The stations of a study and the load that they make.

use std::time::Duration;

use serde::Serialize;

use crate::medium::Propagation;
use selo_e32::airtime::AirRate;

use super::LINK_JITTER;

/// Distribution of the sending times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Arrivals {
    /// Periodic, with a random phase. Each interval varies by up to 5 %. Real clocks vary less,
    /// so two nodes may collide for hours or never; here every run covers all relative phases.
    Periodic,
    /// Random, with the period as the mean, as the ALOHA formula assumes.
    Poisson,
}

/// Parameters of a simulation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// Number of nodes.
    pub nodes: usize,
    /// Time between two readings of a node.
    pub period: Duration,
    /// Distribution of the sending times.
    pub arrivals: Arrivals,
    /// Air data rate of all modules.
    pub rate: AirRate,
    /// Forward error correction of all modules.
    pub fec: bool,
    /// Bytes of a reading's frame: 29 for the paper's 16 bytes [docs/protocol.md].
    pub bytes: usize,
    /// Bytes of an acknowledgement: 15.
    pub ack_bytes: usize,
    /// Readings are acknowledged, and repeated without an acknowledgement.
    pub confirmed: bool,
    /// Maximum random extension of all waits of a reading, as a share. Without it, two nodes that
    /// collide repeat at the same times and collide again.
    pub jitter: f64,
    /// Radio propagation.
    pub propagation: Propagation,
    /// Nodes are uniformly distributed over a disc of this radius in metres.
    pub radius: f64,
    /// Number of readings of all nodes together.
    pub readings: u64,
    /// Seed of positions, shadowing and times.
    pub seed: u64,
}

impl Plan {
    /// The paper's readings, sealed, in the default medium.
    pub fn new(nodes: usize, period: Duration, rate: AirRate) -> Plan {
        Plan {
            nodes,
            period,
            arrivals: Arrivals::Periodic,
            rate,
            fec: true,
            bytes: 29,
            ack_bytes: 15,
            confirmed: false,
            jitter: LINK_JITTER,
            propagation: Propagation::default(),
            radius: 500.0,
            readings: 20_000,
            seed: 1,
        }
    }

    /// Time on the air of a reading.
    pub fn airtime(&self) -> Duration {
        self.rate.airtime(self.bytes, self.fec)
    }

    /// Offered load: the share of the time that all nodes together would occupy the air without
    /// overlaps and repetitions.
    pub fn load(&self) -> f64 {
        self.nodes as f64 * self.airtime().as_secs_f64() / self.period.as_secs_f64()
    }

    /// Loss of pure ALOHA at this load, 1 - exp(-2G) [ABRAMSON1970], where a node does not
    /// collide with itself.
    pub fn aloha_loss(&self) -> f64 {
        let others = self.nodes.saturating_sub(1) as f64 / self.nodes.max(1) as f64;
        1.0 - (-2.0 * self.load() * others).exp()
    }
}
