//! Attacks on Algorithm 2 of [albarello2020], as docs/protocol.md describes it under "Classic".
//! It promises no protection against an attacker who can send packets, and the attacks show that
//! it gives none.

use std::net::{SocketAddr, UdpSocket};
use std::time::Duration;

use selo_classic::{ClassicKey, Frame};
use selo_link::{EphemeralSecret, FRAME_MAX};

use crate::case::{Against, Attack, Figure, LinkOutcome, LinkVerdict, figure};
use crate::error::{Error, Result};
use crate::target::Target;
use crate::wire::{Burst, Way, fresh_address, on_loopback};

/// Time limit for a packet on loopback.
const PATIENCE: Duration = Duration::from_secs(10);

/// A reading in two AES blocks, as careless firmware would write it: the time, then the value.
const YESTERDAY: &[u8; 32] = b"2026-11-20 06:00rain  87.5 mm/h ";
const TODAY: &[u8; 32] = b"2026-11-21 06:00rain   0.0 mm/h ";

/// Join requests of strangers.
const FLOOD: u64 = 100;

/// Number of times that a recorded message is replayed.
const REPLAYS: usize = 5;

/// A node of the paper. Its single key serves both directions.
#[derive(Debug)]
struct Node {
    socket: UdpSocket,
    key: Option<ClassicKey>,
}

/// Node and gateway, with the attacker between them.
#[derive(Debug)]
struct Line {
    node: Node,
    to_node: UdpSocket,
    to_gateway: UdpSocket,
}

fn network(source: std::io::Error) -> Error {
    Error::Network { source }
}

fn socket(peer: Option<SocketAddr>) -> Result<UdpSocket> {
    let socket = UdpSocket::bind((fresh_address(), 0)).map_err(network)?;
    socket.set_read_timeout(Some(PATIENCE)).map_err(network)?;
    if let Some(peer) = peer {
        socket.connect(peer).map_err(network)?;
    }
    Ok(socket)
}

fn receive(socket: &UdpSocket) -> Result<Vec<u8>> {
    let mut packet = [0; 2048];
    let size = socket.recv(&mut packet).map_err(network)?;
    Ok(packet[..size].to_vec())
}

/// Extracts the public key of a frame.
fn public_key(frame: &[u8]) -> Result<[u8; 32]> {
    match Frame::parse(frame) {
        Some(Frame::GatewayKey(key) | Frame::NodeKey(key)) => Ok(*key),
        _ => Err(Error::Setup(
            "a classic key exchange got an unexpected frame",
        )),
    }
}

fn agree(secret: &EphemeralSecret, peer: &[u8; 32]) -> Result<ClassicKey> {
    ClassicKey::agree(secret, peer).map_err(|_| Error::Setup("a public key is zero"))
}

fn seal(key: &ClassicKey, message: &[u8]) -> Result<Vec<u8>> {
    let mut frame = [0; FRAME_MAX];
    let sealed = key.seal(message, &mut frame);
    let frame = sealed.map_err(|_| Error::Setup("a message is too long"))?;
    Ok(frame.to_vec())
}

fn open(key: &ClassicKey, frame: &[u8]) -> Option<Vec<u8>> {
    let Some(Frame::Blocks(blocks)) = Frame::parse(frame) else {
        return None;
    };
    let mut text = [0; FRAME_MAX];
    Some(key.open(blocks, &mut text).ok()?.to_vec())
}

impl Node {
    fn key(&self) -> Result<&ClassicKey> {
        self.key.as_ref().ok_or(Error::Setup("the node has no key"))
    }

    fn send(&self, message: &[u8]) -> Result<()> {
        let frame = seal(self.key()?, message)?;
        self.socket.send(&frame).map(drop).map_err(network)
    }

    /// Decodes the next packet as the node does: any message under its key counts as the gateway's.
    fn receive(&self) -> Result<Option<Vec<u8>>> {
        Ok(open(self.key()?, &receive(&self.socket)?))
    }
}

impl Line {
    fn new(target: &dyn Target) -> Result<Line> {
        let to_node = socket(None)?;
        let node = socket(Some(to_node.local_addr().map_err(network)?))?;
        to_node
            .connect(node.local_addr().map_err(network)?)
            .map_err(network)?;
        Ok(Line {
            node: Node {
                socket: node,
                key: None,
            },
            to_node,
            to_gateway: socket(Some(on_loopback(target)?))?,
        })
    }

    /// Runs the three messages of the key exchange, until the gateway has processed the last one.
    /// The attacker may replace each key.
    fn join(
        &mut self,
        target: &dyn Target,
        mut exchange: impl FnMut(Way, [u8; 32]) -> [u8; 32],
    ) -> Result<()> {
        let mut burst = Burst::new(target);
        let send = |socket: &UdpSocket, frame: &[u8]| socket.send(frame).map(drop).map_err(network);
        send(&self.node.socket, &Frame::REQUEST)?;
        send(&self.to_gateway, &receive(&self.to_node)?)?;
        burst.sent(target)?;
        let key = exchange(Way::Down, public_key(&receive(&self.to_gateway)?)?);
        send(&self.to_node, &Frame::encode_gateway_key(&key))?;
        let secret = EphemeralSecret::random()?;
        let peer = public_key(&receive(&self.node.socket)?)?;
        self.node.key = Some(agree(&secret, &peer)?);
        let answer = Frame::encode_node_key(&secret.public_key());
        send(&self.node.socket, &answer)?;
        let key = exchange(Way::Up, public_key(&receive(&self.to_node)?)?);
        send(&self.to_gateway, &Frame::encode_node_key(&key))?;
        burst.sent(target)?;
        burst.wait(target)
    }

    fn honest_join(&mut self, target: &dyn Target) -> Result<()> {
        self.join(target, |_, key| key)
    }

    /// The node sends a message. Returns the frame that the attacker captures.
    fn capture(&self, message: &[u8]) -> Result<Vec<u8>> {
        self.node.send(message)?;
        receive(&self.to_node)
    }

    /// Sends frames to the gateway. Returns the readings that it delivered after processing them.
    fn give(&self, target: &dyn Target, frames: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
        let mut burst = Burst::new(target);
        for frame in frames {
            self.to_gateway.send(frame).map_err(network)?;
            burst.sent(target)?;
        }
        burst.wait(target)?;
        Ok(target
            .readings()
            .into_iter()
            .map(|reading| reading.payload)
            .collect())
    }
}

fn outcome(
    attack: Attack,
    did: &str,
    broken: bool,
    shows: String,
    evidence: Vec<Figure>,
) -> LinkOutcome {
    LinkOutcome {
        attack,
        against: Against::Classic,
        suite: None,
        did: did.to_owned(),
        verdict: if broken {
            LinkVerdict::Broken
        } else {
            LinkVerdict::Refused
        },
        promised: LinkVerdict::Broken,
        shows,
        evidence,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end().to_owned()
}

/// Replaces both public keys by the attacker's, and so shares a key with each side.
pub fn mitm(target: &mut dyn Target) -> Result<LinkOutcome> {
    let mut line = Line::new(target)?;
    let own = EphemeralSecret::random()?;
    let (mut with_gateway, mut with_node) = (Err(Error::Setup("no key")), None);
    line.join(target, |way, key| {
        match way {
            Way::Down => with_gateway = agree(&own, &key),
            Way::Up => with_node = Some(agree(&own, &key)),
        }
        own.public_key()
    })?;
    let with_gateway = with_gateway?;
    let with_node = with_node.ok_or(Error::Setup("no key"))??;

    let frame = line.capture(YESTERDAY)?;
    let read = open(&with_node, &frame);
    let mut altered = read.clone().unwrap_or_default();
    if altered.len() == YESTERDAY.len() {
        altered[16..].copy_from_slice(&TODAY[16..]);
    }
    let delivered = line.give(target, &[seal(&with_gateway, &altered)?])?;
    let recovered = read.as_deref() == Some(YESTERDAY);
    let replaced = delivered.last() == Some(&altered) && altered != YESTERDAY;
    Ok(outcome(
        Attack::Mitm,
        "replaced both keys by its own, read the message, altered it",
        recovered && replaced,
        format!(
            "read '{}', delivered '{}'",
            text(&read.unwrap_or_default()),
            text(&altered)
        ),
        vec![
            figure("messages read", u8::from(recovered)),
            figure("altered messages delivered", u8::from(replaced)),
        ],
    ))
}

/// Replays a recorded message several times.
pub fn replay(target: &mut dyn Target) -> Result<LinkOutcome> {
    let mut line = Line::new(target)?;
    line.honest_join(target)?;
    let before = target.readings().len();
    let frame = line.capture(YESTERDAY)?;
    line.give(target, std::slice::from_ref(&frame))?;
    let delivered = line.give(target, &vec![frame; REPLAYS])?;
    let times = delivered[before.min(delivered.len())..]
        .iter()
        .filter(|reading| *reading == YESTERDAY)
        .count();
    Ok(outcome(
        Attack::Replay,
        "recorded one message and replayed it five times",
        times > 1,
        format!("'{}' delivered {times} times", text(YESTERDAY)),
        vec![
            figure("messages of the node", 1_u8),
            figure("delivered", times),
        ],
    ))
}

/// ECB encrypts each block independently, so blocks of two messages can be combined into a third.
pub fn forge(target: &mut dyn Target) -> Result<LinkOutcome> {
    let mut line = Line::new(target)?;
    line.honest_join(target)?;
    let storm = line.capture(YESTERDAY)?;
    let dry = line.capture(TODAY)?;
    let mut spliced = dry.clone();
    spliced[17..33].copy_from_slice(&storm[17..33]);
    let expected = [&TODAY[..16], &YESTERDAY[16..]].concat();
    let delivered = line.give(target, &[storm, dry, spliced])?;
    let broken = delivered.last() == Some(&expected);
    Ok(outcome(
        Attack::Forge,
        "pasted a block of one message into another, without a key",
        broken,
        match broken {
            true => format!("delivered '{}', which the node never sent", text(&expected)),
            false => "the pasted message was not delivered".to_owned(),
        },
        vec![figure("forged messages delivered", u8::from(broken))],
    ))
}

/// The single key serves both directions, so the node accepts its own message.
pub fn reflect(target: &mut dyn Target) -> Result<LinkOutcome> {
    let mut line = Line::new(target)?;
    line.honest_join(target)?;
    let frame = line.capture(YESTERDAY)?;
    line.to_node.send(&frame).map_err(network)?;
    let taken = line.node.receive()?;
    let broken = taken.as_deref() == Some(YESTERDAY);
    Ok(outcome(
        Attack::Reflect,
        "sent the node's own message back to it",
        broken,
        match taken {
            Some(message) => format!("the node accepted '{}' as the gateway's", text(&message)),
            None => "the node refused its own message".to_owned(),
        },
        vec![figure(
            "own messages taken for the gateway's",
            u8::from(broken),
        )],
    ))
}

/// Each one-byte request of a stranger costs the gateway a key pair.
pub fn flood(target: &mut dyn Target) -> Result<LinkOutcome> {
    let line = Line::new(target)?;
    let before = target.multiplications();
    line.give(target, &vec![Frame::REQUEST.to_vec(); FLOOD as usize])?;
    let spent = target.multiplications() - before;
    Ok(outcome(
        Attack::Flood,
        "sent join requests of one byte without an identity",
        spent > 0,
        format!("{FLOOD} bytes from a stranger cost {spent} scalar multiplications"),
        vec![
            figure("join requests", FLOOD),
            figure("scalar multiplications", spent),
        ],
    ))
}
