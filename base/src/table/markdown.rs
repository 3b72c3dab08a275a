//! Tables in GitHub-flavoured Markdown.

use super::{Table, letters, mark};

impl Table {
    /// The table with its caption in bold above it and its footnotes below.
    pub fn to_markdown(&self) -> String {
        let notes = self.footnotes();
        let mut text = String::new();
        if !self.caption.is_empty() {
            text.push_str(&format!("**{}**\n\n", escape(&self.caption)));
        }
        let mut line = |cells: Vec<String>| {
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        };
        line(
            self.columns
                .iter()
                .map(|column| marked(&column.full_head(), &mark(&notes, column.note.as_ref())))
                .collect(),
        );
        line(
            self.columns
                .iter()
                .map(|column| if column.numeric { "---:" } else { "---" }.to_owned())
                .collect(),
        );
        for cells in &self.body {
            line(
                cells
                    .iter()
                    .map(|cell| marked(&cell.one_line(), &mark(&notes, cell.note.as_ref())))
                    .collect(),
            );
        }
        for remark in &self.remarks {
            text.push_str(&format!("\n{}\n", escape(remark)));
        }
        for (position, note) in notes.iter().enumerate() {
            text.push_str(&format!(
                "\n<sup>{}</sup> {}\n",
                letters(position),
                escape(note)
            ));
        }
        text
    }
}

fn marked(text: &str, mark: &str) -> String {
    let text = escape(text);
    if mark.is_empty() {
        text
    } else {
        format!("{text} <sup>{mark}</sup>")
    }
}

/// Escapes text so that Markdown and HTML take it literally.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' => {
                escaped.push('\\');
                escaped.push(character);
            }
            '\n' | '\r' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use crate::table::tests::sample;

    #[test]
    fn pipes_and_tags_are_taken_literally() {
        assert_eq!(
            sample().to_markdown(),
            "\
**Time on the Uno**

| Algorithm | Time (ms) <sup>a</sup> | Fidelity |
| --- | ---: | --- |
| aes-128 \\| &lt;fast&gt; | 0.532 | cycle-exact |
| µ-sha | 1,234 <sup>b</sup> | cycle-exact |
| rsa-2048 | does not fit |  |

One call through the C ABI.

<sup>a</sup> 16 MHz

<sup>b</sup> 32 bytes
"
        );
    }
}
