//! Pairing while others send commitments: a crowd, then a flood.

use std::net::UdpSocket;
use std::path::Path;
use std::time::{Duration, Instant};

use selo_link::frame::{Frame, PairCommit, PairReveal};
use selo_link::pair::NodePairing;
use selo_link::{DeviceId, EphemeralSecret, Suite};

use super::super::Result;
use super::super::case::{Findings, Service, setup};
use super::super::gateway::{READINGS, gateway};
use super::super::honest::{self, Nodes};
use super::super::packets::{Flood, random};
use super::super::site::Site;
use super::super::wire::{HONEST, stranger};
use super::desk::{Desk, check_devices, check_paired, digits, pairing_node, shows_digits};

/// Ports of the stranger who floods the window.
const PORTS: usize = 8;

/// Time that the stranger waits for a PAIR-KEY.
const ANSWER: Duration = Duration::from_millis(200);

/// Addresses of a flood.
const ADDRESSES: usize = 200;

pub(super) fn pairing_crowd(selo: &Path) -> Result<Findings> {
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

pub(super) fn pairing_flood(selo: &Path) -> Result<Findings> {
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
