//! What one sealed reading of 16 bytes costs a device by each way to a server: the paper's
//! protocol, Selo's link, TLS 1.3. Alone, and as one of a day's.
//!
//! The link's bytes are those of its frames (`selo-link`), its cycles, memory and flash those
//! of measured rows on the Uno; those of the paper's protocol are the sums of its parts' rows.
//! TLS is counted on the wire and measured in rows of this crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use selo_engine::energy::PowerProfile;
use selo_link::frame::{
    Flags, JoinAccept, JoinRequest, PairCommit, PairKey, PairResult, PairReveal,
};
use selo_report::format::{count, significant};
use selo_report::svg::Picture;
use selo_report::svg::bars::{Bar, BarChart, Color, Item, Series};
use selo_report::table::{Cell, Column, Table, Tone};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::figures::{Group, groups};
use crate::row::{Experiment, Figure, Row, TlsTimes};

/// Bytes of the reading.
const READING: usize = 16;

/// What the device computes with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Computing {
    /// Cycles of the chip.
    Cycles(f64),
    /// Instructions of a core whose cycles nobody knows.
    Instructions(f64),
    /// Instructions, and their cycles by the model of the core.
    Modelled {
        instructions: f64,
        cycles: f64,
    },
    /// Seconds of the processor on which the rows were made.
    Seconds(f64),
    Unknown,
}

impl Computing {
    /// Both of one kind, with each of their numbers made of the two; else unknown.
    fn with(self, other: Computing, each: impl Fn(f64, f64) -> f64) -> Computing {
        match (self, other) {
            (Computing::Cycles(a), Computing::Cycles(b)) => Computing::Cycles(each(a, b)),
            (Computing::Instructions(a), Computing::Instructions(b)) => {
                Computing::Instructions(each(a, b))
            }
            (
                Computing::Modelled {
                    instructions,
                    cycles,
                },
                Computing::Modelled {
                    instructions: others,
                    cycles: other,
                },
            ) => Computing::Modelled {
                instructions: each(instructions, others),
                cycles: each(cycles, other),
            },
            (Computing::Seconds(a), Computing::Seconds(b)) => Computing::Seconds(each(a, b)),
            _ => Computing::Unknown,
        }
    }

    fn plus(self, times: f64, other: Computing) -> Computing {
        self.with(other, |a, b| a + times * b)
    }

    fn shared(self, among: f64) -> Computing {
        self.with(self, |a, _| a / among)
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
            computing: self.computing.shared(among),
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
    /// The board that computes.
    pub on: String,
    /// The first reading, with all that must come before it.
    pub alone: Cost,
    /// One of a day's readings.
    pub of_a_day: Cost,
    /// Bytes on the device, where they were measured.
    pub memory: Memory,
    pub note: &'static str,
    /// What a reader of its modelled cycles must know.
    pub caution: Option<String>,
}

/// What turns a board's cycles into energy.
#[derive(Clone, Copy, Debug)]
pub struct Chip<'a> {
    pub clock_hz: f64,
    pub power: &'a PowerProfile,
}

/// Bytes on a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    pub flash: Option<f64>,
    /// Variables and heap.
    pub ram: Option<f64>,
    pub stack: Option<f64>,
    /// The RAM of the part, where it is less than both together.
    pub exceeded: Option<f64>,
}

/// The board of the kept rows.
const KEPT: &str = "uno";

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
    let memory = Memory {
        flash: kept(file, &all, "flash"),
        ram: kept(file, &all, "ram"),
        stack: kept(file, &all, "about_stack"),
        exceeded: None,
    };
    let link = |name: &str, alone: Cost, of_a_day: Cost, note| Way {
        name: name.into(),
        on: KEPT.into(),
        alone,
        of_a_day,
        memory,
        note,
        caution: None,
    };
    // The two public keys, and blocks of 16 bytes with padding.
    let blocks = READING / 16 + 1;
    let (first, each) = classic(file, blocks);
    let keys = cost(1 + 33, 33, 1, first);
    let sealed = cost(1 + blocks * 16, 0, 0, each);
    let mut ways = vec![
        Way {
            name: "classic".into(),
            on: KEPT.into(),
            alone: keys.plus(1.0, sealed),
            of_a_day: keys.plus(n, sealed).shared(n),
            memory: classic_memory(file),
            caution: None,
            note: "The published protocol as printed: it authenticates nobody. Computing and memory are the sums of its functions' rows, without a firmware around them.",
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
    ways.extend(boards(rows, suite, n));
    ways.extend(tls(rows, n));
    ways
}

/// The link and the published protocol on other boards, as rows of this crate have them.
fn boards(rows: &[Row], suite: &str, n: f64) -> Vec<Way> {
    let all = groups(rows, Experiment::Link);
    let is = |group: &Group<'_>, handshake: &str| {
        group.unit.handshake.as_deref() == Some(handshake)
            && (group.unit.cipher == suite || handshake == "classic")
    };
    let mean = |group: &Group<'_>, of: &dyn Fn(&Row, &TlsTimes) -> u64| {
        let with_times = group.rows.iter().filter_map(|row| Some((row, row.tls?)));
        let sum: u64 = with_times.map(|(row, tls)| of(row, &tls)).sum();
        sum as f64 / group.rows.len().max(1) as f64
    };
    let handshake = |group: &Group<'_>| Cost {
        sent: mean(group, &|_, tls| tls.handshake_sent),
        received: mean(group, &|_, tls| tls.handshake_received),
        trips: mean(group, &|_, tls| tls.handshake_trips),
        computing: computing(&group.rows, |part| part.handshake),
    };
    // And, after a pairing, the join.
    let reading = |group: &Group<'_>| Cost {
        sent: mean(group, &|row, tls| row.sent - tls.handshake_sent),
        received: mean(group, &|row, tls| row.received - tls.handshake_received),
        trips: mean(group, &|_, tls| tls.exchange_trips),
        computing: computing(&group.rows, |part| part.exchange),
    };
    let mut found = Vec::new();
    for group in &all {
        let (first, rest) = (handshake(group), reading(group));
        let mut push = |name: &str, alone, of_a_day, note| {
            found.push(Way {
                name: name.into(),
                on: group.unit.device.clone().unwrap_or_default(),
                alone,
                of_a_day,
                memory: memory(group, None),
                note,
                caution: caution(group),
            });
        };
        let both = first.plus(1.0, rest);
        if is(group, "classic") {
            push(
                "classic",
                both,
                first.plus(n, rest).shared(n),
                "The published protocol as printed: it authenticates nobody. In portable C, without a radio.",
            );
        } else if is(group, "join") {
            push(
                "link, in a session",
                rest,
                rest,
                "A session that is there already. In portable C, without a radio.",
            );
            push(
                "link, join",
                both,
                first.plus(n, rest).shared(n),
                "A join at the start of the day. In portable C, without a radio.",
            );
        } else if is(group, "pair") {
            // The day's other readings are those of a session, which rows of joins have.
            let joins = all.iter().find(|other| {
                is(other, "join")
                    && other.unit.device == group.unit.device
                    && other.unit.implementation == group.unit.implementation
            });
            let (of_a_day, note) = match joins {
                Some(joins) => (
                    both.plus(n - 1.0, reading(joins)).shared(n),
                    "A pairing is done once in a device's life; here it is done every day. In portable C, without a radio.",
                ),
                None => (
                    both,
                    "There is no row of a join, so the day's figures are those of one reading: --handshake join measures it.",
                ),
            };
            push("link, pair and join", both, of_a_day, note);
        }
    }
    found
}

fn caution(group: &Group<'_>) -> Option<String> {
    let device = group.unit.device.as_deref()?;
    let said = group.rows.iter().find_map(|row| row.caution.as_ref())?;
    Some(format!("{device}: {said}."))
}

/// Bytes of a client. One that resumes has shaken hands in full before, in the same RAM.
fn memory(group: &Group<'_>, before: Option<&Group<'_>>) -> Memory {
    let most = |rows: &[&Row], of: fn(&TlsTimes) -> Option<u64>| {
        let times = rows.iter().filter_map(|row| row.tls.as_ref());
        times.filter_map(of).max()
    };
    let own = |of| most(&group.rows, of);
    let either = |of| own(of).max(before.and_then(|before| most(&before.rows, of)));
    let heap = either(|tls| tls.heap);
    let stack = either(|tls| tls.stack);
    let ram = heap.map(|heap| heap + own(|tls| tls.variables).unwrap_or_default());
    let part = own(|tls| tls.memory);
    let takes = ram.zip(stack).map(|(ram, stack)| ram + stack);
    let bytes = |bytes: Option<u64>| bytes.map(|bytes| bytes as f64);
    Memory {
        flash: bytes(own(|tls| tls.flash)),
        ram: bytes(ram),
        stack: bytes(stack),
        exceeded: bytes(part.filter(|part| takes.is_some_and(|takes| takes > *part))),
    }
}

/// The functions of the published protocol, and the variant of their rows.
const CLASSIC: [&str; 3] = ["x25519 fast", "sha3-256 fast", "aes-256-ecb fast"];

/// What the published protocol computes: for the keys, and for so many blocks.
fn classic(file: &Value, blocks: usize) -> (Computing, Computing) {
    let [agree, hash, cipher] = CLASSIC;
    let cycles = |row: String| kept(file, &row, "cycles");
    let first = || {
        Some(
            cycles(format!("{agree} keygen"))?
                + cycles(format!("{agree} shared-secret"))?
                + cycles(format!("{hash} hash 32"))?
                + cycles(format!("{cipher} key-setup"))?,
        )
    };
    // Kept of one block and of four: each one more takes the same.
    let each = || {
        let one = cycles(format!("{cipher} encrypt 16"))?;
        let four = cycles(format!("{cipher} encrypt 64"))?;
        Some(one + (blocks as f64 - 1.0) * (four - one) / 3.0)
    };
    let known = |cycles: Option<f64>| cycles.map_or(Computing::Unknown, Computing::Cycles);
    (known(first()), known(each()))
}

fn classic_memory(file: &Value) -> Memory {
    let [agree, hash, cipher] = CLASSIC;
    let images = [
        format!("{agree} both"),
        format!("{hash} hash"),
        format!("{cipher} encrypt"),
    ];
    let sum = |figure| -> Option<f64> { images.iter().map(|row| kept(file, row, figure)).sum() };
    Memory {
        flash: sum("flash"),
        ram: sum("ram"),
        stack: kept(file, &format!("{agree} keygen"), "stack"),
        exceeded: None,
    }
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
                computing: computing(rows, |part| part.handshake + part.exchange),
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
                && other.unit.device == unit.device
        });
        let of_a_day = full.map_or(alone, |full| {
            cost(&full.rows).plus(n - 1.0, alone).shared(n)
        });
        found.push(Way {
            name: format!("TLS 1.3, {}, {}", unit.label(), unit.implementation),
            on: unit.device.clone().unwrap_or_else(|| "native".into()),
            alone,
            of_a_day,
            memory: memory(group, full),
            caution: caution(group),
            note: match (resumed, full) {
                (false, _) => {
                    "A connection for each reading. The reading goes as JSON in HTTP, longer than its 16 bytes. RAM is variables and most heap."
                }
                (true, Some(_)) => {
                    "A connection for each reading, the day's first with a full handshake; RAM and stack are those of the handshake that takes more."
                }
                (true, None) => {
                    "There is no row of the full handshake with which the day begins, so it is in neither the day's figures nor the RAM: --handshake full measures it."
                }
            },
        });
        debug_assert!(group.summary(Figure::Handshake).is_some());
    }
    found
}

/// Handshake and exchange of a row, of one kind.
struct Part {
    handshake: f64,
    exchange: f64,
}

/// What a client computed: instructions where they were counted, with their cycles where a model
/// has them, else the processor's time
/// where the client has a clock.
fn computing(rows: &[&Row], of: fn(Part) -> f64) -> Computing {
    let times = || rows.iter().filter_map(|row| row.tls);
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let counted = |tls: TlsTimes| {
        let counted = tls.instructions?;
        Some(of(Part {
            handshake: counted.handshake as f64,
            exchange: counted.exchange as f64,
        }))
    };
    let modelled = |tls: TlsTimes| {
        let cycles = tls.cycles?;
        Some(of(Part {
            handshake: cycles.handshake as f64,
            exchange: cycles.exchange as f64,
        }))
    };
    if let Some(counted) = times().map(counted).collect() {
        let instructions = mean(counted);
        return match times().map(modelled).collect() {
            Some(cycles) => Computing::Modelled {
                instructions,
                cycles: mean(cycles),
            },
            None => Computing::Instructions(instructions),
        };
    }
    let seconds = times().map(|tls| {
        of(Part {
            handshake: tls.handshake_cpu as f64 / 1e9,
            exchange: tls.exchange_cpu as f64 / 1e9,
        })
    });
    match mean(seconds.collect()) {
        seconds if seconds > 0.0 => Computing::Seconds(seconds),
        _ => Computing::Unknown,
    }
}

fn number(value: f64) -> Cell {
    Cell::number(significant(value, 3), value)
}

fn bytes(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::none, |value| Cell::number(count(value), value))
}

/// The ways as a table; energy is the core's, above idle, of those boards that are in `chips`.
pub fn table(ways: &[Way], readings: u32, chips: &BTreeMap<&str, Chip<'_>>) -> Table {
    let mut table = Table::new(
        format!("One sealed reading of {READING} bytes, alone and as one of {readings} a day"),
        vec![
            Column::text("Way"),
            Column::text("On"),
            Column::number("Sent", "bytes"),
            Column::number("Received", "bytes"),
            Column::number("Waits", ""),
            Column::number("Computing", "cycles").with_note("Of the simulated Uno, cycle-exact."),
            Column::number("Computing", "M instructions").with_note("Of an emulated core."),
            Column::number("Computing", "M cycles, modelled").with_note(
                "Its instructions by the model of the core (`selo lab calibration`), whose error stands below. Where there is none, nobody knows the cycles.",
            ),
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
    let mut used = BTreeSet::new();
    let mut energy = |way: &Way, computing: Computing| {
        let (Computing::Cycles(cycles) | Computing::Modelled { cycles, .. }) = computing else {
            return Cell::none();
        };
        chips.get(&*way.on).map_or_else(Cell::none, |chip| {
            used.insert(way.on.clone());
            number(chip.power.joules(cycles / chip.clock_hz) * 1e3)
        })
    };
    for way in ways {
        let (mut cycles, mut instructions, mut modelled, mut milliseconds) =
            (Cell::none(), Cell::none(), Cell::none(), Cell::none());
        match way.alone.computing {
            Computing::Cycles(number) => cycles = bytes(Some(number)),
            Computing::Instructions(counted) => instructions = number(counted / 1e6),
            Computing::Modelled {
                instructions: counted,
                cycles,
            } => {
                instructions = number(counted / 1e6);
                modelled = number(cycles / 1e6);
            }
            Computing::Seconds(seconds) => milliseconds = number(seconds * 1e3),
            Computing::Unknown => {}
        }
        let memory = way.memory;
        let ram = match memory.exceeded {
            Some(part) => bytes(memory.ram).with_tone(Tone::Bad).with_note(format!(
                "With the stack it does not fit: the part has {part}."
            )),
            None => bytes(memory.ram),
        };
        table.push(vec![
            Cell::text(&way.name).with_note(way.note),
            Cell::text(&way.on),
            bytes(Some(way.alone.sent)),
            bytes(Some(way.alone.received)),
            number(way.alone.trips),
            cycles,
            instructions,
            modelled,
            milliseconds,
            energy(way, way.alone.computing),
            number(way.of_a_day.bytes()),
            number(way.of_a_day.trips),
            energy(way, way.of_a_day.computing),
            bytes(memory.flash),
            ram,
            bytes(memory.stack),
        ]);
    }
    table.remarks.push(
        "Bytes are those that the carrier is given: frames of the link, and what TCP carries of \
         TLS, without the heads of UDP, TCP and IP. The node's firmware is whole in flash, RAM \
         and stack."
            .into(),
    );
    let profiles: Vec<String> = used
        .iter()
        .filter_map(|board| {
            let chip = chips.get(&**board)?;
            let clock = chip.clock_hz / 1e6;
            Some(format!("{board}: {} at {clock} MHz", chip.power.name))
        })
        .collect();
    table.remarks.push(format!(
        "Energy is the core's above idle by its power profile ({}); no radio is in it. It is \
         that of cycles: where only instructions are known, or the time of another machine, \
         there is none.",
        profiles.join(", ")
    ));
    let cautions: BTreeSet<&str> = ways
        .iter()
        .filter_map(|way| way.caution.as_deref())
        .collect();
    table
        .remarks
        .extend(cautions.into_iter().map(str::to_owned));
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
                remark: way.on.clone(),
                library: None,
                bars: vec![bar(way.alone.bytes()), bar(way.of_a_day.bytes())],
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
        // 5,225,205 + 12,683,635 + 95,502 + 1,166, and two blocks of 3,164 and 3,094.
        let classic = way("classic").alone.computing;
        assert!(matches!(classic, Computing::Cycles(c) if (1.5e7..2.5e7).contains(&c)));
        assert!(matches!(way("link, join").alone.computing, Computing::Cycles(c) if c > 1e6));
        let full = way("TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, full");
        assert_eq!((full.alone.bytes(), full.alone.trips), (1100.0, 3.0));
        assert_eq!(full.alone.computing, Computing::Seconds(0.001));
        let mut counted = tls_row("full", 1000);
        counted.unit.device = Some("esp8266".into());
        let tls = counted.tls.as_mut().expect("it is one of TLS");
        tls.instructions = Some(Counted {
            handshake: 200_000_000,
            exchange: 50_000,
        });
        (tls.variables, tls.heap, tls.stack) = (Some(4_000), Some(70_000), Some(10_000));
        tls.memory = Some(81_920);
        let emulated = ways(&file, "chachapoly-blake2s", &[counted.clone()], 10);
        let emulated = emulated.last().expect("a way");
        assert_eq!(emulated.alone.computing, Computing::Instructions(200.05e6));
        assert_eq!(emulated.memory.ram, Some(74_000.0));
        assert_eq!(emulated.memory.exceeded, Some(81_920.0));
        // A model's cycles come with the instructions, their energy by the board's own profile,
        // and what they are worth.
        let mut modelled = counted.clone();
        modelled.caution = Some("cycle model m3: off".into());
        let tls = modelled.tls.as_mut().expect("it is one of TLS");
        tls.cycles = Some(Counted {
            handshake: 300_000_000,
            exchange: 100_000,
        });
        let modelled = ways(&file, "chachapoly-blake2s", &[modelled], 10).pop();
        let modelled = modelled.expect("a way");
        let computing = Computing::Modelled {
            instructions: 200.05e6,
            cycles: 300.1e6,
        };
        assert_eq!(modelled.alone.computing, computing);
        assert_eq!(modelled.of_a_day.computing, computing);
        let power = PowerProfile {
            name: "sheet".into(),
            source: "a data sheet".into(),
            supply_volts: 2.0,
            active_milliamps: 6.0,
            idle_milliamps: 1.0,
            radio: None,
            power_down_milliamps: None,
            note: None,
        };
        let clock_hz = 100e6;
        let chip = Chip {
            clock_hz,
            power: &power,
        };
        let shown = table(&[modelled], 10, &BTreeMap::from([("esp8266", chip)])).to_markdown();
        // 300.1e6 cycles are 3.001 s of 10 mW.
        for words in [
            "| 300 |",
            "| 30.0 |",
            "esp8266: sheet at 100 MHz",
            "esp8266: cycle model m3: off.",
        ] {
            assert!(shown.contains(words), "no {words}:\n{shown}");
        }
        let mut short = counted.clone();
        short.unit.handshake = Some("resumed".into());
        short.sent = 700;
        let tls = short.tls.as_mut().expect("it is one of TLS");
        tls.instructions = Some(Counted {
            handshake: 40_000_000,
            exchange: 100_000,
        });
        (tls.variables, tls.heap, tls.stack) = (Some(5_000), Some(60_000), Some(11_000));
        (tls.flash, tls.memory) = (Some(150_000), Some(86_000));
        let of = |rows: &[Row]| ways(&file, "chachapoly-blake2s", rows, 10).pop();
        let resumes = of(&[counted.clone(), short.clone()]).expect("a way");
        assert!(resumes.name.contains("resumed") && resumes.on == "esp8266");
        assert_eq!(resumes.alone.computing, Computing::Instructions(40.1e6));
        let day = (200.05e6 + 9.0 * 40.1e6) / 10.0;
        assert_eq!(resumes.of_a_day.computing, Computing::Instructions(day));
        // Its own variables and flash, and the heap of the full handshake that came before:
        // without that it would fit.
        assert_eq!(resumes.memory.flash, Some(150_000.0));
        assert_eq!(resumes.memory.ram, Some(75_000.0));
        assert_eq!(resumes.memory.stack, Some(11_000.0));
        assert_eq!(resumes.memory.exceeded, None);
        let tls = short.tls.as_mut().expect("it is one of TLS");
        tls.memory = Some(85_999);
        let full_does_not_fit = of(&[counted, short.clone()]).expect("a way");
        assert_eq!(full_does_not_fit.memory.exceeded, Some(85_999.0));
        let alone = of(&[short]).expect("a way");
        assert_eq!(alone.memory.exceeded, None);
        assert_eq!(alone.memory.ram, Some(65_000.0));
        assert!(alone.note.contains("no row of the full handshake"));
        let resumed = way("TLS 1.3, TLS_AES_128_GCM_SHA256, x25519, resumed");
        assert!((resumed.of_a_day.sent - (1000.0 + 9.0 * 500.0) / 10.0).abs() < 1e-9);
        assert!(picture(&all, 10).standalone().contains("link, join"));
    }
}
