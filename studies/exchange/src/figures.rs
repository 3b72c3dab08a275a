//! Tables and pictures of rows. Warm-ups and failed exchanges are in neither, but failures are
//! counted.

use std::collections::{BTreeMap, BTreeSet};

use selo_base::stats::{self, Summary};
use selo_report::format::significant;
use selo_report::svg::Picture;
use selo_report::svg::bars::{Bar, BarChart, Color, Item, Series};
use selo_report::table::{Cell, Column, Table, Tone};

use crate::row::{Experiment, Fidelity, Figure, Row, Sealing, Served, TlsTimes, Unit};

/// The level at which two samples count as distinct, before it is shared among the pairs.
const LEVEL: f64 = 0.05;
/// The bootstrap's seed: the same rows give the same intervals.
const SEED: u64 = 2020;

/// The counted exchanges of a unit.
#[derive(Clone, Debug)]
pub struct Group<'a> {
    pub unit: &'a Unit,
    pub fidelity: Fidelity,
    pub rows: Vec<&'a Row>,
    pub failed: usize,
}

/// Rows by unit and fidelity, in the order of the units.
pub fn groups(rows: &[Row], experiment: Experiment) -> Vec<Group<'_>> {
    let mut found: BTreeMap<(&Unit, Fidelity), Group<'_>> = BTreeMap::new();
    let mut failures: BTreeMap<&Unit, usize> = BTreeMap::new();
    for row in rows {
        if row.unit.experiment != experiment {
        } else if !row.verified {
            *failures.entry(&row.unit).or_default() += 1;
        } else if !row.warm_up {
            let group = found
                .entry((&row.unit, row.fidelity))
                .or_insert_with(|| Group {
                    unit: &row.unit,
                    fidelity: row.fidelity,
                    rows: Vec::new(),
                    failed: 0,
                });
            group.rows.push(row);
        }
    }
    let mut groups: Vec<Group<'_>> = found.into_values().collect();
    for group in &mut groups {
        group.failed = failures.remove(group.unit).unwrap_or_default();
    }
    groups
}

impl Group<'_> {
    /// A client on a board's emulator: its times say nothing of the board, its instructions do.
    fn is_clockless(&self) -> bool {
        self.fidelity == Fidelity::Emulated && self.unit.device.is_some()
    }

    pub fn samples(&self, figure: Figure) -> Vec<f64> {
        self.rows.iter().filter_map(|row| figure.of(row)).collect()
    }

    pub fn summary(&self, figure: Figure) -> Option<Summary> {
        stats::summarise(&self.samples(figure))
    }

    /// Mean with half its 95 % interval by Student's t, in milliseconds or per cent.
    fn cell(&self, figure: Figure) -> Cell {
        let Some(summary) = self.summary(figure) else {
            return Cell::none();
        };
        let factor = factor(figure);
        let mean = summary.mean * factor;
        let text = match summary.ci95 {
            Some(half) => format!(
                "{} ± {}",
                significant(mean, 3),
                significant(half * factor, 2)
            ),
            None => significant(mean, 3),
        };
        Cell::number(text, mean)
    }

    fn deviation(&self, figure: Figure) -> Cell {
        let sd = self.summary(figure).and_then(|summary| summary.sd);
        sd.map_or_else(Cell::none, |sd| {
            let sd = sd * factor(figure);
            Cell::number(significant(sd, 2), sd)
        })
    }

    fn bootstrap(&self, figure: Figure) -> Cell {
        let interval = stats::bootstrap(&self.samples(figure), SEED);
        interval.map_or_else(Cell::none, |interval| {
            Cell::text(format!(
                "{} to {}",
                significant(interval.low * factor(figure), 3),
                significant(interval.high * factor(figure), 3)
            ))
        })
    }

    fn outliers(&self, figure: Figure) -> Cell {
        let number = stats::outliers(&self.samples(figure));
        number.map_or_else(Cell::none, |n| Cell::number(n.to_string(), f64::from(n)))
    }

    /// The columns that both tables begin with.
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

/// From seconds to milliseconds; a share and what is counted stay as they are.
fn factor(figure: Figure) -> f64 {
    if figure == Figure::Share || figure.is_counted() {
        1.0
    } else {
        1e3
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
        Column::number("Outliers", "")
            .with_note("Outside Tukey's fences; counted, and in the mean."),
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
    let mut table = Table::new("A message there and back", columns(middle));
    for group in groups(rows, Experiment::Symmetric) {
        let mut line = group.head();
        if group.rows.iter().any(|row| !row.authenticated) {
            line[2].note = Some(
                "Not authenticated: whoever can write to the line can alter messages, and learn \
                 their content from the server's complaints."
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

/// What servers on emulated boards counted, by machine, cipher and size.
pub fn served(rows: &[Served]) -> Table {
    let mut groups: BTreeMap<(&str, &str, &str, u64), Vec<Sealing>> = BTreeMap::new();
    for row in rows {
        let key = (&*row.machine, &*row.implementation, &*row.cipher, row.bytes);
        groups.entry(key).or_default().push(row.instructions);
    }
    let mut table = Table::new(
        "What the server's cipher executed",
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

/// Times of the second, or of the link in its place.
pub fn tls(rows: &[Row], experiment: Experiment) -> Table {
    let middle = vec![
        Column::number("Handshake", "ms"),
        Column::number("sd", "ms"),
        Column::text("bootstrap"),
        Column::number("Client's CPU", "ms"),
        Column::number("Exchange", "ms"),
        Column::number("sd", "ms"),
        Column::number("Sent", "bytes"),
        Column::number("Received", "bytes"),
        Column::number("Waits", "").with_note(
            "How often the client waited for an answer: in the handshake, and for the reading.",
        ),
        Column::number("Handshake", "M instructions"),
        Column::number("Exchange", "M instructions"),
        Column::number("Handshake", "M cycles, modelled"),
        Column::number("Exchange", "M cycles, modelled"),
        Column::number("Heap", "bytes"),
        Column::number("Stack", "bytes"),
        Column::number("RAM", "bytes")
            .with_note("Variables, most heap and deepest stack together."),
        Column::number("Flash", "bytes"),
    ];
    let title = match experiment {
        Experiment::Link => "A reading by the link",
        _ => "A reading by TLS 1.3",
    };
    let mut table = Table::new(title, columns(middle));
    for group in groups(rows, experiment) {
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
        line.push(most(&group, |tls| tls.heap));
        line.push(most(&group, |tls| tls.stack));
        line.push(ram(&group));
        line.push(most(&group, |tls| tls.flash));
        line.extend(group.tail(Figure::Handshake));
        table.push(line);
    }
    remarks(&mut table);
    table.remarks.extend(cautions(rows, experiment));
    table.without_empty_columns()
}

/// What a reader of modelled cycles must know, by board.
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

/// What a client takes of a part's RAM, and whether the part has it.
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
            .with_note(format!("Does not fit: the part has {part}.")),
        Some(part) => cell.with_note(format!("The part has {part}; no network is in it.")),
        None => cell,
    }
}

fn remarks(table: &mut Table) {
    table.remarks.push(
        "Means ± half their 95 % interval (Student's t), and the 95 % interval by bootstrap."
            .into(),
    );
    table.remarks.push(
        "`emulated`: an end ran on an emulator. That shows that it works there; the times are \
         not those of the machine that is emulated."
            .into(),
    );
}

/// Which units of a scenario and payload can be told apart by a figure.
pub fn comparisons(rows: &[Row], experiment: Experiment, figure: Figure) -> Table {
    let mut table = Table::new(
        format!("Differences in {}", figure.name()),
        vec![
            Column::text("Scenario"),
            Column::text("Payload"),
            Column::text("First"),
            Column::text("Second"),
            Column::number("Difference", "ms"),
            Column::number("p, Welch", ""),
            Column::number("p, Mann-Whitney", ""),
            Column::text("Verdict"),
        ],
    );
    let mut groups = groups(rows, experiment);
    groups.retain(|group| !group.is_clockless() || figure.is_counted());
    // What differs in one thing only: two suites by one key exchange, not by two.
    let alike = |a: &Group<'_>, b: &Group<'_>| {
        let (x, y) = (a.unit, b.unit);
        let same = x.scenario == y.scenario
            && x.payload == y.payload
            && x.handshake == y.handshake
            && a.fidelity == b.fidelity;
        let differ = [
            x.cipher != y.cipher,
            x.group != y.group,
            x.implementation != y.implementation,
            x.device != y.device,
        ];
        same && differ.into_iter().filter(|differ| *differ).count() == 1
    };
    let mut pairs = Vec::new();
    for (place, a) in groups.iter().enumerate() {
        let others = groups[place + 1..].iter().filter(|b| alike(a, b));
        pairs.extend(others.map(|b| (a, b)));
    }
    let level = LEVEL / pairs.len().max(1) as f64;
    for (a, b) in &pairs {
        let Some(compared) = stats::compare(&a.samples(figure), &b.samples(figure), level) else {
            continue;
        };
        let p = |test: Option<stats::Test>| {
            test.map_or_else(Cell::none, |test| {
                Cell::number(significant(test.p, 2), test.p)
            })
        };
        let (verdict, tone) = match (compared.distinct, compared.difference < 0.0) {
            (true, true) => ("the first is faster", Tone::Good),
            (true, false) => ("the second is faster", Tone::Good),
            (false, _) => ("cannot be told apart here", Tone::Warn),
        };
        let difference = compared.difference * factor(figure);
        table.push(vec![
            Cell::text(&a.unit.scenario),
            Cell::text(&a.unit.payload),
            Cell::text(a.unit.label()).with_detail(a.unit.who()),
            Cell::text(b.unit.label()).with_detail(b.unit.who()),
            Cell::number(significant(difference, 2), difference),
            p(compared.welch),
            p(compared.mann_whitney),
            Cell::text(verdict).with_tone(tone),
        ]);
    }
    table.remarks.push(format!(
        "Both tests have to see the difference at {LEVEL} over the number of pairs ({}): {}. \
         What cannot be told apart is too close, or the machine too noisy: more repetitions, or a \
         quieter machine.",
        pairs.len(),
        significant(level, 2)
    ));
    table
}

/// Pictures of what there is: of each scenario and payload the ciphers' times and shares, and
/// of each scenario the suites'.
pub fn pictures(rows: &[Row]) -> Vec<Picture> {
    let mut pictures = Vec::new();
    let all = groups(rows, Experiment::Symmetric);
    for group in sets(&all, |g| format!("{}-{}", g.unit.scenario, g.unit.payload)) {
        let (name, groups) = group;
        let times = [
            ("client encrypts", Figure::ClientEncrypt),
            ("server decrypts", Figure::ServerDecrypt),
            ("server encrypts", Figure::ServerEncrypt),
            ("client decrypts", Figure::ClientDecrypt),
        ];
        let title = format!("Encryption and decryption, {name}");
        pictures.push(chart(format!("times-{name}"), title, "ms", &times, &groups));
        let share = [("share of cryptography", Figure::Share)];
        let title = format!("Cryptography in the total, {name}");
        pictures.push(chart(format!("share-{name}"), title, "%", &share, &groups));
    }
    let (counted, all): (Vec<_>, Vec<_>) = groups(rows, Experiment::Tls)
        .into_iter()
        .partition(Group::is_clockless);
    for (name, groups) in sets(&counted, |g| g.unit.scenario.clone()) {
        let figures = [("handshake", Figure::HandshakeInstructions)];
        let title = format!("TLS 1.3, the client's instructions, {name}");
        let id = format!("instructions-{name}");
        pictures.push(chart(id, title, "M instructions", &figures, &groups));
    }
    for (name, groups) in sets(&all, |g| g.unit.scenario.clone()) {
        let times = [
            ("handshake", Figure::Handshake),
            ("exchange", Figure::Exchange),
        ];
        let title = format!("TLS 1.3, {name}");
        pictures.push(chart(format!("tls-{name}"), title, "ms", &times, &groups));
    }
    pictures
}

/// Groups under a common name, in the order of the names.
fn sets<'a, 'b>(
    groups: &'b [Group<'a>],
    name: impl Fn(&Group<'a>) -> String,
) -> BTreeMap<String, Vec<&'b Group<'a>>> {
    let mut sets: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for group in groups {
        // A name of a file.
        let safe: String = name(group)
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        sets.entry(safe).or_default().push(group);
    }
    sets
}

fn chart(
    id: String,
    title: String,
    unit: &str,
    figures: &[(&str, Figure)],
    groups: &[&Group<'_>],
) -> Picture {
    let bar = |group: &Group<'_>, figure: Figure| {
        let summary = group.summary(figure)?;
        let (mean, factor) = (summary.mean * factor(figure), factor(figure));
        let interval = summary
            .ci95
            .map(|half| ((mean - half * factor).max(0.0), mean + half * factor));
        Some(Bar {
            value: mean,
            text: significant(mean, 3),
            interval,
        })
    };
    BarChart {
        id,
        title,
        unit: unit.into(),
        fidelity: String::new(),
        series: figures
            .iter()
            .enumerate()
            .map(|(hue, (name, _))| Series {
                name: (*name).into(),
                color: Color::Hue(hue),
            })
            .collect(),
        items: groups
            .iter()
            .map(|group| Item {
                label: format!("{}, {}", group.unit.label(), group.unit.who()),
                remark: group.fidelity.to_string(),
                library: None,
                bars: figures
                    .iter()
                    .map(|(_, figure)| bar(group, *figure))
                    .collect(),
            })
            .collect(),
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Counted;
    use crate::row::record::tests::sample;

    /// Two ciphers of which one is three times as slow, some noise, a warm-up, a failure.
    fn rows() -> Vec<Row> {
        let mut rows: Vec<Row> = (0..20)
            .flat_map(|n| {
                let noise = u64::from(n * 7 % 5);
                [
                    sample("aes-128-cbc", n, 100_000 + noise * 1000),
                    sample("aes-256-cbc", n, 300_000 + noise * 1000),
                ]
            })
            .collect();
        let mut warm = sample("aes-128-cbc", 0, 900_000_000);
        warm.warm_up = true;
        rows.push(warm);
        let mut failed = sample("aes-128-cbc", 20, 900_000_000);
        failed.verified = false;
        failed.stamps = None;
        rows.push(failed);
        rows
    }

    #[test]
    fn warm_ups_are_in_no_mean_and_failures_are_counted() {
        let rows = rows();
        let groups = groups(&rows, Experiment::Symmetric);
        assert_eq!(groups.len(), 2);
        assert_eq!((groups[0].rows.len(), groups[0].failed), (20, 1));
        let mean = groups[0].summary(Figure::ClientEncrypt).expect("20").mean;
        assert!((mean - 102e-6).abs() < 1e-9, "{mean}");
        let table = symmetric(&rows);
        let csv = table.to_csv();
        assert!(csv.contains("aes-128-cbc"), "{csv}");
        assert!(table.to_markdown().contains("Not authenticated"));
    }

    #[test]
    fn what_differs_is_told_apart_and_what_does_not_is_not() {
        let mut rows = rows();
        let table = comparisons(&rows, Experiment::Symmetric, Figure::ClientEncrypt);
        assert_eq!(table.body.len(), 1);
        assert_eq!(table.body[0][7].text, "the first is faster");
        for row in &mut rows {
            if let Some(stamps) = &mut row.stamps {
                let wait = stamps.t6 - stamps.t1;
                stamps.t1 = 100_000 + u64::from(row.repetition) * 1000;
                stamps.t6 = stamps.t1 + wait;
            }
        }
        let table = comparisons(&rows, Experiment::Symmetric, Figure::ClientEncrypt);
        assert_eq!(table.body[0][7].text, "cannot be told apart here");
    }

    /// An emulator's times are compared with nothing and drawn nowhere; what it counted is.
    #[test]
    fn an_emulated_board_has_instructions_and_no_times() {
        let row = |cipher: &str, repetition: u32| {
            let mut row = sample(cipher, repetition, 1);
            row.unit.experiment = Experiment::Tls;
            row.unit.device = Some("esp8266".into());
            row.fidelity = Fidelity::Emulated;
            row.stamps = None;
            row.tls = Some(TlsTimes {
                handshake: 1_000_000_000 + u64::from(repetition),
                instructions: Some(Counted {
                    handshake: 217_000_000,
                    exchange: 48_000,
                }),
                variables: Some(1_000),
                heap: Some(80_000),
                stack: Some(2_000),
                memory: Some(81_920),
                ..TlsTimes::default()
            });
            row
        };
        let rows: Vec<Row> = (0..5).flat_map(|n| [row("a", n), row("b", n)]).collect();
        let times = comparisons(&rows, Experiment::Tls, Figure::Handshake);
        assert!(times.body.is_empty());
        let pictures = pictures(&rows);
        assert_eq!(pictures.len(), 1);
        assert!(pictures[0].standalone().contains("217"));
        let table = tls(&rows, Experiment::Tls).to_markdown();
        assert!(
            table.contains("83000") && table.contains("Does not fit"),
            "{table}"
        );
    }

    #[test]
    fn there_is_a_picture_of_times_and_of_shares() {
        let pictures = pictures(&rows());
        let ids: Vec<&str> = pictures.iter().map(|p| p.id.as_str()).collect();
        assert_eq!(
            ids,
            ["times-two-processes-string", "share-two-processes-string"]
        );
        assert!(pictures[0].standalone().contains("aes-256-cbc"));
    }
}
