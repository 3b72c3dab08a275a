//! Measures one unit: the only place where rows are built.
//!
//! ```text
//! unit -> plan: wanted operations, sizes and metrics
//!      -> build: images; their flash and RAM rows, or a cause
//!      -> check: official vectors before the timing
//!      -> run: samples of each operation (steps: again, with a slower counter)
//!      -> check: the same vectors after the timing
//!      -> rows: figures of the samples, or the cause why there are none
//! ```
//!
//! Correctness comes before speed: an image is checked against official vectors before and after
//! the timing. A failure is a row with a cause, never a number. Whole firmwares take another path:
//! [`whole`] plays the other side.

mod build;
mod check;
mod lab;
mod marks;
mod plan;
mod published;
mod room;
mod rows;
mod run;
mod sample;
mod steps;
pub mod whole;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::algorithm::Algorithm;
use crate::board::{Board, SERIAL};
use crate::build::Image;
use crate::error::Result;
use crate::library::Unit;
use crate::project::Project;
use crate::row::{Cause, Row, Status};

pub use crate::metrics::{default_metrics, never_given};
pub(crate) use build::{is_too_large, overflow};
pub use check::describe;
pub(crate) use lab::Of;
pub use lab::{CYCLE_LIMIT, Known, Lab, rng_for};
pub use plan::Operation;
pub(crate) use room::lacks_room;
use run::Bench;

impl Lab<'_> {
    /// Measures one unit. Problems of the unit become rows with a cause; only errors of the machine
    /// (no compiler, no runner, full disk) are returned.
    ///
    /// If `known` has a row for the same measurement of the same image, that row is reused.
    pub fn measure(&self, unit: &Unit<'_>, known: Known<'_>) -> Result<Vec<Row>> {
        // A call that exceeded an earlier limit may fit within the current one.
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
            // The flash and RAM of a wrong image count no more than its times.
            for row in &mut rows[..weighed] {
                if row.status == Status::Ok {
                    *row = row.clone().without(cause.clone());
                }
            }
        }
        self.count_heap(unit, known, &mut rows)?;
        Ok(rows)
    }

    /// Adds rows of the heap. They come from an image of their own, because counting takes time.
    fn count_heap(&self, unit: &Unit<'_>, known: Known<'_>, rows: &mut Vec<Row>) -> Result<()> {
        let plan = self.plan_of_heap(unit, rows);
        if plan.is_empty() {
            return Ok(());
        }
        let failed = |firmware: &str, cause: &Cause| {
            let of = Of::image(unit, firmware);
            self.failed(of, &plan.operations, &plan.metrics, cause)
        };
        let Some(built) = self.builder.agent_with_heap(unit) else {
            rows.extend(failed("", &Cause::NotCounted));
            return Ok(());
        };
        let image = match self.agent_image_of(built)? {
            Ok(image) => image,
            Err((firmware, cause)) => {
                rows.extend(failed(&firmware, &cause));
                return Ok(());
            }
        };
        let of = Of::image(unit, &image.sha256);
        match self.earlier(of, &plan.operations, &plan.metrics, known) {
            Some(earlier) => rows.extend(earlier),
            None => {
                self.run(unit, &plan, &image, rows)?;
            }
        }
        Ok(())
    }

    /// Adds rows of cycles, time, stack, CPU share and instructions. Returns the cause if the image
    /// is wrong.
    fn time(
        &self,
        unit: &Unit<'_>,
        known: Known<'_>,
        rows: &mut Vec<Row>,
    ) -> Result<Option<Cause>> {
        let plan = self.plan(unit, rows);
        // Even if only flash and RAM are wanted, the image must be checked: the sizes of a wrong
        // image, or of one that could not be checked within the limit, do not count.
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
        self.run_in_room(unit, &plan, &image, rows)
    }

    /// Does the same as [`Lab::run`]. If calls ran out of memory, the operations are timed again
    /// with smaller buffers of the agent.
    fn run_in_room(
        &self,
        unit: &Unit<'_>,
        plan: &plan::Plan,
        image: &Image,
        rows: &mut Vec<Row>,
    ) -> Result<Option<Cause>> {
        let mut timed = Vec::new();
        let mut cause = self.run(unit, plan, image, &mut timed)?;
        for bytes in self.buffers().skip(1) {
            let lacking = |row: &&Row| row.cause.as_ref().is_some_and(Cause::is_lack_of_memory);
            if !timed.iter().any(|row| lacking(&row)) {
                break;
            }
            let Ok(smaller) = self.builder.agent_with_buffers(unit, bytes) else {
                break;
            };
            let fitting = plan.fitting(bytes);
            let mut again = Vec::new();
            let cause_again = self.run(unit, &fitting, &smaller, &mut again)?;
            // Only what had no room and now has a figure is replaced: a crash stays a crash, and
            // what does not fit the smaller buffers stays as it was.
            let call = |row: &Row| (row.operation.clone(), row.bytes);
            let lacked: BTreeSet<_> = timed.iter().filter(lacking).map(call).collect();
            let has_room: BTreeSet<_> = again
                .iter()
                .filter(|row| row.value.is_some() && lacked.contains(&call(row)))
                .map(call)
                .collect();
            if !has_room.is_empty() {
                timed.retain(|row| !has_room.contains(&call(row)));
                timed.extend(
                    again
                        .into_iter()
                        .filter(|row| has_room.contains(&call(row))),
                );
                cause = cause_again;
            }
        }
        rows.extend(timed);
        Ok(cause)
    }

    /// Checks an image, times its operations, and checks it again. Returns the cause if a check
    /// fails.
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

    /// Mean instructions and mean modelled cycles of one operation, for the calibration of the
    /// model. `None` if the runner or the model does not give both.
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
        let mean = |pick: &dyn Fn(&sample::Sample) -> Option<f64>| {
            let values: Option<Vec<f64>> = samples.iter().map(pick).collect();
            Some(selo_base::stats::summarise(&values?)?.mean)
        };
        let cycles = |sample: &sample::Sample| model?.cycles_of_classes(sample.classes.as_ref()?);
        Ok(mean(&|s| s.instructions).zip(mean(&cycles)))
    }
}

/// True if a call over the limit is not a fault, because the user or the algorithm set the limit.
/// At the default limit, such a call is a hang.
pub fn excuses_limit(cycle_limit: Option<u64>, algorithm: &Algorithm) -> bool {
    cycle_limit.is_some() || algorithm.limit.is_some()
}

/// The default folder of a board's rows. Libraries that test the instrument have a folder of their
/// own, so that no report shows them beside real ones.
pub fn default_folder(project: &Project, board: &Board, units: &[Unit<'_>]) -> PathBuf {
    let testing = units.iter().any(|unit| unit.library.test_only);
    // Reports take one row of each measurement. Rows of real boards must not replace simulated ones
    // unless the user asks.
    let parent = match (testing, board.runner == SERIAL) {
        (true, _) => "out/instrument",
        (false, true) => "out/serial",
        (false, false) => "out/lab",
    };
    project.root.join(parent).join(&board.name)
}
