//! Operations that are too long for a board's counter: measured again by images whose
//! counter steps over cycles. The figure is then exact to a step, and its row says so.

use super::{Bench, Lab};
use crate::build::Image;
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::Unit;
use crate::row::cause::Step;
use crate::row::{Cause, Fidelity, Metric, Note, Row};
use crate::runner::SERIAL;

impl Lab<'_> {
    /// The slower counters that the board's port can be built with, in cycles a tick.
    fn steps(&self) -> impl Iterator<Item = (u32, [String; 1])> {
        let serial = self.board.serial.as_ref().filter(|_| self.runner == SERIAL);
        let divider = serial.and_then(|serial| serial.divider.as_ref());
        let values = divider.into_iter().flat_map(|divider| {
            let define = move |step: &u32| (*step, [format!("-D{}={step}", divider.define)]);
            divider.values.iter().skip(1).map(define)
        });
        values.collect::<Vec<_>>().into_iter()
    }

    /// Operations for which the counter is too narrow: with slower and slower ones. Each
    /// image is checked before and after, as the first was.
    pub(super) fn time_in_steps(
        &self,
        unit: &Unit<'_>,
        wanted: &[(String, Option<u32>)],
        metrics: &[Metric],
        rows: &mut Vec<Row>,
    ) -> Result<()> {
        let mut left = wanted.to_vec();
        for (step, define) in self.steps() {
            if left.is_empty() {
                return Ok(());
            }
            let image = self.builder.agent_with(unit, &define)?;
            let mut bench = Bench::new(self, unit, &image);
            let mut timed = Vec::new();
            let failure = bench.time_in_step(step, &mut left, metrics, &mut timed);
            let failure = match failure {
                Ok(failure) => failure,
                Err(error) => Some(self.outcome(unit, error)?),
            };
            match failure {
                None => rows.extend(timed),
                Some(cause) => {
                    let sha256 = &image.sha256;
                    self.fail_all(unit, &left, metrics, sha256, &cause, rows);
                    return Ok(());
                }
            }
        }
        self.fail_all(unit, &left, metrics, "", &Cause::CounterTooNarrow, rows);
        Ok(())
    }

    /// Says in rows of a slow counter that it is one.
    fn in_steps(&self, step: u32, rows: &mut [Row]) {
        for row in rows {
            if is_counted(row.metric) && row.value.is_some() {
                row.fidelity = Fidelity::CycleSteps;
                row.notes.push(Note::Steps { cycles: step });
            }
        }
    }

    /// [`Lab::earlier`], where an operation may have been measured with a slower counter.
    pub(super) fn earlier_any(
        &self,
        unit: &Unit<'_>,
        wanted: &[(String, Option<u32>)],
        metrics: &[Metric],
        image: &Image,
        known: &dyn Fn(&Row) -> Option<Row>,
    ) -> Result<Option<Vec<Row>>> {
        let mut rows = Vec::new();
        for one in wanted {
            let one = std::slice::from_ref(one);
            let mut found = self.earlier(unit, one, metrics, image, known);
            for (_, define) in self.steps() {
                if found.is_some() {
                    break;
                }
                let image = self.builder.agent_with(unit, &define)?;
                found = self.earlier(unit, one, metrics, &image, &|blank| {
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
    /// Times what the counter of this image can hold, and takes it off the list; if the
    /// image is wrong, everything stays there.
    fn time_in_step(
        &mut self,
        step: u32,
        left: &mut Vec<(String, Option<u32>)>,
        metrics: &[Metric],
        rows: &mut Vec<Row>,
    ) -> Result<Option<Cause>> {
        self.start()?;
        let (mut still, mut checked) = (Vec::new(), false);
        for (operation, bytes) in left.iter() {
            // One look is enough to see that the next step is needed, before all else.
            let plan = match self.unit.algorithm.interface {
                Interface::Probe => Vec::new(),
                _ => self.plan(operation, bytes.unwrap_or(0))?,
            };
            match self.sample(&plan, operation, 0, 1) {
                Err(Error::Wrapped(_)) => {
                    still.push((operation.clone(), *bytes));
                    continue;
                }
                Err(error) => return Err(error),
                Ok(_) => {}
            }
            if !checked {
                if let Some(failure) = self.check()? {
                    return Ok(Some(failure));
                }
                checked = true;
            }
            let samples = self.samples(operation, *bytes)?;
            let mut of_one = Vec::new();
            let (unit, image) = (self.unit, self.image);
            self.lab.rows_of(
                unit,
                operation,
                *bytes,
                metrics,
                image,
                &samples,
                &mut of_one,
            );
            self.lab.in_steps(step, &mut of_one);
            rows.extend(of_one);
        }
        if checked && let Some(cause) = self.check()? {
            return Ok(Some(cause.at(Step::AfterTiming)));
        }
        *left = still;
        Ok(None)
    }
}

/// Whether a metric comes from a counter of cycles.
fn is_counted(metric: Metric) -> bool {
    matches!(metric, Metric::Cycles | Metric::Time | Metric::Energy)
}
