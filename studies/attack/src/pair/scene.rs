//! What the attacks on a pairing share: the frames, the outcome, and an honest pairing.

use std::time::Duration;

use selo_link::{DeviceId, Suite};
use selo_sys::node::Event;

use crate::case::{Against, Attack, Figure, LinkOutcome, LinkVerdict};
use crate::error::{Error, Result};
use crate::target::Target;
use crate::wire::{Wire, relay};

/// The operator who types the node's digits at the gateway. Its argument is true if the gateway
/// accepted them. It returns true to hold the node's button.
pub type Operator = fn(bool) -> bool;

/// Holds the button only if the gateway has accepted the digits.
pub fn careful(accepted: bool) -> bool {
    accepted
}

/// PAIR-COMMITs of a flood.
pub(super) const FLOOD: usize = 2_000;
/// PAIR-KEYs that the gateway sends at once, and during a window of ten minutes.
pub(super) const KEYS_AT_ONCE: u64 = 8;
pub(super) const KEYS_IN_WINDOW: u64 = 68;

/// Number of digit values where guessing is measured: three digits.
pub(super) const MODULUS: u32 = 1_000;
/// Pairings attacked without a commitment, and maximum key pairs for each.
pub(super) const GROUND: u64 = 3;
pub(super) const TRIES_MAX: u64 = 20 * MODULUS as u64;
/// Pairings attacked by luck against the commitment.
pub(super) const LUCK: u64 = 2_000;

pub(super) const NODE_REPEATS: Duration = Duration::from_secs(4);

/// A point of small order: its shared secret with any key is zero [RFC7748, 6.1].
pub(super) const SMALL_ORDER: [u8; 32] = [0; 32];

/// First bytes of frames, and offsets of fields.
pub(super) const COMMIT: u8 = 0x10;
pub(super) const KEY: u8 = 0x20;
pub(super) const REVEAL: u8 = 0x30;
pub(super) const ACCEPTED: u8 = 0x40;
pub(super) const REJECTED: u8 = 0x41;
pub(super) const SUITE: usize = 5;
pub(super) const REVEAL_KEY: usize = 5;
pub(super) const REVEAL_R: usize = 5 + 32;

pub(super) fn outcome(
    suite: Suite,
    attack: Attack,
    did: impl Into<String>,
    broken: bool,
    shows: impl Into<String>,
    evidence: Vec<Figure>,
) -> LinkOutcome {
    LinkOutcome {
        attack,
        against: Against::Pair,
        suite: Some(suite),
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

pub(super) fn device(wire: &mut Wire) -> DeviceId {
    DeviceId(wire.node.node.node().id())
}

/// The digits that the node shows.
pub(super) fn node_digits(wire: &Wire) -> Option<u32> {
    wire.node.events.iter().rev().find_map(|event| match event {
        Event::Digits(digits) => Some(*digits),
        _ => None,
    })
}

/// Node and gateway pair without interference, up to the operator. Returns the digits.
pub(super) fn compare(target: &mut dyn Target, wire: &mut Wire) -> Result<u32> {
    target.open_window();
    wire.node.events.clear();
    wire.node.node.node().pair()?;
    let shown = &*target;
    wire.must(
        "node and gateway did not reach the digits",
        &mut relay,
        |wire| node_digits(wire).is_some() && shown.comparing().is_some(),
    )?;
    let node = node_digits(wire).ok_or(Error::Setup("the node shows no digits"))?;
    let gateway = target.comparing().map(|(_, digits)| digits);
    if gateway != Some(node) {
        return Err(Error::Setup("node and gateway show different digits"));
    }
    Ok(node)
}

/// The whole pairing without interference.
pub(super) fn pair(target: &mut dyn Target, wire: &mut Wire) -> Result<u32> {
    let digits = compare(target, wire)?;
    wire.node.node.node().confirm(true)?;
    target.decide(true);
    wire.node.skip(NODE_REPEATS);
    wire.must("the node was not paired", &mut relay, |wire| {
        wire.node.count(&Event::Paired) > 0
    })?;
    Ok(digits)
}
