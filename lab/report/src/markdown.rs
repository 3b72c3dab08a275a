//! The report as Markdown: the same sections and tables as the page, with the pictures in
//! separate files.

use crate::document::{Block, Document, Section};
use crate::table::escape_markdown as escape;

/// The Markdown text. Pictures are linked as `<folder>/<id>.svg`.
pub fn text(document: &Document, folder: &str) -> String {
    let mut text = body(document, folder);
    text.push_str("\n## Raw rows\n\nAll rows are in [rows.csv](rows.csv).\n");
    text
}

/// The text of a document without rows and pictures.
pub fn text_of(document: &Document) -> String {
    body(document, "")
}

fn body(document: &Document, folder: &str) -> String {
    let mut text = format!(
        "# {}\n\n{}\n",
        escape(&document.title),
        escape(&document.subtitle)
    );
    for section in &document.sections {
        push_section(&mut text, section, 2, folder);
    }
    text
}

fn push_section(text: &mut String, section: &Section, level: usize, folder: &str) {
    text.push_str(&format!(
        "\n{} {}\n",
        "#".repeat(level),
        escape(&section.title)
    ));
    for block in &section.blocks {
        text.push('\n');
        match block {
            Block::Text(words) => text.push_str(&format!("{}\n", escape(words))),
            Block::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    text.push_str(&format!("{}. {}\n", index + 1, escape(item)));
                }
            }
            Block::Notes(notes) => {
                for note in notes {
                    text.push_str(&format!("- {}\n", escape(note)));
                }
            }
            Block::Table { table, .. } => text.push_str(&table.to_markdown()),
            Block::Figures(figures) => {
                for figure in figures {
                    let alternative = escape(&figure.picture.title);
                    text.push_str(&format!(
                        "![{alternative}]({folder}/{}.svg)\n\n",
                        figure.picture.id
                    ));
                    let about: Vec<&str> = [&figure.picture.title, &figure.fidelity, &figure.note]
                        .into_iter()
                        .map(String::as_str)
                        .filter(|text| !text.is_empty())
                        .collect();
                    text.push_str(&format!("*{}*\n\n", escape(&about.join(". "))));
                }
            }
        }
    }
    for part in &section.subsections {
        push_section(text, part, level + 1, folder);
    }
}
