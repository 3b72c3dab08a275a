//! A radio head: it hears nodes for one or more gateways, and sends their answers. It keeps nothing:
//! stopped and started again, it goes on where it was.
//!
//! Every frame goes to every gateway. Of several engines, the one that owns the device answers.

mod forwarder;
#[doc(hidden)]
pub mod fuzzing;
mod packets;
mod place;
mod uplink;

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use tracing::info;

use crate::error::{Error, Result};
use crate::heads::wire::{FRAME_MAX, Signal};
use crate::heads::{HeadFile, Way};
use crate::peer::Peer;
use crate::radio;

use forwarder::Forwarder;
use place::Place;
use uplink::Uplink;

/// Interval in which a waiting thread sees that the head stops.
const STOP: Duration = Duration::from_millis(250);

/// What a head listens to. At least one of them.
#[derive(Debug)]
pub struct Settings {
    pub file: HeadFile,
    /// UDP address for nodes.
    pub listen: Option<SocketAddr>,
    pub radios: Vec<radio::Port>,
    /// UDP address for packet forwarders of LoRa concentrators.
    pub forwarder: Option<SocketAddr>,
    /// Power of answers through a concentrator, dBm.
    pub power: i8,
}

/// A running head. Dropping it stops it.
#[derive(Debug)]
pub struct Head {
    listen: Option<SocketAddr>,
    forwarder: Option<SocketAddr>,
    hub: Arc<Hub>,
    radios: Vec<radio::Running>,
    threads: Vec<JoinHandle<()>>,
}

/// What the threads share.
#[derive(Debug)]
struct Hub {
    stop: AtomicBool,
    uplinks: Vec<Uplink>,
    udp: Option<UdpSocket>,
    radios: Vec<radio::Sender>,
    forwarder: OnceLock<Forwarder>,
}

impl Hub {
    fn stopping(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// Gives a frame to every gateway.
    fn heard(&self, place: Place, signal: Signal, frame: &[u8]) {
        if frame.len() > FRAME_MAX {
            return;
        }
        for uplink in &self.uplinks {
            uplink.push(place.way(), signal, frame);
        }
    }

    /// Sends a frame of a gateway. Drops it if its carrier does not accept it now.
    fn send(&self, way: Way, frame: &[u8]) -> io::Result<()> {
        let missing = || io::Error::from(io::ErrorKind::AddrNotAvailable);
        match Place::of(way).ok_or_else(missing)? {
            Place::Udp(to) => {
                let udp = self.udp.as_ref().ok_or_else(missing)?;
                udp.send_to(frame, to).map(|_| ())
            }
            Place::Radio(number) => {
                let radio = self.radios.get(usize::from(number)).ok_or_else(missing)?;
                radio.frame(frame)
            }
            Place::Concentrator(channel) => {
                let forwarder = self.forwarder.get().ok_or_else(missing)?;
                forwarder.send(channel, frame)
            }
        }
    }
}

impl Head {
    /// Opens the carriers, and connects to the gateways. Gateways that do not answer are tried again
    /// for as long as the head runs.
    ///
    /// # Errors
    /// If a port cannot be opened.
    pub fn start(settings: Settings) -> Result<Head> {
        let udp = settings.listen.map(udp_socket).transpose()?;
        let forwarding = settings.forwarder.map(udp_socket).transpose()?;
        let address = |socket: &Option<UdpSocket>| {
            socket.as_ref().and_then(|socket| socket.local_addr().ok())
        };
        let (listen, forwarder) = (address(&udp), address(&forwarding));
        let ports = settings.radios.iter().zip(0..=u8::MAX);
        let (senders, radios): (Vec<_>, Vec<_>) = ports
            .map(|(port, number)| radio::open(number, port))
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .unzip();
        let uplinks = settings
            .file
            .gateways
            .iter()
            .map(|gateway| Uplink::new(&settings.file.identity, gateway))
            .collect::<Result<_>>()?;
        let hub = Arc::new(Hub {
            stop: AtomicBool::new(false),
            uplinks,
            udp,
            radios: senders,
            forwarder: OnceLock::new(),
        });
        let mut head = Head {
            listen,
            forwarder,
            hub: hub.clone(),
            radios: Vec::new(),
            threads: Vec::new(),
        };
        for (radio, sender) in radios.into_iter().zip(&hub.radios) {
            head.radios.push(hear_radio(radio, sender, hub.clone())?);
        }
        for number in 0..hub.uplinks.len() {
            head.spawn("uplink", move |hub| {
                hub.uplinks[number].run(&hub.stop, &|way, frame| hub.send(way, frame));
            })?;
        }
        if hub.udp.is_some() {
            head.spawn("udp", nodes)?;
        }
        if let Some(socket) = forwarding {
            let forwarder = Forwarder::new(socket, settings.power);
            let _ = hub.forwarder.set(forwarder);
            head.spawn("forwarder", |hub| {
                if let Some(forwarder) = hub.forwarder.get() {
                    let hears = |place, signal, frame: &[u8]| hub.heard(place, signal, frame);
                    forwarder::run(forwarder, &hub.stop, &hears);
                }
            })?;
        }
        info!(
            head = settings.file.name,
            gateways = hub.uplinks.len(),
            "the head listens"
        );
        Ok(head)
    }

    fn spawn(&mut self, name: &str, run: impl FnOnce(&Hub) + Send + 'static) -> Result<()> {
        let hub = self.hub.clone();
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || run(&hub))
            .map_err(|error| Error::Invalid(format!("cannot start a thread: {error}")))?;
        self.threads.push(thread);
        Ok(())
    }

    /// The UDP address for nodes.
    pub fn listen(&self) -> Option<SocketAddr> {
        self.listen
    }

    /// The UDP address for packet forwarders.
    pub fn forwarder(&self) -> Option<SocketAddr> {
        self.forwarder
    }

    /// The number of gateways that the head is connected to.
    pub fn connected(&self) -> usize {
        self.hub
            .uplinks
            .iter()
            .filter(|uplink| uplink.is_connected())
            .count()
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        self.radios.clear();
        self.hub.stop.store(true, Ordering::Release);
        for uplink in &self.hub.uplinks {
            uplink.wake();
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Starts the thread of a radio module.
fn hear_radio(
    radio: radio::Radio,
    sender: &radio::Sender,
    hub: Arc<Hub>,
) -> Result<radio::Running> {
    let path = radio.path().to_owned();
    radio
        .start(sender, move |from, frame| {
            if let Peer::Radio(number) = from {
                hub.heard(Place::Radio(number), Signal::default(), &frame);
            }
        })
        .map_err(|source| Error::Radio { path, source })
}

/// A socket whose reception ends now and then, so that its thread sees that the head stops.
fn udp_socket(address: SocketAddr) -> Result<UdpSocket> {
    let failed = |source| Error::Listen { address, source };
    let socket = UdpSocket::bind(address).map_err(failed)?;
    socket.set_read_timeout(Some(STOP)).map_err(failed)?;
    Ok(socket)
}

/// The thread that hears nodes over UDP.
fn nodes(hub: &Hub) {
    let Some(socket) = &hub.udp else { return };
    // One byte more than a frame, to see that a packet is longer.
    let mut buffer = [0; FRAME_MAX + 1];
    while !hub.stopping() {
        // An error is one of an earlier packet, such as an unreachable address, or none waits.
        if let Ok((size, from)) = socket.recv_from(&mut buffer) {
            hub.heard(Place::Udp(from), Signal::default(), &buffer[..size]);
        }
    }
}
