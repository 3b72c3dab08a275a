//! Devices and sessions, as the engine keeps them.

use selo_link::session::Session;
use selo_link::{DeviceId, DeviceKey, Suite};

use super::budgets::Forgeries;
use super::table::{Row, Slot};
use crate::limit::Bucket;
use crate::peer::{Packed, Peer};
use crate::reading::SessionName;

/// A device, as stored in the registry.
#[derive(Debug, Clone)]
pub struct Device {
    pub row: u32,
    pub id: DeviceId,
    pub key: DeviceKey,
    pub suite: Suite,
    pub revoked: bool,
    /// The highest join counter accepted.
    pub joined: u32,
}

/// A device in the engine's table.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) device: Device,
    pub(super) live: Slot,
    pub(super) pending: Slot,
    pub(super) joins: Bucket,
    /// Allowance for failed joins in this device's name from unproven addresses.
    pub(super) strangers: Bucket,
}

impl Row for Known {
    fn id(&self) -> u32 {
        self.device.id.0
    }
}

/// A session in the engine's table.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) session: Session,
    pub(super) device: Slot,
    pub(super) device_id: DeviceId,
    pub(super) join: u32,
    pub(super) tag: u32,
    /// DOWN counters below this value are reserved in the journal.
    pub(super) below: u32,
    /// Time of the last accepted packet, Unix seconds.
    pub(super) heard: u32,
    pub(super) packets: Bucket,
    pub(super) acks: Bucket,
    /// Counter of the last packet that requested an acknowledgement, since the start of the
    /// gateway.
    pub(super) asked: Option<u64>,
    pub(super) forgeries: Forgeries,
    pub(super) peer: Packed,
    pub(super) pending: bool,
    /// Slot of its keys in the key file.
    pub(super) key_slot: u32,
}

impl Row for Held {
    fn id(&self) -> u32 {
        self.session.id().0
    }
}

impl Held {
    pub(super) fn name(&self) -> SessionName {
        SessionName::new(self.join, self.tag)
    }
}

/// Last contact of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Heard {
    /// Row in the registry.
    pub row: u32,
    /// Unix seconds.
    pub at: u32,
    pub peer: Peer,
}
