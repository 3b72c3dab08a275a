//! Radio heads through the real commands: a gateway, heads at other addresses, nodes that reach only
//! the heads.

mod forwarder;
mod hostile;
mod wrong;

use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use selo_sys::node::{Event, Suite};
use serde_json::Value;

use crate::flood::Beside;
use crate::gateway_support::{CNode, Gateway, Running, Site, pair_after_a_typing_error};

/// A gateway that takes heads, and the address that they connect to.
struct Taking {
    site: Site,
    gateway: Gateway,
    heads: SocketAddr,
}

impl Taking {
    /// With a device of the suite Ascon in its registry.
    fn with_gauge() -> (Taking, (u32, [u8; 32])) {
        let site = Site::new();
        let device = site.device(Suite::Ascon, "gauge");
        (Taking::of(site), device)
    }

    fn new() -> Taking {
        Taking::of(Site::new())
    }

    fn of(site: Site) -> Taking {
        let gateway = site.gateway(&["--heads", "127.0.0.1:0"]);
        let line: Value =
            serde_json::from_str(&gateway.log.said("heads may connect")).expect("JSON");
        let heads = line["address"]
            .as_str()
            .expect("an address")
            .parse()
            .expect("an address");
        Taking {
            site,
            gateway,
            heads,
        }
    }

    /// Adds a head, and writes its file.
    fn add(&self, name: &str) {
        let to = self.heads.to_string();
        let answer = self.site.ok(&["head", "add", name, "--to", &to]);
        assert!(
            answer.contains(&format!("head run {name}.head")),
            "{answer}"
        );
    }

    /// Starts a head with these carriers, and waits until the gateway has it.
    fn head(&self, name: &str, carriers: &[&str]) -> Running {
        let head = self.start(name, carriers);
        head.err.said("the gateway is connected");
        head
    }

    fn start(&self, name: &str, carriers: &[&str]) -> Running {
        let file = format!("{name}.head");
        let words = [&["head", "run", &file][..], carriers].concat();
        Running::start(&self.site, &words)
    }

    /// A head for nodes over UDP, and their address for it.
    fn udp_head(&self, name: &str) -> (Running, SocketAddr) {
        self.add(name);
        let head = self.head(name, &["--listen", "127.0.0.1:0"]);
        let address = listening(&head, "nodes ");
        (head, address)
    }

    /// What `selo head list` says of a head.
    fn listed(&self, name: &str) -> Value {
        let text = self.site.ok(&["head", "list", "--json"]);
        let lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        lines
            .into_iter()
            .find(|line| line["name"] == name)
            .expect("listed")
    }
}

fn listening(head: &Running, what: &str) -> SocketAddr {
    let line = head.err.said(what);
    let (_, address) = line.split_once(what).expect("said");
    address.trim().parse().expect("an address")
}

/// A node of the suite Ascon that has joined. It does not repeat itself faster than a real one: heads
/// tell repetitions from copies by their time.
fn gauge(at: SocketAddr, device: (u32, [u8; 32])) -> CNode {
    let mut node = CNode::new(Suite::Ascon, at, 1);
    node.node.provision(device.0, &device.1).expect("stores");
    node.join();
    node
}

#[test]
fn readings_messages_and_pairings_go_through_a_head() {
    let (taking, device) = Taking::with_gauge();
    let (head, address) = taking.udp_head("hill");
    let mut gauge = gauge(address, device);
    gauge.deliver(b"12 mm");
    let line = taking.gateway.readings.next_json();
    assert_eq!(
        (&line["name"], &line["source"]),
        (&"gauge".into(), &"head:1".into())
    );

    let send = Running::start(
        &taking.site,
        &["device", "send", "gauge", "0aff", "--confirmed"],
    );
    let heard = gauge.wait("a message", |event| matches!(event, Event::Received(_)));
    assert_eq!(heard, Event::Received(vec![0x0a, 0xff]));
    gauge.event_within(Duration::from_millis(50));
    let (code, out, err) = send.wait();
    assert_eq!(
        (code, out.trim()),
        (Some(0), "acknowledged, packet 1"),
        "{err}"
    );

    let mut operator = Running::start(&taking.site, &["device", "pair", "--name", "new"]);
    operator.err.wait("window");
    let mut new = CNode::new(Suite::ChaChaPolyBlake2s, address, 1);
    new.node.pair().expect("pairs");
    pair_after_a_typing_error(&mut operator, &mut new);
    new.join();
    new.deliver(b"0 mm");
    assert_eq!(taking.gateway.readings.next_json()["name"], "new");

    let listed = taking.listed("hill");
    let connection = &listed["connection"];
    assert_eq!(
        (&listed["number"], &connection["limited"]),
        (&1.into(), &0.into()),
        "{listed}"
    );
    assert_eq!(connection["heard"], connection["best"], "{listed}");
    assert!(connection["answers"].as_u64() >= Some(5), "{listed}");
    let table = taking.site.ok(&["head", "list"]);
    assert!(
        table.contains("hill") && table.contains("connected for"),
        "{table}"
    );

    head.interrupt();
    assert_eq!(head.wait().0, Some(0));
    assert_eq!(taking.gateway.stop().0, Some(0));
}

type Answer = (SocketAddr, Vec<u8>);

/// A node that several heads hear: a relay repeats its frames to all of them, counts what they
/// answer, and gives it to the node.
struct Air {
    address: SocketAddr,
    heard: Arc<AtomicU64>,
    /// The head and the frame of each answer.
    answers: Arc<Mutex<Vec<Answer>>>,
    _thread: Beside,
}

impl Air {
    fn new(heads: Vec<SocketAddr>) -> Air {
        let socket = |address: &str| {
            let socket = UdpSocket::bind(address).expect("binds");
            socket
                .set_read_timeout(Some(Duration::from_millis(1)))
                .expect("sets");
            socket
        };
        let (inside, outside) = (socket("127.0.0.1:0"), socket("127.0.0.1:0"));
        let address = inside.local_addr().expect("bound");
        let (heard, answers) = (
            Arc::new(AtomicU64::new(0)),
            Arc::new(Mutex::new(Vec::new())),
        );
        let (count, log) = (heard.clone(), answers.clone());
        let mut node = None;
        let mut buffer = [0; 300];
        let thread = Beside::start(move || {
            if let Ok((size, from)) = inside.recv_from(&mut buffer) {
                node = Some(from);
                count.fetch_add(1, Ordering::Relaxed);
                for head in &heads {
                    let _ = outside.send_to(&buffer[..size], head);
                }
            }
            if let Ok((size, from)) = outside.recv_from(&mut buffer) {
                log.lock()
                    .expect("whole")
                    .push((from, buffer[..size].to_vec()));
                if let Some(node) = node {
                    let _ = inside.send_to(&buffer[..size], node);
                }
            }
        });
        Air {
            address,
            heard,
            answers,
            _thread: thread,
        }
    }
}

#[test]
fn of_several_heads_that_hear_a_frame_one_answers() {
    let (taking, device) = Taking::with_gauge();
    let heads = ["east", "north", "west"].map(|name| taking.udp_head(name));
    let air = Air::new(heads.iter().map(|(_, address)| *address).collect());
    let mut gauge = gauge(air.address, device);
    for number in 0..10 {
        gauge.deliver(format!("{number} mm").as_bytes());
    }
    let sent = air.heard.load(Ordering::Relaxed);
    let answers = air.answers.lock().expect("whole").clone();
    // A join and ten readings, each acknowledged once, whoever heard it.
    assert_eq!(answers.len(), 11, "{sent} frames");
    let copies: u64 = ["east", "north", "west"]
        .iter()
        .map(|name| {
            taking.listed(name)["connection"]["heard"]
                .as_u64()
                .expect("a number")
        })
        .sum();
    assert_eq!(copies, 3 * sent);
    for _ in 0..10 {
        assert_eq!(taking.gateway.readings.next_json()["redelivered"], false);
    }

    // The node goes on when heads die, whichever they are.
    let [east, north, west] = heads;
    east.0.kill();
    west.0.kill();
    gauge.deliver(b"10 mm");
    drop(north);
    let again = taking.head("east", &["--listen", &east.1.to_string()]);
    gauge.deliver(b"11 mm");
    again.kill();
    assert_eq!(taking.gateway.stop().0, Some(0));
}

#[test]
fn a_gateway_that_restarts_or_is_restored_finds_its_heads_again() {
    let (taking, device) = Taking::with_gauge();
    let (head, address) = taking.udp_head("hill");
    let mut gauge = gauge(address, device);
    gauge.deliver(b"1 mm");
    let Taking {
        site,
        gateway,
        heads,
    } = taking;
    assert_eq!(gateway.stop().0, Some(0));
    head.err.said("not connected; will retry");
    let gateway = site.gateway(&["--heads", &heads.to_string()]);
    gauge.deliver(b"2 mm");
    let line = gateway.readings.next_json();
    assert_eq!(
        (&line["counter"], &line["source"]),
        (&1.into(), &"head:1".into())
    );
    site.ok(&["backup", "copy"]);
    assert_eq!(gateway.stop().0, Some(0));

    // Another machine in its place, with the backup: heads need no new files.
    site.ok(&["restore", "copy", "--state", "other"]);
    let heads = heads.to_string();
    let gateway = site.gateway(&["--state", "other", "--heads", &heads]);
    gateway.log.said("a head is connected");
    gauge.join();
    gauge.deliver(b"3 mm");
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn a_head_serves_several_gateways_each_with_its_own_nodes() {
    let ((first, device), second) = (Taking::with_gauge(), Taking::new());
    first.add("hill");
    let file = first.site.path().join("hill.head");
    let to = second.heads.to_string();
    let path = file.to_str().expect("a path");
    second
        .site
        .ok(&["head", "add", "hill", "--to", &to, "--output", path]);
    let head = first.start("hill", &["--listen", "127.0.0.1:0"]);
    first.gateway.log.said("a head is connected");
    second.gateway.log.said("a head is connected");
    let mut gauge = gauge(listening(&head, "nodes "), device);
    gauge.deliver(b"1 mm");
    assert_eq!(first.gateway.readings.next_json()["name"], "gauge");
    let (of_first, of_second) = (first.listed("hill"), second.listed("hill"));
    assert_eq!(
        of_first["connection"]["heard"],
        of_second["connection"]["heard"]
    );
    // One gateway dies: nodes of the other do not notice.
    second.gateway.kill();
    gauge.deliver(b"2 mm");
}
