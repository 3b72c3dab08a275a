//! Parts of the page that are drawn when a reader opens them. Tables and pictures of all boards
//! are several megabytes; compressed, they are a twentieth of it.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};

use crate::document::{Block, Section};
use crate::format;
use crate::language::Translator;

/// A part that is smaller is drawn at once, in bytes.
const SMALL: usize = 4096;

/// The parts that are drawn later.
#[derive(Debug)]
pub(super) struct Parts<'w> {
    drawn: Vec<String>,
    words: &'w Translator,
}

impl<'w> Parts<'w> {
    pub(super) fn new(words: &'w Translator) -> Parts<'w> {
        Parts {
            drawn: Vec::new(),
            words,
        }
    }

    /// Returns what the page has in place of the blocks of `section`: themselves, if they are
    /// small, or an element that draws them when it is opened.
    pub(super) fn place(&mut self, section: &Section, blocks: Markup) -> Markup {
        let blocks = blocks.into_string();
        if blocks.len() < SMALL {
            return PreEscaped(blocks);
        }
        let number = self.drawn.len();
        self.drawn.push(blocks);
        let words = self.words;
        html! {
            details .later data-part=(number) {
                summary { (words.text(&contents(section))) }
                p .unscripted {
                    (words.text("The page's script draws this part, and did not run. The same figures are in")) " "
                    code { "report.md" } ", " (words.text("which")) " " code { "selo lab report" } " "
                    (words.text("writes too")) "."
                }
            }
        }
    }

    /// The element that holds the parts, as a JSON array of HTML.
    pub(super) fn script(&self) -> Markup {
        script("parts", &serde_json::json!(self.drawn).to_string())
    }
}

/// What a part has, for a reader who decides whether to open it.
fn contents(section: &Section) -> String {
    let (mut tables, mut lines, mut pictures) = (0, 0, 0);
    for block in &section.blocks {
        match block {
            Block::Table { table, .. } => {
                tables += 1;
                lines += table.body.len();
            }
            Block::Figures(figures) => pictures += figures.len(),
            Block::Text(_) | Block::List(_) | Block::Notes(_) => {}
        }
    }
    let tables = (tables > 0).then(|| {
        let tables = format::things(tables, "table", "tables");
        format!("{tables} of {}", format::things(lines, "line", "lines"))
    });
    let pictures = (pictures > 0).then(|| format::things(pictures, "picture", "pictures"));
    match (tables, pictures) {
        (Some(tables), Some(pictures)) => format!("Show {tables}, and {pictures}"),
        (Some(one), None) | (None, Some(one)) => format!("Show {one}"),
        (None, None) => "Show the text".to_owned(),
    }
}

/// A script element with `text`, compressed by gzip: its bytes, a space, and base 85. No text can
/// end the element.
pub(super) fn script(id: &str, text: &str) -> Markup {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = gzip.write_all(text.as_bytes());
    let packed = gzip.finish().unwrap_or_default();
    html! {
        script id=(id) type="application/gzip" { (packed.len()) " " (PreEscaped(base85(&packed))) }
    }
}

/// Four bytes as five characters, a sixteenth less than Base64. The last group is filled with
/// zeros.
fn base85(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() / 4 * 5 + 5);
    for group in bytes.chunks(4) {
        let mut four = [0; 4];
        four[..group.len()].copy_from_slice(group);
        let mut rest = u32::from_be_bytes(four);
        let mut five = [0u8; 5];
        for place in five.iter_mut().rev() {
            *place = (rest % 85) as u8;
            rest /= 85;
        }
        text.extend(five.map(character));
    }
    text
}

/// The character of a digit: 64 from `?` on, then 21 from `!` on. None of `<`, `>` and `&` is there.
fn character(digit: u8) -> char {
    let code = match digit {
        0..64 => b'?' + digit,
        64..69 => b'!' + digit - 64,
        _ => b'\'' + digit - 69,
    };
    char::from(code)
}

#[cfg(test)]
pub mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    /// The text in the script element of this id.
    fn text_of(page: &str, id: &str) -> String {
        let open = format!("<script id=\"{id}\" type=\"application/gzip\">");
        let (_, rest) = page.split_once(&open).expect("the element");
        let (packed, _) = rest.split_once("</script>").expect("its end");
        let (size, digits) = packed.split_once(' ').expect("the size");
        let mut bytes = bytes_of(digits);
        bytes.truncate(size.parse().expect("a number"));
        let mut text = String::new();
        let mut gzip = GzDecoder::new(&bytes[..]);
        gzip.read_to_string(&mut text).expect("gzip");
        text
    }

    /// The inverse of [`base85`], by searching each character.
    fn bytes_of(digits: &str) -> Vec<u8> {
        let digit = |of: char| (0..85).find(|digit| character(*digit) == of);
        let digits: Vec<u8> = digits.chars().map(|c| digit(c).expect("a digit")).collect();
        let number = |five: &[u8]| five.iter().fold(0, |sum, d| sum * 85 + u32::from(*d));
        digits
            .chunks(5)
            .flat_map(|five| number(five).to_be_bytes())
            .collect()
    }

    #[test]
    fn every_byte_comes_back_and_html_has_no_meaning_for_a_digit() {
        let bytes: Vec<u8> = (0..=255).chain([255; 8]).collect();
        let text = base85(&bytes);
        assert_eq!(bytes_of(&text), bytes);
        assert!(!text.contains(['<', '>', '&', ' ']));
    }

    /// The page with all its parts drawn.
    pub fn unpacked(page: &str) -> String {
        let parts: Vec<String> = serde_json::from_str(&text_of(page, "parts")).expect("JSON");
        let mut drawn = page.to_owned();
        for (number, part) in parts.iter().enumerate() {
            let open = format!("<details class=\"later\" data-part=\"{number}\">");
            assert_eq!(drawn.matches(&open).count(), 1, "part {number}");
            drawn = drawn.replacen(&open, &format!("{open}{part}"), 1);
        }
        drawn
    }

    #[test]
    fn no_row_can_end_the_script() {
        let text = "</script><script>alert(1)</script>".repeat(3);
        let page = script("rows", &text).into_string();
        assert_eq!(page.matches("</script>").count(), 1);
        assert_eq!(text_of(&page, "rows"), text);
    }
}
