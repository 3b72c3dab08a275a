//! The experiment of [ramalho2024] on simulated chips. A node with a rain gauge sends packets of
//! one block over a radio to a second node, which outputs them. The experiment measures the cost of
//! each step (docs/researcher/experiment.md).
//!
//! The chips and the air between them share one simulated time. A figure counts only if the
//! receiver outputs exactly the sensors' values.

use std::path::Path;

use selo_engine::build::{Builder, Image};
use selo_engine::error::Result;
use selo_engine::interface::Interface;
pub use selo_engine::interface::{AIR, RECEIVE, TRANSMIT};
use selo_engine::library::Unit;
use selo_engine::measure::Lab;
use selo_engine::measure::whole::{Played, Role, Seen, Whole, mean};
use selo_engine::row::Metric::{self, CpuShare, Cycles, Flash, Ram, Rate, Stack, Time as Seconds};

mod nodes;

use nodes::wrong;
pub use nodes::{Measured, run};

/// The variant without a cipher.
pub const PLAIN: &str = "none";

/// Plays the air between two nodes for the lab.
#[derive(Debug)]
pub struct Air;

/// The metrics of a chip's steps outside packets, of a packet, and of the air.
const STEP: &[Metric] = &[Cycles, Seconds, Stack, CpuShare];
const PACKET: &[Metric] = &[Cycles, Seconds, Flash, Ram, Stack, CpuShare, Rate];
const ON_AIR: &[Metric] = &[Seconds];

/// The operations of both roles, each with the index of its image, in the order of rows.
const OPERATIONS: [(&str, usize, &[Metric]); 7] = [
    ("start-transmit", 0, STEP),
    ("encrypt", 0, STEP),
    (TRANSMIT, 0, PACKET),
    (AIR, 0, ON_AIR),
    ("start-receive", 1, STEP),
    ("decrypt", 1, STEP),
    (RECEIVE, 1, PACKET),
];

impl Whole for Air {
    fn interface(&self) -> Interface {
        Interface::Node
    }

    fn source(&self) -> &'static str {
        "radio"
    }

    /// Builds the firmware of both roles. If the cipher only encrypts, the receiver uses another
    /// variant of the same cipher.
    fn images(&self, builder: &Builder<'_>, unit: &Unit<'_>, list: &Path) -> Result<Vec<Image>> {
        let peer = peer(unit);
        let receiver = peer.as_ref().unwrap_or(unit);
        Ok(vec![
            builder.program_role(unit, list, TRANSMIT, &[])?,
            builder.program_role(receiver, list, RECEIVE, &[])?,
        ])
    }

    fn operations(&self, unit: &Unit<'_>) -> Vec<Role> {
        let offered = |&(operation, image, _): &(&str, usize, _)| {
            unit.offers(operation) && unit.offers([TRANSMIT, RECEIVE][image])
        };
        let operations = OPERATIONS.into_iter().filter(offered);
        let roles = operations.map(|(operation, image, metrics)| Role {
            operation,
            image,
            metrics,
        });
        roles.collect()
    }

    fn play(&self, lab: &Lab<'_>, unit: &Unit<'_>, images: &[Image]) -> Result<Played> {
        let [transmitter, receiver] = images else {
            return Err(wrong(
                "must have the images of a transmitter and a receiver".into(),
            ));
        };
        let plain = unit.variant == PLAIN;
        let mut measured = run(&lab.project.root, lab.board, transmitter, receiver, plain)?;
        let sending = mean(&measured.on_air);
        let mut played = Played {
            agreed: measured.received.len() as u64,
            ..Played::default()
        };
        for (operation, _, _) in OPERATIONS {
            let seen = Seen {
                spans: measured.took.remove(operation).unwrap_or_default(),
                stack: measured.stack.get(operation).copied(),
                rates: measured.rates.remove(operation).unwrap_or_default(),
                on_air: match operation {
                    AIR => std::mem::take(&mut measured.on_air),
                    _ => Vec::new(),
                },
                sending: match operation {
                    TRANSMIT => Some(sending),
                    RECEIVE => Some(0.0),
                    _ => None,
                },
            };
            played.operations.insert(operation, seen);
        }
        Ok(played)
    }
}

/// A unit of the same library and cipher that can receive, if this one cannot.
fn peer<'u>(unit: &Unit<'u>) -> Option<Unit<'u>> {
    if unit.offers(RECEIVE) {
        return None;
    }
    let cipher = |variant: &str| {
        variant
            .rsplit_once('-')
            .map(|(cipher, _)| cipher.to_owned())
    };
    let wanted = cipher(unit.variant);
    let implementations = unit.library.implementations.iter();
    implementations
        .filter(|other| other.algorithms.contains(&unit.algorithm.name))
        .filter(|other| other.operations.iter().any(|offered| offered == RECEIVE))
        .find_map(|other| {
            let mut variants = other.variants.iter();
            let variant = variants.find(|name| cipher(name) == wanted)?;
            Some(Unit {
                implementation: other,
                variant,
                ..unit.clone()
            })
        })
}
