//! Translates a whole report: every text of its sections, tables and pictures.

use super::{Translator, markup};
use crate::document::{Block, Document, Figure, Section};
use crate::table::{Cell, Table};

impl Translator {
    /// The report in the language of the translator.
    pub fn document(&self, mut document: Document) -> Document {
        if self.is_english() {
            return document;
        }
        document.title = self.text(&document.title);
        document.subtitle = self.text(&document.subtitle);
        for section in &mut document.sections {
            self.section(section);
        }
        document
    }

    fn section(&self, section: &mut Section) {
        section.title = self.text(&section.title);
        section.short = section.short.as_ref().map(|short| self.text(short));
        for block in &mut section.blocks {
            match block {
                Block::Text(text) => *text = self.text(text),
                Block::List(items) | Block::Notes(items) => self.all(items),
                Block::Table { table, .. } => self.table(table),
                Block::Figures(figures) => {
                    for figure in figures {
                        self.drawn(figure);
                    }
                }
            }
        }
        for inner in &mut section.subsections {
            self.section(inner);
        }
    }

    fn all(&self, texts: &mut [String]) {
        for text in texts {
            *text = self.text(text);
        }
    }

    fn table(&self, table: &mut Table) {
        table.caption = self.text(&table.caption);
        for column in &mut table.columns {
            column.head = self.text(&column.head);
            column.unit = self.text(&column.unit);
            self.maybe(&mut column.note);
        }
        self.all(&mut table.remarks);
        for cell in table.body.iter_mut().flatten() {
            self.cell(cell);
        }
    }

    fn cell(&self, cell: &mut Cell) {
        // A cell without a value that looks like a number is a version or a name.
        cell.text = match cell.value {
            Some(_) => self.figure(&cell.text),
            None => self.text(&cell.text),
        };
        self.maybe(&mut cell.detail);
        self.maybe(&mut cell.note);
        self.maybe(&mut cell.source);
    }

    fn maybe(&self, text: &mut Option<String>) {
        *text = text.as_ref().map(|text| self.text(text));
    }

    fn drawn(&self, figure: &mut Figure) {
        figure.fidelity = self.text(&figure.fidelity);
        figure.note = self.text(&figure.note);
        let picture = &mut figure.picture;
        picture.title = self.text(&picture.title);
        picture.description = self.text(&picture.description);
        for layout in &mut picture.layouts {
            layout.body = markup::texts(&layout.body, self);
        }
    }
}
