//! Tables for a terminal, aligned by display width, and coloured on request.

use std::io::IsTerminal as _;

use unicode_width::UnicodeWidthStr as _;

use super::{Cell, Table, Tone, mark};

/// The capabilities of the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalStyle {
    /// Use ANSI colours.
    pub color: bool,
}

impl TerminalStyle {
    /// Colours when stdout is a terminal and `NO_COLOR` is unset or empty.
    pub fn detect() -> Self {
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        TerminalStyle {
            color: std::io::stdout().is_terminal() && !forbidden && !dumb,
        }
    }

    /// Surrounds a text with an ANSI code and its reset.
    fn paint(self, code: &str, text: &str) -> String {
        if self.color && !code.is_empty() && !text.trim().is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

impl Table {
    /// The table as lines of text, each ended by a line feed, without trailing blanks.
    pub fn to_terminal(&self, style: TerminalStyle) -> String {
        let notes = self.footnotes();
        let heads: Vec<String> = self
            .columns
            .iter()
            .map(|column| marked(&column.full_head(), &mark(&notes, column.note.as_ref())))
            .collect();
        let body: Vec<Vec<String>> = self
            .body
            .iter()
            .map(|line| {
                line.iter()
                    .map(|cell| marked(&cell.one_line(), &mark(&notes, cell.note.as_ref())))
                    .collect()
            })
            .collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|column| {
                body.iter()
                    .map(|line| line[column].width())
                    .chain([heads[column].width()])
                    .max()
                    .unwrap_or(0)
            })
            .collect();

        let mut text = String::new();
        if !self.caption.is_empty() {
            text.push_str(&style.paint("1", &printable(&self.caption)));
            text.push_str("\n\n");
        }
        let fit = |content: &str, column: usize| {
            pad(content, widths[column], self.columns[column].numeric)
        };
        let heads = heads.iter().enumerate();
        push_line(
            &mut text,
            heads.map(|(column, head)| style.paint("1", &fit(head, column))),
        );
        let rules = widths.iter();
        push_line(
            &mut text,
            rules.map(|width| style.paint("2", &"─".repeat(*width))),
        );
        for (cells, contents) in self.body.iter().zip(&body) {
            let contents = contents.iter().enumerate();
            push_line(
                &mut text,
                contents.map(|(column, content)| {
                    style.paint(color(&cells[column]), &fit(content, column))
                }),
            );
        }
        self.push_legend(&mut text, &notes, style);
        text
    }

    /// Adds the remarks, and the notes with their letters, below the table.
    fn push_legend(&self, text: &mut String, notes: &[&str], style: TerminalStyle) {
        let legend = self.remarks.iter().map(|remark| printable(remark)).chain(
            notes.iter().enumerate().map(|(position, note)| {
                format!("{}  {}", super::letters(position), printable(note))
            }),
        );
        for (index, note) in legend.enumerate() {
            if index == 0 {
                text.push('\n');
            }
            text.push_str(&style.paint("2", &note));
            text.push('\n');
        }
    }
}

/// Adds a line of cells without trailing blanks.
fn push_line(text: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<String> = cells.collect();
    text.push_str(cells.join("  ").trim_end());
    text.push('\n');
}

fn color(cell: &Cell) -> &'static str {
    match cell.tone {
        Tone::Plain => "",
        Tone::Quiet => "2",
        Tone::Good => "32",
        Tone::Warn => "33",
        Tone::Bad => "31",
    }
}

fn marked(text: &str, mark: &str) -> String {
    let text = printable(text);
    if mark.is_empty() {
        text
    } else {
        format!("{text} [{mark}]")
    }
}

fn pad(content: &str, width: usize, right: bool) -> String {
    let blanks = " ".repeat(width.saturating_sub(content.width()));
    if right {
        format!("{blanks}{content}")
    } else {
        format!("{content}{blanks}")
    }
}

/// Replaces control characters by blanks, so that data cannot control the terminal.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::tests::sample;

    #[test]
    fn columns_line_up() {
        assert_eq!(
            sample().to_terminal(TerminalStyle::default()),
            "\
Time on the Uno

Algorithm         Time (ms) [a]  Fidelity
────────────────  ─────────────  ───────────
aes-128 | <fast>          0.532  cycle-exact
µ-sha                 1,234 [b]  cycle-exact
rsa-2048           does not fit

One call through the C ABI.
a  16 MHz
b  32 bytes
"
        );
    }

    #[test]
    fn colours_only_when_asked() {
        assert!(
            !sample()
                .to_terminal(TerminalStyle { color: false })
                .contains('\x1b')
        );
        assert!(
            sample()
                .to_terminal(TerminalStyle { color: true })
                .contains("\x1b[31m")
        );
    }

    #[test]
    fn data_cannot_steer_the_terminal() {
        let mut table = sample();
        table.body[0][0].text = "evil\x1b[2J\nname".to_owned();
        let text = table.to_terminal(TerminalStyle { color: false });
        assert!(!text.contains('\x1b'));
        assert_eq!(
            text.lines().count(),
            sample()
                .to_terminal(TerminalStyle::default())
                .lines()
                .count()
        );
    }
}
