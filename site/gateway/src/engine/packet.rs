//! A packet to send.

use std::fmt;
use std::net::IpAddr;

use selo_link::frame::FRAME_MAX;

use crate::peer::Peer;

/// A packet to send.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Outgoing {
    pub to: Peer,
    /// Local address that the request was sent to, if the carrier reports it.
    pub local: Option<IpAddr>,
    /// The packet depends on a journal entry that must survive a power failure. Synchronise the
    /// journal before sending.
    pub after_sync: bool,
    size: u8,
    bytes: [u8; FRAME_MAX],
}

impl Outgoing {
    pub(super) fn new(to: Peer, frame: &[u8]) -> Outgoing {
        let mut bytes = [0; FRAME_MAX];
        let size = frame.len().min(FRAME_MAX);
        bytes[..size].copy_from_slice(&frame[..size]);
        Outgoing {
            to,
            local: None,
            after_sync: false,
            size: size as u8,
            bytes,
        }
    }

    #[cfg(test)]
    pub(crate) fn for_test(to: Peer, frame: &[u8]) -> Outgoing {
        Outgoing::new(to, frame)
    }

    pub fn frame(&self) -> &[u8] {
        &self.bytes[..usize::from(self.size)]
    }
}

impl fmt::Debug for Outgoing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Outgoing({} bytes to {})", self.size, self.to)
    }
}
