//! Whole firmwares: units that are complete programs instead of library calls. Something must play
//! the other side (a gateway, the air). The lab knows the other sides only through [`Whole`]; its
//! caller provides them ([`Lab::whole`]).

use std::path::Path;

use super::build::{Built, refused};
use super::lab::{Known, Lab, Of};
pub use super::lab::{Played, Role, Seen, Whole};
use super::marks::Marks;
use super::plan::Operation;
use crate::build::Image;
use crate::error::{Error, Result};
use crate::library::Unit;
use crate::row::{Basis, Cause, Metric, Row};
use crate::runner::PACED;
use selo_base::stats;

/// The wanted operations of a unit, each with its wanted metrics.
type Wanted = Vec<(Role, Operation, Vec<Metric>)>;

/// The empty program for comparison, and the images of a firmware.
type Images = (Image, Vec<Image>);

impl Lab<'_> {
    /// The other side for a unit. Fails if there is none.
    pub(crate) fn other_side(&self, unit: &Unit<'_>) -> Result<&dyn Whole> {
        let interface = unit.algorithm.interface;
        let mut sides = self.whole.iter();
        let found = sides.find(|side| side.interface() == interface);
        found.copied().ok_or_else(|| Error::Runner {
            runner: self.runner.clone(),
            message: format!("no other side is registered for {}", unit.label()),
        })
    }

    /// Rows of a whole firmware.
    pub(super) fn measure_whole(
        &self,
        unit: &Unit<'_>,
        list: &Path,
        known: Known<'_>,
    ) -> Result<Vec<Row>> {
        let side = self.other_side(unit)?;
        let wanted = self.wanted(side, unit);
        let fail = |firmware: &str, cause: &Cause| {
            let of = Of::image(unit, firmware);
            let rows = wanted.iter().flat_map(|(_, operation, metrics)| {
                self.failed(of, std::slice::from_ref(operation), metrics, cause)
            });
            rows.collect()
        };
        let (empty, images) = match self.build_firmware(side, unit, list)? {
            Ok(images) => images,
            Err((firmware, cause)) => return Ok(fail(&firmware, &cause)),
        };
        if let Some(earlier) = self.earlier_whole(unit, &wanted, &images, known) {
            return Ok(earlier);
        }
        let played = match side.play(self, unit, &images) {
            Ok(played) => played,
            Err(error) => return Ok(fail(&images[0].sha256, &self.outcome(unit, error)?)),
        };
        let nothing = Seen::default();
        let mut rows = Vec::new();
        for (role, operation, metrics) in &wanted {
            let image = &images[role.image];
            let seen = played.operations.get(role.operation).unwrap_or(&nothing);
            let of = Of::image(unit, &image.sha256);
            for &metric in metrics {
                rows.extend(match metric {
                    Metric::Flash => vec![self.grown(of, operation, metric, (image, &empty))],
                    Metric::Ram => vec![self.grown(of, operation, metric, (image, &empty))],
                    _ => self.rows_of_seen(of, operation, metric, seen),
                });
            }
        }
        Ok(rows)
    }

    /// The wanted operations of a unit.
    fn wanted(&self, side: &dyn Whole, unit: &Unit<'_>) -> Wanted {
        let interface = unit.algorithm.interface;
        let roles = side.operations(unit).into_iter();
        let roles = roles.filter(|role| self.wants_operation(role.operation));
        let with_metrics = roles.map(|role| {
            let sized = interface.takes_message(role.operation);
            let bytes = unit.algorithm.bytes.first().copied().filter(|_| sized);
            let mut metrics = self.measured();
            metrics.retain(|metric| role.metrics.contains(metric));
            let operation = Operation::new(role.operation, bytes);
            (role, operation, metrics)
        });
        with_metrics.collect()
    }

    /// Builds the images of a whole firmware. A cause if one does not build or fit, or if the
    /// runner has no paced mode.
    fn build_firmware(
        &self,
        side: &dyn Whole,
        unit: &Unit<'_>,
        list: &Path,
    ) -> Result<Built<Images>> {
        let built = self
            .builder
            .empty_program(unit, list)
            .and_then(|empty| Ok((empty, side.images(&self.builder, unit, list)?)));
        let (empty, images) = match refused(built)? {
            Ok(images) => images,
            Err(cause) => return Ok(Err((String::new(), cause))),
        };
        for image in &images {
            if let Some(cause) = self.excess_of(&image.weight) {
                return Ok(Err((image.sha256.clone(), cause)));
            }
        }
        if self.runner != PACED {
            let firmware = images.first().map(|image| image.sha256.clone());
            let runner = PACED.to_owned();
            let cause = Cause::NeedsRunner { runner };
            return Ok(Err((firmware.unwrap_or_default(), cause)));
        }
        Ok(Ok((empty, images)))
    }

    /// The rows of an earlier run, if it has all of them.
    fn earlier_whole(
        &self,
        unit: &Unit<'_>,
        wanted: &Wanted,
        images: &[Image],
        known: Known<'_>,
    ) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for (role, operation, metrics) in wanted {
            let of = Of::image(unit, &images[role.image].sha256);
            let one = std::slice::from_ref(operation);
            rows.extend(self.earlier(of, one, metrics, known)?);
        }
        Some(rows)
    }

    /// A row of flash or static RAM: the growth of an image over the empty program.
    fn grown(
        &self,
        of: Of<'_>,
        operation: &Operation,
        metric: Metric,
        (image, empty): (&Image, &Image),
    ) -> Row {
        let (with, without) = match metric {
            Metric::Flash => (image.weight.flash, empty.weight.flash),
            _ => (image.weight.ram, empty.weight.ram),
        };
        let row = self.blank(of, operation, metric);
        row.exactly(with.saturating_sub(without) as f64)
    }

    fn rows_of_seen(
        &self,
        of: Of<'_>,
        operation: &Operation,
        metric: Metric,
        seen: &Seen,
    ) -> Vec<Row> {
        let row = || self.blank(of, operation, metric);
        match (metric, seen.stack) {
            (Metric::Stack, Some(stack)) => return vec![row().exactly(stack as f64)],
            (Metric::Rate, _) => return vec![row().sampled(&seen.rates, true)],
            (Metric::Time, _) if !seen.on_air.is_empty() => {
                return vec![row().sampled(&seen.on_air, true)];
            }
            _ => {}
        }
        // A whole firmware is not called between marks.
        let marks = Marks::default();
        let spans = seen.spans.iter();
        let samples: Vec<_> = spans
            .map(|span| marks.sample_of(self.board, span))
            .collect();
        let mut rows = self.rows_of(of, operation, &[metric], &samples);
        if let (Metric::Time, Some(sending)) = (metric, seen.sending) {
            let awake = samples.iter().map(|sample| {
                let seconds = sample.seconds.unwrap_or(0.0);
                seconds * sample.cpu_share.unwrap_or(100.0) / 100.0
            });
            let awake: Vec<f64> = awake.collect();
            for row in &mut rows {
                let awake = awake.clone();
                row.basis = Some(Basis::Packet { awake, sending });
            }
        }
        rows
    }
}

/// The mean air time of packets, in seconds.
pub fn mean(seconds: &[f64]) -> f64 {
    stats::summarise(seconds).map_or(0.0, |summary| summary.mean)
}
