//! Operations that are too long for a board's counter. They are measured again with images whose
//! counter advances once in several cycles. The figure is then exact to one step, and its row says
//! so.

use super::lab::{Known, Lab, Of};
use super::plan::{Operation, Plan};
use super::run::Bench;
use crate::board::SERIAL;
use crate::build::Image;
use crate::error::{Error, Result};
use crate::library::Unit;
use crate::row::{Cause, Fidelity, Metric, Note, Row};

impl Lab<'_> {
    /// The slower counters that the board's port supports, in cycles for each tick, with the define
    /// that selects each.
    fn steps(&self) -> impl Iterator<Item = (u32, [String; 1])> {
        let serial = self.board.serial.as_ref().filter(|_| self.runner == SERIAL);
        let divider = serial.and_then(|serial| serial.divider.as_ref());
        let values = divider.into_iter().flat_map(|divider| {
            let define = move |step: &u32| (*step, [format!("-D{}={step}", divider.define)]);
            divider.values.iter().skip(1).map(define)
        });
        values.collect::<Vec<_>>().into_iter()
    }

    /// Measures the operations for which the counter is too narrow, with slower and slower
    /// counters. Each image is checked before and after, as the first one was.
    pub(super) fn time_in_steps(
        &self,
        unit: &Unit<'_>,
        mut left: Vec<Operation>,
        metrics: &[Metric],
        rows: &mut Vec<Row>,
    ) -> Result<()> {
        for (step, define) in self.steps() {
            if left.is_empty() {
                return Ok(());
            }
            let image = self.builder.agent_with(unit, &define)?;
            let mut bench = Bench::new(self, unit, &image);
            let timed = match bench.time_in_step(step, &mut left, metrics) {
                Ok(timed) => timed,
                Err(error) => Err(self.outcome(unit, error)?),
            };
            match timed {
                Ok(timed) => rows.extend(timed),
                Err(cause) => {
                    let of = Of::image(unit, &image.sha256);
                    rows.extend(self.failed(of, &left, metrics, &cause));
                    return Ok(());
                }
            }
        }
        let narrow = Cause::CounterTooNarrow;
        rows.extend(self.failed(Of::none(unit), &left, metrics, &narrow));
        Ok(())
    }

    /// Does the same as [`Lab::earlier`], but also accepts rows of a slower counter.
    pub(super) fn earlier_any(
        &self,
        unit: &Unit<'_>,
        plan: &Plan,
        image: &Image,
        known: Known<'_>,
    ) -> Result<Option<Vec<Row>>> {
        let mut rows = Vec::new();
        for operation in &plan.operations {
            let one = std::slice::from_ref(operation);
            let of = Of::image(unit, &image.sha256);
            let mut found = self.earlier(of, one, &plan.metrics, known);
            for (_, define) in self.steps() {
                if found.is_some() {
                    break;
                }
                let image = self.builder.agent_with(unit, &define)?;
                let of = Of::image(unit, &image.sha256);
                found = self.earlier(of, one, &plan.metrics, &|blank| {
                    let mut blank = blank.clone();
                    if is_counted(blank.metric) {
                        blank.fidelity = Fidelity::CycleSteps;
                    }
                    known(&blank)
                });
            }
            match found {
                Some(found) => rows.extend(found),
                None => return Ok(None),
            }
        }
        Ok(Some(rows))
    }
}

impl Bench<'_> {
    /// Times the operations that fit this image's counter, and removes them from `left`. If the
    /// image is wrong, `left` stays unchanged.
    fn time_in_step(
        &mut self,
        step: u32,
        left: &mut Vec<Operation>,
        metrics: &[Metric],
    ) -> Result<std::result::Result<Vec<Row>, Cause>> {
        self.start()?;
        let of = Of::image(self.unit, &self.image.sha256);
        let (mut rows, mut still, mut checked) = (Vec::new(), Vec::new(), false);
        for operation in left.iter() {
            // One sample is enough to see that the counter is still too narrow. Do this before the
            // check.
            let calls = self.calls(&operation.name, operation.bytes.unwrap_or(0))?;
            match self.sample(&calls, &operation.name, 0, 1) {
                Err(Error::Wrapped(_)) => {
                    still.push(operation.clone());
                    continue;
                }
                Err(error) => return Err(error),
                Ok(_) => {}
            }
            if !checked {
                if let Some(cause) = self.check()? {
                    return Ok(Err(cause));
                }
                checked = true;
            }
            let samples = self.samples(operation)?;
            let mut of_one = self.lab.rows_of(of, operation, metrics, &samples);
            in_steps(step, &mut of_one);
            rows.extend(of_one);
        }
        if checked && let Some(cause) = self.check_again()? {
            return Ok(Err(cause));
        }
        *left = still;
        Ok(Ok(rows))
    }
}

/// Sets the fidelity of rows from a slower counter, and adds a note.
fn in_steps(step: u32, rows: &mut [Row]) {
    for row in rows {
        if is_counted(row.metric) && row.value.is_some() {
            row.fidelity = Fidelity::CycleSteps;
            row.notes.push(Note::Steps { cycles: step });
        }
    }
}

/// True if the metric comes from a cycle counter.
fn is_counted(metric: Metric) -> bool {
    matches!(metric, Metric::Cycles | Metric::Time)
}
