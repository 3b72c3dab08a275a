//! Node and gateway with the attacker between them: real sockets on loopback, and nothing
//! passes that the attacker does not hand on.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use selo_nodes::node::{VirtualNode, system_entropy};
use selo_sys::node::Event;

use crate::error::{Error, Result};
use crate::target::Target;

/// How long the other side may take to do what it does at once. Not a measurement.
const PATIENCE: Duration = Duration::from_secs(20);

/// Packets on their way to a gateway before the attacker waits for it: what every receive
/// buffer holds.
const IN_FLIGHT: u64 = 128;

/// Room for what is not a frame.
const PACKET_MAX: usize = 2048;

/// Which way a packet goes.
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
    /// Which way it went.
    pub way: Way,
    /// Its bytes.
    pub frame: Vec<u8>,
}

/// What the attacker makes of a packet: the packets that leave instead of it.
pub type Tamper<'t> = &'t mut dyn FnMut(Way, &[u8]) -> Vec<Vec<u8>>;

/// Hands everything on.
pub fn relay(_: Way, frame: &[u8]) -> Vec<Vec<u8>> {
    vec![frame.to_vec()]
}

/// A node whose clock the attacker's experiment can move.
#[derive(Debug)]
pub struct NodeEnd {
    /// The C library's node.
    pub node: VirtualNode,
    /// What has happened at the node, in order.
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
    /// Everything that passed the attacker, before anything was done to it.
    pub seen: Vec<Seen>,
    to_node: UdpSocket,
    to_gateway: UdpSocket,
}

fn network(source: io::Error) -> Error {
    Error::Network { source }
}

/// An address of loopback that no experiment has had: what one is charged for by the
/// gateway's limits shall not be another's debt.
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

/// The next packet of a socket, if one has come.
pub(crate) fn receive(socket: &UdpSocket) -> Result<Option<Vec<u8>>> {
    let mut packet = [0; PACKET_MAX];
    match socket.recv(&mut packet) {
        Ok(size) => Ok(Some(packet[..size].to_vec())),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(source) => Err(network(source)),
    }
}

impl NodeEnd {
    /// Time passes for the node alone.
    pub fn skip(&mut self, time: Duration) {
        self.skipped += time;
    }

    /// How often this has happened.
    pub fn count(&self, event: &Event) -> usize {
        self.events
            .iter()
            .filter(|happened| *happened == event)
            .count()
    }

    /// Payloads that it took for the gateway's.
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
    /// A new node of this suite, which knows nothing yet, behind an attacker in front of
    /// `target`.
    pub fn new(suite: selo_link::Suite, target: &dyn Target) -> Result<Wire> {
        let suite = selo_sys::node::Suite::from_code(suite.code())
            .ok_or(Error::Setup("the C library lacks the suite"))?;
        let to_node = socket(None)?;
        let node_socket = socket(Some(to_node.local_addr().map_err(network)?))?;
        to_node
            .connect(node_socket.local_addr().map_err(network)?)
            .map_err(network)?;
        let node = VirtualNode::start(suite, None, system_entropy())?;
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

    /// Moves packets until `done`; false if that does not come about.
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

    /// [`Wire::until`], where anything but success means that the experiment itself is broken.
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

    /// Another socket at the address that the gateway knows the node by: a neighbour behind the
    /// same translator.
    pub(crate) fn neighbour(&self, target: &dyn Target) -> Result<UdpSocket> {
        let host = self.to_gateway.local_addr().map_err(network)?.ip();
        socket_at(host, Some(on_loopback(target)?))
    }

    /// The translator gives the node another port.
    pub(crate) fn change_port(&mut self, target: &dyn Target) -> Result<()> {
        self.to_gateway = self.neighbour(target)?;
        Ok(())
    }

    /// The attacker sends packets to the gateway and waits until it has taken them in; what
    /// it answers is seen, and goes nowhere.
    pub fn inject<'f>(
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
        self.drain()?;
        Ok(burst.all)
    }

    /// The attacker sends packets to the node, which takes them in at once.
    pub fn inject_down<'f>(&mut self, frames: impl IntoIterator<Item = &'f [u8]>) -> Result<u64> {
        let mut count = 0;
        for frame in frames {
            self.to_node.send(frame).map_err(network)?;
            self.node.turn()?;
            count += 1;
        }
        Ok(count)
    }

    /// Looks at what waits on both sides and hands nothing on.
    pub fn drain(&mut self) -> Result<()> {
        self.step(&mut |_, _| Vec::new())
    }

    /// The first packet that goes this way and begins with `first` since `seen` had so many
    /// entries. While it does not come, nothing else goes anywhere either.
    pub fn intercept(&mut self, since: usize, way: Way, first: u8) -> Result<Vec<u8>> {
        let is_it = |seen: &&Seen| seen.way == way && seen.frame.first() == Some(&first);
        let find = |wire: &Wire| wire.seen[since..].iter().find(is_it).cloned();
        let mut found = find(self);
        if found.is_none() {
            self.must("a packet does not come", &mut |_, _| Vec::new(), |wire| {
                found = find(wire);
                found.is_some()
            })?;
        }
        Ok(found.map_or_else(Vec::new, |seen| seen.frame))
    }

    /// The packets seen that went this way and begin with such a byte.
    pub fn captured(&self, way: Way, first: impl Fn(u8) -> bool) -> Vec<Vec<u8>> {
        self.seen
            .iter()
            .filter(|seen| seen.way == way && seen.frame.first().is_some_and(|byte| first(*byte)))
            .map(|seen| seen.frame.clone())
            .collect()
    }
}

/// Packets sent faster than one by one, and never more than the gateway's buffer holds.
#[derive(Debug)]
pub(crate) struct Burst {
    before: u64,
    /// Packets sent.
    pub all: u64,
}

impl Burst {
    pub fn new(target: &dyn Target) -> Burst {
        Burst {
            before: target.packets(),
            all: 0,
        }
    }

    pub fn sent(&mut self, target: &dyn Target) -> Result<()> {
        self.all += 1;
        if self.all.is_multiple_of(IN_FLIGHT) {
            self.wait(target)?;
        }
        Ok(())
    }

    /// Until the gateway has taken in everything.
    pub fn wait(&self, target: &dyn Target) -> Result<()> {
        let start = Instant::now();
        while target.packets() < self.before + self.all || !target.is_settled() {
            if start.elapsed() > PATIENCE {
                return Err(Error::Setup(
                    "the gateway does not take in what is sent to it",
                ));
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        Ok(())
    }
}
