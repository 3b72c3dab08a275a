//! How numbers and units are written for people.

/// A codec's unit as people write it.
pub fn unit(name: &str) -> &str {
    match name {
        "Cel" => "°C",
        "1" => "",
        other => other,
    }
}

/// A number with the decimal sign of the language.
pub fn number(text: &str, comma: bool) -> String {
    if comma {
        text.replace('.', ",")
    } else {
        text.into()
    }
}
