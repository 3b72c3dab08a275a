//! Invented rows and the project's papers, for tests.

#![allow(dead_code)] // each test file uses a part

use std::path::PathBuf;

use selo_engine::row::{Cause, Fidelity, Metric, Row, SCHEMA, Status};
use selo_report::paper::{Paper, Published, read};

pub fn papers() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/papers")
}

pub fn paper(name: &str) -> Paper {
    read(&papers().join(format!("{name}.toml"))).unwrap_or_else(|error| panic!("{error}"))
}

/// The number that a paper prints.
pub fn printed(paper: &Paper, table: &str, row: &str, column: &str) -> f64 {
    let table = paper
        .tables
        .iter()
        .find(|t| t.id == table)
        .unwrap_or_else(|| panic!("no {table}"));
    let cell = table
        .cells
        .iter()
        .find(|cell| cell.row == row && cell.column == column);
    match cell
        .unwrap_or_else(|| panic!("no cell {row} | {column}"))
        .published
    {
        Published::Number(number) => number,
        ref other => panic!("{row} | {column} is {other}"),
    }
}

/// A row of Selo on the Uno. Footprints have no size; other metrics have 16 bytes.
pub fn row(algorithm: &str, variant: &str, operation: &str, metric: Metric, value: f64) -> Row {
    let sized = !matches!(metric, Metric::Flash | Metric::Ram);
    Row {
        schema: SCHEMA.to_owned(),
        run: "invented-uno".to_owned(),
        board: "uno".to_owned(),
        mcu: "atmega328p".to_owned(),
        clock_hz: Some(16_000_000),
        runner: "simavr".to_owned(),
        fidelity: Fidelity::CycleExact,
        compiler: "avr-gcc".to_owned(),
        flags: String::new(),
        library: "selo".to_owned(),
        library_version: "0.1.0".to_owned(),
        algorithm: algorithm.to_owned(),
        variant: variant.to_owned(),
        sweep: None,
        operation: operation.to_owned(),
        bytes: (sized && operation != "key-setup").then_some(16),
        metric,
        unit: metric.unit().to_owned(),
        value: Some(value),
        samples: 1,
        min: Some(value),
        max: Some(value),
        mean: Some(value),
        sd: None,
        ci95: None,
        status: Status::Ok,
        cause: None,
        notes: Vec::new(),
        basis: None,
        power: None,
        firmware_sha256: "00".repeat(32),
        commit: "0".repeat(40),
    }
}

/// The same row without its value.
pub fn failed(row: Row, status: Status, reason: &str) -> Row {
    Row {
        status,
        cause: Some(Cause::Said {
            text: reason.to_owned(),
            status,
        }),
        value: None,
        min: None,
        max: None,
        mean: None,
        ..row
    }
}
