//! Ways computed from rows: the link, the published protocol and TLS on boards and machines.

use super::cost::{Computing, Cost, Memory, Way};
use crate::figures::{Group, groups};
use crate::row::{Experiment, Figure, Row, TlsTimes};

/// The link and the published protocol on boards, for `n` readings a day.
pub(super) fn link(rows: &[Row], suite: &str, n: f64) -> Vec<Way> {
    let all = groups(rows, Experiment::Link);
    let mut found = Vec::new();
    for group in &all {
        let handshake = group.unit.handshake.as_deref();
        let of_suite = group.unit.cipher == suite;
        match handshake {
            Some("classic") => found.push(classic(group, n)),
            Some("join") if of_suite => found.extend(joined(group, n)),
            Some("pair") if of_suite => {
                // The other readings of the day belong to the session. Rows of joins have their
                // cost.
                let joins = all.iter().find(|other| {
                    other.unit.handshake.as_deref() == Some("join")
                        && other.unit.cipher == suite
                        && other.unit.device == group.unit.device
                        && other.unit.implementation == group.unit.implementation
                });
                found.push(paired(group, joins, n));
            }
            _ => {}
        }
    }
    found
}

fn classic(group: &Group<'_>, n: f64) -> Way {
    let (first, rest) = (handshake(group), reading(group));
    way(
        group,
        "classic",
        (first.plus(1.0, rest), first.plus(n, rest).shared(n)),
        "The published protocol as printed, without authentication. Without a radio.",
    )
}

fn joined(group: &Group<'_>, n: f64) -> [Way; 2] {
    let (first, rest) = (handshake(group), reading(group));
    [
        way(
            group,
            "link, in a session",
            (rest, rest),
            "The session already exists. Without a radio.",
        ),
        way(
            group,
            "link, join",
            (first.plus(1.0, rest), first.plus(n, rest).shared(n)),
            "A join at the start of the day. Without a radio.",
        ),
    ]
}

/// The way that pairs first. `joins` has the cost of a reading in a session.
fn paired(group: &Group<'_>, joins: Option<&Group<'_>>, n: f64) -> Way {
    let both = handshake(group).plus(1.0, reading(group));
    let (of_a_day, note) = match joins {
        Some(joins) => (
            both.plus(n - 1.0, reading(joins)).shared(n),
            "A pairing is done once in a device's life; here it is done every day. Without a radio.",
        ),
        None => (
            both,
            "No row of a join: the day's figures are those of a single reading. Measure it with --handshake join.",
        ),
    };
    way(group, "link, pair and join", (both, of_a_day), note)
}

/// A way of the link. `costs` are those of the first reading and of one of a day's readings.
fn way(group: &Group<'_>, name: &str, costs: (Cost, Cost), note: &'static str) -> Way {
    Way {
        name: name.into(),
        on: group.unit.device.clone().unwrap_or_default(),
        alone: costs.0,
        of_a_day: costs.1,
        memory: memory(group, None),
        note,
        caution: caution(group),
    }
}

fn mean(group: &Group<'_>, of: impl Fn(&Row, &TlsTimes) -> u64) -> f64 {
    let with_times = group.rows.iter().filter_map(|row| Some((row, row.tls?)));
    let sum: u64 = with_times.map(|(row, tls)| of(row, &tls)).sum();
    sum as f64 / group.rows.len().max(1) as f64
}

fn handshake(group: &Group<'_>) -> Cost {
    Cost {
        sent: mean(group, |_, tls| tls.handshake_sent),
        received: mean(group, |_, tls| tls.handshake_received),
        trips: mean(group, |_, tls| tls.handshake_trips),
        computing: computing(&group.rows, |part| part.handshake),
    }
}

/// The cost of the reading and, after a pairing, of the join.
fn reading(group: &Group<'_>) -> Cost {
    Cost {
        sent: mean(group, |row, tls| row.sent - tls.handshake_sent),
        received: mean(group, |row, tls| row.received - tls.handshake_received),
        trips: mean(group, |_, tls| tls.exchange_trips),
        computing: computing(&group.rows, |part| part.exchange),
    }
}

/// TLS, for `n` readings a day.
pub(super) fn tls(rows: &[Row], n: f64) -> Vec<Way> {
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
                // One more for the TCP connection.
                trips: mean(&|row| (1 + tls(row).handshake_trips + tls(row).exchange_trips) as f64),
                computing: computing(rows, |part| part.handshake + part.exchange),
            }
        };
        let alone = cost(&group.rows);
        let unit = group.unit;
        let resumed = unit.handshake.as_deref() == Some("resumed");
        // A client that resumes made one full handshake before.
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
                    "A connection for each reading. The reading goes as JSON in HTTP, longer than its 16 bytes. RAM is variables and maximum heap."
                }
                (true, Some(_)) => {
                    "A connection for each reading, the day's first with a full handshake; RAM and stack are the larger values of the two handshakes."
                }
                (true, None) => {
                    "No row of the day's full handshake: the day's figures and the RAM do not include it. Measure it with --handshake full."
                }
            },
        });
        debug_assert!(group.summary(Figure::Handshake).is_some());
    }
    found
}

fn caution(group: &Group<'_>) -> Option<String> {
    let device = group.unit.device.as_deref()?;
    let said = group.rows.iter().find_map(|row| row.caution.as_ref())?;
    Some(format!("{device}: {said}."))
}

/// Memory of a client in bytes. A client that resumes made a full handshake (`before`) in the same
/// RAM.
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

/// The handshake and the exchange of a row, in the same unit.
struct Part {
    handshake: f64,
    exchange: f64,
}

/// A client's computing: counted instructions, with modelled cycles if there is a model; otherwise
/// the processor time, if the client has a clock.
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
