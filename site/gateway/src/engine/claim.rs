//! A join that waits for the grant of a shared registry ([`super::claims`]).

use std::fmt;
use std::net::IpAddr;

use selo_link::DeviceId;
use selo_link::frame::JoinRequest;

use crate::peer::Peer;
use crate::shards::Fence;

/// An authenticated join that the registry has to grant.
#[derive(Clone, PartialEq, Eq)]
pub struct Claim {
    pub device: DeviceId,
    /// Row of the device in the registry.
    pub row: u32,
    pub counter: u32,
    /// Shard and epoch in which this engine wants to answer.
    pub fence: Option<Fence>,
    pub(super) from: Peer,
    /// Local address that the request was sent to, if the carrier reports it.
    pub local: Option<IpAddr>,
    pub(super) request: [u8; JoinRequest::BYTES],
}

impl fmt::Debug for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Claim({}, join {})", self.device, self.counter)
    }
}

/// A claim of a device that waits for its verdict.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) counter: u32,
    pub(super) until_ms: u64,
}
