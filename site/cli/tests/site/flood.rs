//! Floods the real `selo gateway` with hostile packets over loopback, while C nodes send. The test
//! site/gateway/tests/gateway/flood.rs counts, in simulated time, the honest packets that the
//! gateway's limits drop.
//!
//! `cargo test --release -p selo --test site flood -- --ignored --nocapture` sends 100,000 packets a
//! second. It prints the outcome of the honest packets, and the number that the kernel dropped.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::gateway_support::{CNode, Gateway, PATIENCE, Site};
use selo_nodes::node::{VirtualNode, system_entropy};
use selo_sys::node::{Event, Suite};

/// A thread that repeats a step until this is dropped.
struct Beside {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Beside {
    fn start(mut turn: impl FnMut() + Send + 'static) -> Beside {
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

const HOSTILE_PER_SECOND: u64 = 100_000;
const NODES: usize = 20;
const SECONDS: u64 = 10;
const READING: Duration = Duration::from_millis(200);

/// An honest node on a socket of its own. Its number determines its host address.
struct Honest {
    node: VirtualNode,
    socket: UdpSocket,
    next: Instant,
    joined: Option<Duration>,
    sent: u64,
    transmissions: u64,
    delivered: u64,
    undelivered: u64,
    last_up: Option<Vec<u8>>,
}

impl Honest {
    fn turn(&mut self, start: Instant, send: bool) {
        let mut buffer = [0; 2048];
        while let Ok(size) = self.socket.recv(&mut buffer) {
            self.node.receive(&buffer[..size]);
        }
        let (mut joined, mut delivered, mut undelivered) = (false, 0, 0);
        let now = start.elapsed();
        self.node
            .turn(now.as_millis() as u32, |_, event| match event {
                Event::Joined => joined = true,
                Event::Delivered => delivered += 1,
                Event::Undelivered => undelivered += 1,
                _ => {}
            });
        if joined && self.joined.is_none() {
            self.joined = Some(now);
        }
        self.delivered += delivered;
        self.undelivered += undelivered;
        let free = self.delivered + self.undelivered == self.sent;
        if send && free && self.joined.is_some() && Instant::now() >= self.next {
            let payload = self.sent.to_le_bytes();
            if self.node.node().send(&payload, true).is_ok() {
                self.sent += 1;
                self.next = Instant::now() + READING;
            }
        }
        for frame in self.node.take_sent() {
            let _ = self.socket.send(&frame);
            if frame[0] & 0xf0 == 0x70 {
                self.transmissions += 1;
                self.last_up = Some(frame);
            }
        }
    }
}

/// Packets that the kernel dropped because the socket's buffer was full.
fn dropped_by_the_kernel(port: u16) -> u64 {
    let table = std::fs::read_to_string("/proc/net/udp").unwrap_or_default();
    let local = format!(":{port:04X}");
    let row = table.lines().find(|line| {
        let address = line.split_whitespace().nth(1);
        address.is_some_and(|address| address.ends_with(&local))
    });
    row.and_then(|row| row.split_whitespace().last()?.parse().ok())
        .unwrap_or(0)
}

/// Processor time of the gateway so far, seconds.
fn processor_time(gateway: &Gateway) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", gateway.child.id()));
    let stat = stat.unwrap_or_default();
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0)) / 100.0
}

/// Makes a packet of the flood from the devices, the nodes' last UPs and the packet's number.
type Packets = fn(&[(u32, [u8; 32])], &[Vec<u8>], u64) -> Vec<u8>;

fn one_byte(_: &[(u32, [u8; 32])], _: &[Vec<u8>], _: u64) -> Vec<u8> {
    vec![0xff]
}

fn forged_join(devices: &[(u32, [u8; 32])], _: &[Vec<u8>], number: u64) -> Vec<u8> {
    let id = devices[number as usize % devices.len()].0;
    let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
    let mut frame = [&[0x50][..], &id.to_le_bytes(), &[9; 53]].concat();
    frame[10..18].copy_from_slice(&random);
    frame
}

fn forged_up(_: &[(u32, [u8; 32])], ups: &[Vec<u8>], number: u64) -> Vec<u8> {
    let Some(up) = ups.get(number as usize % ups.len().max(1)) else {
        return vec![0xff];
    };
    let mut up = up.clone();
    let tag = up.len() - 8;
    up[tag..].copy_from_slice(&number.to_le_bytes());
    up
}

fn unknown_up(_: &[(u32, [u8; 32])], _: &[Vec<u8>], number: u64) -> Vec<u8> {
    let mut up = vec![7; 29];
    up[0] = 0x71;
    up[1..5].copy_from_slice(&(number as u32 | 1 << 31).to_le_bytes());
    up
}

fn measure(name: &str, host: Option<Ipv4Addr>, packets: Packets) {
    let site = Site::new();
    let suites = Suite::ALL;
    let devices: Vec<_> = (0..NODES)
        .map(|number| site.device(suites[number % 4], &format!("node {number}")))
        .collect();
    let gateway = site.gateway(&[]);
    let to = gateway.address;
    let start = Instant::now();
    let mut nodes: Vec<Honest> = devices
        .iter()
        .enumerate()
        .map(|(number, (id, key))| {
            let mut node =
                VirtualNode::start(suites[number % 4], None, system_entropy()).expect("begins");
            node.node().provision(*id, key).expect("stores");
            let socket = socket(Ipv4Addr::new(127, 0, 1, 1));
            socket.connect(to).expect("connects");
            Honest {
                node,
                socket,
                next: start,
                joined: None,
                sent: 0,
                transmissions: 0,
                delivered: 0,
                undelivered: 0,
                last_up: None,
            }
        })
        .collect();
    let sent = Arc::new(AtomicU64::new(0));
    let ups: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    // Many sockets: at one address, or at addresses that no test has used.
    let flood: Vec<Beside> = (0..2u64)
        .map(|thread| {
            let sockets: Vec<UdpSocket> = (0..64u8)
                .map(|at| socket(host.unwrap_or(Ipv4Addr::new(127, 9, thread as u8, at))))
                .collect();
            let (count, devices, known) = (sent.clone(), devices.clone(), ups.clone());
            let (mut mine, begin) = (0u64, Instant::now());
            Beside::start(move || {
                let due = begin.elapsed().as_micros() as u64 * HOSTILE_PER_SECOND / 2_000_000;
                let known = known.lock().expect("whole").clone();
                while mine < due {
                    let packet = packets(&devices, &known, mine * 2 + thread);
                    let _ = sockets[mine as usize % 64].send_to(&packet, to);
                    mine += 1;
                    count.fetch_add(1, Ordering::Relaxed);
                    if mine % 256 == 0 {
                        break;
                    }
                }
                if mine >= due {
                    std::thread::sleep(Duration::from_micros(200));
                }
            })
        })
        .collect();
    std::thread::sleep(Duration::from_secs(1));
    let (begin, before) = (Instant::now(), processor_time(&gateway));
    let hostile = sent.load(Ordering::Relaxed);
    for node in &mut nodes {
        node.node.node().join().expect("has a key");
    }
    let deadline = Instant::now() + PATIENCE;
    let mut until = None;
    // Run for SECONDS after all nodes have joined.
    while until.is_none_or(|until| Instant::now() < until) && Instant::now() < deadline {
        for node in &mut nodes {
            node.turn(start, true);
        }
        if until.is_none() && nodes.iter().all(|node| node.joined.is_some()) {
            until = Some(Instant::now() + Duration::from_secs(SECONDS));
        }
        // The forger reads an UP of each session.
        let heard = nodes.iter().filter_map(|node| node.last_up.clone());
        *ups.lock().expect("whole") = heard.collect();
        std::thread::sleep(Duration::from_micros(500));
    }
    let seconds = begin.elapsed().as_secs_f64();
    let rate = (sent.load(Ordering::Relaxed) - hostile) as f64 / seconds;
    let busy = (processor_time(&gateway) - before) / seconds;
    // Wait for readings that are still in flight or being repeated.
    while nodes
        .iter()
        .any(|node| node.delivered + node.undelivered < node.sent)
        && Instant::now() < deadline + PATIENCE
    {
        for node in &mut nodes {
            node.turn(start, false);
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    drop(flood);
    let kernel = dropped_by_the_kernel(to.port());
    let sum = |of: fn(&Honest) -> u64| nodes.iter().map(of).sum::<u64>();
    let joined = nodes.iter().filter_map(|node| node.joined).max();
    let joined = joined.unwrap_or_default().saturating_sub(begin - start);
    let (_, lines, _) = gateway.stop();
    println!(
        "{name}: {rate:.0} hostile packets/s for {seconds:.0} s; joined {} of {NODES}, the last after {:.1} s; \
         readings {}, acknowledged {}, given up {}, in the gateway's output {}; transmissions {}; \
         the kernel dropped {kernel}; gateway {:.0} % of a core",
        nodes.iter().filter(|node| node.joined.is_some()).count(),
        joined.as_secs_f64(),
        sum(|node| node.sent),
        sum(|node| node.delivered),
        sum(|node| node.undelivered),
        lines.len(),
        sum(|node| node.transmissions),
        busy * 100.0,
    );
    assert!(nodes.iter().all(|node| node.joined.is_some()), "{name}");
    assert!(lines.len() as u64 >= sum(|node| node.delivered), "{name}");
}

#[test]
#[ignore = "a measurement that takes minutes and needs an idle machine"]
fn a_hundred_thousand_hostile_packets_a_second() {
    let same = Some(Ipv4Addr::new(127, 0, 1, 1));
    for (name, packets) in [
        ("bytes that are not frames", one_byte as Packets),
        ("packets of unknown sessions", unknown_up),
        ("forged packets of the sessions", forged_up),
        ("forged joins in the nodes' names", forged_join),
    ] {
        measure(&format!("{name}, from the nodes' address"), same, packets);
        measure(&format!("{name}, from 128 others"), None, packets);
    }
}
