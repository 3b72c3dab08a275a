//! Measures one unit: the only place where rows are built.
//!
//! ```text
//! unit -> plan: operations, sizes and metrics that are wanted
//!      -> build: images; their weight is flash and RAM rows, or a cause
//!      -> check: official vectors before the timing
//!      -> run: samples of each operation (steps: again, with a slower counter)
//!      -> check: the same vectors after the timing
//!      -> rows: figures of the samples, or the cause that there are none
//! ```
//!
//! Correct before fast: an image is checked against official vectors before and after it is
//! timed. A failure is a row with a cause, never a number. A whole firmware takes another way
//! through `run`: [`whole`] plays the other side to it.

mod build;
mod check;
mod plan;
mod rows;
mod run;
mod steps;
pub mod whole;

use std::path::PathBuf;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use selo_vectors::Catalog;
use sha2::{Digest, Sha256};

use crate::agent::{Agent, HEAP_EXHAUSTED};
use crate::algorithm::Algorithm;
use crate::board::{Board, SERIAL};
use crate::build::{Builder, Image};
use crate::energy::PowerProfile;
use crate::error::{Error, Result, Stop};
use crate::library::Unit;
use crate::project::Project;
use crate::row::cause::Counted;
use crate::row::{Cause, Fidelity, Metric, Row, Status};

pub use crate::metrics::{default_metrics, never_given};
pub use check::describe;
pub use plan::Operation;
pub(crate) use rows::Of;
use run::Bench;
use whole::Whole;

/// Cycles, or instructions, that a chip may run from one wait for input to the next, unless
/// told otherwise by the algorithm or the user: a scalar multiplication fits on any board, a
/// hang does not last.
pub const CYCLE_LIMIT: u64 = 4_000_000_000;

/// What is to be measured, and on what.
#[derive(Debug)]
pub struct Lab<'a> {
    pub project: &'a Project,
    pub board: &'a Board,
    pub builder: Builder<'a>,
    pub catalog: &'a Catalog,
    /// Name of the runner; the board's own unless another was asked for.
    pub runner: String,
    /// Name of the run, on every row.
    pub run: String,
    /// Commit on every row.
    pub commit: String,
    /// Metrics wanted; see [`default_metrics`]. What others are made of is measured, and
    /// [`crate::derive`] makes the others.
    pub metrics: Vec<Metric>,
    /// Operations wanted; all if empty.
    pub operations: Vec<String>,
    /// The power profile of the energies that are made of the times.
    pub power: Option<PowerProfile>,
    /// Cycles that a chip may run for one operation, if the user names them; else the
    /// algorithm does, or [`CYCLE_LIMIT`].
    pub cycle_limit: Option<u64>,
    /// The other sides of whole firmwares; empty where none is measured.
    pub whole: &'a [&'a dyn Whole],
}

/// Gives an earlier row for the measurement that a row without a value is about.
pub type Known<'a> = &'a dyn Fn(&Row) -> Option<Row>;

impl Lab<'_> {
    /// Rows of one unit. Errors that say something of the unit become rows;
    /// only errors of the machine (no compiler, no runner, full disk) come back.
    ///
    /// `known` gives an earlier row for the same measurement of the same image,
    /// which is then not measured again.
    pub fn measure(&self, unit: &Unit<'_>, known: Known<'_>) -> Result<Vec<Row>> {
        // What was too long for an earlier limit may end within this one.
        let known: Known<'_> = &|blank: &Row| -> Option<Row> {
            known(blank).filter(|row| {
                let over = row.cause.as_ref().and_then(Cause::limit);
                over.is_none_or(|limit| limit >= self.limit(unit))
            })
        };
        if let Some(list) = unit.program() {
            return self.measure_whole(unit, &list, known);
        }
        let mut rows = self.weigh(unit)?;
        let weighed = rows.len();
        if let Some(cause) = self.time(unit, known, &mut rows)? {
            // The weight of a wrong image is no figure either.
            for row in &mut rows[..weighed] {
                if row.status == Status::Ok {
                    *row = row.clone().without(cause.clone());
                }
            }
        }
        Ok(rows)
    }

    /// Cycles, time, stack, CPU share and instructions. Says why the image is wrong, if it is.
    fn time(
        &self,
        unit: &Unit<'_>,
        known: Known<'_>,
        rows: &mut Vec<Row>,
    ) -> Result<Option<Cause>> {
        let plan = self.plan(unit, rows);
        // Memory alone is not worth a figure either if the image is wrong, or could not be
        // checked within the limit.
        let as_kept = |row: &Row| known(row).filter(|kept| kept.status == Status::OverLimit);
        let kept = |row: &Row| known(row).is_some_and(|kept| kept.status == row.status);
        let unchecked = rows.iter().any(|row| !kept(row) && as_kept(row).is_none());
        let keep_all = |rows: &mut Vec<Row>| {
            for row in rows {
                *row = as_kept(row).unwrap_or_else(|| row.clone());
            }
        };
        if !unchecked && plan.is_empty() {
            keep_all(rows);
            return Ok(None);
        }
        let image = match self.agent_image(unit)? {
            Ok(image) => image,
            Err((firmware, cause)) => {
                let of = Of::image(unit, &firmware);
                rows.extend(self.failed(of, &plan.operations, &plan.metrics, &cause));
                return Ok(None);
            }
        };
        if !unchecked && let Some(earlier) = self.earlier_any(unit, &plan, &image, known)? {
            keep_all(rows);
            rows.extend(earlier);
            return Ok(None);
        }
        self.run(unit, &plan, &image, rows)
    }

    /// Checks an image, times its operations, and checks it again.
    fn run(
        &self,
        unit: &Unit<'_>,
        plan: &plan::Plan,
        image: &Image,
        rows: &mut Vec<Row>,
    ) -> Result<Option<Cause>> {
        let of = Of::image(unit, &image.sha256);
        let fail = |cause: &Cause| self.failed(of, &plan.operations, &plan.metrics, cause);
        let mut bench = Bench::new(self, unit, image);
        if let Err(error) = bench.start() {
            rows.extend(fail(&self.outcome(unit, error)?));
            return Ok(None);
        }
        if let Some(cause) = bench.check()? {
            rows.extend(fail(&cause));
            return Ok(Some(cause));
        }
        let (timed, wrapped) = bench.time(plan)?;
        if let Some(cause) = bench.check_again()? {
            rows.extend(fail(&cause));
            return Ok(Some(cause));
        }
        drop(bench);
        rows.extend(timed);
        self.time_in_steps(unit, wrapped, &plan.metrics, rows)?;
        Ok(None)
    }

    /// Cycles, or instructions, that one call of a unit may take.
    pub(crate) fn limit(&self, unit: &Unit<'_>) -> u64 {
        let of_algorithm = unit.algorithm.limit;
        let of_algorithm = of_algorithm.map(|millions| millions.saturating_mul(1_000_000));
        self.cycle_limit.or(of_algorithm).unwrap_or(CYCLE_LIMIT)
    }

    /// A call that its runner stopped at the limit.
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

    /// What a failed operation means for its row. Errors of the machine pass through.
    pub(crate) fn outcome(&self, unit: &Unit<'_>, error: Error) -> Result<Cause> {
        match error {
            Error::Stopped(stop) => {
                let text = stop.to_string();
                Ok(if text.contains("stack-collision") {
                    Cause::StackCollision { stop }
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

    /// Instructions and modelled cycles of one operation, the means of its samples: for
    /// the calibration of the model.
    pub fn modelled(
        &self,
        unit: &Unit<'_>,
        operation: &str,
        bytes: Option<u32>,
    ) -> Result<Option<(f64, f64)>> {
        let image = self.builder.agent(unit)?;
        let mut bench = Bench::new(self, unit, &image);
        bench.start()?;
        let samples = bench.samples(&Operation::new(operation, bytes))?;
        let model = self.project.model(self.board);
        let mean = |pick: &dyn Fn(&run::Sample) -> Option<f64>| {
            let values: Option<Vec<f64>> = samples.iter().map(pick).collect();
            Some(selo_base::stats::summarise(&values?)?.mean)
        };
        let cycles = |sample: &run::Sample| model?.cycles_of_classes(sample.classes.as_ref()?);
        Ok(mean(&|s| s.instructions).zip(mean(&cycles)))
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

/// Bytes that depend only on what they are for, so that every run, variant and
/// runner sees the same inputs.
pub fn rng_for(purpose: &str, sample: u64) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update(sample.to_le_bytes());
    ChaCha8Rng::from_seed(hash.finalize().into())
}

/// Whether a call over the limit is no fault: the user or the algorithm named that limit. At one
/// that nobody named, a call hangs.
pub fn excuses_limit(cycle_limit: Option<u64>, algorithm: &Algorithm) -> bool {
    cycle_limit.is_some() || algorithm.limit.is_some()
}

/// The default folder of a board's rows. Libraries that test the instrument have
/// one of their own, so that no report shows them beside real ones.
pub fn default_folder(project: &Project, board: &Board, units: &[Unit<'_>]) -> PathBuf {
    let testing = units.iter().any(|unit| unit.library.test_only);
    // Reports take one row of each measurement: real boards shall not stand in for
    // simulated ones unasked.
    let parent = match (testing, board.runner == SERIAL) {
        (true, _) => "out/instrument",
        (false, true) => "out/serial",
        (false, false) => "out/lab",
    };
    project.root.join(parent).join(&board.name)
}
