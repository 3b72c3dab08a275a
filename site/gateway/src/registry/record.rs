//! A device as the registry stores it.

use selo_link::{DeviceId, DeviceKey, Kem, Suite};

use crate::engine::Device;
use crate::error::{Error, Result};

/// Codec of devices without an explicit one.
pub const DEFAULT_CODEC: &str = "rain-gauge";

/// The way in which node and gateway got the device key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was set by hand at both.
    Hand,
    /// A pairing with X25519 alone. It falls to a quantum computer if it was recorded.
    X25519,
    /// A hybrid pairing, which does not.
    Hybrid(Kem),
}

impl Origin {
    const ALL: [Origin; 4] = [
        Origin::Hand,
        Origin::X25519,
        Origin::Hybrid(Kem::MlKem512),
        Origin::Hybrid(Kem::MlKem768),
    ];

    /// The origin of a key from a pairing.
    pub fn of_pairing(kem: Option<Kem>) -> Origin {
        kem.map_or(Origin::X25519, Origin::Hybrid)
    }

    /// The name in the registry and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Hand => "hand",
            Origin::X25519 => "x25519",
            Origin::Hybrid(Kem::MlKem512) => "x25519+ml-kem-512",
            Origin::Hybrid(Kem::MlKem768) => "x25519+ml-kem-768",
        }
    }

    /// The origin with a name.
    pub fn from_name(name: &str) -> Option<Origin> {
        Origin::ALL.into_iter().find(|origin| origin.name() == name)
    }
}

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
    /// `None` if an older version has added the device.
    pub origin: Option<Origin>,
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
            origin: None,
        }
    }

    /// The time since which recorded joins stay secret from a quantum computer; `None` if they may
    /// not. The key is as old as the record, because a new key is a new record.
    pub fn quantum_safe_since(&self) -> Option<u64> {
        let is_safe = matches!(self.origin, Some(Origin::Hand | Origin::Hybrid(_)));
        is_safe.then_some(self.created)
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
