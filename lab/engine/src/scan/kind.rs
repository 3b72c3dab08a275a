//! What a file of a library is, by its name.

use std::path::Path;

/// A larger file is not a hand-written source: it is a table, an archive or junk.
pub(super) const LARGEST: u64 = 4 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Header,
    Source,
    /// A program for Arduino; its functions can be called by including it.
    Sketch,
}

pub(super) fn kind(path: &Path) -> Option<Kind> {
    match path.extension()?.to_str()? {
        "h" | "hpp" | "hh" | "hxx" => Some(Kind::Header),
        "c" | "cpp" | "cc" | "cxx" | "S" => Some(Kind::Source),
        "ino" | "pde" => Some(Kind::Sketch),
        _ => None,
    }
}
