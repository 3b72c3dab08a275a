//! The last stage: makes rows from samples, from causes, and from an earlier run.

use super::lab::{Known, Lab, Of};
use super::plan::Operation;
use super::sample::Sample;
use crate::algorithm::Algorithm;
use crate::interface::Interface;
use crate::library::Unit;
use crate::row::cause::Taken;
use crate::row::{Basis, Cause, Fidelity, INSTRUCTIONS, Metric, Note, Path, Row, SCHEMA, Status};

/// Adds what a row of this metric has beside its figure.
fn annotate(row: &mut Row, algorithm: &Algorithm, operation: &str, samples: &[Sample]) {
    if row.metric == Metric::Instructions {
        row.basis = paths(samples);
        if algorithm.interface.keeps_parts() {
            row.notes.extend(hashing(samples));
        }
    }
    if row.metric == Metric::Heap {
        let left = samples.iter().filter_map(|sample| sample.heap_left);
        row.notes
            .extend(left.max().map(|bytes| Note::HeapLeft { bytes }));
    }
    if algorithm.is_search(operation) && row.metric != Metric::Stack {
        row.notes.push(Note::Seeds { count: row.samples });
    }
}

impl Lab<'_> {
    /// Rows of one operation: one row for each sampled metric, with figures or a cause.
    pub(super) fn rows_of(
        &self,
        of: Of<'_>,
        operation: &Operation,
        metrics: &[Metric],
        samples: &[Sample],
    ) -> Vec<Row> {
        let algorithm = of.unit.algorithm;
        // The timer interrupts a whole firmware, so its cycles vary without any meaning.
        let exact = self.board.fidelity.is_deterministic() && of.unit.program().is_none();
        let spread = if exact { spread(samples) } else { None };
        let kept: Vec<Sample>;
        let samples = match samples.iter().any(|sample| sample.repeats_public) {
            false => samples,
            true => {
                let kept_of = samples.iter().filter(|sample| !sample.repeats_public);
                kept = kept_of.cloned().collect();
                &kept[..]
            }
        };
        let steady = samples
            .iter()
            .all(|s| s.took().is_some() && s.took() == samples[0].took());
        let mut rows = Vec::new();
        for &metric in metrics {
            let Some(pick) = picked(metric) else { continue };
            let row = self.blank(of, operation, metric);
            let values: Option<Vec<f64>> = samples.iter().map(pick).collect();
            let Some(values) = values else {
                rows.push(row.without(Cause::NotCounted));
                continue;
            };
            let mut row = match metric {
                Metric::Stack | Metric::Heap => row.deepest(&values),
                _ => row.sampled(&values, exact || steady),
            };
            annotate(&mut row, algorithm, &operation.name, samples);
            let timed = matches!(metric, Metric::Cycles | Metric::Time | Metric::Instructions);
            if timed && let Some(spread) = &spread {
                row.status = Status::VariableTime;
                row.cause = Some(spread.clone());
            } else if timed
                && exact
                && !steady
                && algorithm.interface.draws_public_keys()
                && !algorithm.is_search(&operation.name)
            {
                row.notes.push(Note::PublicKeys { count: row.samples });
            }
            rows.push(row);
        }
        rows
    }

    /// Rows with a cause instead of a figure.
    pub(super) fn failed(
        &self,
        of: Of<'_>,
        operations: &[Operation],
        metrics: &[Metric],
        cause: &Cause,
    ) -> Vec<Row> {
        let rows = operations.iter().flat_map(|operation| {
            let row = move |&metric: &Metric| self.blank(of, operation, metric);
            metrics.iter().map(row)
        });
        rows.map(|row| row.without(cause.clone())).collect()
    }

    /// The rows of an earlier run, if it has all wanted rows of this same image.
    pub(super) fn earlier(
        &self,
        of: Of<'_>,
        operations: &[Operation],
        metrics: &[Metric],
        known: Known<'_>,
    ) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for operation in operations {
            for &metric in metrics {
                let blank = self.blank(of, operation, metric);
                let row = known(&blank)?;
                // Rows of schema 1 lack the basis for derived rows.
                if row.value.is_some() && row.basis.is_none() && self.needs_basis(&row, of.unit) {
                    return None;
                }
                let power = blank.power;
                rows.push(Row { power, ..row });
            }
        }
        Some(rows)
    }

    /// True if energies or cycles are derived from more than the row's value.
    fn needs_basis(&self, row: &Row, unit: &Unit<'_>) -> bool {
        let interface = unit.algorithm.interface;
        match row.metric {
            Metric::Instructions => self.board.fidelity == Fidelity::Instructions,
            Metric::Time => interface == Interface::Node && interface.is_packet(&row.operation),
            _ => false,
        }
    }

    /// A row complete except for its value.
    pub(crate) fn blank(&self, of: Of<'_>, operation: &Operation, metric: Metric) -> Row {
        let unit = of.unit;
        let interface = unit.algorithm.interface;
        let fidelity = interface.fidelity(&operation.name, metric);
        let usual = self.board.power.first().map(|power| &power.name);
        let power = self.power.as_ref().map(|power| &power.name);
        let makes_energy = matches!(metric, Metric::Time | Metric::Instructions);
        Row {
            schema: SCHEMA.to_owned(),
            run: self.run.clone(),
            board: self.board.name.clone(),
            mcu: self.board.mcu.clone(),
            clock_hz: self.board.clock_hz,
            runner: self.runner.clone(),
            fidelity: fidelity.unwrap_or(self.board.fidelity),
            compiler: self.builder.compiler().to_owned(),
            flags: self.builder.flags(unit).join(" "),
            library: unit.library.name.clone(),
            library_version: unit.library.version.clone(),
            algorithm: unit.algorithm.name.clone(),
            variant: unit.variant.to_owned(),
            sweep: self.builder.sweep().map(str::to_owned),
            operation: operation.name.clone(),
            bytes: operation.bytes,
            metric,
            unit: metric.unit().to_owned(),
            value: None,
            samples: 0,
            min: None,
            max: None,
            mean: None,
            sd: None,
            ci95: None,
            status: Status::Ok,
            cause: None,
            notes: Vec::new(),
            basis: None,
            power: power.filter(|_| makes_energy && power != usual).cloned(),
            firmware_sha256: of.firmware.to_owned(),
            commit: self.commit.clone(),
        }
    }
}

/// The function that picks a metric from a sample; `None` for metrics that are not sampled.
fn picked(metric: Metric) -> Option<fn(&Sample) -> Option<f64>> {
    match metric {
        Metric::Cycles => Some(|s| s.cycles),
        Metric::Time => Some(|s| s.seconds),
        Metric::Instructions => Some(|s| s.instructions),
        Metric::Stack => Some(|s| s.stack),
        Metric::CpuShare => Some(|s| s.cpu_share),
        Metric::Heap => Some(|s| s.heap),
        Metric::Energy
        | Metric::Flash
        | Metric::Ram
        | Metric::ProgramFlash
        | Metric::ProgramRam
        | Metric::Rate => None,
    }
}

/// The instructions of the samples by class. Consecutive equal samples share one entry.
fn paths(samples: &[Sample]) -> Option<Basis> {
    let mut paths: Vec<Path> = Vec::new();
    for sample in samples {
        let classes = sample.classes.as_ref()?;
        let same = |last: &&mut Path| last.classes == *classes && last.hashing == sample.hashing;
        match paths.last_mut().filter(same) {
            Some(last) => last.samples += 1,
            None => paths.push(Path {
                samples: 1,
                classes: classes.clone(),
                hashing: sample.hashing.clone(),
            }),
        }
    }
    Some(Basis::Paths { paths })
}

/// The share of the instructions in functions of hashes.
fn hashing(samples: &[Sample]) -> Option<Note> {
    let mut of_hashes = 0.0;
    let mut all = 0.0;
    for sample in samples {
        of_hashes += *sample.hashing.as_ref()?.get(INSTRUCTIONS)? as f64;
        all += sample.instructions?;
    }
    (all > 0.0).then(|| Note::Hashing {
        percent: 100.0 * of_hashes / all,
    })
}

/// Two inputs with different costs, if the samples differ. Samples with other public inputs are not
/// compared.
fn spread(samples: &[Sample]) -> Option<Cause> {
    let took = |sample: &Sample| sample.took().map_or(0.0, |(figure, _)| figure);
    let with = |sample: &Sample| {
        let public = sample.public;
        let same = samples.iter().filter(move |other| other.public == public);
        same.collect::<Vec<_>>()
    };
    let differ = |same: &Vec<&Sample>| same.iter().any(|other| took(other) != took(same[0]));
    let samples = samples.iter().map(with).find(differ)?;
    let least = samples.iter().min_by(|a, b| took(a).total_cmp(&took(b)))?;
    let most = samples.iter().max_by(|a, b| took(a).total_cmp(&took(b)))?;
    let (_, counted) = least.took()?;
    let taken = |sample: &Sample| Taken {
        count: took(sample),
        inputs: sample.inputs.iter().map(hex::encode).collect(),
    };
    Some(Cause::DependsOnInputs {
        counted,
        least: taken(least),
        most: taken(most),
    })
}
