//! The registry: devices and their keys. Commands write it whether or not a gateway runs. A
//! running gateway is notified ([`crate::control`]) and reads the changed rows again.
//!
//! | file | contents |
//! |---|---|
//! | `registry.rs` | [`Registry`]: what commands and gateway use, and the rules for names |
//! | `store.rs` | [`Store`]: what a database does; [`Place`]: where it is |
//! | `sqlite.rs` | a file in the state directory of one gateway |
//! | `shared.rs` | [`Shared`]: what a database does in addition for several gateways |
//! | `sealed.rs` | the seal of a device's key |
//!
//! Row numbers are never reused. A device that is paired again, or removed and added again,
//! gets a new row, so that sessions of the old key are not attributed to the new one.
//!
//! Device keys are sealed under the key of the site ([`crate::site_key`]), so that a copy of the
//! database alone opens nothing. A gateway can read that key, because it must restart without an
//! operator.

mod record;
mod sealed;
mod shared;
mod sqlite;
mod store;

use std::collections::HashMap;
use std::path::Path;

use selo_link::DeviceId;
use tracing::error;

use crate::error::{Error, Result};

pub use record::{DEFAULT_CODEC, Learnt, Origin, Record, check_name};
pub use sealed::{SealedKey, open_key, seal_key};
pub use shared::{Changes, JoinClaim, Shared, Verdict, WindowId};
pub use sqlite::{InState, Sqlite};
pub use store::{Place, Store};

/// Policy for devices whose id exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Fail with [`Error::DeviceExists`].
    Refuse,
    /// Replace the device. The new one inherits the name unless it has its own.
    Replace,
    /// Keep the existing device.
    Keep,
}

/// Logs a damaged row.
///
/// # Errors
/// Returns all other errors.
pub(crate) fn leave_out(damage: Error) -> Result<()> {
    match damage {
        Error::SealedKey { .. } => {
            let hint = damage.hint();
            error!(problem = %damage, hint, "a device is left out until its row is mended");
            Ok(())
        }
        other => Err(other),
    }
}

/// An open registry.
#[derive(Debug)]
pub struct Registry {
    store: Box<dyn Store>,
}

impl Registry {
    /// Opens a SQLite file, or creates it. Migrates older versions.
    pub fn open(path: &Path) -> Result<Registry> {
        Sqlite::open(path).map(Registry::over)
    }

    /// A registry in this database.
    pub fn over(store: impl Store + 'static) -> Registry {
        Registry {
            store: Box::new(store),
        }
    }

    /// Number of devices.
    pub fn count(&self) -> Result<u64> {
        self.store.count()
    }

    /// Calls `each` for every device, ordered by id. Fails at a damaged row.
    pub fn for_each(&self, mut each: impl FnMut(Record)) -> Result<()> {
        self.store.for_each(&mut |found| {
            each(found?);
            Ok(())
        })
    }

    /// Calls `each` for every device, ordered by id. Logs and leaves out those whose row is
    /// damaged, so that a gateway serves all others.
    pub fn for_each_whole(&self, mut each: impl FnMut(Record)) -> Result<()> {
        self.store.for_each(&mut |found| {
            match found {
                Ok(record) => each(record),
                Err(damage) => leave_out(damage)?,
            }
            Ok(())
        })
    }

    /// The device with this id, as [`Registry::for_each_whole`] finds it.
    pub fn get_whole(&self, id: DeviceId) -> Result<Option<Record>> {
        self.get(id)
            .or_else(|damage| leave_out(damage).map(|()| None))
    }

    /// All devices, ordered by id.
    pub fn all(&self) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        self.for_each(|record| records.push(record))?;
        Ok(records)
    }

    /// The device with this id, if there is one.
    pub fn get(&self, id: DeviceId) -> Result<Option<Record>> {
        self.store.get(id)
    }

    /// The device with this id or name.
    pub fn find(&self, what: &str) -> Result<Record> {
        let found = match what.parse::<DeviceId>() {
            Ok(id) => self.store.get(id)?,
            Err(_) => self.store.named(what)?,
        };
        found.ok_or_else(|| Error::UnknownDevice { what: what.into() })
    }

    /// Adds a device and returns it with its row number.
    pub fn add(&mut self, record: &Record, existing: Existing) -> Result<Record> {
        let mut added = self.add_all(std::slice::from_ref(record), existing)?;
        added.pop().ok_or_else(|| Error::DeviceExists {
            id: record.id.to_string(),
        })
    }

    /// Adds all devices, or none on an error. Returns those that were added.
    pub fn add_all(&mut self, records: &[Record], existing: Existing) -> Result<Vec<Record>> {
        for name in records.iter().filter_map(|record| record.name.as_deref()) {
            check_name(name)?;
        }
        self.store.add_all(records, existing)
    }

    /// Revokes a device, so that its joins are refused. Returns false if it was already
    /// revoked.
    pub fn revoke(&mut self, id: DeviceId) -> Result<bool> {
        self.store.revoke(id, crate::clock::unix_ms())
    }

    /// Removes a device and its key. Returns false if there was none.
    pub fn remove(&mut self, id: DeviceId) -> Result<bool> {
        self.store.remove(id)
    }

    /// Changes or removes the name of a device.
    pub fn rename(&mut self, id: DeviceId, name: Option<&str>) -> Result<()> {
        if let Some(name) = name {
            check_name(name)?;
        }
        self.store.rename(id, name)
    }

    /// Sets the payload codec of a device.
    pub fn set_codec(&mut self, id: DeviceId, codec: &str) -> Result<()> {
        self.store.set_codec(id, codec)
    }

    /// A number that changes when another connection has changed the registry.
    pub fn version(&self) -> Result<i64> {
        self.store.version()
    }

    /// Stores what the gateway has learnt, by row. Join counters never decrease.
    pub fn learn(&mut self, learnt: &HashMap<u32, Learnt>) -> Result<()> {
        if learnt.is_empty() {
            return Ok(());
        }
        self.store.learn(learnt)
    }
}
