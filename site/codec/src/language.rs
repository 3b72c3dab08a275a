//! The languages in which people read titles and messages.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// A language of titles, pages and messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    #[default]
    #[serde(rename = "en")]
    English,
    #[serde(rename = "pt-BR")]
    Portuguese,
}

impl FromStr for Language {
    type Err = Error;

    /// Parses `en`, `pt` or `pt-BR`.
    fn from_str(text: &str) -> Result<Language, Error> {
        match text {
            "en" => Ok(Language::English),
            "pt" | "pt-BR" => Ok(Language::Portuguese),
            _ => Err(Error::Language(text.escape_debug().to_string())),
        }
    }
}
