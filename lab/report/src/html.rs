//! The report as one self-contained page. It needs no network and no font. The answers come
//! first and need no script; the other parts are compressed, and drawn when a reader opens them
//! ([`packed`]). The escaping of `maud` covers all data; the unescaped blocks are written here.

mod packed;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use selo_engine::row::{Metric, Row};

use crate::csv;
use crate::document::{Block, Document, Figure, Section};
use crate::format;
use crate::language::Translator;
use crate::svg;
use packed::Parts;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// The page may fetch nothing: styles and script are inside it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Texts that the script shows.
const SCRIPT_TEXTS: [&str; 19] = [
    "Boards",
    "Libraries",
    "Algorithms",
    "Metrics",
    "Filters",
    "All",
    "None",
    "What to show",
    "The axes of pictures stay as they are. The address of the page keeps the choice.",
    "Search this table",
    "Search",
    "Table",
    "of",
    "Save as CSV",
    "Show all parts of the page",
    "Rows behind a figure",
    "Row",
    "Close",
    "This browser cannot unpack this part. A newer one can; the same figures are in report.md, which selo lab report writes too.",
];

/// The whole page, with the rows in it. The document is in the language of the translator.
pub fn page(document: &Document, rows: &[Row], words: &Translator) -> String {
    let made = html! {
        (words.text("Made by")) " " code { "selo lab report" } " " (words.text("from rows in the schema")) " "
        code { (selo_engine::row::SCHEMA) } "."
    };
    whole(
        document,
        Some(Parts::new(words)),
        &raw(rows, words),
        &made,
        words,
    )
}

/// A page without rows. `command` is the command that made it.
pub fn page_of(document: &Document, command: &str) -> String {
    let made = html! { "Made by " code { (command) } "." };
    whole(document, None, &html! {}, &made, &Translator::default())
}

/// `parts` takes what is drawn later. Without it the whole document is drawn at once.
fn whole(
    document: &Document,
    mut parts: Option<Parts<'_>>,
    after: &Markup,
    made: &Markup,
    words: &Translator,
) -> String {
    let sections = html! {
        @for part in &document.sections { (section(part, 2, false, &mut parts)) }
    };
    let page = html! {
        (DOCTYPE)
        html lang=(words.language().tag()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="description" content=(document.subtitle);
                title { (document.title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(svg::CSS)) (PreEscaped(STYLE)) }
            }
            body {
                a .skip href="#main" { (words.text("Skip to the answers")) }
                header .page-head {
                    (seal())
                    div {
                        h1 { (document.title) }
                        p { (document.subtitle) }
                    }
                }
                div .page {
                    nav .contents aria-label=(words.text("Contents")) { (contents(&document.sections, 2)) }
                    main #main {
                        (sections)
                        (after)
                    }
                }
                footer { p { (made) } }
                @if let Some(parts) = &parts { (parts.script()) }
                (script_texts(words))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The script's texts in another language than English, as JSON.
fn script_texts(words: &Translator) -> Markup {
    // The script also shows the names of metrics.
    let metrics = Metric::ALL.map(Metric::name);
    let texts: std::collections::BTreeMap<&str, String> = SCRIPT_TEXTS
        .into_iter()
        .chain(metrics)
        .map(|text| (text, words.text(text)))
        .collect();
    let json = serde_json::json!(texts).to_string();
    html! {
        @if !words.is_english() { script #texts type="application/json" { (PreEscaped(json)) } }
    }
}

/// The project's mark, a wax seal.
fn seal() -> Markup {
    html! {
        svg .seal viewBox="0 0 48 48" width="44" height="44" aria-hidden="true" {
            path d="M24 2l4.6 3.5 5.7-.7 2.3 5.3 5.3 2.3-.7 5.7L44.7 22l-3.5 4.6.7 5.7-5.3 2.3-2.3 5.3-5.7-.7L24 42.7l-4.6-3.5-5.7.7-2.3-5.3-5.3-2.3.7-5.7L3.3 22l3.5-4.6-.7-5.7 5.3-2.3 2.3-5.3 5.7.7z" {}
            circle cx="24" cy="22.3" r="12" {}
            path .letter d="M28.6 18.4c-.7-1.7-2.4-2.6-4.5-2.6-2.7 0-4.6 1.3-4.6 3.3 0 4.6 9.2 1.9 9.2 6.6 0 2.1-2 3.4-4.8 3.4-2.4 0-4.2-1-4.9-2.9" {}
        }
    }
}

/// The sections down to a level.
fn contents(sections: &[Section], levels: u8) -> Markup {
    html! {
        ol {
            @for section in sections {
                li {
                    a href={ "#" (section.id) } { (section.short.as_ref().unwrap_or(&section.title)) }
                    @if levels > 1 && !section.subsections.is_empty() { (contents(&section.subsections, levels - 1)) }
                }
            }
        }
    }
}

/// `folded` is true inside a folded section. What stands open is drawn at once.
fn section(part: &Section, level: u8, folded: bool, parts: &mut Option<Parts<'_>>) -> Markup {
    let folded = folded || part.folded;
    let blocks = html! { @for item in &part.blocks { (block(item)) } };
    let blocks = match parts {
        Some(parts) if folded => parts.place(part, blocks),
        _ => blocks,
    };
    let title = match level {
        2 => html! { h2 { (part.title) } },
        3 => html! { h3 { (part.title) } },
        _ => html! { h4 { (part.title) } },
    };
    let inside = html! {
        (blocks)
        @for inner in &part.subsections { (section(inner, level + 1, folded, parts)) }
    };
    html! {
        section id=(part.id) data-board=[&part.board] {
            @if part.folded {
                details .fold { summary { (title) } (inside) }
            } @else {
                (title) (inside)
            }
        }
    }
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Text(text) => html! { p { (text) } },
        Block::List(items) => html! { ol .findings { @for item in items { li { (item) } } } },
        Block::Notes(notes) => html! { ul .remarks { @for note in notes { li { (note) } } } },
        Block::Table { id, table } => crate::table::ToHtml::to_html(table, id),
        Block::Figures(figures) => html! {
            div .figures { @for figure in figures { (self::figure(figure)) } }
        },
    }
}

fn figure(figure: &Figure) -> Markup {
    let names: Vec<&str> = figure.metrics.iter().map(|metric| metric.name()).collect();
    let metrics = (!names.is_empty()).then(|| names.join(" "));
    html! {
        figure .wide-figure[figure.picture.layouts.len() > 1] id=(figure.picture.id) data-metric=[metrics] {
            figcaption {
                strong { (figure.picture.title) } " " span .badge { (figure.fidelity) }
                @if !figure.note.is_empty() { p { (figure.note) } }
            }
            (figure.picture.inline())
        }
    }
}

/// The raw rows, compressed. The page's script unpacks them, and saves them as a file.
fn raw(rows: &[Row], words: &Translator) -> Markup {
    let count = format::things(rows.len(), "row", "rows");
    html! {
        section #raw {
            h2 { (words.text("Raw rows")) }
            p {
                (words.text(&format!("{count}, one for each figure, in the schema"))) " "
                code { (selo_engine::row::SCHEMA) } ". "
                (words.text("They are in this page, compressed;")) " "
                code { "selo lab report --format csv" } " " (words.text("writes the same file")) "."
            }
            (packed::script("rows", &csv::rows(rows)))
        }
    }
}

#[cfg(test)]
pub use packed::tests::unpacked;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_the_script_can_be_translated() {
        let said: Vec<&str> = SCRIPT
            .split("say(\"")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once("\")")?.0))
            .collect();
        assert!(said.len() >= SCRIPT_TEXTS.len());
        for text in said {
            assert!(SCRIPT_TEXTS.contains(&text), "{text}");
        }
    }
}
