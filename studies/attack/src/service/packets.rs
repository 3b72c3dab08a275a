//! Packets of the link: a relay that records the nodes' packets, and hostile senders.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Result;
use super::wire::HONEST;

/// Longest UDP payload.
const PACKET_MAX: usize = 65_507;

/// Packets of a burst, followed by a pause: at most 5,000 packets per second.
const BURST: u64 = 50;
/// Burst size for cases that need very many packets: at most 200,000 per second.
const LARGE_BURST: u64 = 2000;
const PAUSE: Duration = Duration::from_millis(10);

/// Threads that stop when this is dropped.
#[derive(Debug, Default)]
pub struct Background {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Background {
    /// Repeats a step until the end.
    pub fn repeat(&mut self, mut step: impl FnMut() + Send + 'static) {
        let stop = Arc::clone(&self.stop);
        self.threads.push(std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                step();
            }
        }));
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// A sender of hostile packets. Dropping it stops the flood.
#[derive(Debug)]
pub struct Flood {
    sent: Arc<AtomicU64>,
    _background: Background,
}

impl Flood {
    /// Sends the packets of `make` to a port, from these addresses in turn.
    pub fn start(
        to: u16,
        from: impl Iterator<Item = Ipv4Addr>,
        make: impl FnMut(u64) -> Vec<u8> + Send + 'static,
    ) -> Result<Flood> {
        let bind = |address| UdpSocket::bind((address, 0));
        let sockets = from.map(bind).collect::<std::io::Result<Vec<_>>>()?;
        Ok(Flood::of(to, sockets, BURST, make))
    }

    /// Sends as many packets as the machine can, for effects that only very many packets cause.
    pub fn large(
        to: u16,
        sockets: Vec<UdpSocket>,
        make: impl FnMut(u64) -> Vec<u8> + Send + 'static,
    ) -> Flood {
        Flood::of(to, sockets, LARGE_BURST, make)
    }

    fn of(
        to: u16,
        sockets: Vec<UdpSocket>,
        burst: u64,
        mut make: impl FnMut(u64) -> Vec<u8> + Send + 'static,
    ) -> Flood {
        let (to, sent) = (SocketAddr::from((HONEST, to)), Arc::new(AtomicU64::new(0)));
        let mut background = Background::default();
        let count = Arc::clone(&sent);
        background.repeat(move || {
            for _ in 0..burst {
                let number = count.fetch_add(1, Ordering::Relaxed);
                let socket = &sockets[number as usize % sockets.len()];
                // A full buffer only loses a hostile packet.
                let _ = socket.send_to(&make(number), to);
            }
            std::thread::sleep(PAUSE);
        });
        Flood {
            sent,
            _background: background,
        }
    }

    /// Packets sent.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

/// Random bytes; zeros if the system's generator fails.
pub fn random<const N: usize>() -> [u8; N] {
    selo_link::random_bytes().unwrap_or([0; N])
}

/// Packets seen by a relay.
#[derive(Debug, Default)]
struct Seen {
    up: Vec<Vec<u8>>,
    down: Vec<Vec<u8>>,
    /// By the nodes' own addresses. The gateway sees them as these sockets.
    homes: HashMap<SocketAddr, Home>,
}

/// A node as the gateway sees it.
#[derive(Debug)]
pub struct Home {
    /// Sends from the node's address.
    pub socket: UdpSocket,
    /// The node's newest packet.
    pub last: Vec<u8>,
}

/// A relay between nodes and gateway that forwards everything and records it.
#[derive(Debug)]
pub struct Relay {
    /// Port to which the nodes send.
    pub port: u16,
    seen: Arc<Mutex<Seen>>,
    _background: Background,
}

impl Relay {
    /// Starts a relay in front of a gateway's port.
    pub fn start(gateway: u16) -> Result<Relay> {
        let front = UdpSocket::bind((HONEST, 0))?;
        front.set_read_timeout(Some(PAUSE))?;
        let port = front.local_addr()?.port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let taken = Arc::clone(&seen);
        let mut background = Background::default();
        let mut packet = vec![0; PACKET_MAX];
        background.repeat(move || {
            let came = front.recv_from(&mut packet);
            let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
            if let Ok((length, node)) = came {
                taken.hand_up(node, &packet[..length], gateway);
            }
            let Seen { down, homes, .. } = &mut *taken;
            for (node, home) in homes {
                while let Ok(length) = home.socket.recv(&mut packet) {
                    down.push(packet[..length].to_vec());
                    let _ = front.send_to(&packet[..length], node);
                }
            }
        });
        Ok(Relay {
            port,
            seen,
            _background: background,
        })
    }

    fn look(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Frames from the nodes so far.
    pub fn seen(&self) -> Vec<Vec<u8>> {
        self.look().up.clone()
    }

    /// Frames to the nodes so far.
    pub fn seen_down(&self) -> Vec<Vec<u8>> {
        self.look().down.clone()
    }

    /// The nodes as the gateway sees them, for an attacker who sends from their addresses.
    pub fn homes(&self) -> Result<Vec<Home>> {
        let seen = self.look();
        let copy = |home: &Home| {
            Ok(Home {
                socket: home.socket.try_clone()?,
                last: home.last.clone(),
            })
        };
        seen.homes.values().map(copy).collect()
    }
}

impl Seen {
    /// Forwards a node's packet. A packet that cannot be sent is lost, as on a network.
    fn hand_up(&mut self, node: SocketAddr, frame: &[u8], gateway: u16) {
        self.up.push(frame.to_vec());
        if let Entry::Vacant(new) = self.homes.entry(node) {
            let Ok(socket) = UdpSocket::bind((HONEST, 0)) else {
                return;
            };
            let ready = socket
                .connect((HONEST, gateway))
                .and(socket.set_nonblocking(true));
            if ready.is_ok() {
                let last = Vec::new();
                new.insert(Home { socket, last });
            }
        }
        if let Some(home) = self.homes.get_mut(&node) {
            home.last = frame.to_vec();
            let _ = home.socket.send(frame);
        }
    }
}
