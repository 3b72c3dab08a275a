//! The key findings: at most ten sentences, each derived from rows, cells and checks. The
//! code here knows no algorithm by name.

mod checks;
mod least;
mod papers;

use selo_engine::check::CheckLine;

use crate::compare::Comparison;
use crate::pivot::Lines;

use checks::{conformance, constant_time, failures};
use least::{choices, measured};
use papers::against_papers;

pub use least::{Least, importance, minimum};

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

#[cfg(test)]
mod tests;
