//! The key findings: at most ten sentences, each derived from rows, cells and checks. The
//! code here knows no algorithm by name.

use selo_engine::check::{CONSTANT_TIME, CheckLine};
use selo_engine::interface::Interface;
use selo_engine::row::{Metric, Row, Status};

use crate::compare::{CellStatus, ComparedCell, Comparison, Figure};
use crate::context::interface_title;
use crate::format;
use crate::pivot::{Line, Lines, distinct};

/// Maximum number of findings in a summary.
pub const MOST: usize = 10;

/// The findings, most general first.
pub fn findings(lines: &Lines<'_>, papers: &[Comparison], checks: &[CheckLine]) -> Vec<String> {
    if lines.rows.is_empty() {
        return vec!["No rows yet.".to_owned()];
    }
    let board = lines.boards()[0];
    // The last four findings cover everything; those before them compare choices.
    let closing: Vec<String> = [
        constant_time(lines, checks),
        failures(lines),
        conformance(checks),
        against_papers(papers),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut found = measured(lines);
    found.truncate(2);
    let room = MOST.saturating_sub(found.len() + closing.len());
    found.extend(choices(lines, board, room));
    found.extend(closing);
    found
}

/// One sentence per board about what was measured on it.
fn measured(lines: &Lines<'_>) -> Vec<String> {
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

/// One sentence per operation, most important first. If the room is short, every interface
/// gets its first operation before any interface gets its second.
fn choices(lines: &Lines<'_>, board: &str, room: usize) -> Vec<String> {
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

/// Happens once per key, so no finding compares it.
const KEY_SETUP: &str = "key-setup";

/// Order of interfaces by reader interest. Modes come late, because they largely repeat
/// their block cipher.
fn importance(interface: Option<Interface>) -> u8 {
    match interface {
        Some(Interface::BlockCipher) => 0,
        Some(Interface::Aead) => 1,
        Some(Interface::Hash) => 2,
        Some(Interface::Dh) => 3,
        Some(Interface::Mac) => 4,
        Some(Interface::Kdf) => 5,
        Some(Interface::Signature) => 6,
        Some(Interface::PublicKey) => 7,
        Some(Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr) => 8,
        Some(Interface::Link) => 9,
        Some(Interface::Node) => 10,
        Some(Interface::Probe) | None => 11,
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

fn constant_time(lines: &Lines<'_>, checks: &[CheckLine]) -> Option<String> {
    let verdicts: Vec<&CheckLine> = checks
        .iter()
        .filter(|check| check.source == CONSTANT_TIME)
        .collect();
    let cycles = || {
        lines
            .rows
            .iter()
            .filter(|row| row.metric == Metric::Cycles && row.value.is_some() && row.samples > 1)
            // Left out: a whole firmware is interrupted, and its calls always use the same secrets.
            .filter(|row| {
                let interface = lines.context.interface(&row.algorithm);
                !matches!(interface, Some(Interface::Link | Interface::Node))
            })
    };
    let variable = cycles()
        .filter(|row| row.status == Status::VariableTime)
        .count();
    if !verdicts.is_empty() {
        let secrets: u64 = verdicts.iter().map(|check| check.tried).sum();
        let leaky = verdicts.iter().filter(|check| check.failed > 0).count();
        let verdict = if leaky == 0 {
            "all always took the same number of cycles".to_owned()
        } else {
            format!(
                "{} did not always take the same number of cycles",
                format::things(leaky, "implementation", "implementations")
            )
        };
        let also = match variable {
            0 => String::new(),
            n => format!(
                "; cycles varied with the inputs in {}",
                format::things(n, "timing", "timings")
            ),
        };
        return Some(format!(
            "Constant time: {} over {} random secrets; {verdict}{also}.",
            format::things(verdicts.len(), "implementation", "implementations"),
            format::count(secrets as f64),
        ));
    }
    let tested = cycles().count();
    (tested > 0).then(|| match variable {
        0 => format!(
            "Cycles did not depend on the secrets in any of {}.",
            format::things(tested, "timed operation", "timed operations")
        ),
        n => format!(
            "Cycles depended on the inputs in {n} of {}.",
            format::things(tested, "timed operation", "timed operations")
        ),
    })
}

/// Operations without any figure. A metric that the machine cannot measure is not a failure.
fn failures(lines: &Lines<'_>) -> Option<String> {
    let without: Vec<(&Line, Status)> = lines
        .all
        .iter()
        .filter(|line| {
            line.rows
                .values()
                .all(|index| lines.rows[*index].value.is_none())
        })
        .map(|line| (line, line.status(lines.rows)))
        .collect();
    let parts: Vec<String> = [
        Status::Failed,
        Status::Crashed,
        Status::DoesNotFit,
        Status::OverLimit,
        Status::NotSupported,
    ]
    .into_iter()
    .filter_map(|status| {
        let names = distinct(
            without
                .iter()
                .filter(|(_, of_line)| *of_line == status)
                .map(|(line, _)| format!("{} {} on {}", line.algorithm, line.variant, line.board)),
        );
        let shown = match names.len() {
            0 => return None,
            1..=3 => names.join(", "),
            more => format!("{} and {} more", names[..2].join(", "), more - 2),
        };
        Some(format!("{}: {shown}", format::status_words(status)))
    })
    .collect();
    (!parts.is_empty()).then(|| format!("Without a figure: {}.", parts.join("; ")))
}

fn conformance(checks: &[CheckLine]) -> Option<String> {
    let vectors: Vec<&CheckLine> = checks.iter().filter(|check| check.is_official()).collect();
    let sources = distinct(vectors.iter().map(|check| &check.source)).len();
    let tried: u64 = vectors.iter().map(|check| check.tried).sum();
    let failed: u64 = vectors.iter().map(|check| check.failed).sum();
    let verdict = if failed == 0 {
        "all passed".to_owned()
    } else {
        format!("{} FAILED", format::count(failed as f64))
    };
    (!vectors.is_empty()).then(|| {
        format!(
            "Conformance: {} test cases of {}; {verdict}.",
            format::count(tried as f64),
            format::things(sources, "source", "sources")
        )
    })
}

/// Compares the measured figures with the published ones, by kind of figure.
fn against_papers(papers: &[Comparison]) -> Option<String> {
    let lines = || papers.iter().flat_map(Comparison::lines);
    let both = lines().filter(|line| line.status == CellStatus::Ok).count();
    if both == 0 {
        return None;
    }
    let boards = distinct(
        lines()
            .filter(|line| line.ratio.is_some())
            .filter_map(|line| line.board.as_deref()),
    );
    let ratios: Vec<String> = boards
        .into_iter()
        .filter_map(|board| {
            // Left out: a start-up is mostly waiting for parts, not the time of an algorithm.
            let starts = |cell: &ComparedCell| {
                let operation = cell.operation.as_deref();
                operation.is_some_and(|operation| operation.starts_with("start-"))
            };
            let ratios: Vec<f64> = papers
                .iter()
                .flat_map(|paper| paper.tables.iter().flat_map(|table| &table.cells))
                .filter(|cell| {
                    cell.line.board.as_deref() == Some(board)
                        && cell.line.published_unit.as_deref() == Some("ms")
                        && !starts(cell)
                })
                .filter_map(|cell| cell.line.ratio)
                .filter(|ratio| *ratio > 0.0)
                .collect();
            let mean = geometric_mean(&ratios)?;
            Some(format!(
                "on {board} the measured times are {} the published times (geometric mean of {})",
                format::ratio(mean),
                ratios.len()
            ))
        })
        .collect();
    let words = lines()
        .filter(|line| matches!((&line.published, &line.measured), (Some(Figure::Words(a)), Some(Figure::Words(b))) if a != b))
        .count();
    let mut sentence = format!(
        "Compared with {}: {} measured",
        distinct(papers.iter().map(|paper| paper.paper.as_str())).join(", "),
        format::things(both, "published figure was", "published figures were")
    );
    if !ratios.is_empty() {
        sentence.push_str(&format!("; {}", ratios.join("; ")));
    }
    if words > 0 {
        sentence.push_str(&format!(
            "; {} differ",
            format::things(words, "published winner", "published winners")
        ));
    }
    sentence.push('.');
    Some(sentence)
}

/// The geometric mean of ratios: twice as much and half as much cancel.
fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn findings_are_derived_and_at_most_ten() {
        let (rows, context) = (sample::rows(), sample::context());
        let lines = Lines::new(&rows, &context);
        let found = findings(&lines, &[], &sample::checks());
        assert!(found.len() <= MOST);
        assert_eq!(
            found,
            [
                "Arduino Uno R3: 50 figures of 5 implementations (simavr, cycle-exact).",
                "Block ciphers, one block, encrypt: speck128/128 fast is fastest of 4 with 2,600 cycles, 0.162 ms, 0.226 nWh (the slowest takes 4.62× as long); least flash: speck128/128 fast (900 bytes); least static RAM: aes-128 small (16 bytes).",
                "Block ciphers, one block, decrypt: speck128/128 fast is fastest of 3 with 3,900 cycles, 0.244 ms, 0.339 nWh (the slowest takes 3.46× as long); least flash: speck128/128 fast (1,102 bytes); least static RAM: aes-128 small (16 bytes).",
                "Key agreement: x25519 small takes 43,000,000 cycles for shared-secret.",
                "Constant time: 1 implementation over 1,000 random secrets; all always took the same number of cycles; cycles varied with the inputs in 1 timing.",
                "Without a figure: does not fit: rsa-2048 small on uno.",
                "Conformance: 288 test cases of 2 sources; 1 FAILED.",
            ]
        );
    }

    #[test]
    fn where_room_is_short_no_interface_is_left_out_for_another_operation() {
        let (rows, context) = (sample::rows(), sample::context());
        let lines = Lines::new(&rows, &context);
        let first = |text: &String| text.split([':', ' ']).next().map(str::to_owned);
        let found = |room| choices(&lines, lines.boards()[0], room);
        assert_eq!(found(9).len(), 3);
        let two: Vec<_> = found(2).iter().filter_map(first).collect();
        assert_eq!(two, ["Block", "Key"]);
    }

    #[test]
    fn findings_follow_the_rows() {
        let context = sample::context();
        let mut rows = sample::rows();
        for row in &mut rows {
            if row.algorithm == "speck128/128" && row.metric == Metric::Time {
                row.value = Some(1.0);
            }
        }
        let lines = Lines::new(&rows, &context);
        let found = findings(&lines, &[], &[]).join("\n");
        assert!(
            found.contains("encrypt: aes-128 fast is fastest"),
            "{found}"
        );
        assert!(
            found.contains("Cycles depended on the inputs in 1 of 8 timed operations."),
            "{found}"
        );
    }

    #[test]
    fn nothing_measured_is_said() {
        let context = Context::default();
        assert_eq!(
            findings(&Lines::new(&[], &context), &[], &[]),
            ["No rows yet."]
        );
    }

    use crate::context::Context;

    #[test]
    fn twice_and_half_cancel() {
        let mean = geometric_mean(&[0.5, 2.0]);
        assert!(mean.is_some_and(|mean| (mean - 1.0).abs() < 1e-12));
    }
}
