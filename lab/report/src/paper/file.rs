//! The format of a paper's file, as written in TOML.

use std::fmt;

use selo_engine::row::Metric;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use toml::Spanned;

use super::model::{Candidate, ExchangeLink, Hardware, Published, SurveyQuestion};

// ---- the file ---------------------------------------------------------------

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) authors: Vec<String>,
    pub(super) year: Option<u16>,
    #[serde(default)]
    pub(super) venue: String,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) candidate: Vec<Candidate>,
    #[serde(default)]
    pub(super) hardware: Vec<Hardware>,
    pub(super) table: Vec<Spanned<FileTable>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileTable {
    pub(super) id: Spanned<String>,
    pub(super) label: String,
    pub(super) title: String,
    pub(super) method: String,
    /// The unit of every figure, unless a row gives its own.
    pub(super) unit: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) notes: Vec<String>,
    #[serde(default)]
    pub(super) measured_by: FileLink,
    pub(super) column: Vec<FileColumn>,
    pub(super) row: Vec<FileRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileColumn {
    pub(super) label: String,
    pub(super) published_library: Option<String>,
    #[serde(default)]
    pub(super) measured_by: FileLink,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileRow {
    pub(super) label: Spanned<String>,
    pub(super) published: Spanned<Vec<FileValue>>,
    pub(super) unit: Option<Spanned<String>>,
    pub(super) note: Option<String>,
    #[serde(default)]
    pub(super) measured_by: FileLink,
}

/// A link to our rows. Table, column and row each give a part. A row's value takes precedence
/// over the column's, and the column's over the table's.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FileLink {
    pub(super) board: Option<String>,
    pub(super) library: Option<String>,
    pub(super) algorithm: Option<String>,
    /// Algorithms to take if the library has no row of `algorithm`, in this order.
    pub(super) otherwise: Option<Vec<String>>,
    pub(super) variant: Option<String>,
    pub(super) operation: Option<String>,
    pub(super) bytes: Option<u32>,
    pub(super) metric: Option<Metric>,
    /// Terms: metric and operation, such as `"ram both"` or `"time hash of sha3-256"`.
    pub(super) sum: Option<Vec<String>>,
    pub(super) max: Option<Vec<String>>,
    pub(super) power: Option<String>,
    /// A battery, such as `cr2032`. It supplies the energy once per period, such as `5s`.
    pub(super) battery: Option<String>,
    pub(super) period: Option<String>,
    /// The fields that differ in the subtracted value.
    pub(super) less: Option<Box<FileLink>>,
    /// The fields that differ in the divisor.
    pub(super) over: Option<Box<FileLink>>,
    pub(super) winner: Option<bool>,
    pub(super) clock: Option<bool>,
    /// A figure of `selo exchange`.
    pub(super) exchange: Option<ExchangeLink>,
    /// A word that a survey of the library gives.
    pub(super) survey: Option<SurveyQuestion>,
    /// The fields that differ in a second measured figure, which stands beside the first.
    pub(super) beside: Option<Box<FileLink>>,
    /// The reason why the lab does not measure this.
    pub(super) nothing: Option<String>,
}

impl FileLink {
    /// This link, with the fields of `over` taking precedence.
    pub(super) fn with(&self, over: &FileLink) -> FileLink {
        fn pick<T: Clone>(upper: &Option<T>, lower: &Option<T>) -> Option<T> {
            upper.clone().or_else(|| lower.clone())
        }
        // An operation replaces inherited terms, and terms replace an inherited operation.
        let named = over.operation.is_some();
        let terms = over.sum.is_some() || over.max.is_some();
        FileLink {
            board: pick(&over.board, &self.board),
            library: pick(&over.library, &self.library),
            algorithm: pick(&over.algorithm, &self.algorithm),
            otherwise: pick(&over.otherwise, &self.otherwise),
            variant: pick(&over.variant, &self.variant),
            operation: if terms {
                over.operation.clone()
            } else {
                pick(&over.operation, &self.operation)
            },
            bytes: pick(&over.bytes, &self.bytes),
            metric: pick(&over.metric, &self.metric),
            sum: if named || terms {
                over.sum.clone()
            } else {
                self.sum.clone()
            },
            max: if named || terms {
                over.max.clone()
            } else {
                self.max.clone()
            },
            power: pick(&over.power, &self.power),
            battery: pick(&over.battery, &self.battery),
            period: pick(&over.period, &self.period),
            less: pick(&over.less, &self.less),
            over: pick(&over.over, &self.over),
            winner: pick(&over.winner, &self.winner),
            clock: pick(&over.clock, &self.clock),
            exchange: match (&over.exchange, &self.exchange) {
                (Some(over), Some(exchange)) => Some(exchange.with(over)),
                (over, exchange) => pick(over, exchange),
            },
            survey: pick(&over.survey, &self.survey),
            beside: pick(&over.beside, &self.beside),
            nothing: pick(&over.nothing, &self.nothing),
        }
    }
}

pub(super) struct FileValue(pub(super) Published);

impl<'de> Deserialize<'de> for FileValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Value;
        impl Visitor<'_> for Value {
            type Value = Published;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, \"-\", \"plotted\" or the words that are printed")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Published, E> {
                Ok(Published::Number(value as f64))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Published, E> {
                Ok(Published::Number(value))
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<Published, E> {
                Ok(match value {
                    "-" => Published::Dash,
                    "plotted" => Published::Plotted,
                    words => Published::Words(words.to_owned()),
                })
            }
        }
        deserializer.deserialize_any(Value).map(FileValue)
    }
}
