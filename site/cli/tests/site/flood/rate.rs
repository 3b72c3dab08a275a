//! A hundred thousand hostile packets a second, and what honest nodes still get through.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::gateway_support::{Gateway, PATIENCE, Site};
use selo_nodes::node::{VirtualNode, system_entropy};
use selo_sys::node::{Event, Suite};

use super::{Beside, socket};

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

/// The last UP of each honest node.
type Ups = Arc<Mutex<Vec<Vec<u8>>>>;

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

/// Nodes with these keys, on the gateway at `to`.
fn honest_nodes(devices: &[(u32, [u8; 32])], to: SocketAddr, start: Instant) -> Vec<Honest> {
    let suites = Suite::ALL;
    devices
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
        .collect()
}

/// Two threads that send hostile packets from many sockets: at one address, or at addresses that no
/// test has used. They count what they send, and read the UPs of the honest nodes.
fn start_flood(
    to: SocketAddr,
    host: Option<Ipv4Addr>,
    packets: Packets,
    devices: &[(u32, [u8; 32])],
    (sent, ups): (&Arc<AtomicU64>, &Ups),
) -> Vec<Beside> {
    (0..2u64)
        .map(|thread| {
            let sockets: Vec<UdpSocket> = (0..64u8)
                .map(|at| socket(host.unwrap_or(Ipv4Addr::new(127, 9, thread as u8, at))))
                .collect();
            let (count, devices, known) = (sent.clone(), devices.to_vec(), ups.clone());
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
        .collect()
}

/// Waits for readings that are still in flight or being repeated.
fn wait_for_readings(nodes: &mut [Honest], start: Instant, deadline: Instant) {
    while nodes
        .iter()
        .any(|node| node.delivered + node.undelivered < node.sent)
        && Instant::now() < deadline
    {
        for node in &mut *nodes {
            node.turn(start, false);
        }
        std::thread::sleep(Duration::from_micros(500));
    }
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
    let mut nodes = honest_nodes(&devices, to, start);
    let sent = Arc::new(AtomicU64::new(0));
    let ups = Ups::default();
    let flood = start_flood(to, host, packets, &devices, (&sent, &ups));
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
    wait_for_readings(&mut nodes, start, deadline + PATIENCE);
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
