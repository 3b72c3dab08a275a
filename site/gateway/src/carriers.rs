//! The way out: each packet by the carrier that its peer is reached by.

use std::io;
use std::sync::Arc;

use crate::engine::Outgoing;
use crate::peer::Peer;
use crate::{radio, udp};

/// Sends packets; shared between threads.
#[derive(Debug)]
pub struct Carriers {
    pub udp: Arc<udp::Sender>,
    /// By their numbers, in the order of the command line.
    pub radios: Vec<radio::Sender>,
}

impl Carriers {
    /// Sends a packet, or drops it if its carrier does not take it now.
    pub fn send(&self, packet: &Outgoing) -> io::Result<()> {
        match packet.to {
            Peer::Radio(number) => match self.radios.get(usize::from(number)) {
                Some(radio) => radio.send(packet),
                // Of an earlier run that had more of them.
                None => Err(io::ErrorKind::AddrNotAvailable.into()),
            },
            Peer::Udp(_) | Peer::Nowhere => self.udp.send(packet),
        }
    }
}
