//! Packet forwarders of LoRa concentrators, by Semtech's UDP protocol [SEMTECHUDP]. A concentrator
//! hears several channels and spreading factors at once; its forwarder runs on the same machine.
//!
//! The protocol authenticates nobody. A stranger who reaches the port is like a stranger with a
//! radio: the engine verifies every frame. Listen on the loopback address nevertheless.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tracing::{debug, info, warn};

use super::packets::{Packet, read, receptions, rejection, transmission};
use super::place::{Channel, Place};
use crate::heads::wire::Signal;

/// Maximum concentrators. The one that was silent for longest makes room.
const CONCENTRATORS_MAX: usize = 16;

#[derive(Debug)]
struct Concentrator {
    eui: [u8; 8],
    /// Where its forwarder takes transmissions.
    at: SocketAddr,
    version: u8,
    heard: Instant,
}

/// The port for forwarders.
#[derive(Debug)]
pub(super) struct Forwarder {
    socket: UdpSocket,
    power: i8,
    concentrators: Mutex<Vec<Concentrator>>,
    token: AtomicU16,
}

impl Forwarder {
    pub(super) fn new(socket: UdpSocket, power: i8) -> Forwarder {
        Forwarder {
            socket,
            power,
            concentrators: Mutex::default(),
            token: AtomicU16::new(1),
        }
    }

    /// Sends a frame at once on a channel.
    ///
    /// # Errors
    /// `NotConnected` if the concentrator's forwarder has not asked for transmissions yet.
    pub(super) fn send(&self, channel: Channel, frame: &[u8]) -> io::Result<()> {
        let concentrators = self
            .concentrators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let to = concentrators
            .iter()
            .find(|known| known.eui == channel.concentrator)
            .map(|known| (known.at, known.version))
            .ok_or(io::ErrorKind::NotConnected)?;
        drop(concentrators);
        let token = self.token.fetch_add(1, Ordering::Relaxed);
        let packet = transmission(to.1, token, channel, self.power, frame);
        self.socket.send_to(&packet, to.0).map(|_| ())
    }

    /// A forwarder asks for transmissions.
    fn pull(&self, eui: [u8; 8], at: SocketAddr, version: u8) {
        let now = Instant::now();
        let mut concentrators = self
            .concentrators
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = concentrators.iter_mut().find(|known| known.eui == eui) {
            (known.at, known.version, known.heard) = (at, version, now);
            return;
        }
        if concentrators.len() >= CONCENTRATORS_MAX {
            let oldest = (0..concentrators.len()).min_by_key(|place| concentrators[*place].heard);
            concentrators.swap_remove(oldest.unwrap_or(0));
        }
        info!(concentrator = hex::encode(eui), %at, "a packet forwarder has connected");
        concentrators.push(Concentrator {
            eui,
            at,
            version,
            heard: now,
        });
    }
}

/// The thread of the port. `hears` takes the frames of nodes.
pub(super) fn run(forwarder: &Forwarder, stop: &AtomicBool, hears: &dyn Fn(Place, Signal, &[u8])) {
    let mut buffer = vec![0; 64 << 10];
    while !stop.load(Ordering::Acquire) {
        let Ok((size, from)) = forwarder.socket.recv_from(&mut buffer) else {
            continue;
        };
        let Some((version, token, packet)) = read(&buffer[..size]) else {
            debug!(%from, "not a packet of a forwarder");
            continue;
        };
        let acknowledgement = match packet {
            Packet::Push { eui, json } => {
                match receptions(json) {
                    Ok(all) => {
                        for heard in all {
                            let place = Place::Concentrator(heard.channel(eui));
                            hears(place, heard.signal, &heard.frame);
                        }
                    }
                    Err(error) => debug!(%from, %error, "not the JSON of a forwarder"),
                }
                Some(1)
            }
            Packet::Pull { eui } => {
                forwarder.pull(eui, from, version);
                Some(4)
            }
            Packet::Sent { json } => {
                if let Some(why) = rejection(json) {
                    warn!(%from, why, "a concentrator did not send an answer");
                }
                None
            }
        };
        if let Some(kind) = acknowledgement {
            let [high, low] = token.to_be_bytes();
            let _ = forwarder.socket.send_to(&[version, high, low, kind], from);
        }
    }
}
