//! A report before it is written: sections of text, tables and pictures.
//! The page and the Markdown file are two renderings of one document.

use selo_engine::row::Metric;

use crate::svg::Picture;
use crate::table::Table;

/// A report.
#[derive(Debug, Default)]
pub struct Document {
    pub title: String,
    /// One line below the title: boards, run, fidelity.
    pub subtitle: String,
    pub sections: Vec<Section>,
}

/// A section or a subsection.
#[derive(Debug, Default)]
pub struct Section {
    /// Names the section in links; unique in the document.
    pub id: String,
    pub title: String,
    /// A shorter title for the table of contents, if the full one is too long.
    pub short: Option<String>,
    /// The board of the whole section; `None` if it covers several.
    pub board: Option<String>,
    /// True if the page shows its title alone until a reader opens it.
    pub folded: bool,
    pub blocks: Vec<Block>,
    pub subsections: Vec<Section>,
}

/// A piece of a section.
#[derive(Debug)]
pub enum Block {
    Text(String),
    /// An ordered list.
    List(Vec<String>),
    /// Remarks: an unordered list.
    Notes(Vec<String>),
    Table {
        id: String,
        table: Table,
    },
    /// Pictures shown together.
    Figures(Vec<Figure>),
}

/// A picture with its caption.
#[derive(Debug)]
pub struct Figure {
    pub picture: Picture,
    /// Fidelity of the measured figures in the picture.
    pub fidelity: String,
    /// Reading notes; may be empty.
    pub note: String,
    /// The metrics it shows. A page can hide figures by metric.
    pub metrics: Vec<Metric>,
}

impl Section {
    pub fn new(id: impl Into<String>, title: impl Into<String>) -> Section {
        Section {
            id: id.into(),
            title: title.into(),
            ..Section::default()
        }
    }

    /// Adds a table. Its id is the section's id and `name`, which makes it unique.
    pub fn table(&mut self, name: &str, table: Table) {
        let id = format!("{}-{name}", self.id);
        self.blocks.push(Block::Table { id, table });
    }

    pub fn text(&mut self, text: impl Into<String>) {
        self.blocks.push(Block::Text(text.into()));
    }

    /// Adds pictures, if there are any.
    pub fn figures(&mut self, figures: Vec<Figure>) {
        if !figures.is_empty() {
            self.blocks.push(Block::Figures(figures));
        }
    }

    /// True if the section has neither blocks nor subsections.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty() && self.subsections.is_empty()
    }

    /// The section's own pictures and those of its subsections.
    pub fn pictures(&self) -> Vec<&Picture> {
        let own = self.blocks.iter().filter_map(|block| match block {
            Block::Figures(figures) => Some(figures.iter().map(|figure| &figure.picture)),
            _ => None,
        });
        own.flatten()
            .chain(self.subsections.iter().flat_map(Section::pictures))
            .collect()
    }
}

/// Turns a name into letters, digits and hyphens, for ids and file names.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars() {
        match character {
            c if c.is_ascii_alphanumeric() => slug.push(c.to_ascii_lowercase()),
            _ if !slug.ends_with('-') && !slug.is_empty() => slug.push('-'),
            _ => {}
        }
    }
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn slugs_are_safe_names() {
        assert_eq!(
            super::slug("speck128/256 fast: Encrypt"),
            "speck128-256-fast-encrypt"
        );
        assert_eq!(super::slug("../<b>"), "b");
    }
}
