//! Findings about published figures.

use crate::compare::{CellStatus, ComparedCell, Comparison, Figure};
use crate::format;
use crate::pivot::distinct;

/// Compares the measured figures with the published ones, by kind of figure.
pub(super) fn against_papers(papers: &[Comparison]) -> Option<String> {
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
pub(super) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}
