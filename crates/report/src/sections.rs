//! What a report contains: each file of this folder makes one section.

mod best;
mod boards;
mod conformance;
mod failures;
mod figures;
mod papers;
mod provenance;
mod summary;
mod trade_off;

use selo_lab::check::CheckLine;

use crate::compare::Comparison;
use crate::document::Document;
use crate::pivot::{Lines, distinct};

/// The whole report. Sections that would be empty are left out.
pub fn document(lines: &Lines<'_>, papers: &[Comparison], checks: &[CheckLine]) -> Document {
    let mut sections = vec![summary::section(lines, papers, checks), best::section(lines)];
    sections.push(trade_off::section(lines));
    sections.extend(papers.iter().map(|paper| papers::section(paper, lines)));
    sections.extend(lines.boards().iter().map(|board| boards::section(lines, board)));
    sections.push(conformance::vectors(checks));
    sections.push(conformance::constant_time(lines, checks));
    sections.push(failures::section(lines));
    sections.push(provenance::section(lines));
    sections.retain(|section| !section.is_empty());
    let fidelities = distinct(lines.rows.iter().map(|row| row.fidelity.name()));
    let boards: Vec<&str> =
        lines.boards().into_iter().map(|board| lines.context.board_title(board)).collect();
    let mut subtitle = vec!["What cryptography costs".to_owned()];
    if !boards.is_empty() {
        subtitle = vec![
            format!("What cryptography costs on {}", boards.join(" and ")),
            distinct(lines.rows.iter().map(|row| row.run.as_str())).join(", "),
            fidelities.join(", "),
        ];
    }
    Document { title: "Selo lab report".to_owned(), subtitle: subtitle.join(" · "), sections }
}

