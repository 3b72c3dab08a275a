//! Floods the real `selo gateway` with hostile packets over loopback, while C nodes send. The test
//! site/gateway/tests/gateway/flood.rs counts, in simulated time, the honest packets that the
//! gateway's limits drop.
//!
//! `cargo test --release -p selo --test site flood -- --ignored --nocapture` sends 100,000 packets a
//! second. It prints the outcome of the honest packets, and the number that the kernel dropped.

mod rate;

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::gateway_support::{CNode, Site};
use selo_sys::node::Suite;

/// A thread that repeats a step until this is dropped.
pub struct Beside {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    pub fn start(mut turn: impl FnMut() + Send + 'static) -> Beside {
        let stop = Arc::new(AtomicBool::new(false));
        let asked = stop.clone();
        let thread = std::thread::spawn(move || {
            while !asked.load(Ordering::Relaxed) {
                turn();
            }
        });
        Beside {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn socket(host: Ipv4Addr) -> UdpSocket {
    let socket = UdpSocket::bind((host, 0)).expect("binds");
    socket.set_nonblocking(true).expect("sets");
    socket
}

/// A NAT between a node and the gateway. It can change the node's port, and it records all frames.
struct Translator {
    address: SocketAddr,
    outside: Arc<Mutex<UdpSocket>>,
    seen: Arc<Mutex<Vec<Vec<u8>>>>,
    _thread: Beside,
}

impl Translator {
    fn new(gateway: SocketAddr) -> Translator {
        let inside = socket(Ipv4Addr::LOCALHOST);
        let address = inside.local_addr().expect("bound");
        let outside = Arc::new(Mutex::new(socket(Ipv4Addr::LOCALHOST)));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (out, log) = (outside.clone(), seen.clone());
        let mut node = None;
        let mut buffer = [0; 2048];
        let thread = Beside::start(move || {
            let outside = out.lock().expect("whole");
            while let Ok((size, from)) = inside.recv_from(&mut buffer) {
                node = Some(from);
                log.lock().expect("whole").push(buffer[..size].to_vec());
                let _ = outside.send_to(&buffer[..size], gateway);
            }
            while let Ok((size, _)) = outside.recv_from(&mut buffer) {
                if let Some(node) = node {
                    let _ = inside.send_to(&buffer[..size], node);
                }
            }
            drop(outside);
            std::thread::sleep(Duration::from_micros(200));
        });
        Translator {
            address,
            outside,
            seen,
            _thread: thread,
        }
    }

    fn change_port(&self) {
        *self.outside.lock().expect("whole") = socket(Ipv4Addr::LOCALHOST);
    }
}

/// The last recorded frame of this kind.
fn last(seen: &Mutex<Vec<Vec<u8>>>, kind: u8) -> Option<Vec<u8>> {
    let seen = seen.lock().expect("whole");
    let found = seen.iter().rev().find(|frame| frame[0] & 0xf0 == kind);
    found.cloned()
}

/// A frame with its last 4 bytes replaced by random bytes. Without a frame, a single byte.
fn forged(frame: Option<Vec<u8>>) -> Vec<u8> {
    let mut frame = frame.unwrap_or_else(|| vec![0xff]);
    let random: [u8; 4] = selo_link::random_bytes().expect("random");
    let end = frame.len().saturating_sub(4);
    for (byte, random) in frame[end..].iter_mut().zip(random) {
        *byte = random;
    }
    frame
}

/// A neighbour at the node's address sends invalid frames, forged packets of the node's session and
/// forged joins with its id, some thousand per second. The node still joins, and its readings still
/// arrive, also from another port.
#[test]
fn a_neighbour_at_the_nodes_address_does_not_keep_it_out() {
    let site = Site::new();
    let device = site.device(Suite::ChaChaPolyBlake2s, "gauge");
    let gateway = site.gateway(&[]);
    let translator = Translator::new(gateway.address);
    let mut node = CNode::provisioned(Suite::ChaChaPolyBlake2s, translator.address, device);
    let (seen, to) = (translator.seen.clone(), gateway.address);
    let neighbour = socket(Ipv4Addr::LOCALHOST);
    let sent = Arc::new(AtomicU64::new(0));
    let count = sent.clone();
    let _flood = Beside::start(move || {
        let mut join = forged(last(&seen, 0x50));
        if join.len() < 58 {
            join = [&[0x50][..], &device.0.to_le_bytes(), &[7; 53]].concat();
        }
        for packet in [&[0xff][..], &join, &forged(last(&seen, 0x70))] {
            let _ = neighbour.send_to(packet, to);
            count.fetch_add(1, Ordering::Relaxed);
        }
        std::thread::sleep(Duration::from_millis(1));
    });
    // More than an earlier version of the gateway accepted from one source.
    while sent.load(Ordering::Relaxed) < 3000 {
        std::thread::sleep(Duration::from_millis(10));
    }
    node.join();
    // Where the neighbour has spent the budget, the gateway asks for a proof of the address. On a
    // busy machine the neighbour may be late for one join, so the node joins again.
    for _ in 0..50 {
        if last(&translator.seen, 0xb0).is_some() {
            break;
        }
        node.join();
    }
    for number in 0..10u8 {
        node.deliver(&[number]);
        translator.change_port();
    }
    let payloads: Vec<_> = (0..10)
        .map(|_| gateway.readings.next_json()["payload"].clone())
        .collect();
    let wanted: Vec<_> = (0..10u8).map(|number| hex::encode([number])).collect();
    assert_eq!(payloads, wanted);
    // The gateway asked for a proof of the address, and the node gave it.
    assert!(
        last(&translator.seen, 0xb0).is_some(),
        "no COOKIE-ECHO was sent"
    );
}

/// A neighbour sends packets of unknown sessions. A node whose session is lost still gets a hint.
#[test]
fn a_neighbour_does_not_take_a_nodes_hints() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let to = gateway.address;
    let neighbour = socket(Ipv4Addr::LOCALHOST);
    let unknown = |session: u16| {
        let mut up = [7; 29];
        up[0] = 0x70;
        up[1..3].copy_from_slice(&session.to_le_bytes());
        up
    };
    let mut session = 0;
    let _flood = Beside::start(move || {
        session = (session + 1) % 1000;
        let _ = neighbour.send_to(&unknown(session), to);
        std::thread::sleep(Duration::from_micros(500));
    });
    // Twelve nodes, one after another. Each must get a hint for one of its first packets. An earlier
    // version sent a source one hint a second.
    for number in 0..12 {
        let node = socket(Ipv4Addr::LOCALHOST);
        let session = 2000 + number;
        let mut hint = [0; 16];
        let mut size = None;
        for _ in 0..40 {
            node.send_to(&unknown(session), to).expect("sends");
            std::thread::sleep(Duration::from_millis(20));
            size = node.recv(&mut hint).ok();
            if size.is_some() {
                break;
            }
        }
        let [low, high] = session.to_le_bytes();
        assert_eq!(
            size.map(|size| hint[..size].to_vec()),
            Some(vec![0x90, low, high]),
            "node {number} had no hint"
        );
    }
}
