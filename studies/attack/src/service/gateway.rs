//! Attacks on `selo gateway`.

use std::collections::HashSet;
use std::io::Write;
use std::net::UdpSocket;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use selo_link::DeviceId;
use serde_json::Value;

use super::Result;
use super::broker::crowd;
use super::case::{Case, Findings, Service, setup};
use super::honest::{self, Nodes, User};
use super::http::Request;
use super::packets::{Flood, Relay, random};
use super::program::Program;
use super::site::Site;
use super::wire::{Door, HONEST, PATIENCE, stranger};

/// The attacks.
pub const CASES: [Case; 8] = [
    Case::new(
        Service::Gateway,
        "from-its-address",
        "false packets from the nodes' address, before and after they join",
        from_its_address,
    ),
    Case::new(
        Service::Gateway,
        "from-others",
        "false packets from 200 addresses",
        from_others,
    ),
    Case::new(
        Service::Gateway,
        "forged-joins",
        "forged joins of known and unknown devices",
        forged_joins,
    ),
    Case::new(
        Service::Gateway,
        "forged-packets",
        "packets of the nodes' sessions with false tags",
        forged_packets,
    ),
    Case::new(
        Service::Gateway,
        "replayed",
        "each packet of the nodes replayed ten times",
        replayed,
    ),
    Case::new(
        Service::Gateway,
        "restored-copy",
        "a copy of the state restored, recorded packets replayed",
        restored_copy,
    ),
    Case::new(
        Service::Gateway,
        "idle-control",
        "10 idle connections to the control socket",
        idle_control,
    ),
    Case::new(
        Service::Gateway,
        "idle-metrics",
        "60 idle connections and slow request heads to the metrics",
        idle_metrics,
    ),
];

/// Readings of each node during an attack.
pub const READINGS: u64 = 20;

/// Runs a gateway with nodes that join and send, while `make` produces hostile packets.
fn flooded<I: Iterator<Item = std::net::Ipv4Addr>>(
    selo: &Path,
    from: I,
    make: impl FnMut(u64) -> Vec<u8> + Send + 'static,
) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let flood = Flood::start(site.udp_port(), from, make)?;
    std::thread::sleep(Duration::from_millis(300));
    Nodes::start(&site, site.udp_port(), READINGS)?.finish(&mut findings)?;
    findings.note(format!("{} hostile packets", flood.sent()));
    findings.figure("hostile packets", flood.sent() as f64);
    drop(flood);
    check_once(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// A gateway that knows the nodes.
pub fn gateway(selo: &Path) -> Result<Site> {
    let mut site = Site::new(selo)?;
    Nodes::register(&site)?;
    site.start(Service::Gateway)?;
    Ok(site)
}

/// Checks that no reading is printed twice without being marked as redelivered.
pub fn check_once(site: &mut Site, findings: &mut Findings) -> Result<()> {
    let mut seen = HashSet::new();
    let mut doubled = 0;
    for line in site.program(Service::Gateway)?.output().lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        let name = (
            line["device"].to_string(),
            line["session"].to_string(),
            line["counter"].to_string(),
        );
        if !seen.insert(name) && line["redelivered"] == false {
            doubled += 1;
        }
    }
    findings.figure("readings arrived", seen.len() as f64);
    findings.figure("readings taken twice", doubled as f64);
    findings.expect(doubled == 0, format!("{doubled} readings accepted twice"));
    Ok(())
}

/// Invalid packets of every type: single bytes, heads alone, long ones.
fn false_packet(number: u64) -> Vec<u8> {
    let bytes = random::<80>();
    match number % 4 {
        0 => vec![(number / 4) as u8],
        1 => bytes[..(number % 80) as usize].to_vec(),
        2 => bytes.to_vec(),
        _ => [&[(number / 4) as u8][..], &bytes[..57]].concat(),
    }
}

fn from_its_address(selo: &Path) -> Result<Findings> {
    flooded(selo, std::iter::repeat_n(HONEST, 4), false_packet)
}

fn from_others(selo: &Path) -> Result<Findings> {
    flooded(selo, (0..200).map(stranger), false_packet)
}

fn forged_joins(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let listed = site.ok(&["device", "list", "--json"])?;
    let ids: Vec<u32> = listed
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| {
            u32::from_str_radix(line["device"].as_str().or(line["id"].as_str())?, 16).ok()
        })
        .collect();
    if ids.is_empty() {
        return setup("the device list is empty".into());
    }
    let mut findings = Findings::default();
    let flood = Flood::start(
        site.udp_port(),
        (0..100).map(stranger).chain([HONEST]),
        move |number| {
            let mut forged = [&[0x50][..], &random::<57>()].concat();
            if number % 2 == 0 {
                let id = DeviceId(ids[number as usize / 2 % ids.len()]);
                forged[1..5].copy_from_slice(&id.to_bytes());
            }
            forged
        },
    )?;
    std::thread::sleep(Duration::from_millis(300));
    Nodes::start(&site, site.udp_port(), READINGS)?.finish(&mut findings)?;
    findings.note(format!("{} forged joins", flood.sent()));
    findings.figure("hostile packets", flood.sent() as f64);
    drop(flood);
    check_once(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// Nodes behind a relay. `attack` sees the packets that they have sent so far.
fn behind_relay(
    selo: &Path,
    attack: impl FnOnce(&Site, Vec<Vec<u8>>) -> Result<Flood>,
) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let relay = Relay::start(site.udp_port())?;
    let nodes = Nodes::start(&site, relay.port, 2 * READINGS)?;
    wait_frames(&relay, 4 * READINGS as usize)?;
    let flood = attack(&site, relay.seen())?;
    nodes.finish(&mut findings)?;
    findings.note(format!("{} hostile packets", flood.sent()));
    findings.figure("hostile packets", flood.sent() as f64);
    drop(flood);
    check_once(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

fn wait_frames(relay: &Relay, count: usize) -> Result<()> {
    let since = Instant::now();
    while relay.seen().len() < count {
        if since.elapsed() > PATIENCE {
            return setup("the nodes did not send".into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn forged_packets(selo: &Path) -> Result<Findings> {
    behind_relay(selo, |site, seen| {
        Flood::start(
            site.udp_port(),
            (0..50).map(stranger).chain([HONEST]),
            move |number| {
                let mut forged = seen[number as usize % seen.len()].clone();
                // The tag is at the end.
                for byte in forged.iter_mut().rev().take(8) {
                    *byte ^= random::<1>()[0] | 1;
                }
                forged
            },
        )
    })
}

fn replayed(selo: &Path) -> Result<Findings> {
    behind_relay(selo, |site, seen| {
        Flood::start(
            site.udp_port(),
            [HONEST, stranger(0)].into_iter(),
            move |number| seen[number as usize % seen.len()].clone(),
        )
    })
}

fn restored_copy(selo: &Path) -> Result<Findings> {
    let mut site = gateway(selo)?;
    let mut findings = Findings::default();
    let relay = Relay::start(site.udp_port())?;
    let mut nodes = Nodes::start(&site, relay.port, 2 * READINGS)?;
    wait_frames(&relay, 2 * READINGS as usize)?;
    let (state, copy) = (site.state(), site.path().join("copy"));
    site.stop(Service::Gateway, Program::kill)?;
    copy_folder(&state, &copy)?;
    site.start(Service::Gateway)?;
    while !nodes.have_ended() {
        std::thread::sleep(Duration::from_millis(20));
    }
    nodes.finish(&mut findings)?;
    // The machine's snapshot is restored, and the attacker replays recorded packets.
    site.stop(Service::Gateway, Program::kill)?;
    std::fs::remove_dir_all(&state)?;
    copy_folder(&copy, &state)?;
    site.start(Service::Gateway)?;
    let socket = UdpSocket::bind((HONEST, 0))?;
    for frame in relay.seen() {
        socket.send_to(&frame, (HONEST, site.udp_port()))?;
        std::thread::sleep(Duration::from_millis(1));
    }
    // The nodes are served again, which also shows that the replayed packets have been processed.
    Nodes::start(&site, site.udp_port(), 5)?.finish(&mut findings)?;
    check_once(&mut site, &mut findings)?;
    Ok(honest::finish(site, Vec::new(), findings))
}

/// Copies a folder with its modes, without sockets.
fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    std::fs::set_permissions(to, std::fs::metadata(from)?.permissions())?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let target = to.join(entry.file_name());
        if kind.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

fn idle_control(selo: &Path) -> Result<Findings> {
    let site = gateway(selo)?;
    let mut findings = Findings::default();
    let mut held = Vec::new();
    for number in 0..10 {
        // The listener may refuse some as a defence.
        if let Ok(mut stream) = UnixStream::connect(site.state().join("control")) {
            if number % 2 == 0 {
                let _ = stream.write_all(b"{\"half");
            }
            held.push(stream);
        }
    }
    findings.figure("idle connections", held.len() as f64);
    Nodes::start(&site, site.udp_port(), READINGS)?.finish(&mut findings)?;
    let window = site.command(&["device", "pair", "--json"]);
    let mut window = Program::start(window, site.path(), "window")?;
    let since = Instant::now();
    while !window.output().contains("open") && since.elapsed() < PATIENCE && !window.has_ended() {
        std::thread::sleep(Duration::from_millis(20));
    }
    let opened = window.output().contains("open");
    findings.expect(opened, "the operator could not open the pairing window");
    drop(window);
    drop(held);
    Ok(honest::finish(site, Vec::new(), findings))
}

fn idle_metrics(selo: &Path) -> Result<Findings> {
    let site = gateway(selo)?;
    let mut findings = Findings::default();
    let door = Door::plain(site.http_port());
    let mut held = crowd(&door, 60);
    for tcp in held.iter_mut().skip(30) {
        let _ = tcp.write_all(b"GET /metrics HT");
    }
    findings.figure("idle connections", held.len() as f64);
    let watcher = {
        let door = door.clone();
        User::start("metrics", move || {
            let answer = Request::get("/metrics").ask(&door, HONEST)?;
            honest::expect_status(answer.status, 200)
        })
    };
    Nodes::start(&site, site.udp_port(), READINGS)?.finish(&mut findings)?;
    watcher.serve(10);
    drop(held);
    Ok(honest::finish(site, vec![watcher], findings))
}
