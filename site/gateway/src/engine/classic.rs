//! Classic: Algorithm 2 of [albarello2020] [docs/protocol.md, Classic]. It is unsafe and must
//! be enabled explicitly. Nodes are identified by address, their state does not survive a
//! restart, and their readings are marked as unauthenticated.

use std::collections::{HashMap, VecDeque};

use selo_link::classic::ClassicKey;
use selo_link::frame::{Classic, FRAME_MAX};
use selo_link::{EphemeralSecret, Reason};

use super::{Engine, HANDSHAKE_COST, Output, Verdict};
use crate::clock::Now;
use crate::counters::{Count, Kind};
use crate::journal::entry::{Accepted, Entry};
use crate::peer::{Packed, Peer};

/// Maximum number of stored nodes. The oldest is dropped first.
const NODES_MAX: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Nodes {
    of: HashMap<Packed, Node>,
    order: VecDeque<Packed>,
}

#[derive(Debug)]
enum Node {
    /// The gateway has sent the public half of this key.
    Asked(EphemeralSecret),
    Keyed {
        key: ClassicKey,
        join: u32,
        tag: u32,
        counter: u32,
    },
}

impl Nodes {
    fn set(&mut self, peer: Packed, node: Node) {
        if self.of.insert(peer, node).is_none() {
            self.order.push_back(peer);
            if self.order.len() > NODES_MAX
                && let Some(oldest) = self.order.pop_front()
            {
                self.of.remove(&oldest);
            }
        }
    }
}

impl Engine {
    pub(super) fn classic_frame(
        &mut self,
        now: Now,
        from: Peer,
        rssi: Option<i16>,
        frame: &Classic<'_>,
        out: &mut Output,
    ) -> Verdict {
        let peer = from.pack();
        match frame {
            Classic::Request => {
                self.classic_may_compute(now, from)?;
                let Some(secret) = self.random::<32>(out) else {
                    return Ok(());
                };
                let secret = EphemeralSecret::new(secret);
                self.counters.add(Count::Multiplications, 1);
                let answer = Classic::encode_gateway_key(&secret.public_key());
                self.classic.set(peer, Node::Asked(secret));
                self.answer(from, Kind::ClassicKey, &answer, out);
            }
            Classic::NodeKey(key) => {
                let Some(Node::Asked(_)) = self.classic.of.get(&peer) else {
                    return Err(Reason::UnknownSession);
                };
                self.classic_may_compute(now, from)?;
                let Some([a, b, c, d, e, f, g, h]) = self.random::<8>(out) else {
                    return Ok(());
                };
                let Some(Node::Asked(secret)) = self.classic.of.get(&peer) else {
                    return Err(Reason::UnknownSession);
                };
                self.counters.add(Count::Multiplications, 1);
                let key = ClassicKey::agree(secret, key).map_err(|refusal| refusal.reason())?;
                let node = Node::Keyed {
                    key,
                    join: u32::from_le_bytes([a, b, c, d]),
                    tag: u32::from_le_bytes([e, f, g, h]),
                    counter: 0,
                };
                self.classic.set(peer, node);
            }
            Classic::Blocks(blocks) => {
                let Some(Node::Keyed {
                    key,
                    join,
                    tag,
                    counter,
                }) = self.classic.of.get_mut(&peer)
                else {
                    return Err(Reason::UnknownSession);
                };
                let mut text = [0; FRAME_MAX];
                let payload = key.open(blocks, &mut text).map_err(|_| Reason::Malformed)?;
                out.journal.push(&Entry::Accepted(Accepted {
                    session: None,
                    device: 0,
                    join: *join,
                    tag: *tag,
                    counter: *counter,
                    peer: from,
                    rssi,
                    payload: Some(payload),
                }));
                *counter = counter.wrapping_add(1);
                self.counters.add(Count::ClassicReadings, 1);
            }
            Classic::GatewayKey(_) => return Err(Reason::NotPairing),
        }
        Ok(())
    }

    /// Charges the source for one scalar multiplication, or refuses it. Anyone can request one.
    fn classic_may_compute(&mut self, now: Now, from: Peer) -> Verdict {
        if !self.source_may(now, from, HANDSHAKE_COST) {
            return Err(Reason::RateLimited);
        }
        self.charge(now, from, HANDSHAKE_COST);
        Ok(())
    }
}
