//! The gateway under attack, with access to its counters and state.

use std::net::SocketAddr;

use selo_link::{DeviceId, DeviceKey, Reason, Suite};

/// A gateway on loopback.
pub trait Target {
    /// Address on which it listens.
    fn address(&self) -> SocketAddr;
    /// Packets that it has processed so far.
    fn packets(&self) -> u64;
    /// Returns true if all accepted readings have been delivered.
    fn is_settled(&self) -> bool;
    /// Packets that it has dropped for this reason.
    fn dropped(&self, reason: Reason) -> u64;
    /// X25519 scalar multiplications that it has computed.
    fn multiplications(&self) -> u64;
    /// Sessions that it holds, including pending ones.
    fn sessions(&self) -> u64;
    /// Readings that it has delivered, in order.
    fn readings(&self) -> Vec<Reading>;
    /// Adds a device, or replaces its key.
    fn add_device(&mut self, id: DeviceId, suite: Suite, key: &DeviceKey);
    /// The key that it has for a device.
    fn device_key(&self, id: DeviceId) -> Option<DeviceKey>;
    /// Closes and reopens the pairing window, with all attempts available.
    fn open_window(&mut self);
    /// Closes the pairing window.
    fn close_window(&mut self);
    /// The device and the digits of the newest attempt that waits for the operator.
    fn comparing(&self) -> Option<(DeviceId, u32)>;
    /// The operator types digits. Returns true if they match an attempt, whose node then becomes
    /// a device.
    fn enter(&mut self, digits: u32) -> bool;
    /// The operator rejects all attempts that have digits.
    fn reject(&mut self);
    /// The operator of an experiment without an attacker at the node: types the digits of the
    /// newest attempt, or rejects.
    fn decide(&mut self, same: bool) {
        match self.comparing() {
            Some((_, digits)) if same => {
                self.enter(digits);
            }
            _ => self.reject(),
        }
    }
    /// Sends a payload to a device with a session, without requesting an acknowledgement.
    fn send(&mut self, id: DeviceId, payload: &[u8]);
}

/// A reading that a gateway has delivered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The device, if the gateway knows it.
    pub device: Option<DeviceId>,
    /// The payload.
    pub payload: Vec<u8>,
}

/// Counts a target's dropped packets by reason, from a given moment.
#[derive(Debug)]
pub(crate) struct Drops(Vec<(Reason, u64)>);

impl Drops {
    /// Starts counting now.
    pub fn count(target: &dyn Target) -> Drops {
        Drops(
            Reason::ALL
                .into_iter()
                .map(|reason| (reason, target.dropped(reason)))
                .collect(),
        )
    }

    /// Packets dropped for this reason since then.
    pub fn of(&self, target: &dyn Target, reason: Reason) -> u64 {
        let before = self.0.iter().find(|(other, _)| *other == reason);
        target.dropped(reason) - before.map_or(0, |(_, count)| *count)
    }

    /// Formats the packets dropped since then, such as `forged 232, malformed 8`.
    pub fn words(&self, target: &dyn Target) -> String {
        let counted: Vec<String> = self
            .0
            .iter()
            .map(|(reason, _)| (reason, self.of(target, *reason)))
            .filter(|(_, count)| *count > 0)
            .map(|(reason, count)| format!("{reason} {count}"))
            .collect();
        if counted.is_empty() {
            "nothing".to_owned()
        } else {
            counted.join(", ")
        }
    }
}
