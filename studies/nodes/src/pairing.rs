//! Pairs one node with a gateway over UDP, while a person types its digits there.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use selo_sys::node::Event;

use crate::error::{Error, Result};
use crate::fleet::any_port;
use crate::node::VirtualNode;
use crate::records::Records;

/// Longest time between two turns of the node. Its own timers are in seconds.
const TURN: Duration = Duration::from_millis(20);

/// Result of a pairing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paired {
    /// The device key is stored.
    Yes,
    /// The operator rejected, here or at the gateway; the time ran out; or the peer misbehaved.
    No,
    /// It was stopped from here.
    Stopped,
}

/// Pairs `node`, whose record is `number`. `compare` is called once the node shows digits. It may
/// block, and returns true if the gateway has accepted them.
pub fn pair(
    node: &mut VirtualNode,
    number: usize,
    records: &mut Records,
    to: SocketAddr,
    stop: &AtomicBool,
    mut compare: impl FnMut(u32) -> bool,
) -> Result<Paired> {
    let network = |source| Error::Network {
        address: to,
        source,
    };
    let broken = |source| Error::Node {
        node: number,
        source,
    };
    let socket = connected(to).map_err(network)?;
    let start = Instant::now();
    node.node().pair().map_err(broken)?;
    loop {
        keep(node, number, records)?;
        for frame in node.take_sent() {
            match socket.send(&frame) {
                Ok(_) => {}
                // The gateway is not listening yet. The node sends again.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(source) => return Err(network(source)),
            }
        }
        if stop.load(Relaxed) {
            return Ok(Paired::Stopped);
        }
        let mut packet = [0; 2048];
        match socket.recv(&mut packet) {
            Ok(size) => node.receive(&packet[..size]),
            Err(error) if is_momentary(&error) => {}
            Err(source) => return Err(network(source)),
        }
        let (mut digits, mut ended) = (None, None);
        node.turn(start.elapsed().as_millis() as u32, |_, event| match event {
            Event::Digits(shown) => digits = Some(shown),
            Event::Paired => ended = Some(Paired::Yes),
            Event::PairFailed => ended = Some(Paired::No),
            _ => {}
        });
        if let Some(digits) = digits {
            // The gateway accepts the digits once it has the node's last frame.
            for frame in node.take_sent() {
                socket.send(&frame).map_err(network)?;
            }
            let same = compare(digits);
            node.node().confirm(same).map_err(broken)?;
        }
        if let Some(ended) = ended {
            keep(node, number, records)?;
            return Ok(ended);
        }
    }
}

/// A socket to the gateway, which waits for a packet for one turn.
fn connected(to: SocketAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(any_port(to))?;
    socket.connect(to)?;
    socket.set_read_timeout(Some(TURN))?;
    Ok(socket)
}

/// Commits the node's stored record before its sent frames leave.
fn keep(node: &mut VirtualNode, number: usize, records: &mut Records) -> Result<()> {
    if let Some(record) = node.take_stored() {
        records.set(number, record);
    }
    records.commit()
}

fn is_momentary(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock
            | io::ErrorKind::TimedOut
            | io::ErrorKind::Interrupted
            | io::ErrorKind::ConnectionRefused
    )
}
