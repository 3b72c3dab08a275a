//! Makes two pairings, one with each side.

use selo_link::frame::Frame;
use selo_link::pair::{Compared, GatewayPairing, NodePairing};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Suite, random_bytes};

use super::scene::{COMMIT, KEY, Operator, REVEAL, device, node_digits, outcome};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::{Error, Result};
use crate::target::Target;
use crate::wire::{Way, Wire};

/// Makes two pairings, one with each side.
pub fn mitm(target: &mut dyn Target, suite: Suite, operator: Operator) -> Result<LinkOutcome> {
    let mut wire = Wire::new(suite, target)?;
    let id = device(&mut wire);
    target.open_window();
    wire.node.node.node().pair()?;
    let (at_node, at_gateway) = sit_between(target, &mut wire, suite, id)?;
    let (_, gateway_digits) = target
        .comparing()
        .ok_or(Error::Setup("the gateway shows no digits"))?;
    let node_digits = node_digits(&wire).ok_or(Error::Setup("the node shows no digits"))?;

    // The operator types the node's digits. The attacker sends its own result to the node.
    let accepted = target.enter(node_digits);
    wire.node.node.node().confirm(operator(accepted))?;
    wire.inject_down([at_node.result(true).as_slice()])?;
    wire.drain()?;
    let has_node = wire.node.node.node().is_paired();
    let known = |key: Option<DeviceKey>| {
        key.is_some_and(|key| key.expose() == at_gateway.device_key().expose())
    };
    let has_gateway = known(target.device_key(id));
    let broken = has_node || has_gateway;
    let shows = match (has_node, has_gateway) {
        (false, false) => format!(
            "the node shows {node_digits:06}, the gateway expects {gateway_digits:06}: it \
            refuses the typed digits, no key is stored"
        ),
        (node, gateway) => format!(
            "the operator confirmed {node_digits:06} on the node, the gateway expected \
            {gateway_digits:06}; the attacker has the key of the {}",
            match (node, gateway) {
                (true, true) => "node and that of the gateway",
                (true, false) => "node",
                _ => "gateway",
            }
        ),
    };
    Ok(outcome(
        suite,
        Attack::Mitm,
        "paired as the gateway with the node, and as the node with the gateway",
        broken,
        shows,
        vec![
            figure("digits at the node", node_digits),
            figure("digits at the gateway", gateway_digits),
            figure(
                "keys that the attacker has",
                u8::from(has_node) + u8::from(has_gateway),
            ),
        ],
    ))
}

/// The attacker's two pairings, up to the operator. Returns the keys derived with the node and
/// with the gateway.
fn sit_between(
    target: &dyn Target,
    wire: &mut Wire,
    suite: Suite,
    id: DeviceId,
) -> Result<(Compared, Compared)> {
    let setup = Error::Setup("the attacker's two pairings failed");
    // As the node: send the attacker's commitment instead of the node's.
    let start = wire.seen.len();
    let commit = wire.intercept(start, Way::Up, COMMIT)?;
    let (as_node, own_commit) =
        NodePairing::start(suite, id, EphemeralSecret::random()?, random_bytes()?);
    wire.inject(target, [own_commit.as_slice()])?;
    let key = wire.intercept(start, Way::Down, KEY)?;
    // As the gateway: send the attacker's key instead of the gateway's.
    let as_gateway = match Frame::parse(&commit) {
        Ok(Frame::PairCommit(commit)) => {
            GatewayPairing::start(&commit, EphemeralSecret::random()?).0
        }
        _ => return Err(setup),
    };
    wire.inject_down([as_gateway.key().as_slice()])?;
    let reveal = wire.intercept(start, Way::Up, REVEAL)?;
    let with_node = match Frame::parse(&reveal) {
        Ok(Frame::PairReveal(reveal)) => as_gateway.reveal(&reveal),
        _ => return Err(setup),
    };
    let revealed = match Frame::parse(&key) {
        Ok(Frame::PairKey(key)) => as_node.key(&key),
        _ => return Err(setup),
    };
    match (with_node, revealed) {
        (Ok(with_node), Ok((with_gateway, reveal))) => {
            wire.inject(target, [reveal.as_slice()])?;
            Ok((with_node, with_gateway))
        }
        _ => Err(setup),
    }
}
