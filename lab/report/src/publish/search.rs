//! The search field of the overview, and the names that it finds.

use std::collections::BTreeMap;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use maud::{Markup, PreEscaped, html};
use serde_json::json;

use super::address::anchor;
use super::figure::variant;
use super::view::View;
use crate::gate::Key;

pub const SCRIPT: &str = include_str!("search.js");

/// The most bytes of the names on a page. Beyond, the field finds pages, and not each figure.
const LARGEST: usize = 150_000;

/// The field. The script shows it; without the script the lists have the same pages.
pub fn field(view: &View<'_>, prefix: &str) -> Markup {
    let mut packed = packed(&names(view, true));
    if packed.len() > LARGEST {
        packed = self::packed(&names(view, false));
    }
    html! {
        form .search #search role="search" hidden {
            label for="words" { "Find a figure" }
            input #words type="search" autocomplete="off" placeholder="uno aes-128 fast encrypt cycles";
            p { output for="words" {} }
            ol {}
        }
        // Base64 has no character that ends the element.
        script #names type="application/octet-stream" data-prefix=(prefix) { (PreEscaped(packed)) }
    }
}

/// Each page with its title and the number of its list of figures; pages share equal lists.
fn names(view: &View<'_>, figures: bool) -> String {
    let mut sets: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut units = Vec::new();
    for (unit, rows) in &view.units {
        let Some(first) = rows.first() else { continue };
        let set: Vec<String> = match figures {
            true => rows.iter().map(|row| anchor(&Key::of(row))).collect(),
            false => Vec::new(),
        };
        let next = sets.len();
        let set = *sets.entry(set).or_insert(next);
        let (board, library, algorithm) = (&first.board, &first.library, &first.algorithm);
        let title = format!("{board} {library} {algorithm} {}", variant(first));
        let folder = unit.folder();
        units.push(json!([folder.trim_start_matches("figures/"), title, set]));
    }
    let mut lists = vec![Vec::new(); sets.len()];
    for (set, at) in sets {
        lists[at] = set;
    }
    json!({"units": units, "sets": lists}).to_string()
}

fn packed(text: &str) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory cannot fail.
    let _ = gzip.write_all(text.as_bytes());
    STANDARD.encode(gzip.finish().unwrap_or_default())
}
