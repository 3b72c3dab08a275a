//! Derived rows must follow the project's current power figures and models.

use std::collections::BTreeMap;

use super::*;
use crate::row::cause::{Counted, Taken};
use crate::row::{Path, SCHEMA};

fn project() -> Project {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Project::load(&root).expect("this project")
}

/// A row of one sample.
fn row(board: &str, metric: Metric, fidelity: Fidelity, value: f64) -> Row {
    let row = serde_json::json!({
        "schema": SCHEMA, "run": "r", "board": board, "mcu": "m", "clock_hz": 16_000_000,
        "runner": "simavr", "fidelity": fidelity, "compiler": "c", "flags": "", "library": "selo",
        "library_version": "0", "algorithm": "aes-128", "variant": "fast", "operation": "encrypt",
        "bytes": 16, "metric": metric, "unit": metric.unit(), "samples": 1, "status": "ok",
        "notes": [], "firmware_sha256": "00", "commit": "0",
    });
    let row: Row = serde_json::from_value(row).expect("a row");
    row.sampled(&[value], true)
}

fn find(rows: &[Row], metric: Metric) -> &Row {
    let found: Vec<&Row> = rows.iter().filter(|row| row.metric == metric).collect();
    assert_eq!(found.len(), 1, "{metric:?}: {rows:?}");
    found[0]
}

fn close(a: Option<f64>, b: f64) {
    let a = a.expect("a figure");
    assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} is not {b}");
}

#[test]
fn an_energy_is_a_time_by_the_power_profile() {
    let mut project = project();
    let mut time = row("uno", Metric::Time, Fidelity::CycleExact, 1e-3);
    (time.sd, time.max) = (Some(1e-4), Some(2e-3));
    let power = project.board("uno").expect("the Uno").power[0].clone();
    let rows = complete(&project, vec![time.clone()]);
    let energy = find(&rows, Metric::Energy);
    close(energy.value, power.joules(1e-3));
    close(energy.sd, power.joules(1e-4));
    close(energy.max, power.joules(2e-3));
    assert_eq!(
        (energy.unit.as_str(), energy.fidelity),
        ("J", time.fidelity)
    );
    let name = power.name.clone();
    assert_eq!(energy.notes, [Note::PowerProfile { name }]);

    // A stored figure is derived again.
    let mut stale = energy.clone();
    stale.value = Some(7.0);
    let rows = complete(&project, vec![stale, time.clone()]);
    close(find(&rows, Metric::Energy).value, power.joules(1e-3));

    // Neither a changed power figure nor another profile needs a new measurement.
    let board = project.boards.iter_mut().find(|board| board.name == "uno");
    let board = board.expect("the Uno");
    let mut dearer = power.clone();
    (dearer.name, dearer.active_milliamps) = ("dearer".into(), power.active_milliamps + 5.0);
    board.power.push(dearer.clone());
    time.power = Some("dearer".into());
    let rows = complete(&project, vec![time]);
    close(find(&rows, Metric::Energy).value, dearer.joules(1e-3));
}

#[test]
fn a_cause_goes_over_to_what_would_be_made() {
    let project = project();
    let time = row("uno", Metric::Time, Fidelity::CycleExact, 1e-3);
    let lost = time.clone().without(Cause::NotGivenBack);
    let rows = complete(&project, vec![lost]);
    let energy = find(&rows, Metric::Energy);
    assert_eq!(
        (energy.cause.clone(), energy.value),
        (Some(Cause::NotGivenBack), None)
    );
    let mut varies = time;
    let taken = |count| Taken {
        count,
        inputs: vec!["00".into()],
    };
    varies.cause = Some(Cause::DependsOnInputs {
        counted: Counted::Cycles,
        least: taken(1.0),
        most: taken(2.0),
    });
    varies.status = crate::row::Status::VariableTime;
    let rows = complete(&project, vec![varies.clone()]);
    let energy = find(&rows, Metric::Energy);
    assert_eq!(
        (&energy.cause, energy.status),
        (&varies.cause, varies.status)
    );
    assert!(energy.value.is_some());
}

#[test]
fn a_packet_costs_what_core_and_radio_take() {
    let mut project = project();
    let power = project.board("uno").expect("the Uno").power.clone();
    let radio = power.iter().find(|power| power.radio.is_some());
    let radio = radio.expect("a profile with a radio").clone();
    let mut packet = row("uno", Metric::Time, Fidelity::CycleExact, 1e-2);
    packet.power = Some(radio.name.clone());
    packet.basis = Some(Basis::Packet {
        awake: vec![1e-3, 3e-3],
        sending: 0.25,
    });
    let rows = complete(&project, vec![packet.clone()]);
    let energy = find(&rows, Metric::Energy);
    assert_eq!((energy.fidelity, energy.samples), (Fidelity::RadioModel, 2));
    close(
        energy.min,
        radio.packet_joules(1e-3, 0.25).expect("a radio"),
    );
    close(
        energy.max,
        radio.packet_joules(3e-3, 0.25).expect("a radio"),
    );
    // A packet of schema 1 keeps its own energy.
    let mut old = packet.clone();
    (old.algorithm, old.operation, old.basis) = ("node".into(), "transmit".into(), None);
    let kept = Row {
        metric: Metric::Energy,
        value: Some(7.0),
        ..old.clone()
    };
    let rows = complete(&project, vec![old, kept]);
    assert_eq!(find(&rows, Metric::Energy).value, Some(7.0));
    // Without radio figures a packet has no energy. Air time never has one.
    for board in &mut project.boards {
        board.power.iter_mut().for_each(|power| power.radio = None);
    }
    assert_eq!(complete(&project, vec![packet.clone()]), [packet]);
    let air = row("uno", Metric::Time, Fidelity::RadioModel, 0.25);
    assert_eq!(complete(&project, vec![air.clone()]), [air]);
}

#[test]
fn cycles_are_made_of_instructions_by_the_model() {
    let project = project();
    let calibrated = |board: &&Board| {
        let model = project.model(board);
        model.is_some_and(|model| model.is_calibrated(&project.libraries))
    };
    let board = project.boards.iter().find(calibrated).expect("a board");
    let model = project.model(board).expect("a model");
    let (class, cycles) = model.cycles.iter().next().expect("a class");
    let mut counted = row(
        &board.name,
        Metric::Instructions,
        Fidelity::Instructions,
        110.0,
    );
    let path = |samples, count| Path {
        samples,
        classes: BTreeMap::from([(class.clone(), count)]),
        hashing: Some(BTreeMap::from([
            (class.clone(), count / 2),
            (INSTRUCTIONS.to_owned(), count / 2),
        ])),
    };
    counted.basis = Some(Basis::Paths {
        paths: vec![path(2, 100), path(1, 130)],
    });
    let rows = complete(&project, vec![counted.clone()]);
    let made = find(&rows, Metric::Cycles);
    assert_eq!((made.fidelity, made.samples), (Fidelity::CycleModel, 3));
    close(made.value, 110.0 * cycles);
    close(made.max, 130.0 * cycles);
    assert!(matches!(made.notes[..], [Note::Model(_)]), "{made:?}");
    // A row that shows the share of hashing shows it of the cycles, too.
    let share = Note::Hashing { percent: 7.0 };
    let shown = Row {
        notes: vec![share],
        ..counted.clone()
    };
    let rows_with_share = complete(&project, vec![shown]);
    let made = find(&rows_with_share, Metric::Cycles);
    let share = Note::Hashing { percent: 50.0 };
    assert_eq!(made.notes[1..], [share], "{made:?}");
    let hz = board.clock_hz.expect("a clock") as f64;
    close(find(&rows, Metric::Time).value, 110.0 * cycles / hz);

    // A class that the model lacks: no cycles, and the row says so.
    counted.basis = Some(Basis::Paths {
        paths: vec![Path {
            samples: 1,
            classes: BTreeMap::from([("of-another-core".into(), 1)]),
            hashing: None,
        }],
    });
    let rows = complete(&project, vec![counted.clone()]);
    assert_eq!(find(&rows, Metric::Cycles).cause, Some(Cause::NotCounted));

    // Rows of schema 1 lack the classes, so their own figures stay.
    counted.basis = None;
    let kept = row(&board.name, Metric::Cycles, Fidelity::CycleModel, 5.0);
    assert_eq!(
        complete(&project, vec![counted.clone(), kept.clone()]),
        [counted, kept]
    );
}

#[test]
fn what_others_are_made_of_is_measured() {
    use Metric::{Cycles, Energy, Flash, Instructions, Time};
    let project = project();
    let uno = project.board("uno").expect("the Uno");
    let measured = crate::metrics::measured;
    assert_eq!(
        measured(uno, &[Cycles, Energy, Flash, Time]),
        [Cycles, Time, Flash]
    );
    let counting = project.boards.iter();
    let mut counting = counting.filter(|board| board.fidelity == Fidelity::Instructions);
    let board = counting.next().expect("a board of QEMU");
    assert_eq!(
        measured(board, &[Cycles, Flash, Energy]),
        [Instructions, Flash]
    );
    // Only wanted metrics are shown.
    let time = row("uno", Time, Fidelity::CycleExact, 1e-3);
    let shown = wanted(&project, uno, &[Energy], vec![time]);
    assert_eq!(find(&shown, Energy).metric, Energy);
    assert_eq!(shown.len(), 1);
}
