//! When the records of the journal are written to the disk for good.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Policy for synchronising records to disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Sync {
    /// Before each record takes effect: a power failure loses nothing.
    #[serde(rename = "always")]
    Always,
    /// Records of joins before the answer, other records every second.
    #[default]
    #[serde(rename = "1s")]
    EverySecond,
    /// Left to the operating system.
    #[serde(rename = "never")]
    Never,
}

impl Sync {
    /// Maximum delay of the periodic synchronisation.
    pub const INTERVAL: Duration = Duration::from_secs(1);

    pub(super) fn code(self) -> u8 {
        match self {
            Sync::Always => 1,
            Sync::EverySecond => 2,
            Sync::Never => 3,
        }
    }

    pub(super) fn from_code(code: u8) -> Option<Sync> {
        [Sync::Always, Sync::EverySecond, Sync::Never]
            .into_iter()
            .find(|sync| sync.code() == code)
    }
}

impl std::str::FromStr for Sync {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "always" => Ok(Sync::Always),
            "1s" => Ok(Sync::EverySecond),
            "never" => Ok(Sync::Never),
            _ => Err(format!("'{text}' is not one of: always, 1s, never")),
        }
    }
}
