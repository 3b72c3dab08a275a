//! A table that is described once and rendered in several formats: terminal, Markdown and CSV here,
//! HTML in lab/report. No other code in the project aligns columns.
//!
//! A figure is a [`Cell`] with a text to read and a raw value for sorting and export, so no
//! renderer parses another renderer's text.

mod markdown;
mod terminal;

pub use markdown::escape as escape_markdown;
pub use terminal::TerminalStyle;

/// A table with a head, a body and footnotes.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// One line above the table; empty for none.
    pub caption: String,
    pub columns: Vec<Column>,
    pub body: Vec<Vec<Cell>>,
    /// Remarks on the whole table, shown below it before the numbered footnotes.
    pub remarks: Vec<String>,
    /// Whether the table is long enough to need a search field on the page.
    pub filter: bool,
}

/// A column: its head, unit and alignment.
#[derive(Clone, Debug)]
pub struct Column {
    pub head: String,
    /// Unit of every figure in the column, shown in the head; empty for none.
    pub unit: String,
    /// Aligns figures right. Words are aligned left.
    pub numeric: bool,
    /// A footnote to the head.
    pub note: Option<String>,
}

/// The emphasis of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    #[default]
    Plain,
    /// Less important than its neighbours.
    Quiet,
    /// The best of its column.
    Good,
    /// Worth a second look.
    Warn,
    /// A failure.
    Bad,
}

/// One cell of the body.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    /// The displayed text.
    pub text: String,
    /// Shown after the text, in brackets or on a line of its own.
    pub detail: Option<String>,
    /// The value behind the text; sorting and CSV use it instead of the text.
    pub value: Option<f64>,
    pub tone: Tone,
    /// Shown as a small label, as fidelities and statuses are.
    pub badge: bool,
    /// A footnote; equal footnotes of one table share a mark.
    pub note: Option<String>,
    /// The origin of the figure, in one line.
    pub source: Option<String>,
    /// Indices of the rows behind the figure.
    pub rows: Vec<usize>,
    /// An anchor on the same page with more detail.
    pub link: Option<String>,
    /// The anchor that other cells link to.
    pub id: Option<String>,
}

impl Table {
    /// A table with a caption and columns but no body yet.
    pub fn new(caption: impl Into<String>, columns: Vec<Column>) -> Self {
        Table {
            caption: caption.into(),
            columns,
            ..Table::default()
        }
    }

    /// Adds a line. Missing cells at its end are empty.
    pub fn push(&mut self, mut line: Vec<Cell>) {
        line.resize_with(self.columns.len(), Cell::default);
        self.body.push(line);
    }

    /// Removes the columns without content, and returns the table.
    #[must_use]
    pub fn without_empty_columns(mut self) -> Self {
        let keep: Vec<bool> = (0..self.columns.len())
            .map(|column| self.body.iter().any(|line| !line[column].is_empty()))
            .collect();
        let mut kept = keep.iter();
        self.columns
            .retain(|_| kept.next().copied().unwrap_or(true));
        for line in &mut self.body {
            let mut kept = keep.iter();
            line.retain(|_| kept.next().copied().unwrap_or(true));
        }
        self
    }

    /// The table as CSV [RFC4180]: raw values, units in the head, no footnotes.
    pub fn to_csv(&self) -> String {
        let mut text = crate::csv::line(self.columns.iter().map(Column::full_head));
        for line in &self.body {
            text.push_str(&crate::csv::line(line.iter().map(
                |cell| match cell.value {
                    Some(value) => value.to_string(),
                    None if cell.is_empty() => String::new(),
                    None => cell.one_line(),
                },
            )));
        }
        text
    }

    /// Footnotes in the order of their marks, head before body.
    pub fn footnotes(&self) -> Vec<&str> {
        let head = self
            .columns
            .iter()
            .filter_map(|column| column.note.as_deref());
        let body = self
            .body
            .iter()
            .flatten()
            .filter_map(|cell| cell.note.as_deref());
        let mut notes = Vec::new();
        for note in head.chain(body) {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }
}

/// The mark of a footnote, or nothing: `a`, `b`, ... `z`, `aa`, `ab`, ...
pub fn mark(notes: &[&str], note: Option<&String>) -> String {
    let Some(position) = note.and_then(|note| notes.iter().position(|other| other == note)) else {
        return String::new();
    };
    letters(position)
}

/// The letters of the mark at a position: `a` for 0, `aa` for 26.
pub fn letters(position: usize) -> String {
    let letter = char::from(b'a' + (position % 26) as u8);
    match position / 26 {
        0 => letter.to_string(),
        more => format!("{}{letter}", letters(more - 1)),
    }
}

impl Column {
    /// A column of words.
    pub fn text(head: impl Into<String>) -> Self {
        Column {
            head: head.into(),
            unit: String::new(),
            numeric: false,
            note: None,
        }
    }

    /// A column of figures, all in one unit (empty for a bare number).
    pub fn number(head: impl Into<String>, unit: impl Into<String>) -> Self {
        Column {
            head: head.into(),
            unit: unit.into(),
            numeric: true,
            note: None,
        }
    }

    /// Adds a footnote to the head.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Head and unit in one string: `Time (ms)`.
    pub fn full_head(&self) -> String {
        if self.unit.is_empty() || self.unit.eq_ignore_ascii_case(&self.head) {
            self.head.clone()
        } else {
            format!("{} ({})", self.head, self.unit)
        }
    }
}

impl Cell {
    /// A cell of words.
    pub fn text(text: impl Into<String>) -> Self {
        Cell {
            text: text.into(),
            ..Cell::default()
        }
    }

    /// A figure: its text and its value.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Cell {
            text: text.into(),
            value: Some(value),
            ..Cell::default()
        }
    }

    /// An empty cell.
    pub fn none() -> Self {
        Cell::default()
    }

    /// A small label: a status, a fidelity.
    pub fn label(text: impl Into<String>, tone: Tone) -> Self {
        Cell {
            text: text.into(),
            tone,
            badge: true,
            ..Cell::default()
        }
    }

    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    #[must_use]
    pub fn with_tone(mut self, tone: Tone) -> Self {
        self.tone = tone;
        self
    }

    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = Some(note.into());
        self
    }

    #[must_use]
    pub fn with_link(mut self, anchor: impl Into<String>) -> Self {
        self.link = Some(anchor.into());
        self
    }

    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Adds the origin of the figure: a line to read, and the rows behind it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<String>, rows: Vec<usize>) -> Self {
        self.source = Some(source.into());
        self.rows = rows;
        self
    }

    /// Whether the cell has no text.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Text and detail in one line.
    pub fn one_line(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{} ({detail})", self.text),
            None => self.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn sample() -> Table {
        let mut table = Table::new(
            "Time on the Uno",
            vec![
                Column::text("Algorithm"),
                Column::number("Time", "ms").with_note("16 MHz"),
                Column::text("Fidelity"),
            ],
        );
        table.push(vec![
            Cell::text("aes-128 | <fast>"),
            Cell::number("0.532", 0.5325),
            Cell::label("cycle-exact", Tone::Plain),
        ]);
        table.push(vec![
            Cell::text("µ-sha"),
            Cell::number("1,234", 1234.0).with_note("32 bytes"),
            Cell::label("cycle-exact", Tone::Plain),
        ]);
        table.push(vec![
            Cell::text("rsa-2048"),
            Cell::label("does not fit", Tone::Bad),
        ]);
        table.remarks.push("One call through the C ABI.".to_owned());
        table
    }

    #[test]
    fn csv_holds_raw_values() {
        assert_eq!(
            sample().to_csv(),
            "Algorithm,Time (ms),Fidelity\r\naes-128 | <fast>,0.5325,cycle-exact\r\nµ-sha,1234,cycle-exact\r\nrsa-2048,does not fit,\r\n"
        );
    }

    #[test]
    fn equal_footnotes_share_a_mark() {
        let mut table = sample();
        table.body[0][1].note = Some("32 bytes".to_owned());
        assert_eq!(table.footnotes(), ["16 MHz", "32 bytes"]);
        assert_eq!(
            mark(&table.footnotes(), table.body[1][1].note.as_ref()),
            "b"
        );
        assert_eq!(letters(25), "z");
        assert_eq!(letters(26), "aa");
        assert_eq!(letters(53), "bb");
    }

    #[test]
    fn empty_columns_go() {
        let mut table = sample();
        for line in &mut table.body {
            line[1] = Cell::none();
        }
        let table = table.without_empty_columns();
        assert_eq!(table.columns.len(), 2);
        assert!(table.body.iter().all(|line| line.len() == 2));
    }
}
