//! A paper's tables and figures, published and measured values side by side.

use crate::compare::Comparison;
use crate::document::{Block, Section, slug};
use crate::format;
use crate::pivot::Lines;

use super::figures;

pub fn section(paper: &Comparison, lines: &Lines<'_>) -> Section {
    let id = format!("paper-{}", slug(&paper.paper));
    let mut section = Section::new(id, format!("{}, redrawn", paper.paper));
    section.short = Some(paper.paper.clone());
    section.text(paper.title.clone());
    let counts: Vec<String> = paper
        .counts()
        .into_iter()
        .map(|(status, count)| {
            format!(
                "{} {}",
                format::count(count as f64),
                status.name().replace('-', " ")
            )
        })
        .collect();
    section.text(format!("Cells: {}.", counts.join(", ")));
    if !paper.notes.is_empty() {
        section.blocks.push(Block::Notes(paper.notes.clone()));
    }
    for table in &paper.tables {
        let mut part = Section::new(
            format!("{}-{}", section.id, slug(&table.id)),
            format!("{}: {}", table.label, table.title),
        );
        part.figures(figures::of_paper(&paper.paper, table, lines));
        let mut shown = table.to_table(false);
        shown.caption = format!("{}, published and measured", table.label);
        shown.filter = shown.body.len() > 20;
        part.table("cells", shown);
        section.subsections.push(part);
    }
    section
}
