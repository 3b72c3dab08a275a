//! What every page of a published site has: head, navigation, path, footer. A page needs no
//! network, no font and no other file; its links are relative, so the site works below any path.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::address::up;

const STYLE: &str = include_str!("site.css");

/// The page may fetch nothing: styles and script are inside it.
pub(super) const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Where the pages of one view of the figures stand: those of a run, or the newest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The folder from the top of the site, with a slash at its end.
    pub folder: String,
    /// The run that the figures are of.
    pub run: String,
}

impl Place {
    pub fn latest(run: &str) -> Place {
        Place {
            folder: "latest/".to_owned(),
            run: run.to_owned(),
        }
    }

    pub fn of_run(run: &str) -> Place {
        Place {
            folder: format!("runs/{run}/"),
            run: run.to_owned(),
        }
    }

    /// True for the addresses that always show the newest run.
    pub fn is_latest(&self) -> bool {
        self.folder == "latest/"
    }

    /// The way from a page of this view to the top of the site.
    pub fn to_top(&self, page: &str) -> String {
        format!("{}{}", up(page), up(&self.folder))
    }
}

/// A page before its frame.
pub struct Page<'a> {
    pub title: &'a str,
    pub subtitle: &'a str,
    /// The pages above this one: name and address relative to the view.
    pub path: Vec<(&'a str, String)>,
    pub content: Markup,
    /// The script of the page, if it has one.
    pub script: Option<&'static str>,
}

/// The whole page at `address` of a view.
pub fn page(place: &Place, address: &str, page: &Page<'_>) -> String {
    let (top, view) = (place.to_top(address), up(address));
    let nav = html! {
        nav .top aria-label="Site" {
            a href={ (top) "index.html" } { "Selo figures" }
            a href={ (view) "index.html" } { "Overview" }
            a href={ (view) "changes/index.html" } { "Changes" }
            a href={ (top) "index.html#runs" } { "Runs" }
            a href={ (top) "index.html#search" } { "Search" }
        }
    };
    let path = html! {
        @if !page.path.is_empty() {
            nav aria-label="Path" {
                ol .crumbs {
                    li { a href={ (view) "index.html" } { (place.run) } }
                    @for (name, target) in &page.path { li { a href={ (view) (target) } { (name) } } }
                }
            }
        }
    };
    let old = html! {
        @if !place.is_latest() {
            p .old {
                "These are the figures of the run " strong { (place.run) } ", which stay as they are. "
                a href={ (top) "latest/" (address) } { "The newest ones" } "."
            }
        }
    };
    whole(page, &html! { (nav) (path) }, &old)
}

/// The page at the top of the site, which belongs to no run.
pub fn front(page: &Page<'_>) -> String {
    let nav = html! {
        nav .top aria-label="Site" {
            a href="index.html" { "Selo figures" }
            a href="latest/changes/index.html" { "Changes" }
            a href="#runs" { "Runs" }
            a href="#search" { "Search" }
        }
    };
    whole(page, &nav, &html! {})
}

fn whole(page: &Page<'_>, nav: &Markup, notice: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="description" content=(page.subtitle);
                title { (page.title) " · Selo figures" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a .skip href="#main" { "Skip to the figures" }
                header { (nav) }
                main #main {
                    h1 { (page.title) }
                    p .sub { (page.subtitle) }
                    (notice)
                    (page.content)
                }
                footer { p { "Made by " code { "selo lab publish" } " from rows in the schema " code { (selo_engine::row::SCHEMA) } "." } }
                @if let Some(script) = page.script { script { (PreEscaped(script)) } }
            }
        }
    };
    page.into_string()
}
