//! What one sealed reading of 16 bytes costs a device by each way to a server: the paper's
//! protocol, Selo's link, TLS 1.3. Alone, and as one of a day's.
//!
//! The link's bytes are those of its frames (`selo-link`), its cycles, memory and flash those
//! of measured rows on the Uno; TLS is counted on the wire and measured in rows of this crate.

use std::path::Path;

use selo_lab::energy::PowerProfile;
use selo_link::frame::{
    Flags, JoinAccept, JoinRequest, PairCommit, PairKey, PairResult, PairReveal,
};
use selo_report::format::{count, significant};
use selo_report::svg::Picture;
use selo_report::svg::bars::{Bar, BarChart, Color, Item, Series};
use selo_report::table::{Cell, Column, Table};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::figures::groups;
use crate::row::{Experiment, Figure, Row};

/// Bytes of the reading.
const READING: usize = 16;

/// What the device computes with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Computing {
    /// Cycles of the chip.
    Cycles(f64),
    /// Seconds of the processor on which the rows were made.
    Seconds(f64),
    Unknown,
}

impl Computing {
    fn plus(self, times: f64, other: Computing) -> Computing {
        match (self, other) {
            (Computing::Cycles(a), Computing::Cycles(b)) => Computing::Cycles(a + times * b),
            (Computing::Seconds(a), Computing::Seconds(b)) => Computing::Seconds(a + times * b),
            _ => Computing::Unknown,
        }
    }
}

/// What something costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub sent: f64,
    pub received: f64,
    /// How often the device waits for an answer.
    pub trips: f64,
    pub computing: Computing,
}

impl Cost {
    fn plus(self, times: f64, other: Cost) -> Cost {
        Cost {
            sent: self.sent + times * other.sent,
            received: self.received + times * other.received,
            trips: self.trips + times * other.trips,
            computing: self.computing.plus(times, other.computing),
        }
    }

    fn shared(self, among: f64) -> Cost {
        Cost {
            sent: self.sent / among,
            received: self.received / among,
            trips: self.trips / among,
            computing: match self.computing {
                Computing::Cycles(cycles) => Computing::Cycles(cycles / among),
                Computing::Seconds(seconds) => Computing::Seconds(seconds / among),
                Computing::Unknown => Computing::Unknown,
            },
        }
    }

    pub fn bytes(&self) -> f64 {
        self.sent + self.received
    }
}

/// One way.
#[derive(Clone, Debug)]
pub struct Way {
    pub name: String,
    /// The first reading, with all that must come before it.
    pub alone: Cost,
    /// One of a day's readings.
    pub of_a_day: Cost,
    /// Bytes on the device, where they were measured.
    pub flash: Option<f64>,
    pub ram: Option<f64>,
    pub stack: Option<f64>,
    pub note: &'static str,
}

/// A number of the file of kept rows, `bench/baseline/uno.json`.
fn kept(file: &Value, row: &str, figure: &str) -> Option<f64> {
    file.get(row)?.get(figure)?.as_f64()
}

/// Reads that file.
pub fn baseline(path: &Path) -> Result<Value> {
    let wrong = |why: String| Error::File {
        path: path.to_owned(),
        why,
        hint: "bench/baseline/uno.json of the source folder".into(),
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

/// The ways, with `readings` a day; `suite` is the link's.
pub fn ways(file: &Value, suite: &str, rows: &[Row], readings: u32) -> Vec<Way> {
    let n = f64::from(readings.max(1));
    let cycles = |operation: &str| {
        kept(file, &format!("link {suite} {operation}"), "about_cycles")
            .map_or(Computing::Unknown, Computing::Cycles)
    };
    let cost = |sent: usize, received: usize, trips: u32, computing| Cost {
        sent: sent as f64,
        received: received as f64,
        trips: trips.into(),
        computing,
    };
    let flags = Flags::default();
    let packet = flags.header_bytes() + READING + flags.tag_bytes();
    let reading = cost(packet, 0, 0, cycles("seal 16"));
    let join = cost(JoinRequest::BYTES, JoinAccept::BYTES, 1, cycles("join"));
    let pair = cost(
        PairCommit::BYTES + PairReveal::BYTES,
        PairKey::BYTES + PairResult::BYTES,
        2,
        cycles("pair"),
    );
    let all = format!("link {suite} all");
    let memory = |figure| kept(file, &all, figure);
    let link = |name: &str, alone: Cost, of_a_day: Cost, note| Way {
        name: name.into(),
        alone,
        of_a_day,
        flash: memory("flash"),
        ram: memory("ram"),
        stack: memory("about_stack"),
        note,
    };
    // The two public keys, and blocks of 16 bytes with padding.
    let keys = cost(1 + 33, 33, 1, Computing::Unknown);
    let blocks = cost(1 + (READING / 16 + 1) * 16, 0, 0, Computing::Unknown);
    let mut ways = vec![
        Way {
            name: "classic".into(),
            alone: keys.plus(1.0, blocks),
            of_a_day: keys.plus(n, blocks).shared(n),
            flash: None,
            ram: None,
            stack: None,
            note: "The published protocol as printed: it authenticates nobody, and was not measured on the chip.",
        },
        link(
            "link, in a session",
            reading,
            reading,
            "A session that is there already.",
        ),
        link(
            "link, join",
            join.plus(1.0, reading),
            join.plus(n, reading).shared(n),
            "A join at the start of the day.",
        ),
        link(
            "link, pair and join",
            pair.plus(1.0, join).plus(1.0, reading),
            pair.plus(1.0, join).plus(n, reading).shared(n),
            "A pairing is done once in a device's life; here it is done every day.",
        ),
    ];
    ways.extend(tls(rows, n));
    ways
}

fn tls(rows: &[Row], n: f64) -> Vec<Way> {
    let all = groups(rows, Experiment::Tls);
    let mut found = Vec::new();
    for group in &all {
        let cost = |rows: &[&Row]| {
            let mean = |of: &dyn Fn(&Row) -> f64| {
                rows.iter().map(|row| of(row)).sum::<f64>() / rows.len().max(1) as f64
            };
            let tls = |row: &Row| row.tls.unwrap_or_default();
            Cost {
                sent: mean(&|row| row.sent as f64),
                received: mean(&|row| row.received as f64),
                // And one for TCP to connect.
                trips: mean(&|row| (1 + tls(row).handshake_trips + tls(row).exchange_trips) as f64),
                computing: Computing::Seconds(mean(&|row| {
                    (tls(row).handshake_cpu + tls(row).exchange_cpu) as f64 / 1e9
                })),
            }
        };
        let alone = cost(&group.rows);
        let unit = group.unit;
        let resumed = unit.handshake.as_deref() == Some("resumed");
        // Who resumes has shaken hands in full once.
        let full = all.iter().find(|other| {
            resumed
                && other.fidelity == group.fidelity
                && other.unit.handshake.as_deref() == Some("full")
                && (&other.unit.cipher, &other.unit.group, &other.unit.scenario)
                    == (&unit.cipher, &unit.group, &unit.scenario)
                && other.unit.implementation == unit.implementation
        });
        let of_a_day = full.map_or(alone, |full| {
            cost(&full.rows).plus(n - 1.0, alone).shared(n)
        });
        let most = |of: fn(&crate::row::TlsTimes) -> Option<u64>| {
            let times = group.rows.iter().filter_map(|row| row.tls.as_ref());
            times.filter_map(of).max().map(|bytes| bytes as f64)
        };
        found.push(Way {
            name: format!("TLS 1.3, {}, {}", unit.label(), unit.implementation),
            alone,
            of_a_day,
            flash: None,
            ram: most(|tls| tls.heap),
            stack: most(|tls| tls.stack),
            note: "A connection for each reading. The reading goes as JSON in HTTP, longer than its 16 bytes. Memory is the most heap.",
        });
        debug_assert!(group.summary(Figure::Handshake).is_some());
    }
    found
}

fn number(value: f64) -> Cell {
    Cell::number(significant(value, 3), value)
}

fn bytes(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::none, |value| Cell::number(count(value), value))
}

/// The ways as a table; energy is the chip's, above idle, by `power`.
pub fn table(ways: &[Way], readings: u32, clock_hz: f64, power: &PowerProfile) -> Table {
    let mut table = Table::new(
        format!("One sealed reading of {READING} bytes, alone and as one of {readings} a day"),
        vec![
            Column::text("Way"),
            Column::number("Sent", "bytes"),
            Column::number("Received", "bytes"),
            Column::number("Waits", ""),
            Column::number("Computing", "cycles").with_note("Of the Uno."),
            Column::number("Computing", "ms")
                .with_note("Of the processor of the machine on which the rows were made."),
            Column::number("Energy", "mJ"),
            Column::number("Of a day: bytes", ""),
            Column::number("Of a day: waits", ""),
            Column::number("Of a day: energy", "mJ"),
            Column::number("Flash", "bytes"),
            Column::number("RAM", "bytes"),
            Column::number("Stack", "bytes"),
        ],
    );
    let energy = |computing: Computing| match computing {
        Computing::Cycles(cycles) => number(power.joules(cycles / clock_hz) * 1e3),
        _ => Cell::none(),
    };
    for way in ways {
        let (cycles, milliseconds) = match way.alone.computing {
            Computing::Cycles(cycles) => (bytes(Some(cycles)), Cell::none()),
            Computing::Seconds(seconds) => (Cell::none(), number(seconds * 1e3)),
            Computing::Unknown => (Cell::none(), Cell::none()),
        };
        table.push(vec![
            Cell::text(&way.name).with_note(way.note),
            bytes(Some(way.alone.sent)),
            bytes(Some(way.alone.received)),
            number(way.alone.trips),
            cycles,
            milliseconds,
            energy(way.alone.computing),
            number(way.of_a_day.bytes()),
            number(way.of_a_day.trips),
            energy(way.of_a_day.computing),
            bytes(way.flash),
            bytes(way.ram),
            bytes(way.stack),
        ]);
    }
    table.remarks.push(
        "Bytes are those that the carrier is given: frames of the link, and what TCP carries of \
         TLS, without the heads of UDP, TCP and IP. The node's firmware is whole in flash, RAM \
         and stack."
            .into(),
    );
    table.remarks.push(format!(
        "Energy is the core's above idle by the profile {} at {} MHz; no radio is in it.",
        power.name,
        clock_hz / 1e6
    ));
    table.without_empty_columns()
}

/// Bytes by each way.
pub fn picture(ways: &[Way], readings: u32) -> Picture {
    let bar = |value: f64| {
        Some(Bar {
            value,
            text: count(value),
            interval: None,
        })
    };
    BarChart {
        id: "ways".into(),
        title: format!("Bytes of one reading of {READING} bytes"),
        unit: "bytes".into(),
        fidelity: String::new(),
        series: vec![
            Series {
                name: "alone".into(),
                color: Color::Hue(0),
            },
            Series {
                name: format!("one of {readings} a day"),
                color: Color::Hue(1),
            },
        ],
        items: ways
            .iter()
            .map(|way| Item {
                label: way.name.clone(),
                remark: String::new(),
                contender: None,
                bars: vec![bar(way.alone.bytes()), bar(way.of_a_day.bytes())],
            })
            .collect(),
    }
    .draw()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::TlsTimes;
    use crate::row::tests::sample;

    fn tls_row(handshake: &str, sent: u64) -> Row {
        let mut row = sample("TLS_AES_128_GCM_SHA256", 0, 1);
        row.unit.experiment = Experiment::Tls;
        row.unit.group = Some("x25519".into());
        row.unit.handshake = Some(handshake.into());
        row.stamps = None;
        row.sent = sent;
        row.received = 100;
        row.tls = Some(TlsTimes {
            handshake_trips: 1,
            exchange_trips: 1,
            handshake_cpu: 1_000_000,
            ..TlsTimes::default()
        });
        row
    }

    #[test]
    fn a_day_shares_what_comes_before_the_reading() {
        let file =
            baseline(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/baseline/uno.json"));
        let file = file.expect("it is in the tree");
        let rows = [tls_row("full", 1000), tls_row("resumed", 500)];
        let all = ways(&file, "chachapoly-blake2s", &rows, 10);
        let way = |name: &str| {
            let found = all.iter().find(|way| way.name.starts_with(name));
            found.unwrap_or_else(|| panic!("no {name}"))
        };
        // docs/protocol.md: 29 bytes, 58 + 58, 38 + 37 + 53 + 21.
        assert_eq!(way("link, in").alone.bytes(), 29.0);
        assert_eq!(way("link, join").alone.bytes(), 145.0);
        assert!((way("link, join").of_a_day.bytes() - (116.0 / 10.0 + 29.0)).abs() < 1e-9);
        assert_eq!(way("link, pair").alone.bytes(), 149.0 + 145.0);
        assert_eq!(way("link, pair").alone.sent, 38.0 + 53.0 + 58.0 + 29.0);
        assert!(matches!(way("link, join").alone.computing, Computing::Cycles(c) if c > 1e6));
        let full = way("TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, full");
        assert_eq!((full.alone.bytes(), full.alone.trips), (1100.0, 3.0));
        let resumed = way("TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, resumed");
        assert!((resumed.of_a_day.sent - (1000.0 + 9.0 * 500.0) / 10.0).abs() < 1e-9);
        assert!(picture(&all, 10).standalone().contains("link, join"));
    }
}
