//! `selo node` and `selo gateway` from end to end: two commands with UDP between them, under the
//! conditions of the field: bad networks, a killed gateway, and thousands of unsolicited packets.

use std::collections::{HashMap, HashSet};
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use crate::gateway_support::{Answer, Gateway, Running, Site, compare_digits, digits};
use serde_json::Value;

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

/// Makes nodes with keys in the state directory `nodes`, and registers them at the gateway.
fn fleet(site: &Site, count: usize, suite: &str) {
    let count = count.to_string();
    site.ok(&[
        "node",
        "--make-registry",
        "nodes.csv",
        "--count",
        &count,
        "--state",
        "nodes",
        "--suite",
        suite,
    ]);
    site.ok(&["device", "import", "nodes.csv"]);
}

/// The summary of `selo node`, checked for consistency.
struct Nodes {
    summary: Value,
}

impl Nodes {
    fn of(answer: &Answer) -> Nodes {
        assert!(matches!(answer.code, Some(0 | 1)), "{answer:?}");
        let nodes = Nodes {
            summary: parse(&answer.stdout),
        };
        assert_eq!(nodes.summary["schema"], "selo.nodes/1");
        let (sent, lost) = (nodes.count("sent"), nodes.count("lost"));
        assert_eq!(nodes.count("acknowledged") + lost, sent, "{answer:?}");
        let whole = nodes.count("joined") == nodes.count("nodes") && lost == 0;
        assert_eq!(answer.code == Some(0), whole, "{answer:?}");
        nodes
    }

    fn count(&self, what: &str) -> usize {
        let value = self.summary[what].as_u64();
        let value = value.unwrap_or_else(|| panic!("no {what} in {}", self.summary));
        value as usize
    }

    /// How many times the simulated network did this.
    fn network(&self, what: &str) -> u64 {
        self.summary["network"][what].as_u64().expect("a number")
    }
}

/// Runs confirmed nodes until they end.
fn run(site: &Site, to: SocketAddr, more: &[&str]) -> Nodes {
    Nodes::of(&site.selo(&arguments(&to.to_string(), more)))
}

fn arguments<'a>(to: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![
        "node",
        "--to",
        to,
        "--state",
        "nodes",
        "--confirmed",
        "--json",
    ];
    arguments.extend(more);
    arguments
}

/// Checks the lines of the gateway and returns the number of different readings. Every line is a
/// reading in the form that nodes produce. No packet appears twice, unless the gateway marks the
/// line as redelivered. No device has more readings than it made; a reading accepted again in
/// another packet would be one too many.
fn check(lines: &[String], nodes: usize, readings: usize) -> usize {
    let (mut packets, mut made) = (HashSet::new(), HashMap::new());
    for line in lines.iter().map(|line| parse(line)) {
        let device = line["device"].as_str().expect("a device").to_owned();
        let session = line["session"].as_str().expect("a session").to_owned();
        let counter = line["counter"].as_u64().expect("a counter");
        let payload = hex::decode(line["payload"].as_str().expect("text")).expect("hex");
        assert_eq!(payload.len(), 16, "{line}");
        let millivolts = u16::from_le_bytes([payload[12], payload[13]]);
        assert!((3000..4300).contains(&millivolts), "{line}");
        assert_eq!(line["authenticated"], true);
        let new = packets.insert((device.clone(), session, counter));
        assert!(new || line["redelivered"] == true, "accepted twice: {line}");
        let of_device = made.entry(device).or_insert(0);
        *of_device += usize::from(new);
        assert!(*of_device <= readings, "delivered twice: {line}");
    }
    assert!(made.len() <= nodes);
    packets.len()
}

#[test]
fn over_a_bad_network_every_confirmed_reading_arrives_once() {
    const NODES: usize = 50;
    const READINGS: usize = 4;
    let site = Site::new();
    fleet(&site, NODES, "aesgcm-sha3-256");
    let gateway = site.gateway(&[]);
    let nodes = run(
        &site,
        gateway.address,
        &[
            "--readings",
            "4",
            "--every",
            "100ms",
            "--loss",
            "8%",
            "--delay",
            "0ms..50ms",
            "--reorder",
            "10%",
            "--duplicate",
            "20%",
            "--corrupt",
            "4%",
            "--truncate",
            "4%",
        ],
    );
    for what in ["lost", "doubled", "overtaken", "altered", "cut"] {
        assert!(nodes.network(what) > 0, "{}", nodes.summary);
    }
    assert_eq!(nodes.count("joined"), NODES, "{}", nodes.summary);
    assert_eq!(nodes.count("sent"), NODES * READINGS, "{}", nodes.summary);
    let (code, lines, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    let arrived = check(&lines, NODES, READINGS);
    assert_eq!(arrived, lines.len(), "nothing was redelivered");
    // A reading that the node gave up may have arrived, if only its acknowledgements were lost.
    assert!(arrived >= nodes.count("acknowledged"), "{}", nodes.summary);
    assert!(arrived <= nodes.count("sent"), "{}", nodes.summary);
}

#[test]
fn nodes_that_come_back_are_those_of_before() {
    const NODES: usize = 20;
    let site = Site::new();
    fleet(&site, NODES, "ascon");
    let gateway = site.gateway(&[]);
    for _ in 0..2 {
        let nodes = run(
            &site,
            gateway.address,
            &["--readings", "2", "--every", "20ms"],
        );
        assert_eq!(nodes.count("acknowledged"), 2 * NODES, "{}", nodes.summary);
    }
    let (code, lines, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    let sessions: HashSet<_> = lines
        .iter()
        .map(|line| {
            (
                parse(line)["device"].clone(),
                parse(line)["session"].clone(),
            )
        })
        .collect();
    assert_eq!((lines.len(), sessions.len()), (4 * NODES, 2 * NODES));
    let listed = site.ok(&["device", "list", "--json"]);
    for line in listed.lines().map(parse) {
        // A start reserves 16 counters, so the second start begins with the next 16.
        assert_eq!(line["join_counter"], 17, "{line}");
    }
}

#[test]
fn two_people_pair_a_node_by_its_digits() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let to = gateway.address.to_string();
    let node = arguments(&to, &["--pair", "--readings", "2", "--every", "20ms"]);

    // One of the two people misreads the digits.
    let mut there = Running::start(&site, &["device", "pair", "--name", "garden"]);
    there.err.wait("Start pairing on the node");
    let mut here = Running::start(&site, &node);
    let shown = digits(&here.err.wait("Digits here:"));
    there.err.wait("shows its digits");
    let other = format!(
        "{:06}",
        (shown.parse::<u32>().expect("six") + 1) % 1_000_000
    );
    there.type_line("12");
    there.err.wait("Type six digits, or r.");
    there.type_line(&other);
    there.err.wait("do not confirm on the node");
    here.type_line(&other);
    here.err.wait("Type yes or r.");
    here.type_line("r");
    let (code, out, err) = here.wait();
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("nothing was stored"), "{err}");
    there.type_line("r");

    // The window is still open, and this time they read correctly.
    there.err.wait("rejected");
    let mut here = Running::start(&site, &node);
    compare_digits(&mut here, &mut there);
    let (code, id, err) = there.wait();
    assert_eq!(code, Some(0), "{err}");
    let (code, out, err) = here.wait();
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(parse(&out)["acknowledged"], 2);
    for _ in 0..2 {
        let line = gateway.readings.next_json();
        assert_eq!(
            (&line["name"], &line["device"]),
            (&"garden".into(), &id.trim().into())
        );
    }
    // The node is now paired.
    let nodes = run(&site, gateway.address, &["--readings", "1"]);
    assert_eq!(nodes.count("acknowledged"), 1);
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn a_node_whose_digits_nobody_compares_is_not_paired() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let mut there = Running::start(&site, &["device", "pair"]);
    there.err.wait("Start pairing on the node");
    let to = gateway.address.to_string();
    let answer = site.selo(&["node", "--to", &to, "--state", "nodes", "--pair"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(
        answer.stderr.contains("standard input is closed"),
        "{answer:?}"
    );
    there.type_line("r");
    there.kill();
    assert_eq!(site.ok(&["device", "list", "--json"]), "");
    assert_eq!(gateway.stop().0, Some(0));
}

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

#[test]
fn wrong_use_says_what_to_do() {
    let site = Site::new();
    let says = |arguments: &[&str], code, what: &str| {
        let answer = site.selo(arguments);
        assert_eq!(answer.code, Some(code), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(what), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains("hint:"), "{arguments:?}: {answer:?}");
        answer
    };
    says(&["node", "--to", "127.0.0.1"], 2, "node 0 has no key");
    says(
        &["node", "--to", "127.0.0.1:x"],
        2,
        "'x' is not a valid port",
    );
    says(
        &["node", "--to", "127.0.0.1:70000"],
        2,
        "'70000' is not a valid port",
    );
    says(
        &["node", "--to", "nowhere.invalid"],
        2,
        "the host is unknown",
    );
    says(
        &[
            "node",
            "--to",
            "127.0.0.1",
            "--state",
            "a",
            "--pair",
            "--count",
            "2",
        ],
        2,
        "one node",
    );
    site.file("empty.csv", b"");
    says(
        &["node", "--to", "127.0.0.1", "--registry", "empty.csv"],
        2,
        "no device",
    );

    site.ok(&["node", "--make-registry", "n.csv", "--state", "n"]);
    says(
        &["node", "--make-registry", "m.csv", "--state", "n"],
        2,
        "already contains nodes",
    );
    says(
        &["node", "--make-registry", "n.csv", "--state", "m"],
        2,
        "already exists",
    );
    let first = ["node", "--to", "127.0.0.1", "--state", "n"];
    says(
        &[&first[..], &["--suite", "ascon"]].concat(),
        2,
        "has suite chachapoly-blake2s",
    );
    site.ok(&["node", "--make-registry", "o.csv", "--state", "o"]);
    says(
        &[&first[..], &["--registry", "o.csv"]].concat(),
        2,
        "use another directory",
    );

    // Nothing listens there: the port was just released.
    let free = UdpSocket::bind("127.0.0.1:0").expect("binds").local_addr();
    let free = free.expect("bound").to_string();
    let answer = says(
        &["node", "--to", &free, "--state", "n", "--for", "1s"],
        1,
        "no program listens",
    );
    assert!(answer.stdout.contains("0 of 1 node joined"), "{answer:?}");

    // A file that is not a record stays unchanged.
    let records = site.path().join("n/records");
    std::fs::write(&records, "letters").expect("writes");
    says(&first, 2, "does not hold records");
    assert_eq!(std::fs::read(&records).expect("there"), b"letters");
    site.file("file", b"");
    says(
        &["node", "--to", "127.0.0.1", "--state", "file"],
        4,
        "cannot write",
    );
}

/// Follows docs/firmware/run-nodes.md: runs its `sh` blocks on a gateway with another port, and
/// looks for the lines of its `expect` blocks.
#[test]
fn the_page_can_be_followed() {
    let page =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/firmware/run-nodes.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let to = gateway.address.to_string();
    let (mut said, mut block) = (String::new(), None);
    let (mut performed, mut expected) = (0, 0);
    for line in page.lines() {
        match (line.strip_prefix("```"), block) {
            (Some(info), None) => block = Some(info),
            (Some(_), Some(_)) => block = None,
            (None, Some("sh")) => {
                let words = line.split_whitespace().map(|word| match word {
                    "127.0.0.1" => to.as_str(),
                    _ => word,
                });
                let answer = site.selo(&words.skip(1).collect::<Vec<_>>());
                // On a bad network a node may give up a reading, and reports it.
                assert!(matches!(answer.code, Some(0 | 1)), "{line}: {answer:?}");
                said += &answer.stdout;
                performed += 1;
            }
            (None, Some("expect")) => {
                assert!(said.contains(line), "{line:?} is not in:\n{said}");
                expected += 1;
            }
            _ => {}
        }
    }
    assert!(performed >= 4 && expected >= 3, "{performed} {expected}");
    assert_eq!(gateway.stop().0, Some(0));
}
