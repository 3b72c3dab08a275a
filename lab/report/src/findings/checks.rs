//! Findings about failures, official vectors and constant time.

use selo_engine::check::{CONSTANT_TIME, CheckLine};
use selo_engine::interface::Interface;
use selo_engine::row::{Metric, Status};

use crate::format;
use crate::pivot::{Line, Lines, distinct};

pub(super) fn constant_time(lines: &Lines<'_>, checks: &[CheckLine]) -> Option<String> {
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
pub(super) fn failures(lines: &Lines<'_>) -> Option<String> {
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

pub(super) fn conformance(checks: &[CheckLine]) -> Option<String> {
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
