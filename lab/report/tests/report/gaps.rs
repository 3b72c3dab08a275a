//! Every gap of a paper's table has its status and a reason.

use selo_engine::row::{Metric, Row, Status};
use selo_report::compare::CellStatus::{
    DoesNotFit, NeedsHardware, NotMeasured, NotSupported, PublishedOnly,
};
use selo_report::compare::{CellStatus, Comparison};

use crate::compare::{compared, line};
use crate::support::{failed, row};

/// Rows of four measurements: one that fits another cell, one too large, one that failed, and one of
/// another size.
fn rows() -> [Row; 4] {
    let rsa = Row {
        library: "rsa-textbook".into(),
        bytes: None,
        ..row("rsa-2048", "crt", "keygen", Metric::Time, 0.0)
    };
    [
        row("node", "aes128-tiny", "encrypt", Metric::Time, 1e-3),
        failed(rsa, Status::DoesNotFit, "RAM: 3000 bytes of 2048, 952 over"),
        failed(
            row("aes-256", "fast", "encrypt", Metric::Time, 0.0),
            Status::Failed,
            "wrong block",
        ),
        Row {
            bytes: Some(64),
            ..row("sha-256", "fast", "hash", Metric::Time, 1e-3)
        },
    ]
}

/// The cell has no figure, but this status, and a reason with these words.
fn gap(comparison: &Comparison, table: &str, cell: &str, status: CellStatus, words: &str) {
    let line = line(comparison, table, cell);
    assert_eq!(line.status, status, "{cell}: {:?}", line.reason);
    assert!(
        line.reason.as_deref().unwrap_or("").contains(words),
        "{cell}: {:?}",
        line.reason
    );
    assert_eq!(
        (&line.measured, line.ratio, line.fidelity),
        (&None, None, None),
        "{cell}"
    );
}

/// Every cell says where its figure comes from, or why it has none.
fn all_have_reasons(comparison: &Comparison) {
    for line in comparison.lines() {
        let reason = line.reason.as_deref().unwrap_or_default();
        assert!(!reason.is_empty(), "{}", line.cell);
    }
}

#[test]
fn every_gap_of_times_has_its_status_and_a_reason() {
    let rows = rows();
    let alb = &compared("albarello2020", &rows);
    gap(
        alb,
        "table-2-time",
        "RSA: Gen Key | Arduino",
        DoesNotFit,
        "952 over",
    );
    gap(
        alb,
        "table-2-time",
        "AES256: Encrypt | Arduino",
        NotMeasured,
        "wrong block",
    );
    gap(
        alb,
        "table-2-time",
        "SHA256 | Arduino",
        NotMeasured,
        "with 64 bytes, not 32",
    );
    gap(
        alb,
        "table-2-time",
        "AES128: Encrypt | ESP32 without accelerator",
        NeedsHardware,
        "needs an ESP32: ",
    );
    gap(
        alb,
        "table-2-time",
        "AES192: Encrypt | PC",
        NotMeasured,
        "selo lab run --board native",
    );
    gap(alb, "table-5", "PC + Arduino | Time", NotMeasured, "x25519");
    all_have_reasons(alb);
}

#[test]
fn every_gap_of_an_experiment_has_its_status_and_a_reason() {
    let rows = rows();
    let ram = &compared("ramalho2024", &rows);
    gap(
        ram,
        "figure-2",
        "AES Tiny 128 | Receiver",
        NotSupported,
        "node aes128-tiny",
    );
    gap(
        ram,
        "node-energy",
        "At rest, 10 s at 6 uA | Node",
        PublishedOnly,
        "we put in",
    );
    gap(
        ram,
        "throughput",
        "AES 128 | Transmitter",
        NotMeasured,
        "--algorithm node",
    );
    all_have_reasons(ram);
}
