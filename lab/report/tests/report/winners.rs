//! The best of several candidates, and where the published one stands.

use selo_engine::row::{Metric, Row};
use selo_report::compare::{CellStatus, Figure};

use crate::compare::{compared, line};
use crate::support::row;

fn rows() -> [Row; 7] {
    [
        row("node", "aes128-fast", "encrypt", Metric::Time, 500e-6),
        row("node", "speck128-fast", "encrypt", Metric::Time, 160e-6),
        row("node", "speck128-tiny", "transmit", Metric::Flash, 500.0),
        row("node", "speck128-small", "transmit", Metric::Flash, 400.0),
        row("node", "speck128-fast", "receive", Metric::Flash, 900.0),
        row("node", "speck192-fast", "receive", Metric::Flash, 900.0),
        row("node", "speck128-small", "receive", Metric::Flash, 1200.0),
    ]
}

#[test]
fn winners_and_where_the_published_one_stands() {
    let rows = rows();
    let comparison = compared("ramalho2024", &rows);
    let time = line(&comparison, "table-1-cipher", "Transmission | Time");
    assert_eq!(time.measured, Some(Figure::Words("Speck 128".into())));
    assert!(
        time.reason
            .as_deref()
            .unwrap_or("")
            .ends_with("the published winner")
    );
    let flash = line(&comparison, "table-1-node", "Transmission | Flash");
    assert_eq!(
        flash.measured,
        Some(Figure::Words("Speck Small 128".into()))
    );
    let reason = flash.reason.as_deref().unwrap_or("");
    assert!(
        reason.contains("Speck Tiny 128, is number 2 with 500 bytes"),
        "{reason}"
    );
    let reception = line(&comparison, "table-1-node", "Reception | Flash");
    assert_eq!(
        reception.measured,
        Some(Figure::Words("Speck 128 = Speck 192".into()))
    );
    assert!(
        reception
            .reason
            .as_deref()
            .unwrap_or("")
            .ends_with("the published winner")
    );
    assert_eq!(
        line(&comparison, "table-1-node", "Transmission | SRAM").status,
        CellStatus::NotMeasured
    );
}

/// Speck 128, the published winner, has no time for decryption, so there is no winner.
#[test]
fn without_the_published_winner_there_is_none() {
    let mut rows = rows().to_vec();
    rows.push(row("node", "aes128-fast", "decrypt", Metric::Time, 500e-6));
    let comparison = compared("ramalho2024", &rows);
    let time = line(&comparison, "table-1-cipher", "Reception | Time");
    assert_eq!(
        (time.status, &time.measured),
        (CellStatus::NotMeasured, &None)
    );
    assert!(
        time.reason
            .as_deref()
            .unwrap_or("")
            .contains("the published winner has no row yet")
    );
}
