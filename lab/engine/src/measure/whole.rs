//! Whole firmwares: units that are no call of a library but a program of their own. Somebody
//! has to play the other side to them (a gateway, the air); the lab knows the sides only by
//! [`Whole`], and its caller hands them in ([`Lab::whole`]).

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

use super::build::{Built, refused};
use super::plan::Operation;
use super::{Known, Lab, Of};
use crate::build::{Builder, Image};
use crate::error::{Error, Result};
use crate::interface::Interface;
use crate::library::Unit;
use crate::row::{Basis, Cause, Metric, Row};
use crate::runner::{PACED, Span};
use selo_base::stats;

/// The other side of a kind of whole firmware.
pub trait Whole: Debug + Sync {
    /// The interface of the units that it plays to.
    fn interface(&self) -> Interface;

    /// The source of its lines of conformance.
    fn source(&self) -> &'static str;

    /// The images that it needs of a unit, whose list of sources is at `list`.
    fn images(&self, builder: &Builder<'_>, unit: &Unit<'_>, list: &Path) -> Result<Vec<Image>>;

    /// The operations of a unit of which it gives figures, in the order of their rows.
    fn operations(&self, unit: &Unit<'_>) -> Vec<Role>;

    /// Lets the images run, and plays to them. A firmware that breaks its protocol is an
    /// [`Error::Node`].
    fn play(&self, lab: &Lab<'_>, unit: &Unit<'_>, images: &[Image]) -> Result<Played>;
}

/// An operation of a whole firmware.
#[derive(Clone, Debug)]
pub struct Role {
    pub operation: &'static str,
    /// Index of its image among those of [`Whole::images`].
    pub image: usize,
    /// The metrics that it has, if they are wanted.
    pub metrics: &'static [Metric],
}

/// What was seen of the images.
#[derive(Clone, Debug, Default)]
pub struct Played {
    /// How often the two sides agreed.
    pub agreed: u64,
    pub operations: BTreeMap<&'static str, Seen>,
}

/// What was seen of an operation.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Its runs on the chip, marks subtracted.
    pub spans: Vec<Span>,
    /// The deepest stack from the end of the RAM, if it is that of the whole firmware; else the
    /// spans have it.
    pub stack: Option<u64>,
    /// Packets a second.
    pub rates: Vec<f64>,
    /// Seconds of each packet on the air, if the operation is nothing else.
    pub on_air: Vec<f64>,
    /// Of a packet: the seconds for which the radio sends it; 0 where it is received.
    pub sending: Option<f64>,
}

/// Operations of a unit that are wanted, each with the metrics that are.
type Wanted = Vec<(Role, Operation, Vec<Metric>)>;

/// The images of a firmware, and the empty program that they are weighed against.
type Images = (Image, Vec<Image>);

impl Lab<'_> {
    /// Who plays the other side to a unit.
    pub(crate) fn other_side(&self, unit: &Unit<'_>) -> Result<&dyn Whole> {
        let interface = unit.algorithm.interface;
        let mut sides = self.whole.iter();
        let found = sides.find(|side| side.interface() == interface);
        found.copied().ok_or_else(|| Error::Runner {
            runner: self.runner.clone(),
            message: format!("nobody plays the other side to {}", unit.label()),
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

    /// The operations of a unit that are wanted.
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

    /// Builds the images of a whole firmware.
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

    /// The rows of an earlier run, if it has all.
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

    /// Flash or static RAM of an image above those of the empty program.
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
        let samples: Vec<_> = seen.spans.iter().map(|span| self.sample_of(span)).collect();
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

/// The mean of the times of packets on the air.
pub fn mean(seconds: &[f64]) -> f64 {
    stats::summarise(seconds).map_or(0.0, |summary| summary.mean)
}
