//! The gateway's side of Algorithm 2, without a socket. The address alone identifies a node, and a
//! replayed message counts as a reading.

use std::collections::{HashMap, VecDeque};
use std::net::SocketAddr;

use selo_link::{EphemeralSecret, FRAME_MAX, Reason, random_bytes};

use crate::frame::Frame;
use crate::key::ClassicKey;

/// Maximum number of nodes in memory. The oldest are removed first.
const NODES_MAX: usize = 4096;

/// A reading. Its author is unknown, because nothing is authenticated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// A random number, drawn when the key was agreed.
    pub session: u64,
    /// Messages of the session before this one.
    pub counter: u32,
    pub payload: Vec<u8>,
    pub source: SocketAddr,
}

/// The result of an accepted packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// A frame for the sender.
    Answer([u8; 33]),
    /// The sender and the gateway share a key.
    Keyed,
    Reading(Reading),
}

#[derive(Debug)]
enum Node {
    /// The node received this key's public half.
    Asked(EphemeralSecret),
    Keyed {
        key: ClassicKey,
        session: u64,
        counter: u32,
    },
}

/// Keys of nodes, by address.
#[derive(Debug, Default)]
pub struct Gateway {
    nodes: HashMap<SocketAddr, Node>,
    order: VecDeque<SocketAddr>,
    multiplications: u64,
}

impl Gateway {
    /// X25519 scalar multiplications so far. Any sender can cause one.
    pub fn multiplications(&self) -> u64 {
        self.multiplications
    }

    /// Processes one packet, or drops it for a reason.
    ///
    /// # Errors
    ///
    /// [`Reason::Malformed`] if it is not a frame or its padding is wrong,
    /// [`Reason::UnknownSession`] if the node has not asked or has no key, [`Reason::Key`] for a
    /// public key of small order, [`Reason::NotPairing`] for a frame that only gateways send.
    pub fn take(&mut self, from: SocketAddr, bytes: &[u8]) -> Result<Taken, Reason> {
        match Frame::parse(bytes).ok_or(Reason::Malformed)? {
            Frame::Request => self.request(from),
            Frame::NodeKey(key) => self.agree(from, key),
            Frame::Blocks(blocks) => self.open(from, blocks),
            Frame::GatewayKey(_) => Err(Reason::NotPairing),
        }
    }

    fn request(&mut self, from: SocketAddr) -> Result<Taken, Reason> {
        let secret = EphemeralSecret::random().map_err(|_| Reason::RateLimited)?;
        self.multiplications += 1;
        let answer = Frame::encode_gateway_key(&secret.public_key());
        self.set(from, Node::Asked(secret));
        Ok(Taken::Answer(answer))
    }

    fn agree(&mut self, from: SocketAddr, key: &[u8; 32]) -> Result<Taken, Reason> {
        let Some(Node::Asked(secret)) = self.nodes.get(&from) else {
            return Err(Reason::UnknownSession);
        };
        self.multiplications += 1;
        let key = ClassicKey::agree(secret, key).map_err(|refusal| refusal.reason())?;
        let session = random_bytes::<8>().map_err(|_| Reason::RateLimited)?;
        let node = Node::Keyed {
            key,
            session: u64::from_le_bytes(session),
            counter: 0,
        };
        self.set(from, node);
        Ok(Taken::Keyed)
    }

    fn open(&mut self, from: SocketAddr, blocks: &[u8]) -> Result<Taken, Reason> {
        let Some(Node::Keyed {
            key,
            session,
            counter,
        }) = self.nodes.get_mut(&from)
        else {
            return Err(Reason::UnknownSession);
        };
        let mut text = [0; FRAME_MAX];
        let payload = key.open(blocks, &mut text).map_err(|_| Reason::Malformed)?;
        let reading = Reading {
            session: *session,
            counter: *counter,
            payload: payload.to_vec(),
            source: from,
        };
        *counter = counter.wrapping_add(1);
        Ok(Taken::Reading(reading))
    }

    fn set(&mut self, peer: SocketAddr, node: Node) {
        if self.nodes.insert(peer, node).is_none() {
            self.order.push_back(peer);
            if self.order.len() > NODES_MAX
                && let Some(oldest) = self.order.pop_front()
            {
                self.nodes.remove(&oldest);
            }
        }
    }
}
