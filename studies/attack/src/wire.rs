//! Node and gateway with the attacker between them, on real loopback sockets. Only packets that
//! the attacker forwards arrive.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use selo_nodes::node::{VirtualNode, system_entropy};
use selo_sys::node::{Event, Pairing};

use crate::error::{Error, Result};
use crate::target::Target;

/// Time limit for an action that is normally immediate. Not a measurement.
const PATIENCE: Duration = Duration::from_secs(20);

/// Packets in flight to a gateway before the attacker waits for it. Every receive buffer holds
/// this many.
const IN_FLIGHT: u64 = 128;

/// Buffer size, larger than any frame.
const PACKET_MAX: usize = 2048;

/// Direction of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the gateway.
    Up,
    /// To the node.
    Down,
}

/// A packet that the attacker has seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its direction.
    pub way: Way,
    /// Its bytes.
    pub frame: Vec<u8>,
}

/// The attacker's function on a packet. It returns the packets to send instead.
pub type Tamper<'t> = &'t mut dyn FnMut(Way, &[u8]) -> Vec<Vec<u8>>;

/// Forwards everything.
pub fn relay(_: Way, frame: &[u8]) -> Vec<Vec<u8>> {
    vec![frame.to_vec()]
}

/// A node whose clock the experiment can move.
#[derive(Debug)]
pub struct NodeEnd {
    /// The C library's node.
    pub node: VirtualNode,
    /// Events at the node, in order.
    pub events: Vec<Event>,
    socket: UdpSocket,
    start: Instant,
    skipped: Duration,
}

/// Node, attacker and gateway.
#[derive(Debug)]
pub struct Wire {
    /// The node.
    pub node: NodeEnd,
    /// Every packet that reached the attacker, before any change.
    pub seen: Vec<Seen>,
    to_node: UdpSocket,
    to_gateway: UdpSocket,
}

fn network(source: io::Error) -> Error {
    Error::Network { source }
}

/// A loopback address that no experiment has used yet, so that the gateway's limits for one
/// experiment do not affect another.
pub(crate) fn fresh_address() -> Ipv4Addr {
    static LAST: AtomicU16 = AtomicU16::new(0);
    let [high, low] = LAST.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    Ipv4Addr::new(127, 10, high, low)
}

/// The address of a target, if it is on this machine.
pub(crate) fn on_loopback(target: &dyn Target) -> Result<SocketAddr> {
    let address = target.address();
    if address.ip().is_loopback() {
        Ok(address)
    } else {
        Err(Error::NotLoopback { address })
    }
}

fn socket(peer: Option<SocketAddr>) -> Result<UdpSocket> {
    socket_at(fresh_address().into(), peer)
}

fn socket_at(host: IpAddr, peer: Option<SocketAddr>) -> Result<UdpSocket> {
    let socket = UdpSocket::bind((host, 0)).map_err(network)?;
    socket.set_nonblocking(true).map_err(network)?;
    if let Some(peer) = peer {
        socket.connect(peer).map_err(network)?;
    }
    Ok(socket)
}

/// The next packet of a socket, if one has arrived.
pub(crate) fn receive(socket: &UdpSocket) -> Result<Option<Vec<u8>>> {
    let mut packet = [0; PACKET_MAX];
    match socket.recv(&mut packet) {
        Ok(size) => Ok(Some(packet[..size].to_vec())),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(source) => Err(network(source)),
    }
}

impl NodeEnd {
    /// Advances only the node's clock.
    pub fn skip(&mut self, time: Duration) {
        self.skipped += time;
    }

    /// Occurrences of an event.
    pub fn count(&self, event: &Event) -> usize {
        self.events
            .iter()
            .filter(|happened| *happened == event)
            .count()
    }

    /// Payloads that the node accepted as the gateway's.
    pub fn received(&self) -> Vec<&[u8]> {
        self.events
            .iter()
            .filter_map(|event| match event {
                Event::Received(payload) => Some(payload.as_slice()),
                _ => None,
            })
            .collect()
    }

    fn turn(&mut self) -> Result<()> {
        while let Some(packet) = receive(&self.socket)? {
            self.node.receive(&packet);
        }
        let now = self.start.elapsed() + self.skipped;
        let events = &mut self.events;
        self.node
            .turn(now.as_millis() as u32, |_, event| events.push(event));
        for frame in self.node.take_sent() {
            self.socket.send(&frame).map_err(network)?;
        }
        Ok(())
    }
}

impl Wire {
    /// A new node of this suite without keys, behind an attacker in front of `target`.
    pub fn new(suite: selo_link::Suite, target: &dyn Target) -> Result<Wire> {
        Wire::with_pairing(suite, Pairing::X25519, target)
    }

    /// The same, for a node that pairs in this way.
    pub fn with_pairing(
        suite: selo_link::Suite,
        pairing: Pairing,
        target: &dyn Target,
    ) -> Result<Wire> {
        let suite = selo_sys::node::Suite::from_code(suite.code())
            .ok_or(Error::Setup("the C library lacks the suite"))?;
        let to_node = socket(None)?;
        let node_socket = socket(Some(to_node.local_addr().map_err(network)?))?;
        to_node
            .connect(node_socket.local_addr().map_err(network)?)
            .map_err(network)?;
        let node = VirtualNode::start_pairing(suite, pairing, None, system_entropy())?;
        Ok(Wire {
            node: NodeEnd {
                node,
                events: Vec::new(),
                socket: node_socket,
                start: Instant::now(),
                skipped: Duration::ZERO,
            },
            seen: Vec::new(),
            to_node,
            to_gateway: socket(Some(on_loopback(target)?))?,
        })
    }

    /// Moves packets once, through `tamper`.
    pub fn step(&mut self, tamper: Tamper<'_>) -> Result<()> {
        self.node.turn()?;
        while let Some(frame) = receive(&self.to_node)? {
            for out in tamper(Way::Up, &frame) {
                self.to_gateway.send(&out).map_err(network)?;
            }
            self.seen.push(Seen {
                way: Way::Up,
                frame,
            });
        }
        while let Some(frame) = receive(&self.to_gateway)? {
            for out in tamper(Way::Down, &frame) {
                self.to_node.send(&out).map_err(network)?;
            }
            self.seen.push(Seen {
                way: Way::Down,
                frame,
            });
        }
        self.node.turn()
    }

    /// Moves packets until `done`. Returns false on a timeout.
    pub fn until(
        &mut self,
        tamper: Tamper<'_>,
        mut done: impl FnMut(&mut Wire) -> bool,
    ) -> Result<bool> {
        let start = Instant::now();
        loop {
            self.step(tamper)?;
            if done(self) {
                return Ok(true);
            }
            if start.elapsed() > PATIENCE {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Like [`Wire::until`], but a timeout means that the experiment itself is broken.
    pub fn must(
        &mut self,
        what: &'static str,
        tamper: Tamper<'_>,
        done: impl FnMut(&mut Wire) -> bool,
    ) -> Result<()> {
        if self.until(tamper, done)? {
            Ok(())
        } else {
            Err(Error::Setup(what))
        }
    }

    /// Another socket at the node's address as the gateway sees it: a neighbour behind the same
    /// NAT.
    pub(crate) fn neighbour(&self, target: &dyn Target) -> Result<UdpSocket> {
        let host = self.to_gateway.local_addr().map_err(network)?.ip();
        socket_at(host, Some(on_loopback(target)?))
    }

    /// The NAT gives the node another port.
    pub(crate) fn change_port(&mut self, target: &dyn Target) -> Result<()> {
        self.to_gateway = self.neighbour(target)?;
        Ok(())
    }

    /// The attacker sends packets to the gateway, and waits until they are processed. The answers
    /// are recorded but not forwarded.
    pub fn inject<'f>(
        &mut self,
        target: &dyn Target,
        frames: impl IntoIterator<Item = &'f [u8]>,
    ) -> Result<u64> {
        let sent = self.add(target, frames)?;
        self.drain()?;
        Ok(sent)
    }

    /// The same, but the answers wait to be moved.
    pub fn add<'f>(
        &mut self,
        target: &dyn Target,
        frames: impl IntoIterator<Item = &'f [u8]>,
    ) -> Result<u64> {
        let mut burst = Burst::new(target);
        for frame in frames {
            self.to_gateway.send(frame).map_err(network)?;
            burst.sent(target)?;
        }
        burst.wait(target)?;
        Ok(burst.all)
    }

    /// The attacker sends packets to the node, which processes them at once.
    pub fn inject_down<'f>(&mut self, frames: impl IntoIterator<Item = &'f [u8]>) -> Result<u64> {
        let mut count = 0;
        for frame in frames {
            self.to_node.send(frame).map_err(network)?;
            self.node.turn()?;
            count += 1;
        }
        Ok(count)
    }

    /// Records the packets that wait on both sides without forwarding them.
    pub fn drain(&mut self) -> Result<()> {
        self.step(&mut |_, _| Vec::new())
    }

    /// Waits for the first packet in this direction that begins with `first`, after entry `since`
    /// of `seen`. Meanwhile nothing is forwarded.
    pub fn intercept(&mut self, since: usize, way: Way, first: u8) -> Result<Vec<u8>> {
        let is_it = |seen: &&Seen| seen.way == way && seen.frame.first() == Some(&first);
        let find = |wire: &Wire| wire.seen[since..].iter().find(is_it).cloned();
        let mut found = find(self);
        if found.is_none() {
            self.must("a packet did not arrive", &mut |_, _| Vec::new(), |wire| {
                found = find(wire);
                found.is_some()
            })?;
        }
        Ok(found.map_or_else(Vec::new, |seen| seen.frame))
    }

    /// The packets seen in this direction whose first byte satisfies `first`.
    pub fn captured(&self, way: Way, first: impl Fn(u8) -> bool) -> Vec<Vec<u8>> {
        self.seen
            .iter()
            .filter(|seen| seen.way == way && seen.frame.first().is_some_and(|byte| first(*byte)))
            .map(|seen| seen.frame.clone())
            .collect()
    }
}

/// Sends packets in bursts that never exceed the gateway's buffer.
#[derive(Debug)]
pub(crate) struct Burst {
    before: u64,
    /// Packets sent.
    pub all: u64,
}

impl Burst {
    /// Starts counting from the gateway's current number of packets.
    pub fn new(target: &dyn Target) -> Burst {
        Burst {
            before: target.packets(),
            all: 0,
        }
    }

    /// Records a sent packet, and waits if too many are in flight.
    pub fn sent(&mut self, target: &dyn Target) -> Result<()> {
        self.all += 1;
        if self.all.is_multiple_of(IN_FLIGHT) {
            self.wait(target)?;
        }
        Ok(())
    }

    /// Waits until the gateway has processed all packets.
    pub fn wait(&self, target: &dyn Target) -> Result<()> {
        let start = Instant::now();
        while target.packets() < self.before + self.all || !target.is_settled() {
            if start.elapsed() > PATIENCE {
                return Err(Error::Setup(
                    "the gateway did not process the packets sent to it",
                ));
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }
}
