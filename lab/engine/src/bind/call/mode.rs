//! The mode of operation that a function's name gives.

use super::name::says;

/// The mode of operation that a function's name gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// None: single blocks, or whatever the interface takes.
    Plain,
    Ecb,
    Cbc,
    Ctr,
    /// A mode without an interface in the lab.
    Other,
}

/// The mode of a name.
pub(super) fn mode(all: &[String]) -> Mode {
    let whole = all.concat();
    let holds = |part: &str| says(all, &[part]) || (part.len() >= 3 && whole.contains(part));
    if holds("cbc") {
        Mode::Cbc
    } else if holds("ctr") || says(all, &["counter"]) {
        Mode::Ctr
    } else if holds("ecb") {
        Mode::Ecb
    } else if [
        "cfb", "ofb", "eax", "xts", "wrap", "siv", "ocb", "pcbc", "ige",
    ]
    .iter()
    .any(|part| says(all, &[part]))
    {
        Mode::Other
    } else {
        Mode::Plain
    }
}
