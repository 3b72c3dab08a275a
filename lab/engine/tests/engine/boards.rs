//! Tests emulated boards on the cores that run on QEMU with our plugin: counts that can be checked
//! by hand, stack frames of known depth, and libraries that fail on purpose. Needs `make build`.

use std::collections::BTreeMap;

use crate::bed::Bed;
use selo_engine::Error;
use selo_engine::board::Board;
use selo_engine::check::{CONSTANT_INSTRUCTIONS, CheckLine, Effort};
use selo_engine::derive;
use selo_engine::library::Unit;
use selo_engine::measure::{Lab, default_metrics};
use selo_engine::row::{Fidelity, Metric, Note, Row, Status};
use selo_engine::runner::Counts;

/// An operation, the instructions of its span, and some of their classes.
type Expected = (&'static str, u64, &'static [(&'static str, u64)]);

/// The board for tests that need only one board.
const ONE: &str = "stm32f103";

impl Bed {
    fn emulated(&self) -> impl Iterator<Item = &Board> {
        let boards = self.project.boards.iter();
        boards.filter(|board| board.runner == "qemu")
    }

    /// A lab that stops an endless program soon.
    fn limited<'a>(&'a self, board: &'a Board) -> Lab<'a> {
        Lab {
            cycle_limit: Some(50_000_000),
            ..self.lab(board)
        }
    }

    fn rows(&self, board: &Board, library: &str, algorithm: &str) -> Vec<Row> {
        let lab = self.limited(board);
        let units = self.units(board, library, algorithm, None);
        let rows = units.iter().flat_map(|unit| measured(&lab, unit));
        rows.collect()
    }

    fn checked(&self, library: &str, algorithm: &str) -> Vec<CheckLine> {
        let lab = self.limited(self.board(ONE));
        let effort = Effort {
            cycles: 5_000_000,
            secrets: 100,
            ..Effort::default()
        };
        let units = self.units(lab.board, library, algorithm, None);
        let lines = units.iter().flat_map(|unit| {
            let lines = lab.check(unit, &effort, true);
            lines.expect("lines")
        });
        lines.collect()
    }
}

/// The rows of a unit, including derived rows.
fn measured(lab: &Lab<'_>, unit: &Unit<'_>) -> Vec<Row> {
    let rows = lab.measure(unit, &|_| None);
    let rows = rows.unwrap_or_else(|error| panic!("{}: {error}", lab.board.name));
    derive::wanted(lab.project, lab.board, &lab.metrics, rows)
}

fn find<'a>(rows: &'a [Row], operation: &str, metric: Metric) -> &'a Row {
    let found = |row: &&Row| row.operation == operation && row.metric == metric;
    rows.iter().find(found).expect("a row")
}

fn reason(row: &Row) -> String {
    row.reason().unwrap_or_default()
}

/// The counts of an operation with the marks subtracted.
fn beside_marks(counts: &Counts, empty: &Counts) -> (u64, BTreeMap<String, u64>) {
    let classes = counts.classes.iter().map(|(class, &count)| {
        let marks = empty.classes.get(class).copied().unwrap_or(0);
        (class.clone(), count - marks)
    });
    let classes = classes.filter(|(_, count)| *count > 0).collect();
    (counts.instructions - empty.instructions, classes)
}

#[test]
fn instructions_are_counted_as_by_hand() {
    let bed = Bed::new();
    let mut boards = 0;
    for board in bed.emulated() {
        let lab = bed.limited(board);
        let unit = &bed.units(board, "test-count", "probe", None)[0];
        let image = lab.builder.agent(unit).expect("an image");
        let mut agent = lab.start_agent(unit, &image).expect("it runs");
        let mut counts = |operation: &str| {
            let ran = agent.run(operation, 1, false, &[]).expect(operation);
            assert!(ran.span.is_none(), "no cycles are counted");
            ran.counts.expect("counts")
        };
        let empty = counts("empty");
        assert_eq!(empty.instructions, 1, "{}: a mark", board.name);
        let expected: [Expected; 5] = [
            (
                "loop",
                21,
                &[("alu", 11), ("branch-taken", 9), ("branch-not-taken", 1)],
            ),
            (
                "calls",
                3,
                &[("call", 1), ("jump", 1), ("jump-register", 1)],
            ),
            (
                "memory",
                4,
                &[("store", 1), ("alu", 1), ("load", 1), ("load-next", 1)],
            ),
            ("products", 1, &[("multiply", 1)]),
            (
                "page-end",
                7,
                &[
                    ("call", 1),
                    ("alu", 2),
                    ("store", 1),
                    ("load", 1),
                    ("load-next", 1),
                    ("jump-register", 1),
                ],
            ),
        ];
        for (operation, instructions, classes) in expected {
            let classes = classes.iter().map(|&(c, n)| (c.to_owned(), n)).collect();
            assert_eq!(
                beside_marks(&counts(operation), &empty),
                (instructions, classes),
                "{} {operation}",
                board.name
            );
        }
        boards += 1;
    }
    assert!(boards >= 8, "{boards} emulated boards");
}

#[test]
fn frames_of_known_depth_read_so() {
    let bed = Bed::new();
    for board in bed.emulated() {
        let rows = bed.rows(board, "test-frames", "probe");
        for (operation, depth) in [("frame-400", 400.0), ("frame-800", 800.0)] {
            let row = find(&rows, operation, Metric::Stack);
            assert_eq!(row.value, Some(depth), "{}: {row:?}", board.name);
        }
    }
}

/// A block of the heap has up to 8 bytes more than were asked for, on each of these cores, and a
/// block that grows may move.
#[test]
fn the_heap_of_an_operation_is_counted() {
    let bed = Bed::new();
    for board in ["microbit", ONE, "esp32c3", "esp8266"] {
        let mut lab = bed.limited(bed.board(board));
        lab.metrics = vec![Metric::Heap];
        let units = bed.units(lab.board, "test-heap", "aes-128", None);
        let rows = measured(&lab, &units[0]);
        let heap = |operation: &str| {
            let row = find(&rows, operation, Metric::Heap);
            row.value
                .unwrap_or_else(|| panic!("{board}: {}", reason(row)))
        };
        let key = heap("key-setup");
        println!("{board}: {key}, {}", heap("encrypt"));
        assert!((176.0..=192.0).contains(&key), "{board}: {key}");
        let scratch = heap("encrypt") - key;
        assert!((40.0..=100.0).contains(&scratch), "{board}: {scratch}");
        assert_eq!(heap("decrypt"), key, "{board}");
        let bytes = key as u64;
        for row in &rows {
            assert_eq!(row.notes, [Note::HeapLeft { bytes }], "{board}");
        }
    }
}

/// The heap of a block that 16 bits cannot count.
#[test]
fn a_heap_of_more_than_64_kb_is_counted() {
    let bed = Bed::new();
    let mut lab = bed.limited(bed.board("stm32f407"));
    lab.metrics = vec![Metric::Heap];
    let units = bed.units(lab.board, "test-heap", "aes-128", Some("large"));
    let rows = measured(&lab, &units[0]);
    let most = find(&rows, "encrypt", Metric::Heap).value.unwrap_or(0.0);
    assert!((70_176.0..=70_400.0).contains(&most), "{most}");
}

#[test]
fn a_stack_that_is_too_deep_does_not_fit() {
    let bed = Bed::new();
    // One board for each way in which a port guards its stack.
    for board in ["stm32l053", ONE, "rp2350", "esp32c3", "esp8266"] {
        let rows = bed.rows(bed.board(board), "test-stack-hog", "probe");
        for row in rows.iter().filter(|row| row.metric == Metric::Stack) {
            assert_eq!(row.status, Status::DoesNotFit, "{board}: {row:?}");
            assert!(reason(row).contains("stack-collision"), "{board}: {row:?}");
        }
    }
}

#[test]
fn each_crash_is_told_apart() {
    let bed = Bed::new();
    for board in [ONE, "rp2350", "esp32c3", "esp8266"] {
        let rows = bed.rows(bed.board(board), "test-crash", "probe");
        for (operation, word) in [
            ("invalid-read", "invalid-access"),
            ("invalid-write", "invalid-access"),
            ("invalid-opcode", "invalid-opcode"),
            ("jump-astray", "invalid-access"),
            ("mark-order", "mark-order"),
            ("halt", "halted"),
        ] {
            let row = find(&rows, operation, Metric::Instructions);
            assert_eq!(row.status, Status::Crashed, "{board}: {row:?}");
            assert!(reason(row).contains(word), "{board} {operation}: {row:?}");
        }
        // The emulated RV32 reads a word from any address, and a Cortex-M only says that it faults.
        if board == "esp8266" {
            let row = find(&rows, "unaligned-read", Metric::Instructions);
            assert_eq!(row.status, Status::Crashed, "{board}: {row:?}");
            assert!(reason(row).contains("unaligned-access"), "{board}: {row:?}");
        }
        // No crash: the library reports the failure, and the port reports the reason.
        let row = find(&rows, "no-memory", Metric::Instructions);
        assert_eq!(row.status, Status::DoesNotFit, "{board}: {row:?}");
        assert!(reason(row).contains("heap-exhausted"), "{board}: {row:?}");
    }
}

#[test]
fn a_hang_ends_at_the_instruction_limit() {
    let bed = Bed::new();
    for board in [ONE, "rpi3"] {
        let rows = bed.rows(bed.board(board), "test-hang", "probe");
        let row = find(&rows, "hang", Metric::Instructions);
        assert_eq!(row.status, Status::OverLimit, "{row:?}");
        let said = "over the limit of 50 million instructions: raise --limit";
        assert!(reason(row).starts_with(said), "{row:?}");
        assert!(reason(row).contains("instruction-limit"), "{row:?}");
    }
}

#[test]
fn a_wrong_cipher_gets_no_number() {
    let bed = Bed::new();
    let rows = bed.rows(bed.board(ONE), "test-wrong", "aes-128");
    assert!(!rows.is_empty());
    for row in &rows {
        assert_eq!(row.status, Status::Failed, "{row:?}");
        assert!(
            row.value.is_none() && reason(row).contains("fips197"),
            "{row:?}"
        );
    }
}

#[test]
fn a_secret_dependent_path_is_seen() {
    let bed = Bed::new();
    let rows = bed.rows(bed.board(ONE), "test-leaky", "aes-128");
    let row = find(&rows, "encrypt", Metric::Instructions);
    assert_eq!(row.status, Status::VariableTime, "{row:?}");
    assert_eq!(row.fidelity, Fidelity::Instructions);
    assert!(reason(row).contains("instructions for"), "{row:?}");
    let lines = bed.checked("test-leaky", "aes-128");
    let line = |source: &str| {
        let line = lines.iter().find(|line| line.source == source);
        line.expect("a line")
    };
    assert_eq!(line("fips197").failed, 0, "leaky, but right");
    let verdict = line(CONSTANT_INSTRUCTIONS);
    assert!(verdict.failed > 0, "{verdict:?}");
    let first = verdict.first_failure.as_deref().expect("a failure");
    assert!(
        first.contains(" instructions for ") && !first.contains("cycles"),
        "{first}"
    );
}

#[test]
fn an_honest_cipher_takes_the_same_path_and_two_runs_agree() {
    let bed = Bed::new();
    let lines = bed.checked("selo", "ascon-aead128");
    let verdict = lines
        .iter()
        .find(|line| line.source == CONSTANT_INSTRUCTIONS)
        .expect("a verdict");
    assert!(verdict.failed == 0 && verdict.tried > 100, "{verdict:?}");
    let figures = || -> Vec<(String, String, Option<u32>, Option<f64>)> {
        let rows = bed.rows(bed.board(ONE), "selo", "ascon-aead128");
        rows.into_iter()
            .map(|row| (row.operation, row.unit, row.bytes, row.value))
            .collect()
    };
    assert_eq!(figures(), figures());
}

/// Fewer than five figures of the Cortex-M0+ can be reproduced here, so it has no cycles, and the
/// row says so.
#[test]
fn cycles_are_not_shown_without_calibration() {
    let bed = Bed::new();
    let board = bed.board("stm32l053");
    let model = bed.project.model(board).expect("a model");
    assert!(!model.is_calibrated(&bed.project.libraries));
    assert!(!default_metrics(&bed.project, board).contains(&Metric::Cycles));
    let mut lab = bed.limited(board);
    lab.metrics = vec![Metric::Cycles];
    let unit = &bed.units(board, "selo", "ascon-aead128", None)[0];
    let rows = measured(&lab, unit);
    assert!(rows.iter().any(|row| row.metric == Metric::Cycles));
    for row in rows.iter().filter(|row| row.metric == Metric::Cycles) {
        assert_eq!(row.status, Status::NotSupported, "{row:?}");
        assert_eq!(row.fidelity, Fidelity::CycleModel, "{row:?}");
        assert!(reason(row).contains("selo lab calibration"), "{row:?}");
    }
}

/// On a core with enough figures, cycles and time are derived from instructions, and energy if the
/// board's currents are known. Each such row has the model's error.
#[test]
fn a_calibrated_core_has_cycles_with_their_error() {
    let bed = Bed::new();
    for name in ["microbit", ONE, "stm32f407"] {
        let board = bed.board(name);
        let model = bed.project.model(board).expect("a model");
        let caution = model
            .caution(&bed.project.libraries)
            .expect("enough figures")
            .to_string();
        let mut lab = bed.limited(board);
        lab.power = board.power.first().cloned();
        let unit = &bed.units(board, "selo", "ascon-aead128", None)[0];
        let rows = measured(&lab, unit);
        let hz = board.clock_hz.expect("a clock") as f64;
        let value = |metric: Metric| {
            let row = find(&rows, "seal", metric);
            assert_eq!(row.fidelity, Fidelity::CycleModel, "{row:?}");
            assert!(reason(row).contains(&caution), "{row:?}");
            row.value.expect("a figure")
        };
        let cycles = value(Metric::Cycles);
        let counted = find(&rows, "seal", Metric::Instructions);
        assert_eq!(counted.fidelity, Fidelity::Instructions, "{counted:?}");
        assert!(cycles > counted.value.expect("a count"), "{name}");
        assert!((value(Metric::Time) * hz - cycles).abs() < 1e-6 * cycles);
        let power = lab.power.as_ref().expect("currents");
        let joules = power.joules(cycles / hz);
        assert!((value(Metric::Energy) - joules).abs() < 1e-9 * joules);
        let energy = find(&rows, "seal", Metric::Energy);
        assert!(reason(energy).contains(&power.name), "{energy:?}");
    }
}

#[test]
fn an_emulator_that_is_missing_is_named_with_its_package() {
    let bed = Bed::new();
    let mut board = bed.board(ONE).clone();
    if let Some(qemu) = &mut board.qemu {
        qemu.program = "no-such-emulator".into();
    }
    let lab = bed.limited(&board);
    let unit = &bed.units(&board, "test-count", "probe", None)[0];
    let image = lab.builder.agent(unit).expect("an image");
    let error = lab.start_agent(unit, &image).expect_err("no emulator");
    assert!(matches!(error, Error::MissingProgram { .. }), "{error}");
    let hint = error.hint().expect("a hint");
    assert!(hint.contains("qemu-system-arm"), "{hint}");
}
