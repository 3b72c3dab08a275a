//! Attacks on the sessions of nodes: very many forgeries, exhausted hints, and the keys of ended
//! sessions.

use std::collections::HashMap;
use std::net::UdpSocket;
use std::path::Path;
use std::time::{Duration, Instant};

use selo_gateway::keys::SLOT_BYTES;
use selo_link::frame::{Data, Frame};
use selo_link::join::SessionKeys;
use selo_link::session::KEY_BYTES;
use selo_link::{FRAME_MAX, Suite};
use serde_json::Value;

use super::Result;
use super::case::{Case, Findings, Service, setup};
use super::gateway::{READINGS, check_once, gateway};
use super::honest::{self, NODES, Nodes, OFTEN};
use super::http::Request;
use super::packets::{Flood, Home, Relay, random};
use super::program::Program;
use super::site::Site;
use super::wire::{Door, HONEST, PATIENCE, stranger};

/// The attacks.
pub const CASES: [Case; 3] = [
    Case::new(
        Service::Gateway,
        "forge-session",
        "a million forgeries of one session, from its address and from others",
        forge_session,
    ),
    Case::new(
        Service::Gateway,
        "hint-drain",
        "packets of lost sessions from other ports of the nodes' address",
        hint_drain,
    ),
    Case::new(
        Service::Gateway,
        "ended-keys",
        "a copy of the state after the nodes have joined again",
        ended_keys,
    ),
];

/// Wrong tags that the gateway must have checked: more than would end a session early.
const FORGERIES: u64 = (1 << 20) + 1000;
/// Lead of a forged counter over the node's.
const AHEAD: u16 = 1000;
/// Addresses in addition to the node's own.
const STRANGERS: usize = 50;
/// Ports of the nodes' address that use hints up.
const PORTS: usize = 50;
/// The suite of the nodes.
const SUITE: Suite = Suite::ChaChaPolyBlake2s;
/// The first byte of a hint, without its flag.
const HINT: u8 = 0x90;

/// Parses a packet of a node's session.
fn data(frame: &[u8]) -> Option<Data<'_>> {
    match Frame::parse(frame) {
        Ok(Frame::Up(data)) => Some(data),
        _ => None,
    }
}

/// Readings that the gateway has printed, by device.
fn arrived(site: &mut Site) -> Result<HashMap<String, u64>> {
    let mut counts = HashMap::new();
    for line in site.program(Service::Gateway)?.output().lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(device) = line["device"].as_str() {
            *counts.entry(device.to_owned()).or_default() += 1;
        }
    }
    Ok(counts)
}

/// Waits until this many more readings of each node have arrived. Returns false if they do not.
fn serves(site: &mut Site, more: u64) -> Result<bool> {
    let (since, before) = (Instant::now(), arrived(site)?);
    loop {
        let now = arrived(site)?;
        let grown = now
            .iter()
            .filter(|(device, count)| **count >= more + before.get(*device).unwrap_or(&0));
        if grown.count() as u64 == NODES {
            return Ok(true);
        }
        if since.elapsed() > 3 * PATIENCE {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A counter of the gateway's metrics.
fn metric(site: &Site, name: &str) -> Result<u64> {
    let answer = Request::get("/metrics").ask(&Door::plain(site.http_port()), HONEST)?;
    let text = answer.text();
    let value = text.lines().find_map(|line| line.strip_prefix(name));
    match value.and_then(|value| value.trim().parse().ok()) {
        Some(value) => Ok(value),
        None => setup(format!("the metrics lack {name}")),
    }
}

fn forge_session(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let relay = Relay::start(site.udp_port())?;
    let nodes = Nodes::start_endless(&site, relay.port, &OFTEN)?;
    if !serves(&mut site, 2)? {
        return setup("the nodes did not send".into());
    }
    let mut homes = relay.homes()?;
    let Some(Home { socket, last }) = homes.pop() else {
        return setup("there is no node behind the relay".into());
    };
    let Some((header, counter)) = data(&last).map(|data| (data.header.to_vec(), data.counter))
    else {
        return setup("the node's newest packet does not belong to a session".into());
    };
    let sockets = beside_strangers(&socket)?;
    let forged = r#"selo_gateway_frames_dropped_total{reason="forged"}"#;
    let flood = Flood::large(site.udp_port(), sockets, move |number| {
        // Ahead of the node, so that no packet is dropped as too old.
        let counter = counter.wrapping_add(AHEAD).wrapping_add(number as u16 % 64);
        let (fixed, _) = header.split_at(header.len() - 2);
        [fixed, &counter.to_le_bytes(), &random::<24>()].concat()
    });
    let since = Instant::now();
    while metric(&site, forged)? < FORGERIES && since.elapsed() < 6 * PATIENCE {
        std::thread::sleep(Duration::from_millis(200));
    }
    let during = serves(&mut site, 2)?;
    let (sent, looked_at) = (flood.sent(), metric(&site, forged)?);
    drop(flood);
    let after = serves(&mut site, READINGS / 2)?;
    let summary = nodes.stop()?;
    let count = |name: &str| summary[name].as_u64().unwrap_or(0);
    findings.note(format!(
        "{looked_at} of {sent} forgeries checked; nodes {} of {} readings, {} rejoins",
        count("acknowledged"),
        count("sent"),
        count("rejoins"),
    ));
    findings.figure("hostile packets", sent as f64);
    findings.figure("forgeries looked at", looked_at as f64);
    findings.figure("readings acknowledged", count("acknowledged") as f64);
    findings.expect(
        looked_at >= FORGERIES,
        "the gateway did not check a million tags",
    );
    findings.expect(during, "readings did not arrive during the forgeries");
    findings.expect(after, "readings did not arrive after the forgeries");
    let ended = count("rejoins").max(count("sessions_lost"));
    findings.expect(
        ended == 0 && count("joined") == NODES,
        format!("nodes: {ended} sessions ended"),
    );
    check_once(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// Sockets of which every second one has the node's last address.
fn beside_strangers(node: &UdpSocket) -> Result<Vec<UdpSocket>> {
    let mut sockets = Vec::new();
    for number in 0..STRANGERS {
        sockets.push(node.try_clone()?);
        sockets.push(UdpSocket::bind((stranger(number), 0))?);
    }
    Ok(sockets)
}

fn hint_drain(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let relay = Relay::start(site.udp_port())?;
    // A node rejoins three packets after a hint, and 40 packets after it last heard the gateway.
    let nodes = Nodes::start_endless(&site, relay.port, &["--every", "500ms"])?;
    if !serves(&mut site, 2)? {
        return setup("the nodes did not send".into());
    }
    let state = site.state();
    let lost: Vec<Vec<u8>> = relay.homes()?.into_iter().map(|home| home.last).collect();
    site.stop(Service::Gateway, Program::kill)?;
    // The attacker is active before the gateway restarts.
    let flood = Flood::start(
        site.udp_port(),
        std::iter::repeat_n(HONEST, PORTS),
        move |number| lost[number as usize % lost.len()].clone(),
    )?;
    // The gateway knows its devices, but has lost all sessions.
    std::fs::remove_dir_all(state.join("journal"))?;
    std::fs::remove_file(state.join("keys"))?;
    site.start(Service::Gateway)?;
    let back = serves(&mut site, 4)?;
    let mut told: HashMap<Vec<u8>, u64> = HashMap::new();
    for hint in relay.seen_down() {
        if hint.first().is_some_and(|first| first & !1 == HINT) {
            *told.entry(hint).or_default() += 1;
        }
    }
    let withheld = metric(&site, "selo_gateway_hints_withheld_total")?;
    let sent = flood.sent();
    drop(flood);
    let summary = nodes.stop()?;
    let count = |name: &str| summary[name].as_u64().unwrap_or(0);
    findings.note(format!(
        "{sent} hostile packets, {withheld} hints withheld; {} of {NODES} nodes got a hint, {} \
        rejoined, {} readings arrived",
        told.len(),
        count("rejoins"),
        arrived(&mut site)?.values().sum::<u64>(),
    ));
    findings.figure("hostile packets", sent as f64);
    findings.figure("hints withheld", withheld as f64);
    findings.figure("nodes with a hint", told.len() as f64);
    findings.figure("rejoins", count("rejoins") as f64);
    findings.expect(withheld > 0, "the attacker did not use up any hints");
    findings.expect(
        told.len() as u64 == NODES,
        "a node that lost its session got no hint",
    );
    findings.expect(
        count("rejoins") >= NODES,
        "a node that lost its session did not rejoin",
    );
    findings.expect(back, "readings did not arrive after the session was lost");
    check_once(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// The keys in the gateway's key file.
fn kept_keys(site: &Site) -> Result<Vec<[u8; KEY_BYTES]>> {
    let file = std::fs::read(site.state().join("keys"))?;
    let keys = file.chunks_exact(SLOT_BYTES).filter_map(|slot| {
        // A slot begins with three words about its owner.
        let keys: [u8; KEY_BYTES] = *slot[12..].first_chunk()?;
        keys.iter().any(|byte| *byte != 0).then_some(keys)
    });
    Ok(keys.collect())
}

/// Number of these packets that one of these keys decrypts.
fn opened(packets: &[Vec<u8>], keys: &[[u8; KEY_BYTES]]) -> usize {
    let opens = |frame: &&Vec<u8>| {
        data(frame).is_some_and(|data| keys.iter().any(|keys| opens_with(&data, keys)))
    };
    packets.iter().filter(opens).count()
}

fn opens_with(data: &Data<'_>, keys: &[u8; KEY_BYTES]) -> bool {
    let (down, up) = keys.split_at(KEY_BYTES / 2);
    let (Ok(up), Ok(down)) = (up.try_into(), down.try_into()) else {
        return false;
    };
    let mut session = SessionKeys {
        suite: SUITE,
        session: data.session,
        long_tags: data.flags.long_tag,
        up,
        down,
    }
    .gateway_session();
    session.open(data, &mut [0; FRAME_MAX]).is_ok()
}

/// Number of these secrets that occur anywhere in the files of a folder.
fn found_in(folder: &Path, secrets: &[Vec<u8>]) -> Result<usize> {
    let mut found = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            found += found_in(&entry.path(), secrets)?;
        } else if kind.is_file() {
            let bytes = std::fs::read(entry.path())?;
            let is_there =
                |secret: &&Vec<u8>| bytes.windows(secret.len()).any(|part| part == **secret);
            found += secrets.iter().filter(is_there).count();
        }
    }
    Ok(found)
}

fn ended_keys(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let relay = Relay::start(site.udp_port())?;
    Nodes::start(&site, relay.port, READINGS)?.finish(&mut findings)?;
    let recorded: Vec<Vec<u8>> = relay.seen();
    let packets = recorded
        .iter()
        .filter(|frame| data(frame).is_some())
        .count();
    // While the sessions live, a thief gets their keys. This shows that the search below would
    // find them.
    let first = kept_keys(&site)?;
    let live = opened(&recorded, &first);
    // Each direction has its own key.
    let each = first.iter().flat_map(|keys| keys.chunks(KEY_BYTES / 2));
    let each: Vec<Vec<u8>> = each.map(<[u8]>::to_vec).collect();
    let found = found_in(&site.state(), &each)?;
    if first.len() as u64 != NODES || live != packets || found < each.len() {
        return setup(format!(
            "the keys of live sessions were not found: {} keys decrypt {live} of {packets} packets",
            first.len()
        ));
    }
    // A node that restarts joins again, and its first packet ends the previous session.
    Nodes::start(&site, relay.port, READINGS)?.finish(&mut findings)?;
    let since = Instant::now();
    let mut left = found_in(&site.state(), &each)?;
    while left > 0 && since.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
        left = found_in(&site.state(), &each)?;
    }
    let now = kept_keys(&site)?;
    let still = opened(&recorded, &now);
    findings.note(format!(
        "{packets} recorded packets: a thief of the state decrypted {live} before the nodes \
        rejoined, and decrypts {still} now; {left} ended keys left"
    ));
    findings.figure("packets recorded", packets as f64);
    findings.figure("packets opened while the sessions lived", live as f64);
    findings.figure("packets opened after their end", still as f64);
    findings.figure("keys of ended sessions in the state", left as f64);
    findings.expect(left == 0, "the state still holds keys of ended sessions");
    findings.expect(
        still == 0,
        "keys of the state decrypt packets of ended sessions",
    );
    findings.expect(
        now.len() as u64 == NODES,
        format!("the state has {} keys for {NODES} sessions", now.len()),
    );
    check_once(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}
