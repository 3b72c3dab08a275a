//! Findings about the cheapest choice of each interface.

use selo_engine::interface::Interface;
use selo_engine::row::{Metric, Row};

use crate::context::interface_title;
use crate::format;
use crate::pivot::{Line, Lines, distinct};

/// Happens once per key, so no finding compares it.
const KEY_SETUP: &str = "key-setup";

/// Order of interfaces by reader interest. Modes come late, because they largely repeat
/// their block cipher.
pub fn importance(interface: Option<Interface>) -> u8 {
    match interface {
        Some(Interface::BlockCipher) => 0,
        Some(Interface::Aead) => 1,
        Some(Interface::Hash) => 2,
        Some(Interface::Dh) => 3,
        Some(Interface::Mac) => 4,
        Some(Interface::Kdf) => 5,
        Some(Interface::Signature) => 6,
        Some(Interface::LargeSignature) => 7,
        Some(Interface::Kem) => 8,
        Some(Interface::PublicKey) => 9,
        Some(Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr) => 10,
        Some(Interface::Link) => 11,
        Some(Interface::Node) => 12,
        Some(Interface::Probe) | None => 13,
    }
}

/// The choice with the least time, energy and memory for one operation, in one sentence.
fn least(
    lines: &Lines<'_>,
    interface: Option<Interface>,
    operation: &str,
    candidates: &[&Line],
) -> Option<String> {
    let fastest = minimum(lines, candidates, Metric::Time)
        .or_else(|| minimum(lines, candidates, Metric::Cycles))?;
    let timed = candidates
        .iter()
        .filter(|line| lines.value(line, fastest.metric).is_some())
        .count();
    let subject = format!("{}, {operation}", interface_title(interface));
    let figure = figures(lines, fastest.line);
    if timed < 2 {
        return Some(format!(
            "{subject}: {} takes {figure}.",
            lines.name(fastest.line)
        ));
    }
    let slowest = candidates
        .iter()
        .filter_map(|line| lines.value(line, fastest.metric))
        .fold(fastest.value, f64::max);
    let mut sentence = format!(
        "{subject}: {} is fastest of {timed} with {figure} (the slowest takes {} as long)",
        lines.name(fastest.line),
        format::ratio(slowest / fastest.value),
    );
    for metric in [Metric::Flash, Metric::Ram] {
        if let Some(least) = minimum(lines, candidates, metric) {
            sentence.push_str(&format!(
                "; least {}: {} ({})",
                format::metric_phrase(metric),
                lines.name(least.line),
                format::quantity(metric, least.value)
            ));
        }
    }
    sentence.push('.');
    Some(sentence)
}

/// The measured cycles, time and energy of a line, as words.
fn figures(lines: &Lines<'_>, line: &Line) -> String {
    let figures: Vec<String> = [Metric::Cycles, Metric::Time, Metric::Energy]
        .into_iter()
        .filter_map(|metric| {
            lines
                .value(line, metric)
                .map(|value| format::quantity(metric, value))
        })
        .collect();
    figures.join(", ")
}

/// The least value of a metric, and the line that has it.
#[derive(Clone, Copy, Debug)]
pub struct Least<'l> {
    pub line: &'l Line,
    pub metric: Metric,
    pub value: f64,
}

/// The line with the least value of a metric. On a tie, the first in reading order wins.
pub fn minimum<'l>(
    lines: &Lines<'_>,
    candidates: &[&'l Line],
    metric: Metric,
) -> Option<Least<'l>> {
    candidates
        .iter()
        .filter_map(|&line| {
            Some(Least {
                line,
                metric,
                value: lines.value(line, metric)?,
            })
        })
        .min_by(|a, b| a.value.total_cmp(&b.value))
}

/// One sentence per operation, most important first. If the room is short, every interface
/// gets its first operation before any interface gets its second.
pub(super) fn choices(lines: &Lines<'_>, board: &str, room: usize) -> Vec<String> {
    let mut interfaces = lines.interfaces(board);
    interfaces.sort_by_key(|interface| importance(*interface));
    let all: Vec<Vec<String>> = interfaces
        .into_iter()
        .map(|interface| of_interface(lines, board, interface))
        .collect();
    let mut places: Vec<(usize, usize)> = (all.iter().enumerate())
        .flat_map(|(interface, found)| (0..found.len()).map(move |nth| (interface, nth)))
        .collect();
    places.sort_by_key(|(_, nth)| *nth);
    places.truncate(room);
    places.sort_unstable();
    places
        .into_iter()
        .map(|(interface, nth)| all[interface][nth].clone())
        .collect()
}

/// A sentence for each operation of an interface.
fn of_interface(lines: &Lines<'_>, board: &str, interface: Option<Interface>) -> Vec<String> {
    let measured: Vec<&Line> = lines
        .of(board, interface)
        .filter(|line| line.operation != KEY_SETUP && lines.is_headline(line))
        // The time on the air is the same for every cipher.
        .filter(|line| line.operation != selo_engine::interface::AIR)
        .filter(|line| !figures(lines, line).is_empty())
        .collect();
    if distinct(measured.iter().map(|line| lines.name(line))).len() == 1 {
        return vec![only(lines, interface, &measured)];
    }
    let operations = distinct(measured.iter().map(|line| line.operation.as_str()));
    let sentence = |operation| {
        let candidates: Vec<&Line> = lines
            .of(board, interface)
            .filter(|line| line.operation == operation && lines.is_headline(line))
            .collect();
        least(lines, interface, operation, &candidates)
    };
    operations.into_iter().filter_map(sentence).collect()
}

/// The only implementation of an interface, with all its operations in one sentence.
fn only(lines: &Lines<'_>, interface: Option<Interface>, measured: &[&Line]) -> String {
    let operations: Vec<String> = measured
        .iter()
        .map(|line| format!("{} for {}", figures(lines, line), line.operation))
        .collect();
    format!(
        "{}: {} takes {}.",
        interface_title(interface),
        lines.name(measured[0]),
        operations.join("; ")
    )
}

/// One sentence per board about what was measured on it.
pub(super) fn measured(lines: &Lines<'_>) -> Vec<String> {
    lines
        .boards()
        .into_iter()
        .map(|board| {
            let rows: Vec<&Row> = lines.rows.iter().filter(|row| row.board == board).collect();
            let choices = distinct(
                rows.iter()
                    .filter(|row| row.value.is_some())
                    .map(|row| (&row.algorithm, &row.variant, &row.library)),
            );
            let instruments = distinct(
                rows.iter()
                    .map(|row| format!("{}, {}", row.runner, row.fidelity.name())),
            );
            format!(
                "{}: {} of {} ({}).",
                lines.context.board_title(board),
                format::things(
                    rows.iter().filter(|row| row.value.is_some()).count(),
                    "figure",
                    "figures"
                ),
                format::things(choices.len(), "implementation", "implementations"),
                instruments.join("; "),
            )
        })
        .collect()
}
