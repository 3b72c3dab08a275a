//! A registry that several gateways share.

use std::fmt::Debug;

use selo_link::DeviceId;

use super::Record;
use crate::error::{Error, Result};
use crate::shards::{Ask, Fence, Instance, Lease};
use crate::site_key::SiteKey;

/// Identifier of a pairing window in the registry.
pub type WindowId = [u8; 16];

/// A join that a gateway wants to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinClaim {
    /// Row of the device.
    pub row: u32,
    /// The counter of its JOIN-REQUEST.
    pub counter: u32,
    /// The shard of the device, and the epoch in which this engine believes to own it. `None` if
    /// shards are not used.
    pub fence: Option<Fence>,
}

/// The registry's answer to a [`JoinClaim`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// This gateway answers. No other gateway was or will be granted this counter.
    Granted,
    /// The registry has a counter that is not below that of the claim, or no such device.
    Late,
    /// Another engine owns the shard, or this one in another epoch.
    Fenced,
    /// The registry cannot be asked. The claim may still come into force, but nobody answers it.
    Unknown,
}

/// Changes of the registry by other gateways and commands.
#[derive(Debug, Default)]
pub struct Changes {
    pub changed: Vec<Record>,
    /// Also those whose row is damaged.
    pub removed: Vec<DeviceId>,
    /// An error for each damaged row.
    pub damaged: Vec<Error>,
    /// Number of the last change, for the next call.
    pub until: i64,
}

/// A gateway's connection to a registry that it shares with others.
pub trait Shared: Send + Debug {
    /// Decides over joins, in their order. A grant is committed before this returns.
    ///
    /// # Errors
    /// If the database does not answer. Its state is then unknown, so no claim may be answered.
    fn claim(&mut self, claims: &[JoinClaim]) -> Result<Vec<Verdict>>;

    /// Devices that changed after the change `since`.
    fn changes(&mut self, since: i64) -> Result<Changes>;

    /// The key that seals what gateways write for each other.
    fn site_key(&self) -> &SiteKey;

    /// Pairing windows whose time has not passed, with their bodies.
    fn windows(&mut self) -> Result<Vec<(WindowId, Vec<u8>)>>;

    /// Adds a pairing window, if it is not there. An earlier one of this gateway is removed.
    fn open_window(&mut self, id: &WindowId, seconds: u64, body: &[u8]) -> Result<()>;

    /// Removes a pairing window with its words.
    fn close_window(&mut self, id: &WindowId) -> Result<()>;

    /// Adds a word to a window.
    fn say(&mut self, id: &WindowId, body: &[u8]) -> Result<()>;

    /// Words of a window after the number `after`, in their order.
    fn words(&mut self, id: &WindowId, after: i64) -> Result<Vec<(i64, Vec<u8>)>>;

    /// Number of the last change so far.
    fn last_change(&mut self) -> Result<i64>;

    /// This engine, as the registry knows it.
    fn instance(&self) -> Instance;

    /// Renews the lease of this engine, and takes its part of the shards.
    fn hold(&mut self, ask: &Ask<'_>) -> Result<Lease>;
}
