//! Packets of the link: a relay that records what nodes send, and senders that nobody asked.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Result;
use super::wire::HONEST;

/// Longest packet of UDP.
const PACKET_MAX: usize = 65_507;

/// Packets of a burst, and the pause after it: 5,000 packets a second at most.
const BURST: u64 = 50;
const PAUSE: Duration = Duration::from_millis(10);

/// Threads that end when this is dropped.
#[derive(Debug, Default)]
pub struct Background {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Background {
    /// Repeats a step until the end.
    fn repeat(&mut self, mut step: impl FnMut() + Send + 'static) {
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

/// A sender of hostile packets, until it is dropped.
#[derive(Debug)]
pub struct Flood {
    sent: Arc<AtomicU64>,
    _background: Background,
}

impl Flood {
    /// Sends packets of `make` to a port, from these addresses in turn.
    pub fn start(
        to: u16,
        from: impl Iterator<Item = Ipv4Addr>,
        mut make: impl FnMut(u64) -> Vec<u8> + Send + 'static,
    ) -> Result<Flood> {
        let bind = |address| UdpSocket::bind((address, 0));
        let sockets = from.map(bind).collect::<std::io::Result<Vec<_>>>()?;
        let (to, sent) = (SocketAddr::from((HONEST, to)), Arc::new(AtomicU64::new(0)));
        let mut background = Background::default();
        let count = Arc::clone(&sent);
        background.repeat(move || {
            for _ in 0..BURST {
                let number = count.fetch_add(1, Ordering::Relaxed);
                let socket = &sockets[number as usize % sockets.len()];
                // A full buffer loses a hostile packet, nothing else.
                let _ = socket.send_to(&make(number), to);
            }
            std::thread::sleep(PAUSE);
        });
        Ok(Flood {
            sent,
            _background: background,
        })
    }

    /// Packets sent.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

/// Random bytes; a machine without them sends zeros.
pub fn random<const N: usize>() -> [u8; N] {
    selo_link::random_bytes().unwrap_or([0; N])
}

/// Stands between nodes and gateway, hands everything on, and remembers what nodes send.
#[derive(Debug)]
pub struct Relay {
    /// Where nodes send.
    pub port: u16,
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
    _background: Background,
}

impl Relay {
    /// Starts one before a gateway's port.
    pub fn start(gateway: u16) -> Result<Relay> {
        let front = UdpSocket::bind((HONEST, 0))?;
        front.set_read_timeout(Some(PAUSE))?;
        let port = front.local_addr()?.port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::clone(&seen);
        let mut background = Background::default();
        let mut backs: HashMap<SocketAddr, UdpSocket> = HashMap::new();
        let mut packet = vec![0; PACKET_MAX];
        background.repeat(move || {
            if let Ok((length, node)) = front.recv_from(&mut packet) {
                let frame = &packet[..length];
                taken
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(frame.to_vec());
                if let std::collections::hash_map::Entry::Vacant(e) = backs.entry(node) {
                    let Ok(back) = UdpSocket::bind((HONEST, 0)) else {
                        return;
                    };
                    let ready = back
                        .connect((HONEST, gateway))
                        .and(back.set_nonblocking(true));
                    if ready.is_ok() {
                        e.insert(back);
                    }
                }
                if let Some(back) = backs.get(&node) {
                    let _ = back.send(frame);
                }
            }
            for (node, back) in &backs {
                while let Ok(length) = back.recv(&mut packet) {
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

    /// The frames of nodes so far.
    pub fn seen(&self) -> Vec<Vec<u8>> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clone()
    }
}
