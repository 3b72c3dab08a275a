//! The settings of a measurement, and the helpers of all its stages.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use selo_vectors::Catalog;
use sha2::{Digest, Sha256};

use crate::agent::{Agent, HEAP_EXHAUSTED};
use crate::board::Board;
use crate::build::{Builder, Image};
use crate::energy::PowerProfile;
use crate::error::{Error, Result, Stop};
use crate::interface::Interface;
use crate::library::Unit;
use crate::project::Project;
use crate::row::cause::Counted;
use crate::row::{Cause, Fidelity, Metric, Row};
use crate::runner::Span;

/// Default limit of cycles or instructions between two waits for input. The algorithm or the user
/// can set another one. A scalar multiplication fits on any board, and a hang ends soon.
pub const CYCLE_LIMIT: u64 = 4_000_000_000;

/// A fault further below the RAM than this is none of the stack.
const MOST_BELOW: u64 = 1 << 20;

/// The settings of a measurement.
#[derive(Debug)]
pub struct Lab<'a> {
    pub project: &'a Project,
    pub board: &'a Board,
    pub builder: Builder<'a>,
    pub catalog: &'a Catalog,
    /// Name of the runner: the board's own, unless the user chose another.
    pub runner: String,
    /// Name of the run, for every row.
    pub run: String,
    /// Commit of the project, for every row.
    pub commit: String,
    /// Metrics wanted; see [`crate::metrics::default_metrics`]. The rows from which they are derived are measured,
    /// and [`crate::derive`] derives the rest.
    pub metrics: Vec<Metric>,
    /// Operations wanted; all if empty.
    pub operations: Vec<String>,
    /// The power profile for deriving energies from times.
    pub power: Option<PowerProfile>,
    /// Limit of one operation, in cycles or instructions, if the user sets one. Otherwise the
    /// algorithm's limit counts, or [`CYCLE_LIMIT`].
    pub cycle_limit: Option<u64>,
    /// The other sides of whole firmwares; empty if none is measured.
    pub whole: &'a [&'a dyn Whole],
}

/// Returns an earlier row for the measurement of the given row, which has no value yet.
pub type Known<'a> = &'a dyn Fn(&Row) -> Option<Row>;

impl Lab<'_> {
    /// The limit of one call of a unit, in cycles or instructions.
    pub(crate) fn limit(&self, unit: &Unit<'_>) -> u64 {
        let of_algorithm = unit.algorithm.limit;
        let of_algorithm = of_algorithm.map(|millions| millions.saturating_mul(1_000_000));
        self.cycle_limit.or(of_algorithm).unwrap_or(CYCLE_LIMIT)
    }

    /// The cause for a call that its runner stopped at the limit.
    pub(crate) fn over_limit(&self, unit: &Unit<'_>, stop: &Stop) -> Cause {
        Cause::OverLimit {
            limit: self.limit(unit),
            counted: match self.board.fidelity {
                Fidelity::Instructions => Counted::Instructions,
                _ => Counted::Cycles,
            },
            stop: stop.clone(),
        }
    }

    /// The cause for a failed operation. Errors of the machine are returned as errors.
    pub(crate) fn outcome(&self, unit: &Unit<'_>, error: Error) -> Result<Cause> {
        match error {
            Error::Stopped(stop) => {
                let text = stop.to_string();
                Ok(if text.contains("stack-collision") {
                    let below = self.below_the_ram(&text);
                    Cause::StackCollision { stop, below }
                } else if text.contains(HEAP_EXHAUSTED) {
                    Cause::HeapExhausted { stop }
                } else if stop.is_of_limit() {
                    self.over_limit(unit, &stop)
                } else {
                    Cause::Stopped { stop }
                })
            }
            Error::Agent(message) => Ok(Cause::Agent { message }),
            Error::Node(message) => Ok(Cause::Firmware { message }),
            Error::Wrapped(operation) => Ok(Cause::CounterWraps { operation }),
            other => Err(other),
        }
    }

    /// Bytes of a fault's address below the emulated RAM, under which the stack of the bare ports is.
    fn below_the_ram(&self, fault: &str) -> Option<u64> {
        let hexadecimal = |text: &str| {
            let digits = text.trim_start_matches("0x");
            let end = digits.find(|c: char| !c.is_ascii_hexdigit());
            u64::from_str_radix(&digits[..end.unwrap_or(digits.len())], 16).ok()
        };
        let mut flags = self.board.toolchain.link_flags.iter();
        let start = flags
            .find_map(|flag| flag.split_once("port_data="))
            .map(|both| both.1)?;
        let address = fault.split_once("address=")?.1;
        let below = hexadecimal(start)?.checked_sub(hexadecimal(address)?)?;
        (below > 0 && below < MOST_BELOW).then_some(below)
    }

    /// Starts an agent image on the runner.
    pub fn start_agent(&self, unit: &Unit<'_>, image: &Image) -> Result<Agent> {
        let session = crate::runner::start(
            &self.project.root,
            &self.runner,
            self.board,
            &image.path,
            &image.weight,
            self.limit(unit),
        )?;
        let mut agent = Agent::greet(
            session,
            &unit.algorithm.name,
            unit.variant,
            &unit.implementation.operations,
        )?;
        agent.refuses_sizes = unit.implementation.refuses_sizes.is_some();
        Ok(agent)
    }
}

/// The subject of rows: a unit and its image.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    pub unit: &'a Unit<'a>,
    /// SHA-256 of the image; empty where there is none.
    pub firmware: &'a str,
}

impl<'a> Of<'a> {
    pub fn image(unit: &'a Unit<'a>, firmware: &'a str) -> Of<'a> {
        Of { unit, firmware }
    }

    /// The subject for a unit without an image.
    pub fn none(unit: &'a Unit<'a>) -> Of<'a> {
        Of { unit, firmware: "" }
    }
}

/// The other side of one kind of whole firmware.
pub trait Whole: Debug + Sync {
    /// The interface of the units whose other side it plays.
    fn interface(&self) -> Interface;

    /// The source of its conformance lines.
    fn source(&self) -> &'static str;

    /// Builds the images that it needs of a unit. `list` is the path of the list of sources.
    fn images(&self, builder: &Builder<'_>, unit: &Unit<'_>, list: &Path) -> Result<Vec<Image>>;

    /// The measured operations of a unit, in the order of their rows.
    fn operations(&self, unit: &Unit<'_>) -> Vec<Role>;

    /// Runs the images and plays the other side. Fails with [`Error::Node`] if a firmware breaks
    /// its protocol.
    fn play(&self, lab: &Lab<'_>, unit: &Unit<'_>, images: &[Image]) -> Result<Played>;
}

/// An operation of a whole firmware.
#[derive(Clone, Debug)]
pub struct Role {
    pub operation: &'static str,
    /// Index of the operation's image in [`Whole::images`].
    pub image: usize,
    /// The metrics that the operation can give.
    pub metrics: &'static [Metric],
}

/// The observations from a run of the images.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// Number of points on which the two sides agreed.
    pub agreed: u64,
    pub operations: BTreeMap<&'static str, Seen>,
}

/// The observations of one operation.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The operation's runs on the chip, with the marks subtracted.
    pub spans: Vec<Span>,
    /// The deepest stack of the whole firmware, in bytes below the end of the RAM. If `None`, the
    /// spans have the stack.
    pub stack: Option<u64>,
    /// Packets per second.
    pub rates: Vec<f64>,
    /// Air time of each packet in seconds, if the operation is only air time.
    pub on_air: Vec<f64>,
    /// For a packet: the seconds for which the radio sends; 0 for a received packet.
    pub sending: Option<f64>,
}

/// A random generator whose seed depends only on `purpose` and `sample`, so that every run, variant
/// and runner gets the same inputs.
pub fn rng_for(purpose: &str, sample: u64) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update(sample.to_le_bytes());
    ChaCha8Rng::from_seed(hash.finalize().into())
}
