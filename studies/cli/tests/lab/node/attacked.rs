//! A gateway that is killed, and one that is sent false packets.

use std::collections::HashMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::{Nodes, arguments, check, fleet, run};
use crate::gateway_support::{Answer, Gateway, Running, Site};

#[test]
fn a_gateway_killed_under_load_accepts_nothing_twice_and_loses_nothing() {
    const NODES: usize = 50;
    const READINGS: usize = 60;
    let site = Site::new();
    fleet(&site, NODES, "chachapoly-blake2s");
    let gateway = site.gateway(&[]);
    let address = gateway.address.to_string();
    let nodes = Running::start(
        &site,
        &arguments(&address, &["--readings", "60", "--every", "20ms"]),
    );
    let mut lines = Vec::new();
    let mut run = gateway;
    for _ in 0..3 {
        // Kill the gateway in the middle: after a number of lines, not after a time.
        lines.extend((0..400).map(|_| run.readings.next()));
        lines.extend(run.kill());
        run = site.gateway(&["--listen", &address]);
    }
    let (code, out, err) = nodes.wait();
    let nodes = Nodes::of(&Answer {
        code,
        stdout: out,
        stderr: err,
    });
    let (code, rest, log) = run.stop();
    assert_eq!(code, Some(0), "{log}");
    lines.extend(rest);
    // The sessions continued: no node joined again.
    assert_eq!(nodes.count("joined"), NODES, "{}", nodes.summary);
    assert_eq!(nodes.count("rejoins"), 0, "{}", nodes.summary);
    let arrived = check(&lines, NODES, READINGS);
    assert!(
        arrived >= nodes.count("acknowledged"),
        "{arrived} {}",
        nodes.summary
    );
    assert!(
        arrived <= nodes.count("sent"),
        "{arrived} {}",
        nodes.summary
    );
}

/// A stream of numbers that looks random and is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// An attacker between nodes and gateway. It forwards every packet, and adds replayed, altered,
/// truncated and invented ones.
struct Attacker {
    numbers: Numbers,
    recorded: Vec<Vec<u8>>,
    sent: Arc<AtomicU64>,
}

impl Attacker {
    /// A packet that the receiver must reject.
    fn invent(&mut self, frame: &[u8]) -> Vec<u8> {
        let mut bytes = match self.numbers.below(2) {
            0 => frame.to_vec(),
            _ => self.recorded[self.numbers.below(self.recorded.len())].clone(),
        };
        match self.numbers.below(5) {
            // An unchanged packet, replayed late.
            0 => {}
            1 => {
                let bit = self.numbers.below(bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            2 => bytes.truncate(self.numbers.below(bytes.len())),
            3 => bytes.extend([0; 9]),
            _ => {
                let end = bytes.len().min(5);
                for byte in &mut bytes[end..] {
                    *byte = self.numbers.below(256) as u8;
                }
            }
        }
        self.sent.fetch_add(1, Relaxed);
        bytes
    }

    /// Runs until told to stop. It has a socket for each node, so that the gateway sees a separate
    /// address for each, and half of the false packets come from a node's own address.
    fn work(mut self, inside: &UdpSocket, gateway: SocketAddr, stop: &AtomicBool) {
        let stranger = UdpSocket::bind("127.0.0.1:0").expect("binds");
        let mut nodes: HashMap<SocketAddr, UdpSocket> = HashMap::new();
        let mut buffer = [0; 2048];
        while !stop.load(Relaxed) {
            let mut idle = true;
            while let Ok((size, from)) = inside.recv_from(&mut buffer) {
                idle = false;
                let frame = buffer[..size].to_vec();
                let own = nodes.entry(from).or_insert_with(|| {
                    let own = UdpSocket::bind("127.0.0.1:0").expect("binds");
                    own.set_nonblocking(true).expect("sets");
                    own
                });
                let _ = own.send_to(&frame, gateway);
                self.recorded.push(frame.clone());
                for turn in 0..4 {
                    let bytes = self.invent(&frame);
                    let from = if turn % 2 == 0 { &*own } else { &stranger };
                    let _ = from.send_to(&bytes, gateway);
                }
            }
            for (node, own) in &nodes {
                while let Ok(size) = own.recv(&mut buffer) {
                    idle = false;
                    let frame = buffer[..size].to_vec();
                    let _ = inside.send_to(&frame, node);
                    self.recorded.push(frame.clone());
                    for _ in 0..4 {
                        let bytes = self.invent(&frame);
                        let _ = inside.send_to(&bytes, node);
                    }
                }
            }
            if idle {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
    }
}

#[test]
fn ten_thousand_false_packets_change_nothing() {
    const NODES: usize = 20;
    const READINGS: usize = 80;
    const FALSE_PACKETS: u64 = 10_000;
    let site = Site::new();
    fleet(&site, NODES, "chachapoly-blake2s");
    let gateway: Gateway = site.gateway(&[]);
    let inside = UdpSocket::bind("127.0.0.1:0").expect("binds");
    inside.set_nonblocking(true).expect("sets");
    let door = inside.local_addr().expect("bound");
    let sent = Arc::new(AtomicU64::new(0));
    let attacker = Attacker {
        numbers: Numbers(7),
        recorded: Vec::new(),
        sent: sent.clone(),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let (until, to) = (stop.clone(), gateway.address);
    let thread = std::thread::spawn(move || attacker.work(&inside, to, &until));
    let nodes = run(&site, door, &["--readings", "80", "--every", "100ms"]);
    stop.store(true, Relaxed);
    thread.join().expect("no panic");
    let invented = sent.load(Relaxed);
    assert!(invented >= FALSE_PACKETS, "only {invented}");
    assert_eq!(nodes.count("joined"), NODES, "{}", nodes.summary);
    assert!(nodes.count("acknowledged") > 0, "{}", nodes.summary);

    // Every accepted packet was sent by a node, once. The gateway still works.
    let after = run(&site, gateway.address, &["--readings", "1"]);
    assert_eq!(after.count("acknowledged"), NODES, "{}", after.summary);
    let (code, lines, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    let first = lines.len() - NODES;
    let arrived = check(&lines[..first], NODES, READINGS);
    assert_eq!(check(&lines[first..], NODES, 1), NODES);
    assert!(
        arrived >= nodes.count("acknowledged"),
        "{arrived} {}",
        nodes.summary
    );
    assert!(
        arrived <= nodes.count("sent"),
        "{arrived} {}",
        nodes.summary
    );
}
