//! Makes two hybrid pairings, one with each side.

use selo_link::frame::Frame;
use selo_link::hybrid::GatewayOpening;
use selo_link::pair::{Compared, GatewayPairing};
use selo_link::{DeviceId, EphemeralSecret, Suite, random_bytes};
use selo_nodes::node::{VirtualNode, system_entropy};
use selo_sys::node::{Event, Pairing};

use super::scene::{hybrid, wire};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::{Error, Result};
use crate::pair::scene::{Operator, node_digits, outcome};
use crate::target::Target;
use crate::wire::{Way, Wire};

/// Rounds in which two pairings reach their digits. Each frame takes one.
const ROUNDS: u32 = 10_000;

/// The attacker as a gateway: a hybrid pairing with its own keys.
#[derive(Default)]
struct FalseGateway {
    opening: Option<GatewayOpening>,
    pairing: Option<GatewayPairing>,
    compared: Option<Compared>,
}

impl FalseGateway {
    /// Answers a frame of the node.
    fn answer(&mut self, frame: &[u8]) -> Result<Option<Vec<u8>>> {
        let opening = &mut self.opening;
        Ok(match Frame::parse(frame) {
            Ok(Frame::PairOpen(open)) => {
                let made = opening.insert(GatewayOpening::start(&open, &random_bytes()?));
                Some(made.answer().to_vec())
            }
            Ok(Frame::PairStep(step)) => opening.as_mut().and_then(|opening| {
                let stepped = opening.step(&step).is_ok();
                stepped.then(|| opening.answer().to_vec())
            }),
            Ok(Frame::HybridCommit(commit)) => {
                let ephemeral = EphemeralSecret::random()?;
                let made = opening
                    .as_ref()
                    .and_then(|it| it.commit(&commit, ephemeral).ok());
                made.map(|(pairing, key)| {
                    self.pairing = Some(pairing);
                    key.to_vec()
                })
            }
            Ok(Frame::PairReveal(reveal)) => {
                let pairing = self.pairing.as_ref();
                self.compared = pairing.and_then(|pairing| pairing.reveal(&reveal).ok());
                None
            }
            _ => None,
        })
    }
}

/// The attacker's two pairings, up to the operator.
struct Between {
    with_node: Compared,
    at_node: u32,
    at_gateway: u32,
}

/// Makes two hybrid pairings, one with each side, as if it could break neither X25519 nor ML-KEM.
pub fn mitm(target: &mut dyn Target, suite: Suite, operator: Operator) -> Result<LinkOutcome> {
    let mut wire = wire(target, suite)?;
    target.open_window();
    wire.node.node.node().pair()?;
    let of_c = selo_sys::node::Suite::from_code(suite.code());
    let of_c = of_c.ok_or(Error::Setup("the C library lacks the suite"))?;
    let mut node = VirtualNode::start_pairing(of_c, Pairing::MlKem512, None, system_entropy())?;
    node.node().pair()?;
    let own = DeviceId(node.node().id());
    let Between {
        with_node,
        at_node,
        at_gateway,
    } = sit_between(target, &mut wire, &mut node)?;
    // The operator types the node's digits. The attacker sends its own result to the node.
    let accepted = target.enter(at_node);
    wire.node.node.node().confirm(operator(accepted))?;
    wire.inject_down([with_node.result(true).as_slice()])?;
    wire.drain()?;
    let has_node = wire.node.node.node().is_paired();
    let has_gateway = target.device_key(own).is_some();
    target.decide(false);
    let shows = match has_node || has_gateway {
        true => "the attacker has a key of the node or the gateway".to_owned(),
        false => format!(
            "the node shows {at_node:06}, the gateway expects {at_gateway:06}: it refuses the \
             typed digits, no key is stored"
        ),
    };
    Ok(hybrid(outcome(
        suite,
        Attack::Mitm,
        "paired as the gateway with the node, and as a node with the gateway",
        has_node || has_gateway,
        shows,
        vec![
            figure("digits at the node", at_node),
            figure("digits at the gateway", at_gateway),
            figure(
                "keys that the attacker has",
                u8::from(has_node) + u8::from(has_gateway),
            ),
        ],
    )))
}

/// Pairs with both sides until both show digits. `node` is the attacker's own.
fn sit_between(target: &dyn Target, wire: &mut Wire, node: &mut VirtualNode) -> Result<Between> {
    let mut gateway = FalseGateway::default();
    let mut at_gateway = None;
    let read = wire.seen.len();
    for clock in 0..ROUNDS {
        node.turn(clock, |_, event| {
            if let Event::Digits(digits) = event {
                at_gateway = Some(digits);
            }
        });
        for frame in node.take_sent() {
            wire.inject(target, [frame.as_slice()])?;
        }
        wire.drain()?;
        for seen in wire.seen.split_off(read) {
            match seen.way {
                Way::Down => node.receive(&seen.frame),
                Way::Up => {
                    if let Some(answer) = gateway.answer(&seen.frame)? {
                        wire.inject_down([answer.as_slice()])?;
                    }
                }
            }
        }
        if let (Some(at_node), Some(at_gateway)) = (node_digits(wire), at_gateway)
            && let Some(with_node) = gateway.compared.take()
        {
            return Ok(Between {
                with_node,
                at_node,
                at_gateway,
            });
        }
    }
    Err(Error::Setup("the attacker's two pairings failed"))
}
