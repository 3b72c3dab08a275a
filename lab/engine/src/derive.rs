//! Derives rows from measured rows when they are read: energy from time and a power profile, cycles
//! from counted instructions and a cycle model. Derived rows are never stored, so a new power
//! figure or a better model needs no new measurement.

use std::collections::HashSet;

use crate::board::Board;
use crate::energy::PowerProfile;
use crate::metrics::default_metrics;
use crate::model::{CycleModel, FIGURES};
use crate::project::Project;
use crate::row::{Basis, Cause, Fidelity, INSTRUCTIONS, Metric, Note, Path, Row};
use crate::store;

/// Returns the measured rows and the rows derived from them, for boards of this project. A derived
/// row replaces an old row of the same measurement; an old row without such a replacement stays.
pub fn complete(project: &Project, rows: Vec<Row>) -> Vec<Row> {
    let of = |row: &Row| {
        let board = project.boards.iter().find(|board| board.name == row.board);
        board.map_or_else(Vec::new, |board| {
            let wanted = default_metrics(project, board);
            let mut made = made_of(project, board, row);
            made.retain(|row| wanted.contains(&row.metric));
            made
        })
    };
    let made: Vec<Vec<Row>> = rows.iter().map(of).collect();
    let keys: HashSet<store::Key> = made.iter().flatten().map(store::key).collect();
    let pairs = rows.into_iter().zip(made);
    let all = pairs.flat_map(|(row, made)| {
        let stale = keys.contains(&store::key(&row));
        (!stale).then_some(row).into_iter().chain(made)
    });
    all.collect()
}

/// The measured rows and the derived rows of a board, limited to `metrics`.
pub fn wanted(project: &Project, board: &Board, metrics: &[Metric], rows: Vec<Row>) -> Vec<Row> {
    let all = rows.into_iter().flat_map(|row| {
        let made = made_of(project, board, &row);
        std::iter::once(row).chain(made)
    });
    all.filter(|row| metrics.contains(&row.metric)).collect()
}

/// The rows that can be derived from one row.
fn made_of(project: &Project, board: &Board, row: &Row) -> Vec<Row> {
    let power = match &row.power {
        Some(name) => board.power.iter().find(|power| power.name == *name),
        None => board.power.first(),
    };
    match (row.metric, row.fidelity) {
        (Metric::Instructions, Fidelity::Instructions) => {
            let Some(cycles) = modelled(project, board, row, Metric::Cycles) else {
                return Vec::new();
            };
            let Some(time) = modelled(project, board, row, Metric::Time) else {
                return vec![cycles];
            };
            let energy = energy(&time, power);
            [cycles, time].into_iter().chain(energy).collect()
        }
        // Air time is not work of the chip.
        (Metric::Time, Fidelity::RadioModel | Fidelity::CycleModel) => Vec::new(),
        // Rows of schema 1 lack the air time of a packet, so their own energies stay.
        (Metric::Time, _) if row.basis.is_none() && is_packet(project, row) => Vec::new(),
        (Metric::Time, _) => energy(row, power).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// True if the row has a figure for a packet of a node with a radio.
fn is_packet(project: &Project, row: &Row) -> bool {
    let mut algorithms = project.algorithms.iter();
    let of = algorithms.find(|algorithm| algorithm.name == row.algorithm);
    let packet = of.is_some_and(|algorithm| algorithm.interface.is_packet(&row.operation));
    packet && row.value.is_some()
}

/// The same row for another metric, without basis and power profile.
fn other(row: &Row, metric: Metric) -> Row {
    Row {
        metric,
        unit: metric.unit().to_owned(),
        basis: None,
        power: None,
        ..row.clone()
    }
}

/// The modelled cycles of counted instructions, or the time of those cycles. `None` if the row is
/// of schema 1 and lacks the instruction classes.
fn modelled(project: &Project, board: &Board, row: &Row, metric: Metric) -> Option<Row> {
    let mut made = other(row, metric);
    made.fidelity = Fidelity::CycleModel;
    if row.value.is_none() {
        return Some(made);
    }
    let Some(Basis::Paths { paths }) = &row.basis else {
        return None;
    };
    let model = project.model(board);
    let caution = model.and_then(|model| model.caution(&project.libraries));
    let (Some(model), Some(caution)) = (model, caution) else {
        return Some(made.without(no_cycles(project, model)));
    };
    let mut values = Vec::new();
    made.notes
        .retain(|note| !matches!(note, Note::Hashing { .. }));
    if let Some(share) = hashing(model, paths).filter(|_| shows_hashing(row)) {
        made.notes.push(share);
    }
    for path in paths {
        let cycles = model.cycles_of_classes(&path.classes);
        let value = match (cycles, metric, board.clock_hz) {
            (Some(cycles), Metric::Cycles, _) => cycles,
            (Some(cycles), _, Some(hz)) => cycles / hz as f64,
            _ => return Some(made.without(Cause::NotCounted)),
        };
        values.extend(std::iter::repeat_n(value, path.samples as usize));
    }
    let mut made = made.sampled(&values, true);
    made.notes.insert(0, Note::Model(caution));
    Some(made)
}

/// True if the row shows the share of hashing: its instructions do.
fn shows_hashing(row: &Row) -> bool {
    let is_share = |note: &Note| matches!(note, Note::Hashing { .. });
    row.notes.iter().any(is_share)
}

/// The share of the modelled cycles in functions of hashes.
fn hashing(model: &CycleModel, paths: &[Path]) -> Option<Note> {
    let (mut of_hashes, mut all) = (0.0, 0.0);
    for path in paths {
        let mut classes = path.hashing.clone()?;
        classes.remove(INSTRUCTIONS);
        let samples = f64::from(path.samples);
        of_hashes += samples * model.cycles_of_classes(&classes)?;
        all += samples * model.cycles_of_classes(&path.classes)?;
    }
    (all > 0.0).then(|| Note::Hashing {
        percent: 100.0 * of_hashes / all,
    })
}

/// The reason why counted instructions give no cycles.
fn no_cycles(project: &Project, model: Option<&CycleModel>) -> Cause {
    match model {
        Some(model) => Cause::NotCalibrated {
            model: model.name.clone(),
            figures: model.reproduced(&project.libraries).count(),
            needed: FIGURES,
        },
        None => Cause::NotCounted,
    }
}

/// The energy above idle for a time. `None` for a packet if the power profile has no radio.
fn energy(time: &Row, power: Option<&PowerProfile>) -> Option<Row> {
    let mut made = other(time, Metric::Energy);
    if let Some(Basis::Packet { sending, .. }) = &time.basis
        && *sending > 0.0
    {
        made.fidelity = Fidelity::RadioModel;
    }
    if time.value.is_none() {
        return Some(made);
    }
    let Some(power) = power else {
        return Some(made.without(Cause::NoPowerFigures));
    };
    let name = power.name.clone();
    if let Some(Basis::Packet { awake, sending }) = &time.basis {
        let joules = awake
            .iter()
            .map(|&awake| power.packet_joules(awake, *sending));
        let joules: Vec<f64> = joules.collect::<Option<_>>()?;
        made = made.sampled(&joules, false);
    } else {
        let scaled = |figure: Option<f64>| figure.map(|seconds| power.joules(seconds));
        made.value = scaled(time.value);
        (made.min, made.max, made.mean) = (scaled(time.min), scaled(time.max), scaled(time.mean));
        (made.sd, made.ci95) = (scaled(time.sd), scaled(time.ci95));
    }
    made.notes.insert(0, Note::PowerProfile { name });
    Some(made)
}

#[cfg(test)]
mod tests;
