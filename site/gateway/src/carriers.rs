//! Sends each packet by the carrier that reaches its peer.

use std::io;
use std::sync::Arc;

use crate::engine::Outgoing;
use crate::heads::Connected;
use crate::peer::Peer;
use crate::{radio, udp};

/// Sends packets; shared between threads.
#[derive(Debug)]
pub struct Carriers {
    pub udp: Arc<udp::Sender>,
    /// Indexed by radio number, in command-line order.
    pub radios: Vec<radio::Sender>,
    pub heads: Arc<Connected>,
}

impl Carriers {
    /// Sends a packet. Drops it if its carrier does not accept it now.
    pub fn send(&self, packet: &Outgoing) -> io::Result<()> {
        match packet.to {
            Peer::Radio(number) => match self.radios.get(usize::from(number)) {
                Some(radio) => radio.send(packet),
                // The peer was stored by an earlier run that had more radios.
                None => Err(io::ErrorKind::AddrNotAvailable.into()),
            },
            Peer::Head(peer) => self.heads.send(peer, packet.frame()),
            Peer::Udp(_) | Peer::Nowhere => self.udp.send(packet),
        }
    }
}
