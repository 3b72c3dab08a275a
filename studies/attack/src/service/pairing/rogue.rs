//! A gateway that answers before the genuine one.

use std::net::UdpSocket;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use selo_gateway::device_file;
use selo_link::frame::Frame;
use selo_link::pair::{Compared, GatewayPairing};
use selo_link::{DeviceKey, EphemeralSecret};
use selo_sys::node::Event;

use super::super::Result;
use super::super::case::{Findings, setup};
use super::super::gateway::{READINGS, gateway};
use super::super::honest::{self, Nodes};
use super::super::packets::Background;
use super::super::site::Site;
use super::super::wire::HONEST;
use super::desk::{Desk, PAIRED_READINGS, check_devices};
use super::held::HeldNode;

/// Time within which a node would report that it is paired if the rogue's result sufficed.
const OWNING: Duration = Duration::from_secs(2);

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

pub(super) fn rogue_gateway(selo: &Path) -> Result<Findings> {
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
