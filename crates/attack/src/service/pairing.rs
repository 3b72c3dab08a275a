//! Attacks on the pairing of a node with a running gateway: a crowd and a flood in its window, and
//! a gateway that answers before the genuine one.

use std::net::UdpSocket;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selo_gateway::exchange;
use selo_link::frame::{Frame, PairCommit, PairReveal};
use selo_link::pair::{Compared, GatewayPairing};
use selo_link::{DeviceId, EphemeralSecret, Suite};
use serde_json::Value;

use super::case::{Findings, Service};
use super::gateway::{READINGS, gateway};
use super::honest::{self, Nodes};
use super::packets::{Background, Flood, random};
use super::program::Program;
use super::sessions::found_in;
use super::site::Site;
use super::wire::{HONEST, PATIENCE, stranger};
use super::{Case, Result, setup};

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
/// Addresses of a flood.
const ADDRESSES: usize = 200;
/// Readings of the paired node.
const PAIRED_READINGS: u64 = 5;
/// Time in which a node would say that it is paired if the rogue's word were enough.
const OWNING: Duration = Duration::from_secs(2);

/// The operator at the gateway, and the person at the node.
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

    /// Types the digits that the node shows. Only if the gateway says that they are right, the
    /// node's button is pressed long; says whether it was.
    fn compare(&mut self, node: &mut Program) -> Result<bool> {
        let digits = digits(node)?;
        let refused = self.window.log().matches("refuses").count();
        self.window.type_line(&digits)?;
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            let log = self.window.log();
            if log.contains("The digits are right") {
                node.type_line("yes")?;
                return Ok(true);
            }
            if log.matches("refuses").count() > refused || self.window.has_ended() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        node.type_line("r")?;
        Ok(false)
    }
}

/// A node that pairs with what listens on a port; then it sends readings.
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

/// Waits for the node to show digits; says whether it does.
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

/// The node that the person has confirmed is paired, and its readings arrive.
fn check_paired(mut node: Program, findings: &mut Findings) -> Result<()> {
    if !node.ended_within(6 * PATIENCE) {
        return setup("the paired node does not end".into());
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
        "the honest node is not paired with its gateway",
    );
    Ok(())
}

fn pairing_crowd(selo: &Path) -> Result<Findings> {
    let site = Site::with(selo, &[Service::Gateway])?;
    let mut findings = Findings::default();
    let mut desk = Desk::open(&site)?;
    // Six packets closed the window once, and the first kept the others out for a minute.
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
    findings.expect(compares, "the honest node is kept out of the window");
    findings.expect(!desk.window.has_ended(), "the window is closed");
    Ok(honest::finish(site, Vec::new(), findings))
}

/// The commitment of a node that does not exist.
fn invented_commit() -> [u8; PairCommit::BYTES] {
    let id = DeviceId(u32::from_le_bytes(random()));
    PairCommit::encode(id, Suite::ChaChaPolyBlake2s, &random())
}

fn pairing_flood(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let mut desk = Desk::open(&site)?;
    // One address has four attempts, and no more: the others are for others.
    let ports = std::iter::repeat_n(stranger(0), PORTS);
    let first = Flood::start(site.udp_port(), ports, |_| invented_commit().to_vec())?;
    let mut node = pairing_node(&site, site.udp_port(), "node")?;
    let compares = shows_digits(&mut node);
    findings.expect(compares, "the honest node is kept out of the window");
    // Its id is in the clear: strangers pair in its name, too.
    let log = node.log();
    let id = log.split_whitespace().nth(1).unwrap_or_default();
    let Ok(id) = u32::from_str_radix(id, 16).map(DeviceId) else {
        return setup(format!("the node does not say its id: {log}"));
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
    let right = desk.compare(&mut node)?;
    findings.expect(right, "the gateway has given the honest node's attempt up");
    check_paired(node, &mut findings)?;
    let sent = first.sent() + all.sent();
    findings.note(format!("{sent} hostile packets"));
    findings.figure("hostile packets", sent as f64);
    drop((first, all));
    check_devices(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// Only the honest nodes are devices: those that were registered, and the one that was paired.
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

/// What the rogue has come to.
#[derive(Default)]
struct Deeds {
    pairing: Option<GatewayPairing>,
    compared: Option<Compared>,
    /// PAIR-KEYs and PAIR-RESULTs of its own that it has sent.
    keys: u64,
    results: u64,
}

/// A gateway on the way to the genuine one: it answers at once with its own key and its own word
/// that everything is confirmed, and hands everything on late.
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
    /// Its PAIR-KEYs and PAIR-RESULTs, the digits of its pairing, and the key.
    fn found_out(&self) -> (u64, u64, Option<String>, Vec<Vec<u8>>) {
        let compared = self.compared.as_ref();
        let key = compared.map(|compared| compared.device_key().expose().to_vec());
        (
            self.keys,
            self.results,
            compared.map(|compared| compared.digits().to_string()),
            key.into_iter().collect(),
        )
    }

    /// What the rogue sends to the node for this packet.
    fn answer(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        match Frame::parse(frame).ok()? {
            Frame::PairCommit(commit) => {
                let same = |pairing: &GatewayPairing| pairing.commit() == commit.bytes;
                if !self.pairing.as_ref().is_some_and(same) {
                    let secret = EphemeralSecret::random().ok()?;
                    self.pairing = Some(GatewayPairing::start(&commit, secret).0);
                }
                self.keys += 1;
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

fn rogue_gateway(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let mut desk = Desk::open(&site)?;
    let rogue = Rogue::start(site.udp_port())?;
    // One press of the node's button.
    let mut node = pairing_node(&site, rogue.port, "first-node")?;
    let shown = digits(&mut node)?;
    let since = Instant::now();
    while look(&rogue.deeds).results == 0 && since.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(10));
    }
    Nodes::start(&site, site.udp_port(), READINGS)?.finish(&mut findings)?;
    std::thread::sleep(OWNING);
    let owned = node.log().contains("Paired.") || node.has_ended();
    findings.expect(!owned, "one press has given the node to the rogue gateway");
    let (keys, results, heard, key) = look(&rogue.deeds).found_out();
    if keys == 0 || results == 0 || heard.is_none_or(|digits| digits != shown) {
        return setup("the rogue gateway is not the one that the node hears first".into());
    }
    // The person types the node's digits at the genuine gateway, which knows them not.
    let accepted = !owned && desk.compare(&mut node)?;
    findings.expect(!accepted, "the genuine gateway takes the rogue's digits");
    if !node.ended_within(PATIENCE) {
        return setup("the node goes on after the person's no".into());
    }
    let record = site.path().join("new");
    let stored = found_in(&record, &key)?;
    findings.expect(stored == 0, "the node has stored the rogue gateway's key");
    findings.note(format!(
        "the rogue's words that all is confirmed: {results}; its digits were {}; its keys that the \
         node stored: {stored}",
        if accepted { "accepted" } else { "refused" },
    ));
    findings.figure("PAIR-KEYs of the rogue", keys as f64);
    findings.figure("PAIR-RESULTs of the rogue", results as f64);
    findings.figure("keys stored", stored as f64);
    drop(rogue);
    // Without the rogue the same node pairs in the same window.
    let mut node = pairing_node(&site, site.udp_port(), "node")?;
    let right = desk.compare(&mut node)?;
    findings.expect(right, "the genuine gateway refuses the genuine digits");
    check_paired(node, &mut findings)?;
    check_devices(&mut site, &mut findings)?;
    // The look above would have found a key: it finds that of the genuine gateway.
    if found_in(&record, &device_keys(&site)?)? != 1 {
        return setup("the genuine gateway's key is not found at the node".into());
    }
    Ok(honest::finish(site, Vec::new(), findings))
}

/// The keys of all devices.
fn device_keys(site: &Site) -> Result<Vec<Vec<u8>>> {
    let name = "devices.json";
    site.ok(&["device", "export", name, "--with-keys"])?;
    let file = std::fs::File::open(site.path().join(name))?;
    match exchange::read(file, exchange::Format::Json, name) {
        Ok(records) => Ok((records.iter())
            .map(|record| record.key.expose().to_vec())
            .collect()),
        Err(error) => setup(error.to_string()),
    }
}
