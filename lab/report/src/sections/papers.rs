//! A paper's tables and figures, published and measured values side by side.

use crate::compare::{ComparedTable, Comparison, Figure};
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
    let mut drawn: Vec<(Shape, &str)> = Vec::new();
    for table in &paper.tables {
        let mut part = Section::new(
            format!("{}-{}", section.id, slug(&table.id)),
            format!("{}: {}", table.label, table.title),
        );
        let shape = Shape::of(table);
        match drawn.iter().find(|(earlier, _)| earlier.is_same(&shape)) {
            Some((_, earlier)) => part.text(format!(
                "{} is not drawn: it is {earlier} times a constant.",
                table.label
            )),
            None => part.figures(figures::of_paper(&paper.paper, table, lines)),
        }
        drawn.push((shape, &table.label));
        let mut shown = table.to_table(false);
        shown.caption = format!("{}, published and measured", table.label);
        shown.filter = shown.body.len() > 20;
        part.table("cells", shown);
        section.subsections.push(part);
    }
    section
}

/// The picture of a table but for its scale: the same names, and figures in the same proportions.
struct Shape {
    names: Vec<String>,
    /// Measured and published figures; `None` where the table has none.
    figures: Vec<Option<f64>>,
}

impl Shape {
    /// Proportions that differ by less are equal: energies are printed with few digits.
    const EQUAL: f64 = 0.02;

    fn of(table: &ComparedTable) -> Shape {
        let number = |figure: &Option<Figure>| match figure {
            Some(Figure::Number(number)) if *number > 0.0 => Some(*number),
            _ => None,
        };
        let cells = || table.cells.iter();
        Shape {
            names: cells()
                .map(|cell| format!("{} | {}", cell.row, cell.column))
                .collect(),
            figures: cells()
                .flat_map(|cell| [number(&cell.line.measured), number(&cell.line.published)])
                .collect(),
        }
    }

    fn is_same(&self, other: &Shape) -> bool {
        let mut ratios = Vec::new();
        for pair in self.figures.iter().zip(&other.figures) {
            match pair {
                (Some(one), Some(two)) => ratios.push(two / one),
                (None, None) => {}
                _ => return false,
            }
        }
        let equal = |ratio: &f64| (ratio / ratios[0] - 1.0).abs() < Shape::EQUAL;
        self.names == other.names && ratios.len() > 2 && ratios.iter().all(equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_factor_is_the_same_picture() {
        let shape = |figures: [f64; 3]| Shape {
            names: vec!["aes".to_owned()],
            figures: figures.map(Some).into(),
        };
        let time = shape([1.0, 2.0, 5.0]);
        assert!(time.is_same(&shape([10.0, 20.1, 50.0])));
        assert!(!time.is_same(&shape([10.0, 22.0, 50.0])));
    }
}
