//! The tables of a codec file, as TOML has them.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    pub name: Spanned<String>,
    pub title: RawTitle,
    #[serde(default)]
    pub format: FormatName,
    #[serde(default)]
    pub endian: Endian,
    pub length: Option<Spanned<usize>>,
    /// Hexadecimal digits.
    pub set_clock: Option<Spanned<String>>,
    #[serde(default)]
    pub field: Vec<Spanned<RawField>>,
    #[serde(default)]
    pub variant: Vec<Spanned<RawVariant>>,
    #[serde(default)]
    pub item: Vec<Spanned<RawItem>>,
    #[serde(default)]
    pub vector: Vec<Spanned<Vector>>,
}

#[derive(Deserialize, Clone)]
#[serde(deny_unknown_fields)]
pub struct RawTitle {
    pub en: String,
    pub pt: String,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum FormatName {
    #[default]
    Fields,
    Channels,
    Raw,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Endian {
    #[default]
    Little,
    Big,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawVariant {
    pub first_byte: Option<u8>,
    pub length: Option<usize>,
    #[serde(default)]
    pub field: Vec<Spanned<RawField>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawItem {
    pub code: u8,
    #[serde(default)]
    pub field: Vec<Spanned<RawField>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawField {
    pub name: String,
    pub title: RawTitle,
    #[serde(default)]
    pub offset: usize,
    pub r#type: String,
    pub endian: Option<Endian>,
    pub bit: Option<u8>,
    pub bits: Option<(u8, u8)>,
    #[serde(default = "one")]
    pub scale: f64,
    #[serde(default)]
    pub add: f64,
    pub unit: String,
    #[serde(default)]
    pub kind: KindName,
    pub absent: Option<f64>,
    pub valid: Option<(f64, f64)>,
    pub class: Option<String>,
}

fn one() -> f64 {
    1.0
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub enum KindName {
    #[default]
    Gauge,
    Counter,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    pub payload: String,
    #[serde(default)]
    pub values: Option<BTreeMap<String, f64>>,
    /// Expected part of the error message, for a payload that must be refused.
    pub refused: Option<String>,
}
