//! Tables of times and counts, one line a unit.

use std::collections::{BTreeMap, BTreeSet};

use selo_base::stats;
use selo_report::format::significant;
use selo_report::table::{Cell, Column, Table, Tone};

use super::group::{Group, groups};
use crate::row::{Experiment, Figure, Row, Sealing, Served, TlsTimes};

impl Group<'_> {
    /// The first columns of both tables.
    fn head(&self) -> Vec<Cell> {
        let unit = self.unit;
        vec![
            Cell::text(&unit.scenario),
            Cell::text(format!("{} ({} bytes)", unit.payload, unit.bytes)),
            Cell::text(unit.label()).with_detail(unit.who()),
            Cell::number(self.rows.len().to_string(), self.rows.len() as f64),
        ]
    }

    fn tail(&self, figure: Figure) -> Vec<Cell> {
        let failed = match self.failed {
            0 => Cell::none(),
            n => Cell::number(n.to_string(), n as f64).with_tone(Tone::Bad),
        };
        vec![
            self.outliers(figure),
            failed,
            Cell::label(self.fidelity.to_string(), Tone::Quiet),
        ]
    }
}

fn columns(middle: Vec<Column>) -> Vec<Column> {
    let mut columns = vec![
        Column::text("Scenario"),
        Column::text("Payload"),
        Column::text("Cipher"),
        Column::number("n", ""),
    ];
    columns.extend(middle);
    columns.extend([
        Column::number("Outliers", "").with_note("Outside Tukey's fences; included in the mean."),
        Column::number("Failed", ""),
        Column::text("Fidelity"),
    ]);
    columns
}

/// Times of the first experiment.
pub fn symmetric(rows: &[Row]) -> Table {
    let times = [
        ("Client encrypts", Figure::ClientEncrypt),
        ("Server decrypts", Figure::ServerDecrypt),
        ("Server encrypts", Figure::ServerEncrypt),
        ("Client decrypts", Figure::ClientDecrypt),
        ("Transmission", Figure::Transmission),
        ("Total", Figure::Total),
    ];
    let mut middle: Vec<Column> = times
        .iter()
        .map(|(name, _)| Column::number(*name, "ms"))
        .collect();
    middle.push(Column::text("Total, bootstrap"));
    middle.push(Column::number("Cryptography", "%"));
    let counted = [
        ("Client encrypts", Figure::EncryptInstructions),
        ("Client decrypts", Figure::DecryptInstructions),
        ("Client, both", Figure::CipherInstructions),
    ];
    middle.extend(
        counted
            .iter()
            .map(|(name, _)| Column::number(*name, "M instructions")),
    );
    let mut table = Table::new("A message sent and returned", columns(middle));
    for group in groups(rows, Experiment::Symmetric) {
        let mut line = group.head();
        if group.rows.iter().any(|row| !row.authenticated) {
            line[2].note = Some(
                "Not authenticated: an attacker on the connection can alter messages, and learn their content from the server's error replies."
                    .into(),
            );
        }
        line.extend(times.iter().map(|(_, figure)| group.cell(*figure)));
        line.push(group.bootstrap(Figure::Total));
        line.push(group.cell(Figure::Share));
        line.extend(counted.iter().map(|(_, figure)| group.cell(*figure)));
        line.extend(group.tail(Figure::Total));
        table.push(line);
    }
    remarks(&mut table);
    table.without_empty_columns()
}

/// Counts of the servers on emulated boards, by machine, cipher and size.
pub fn served(rows: &[Served]) -> Table {
    let mut groups: BTreeMap<(&str, &str, &str, u64), Vec<Sealing>> = BTreeMap::new();
    for row in rows {
        let key = (&*row.machine, &*row.implementation, &*row.cipher, row.bytes);
        groups.entry(key).or_default().push(row.instructions);
    }
    let mut table = Table::new(
        "Instructions of the server's cipher",
        vec![
            Column::text("Server"),
            Column::text("Cipher"),
            Column::number("Payload", "bytes"),
            Column::number("n", ""),
            Column::number("Server decrypts", "M instructions"),
            Column::number("Server encrypts", "M instructions"),
            Column::text("Fidelity"),
        ],
    );
    for ((machine, implementation, cipher, bytes), counted) in groups {
        let millions = |of: fn(&Sealing) -> u64| {
            let samples: Vec<f64> = counted.iter().map(|one| of(one) as f64 / 1e6).collect();
            stats::summarise(&samples).map_or_else(Cell::none, |summary| {
                Cell::number(significant(summary.mean, 3), summary.mean)
            })
        };
        table.push(vec![
            Cell::text(machine),
            Cell::text(cipher).with_detail(implementation),
            Cell::number(bytes.to_string(), bytes as f64),
            Cell::number(counted.len().to_string(), counted.len() as f64),
            millions(|one| one.decrypt),
            millions(|one| one.encrypt),
            Cell::label("instructions", Tone::Quiet),
        ]);
    }
    table
}

/// Times of the second experiment, or of the link in place of TLS.
pub fn tls(rows: &[Row], experiment: Experiment) -> Table {
    let title = match experiment {
        Experiment::Link => "A reading by the link",
        _ => "A reading by TLS 1.3",
    };
    let mut table = Table::new(title, columns(tls_columns()));
    for group in groups(rows, experiment) {
        table.push(tls_line(&group));
    }
    remarks(&mut table);
    table.remarks.extend(cautions(rows, experiment));
    table.without_empty_columns()
}

fn tls_columns() -> Vec<Column> {
    vec![
        Column::number("Handshake", "ms"),
        Column::number("sd", "ms"),
        Column::text("bootstrap"),
        Column::number("Client's CPU", "ms"),
        Column::number("Exchange", "ms"),
        Column::number("sd", "ms"),
        Column::number("Sent", "bytes"),
        Column::number("Received", "bytes"),
        Column::number("Waits", "").with_note(
            "Number of times that the client waited for an answer: in the handshake, and for the reading.",
        ),
        Column::number("Handshake", "M instructions"),
        Column::number("Exchange", "M instructions"),
        Column::number("Handshake", "M cycles, modelled"),
        Column::number("Exchange", "M cycles, modelled"),
        Column::number("Heap", "bytes"),
        Column::number("Stack", "bytes"),
        Column::number("RAM", "bytes")
            .with_note("Sum of variables, maximum heap and deepest stack."),
        Column::number("Flash", "bytes"),
    ]
}

fn tls_line(group: &Group<'_>) -> Vec<Cell> {
    let mut line = group.head();
    line.push(group.cell(Figure::Handshake));
    line.push(group.deviation(Figure::Handshake));
    line.push(group.bootstrap(Figure::Handshake));
    line.push(group.cell(Figure::HandshakeCpu));
    line.push(group.cell(Figure::Exchange));
    line.push(group.deviation(Figure::Exchange));
    for bytes in [|row: &Row| row.sent, |row: &Row| row.received] {
        let most = group.rows.iter().map(|row| bytes(row)).max().unwrap_or(0);
        line.push(Cell::number(most.to_string(), most as f64));
    }
    let trips = group
        .rows
        .first()
        .and_then(|row| row.tls)
        .map_or_else(Cell::none, |t| {
            Cell::text(format!("{} + {}", t.handshake_trips, t.exchange_trips))
        });
    line.push(trips);
    line.push(group.cell(Figure::HandshakeInstructions));
    line.push(group.cell(Figure::ExchangeInstructions));
    line.push(group.cell(Figure::HandshakeCycles));
    line.push(group.cell(Figure::ExchangeCycles));
    line.push(most(group, |tls| tls.heap));
    line.push(most(group, |tls| tls.stack));
    line.push(ram(group));
    line.push(most(group, |tls| tls.flash));
    line.extend(group.tail(Figure::Handshake));
    line
}

/// The cautions for modelled cycles, by board.
pub fn cautions(rows: &[Row], experiment: Experiment) -> BTreeSet<String> {
    let of = |row: &Row| {
        let device = row.unit.device.as_deref().unwrap_or_default();
        Some(format!("{device}: {}.", row.caution.as_ref()?))
    };
    let rows = rows.iter().filter(|row| row.unit.experiment == experiment);
    rows.filter_map(of).collect()
}

fn most(group: &Group<'_>, of: fn(&TlsTimes) -> Option<u64>) -> Cell {
    let tls = group.rows.iter().filter_map(|row| row.tls.as_ref());
    let most = tls.filter_map(of).max();
    most.map_or_else(Cell::none, |most| {
        Cell::number(most.to_string(), most as f64)
    })
}

/// The RAM that a client needs, and whether the part has that much.
pub fn ram(group: &Group<'_>) -> Cell {
    let cell = most(group, TlsTimes::ram);
    let tls = group.rows.iter().filter_map(|row| row.tls.as_ref());
    let part = tls.filter_map(|tls| tls.memory).max();
    let exceeds = group
        .rows
        .iter()
        .any(|row| row.tls.and_then(|tls| tls.exceeds()) == Some(true));
    match part {
        Some(part) if exceeds => cell
            .with_tone(Tone::Bad)
            .with_note(format!("Does not fit: the chip has {part}.")),
        Some(part) => cell.with_note(format!(
            "The chip has {part}; the figure contains no network stack."
        )),
        None => cell,
    }
}

fn remarks(table: &mut Table) {
    table.remarks.push(
        "Means ± half their 95 % interval (Student's t), and the 95 % interval by bootstrap."
            .into(),
    );
    table.remarks.push(
        "`emulated`: one end ran on an emulator. This shows that it works; the times are not those of the emulated machine."
            .into(),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::group::tests::rows;

    #[test]
    fn a_cipher_without_authentication_is_marked() {
        let table = symmetric(&rows());
        let csv = table.to_csv();
        assert!(csv.contains("aes-128-cbc"), "{csv}");
        assert!(table.to_markdown().contains("Not authenticated"));
    }
}
