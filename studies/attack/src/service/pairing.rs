//! Attacks on the pairing of a node with a running gateway: a crowd and a flood in its pairing
//! window, and a gateway that answers before the genuine one.

use std::net::UdpSocket;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selo_gateway::device_file;
use selo_link::frame::{Frame, PairCommit, PairReveal};
use selo_link::pair::{Compared, GatewayPairing, NodePairing};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Suite};
use selo_nodes::node::{VirtualNode, has_key, system_entropy};
use selo_nodes::records::Record;
use selo_sys::node::Event;
use serde_json::Value;

use super::Result;
use super::case::{Case, Findings, Service, setup};
use super::gateway::{READINGS, gateway};
use super::honest::{self, Nodes};
use super::packets::{Background, Flood, random};
use super::program::Program;
use super::site::Site;
use super::wire::{HONEST, PATIENCE, stranger};

/// The attacks.
pub const CASES: [Case; 3] = [
    Case::new(
        Service::Gateway,
        "pairing-crowd",
        "12 commitments of invented nodes in the open pairing window",
        pairing_crowd,
    ),
    Case::new(
        Service::Gateway,
        "pairing-flood",
        "a flood of the open pairing window, from one address and then from 200",
        pairing_flood,
    ),
    Case::new(
        Service::Gateway,
        "rogue-gateway",
        "a gateway that answers a pairing node before the genuine one",
        rogue_gateway,
    ),
];

/// Ports of the stranger who floods the window.
const PORTS: usize = 8;
/// Time that the stranger waits for a PAIR-KEY.
const ANSWER: Duration = Duration::from_millis(200);
/// Addresses of a flood.
const ADDRESSES: usize = 200;
/// Readings of the paired node.
const PAIRED_READINGS: u64 = 5;
/// Time within which a node would report that it is paired if the rogue's result sufficed.
const OWNING: Duration = Duration::from_secs(2);

/// The operator at the gateway.
struct Desk {
    window: Program,
}

impl Desk {
    /// Opens the pairing window.
    fn open(site: &Site) -> Result<Desk> {
        let window = site.command(&["device", "pair", "--name", "garden"]);
        let mut window = Program::start(window, site.path(), "window")?;
        window.wait_log("Start pairing")?;
        Ok(Desk { window })
    }

    /// Types the digits that a node shows. Returns true if the gateway accepts them.
    fn takes(&mut self, digits: &str) -> Result<bool> {
        let refused = self.window.log().matches("refuses").count();
        self.window.type_line(digits)?;
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            let log = self.window.log();
            if log.contains("The digits are right") {
                return Ok(true);
            }
            if log.matches("refuses").count() > refused || self.window.has_ended() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(false)
    }
}

/// A node that pairs with the gateway on a port, then sends readings.
fn pairing_node(site: &Site, port: u16, name: &str) -> Result<Program> {
    let (to, each) = (format!("127.0.0.1:{port}"), PAIRED_READINGS.to_string());
    let words = [
        "node",
        "--to",
        &to,
        "--pair",
        "--state",
        "new",
        "--every",
        "100ms",
        "--readings",
        &each,
        "--confirmed",
        "--for",
        "60s",
        "--json",
    ];
    Program::start(site.command(&words), site.path(), name)
}

/// Waits for the node to show digits. Returns true if it does.
fn shows_digits(node: &mut Program) -> bool {
    let since = Instant::now();
    while !node.log().contains("Digits here") && since.elapsed() < 3 * PATIENCE && !node.has_ended()
    {
        std::thread::sleep(Duration::from_millis(50));
    }
    node.log().contains("Digits here")
}

/// The digits that a node shows.
fn digits(node: &mut Program) -> Result<String> {
    if !shows_digits(node) {
        return setup(format!("the node shows no digits: {}", node.log()));
    }
    let log = node.log();
    let shown = log.split("Digits here:").nth(1).unwrap_or_default();
    let digits = shown.chars().filter(char::is_ascii_digit);
    Ok(digits.take(6).collect())
}

/// Checks that the node confirmed by its operator is paired, and that its readings arrive.
fn check_paired(mut node: Program, findings: &mut Findings) -> Result<()> {
    if !node.ended_within(6 * PATIENCE) {
        return setup("the paired node did not end".into());
    }
    let summary: Value = serde_json::from_str(node.output().trim()).unwrap_or_default();
    let acknowledged = summary["acknowledged"].as_u64().unwrap_or(0);
    findings.note(format!(
        "the honest node {}, {acknowledged} of {PAIRED_READINGS} readings",
        if node.log().contains("Paired.") {
            "is paired"
        } else {
            "is not paired"
        },
    ));
    findings.figure("readings of the paired node", acknowledged as f64);
    findings.expect(
        acknowledged == PAIRED_READINGS,
        "the honest node was not paired with its gateway",
    );
    Ok(())
}

fn pairing_crowd(selo: &Path) -> Result<Findings> {
    let site = Site::with(selo, &[Service::Gateway])?;
    let mut findings = Findings::default();
    let mut desk = Desk::open(&site)?;
    // In an earlier version, six packets closed the window, and the first one blocked the others
    // for a minute.
    for number in 0..12 {
        let socket = UdpSocket::bind((stranger(number % 4), 0))?;
        socket.send_to(&invented_commit(), (HONEST, site.udp_port()))?;
    }
    let since = Instant::now();
    let mut node = pairing_node(&site, site.udp_port(), "node")?;
    let compares = shows_digits(&mut node);
    findings.note(format!(
        "the honest node {} digits after {:.1} s",
        if compares { "showed" } else { "never showed" },
        since.elapsed().as_secs_f64()
    ));
    findings.expect(compares, "the honest node was kept out of the window");
    findings.expect(!desk.window.has_ended(), "the window was closed");
    Ok(honest::finish(site, Vec::new(), findings))
}

/// The commitment of a node that does not exist.
fn invented_commit() -> [u8; PairCommit::BYTES] {
    let id = DeviceId(u32::from_le_bytes(random()));
    PairCommit::encode(id, Suite::ChaChaPolyBlake2s, &random())
}

/// Starts pairings from one address, and continues each until only its digits are missing.
/// Returns the number that the gateway let continue.
fn pair_in_earnest(gateway: u16) -> Result<usize> {
    let mut begun = 0;
    for _ in 0..PORTS {
        let socket = UdpSocket::bind((stranger(0), 0))?;
        socket.set_read_timeout(Some(ANSWER))?;
        let id = DeviceId(u32::from_le_bytes(random()));
        let secret = EphemeralSecret::random()?;
        let (pairing, commit) = NodePairing::start(Suite::ChaChaPolyBlake2s, id, secret, random());
        socket.send_to(&commit, (HONEST, gateway))?;
        let mut packet = [0; 2048];
        // No answer: the commitment is waiting.
        let Ok(length) = socket.recv(&mut packet) else {
            continue;
        };
        if let Ok(Frame::PairKey(key)) = Frame::parse(&packet[..length])
            && let Ok((_, reveal)) = pairing.key(&key)
        {
            socket.send_to(&reveal, (HONEST, gateway))?;
            begun += 1;
        }
    }
    Ok(begun)
}

fn pairing_flood(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let mut desk = Desk::open(&site)?;
    // One address gets at most four attempts; the others are left for other addresses. They last
    // for two minutes, because nobody types their digits.
    let earnest = pair_in_earnest(site.udp_port())?;
    if earnest == 0 {
        return setup("no attempt got a PAIR-KEY".into());
    }
    findings.figure("attempts of the stranger's address", earnest as f64);
    let ports = std::iter::repeat_n(stranger(0), PORTS);
    let first = Flood::start(site.udp_port(), ports, |_| invented_commit().to_vec())?;
    let mut node = pairing_node(&site, site.udp_port(), "node")?;
    let compares = shows_digits(&mut node);
    findings.expect(compares, "the honest node was kept out of the window");
    if !compares {
        return Ok(honest::finish(site, Vec::new(), findings));
    }
    // The node's id is sent unencrypted, so strangers pair in its name too.
    let log = node.log();
    let id = log.split_whitespace().nth(1).unwrap_or_default();
    let Ok(id) = u32::from_str_radix(id, 16).map(DeviceId) else {
        return setup(format!("the node did not log its id: {log}"));
    };
    let all = Flood::start(
        site.udp_port(),
        (0..ADDRESSES).map(stranger),
        move |number| match number % 3 {
            0 => invented_commit().to_vec(),
            1 => PairCommit::encode(id, Suite::ChaChaPolyBlake2s, &random()).to_vec(),
            _ => PairReveal::encode(id, &random(), &random()).to_vec(),
        },
    )?;
    Nodes::start(&site, site.udp_port(), READINGS)?.finish(&mut findings)?;
    let right = desk.takes(&digits(&mut node)?)?;
    node.type_line(if right { "yes" } else { "r" })?;
    findings.expect(right, "the gateway dropped the honest node's attempt");
    check_paired(node, &mut findings)?;
    let sent = first.sent() + all.sent();
    findings.note(format!("{sent} hostile packets"));
    findings.figure("hostile packets", sent as f64);
    drop((first, all));
    check_devices(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// Only honest nodes may be devices: those that were registered, and the one that was paired.
fn check_devices(site: &mut Site, findings: &mut Findings) -> Result<()> {
    let listed = site.ok(&["device", "list", "--json"])?;
    let devices = listed.lines().count() as u64;
    findings.figure("devices", devices as f64);
    findings.expect(
        devices == honest::NODES + 1,
        format!("{devices} devices, of {}", honest::NODES + 1),
    );
    Ok(())
}

/// Results of the rogue.
#[derive(Default)]
struct Deeds {
    pairing: Option<GatewayPairing>,
    compared: Option<Compared>,
    /// PAIR-RESULTs of its own that it has sent.
    results: u64,
}

/// A rogue gateway on the path to the genuine one. It answers at once with its own key and its
/// own confirmation, and forwards everything late.
struct Rogue {
    port: u16,
    deeds: Arc<Mutex<Deeds>>,
    _background: Background,
}

impl Rogue {
    fn start(gateway: u16) -> Result<Rogue> {
        let front = UdpSocket::bind((HONEST, 0))?;
        front.set_read_timeout(Some(Duration::from_millis(10)))?;
        let port = front.local_addr()?.port();
        let back = UdpSocket::bind((HONEST, 0))?;
        back.connect((HONEST, gateway))?;
        back.set_nonblocking(true)?;
        let deeds = Arc::new(Mutex::new(Deeds::default()));
        let mine = Arc::clone(&deeds);
        let mut background = Background::default();
        let (mut packet, mut node) = ([0; 2048], None);
        background.repeat(move || {
            if let Ok((length, from)) = front.recv_from(&mut packet) {
                node = Some(from);
                let answer = look(&mine).answer(&packet[..length]);
                if let Some(own) = answer {
                    let _ = front.send_to(&own, from);
                }
                let _ = back.send(&packet[..length]);
            }
            while let (Ok(length), Some(node)) = (back.recv(&mut packet), node) {
                let _ = front.send_to(&packet[..length], node);
            }
        });
        Ok(Rogue {
            port,
            deeds,
            _background: background,
        })
    }
}

fn look(deeds: &Mutex<Deeds>) -> MutexGuard<'_, Deeds> {
    deeds.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Deeds {
    /// Its PAIR-RESULTs, the digits of its pairing, and the key.
    fn found_out(&self) -> (u64, Option<String>, Vec<DeviceKey>) {
        let compared = self.compared.as_ref();
        let key = compared.map(|compared| compared.device_key().clone());
        (
            self.results,
            compared.map(|compared| compared.digits().to_string()),
            key.into_iter().collect(),
        )
    }

    /// The rogue's packet to the node in answer to this one.
    fn answer(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        match Frame::parse(frame).ok()? {
            Frame::PairCommit(commit) => {
                let same = |pairing: &GatewayPairing| pairing.commit() == commit.bytes;
                if !self.pairing.as_ref().is_some_and(same) {
                    let secret = EphemeralSecret::random().ok()?;
                    self.pairing = Some(GatewayPairing::start(&commit, secret).0);
                }
                Some(self.pairing.as_ref()?.key().to_vec())
            }
            Frame::PairReveal(reveal) => {
                self.compared = self.pairing.as_ref()?.reveal(&reveal).ok();
                self.results += 1;
                Some(self.compared.as_ref()?.result(true).to_vec())
            }
            _ => None,
        }
    }
}

/// A node in a person's hand: it pairs and confirms only when its buttons are pressed.
struct HeldNode {
    node: VirtualNode,
    socket: UdpSocket,
    start: Instant,
    events: Vec<Event>,
    record: Option<Record>,
}

impl HeldNode {
    fn start() -> Result<HeldNode> {
        let suite = selo_sys::node::Suite::ChaChaPolyBlake2s;
        let socket = UdpSocket::bind((HONEST, 0))?;
        socket.set_read_timeout(Some(Duration::from_millis(10)))?;
        Ok(HeldNode {
            node: VirtualNode::start(suite, None, system_entropy())?,
            socket,
            start: Instant::now(),
            events: Vec::new(),
            record: None,
        })
    }

    /// One iteration of a node that sends to a port.
    fn turn(&mut self, port: u16) -> Result<()> {
        self.keep();
        for frame in self.node.take_sent() {
            self.socket.send_to(&frame, (HONEST, port))?;
        }
        let mut packet = [0; 2048];
        if let Ok(length) = self.socket.recv(&mut packet) {
            self.node.receive(&packet[..length]);
        }
        let (now, events) = (self.start.elapsed().as_millis() as u32, &mut self.events);
        self.node.turn(now, |_, event| events.push(event));
        self.keep();
        Ok(())
    }

    /// Stores the node's state before its next packet leaves.
    fn keep(&mut self) {
        self.record = self.node.take_stored().or(self.record);
    }

    /// Iterates until a value is available.
    fn until<T>(
        &mut self,
        port: u16,
        what: &str,
        found: impl Fn(&mut HeldNode) -> Option<T>,
    ) -> Result<T> {
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            self.turn(port)?;
            if let Some(found) = found(self) {
                return Ok(found);
            }
        }
        setup(format!("the node did not {what}"))
    }

    /// The person presses the button once. Returns the digits that the node then shows.
    fn press(&mut self, port: u16) -> Result<String> {
        self.events.clear();
        self.node.node().pair()?;
        let digits = self.until(port, "show digits", |held| {
            held.events.iter().find_map(|event| match event {
                Event::Digits(digits) => Some(format!("{digits:06}")),
                _ => None,
            })
        })?;
        // The gateway accepts the digits once it has the node's last frame.
        self.turn(port)?;
        Ok(digits)
    }

    /// Occurrences of an event since the button was pressed.
    fn count(&self, event: &Event) -> u64 {
        self.events.iter().filter(|other| *other == event).count() as u64
    }

    /// Returns true if it has stored one of these keys.
    fn has_one_of(&self, keys: &[DeviceKey]) -> bool {
        let has = |record| keys.iter().any(|key| has_key(record, key.expose()));
        self.record.as_ref().is_some_and(has)
    }
}

fn rogue_gateway(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let mut desk = Desk::open(&site)?;
    let (genuine, rogue) = (site.udp_port(), Rogue::start(site.udp_port())?);
    let mut held = HeldNode::start()?;
    let shown = held.press(rogue.port)?;
    let said = |_: &mut HeldNode| (look(&rogue.deeds).results > 0).then_some(());
    held.until(rogue.port, "reveal its key to the rogue", said)?;
    // Nobody presses a button now, and the node receives the rogue's result.
    Nodes::start(&site, genuine, READINGS)?.finish(&mut findings)?;
    let since = Instant::now();
    while since.elapsed() < OWNING {
        held.turn(rogue.port)?;
    }
    let owned = held.count(&Event::Paired) > 0;
    findings.expect(
        !owned,
        "one button press paired the node with the rogue gateway",
    );
    let (results, heard, key) = look(&rogue.deeds).found_out();
    if heard.is_none_or(|digits| digits != shown) {
        return setup("the node did not hear the rogue gateway first".into());
    }
    // The person types the node's digits at the genuine gateway, without a long press on the
    // node.
    let taken = desk.takes(&shown)?;
    findings.expect(!taken, "the genuine gateway accepts the rogue's digits");
    let _ = held.node.node().confirm(taken);
    held.turn(rogue.port)?;
    let stored = held.has_one_of(&key);
    findings.expect(!stored, "the node stored the rogue gateway's key");
    findings.note(format!(
        "the rogue sent {results} confirmations: its digits were {}, its key was {}stored",
        if taken { "accepted" } else { "refused" },
        if stored { "" } else { "not " },
    ));
    findings.figure("PAIR-RESULTs of the rogue", results as f64);
    findings.figure("keys stored", f64::from(u8::from(stored)));
    if owned || taken {
        return Ok(honest::finish(site, Vec::new(), findings));
    }
    pair_without_rogue(&site, &mut desk, &mut held, &mut findings)?;
    check_devices(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// Without the rogue, the same node pairs in the same window, and sends readings.
fn pair_without_rogue(
    site: &Site,
    desk: &mut Desk,
    held: &mut HeldNode,
    findings: &mut Findings,
) -> Result<()> {
    let genuine = site.udp_port();
    let shown = held.press(genuine)?;
    let right = desk.takes(&shown)?;
    findings.expect(right, "the genuine gateway refuses the genuine digits");
    held.node.node().confirm(right)?;
    let is_paired = |held: &mut HeldNode| (held.count(&Event::Paired) > 0).then_some(());
    held.until(genuine, "become paired", is_paired)?;
    let has_genuine = held.has_one_of(&device_keys(site)?);
    findings.expect(has_genuine, "the node did not store the genuine key");
    held.node.node().join()?;
    let has_joined = |held: &mut HeldNode| (held.count(&Event::Joined) > 0).then_some(());
    held.until(genuine, "join", has_joined)?;
    for number in 1..=PAIRED_READINGS {
        held.node.node().send(b"rain 87.5 mm/h  ", true)?;
        held.until(genuine, "have its reading acknowledged", |held| {
            (held.count(&Event::Delivered) >= number).then_some(())
        })?;
    }
    let delivered = held.count(&Event::Delivered);
    findings.note(format!(
        "then paired with the genuine one, {delivered} of {PAIRED_READINGS} readings"
    ));
    findings.figure("readings of the paired node", delivered as f64);
    Ok(())
}

/// The keys of all devices.
fn device_keys(site: &Site) -> Result<Vec<DeviceKey>> {
    let name = "devices.json";
    site.ok(&["device", "export", name, "--with-keys"])?;
    let file = std::fs::File::open(site.path().join(name))?;
    match device_file::read(file, device_file::Format::Json, name) {
        Ok(records) => Ok(records.into_iter().map(|record| record.key).collect()),
        Err(error) => setup(error.to_string()),
    }
}
