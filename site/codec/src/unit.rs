//! Units as people write them.

/// Converts a UCUM unit to the spelling of people, the same in all languages. A plain number has
/// none.
pub fn shown(ucum: &str) -> &str {
    match ucum {
        "1" => "",
        "Cel" => "\u{b0}C",
        "deg" => "\u{b0}",
        "deg/s" => "\u{b0}/s",
        "kW.h" => "kWh",
        "[ppm]" => "ppm",
        "[g]" => "g",
        other => other,
    }
}
