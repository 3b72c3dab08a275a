//! The traits behind which a database stands.

use std::collections::HashMap;
use std::fmt::Debug;

use selo_link::DeviceId;

use super::{Existing, Learnt, Record, Registry, Shared};
use crate::error::Result;

/// A database of devices. [`Registry`] has the meaning of each function, and checks names before
/// they come here.
pub trait Store: Send + Debug {
    fn count(&self) -> Result<u64>;
    /// Ordered by id, until `each` fails. A device whose row is damaged is an error of its own
    /// ([`crate::Error::SealedKey`]).
    fn for_each(&self, each: &mut dyn FnMut(Result<Record>) -> Result<()>) -> Result<()>;
    fn get(&self, id: DeviceId) -> Result<Option<Record>>;
    fn named(&self, name: &str) -> Result<Option<Record>>;
    /// All or none.
    fn add_all(&mut self, records: &[Record], existing: Existing) -> Result<Vec<Record>>;
    fn revoke(&mut self, id: DeviceId, unix_ms: u64) -> Result<bool>;
    fn remove(&mut self, id: DeviceId) -> Result<bool>;
    fn rename(&mut self, id: DeviceId, name: Option<&str>) -> Result<()>;
    fn set_codec(&mut self, id: DeviceId, codec: &str) -> Result<()>;
    fn version(&self) -> Result<i64>;
    fn learn(&mut self, learnt: &HashMap<u32, Learnt>) -> Result<()>;
}

/// The place of a registry, which any part of a program can open.
pub trait Place: Send + Sync + Debug {
    /// Opens the registry, or creates it.
    fn open(&self) -> Result<Registry>;

    /// Opens a connection of a gateway, if several gateways share this registry.
    fn share(&self) -> Result<Option<Box<dyn Shared>>> {
        Ok(None)
    }
}
