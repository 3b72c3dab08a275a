//! Tests the runner of real boards, on pseudo-terminals with simulated boards behind them. The
//! figures must equal the simulator's, and faults of the cable must not change a row.

use std::time::Duration;

use crate::bed::Bed;
use crate::pty_board::{Faults, PtyBoard, Seen};
use selo_engine::board::Board;
use selo_engine::check::{CONSTANT_TIME, Effort};
use selo_engine::measure::Lab;
use selo_engine::project::Selection;
use selo_engine::row::{Fidelity, Metric, Note, Row, Status};

impl Bed {
    /// A lab with power figures and these operations.
    fn powered<'a>(&'a self, board: &'a Board, operations: &[&str]) -> Lab<'a> {
        Lab {
            operations: operations.iter().map(|&name| name.to_owned()).collect(),
            power: board.power.first().cloned(),
            ..self.lab(board)
        }
    }

    /// Rows of one unit. `known` are the rows of an earlier run.
    fn rows_with(
        &self,
        board: &Board,
        (algorithm, variant): (&str, &str),
        operations: &[&str],
        known: &[Row],
    ) -> selo_engine::Result<Vec<Row>> {
        let lab = self.powered(board, operations);
        let units = self.units(board, "selo", algorithm, Some(variant));
        let known = |blank: &Row| {
            let same = |row: &&Row| {
                selo_engine::store::key(row) == selo_engine::store::key(blank)
                    && row.firmware_sha256 == blank.firmware_sha256
                    && row.fidelity == blank.fidelity
            };
            known.iter().find(same).cloned()
        };
        lab.measure(&units[0], &known)
    }

    /// Rows from a cabled board with these faults, and the recorded events.
    fn by_cable(
        &self,
        unit: (&str, &str),
        operations: &[&str],
        faults: Faults,
    ) -> (selo_engine::Result<Vec<Row>>, Seen) {
        let pty = PtyBoard::new(&self.project.root, self.uno(), faults);
        let rows = self.rows_with(&pty.described(self.uno()), unit, operations, &[]);
        (rows, pty.seen())
    }
}

/// Operation, bytes, metric, status and value of a row.
type Figure = (String, Option<u32>, Metric, Status, Option<f64>);

fn figures(rows: &[Row]) -> Vec<Figure> {
    rows.iter()
        .map(|row| {
            let of = (row.operation.clone(), row.bytes, row.metric);
            (of.0, of.1, of.2, row.status, row.value)
        })
        .collect()
}

/// The counter step of a row in cycles; 0 if it is exact.
fn step(row: &Row) -> f64 {
    let count = row.notes.iter().find_map(|note| match note {
        Note::Steps { cycles } => Some(f64::from(*cycles)),
        _ => None,
    });
    match row.fidelity {
        Fidelity::CycleExact => 0.0,
        _ => count.expect("a note says how long the steps are"),
    }
}

/// Every figure from the chip's own counter equals the simulator's, to one step of the counter.
fn same_as_simulated(bed: &Bed, unit: (&str, &str), operations: &[&str]) -> Vec<Row> {
    let simulated = bed
        .rows_with(bed.uno(), unit, operations, &[])
        .expect("rows");
    let (cabled, _) = bed.by_cable(unit, operations, Faults::default());
    let cabled = cabled.expect("rows");
    let mut compared = 0;
    for row in &cabled {
        assert_eq!(row.runner, "serial");
        let other = simulated
            .iter()
            .find(|other| {
                (&other.operation, other.bytes, other.metric)
                    == (&row.operation, row.bytes, row.metric)
            })
            .expect("the same row");
        let what = format!(
            "{unit:?} {} {:?} {:?}",
            row.operation, row.bytes, row.metric
        );
        match row.metric {
            // The chip cannot tell for how much of the time it worked.
            Metric::CpuShare => assert_eq!(row.status, Status::NotSupported, "{what}"),
            Metric::Cycles => {
                let (a, b) = (row.value.expect("cycles"), other.value.expect("cycles"));
                assert!(
                    (a - b).abs() <= step(row),
                    "{what}: {a} by cable, {b} simulated"
                );
                compared += 1;
            }
            // Stack painting misses memory that is reserved and never written.
            Metric::Stack => {
                let (a, b) = (row.value.expect("bytes"), other.value.expect("bytes"));
                assert!(
                    a <= b + 2.0 && a + 24.0 >= b,
                    "{what}: {a} by cable, {b} simulated"
                );
            }
            Metric::Flash | Metric::Ram => assert_eq!(row.value, other.value, "{what}"),
            _ => assert_eq!(row.status, other.status, "{what}"),
        }
    }
    assert!(compared > 0);
    cabled
}

#[test]
fn the_chips_own_counter_gives_the_simulators_cycles() {
    let bed = Bed::new();
    for unit in [
        ("aes-128", "fast"),
        ("aes-128", "tiny"),
        ("sha-256", "fast"),
    ] {
        let rows = same_as_simulated(&bed, unit, &[]);
        assert!(rows.iter().all(|row| row.fidelity == Fidelity::CycleExact));
    }
}

#[test]
fn what_is_too_long_for_the_counter_is_counted_in_steps() {
    let bed = Bed::new();
    let rows = same_as_simulated(&bed, ("sha3-256", "fast"), &["hash"]);
    let steps: Vec<(Option<u32>, f64)> = rows
        .iter()
        .filter(|row| row.metric == Metric::Cycles)
        .map(|row| (row.bytes, step(row)))
        .collect();
    assert!(!steps.is_empty());
    assert!(steps.iter().all(|(_, step)| *step == 8.0), "{steps:?}");
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_scalar_multiplication_is_counted_to_a_few_hundred_cycles() {
    let bed = Bed::new();
    let rows = same_as_simulated(&bed, ("x25519", "fast"), &["keygen"]);
    let cycles = rows
        .iter()
        .find(|row| row.metric == Metric::Cycles)
        .expect("a row");
    assert_eq!(
        (cycles.fidelity, step(cycles)),
        (Fidelity::CycleSteps, 256.0)
    );
}

#[test]
fn a_cable_that_is_pulled_changes_nothing() {
    let bed = Bed::new();
    let unit = ("aes-128", "fast");
    let (still, seen) = bed.by_cable(unit, &["encrypt"], Faults::default());
    let still = still.expect("rows");
    assert_eq!((seen.flashed, seen.pulled), (1, 0));
    // The pin for a meter's trigger is high during the operation and a little longer.
    let cycles = still.iter().find(|row| row.metric == Metric::Cycles);
    let cycles = cycles.and_then(|row| row.value).expect("cycles") as u64;
    let around = |high: &&u64| (cycles..cycles + 80).contains(high);
    assert!(
        seen.high.iter().filter(around).count() >= 10,
        "{:?}",
        seen.high
    );
    // Pull the cable during HELLO, an operation and an answer; then plug in another board. Before
    // the first answer, the board's image is unknown, so it is flashed again.
    for (pulled, exchanged, flashed) in [
        ((1, 0), false, 2),
        ((40, 32_000), false, 1),
        ((40, 90_000), false, 1),
        ((41, 48_000), true, 2),
    ] {
        let faults = Faults {
            pulled: Some(pulled),
            exchanged,
            ..Faults::default()
        };
        let pty = PtyBoard::new(&bed.project.root, bed.uno(), faults);
        let board = pty.described(bed.uno());
        let rows = std::thread::scope(|scope| {
            scope.spawn(|| {
                while pty.seen().pulled == 0 {
                    std::thread::sleep(Duration::from_millis(10));
                }
                std::thread::sleep(Duration::from_millis(300));
                pty.faults(|faults| faults.out = false);
            });
            bed.rows_with(&board, unit, &["encrypt"], &[])
        });
        let rows = rows.unwrap_or_else(|error| panic!("{pulled:?}: {error}"));
        assert_eq!(figures(&rows), figures(&still), "{pulled:?}");
        let seen = pty.seen();
        assert_eq!(seen.pulled, 1, "{pulled:?}");
        assert_eq!(seen.flashed, flashed, "{pulled:?}");
    }
}

#[test]
fn lost_bytes_and_a_talkative_boot_loader_change_nothing() {
    let bed = Bed::new();
    let unit = ("aes-128", "fast");
    let (still, _) = bed.by_cable(unit, &["encrypt"], Faults::default());
    let faults = Faults {
        chatter: b"\x00\xffboot \x01\x00\x05\x82\x01\x00AVR".to_vec(),
        lost_requests: vec![0, 3, 100, 700],
        lost_answers: vec![2, 250, 600, 1_000, 1_500],
        ..Faults::default()
    };
    let pty = PtyBoard::new(&bed.project.root, bed.uno(), faults);
    let mut board = pty.described(bed.uno());
    if let Some(serial) = &mut board.serial {
        serial.answer_seconds = 2;
    }
    let rows = bed
        .rows_with(&board, unit, &["encrypt"], &[])
        .expect("rows");
    assert_eq!(figures(&rows), figures(&still.expect("rows")));
    // All faults happened.
    pty.faults(|faults| {
        assert_eq!(
            (&faults.lost_requests, &faults.lost_answers),
            (&vec![], &vec![])
        );
    });
    assert_eq!(pty.seen().flashed, 1);
}

#[test]
fn an_operation_that_hangs_is_a_row() {
    let bed = Bed::new();
    let pty = PtyBoard::new(&bed.project.root, bed.uno(), Faults::default());
    let mut board = pty.described(bed.uno());
    if let Some(serial) = &mut board.serial {
        serial.answer_seconds = 2;
    }
    let lab = bed.powered(&board, &[]);
    let selection = Selection {
        libraries: vec!["test-hang".into()],
        ..Selection::default()
    };
    let units = bed.project.units(&board, &selection).expect("a unit");
    let rows = lab.measure(&units[0], &|_| None).expect("rows");
    let crashed: Vec<&Row> = rows
        .iter()
        .filter(|row| row.status == Status::Crashed)
        .collect();
    assert!(!crashed.is_empty());
    for row in crashed {
        assert_eq!(
            row.reason()
                .map(|reason| reason.contains("no answer for 2 s")),
            Some(true)
        );
    }
}

#[test]
fn boards_that_cannot_be_used_are_errors_with_a_hint() {
    let bed = Bed::new();
    let unit = ("aes-128", "fast");
    let refusal = |rows: selo_engine::Result<Vec<Row>>| {
        let error = rows.expect_err("no rows");
        (error.to_string(), error.hint().unwrap_or_default())
    };

    let dead = Faults {
        dead: true,
        ..Faults::default()
    };
    let (text, hint) = refusal(bed.by_cable(unit, &["encrypt"], dead).0);
    assert!(text.contains("no agent answers at 115200 baud"), "{text}");
    assert!(hint.contains("boot_seconds"), "{hint}");

    // A programmer that reports success without writing.
    let units = bed.units(bed.uno(), "selo", "speck128/128", Some("fast"));
    let by_cable = bed.uno().on("serial").into_owned();
    let held = bed
        .powered(&by_cable, &[])
        .builder
        .agent(&units[0])
        .expect("an image");
    let wrong = Faults {
        stuck_with: Some(held.path),
        ..Faults::default()
    };
    let (text, hint) = refusal(bed.by_cable(unit, &["encrypt"], wrong).0);
    assert!(text.contains("does not run the flashed image"), "{text}");
    assert!(hint.contains("flash command"), "{hint}");

    let pty = PtyBoard::new(&bed.project.root, bed.uno(), Faults::default());
    let board = pty.described(bed.uno());
    let change = |change: &dyn Fn(&mut selo_engine::board::Serial)| {
        let mut board = board.clone();
        change(board.serial.as_mut().expect("a [serial] table"));
        refusal(bed.rows_with(&board, unit, &["encrypt"], &[]))
    };
    let (text, hint) = change(&|serial| serial.port = "/dev/no-such-port".into());
    assert!(text.contains("this port does not exist"), "{text}");
    assert!(hint.contains("selo lab ports"), "{hint}");
    let (text, hint) = change(&|serial| serial.port = "/dev/null".into());
    assert!(text.contains("serial port"), "{text} {hint}");
    let (text, _) = change(&|serial| serial.flash = vec!["false".into(), "{port}".into()]);
    assert!(text.contains("flashing failed: false /"), "{text}");
    let (text, _) = change(&|serial| serial.flash = vec!["no-such-programmer".into()]);
    assert!(
        text.contains("no-such-programmer is not installed"),
        "{text}"
    );
    let (text, _) = change(&|serial| {
        serial.flash = vec!["sleep".into(), "60".into()];
        serial.flash_seconds = 1;
    });
    assert!(text.contains("did not end within 1 s"), "{text}");

    // Another program has the port open.
    let held = std::fs::File::open(pty.port()).expect("opened");
    rustix::fs::flock(&held, rustix::fs::FlockOperation::NonBlockingLockExclusive).expect("locked");
    let (text, hint) = change(&|_| {});
    assert!(text.contains("another program uses the port"), "{text}");
    assert!(hint.contains("serial monitor"), "{hint}");
}

#[test]
fn a_board_that_stays_away_ends_the_run_and_costs_no_row() {
    let bed = Bed::new();
    let faults = Faults {
        pulled: Some((30, 32_000)),
        ..Faults::default()
    };
    let pty = PtyBoard::new(&bed.project.root, bed.uno(), faults);
    let mut board = pty.described(bed.uno());
    if let Some(serial) = &mut board.serial {
        serial.patience = Some(Duration::from_secs(1));
    }
    let unit = ("aes-128", "fast");
    let error = bed
        .rows_with(&board, unit, &["encrypt"], &[])
        .expect_err("gone");
    assert!(
        error.to_string().contains("was not reconnected within 1 s"),
        "{error}"
    );
    pty.faults(|faults| faults.out = false);
    while !pty.port().exists() {
        std::thread::sleep(Duration::from_millis(10));
    }

    let rows = bed
        .rows_with(&board, unit, &["encrypt"], &[])
        .expect("rows");
    assert!(rows.iter().any(|row| row.status == Status::Ok));
    // An existing figure is neither measured nor flashed again.
    let flashed = pty.seen().flashed;
    let kept = bed
        .rows_with(&board, unit, &["encrypt"], &rows)
        .expect("rows");
    assert_eq!(figures(&kept), figures(&rows));
    assert_eq!(pty.seen().flashed, flashed);
    // The same holds for figures of a slower counter.
    let unit = ("sha3-256", "fast");
    let rows = bed.rows_with(&board, unit, &["hash"], &[]).expect("rows");
    let flashed = pty.seen().flashed;
    let kept = bed.rows_with(&board, unit, &["hash"], &rows).expect("rows");
    assert_eq!(figures(&kept), figures(&rows));
    assert_eq!(pty.seen().flashed, flashed);
}

#[test]
fn vectors_and_constant_time_by_cable() {
    let bed = Bed::new();
    let pty = PtyBoard::new(&bed.project.root, bed.uno(), Faults::default());
    let board = pty.described(bed.uno());
    let lab = bed.powered(&board, &[]);
    let effort = Effort {
        cycles: 20_000_000,
        secrets: 20,
        ..Effort::default()
    };
    let units = |name: &str, algorithm: &str, variant: &str| {
        let selection = Selection {
            libraries: vec![name.into()],
            algorithms: vec![algorithm.into()],
            variants: if variant.is_empty() {
                vec![]
            } else {
                vec![variant.into()]
            },
        };
        bed.project.units(&board, &selection).expect("a unit")
    };
    let good = units("selo", "aes-128", "fast");
    let lines = lab.check(&good[0], &effort, true).expect("lines");
    assert!(lines.iter().all(|line| line.failed == 0), "{lines:?}");
    assert!(
        lines
            .iter()
            .any(|line| line.is_official() && line.passed > 0)
    );
    let constant = |line: &&selo_engine::check::CheckLine| line.source == CONSTANT_TIME;
    assert!(lines.iter().find(constant).expect("a verdict").passed >= 40);
}
