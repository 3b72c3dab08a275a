//! Parses and checks a paper's file.

use std::ops::Range;

use selo_base::units::Unit;

use super::file::{File, FileRow, FileTable};
use super::link::{check_beside, check_link};
use super::model::{Candidate, MeasuredBy, Paper, PaperCell, PaperColumn, PaperTable, Published};

/// A mistake and its byte range in the file.
pub(super) struct Mistake {
    pub(super) message: String,
    pub(super) span: Range<usize>,
}

impl Mistake {
    pub(super) fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Mistake {
            message: message.into(),
            span,
        }
    }

    pub(super) fn line(&self, text: &str) -> usize {
        let end = self.span.start.min(text.len());
        text.as_bytes()[..end]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1
    }
}

pub(super) fn parse(text: &str) -> Result<Paper, Mistake> {
    let file: File = toml::from_str(text)
        .map_err(|error| Mistake::at(error.span().unwrap_or(0..0), error.message()))?;
    let mut tables: Vec<PaperTable> = Vec::new();
    for table in file.table {
        let span = table.span();
        let table = check_table(table.into_inner(), span, &file.candidate)?;
        tables.push(table);
    }
    let mut ids = std::collections::HashSet::new();
    for table in &tables {
        if !ids.insert(table.id.clone()) {
            return Err(Mistake::at(
                0..0,
                format!("two tables have the id '{}'", table.id),
            ));
        }
    }
    Ok(Paper {
        name: file.name,
        title: file.title,
        authors: file.authors,
        year: file.year,
        venue: file.venue,
        notes: file.notes,
        candidates: file.candidate,
        hardware: file.hardware,
        tables,
    })
}

/// The cells of one row.
fn check_row(
    table: &FileTable,
    row: &FileRow,
    candidates: &[Candidate],
) -> Result<Vec<PaperCell>, Mistake> {
    let published = row.published.get_ref();
    if published.len() != table.column.len() {
        return Err(Mistake::at(
            row.published.span(),
            format!(
                "row '{}' has {} values, table '{}' has {} columns",
                row.label.get_ref(),
                published.len(),
                table.id.get_ref(),
                table.column.len()
            ),
        ));
    }
    let unit = row.unit.as_ref().or(table.unit.as_ref());
    let dimension = unit
        .map(|unit| {
            Unit::find(unit.get_ref())
                .map(|known| known.dimension)
                .map_err(|error| Mistake::at(unit.span(), error.to_string()))
        })
        .transpose()?;
    let label = row.label.get_ref();
    let cells = table.column.iter().zip(published);
    cells
        .map(|(column, value)| {
            let link = table
                .measured_by
                .with(&column.measured_by)
                .with(&row.measured_by);
            let fault = |message: String| {
                let at = format!("row '{label}', column '{}': {message}", column.label);
                Mistake::at(row.label.span(), at)
            };
            let measured_by = check_link(&link, dimension, candidates).map_err(fault)?;
            let beside = check_beside(&link).map_err(fault)?;
            check_published(&value.0, &measured_by, unit.is_some()).map_err(fault)?;
            let words = matches!(value.0, Published::Words(_));
            Ok(PaperCell {
                row: label.clone(),
                column: column.label.clone(),
                published: value.0.clone(),
                unit: unit.filter(|_| !words).map(|unit| unit.get_ref().clone()),
                note: row.note.clone(),
                measured_by,
                beside,
            })
        })
        .collect()
}

/// Checks that a published value can be compared with what is measured.
fn check_published(
    value: &Published,
    measured_by: &MeasuredBy,
    has_unit: bool,
) -> Result<(), String> {
    match value {
        Published::Number(_) if !has_unit => Err("a number needs a unit".into()),
        Published::Words(_)
            if !matches!(
                measured_by,
                MeasuredBy::Winner { .. } | MeasuredBy::Survey { .. } | MeasuredBy::Nothing { .. }
            ) =>
        {
            Err(format!("'{value}' cannot be compared with a number"))
        }
        _ => Ok(()),
    }
}

fn check_table(
    table: FileTable,
    span: Range<usize>,
    candidates: &[Candidate],
) -> Result<PaperTable, Mistake> {
    let id = table.id.get_ref();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if id.is_empty() || !id.chars().all(is_plain) {
        return Err(Mistake::at(
            table.id.span(),
            "an id may contain only lower-case letters, digits and '-'",
        ));
    }
    if table.column.is_empty() || table.row.is_empty() {
        return Err(Mistake::at(
            span,
            format!("table '{id}' has no columns or no rows"),
        ));
    }
    let mut cells = Vec::new();
    let mut labels = std::collections::HashSet::new();
    for row in &table.row {
        let label = row.label.get_ref();
        if !labels.insert(label.clone()) {
            return Err(Mistake::at(
                row.label.span(),
                format!("two rows of '{id}' are named '{label}'"),
            ));
        }
        cells.extend(check_row(&table, row, candidates)?);
    }
    Ok(PaperTable {
        id: id.clone(),
        label: table.label,
        title: table.title,
        method: table.method,
        notes: table.notes,
        columns: table
            .column
            .into_iter()
            .map(|column| PaperColumn {
                label: column.label,
                published_library: column.published_library,
            })
            .collect(),
        cells,
    })
}
