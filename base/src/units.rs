//! Units of the papers, meters and command line, and conversions between them.
//!
//! All unit conversions use this table. The lab stores rows in base units only (`Metric::unit` of
//! `selo-engine`).

use thiserror::Error;

/// Physical dimension of a unit. Units convert only within one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    Time,
    Energy,
    Power,
    Current,
    Voltage,
    Charge,
    Frequency,
    Bytes,
    Cycles,
    Instructions,
    Share,
    Ratio,
    Rate,
}

/// A unit: its name, its dimension, and its size in base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    pub name: &'static str,
    pub dimension: Dimension,
    pub factor: f64,
}

/// Seconds in a Julian year (365.25 days), used for battery lives.
pub const YEAR: f64 = 31_557_600.0;

/// Joules in a nanowatt-hour.
pub const NANOWATT_HOUR: f64 = 3.6e-6;

const fn unit(name: &'static str, dimension: Dimension, factor: f64) -> Unit {
    Unit {
        name,
        dimension,
        factor,
    }
}

/// The base unit of a dimension is its first unit with factor 1.
const UNITS: &[Unit] = &[
    unit("s", Dimension::Time, 1.0),
    unit("ms", Dimension::Time, 1e-3),
    unit("us", Dimension::Time, 1e-6),
    unit("ns", Dimension::Time, 1e-9),
    unit("min", Dimension::Time, 60.0),
    unit("h", Dimension::Time, 3600.0),
    unit("d", Dimension::Time, 86_400.0),
    unit("years", Dimension::Time, YEAR),
    unit("J", Dimension::Energy, 1.0),
    unit("mJ", Dimension::Energy, 1e-3),
    unit("uJ", Dimension::Energy, 1e-6),
    unit("nJ", Dimension::Energy, 1e-9),
    unit("Wh", Dimension::Energy, 3600.0),
    unit("mWh", Dimension::Energy, 3.6),
    unit("uWh", Dimension::Energy, 3.6e-3),
    unit("nWh", Dimension::Energy, NANOWATT_HOUR),
    unit("pWh", Dimension::Energy, 3.6e-9),
    unit("W", Dimension::Power, 1.0),
    unit("mW", Dimension::Power, 1e-3),
    unit("uW", Dimension::Power, 1e-6),
    unit("nW", Dimension::Power, 1e-9),
    unit("A", Dimension::Current, 1.0),
    unit("mA", Dimension::Current, 1e-3),
    unit("uA", Dimension::Current, 1e-6),
    unit("nA", Dimension::Current, 1e-9),
    unit("V", Dimension::Voltage, 1.0),
    unit("mV", Dimension::Voltage, 1e-3),
    unit("uV", Dimension::Voltage, 1e-6),
    unit("C", Dimension::Charge, 1.0),
    unit("Ah", Dimension::Charge, 3600.0),
    unit("mAh", Dimension::Charge, 3.6),
    unit("Hz", Dimension::Frequency, 1.0),
    unit("kHz", Dimension::Frequency, 1e3),
    unit("MHz", Dimension::Frequency, 1e6),
    unit("GHz", Dimension::Frequency, 1e9),
    unit("bytes", Dimension::Bytes, 1.0),
    unit("B", Dimension::Bytes, 1.0),
    unit("KB", Dimension::Bytes, 1024.0),
    unit("cycles", Dimension::Cycles, 1.0),
    unit("instructions", Dimension::Instructions, 1.0),
    unit("%", Dimension::Share, 1.0),
    unit("x", Dimension::Ratio, 1.0),
    unit("packets/s", Dimension::Rate, 1.0),
];

/// Reason why a unit or a quantity was refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum UnitError {
    /// The unit is not in the table.
    #[error("unknown unit '{0}'")]
    Unknown(String),
    /// The units have different dimensions.
    #[error("'{from}' cannot be converted to '{to}'")]
    Mismatch { from: String, to: String },
    /// The text does not start with a number.
    #[error("'{0}' is not a number with a unit")]
    NotANumber(String),
}

impl Unit {
    /// Finds a unit by name. A micro sign is read as `u`.
    pub fn find(name: &str) -> Result<Unit, UnitError> {
        let plain = name.trim().replace(['µ', 'μ'], "u");
        UNITS
            .iter()
            .find(|unit| unit.name == plain)
            .copied()
            .ok_or_else(|| UnitError::Unknown(name.trim().to_owned()))
    }

    /// The base unit of a dimension.
    pub fn base(dimension: Dimension) -> Unit {
        UNITS
            .iter()
            .find(|unit| unit.dimension == dimension && unit.factor == 1.0)
            .copied()
            .unwrap_or_else(|| unreachable!("every dimension has a base unit; a test checks it"))
    }
}

/// Converts `value` from unit `from` to unit `to`.
pub fn convert(value: f64, from: &str, to: &str) -> Result<f64, UnitError> {
    let (a, b) = (Unit::find(from)?, Unit::find(to)?);
    if a.dimension != b.dimension {
        return Err(UnitError::Mismatch {
            from: from.to_owned(),
            to: to.to_owned(),
        });
    }
    Ok(if a.factor == b.factor {
        value
    } else {
        value * a.factor / b.factor
    })
}

/// Parses a number with a unit, such as `5s`, `6 uA` or `1%`, into the base unit of `dimension`.
/// A number without a unit is in `default`.
pub fn parse_quantity(text: &str, dimension: Dimension, default: &str) -> Result<f64, UnitError> {
    let text = text.trim();
    // The longest prefix that is a number, so that `1e-3s` and `5e` are both split as intended.
    let split = (1..=text.len())
        .rev()
        .filter(|end| text.is_char_boundary(*end))
        .find(|end| text[..*end].trim_end().parse::<f64>().is_ok())
        .ok_or_else(|| UnitError::NotANumber(text.to_owned()))?;
    let (number, name) = text.split_at(split);
    let value: f64 = number
        .trim_end()
        .parse()
        .map_err(|_| UnitError::NotANumber(text.to_owned()))?;
    if !value.is_finite() {
        return Err(UnitError::NotANumber(text.to_owned()));
    }
    let name = if name.trim().is_empty() {
        default
    } else {
        name.trim()
    };
    convert(value, name, Unit::base(dimension).name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_every_dimension_has_a_base() {
        for (index, unit) in UNITS.iter().enumerate() {
            assert!(
                UNITS[..index].iter().all(|other| other.name != unit.name),
                "{}",
                unit.name
            );
            assert_eq!(Unit::base(unit.dimension).factor, 1.0);
        }
    }

    #[test]
    fn known_conversions() {
        assert_eq!(convert(1.5, "ms", "s"), Ok(0.0015));
        assert_eq!(convert(162.4, "µs", "us"), Ok(162.4));
        assert!((convert(0.783, "nWh", "J").unwrap_or(0.0) - 2.8188e-6).abs() < 1e-18);
        assert_eq!(convert(225.0, "mAh", "C"), Ok(810.0));
        assert_eq!(convert(20.0, "MHz", "Hz"), Ok(2e7));
        assert!(matches!(
            convert(1.0, "bytes", "s"),
            Err(UnitError::Mismatch { .. })
        ));
        assert!(matches!(
            convert(1.0, "furlong", "s"),
            Err(UnitError::Unknown(_))
        ));
    }

    #[test]
    fn quantities_of_the_command_line() {
        assert_eq!(parse_quantity("5s", Dimension::Time, "s"), Ok(5.0));
        assert_eq!(parse_quantity(" 0.48 ", Dimension::Time, "s"), Ok(0.48));
        assert_eq!(parse_quantity("1e-3s", Dimension::Time, "ms"), Ok(1e-3));
        assert_eq!(parse_quantity("6 µA", Dimension::Current, "mA"), Ok(6e-6));
        assert_eq!(parse_quantity("1%", Dimension::Share, "%"), Ok(1.0));
        assert!(parse_quantity("fast", Dimension::Time, "s").is_err());
        assert!(parse_quantity("", Dimension::Time, "s").is_err());
        assert!(parse_quantity("inf", Dimension::Time, "s").is_err());
        assert!(parse_quantity("5 V", Dimension::Time, "s").is_err());
    }
}
