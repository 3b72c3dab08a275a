//! What is attacked: a gateway that can be asked what it believed and what it computed.

use std::net::SocketAddr;

use selo_link::{DeviceId, DeviceKey, Reason, Suite};

/// A gateway on loopback.
pub trait Target {
    /// Where it listens.
    fn address(&self) -> SocketAddr;
    /// Packets that it has taken in so far.
    fn packets(&self) -> u64;
    /// Whether all readings among them that it has accepted are passed on.
    fn is_settled(&self) -> bool;
    /// Packets that it has dropped for this reason.
    fn dropped(&self, reason: Reason) -> u64;
    /// X25519 scalar multiplications that it has computed.
    fn multiplications(&self) -> u64;
    /// Sessions that it holds, pending ones too.
    fn sessions(&self) -> u64;
    /// The readings that it has passed on, in order.
    fn readings(&self) -> Vec<Reading>;
    /// Adds a device, or replaces its key.
    fn add_device(&mut self, id: DeviceId, suite: Suite, key: &DeviceKey);
    /// The key that it has for a device.
    fn device_key(&self, id: DeviceId) -> Option<DeviceKey>;
    /// Opens the pairing window anew: with all its attempts.
    fn open_window(&mut self);
    /// Closes it.
    fn close_window(&mut self);
    /// The device and the digits of the newest attempt that waits for the operator.
    fn comparing(&self) -> Option<(DeviceId, u32)>;
    /// The operator types digits: true if an attempt has them and is now a device.
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
    /// Sends a payload to a device that has a session, without asking for an acknowledgement.
    fn send(&mut self, id: DeviceId, payload: &[u8]);
}

/// What a gateway has passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Whose, if the gateway knows.
    pub device: Option<DeviceId>,
    /// What it says.
    pub payload: Vec<u8>,
}

/// What a target has dropped since a moment, by reason.
#[derive(Debug)]
pub(crate) struct Drops(Vec<(Reason, u64)>);

impl Drops {
    pub fn count(target: &dyn Target) -> Drops {
        Drops(
            Reason::ALL
                .into_iter()
                .map(|reason| (reason, target.dropped(reason)))
                .collect(),
        )
    }

    pub fn of(&self, target: &dyn Target, reason: Reason) -> u64 {
        let before = self.0.iter().find(|(other, _)| *other == reason);
        target.dropped(reason) - before.map_or(0, |(_, count)| *count)
    }

    /// `forged 232, malformed 8`: what was counted meanwhile.
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
