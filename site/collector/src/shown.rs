//! How numbers and units are written for people.

pub use selo_codec::shown_unit as unit;

/// A number with the decimal sign of the language.
pub fn number(text: &str, comma: bool) -> String {
    if comma {
        text.replace('.', ",")
    } else {
        text.into()
    }
}
