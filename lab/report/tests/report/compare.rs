//! Papers against rows: every status, every kind of cell.

use std::collections::HashMap;

use crate::support::{paper, row};
use selo_engine::energy::{PowerProfile, RadioCurrents};
use selo_engine::row::{Fidelity, Metric, Row, Status};
use selo_report::compare::{CellLine, CellStatus, Comparison, Figure, KnownBoard, Ours, compare};

pub fn boards() -> Vec<KnownBoard> {
    let profile = PowerProfile {
        radio: None,
        name: "albarello2020".into(),
        source: "invented".into(),
        supply_volts: 5.0,
        active_milliamps: 2.0,
        idle_milliamps: 1.0,
        power_down_milliamps: None,
        note: None,
    };
    // The profile of lab/boards/uno.toml.
    let paper = PowerProfile {
        radio: Some(RadioCurrents {
            transmit_milliamps: 0.008,
            listen_milliamps: 0.0,
            sleep_milliamps: None,
        }),
        name: "ramalho2024".into(),
        supply_volts: 12.0,
        active_milliamps: 0.014,
        idle_milliamps: 0.006,
        ..profile.clone()
    };
    vec![
        KnownBoard {
            name: "uno".into(),
            power: vec![profile, paper],
        },
        KnownBoard {
            name: "native".into(),
            power: Vec::new(),
        },
    ]
}

pub fn compared(name: &str, rows: &[Row]) -> Comparison {
    let boards = boards();
    compare(
        &paper(name),
        Ours {
            rows,
            boards: &boards,
            library: "selo",
            libraries: &[],
            surveys: &[],
        },
        |_| true,
    )
}

pub fn line<'a>(comparison: &'a Comparison, table: &str, cell: &str) -> &'a CellLine {
    comparison
        .lines()
        .find(|line| line.table == table && line.cell == cell)
        .unwrap_or_else(|| panic!("no cell {cell} in {table}"))
}

pub fn number(figure: &Option<Figure>) -> f64 {
    match figure {
        Some(Figure::Number(number)) => *number,
        other => panic!("not a number: {other:?}"),
    }
}

pub fn near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} is not {b}");
}

#[test]
fn a_time_is_shown_in_the_papers_unit() {
    let rows = [
        row("aes-128", "fast", "encrypt", Metric::Time, 0.000_282),
        row("node", "aes128-fast", "encrypt", Metric::Time, 0.000_282),
    ];
    let comparison = compared("albarello2020", &rows);
    let cell = line(&comparison, "table-2-time", "AES128: Encrypt | Arduino");
    assert_eq!(cell.status, CellStatus::Ok);
    near(number(&cell.measured), 0.282);
    assert_eq!(
        (cell.unit.as_deref(), cell.published_unit.as_deref()),
        (Some("ms"), Some("ms"))
    );
    near(cell.ratio.expect("two numbers"), 0.5);
    assert_eq!(cell.fidelity, Some(Fidelity::CycleExact));
    assert_eq!(cell.board.as_deref(), Some("uno"));
    // ramalho2024 prints the same operation in microseconds.
    let comparison = compared("ramalho2024", &rows);
    near(
        number(&line(&comparison, "figure-2", "AES 128 | Transmitter").measured),
        282.0,
    );
}

#[test]
fn a_time_may_come_from_cycles_and_the_clock() {
    let comparison = compared(
        "albarello2020",
        &[row("aes-128", "fast", "encrypt", Metric::Cycles, 16_000.0)],
    );
    near(
        number(&line(&comparison, "table-2-time", "AES128: Encrypt | Arduino").measured),
        1.0,
    );
}

#[test]
fn an_energy_under_the_papers_profile_comes_from_the_time() {
    // 0.564 ms at 5 mW is the paper's own 0.783 nWh. Rows of another profile must not matter.
    let rows = [
        row("aes-128", "fast", "encrypt", Metric::Time, 0.000_564),
        row("aes-128", "fast", "encrypt", Metric::Energy, 1.0),
        row("node", "aes128-fast", "encrypt", Metric::Time, 0.000_564),
        row("node", "aes128-fast", "encrypt", Metric::Energy, 1.0),
    ];
    let comparison = compared("albarello2020", &rows);
    let cell = line(&comparison, "table-2-energy", "AES128: Encrypt | Arduino");
    assert!((number(&cell.measured) - 0.783).abs() < 5e-4);
    assert!(
        cell.reason
            .as_deref()
            .unwrap_or("")
            .contains("profile albarello2020")
    );
    // The currents of ramalho2024: 12 V, 8 uA above rest.
    let comparison = compared("ramalho2024", &rows);
    let cell = line(&comparison, "figure-3", "AES 128 | Transmitter");
    assert_eq!(cell.status, CellStatus::NotPrinted);
    assert_eq!(cell.published, None);
    near(number(&cell.measured), 12.0 * 8e-6 * 0.000_564 / 3.6e-9);
}

/// A path through several algorithms is the sum of their rows, each in its default variant.
#[test]
fn a_protocol_is_the_sum_of_its_steps() {
    let mut rows = vec![
        row("x25519", "fast", "keygen", Metric::Time, 1.0),
        row("x25519", "fast", "shared-secret", Metric::Time, 2.0),
    ];
    for row in &mut rows {
        row.bytes = None;
    }
    let without = compared("albarello2020", &rows);
    let cell = line(&without, "table-5", "PC + Arduino | Time");
    assert_eq!(cell.status, CellStatus::NotMeasured);
    let reason = cell.reason.as_deref().unwrap_or("");
    assert!(reason.contains("sha3-256"), "{reason}");
    rows.push(Row {
        bytes: Some(32),
        ..row("sha3-256", "slow", "hash", Metric::Time, 0.5)
    });
    let with = compared("albarello2020", &rows);
    let cell = line(&with, "table-5", "PC + Arduino | Time");
    near(number(&cell.measured), 3_500.0);
    let reason = cell.reason.as_deref().unwrap_or("");
    assert!(reason.contains("time of hash of sha3-256"), "{reason}");
}

#[test]
fn a_board_with_rows_needs_no_board_file() {
    let rows = [Row {
        board: "esp32".into(),
        fidelity: Fidelity::Instructions,
        ..row("aes-128", "fast", "encrypt", Metric::Time, 44e-6)
    }];
    let comparison = compared("albarello2020", &rows);
    let cell = line(
        &comparison,
        "table-2-time",
        "AES128: Encrypt | ESP32 without accelerator",
    );
    assert_eq!(cell.status, CellStatus::Ok);
    assert_eq!(cell.fidelity, Some(Fidelity::Instructions));
    near(cell.ratio.expect("two numbers"), 1.0);
}

#[test]
fn the_clock_is_a_cell_too() {
    let rows = [row("aes-128", "fast", "encrypt", Metric::Time, 1e-3)];
    let comparison = compared("albarello2020", &rows);
    let cell = line(&comparison, "table-1", "Clock | Arduino Uno R3");
    assert_eq!(
        (number(&cell.published), number(&cell.measured)),
        (20.0, 16.0)
    );
    near(cell.ratio.expect("two numbers"), 0.8);
}

#[test]
fn sums_and_largest_terms() {
    let rows: Vec<Row> = [
        ("key-setup", Metric::Cycles, 1000.0),
        ("encrypt", Metric::Cycles, 3000.0),
        ("decrypt", Metric::Cycles, 4000.0),
        ("key-setup", Metric::Stack, 20.0),
        ("encrypt", Metric::Stack, 50.0),
        ("decrypt", Metric::Stack, 40.0),
        ("both", Metric::Ram, 176.0),
    ]
    .into_iter()
    .map(|(operation, metric, value)| row("aes-128", "fast", operation, metric, value))
    .collect();
    let comparison = compared("rocha-securino", &rows);
    let beside = |table, cell| {
        let line = line(&comparison, table, cell);
        assert_eq!(
            line.measured, None,
            "another library's figure is not measured"
        );
        line.beside.as_ref().expect("a figure beside")
    };
    let number_beside = |table, cell| number(&beside(table, cell).measured);
    near(number_beside("figure-2", "AESLib | Both"), 9000.0);
    near(number_beside("figure-2", "AESLib | Encrypt"), 4000.0);
    near(number_beside("figure-1b", "AESLib | Both"), 226.0);
    let encrypt = beside("figure-1b", "AESLib | Encrypt");
    assert_eq!(encrypt.implementation, "selo aes-128 fast");
    assert_eq!(encrypt.measured, None, "one term of the sum is missing");
}

#[test]
fn differences_and_quotients() {
    let rows = [
        row("node", "speck128-fast", "encrypt", Metric::Time, 160e-6),
        row("node", "speck192-fast", "encrypt", Metric::Time, 166e-6),
        row("node", "speck128-small", "encrypt", Metric::Time, 480e-6),
    ];
    let comparison = compared("ramalho2024", &rows);
    let growth = line(&comparison, "time-growth", "Speck 192 | Transmitter");
    assert!((number(&growth.measured) - 6.0).abs() < 1e-9);
    let ratio = line(
        &comparison,
        "time-ratio",
        "Over Speck Small 128 | Transmitter",
    );
    near(number(&ratio.measured), 3.0);
    near(ratio.ratio.expect("two numbers"), 1.0);
    assert_eq!(ratio.unit.as_deref(), Some("x"));
}

#[test]
fn a_varying_time_says_so() {
    let mut varying = row("aes-128", "fast", "encrypt", Metric::Time, 1e-3);
    varying.status = Status::VariableTime;
    let comparison = compared("albarello2020", &[varying]);
    let cell = line(&comparison, "table-2-time", "AES128: Encrypt | Arduino");
    assert_eq!(cell.status, CellStatus::Ok);
    assert!(
        cell.reason
            .as_deref()
            .unwrap_or("")
            .contains("varies with its inputs")
    );
}

#[test]
fn another_library_stands_in() {
    let mut theirs = row("aes-128", "fast", "encrypt", Metric::Time, 1e-3);
    theirs.library = "arduino-crypto".into();
    let (rows, boards) = ([theirs], boards());
    let ours = Ours {
        rows: &rows,
        boards: &boards,
        library: "arduino-crypto",
        libraries: &[],
        surveys: &[],
    };
    let comparison = compare(&paper("albarello2020"), ours, |table| table.answers_to("2"));
    near(
        number(&line(&comparison, "table-2-time", "AES128: Encrypt | Arduino").measured),
        1.0,
    );
    assert_eq!(comparison.tables.len(), 2, "time and energy");
}

#[test]
fn lines_have_exactly_the_documented_fields() {
    let comparison = compared("rocha-securino", &[]);
    let first = comparison.lines().next().expect("cells");
    let text = serde_json::to_string(first).expect("a line");
    let mut at = 0;
    for field in [
        "paper",
        "table",
        "cell",
        "published",
        "published_unit",
        "measured",
        "unit",
        "ratio",
        "board",
        "fidelity",
        "status",
        "reason",
    ] {
        let place = text[at..]
            .find(&format!("\"{field}\":"))
            .unwrap_or_else(|| panic!("{field}: {text}"));
        at += place;
    }
    let fields: HashMap<String, serde_json::Value> =
        serde_json::from_str(&text).expect("an object");
    assert_eq!(fields.len(), 12);
}

#[test]
fn tables_for_readers_hide_absent_boards_and_say_so() {
    let rows = [row("aes-128", "fast", "encrypt", Metric::Time, 1e-3)];
    let mut without = paper("albarello2020");
    without.hardware.clear();
    let ours = Ours {
        rows: &rows,
        boards: &boards(),
        library: "selo",
        libraries: &[],
        surveys: &[],
    };
    let comparison = compare(&without, ours, |_| true);
    let times = comparison
        .tables
        .iter()
        .find(|table| table.id == "table-2-time")
        .expect("it is there");
    assert_eq!(times.to_table(true).body.len(), 75);
    let shown = times.to_table(false);
    assert_eq!(shown.body.len(), 30);
    let remarks = shown.remarks.join("\n");
    assert!(
        remarks.contains(
            "45 cells not shown, because the lab cannot run esp32, esp32-accelerated, rpi3 yet."
        ),
        "{remarks}"
    );
}

#[test]
fn no_cell_is_silently_empty_and_what_needs_a_device_says_which() {
    // One simulator counts instructions only, and one board has no file.
    let instructions = Row {
        board: "rpi3".into(),
        fidelity: Fidelity::Instructions,
        ..row("aes-128", "fast", "encrypt", Metric::Instructions, 1234.0)
    };
    let mut boards = boards();
    boards.push(KnownBoard {
        name: "rpi3".into(),
        power: Vec::new(),
    });
    let rows = [instructions];
    let ours = Ours {
        rows: &rows,
        boards: &boards,
        library: "selo",
        libraries: &[],
        surveys: &[],
    };
    let comparison = compare(&paper("albarello2020"), ours, |_| true);
    for line in comparison.lines() {
        let reason = line.reason.as_deref().unwrap_or_default();
        assert!(
            line.measured.is_some() || !reason.is_empty(),
            "{}",
            line.cell
        );
        assert_ne!(line.status, CellStatus::NeedsBoard, "{}", line.cell);
    }
    let reason = |table: &str, cell: &str| {
        let line = line(&comparison, table, cell);
        assert_eq!(line.status, CellStatus::NeedsHardware, "{:?}", line.reason);
        line.reason.clone().unwrap_or_default()
    };
    let pi = reason("table-2-time", "AES128: Encrypt | RPi-3");
    assert!(pi.starts_with("1,234 instructions counted"), "{pi}");
    assert!(
        pi.contains("needs a Raspberry Pi 3: on it: selo lab run"),
        "{pi}"
    );
    let pi = reason("table-2-time", "SHA256 | RPi-3");
    assert!(pi.starts_with("needs a Raspberry Pi 3"), "{pi}");
    let chip = reason("table-3", "SHA256 | ESP32 with accelerator");
    assert!(chip.contains("accelerator"), "{chip}");
    let shown = comparison.tables.iter().find(|t| t.id == "table-2-time");
    assert_eq!(shown.expect("it is there").to_table(false).body.len(), 75);
}

/// A node with a radio: the core is awake for `awake` seconds per packet, and the radio sends
/// for 0.25 s.
fn node(variant: &str, awake: f64) -> Vec<Row> {
    vec![
        // The CPU share is 20 %, so the whole operation takes five times as long.
        row("node", variant, "transmit", Metric::Time, 5.0 * awake),
        row("node", variant, "transmit", Metric::CpuShare, 20.0),
        row("node", variant, "transmit", Metric::Rate, 4.0),
        row("node", variant, "air", Metric::Time, 0.25),
    ]
}

#[test]
fn a_packets_energy_is_that_of_core_and_radio() {
    let comparison = compared("ramalho2024", &node("none", 0.016));
    let cell = line(
        &comparison,
        "node-energy",
        "One transmission, 0.480 s at 14 uA | Node",
    );
    // 12 V x 8 uA above rest, for the core and for the radio.
    near(
        number(&cell.measured),
        12.0 * 8e-6 * (0.016 + 0.25) / 3.6e-3,
    );
    let reason = cell.reason.as_deref().unwrap_or("");
    assert!(reason.contains("250 ms on the air"), "{reason}");
    // This test's boards do not have the other profile.
    let other = "One transmission, chip and transceiver by their data sheets | Node";
    let cell = line(&comparison, "node-energy", other);
    assert_eq!(cell.status, CellStatus::NotMeasured);
}

#[test]
fn a_battery_gives_a_packet_every_period_and_rest() {
    let rows = [node("none", 0.016), node("speck128-fast", 0.032)].concat();
    let comparison = compared("ramalho2024", &rows);
    let cell = line(
        &comparison,
        "battery-life",
        "Without cryptography | Transmitter",
    );
    let life = |awake: f64| {
        let watts = 12.0 * 6e-6 + 12.0 * 8e-6 * (awake + 0.25) / 5.0;
        // 225 mAh at 3 V.
        2430.0 / watts
    };
    assert_eq!(cell.unit.as_deref(), Some("years"));
    near(number(&cell.measured), life(0.016) / 31_557_600.0);
    let share = line(&comparison, "battery-life", "Speck 128 | Transmitter");
    assert_eq!(share.unit.as_deref(), Some("%"));
    near(number(&share.measured), 100.0 * life(0.032) / life(0.016));
    assert!(number(&share.measured) < 100.0);
}

#[test]
fn nobody_wins_where_all_are_equal() {
    let equal = [node("speck128-fast", 0.1), node("aes128-fast", 0.2)].concat();
    let throughput = |rows: &[Row]| {
        let comparison = compared("ramalho2024", rows);
        line(&comparison, "table-1-node", "Transmission | Throughput").clone()
    };
    let cell = throughput(&equal);
    assert_eq!(cell.status, CellStatus::Ok);
    assert_eq!(cell.measured, Some(Figure::Words("tie".into())));
    // A difference of one simulation step is a tie too.
    let mut almost = equal.clone();
    almost.push(row("node", "aes192-fast", "transmit", Metric::Rate, 4.001));
    assert_eq!(throughput(&almost).measured, cell.measured);
    // The most packets a second win.
    let mut unequal = equal;
    unequal.push(row("node", "aes192-fast", "transmit", Metric::Rate, 3.0));
    unequal.push(row("node", "aes256-fast", "transmit", Metric::Rate, 5.0));
    let cell = throughput(&unequal);
    assert_eq!(cell.measured, Some(Figure::Words("AES 256".into())));
}
