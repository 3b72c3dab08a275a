//! The origin of every figure: the images that ran, how they were built, and their rows.

use selo_engine::row::Row;

use crate::document::Section;
use crate::format;
use crate::pivot::{Lines, distinct};
use crate::table::{Cell, Column, Table};

pub fn section(lines: &Lines<'_>) -> Section {
    let mut section = Section::new("provenance", "Where the figures come from");
    if lines.rows.is_empty() {
        return section;
    }
    section.text(
        "Every figure is the value of one row. A row names its run, board, runner, fidelity, compiler, flags, commit and the SHA-256 of the image. The column \u{201c}Image\u{201d} of a table links to this section; hover over a figure to see its row.",
    );
    let libraries = libraries(lines);
    if !libraries.body.is_empty() {
        section.table("libraries", libraries);
    }
    let mut table = Table::new(
        "Images",
        [
            "Image",
            "Board",
            "Library",
            "Algorithm",
            "Variant",
            "Operations",
            "Runner",
            "Fidelity",
            "Run",
            "Commit",
            "Compiler and flags",
            "SHA-256",
        ]
        .into_iter()
        .map(Column::text)
        .chain([Column::number("Rows", "")])
        .collect(),
    );
    for digest in digests(lines.rows) {
        table.push(image(lines.rows, digest));
    }
    table.filter = true;
    section.table("images", table);
    section
}

/// The libraries behind the rows, with their licences.
fn libraries(lines: &Lines<'_>) -> Table {
    let heads = ["Library", "Version", "Licence", "Source", "Notes"];
    let mut table = Table::new("Libraries", heads.into_iter().map(Column::text).collect());
    for note in &lines.context.libraries {
        let of_it = lines.rows.iter().filter(|row| row.library == note.name);
        let versions = distinct(of_it.map(|row| row.library_version.clone()));
        if !versions.is_empty() {
            table.push(vec![
                Cell::text(&note.title),
                Cell::text(versions.join(", ")),
                Cell::text(&note.licence),
                Cell::text(&note.source),
                Cell::text(&note.note),
            ]);
        }
    }
    table
}

/// The distinct image digests of the rows, in ascending order.
fn digests(rows: &[Row]) -> Vec<&str> {
    let mut first: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for (index, row) in rows
        .iter()
        .enumerate()
        .filter(|(_, row)| !row.firmware_sha256.is_empty())
    {
        first.entry(&row.firmware_sha256).or_insert(index);
    }
    let mut digests: Vec<(usize, &str)> = first
        .into_iter()
        .map(|(digest, index)| (index, digest))
        .collect();
    digests.sort_unstable();
    digests.into_iter().map(|(_, digest)| digest).collect()
}

fn image(rows: &[Row], digest: &str) -> Vec<Cell> {
    let indices: Vec<usize> = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.firmware_sha256 == digest)
        .map(|(index, _)| index)
        .collect();
    let each = |pick: fn(&Row) -> String| {
        Cell::text(distinct(indices.iter().map(|index| pick(&rows[*index]))).join(", "))
    };
    let count = indices.len();
    vec![
        Cell::text(format::short(digest)).with_id(anchor(digest)),
        each(|row| row.board.clone()),
        each(|row| format!("{} {}", row.library, row.library_version)),
        each(|row| row.algorithm.clone()),
        each(|row| row.variant.clone()),
        each(|row| row.operation.clone()),
        each(|row| row.runner.clone()),
        each(|row| row.fidelity.name().to_owned()),
        each(|row| row.run.clone()),
        each(|row| row.commit.clone()),
        each(|row| format!("{} {}", row.compiler, row.flags)),
        Cell::text(digest),
        Cell::number(format::count(count as f64), count as f64)
            .with_source("rows of this image", indices),
    ]
}

/// The anchor of an image on the page.
pub fn anchor(digest: &str) -> String {
    format!("image-{}", crate::document::slug(digest))
}

/// One line about the row behind a figure.
pub fn origin(row: &Row, index: usize) -> String {
    let mut parts = vec![
        format!("row {index}"),
        format!("run {}", row.run),
        format!("{}, {}", row.runner, row.fidelity.name()),
    ];
    if row.samples > 0 {
        parts.push(format::things(row.samples as usize, "sample", "samples"));
    }
    if let (Some(min), Some(max), true) = (row.min, row.max, row.samples > 1) {
        let scale = format::sentence_scale(row.metric, max);
        parts.push(if min == max {
            "all equal".to_owned()
        } else {
            format!(
                "{} to {} {}",
                format::figure(row.metric, min, scale),
                format::figure(row.metric, max, scale),
                scale.symbol
            )
        });
    }
    if !row.firmware_sha256.is_empty() {
        parts.push(format!("image {}", format::short(&row.firmware_sha256)));
    }
    parts.push(format::status_words(row.status).to_owned());
    parts.extend(row.reason());
    parts.join("; ")
}
