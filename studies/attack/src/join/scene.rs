//! A node with a session, and an attacker who has seen all its packets.

use selo_link::{DeviceId, DeviceKey, Suite, random_bytes};
use selo_sys::node::Event;

use crate::case::{Against, Attack, Figure, LinkOutcome, LinkVerdict};
use crate::error::{Error, Result};
use crate::target::Target;
use crate::wire::{Way, Wire, relay};

/// A reading that is easy to recognise.
pub(super) const SECRET: &[u8; 16] = b"rain 87.5 mm/h  ";
pub(super) const COMMAND: &[u8; 8] = b"valve on";

pub(super) const UP: u8 = 0x70;
pub(super) const DOWN: u8 = 0x80;

/// A node with a session, and an attacker who has seen all its packets.
pub(super) struct Scene<'t> {
    pub(super) target: &'t mut dyn Target,
    pub(super) wire: Wire,
    pub(super) id: DeviceId,
    pub(super) key: DeviceKey,
    pub(super) suite: Suite,
    /// Readings of this device that were delivered before.
    pub(super) before: usize,
    pub(super) sent: usize,
}

impl<'t> Scene<'t> {
    /// A node and a gateway that share a device key.
    pub(super) fn known(target: &'t mut dyn Target, suite: Suite) -> Result<Scene<'t>> {
        let id = DeviceId(u32::from_le_bytes(random_bytes()?));
        let key = DeviceKey::new(random_bytes()?);
        target.add_device(id, suite, &key);
        let mut wire = Wire::new(suite, target)?;
        wire.node.node.node().provision(id.0, key.expose())?;
        Ok(Scene {
            before: target.readings().len(),
            target,
            wire,
            id,
            key,
            suite,
            sent: 0,
        })
    }

    pub(super) fn joined(target: &'t mut dyn Target, suite: Suite) -> Result<Scene<'t>> {
        let mut scene = Scene::known(target, suite)?;
        scene.join()?;
        scene.send(SECRET)?;
        Ok(scene)
    }

    /// The node joins without interference.
    pub(super) fn join(&mut self) -> Result<()> {
        let joined = self.wire.node.count(&Event::Joined);
        self.wire.node.node.node().join()?;
        self.wire.must("the node cannot join", &mut relay, |wire| {
            wire.node.count(&Event::Joined) > joined
        })
    }

    /// The node sends a reading without interference.
    pub(super) fn send(&mut self, payload: &[u8]) -> Result<()> {
        let (target, goal) = (&*self.target, self.target.readings().len() + 1);
        self.wire.node.node.node().send(payload, false)?;
        self.sent += 1;
        self.wire
            .must("a reading was not delivered", &mut relay, |_| {
                target.readings().len() >= goal
            })
    }

    /// The node sends a reading that the attacker captures and withholds.
    pub(super) fn withhold(&mut self, payload: &[u8]) -> Result<Vec<u8>> {
        self.wire.node.node.node().send(payload, false)?;
        let seen = self.wire.seen.len();
        let mut none = |_: Way, _: &[u8]| Vec::new();
        self.wire.must("the node did not send", &mut none, |wire| {
            wire.seen.len() > seen
        })?;
        Ok(self.wire.seen[seen].frame.clone())
    }

    /// The gateway sends a payload to the node.
    pub(super) fn command(&mut self) -> Result<()> {
        let received = self.wire.node.received().len();
        self.target.send(self.id, COMMAND);
        self.wire
            .must("the node did not receive", &mut relay, |wire| {
                wire.node.received().len() > received
            })
    }

    /// Sends the attacker's packets to the gateway.
    pub(super) fn inject(&mut self, frames: &[Vec<u8>]) -> Result<u64> {
        let frames = frames.iter().map(Vec::as_slice);
        self.wire.inject(&*self.target, frames)
    }

    pub(super) fn inject_down(&mut self, frames: &[Vec<u8>]) -> Result<u64> {
        self.wire.inject_down(frames.iter().map(Vec::as_slice))
    }

    /// Readings delivered in this scene.
    pub(super) fn delivered(&self) -> usize {
        self.target.readings().len() - self.before
    }

    /// Number of delivered readings beyond those that the node sent and the attacker let pass.
    pub(super) fn surplus(&self) -> usize {
        self.delivered().saturating_sub(self.sent)
    }

    pub(super) fn outcome(
        &self,
        attack: Attack,
        did: impl Into<String>,
        broken: bool,
        shows: impl Into<String>,
        evidence: Vec<Figure>,
    ) -> LinkOutcome {
        LinkOutcome {
            attack,
            against: Against::Join,
            suite: Some(self.suite),
            did: did.into(),
            verdict: if broken {
                LinkVerdict::Broken
            } else {
                LinkVerdict::Refused
            },
            promised: LinkVerdict::Refused,
            shows: shows.into(),
            evidence,
        }
    }
}

/// The two bytes of the live session's id, as every frame carries them.
pub(super) fn session_of(scene: &Scene<'_>) -> Result<[u8; 2]> {
    let ups = scene.wire.captured(Way::Up, |first| first & 0xf0 == UP);
    match ups.last().map(Vec::as_slice) {
        Some([_, low, high, ..]) => Ok([*low, *high]),
        _ => Err(Error::Setup("the node sent nothing")),
    }
}
