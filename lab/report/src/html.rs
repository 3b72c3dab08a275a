//! The report as one self-contained page. It needs no network and no font. The answers come
//! first and need no script; the other parts are compressed, and drawn when a reader opens them
//! ([`packed`]). The escaping of `maud` covers all data; the unescaped blocks are written here.

mod packed;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use selo_engine::row::Row;

use crate::csv;
use crate::document::{Block, Document, Figure, Section};
use crate::format;
use crate::svg;
use packed::Parts;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// The page may fetch nothing: styles and script are inside it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Sections that are drawn at once: the summary, and what is best.
const ANSWERS: usize = 2;

/// The whole page, with the rows in it.
pub fn page(document: &Document, rows: &[Row]) -> String {
    let made = html! {
        "Made by " code { "selo lab report" } " from rows in the schema " code { (selo_engine::row::SCHEMA) } "."
    };
    whole(document, Some(Parts::default()), &raw(rows), &made)
}

/// A page without rows. `command` is the command that made it.
pub fn page_of(document: &Document, command: &str) -> String {
    let made = html! { "Made by " code { (command) } "." };
    whole(document, None, &html! {}, &made)
}

/// `parts` takes what is drawn later. Without it the whole document is drawn at once.
fn whole(document: &Document, parts: Option<Parts>, after: &Markup, made: &Markup) -> String {
    let mut parts = parts;
    let (answers, others) = document
        .sections
        .split_at(ANSWERS.min(document.sections.len()));
    let sections = html! {
        @for part in answers { (section(part, 2, &mut None)) }
        @for part in others { (section(part, 2, &mut parts)) }
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
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
                a .skip href="#summary" { "Skip to the summary" }
                header .page-head {
                    (seal())
                    div {
                        h1 { (document.title) }
                        p { (document.subtitle) }
                    }
                }
                div .page {
                    nav .contents aria-label="Contents" { (contents(&document.sections)) }
                    main {
                        (sections)
                        (after)
                    }
                }
                footer { p { (made) } }
                @if let Some(parts) = &parts { (parts.script()) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
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

fn contents(sections: &[Section]) -> Markup {
    html! {
        ol {
            @for section in sections {
                li {
                    a href={ "#" (section.id) } { (section.short.as_ref().unwrap_or(&section.title)) }
                    @if !section.subsections.is_empty() { (contents(&section.subsections)) }
                }
            }
        }
    }
}

fn section(part: &Section, level: u8, parts: &mut Option<Parts>) -> Markup {
    let blocks = html! { @for item in &part.blocks { (block(item)) } };
    let blocks = match parts {
        Some(parts) => parts.place(part, blocks),
        None => blocks,
    };
    html! {
        section id=(part.id) data-board=[&part.board] {
            @if level == 2 { h2 { (part.title) } } @else { h3 { (part.title) } }
            (blocks)
            @for inner in &part.subsections { (section(inner, level + 1, parts)) }
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
    html! {
        figure .wide-figure[figure.picture.layouts.len() > 1] id=(figure.picture.id) {
            figcaption {
                strong { (figure.picture.title) } " " span .badge { (figure.fidelity) }
                @if !figure.note.is_empty() { p { (figure.note) } }
            }
            (figure.picture.inline())
        }
    }
}

/// The raw rows, compressed. The page's script unpacks them, and saves them as a file.
fn raw(rows: &[Row]) -> Markup {
    html! {
        section #raw {
            h2 { "Raw rows" }
            p {
                (format::things(rows.len(), "row", "rows")) ", one for each figure, in the schema "
                code { (selo_engine::row::SCHEMA) } ". They are in this page, compressed; "
                code { "selo lab report --format csv" } " writes the same file."
            }
            (packed::script("rows", &csv::rows(rows)))
        }
    }
}

#[cfg(test)]
pub use packed::tests::unpacked;
