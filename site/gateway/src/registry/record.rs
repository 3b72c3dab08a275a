//! A device as the registry stores it.

use selo_link::{DeviceId, DeviceKey, Suite};

use crate::engine::Device;
use crate::error::{Error, Result};

/// Codec of devices without an explicit one.
pub const DEFAULT_CODEC: &str = "rain-gauge";

/// A device with all its registry data.
#[derive(Debug, Clone)]
pub struct Record {
    /// 0 before it is stored.
    pub row: u32,
    pub id: DeviceId,
    pub name: Option<String>,
    pub suite: Suite,
    pub key: DeviceKey,
    /// The highest join counter accepted.
    pub join_counter: u32,
    /// Unix milliseconds, like all times here.
    pub created: u64,
    pub revoked: Option<u64>,
    /// Updated every few minutes while a gateway runs.
    pub last_seen: Option<u64>,
    pub address: Option<String>,
    /// Name of the payload codec. The registry does not check that it exists; callers do.
    pub codec: String,
}

impl Record {
    /// A new device without a name, created now, with the default codec.
    pub fn new(id: DeviceId, suite: Suite, key: DeviceKey) -> Record {
        Record {
            row: 0,
            id,
            name: None,
            suite,
            key,
            join_counter: 0,
            created: crate::clock::unix_ms(),
            revoked: None,
            last_seen: None,
            address: None,
            codec: DEFAULT_CODEC.into(),
        }
    }

    /// The data that the engine needs.
    pub fn device(&self) -> Device {
        Device {
            row: self.row,
            id: self.id,
            key: self.key.clone(),
            suite: self.suite,
            revoked: self.revoked.is_some(),
            joined: self.join_counter,
        }
    }
}

/// Changes that a running gateway has learnt about a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learnt {
    pub join_counter: Option<u32>,
    /// Time of last contact, Unix milliseconds, and the peer's address.
    pub seen: Option<(u64, String)>,
}

/// Checks a device name: short, printable, and not like an id.
///
/// # Errors
/// [`Error::Invalid`] with the rule that the name breaks.
pub fn check_name(name: &str) -> Result<()> {
    let invalid = |why: &str| {
        Err(Error::Invalid(format!(
            "'{name}' is not a valid name: {why}"
        )))
    };
    if name.is_empty() || name.chars().count() > 64 {
        return invalid("a name has 1 to 64 characters");
    }
    if name.chars().any(char::is_control) || name.trim() != name {
        return invalid("control characters and surrounding spaces are not allowed");
    }
    if name.parse::<DeviceId>().is_ok() {
        return invalid("eight hexadecimal digits are a device id");
    }
    Ok(())
}
