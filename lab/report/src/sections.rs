//! The contents of a report: each file of this folder makes one section.

pub(crate) mod best;
mod boards;
mod conformance;
mod energy;
mod failures;
mod fastest;
mod figures;
mod papers;
mod provenance;
pub(crate) mod summary;
mod trade_off;

use selo_engine::check::CheckLine;

use crate::compare::Comparison;
use crate::document::Document;
use crate::pivot::{Lines, distinct};

/// Sections that are drawn and open at first: what is best, and the summary.
pub const ANSWERS: usize = 2;

/// The whole report. Sections that would be empty are left out.
pub fn document(lines: &Lines<'_>, papers: &[Comparison], checks: &[CheckLine]) -> Document {
    let mut sections = vec![
        best::section(lines),
        summary::section(lines, papers, checks),
    ];
    sections.push(trade_off::section(lines));
    sections.extend(papers.iter().map(|paper| papers::section(paper, lines)));
    sections.extend(
        lines
            .boards()
            .iter()
            .map(|board| boards::section(lines, board)),
    );
    sections.push(conformance::vectors(checks));
    sections.push(conformance::constant_time(lines, checks));
    sections.push(failures::section(lines));
    sections.push(provenance::section(lines));
    // The answers stand open; the rest shows its titles.
    for section in &mut sections[ANSWERS..] {
        section.folded = true;
    }
    sections.retain(|section| !section.is_empty());
    Document {
        title: "Selo lab report".to_owned(),
        subtitle: subtitle(lines),
        sections,
    }
}

/// Boards, run and fidelities in one line, in the order of the boards.
fn subtitle(lines: &Lines<'_>) -> String {
    let boards = lines.boards();
    if boards.is_empty() {
        return "What cryptography costs".to_owned();
    }
    let titles: Vec<&str> = boards
        .iter()
        .map(|board| lines.context.board_title(board))
        .collect();
    let rows = || {
        boards
            .iter()
            .flat_map(|board| lines.rows.iter().filter(move |row| row.board == *board))
    };
    // One run has room here; several are in the table of boards.
    let run = match distinct(rows().map(|row| row.run.as_str()))[..] {
        [one] => Some(format!("run {one}")),
        _ => None,
    };
    let parts = [
        Some(format!("What cryptography costs on {}", listed(&titles))),
        run,
        Some(
            distinct(
                rows()
                    .filter(|row| row.value.is_some())
                    .map(|row| row.fidelity.name()),
            )
            .join(", "),
        ),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Joins names: `a, b and c`.
fn listed(names: &[&str]) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => names.concat(),
    }
}
