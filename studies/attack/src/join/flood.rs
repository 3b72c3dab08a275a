//! Floods the gateway with forged joins.

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use selo_link::frame::JoinRequest;
use selo_link::{DeviceId, Reason, Suite, random_bytes};

use super::scene::{SECRET, Scene, UP, session_of};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::{Error, Result};
use crate::target::{Drops, Target};
use crate::wire::{Burst, Way, fresh_address, on_loopback, relay};

/// Forged joins of a flood, and the number of their source addresses.
const FLOOD: usize = 20_000;
const FLOOD_ADDRESSES: usize = 1_000;
/// Packets of a neighbour at the node's address.
const NEIGHBOUR: usize = 6_000;
/// Number of flood packets after which the honest node starts to join.
const FLOOD_BEFORE: usize = FLOOD / 4;
/// Time limit for the honest node, which repeats its request after some seconds.
const FLOOD_LAST: Duration = Duration::from_secs(20);
/// The outcome if only the neighbour's packets get through.
const NOT_HEARD: &str = "the node is not served while a neighbour floods from its address";
/// Growth of this process's memory in KiB that is attributed to other causes than the flood.
const MEMORY_MAX: u64 = 8 << 10;

/// A neighbour at the node's address sends invalid frames, joins with the node's id, and
/// packets of its session. Returns true if the node is still served, also from another port.
fn heard_beside_a_neighbour(scene: &mut Scene<'_>) -> Result<bool> {
    let session = session_of(scene)?;
    let neighbour = scene.wire.neighbour(&*scene.target)?;
    let mut burst = Burst::new(&*scene.target);
    for number in 0..NEIGHBOUR {
        let tag: [u8; 8] = random_bytes()?;
        let packet = match number % 3 {
            0 => vec![0xff],
            1 => [&[0x50][..], &scene.id.to_bytes(), &[7; 45], &tag].concat(),
            _ => [&[UP][..], &session, &[0, 0], SECRET, &tag].concat(),
        };
        neighbour
            .send(&packet)
            .map_err(|source| Error::Network { source })?;
        burst.sent(&*scene.target)?;
    }
    burst.wait(&*scene.target)?;
    for new_port in [false, true] {
        if new_port {
            scene.wire.change_port(&*scene.target)?;
        }
        let (target, goal) = (&*scene.target, scene.target.readings().len() + 1);
        scene.wire.node.node.node().send(SECRET, false)?;
        scene.sent += 1;
        let heard = scene
            .wire
            .until(&mut relay, |_| target.readings().len() >= goal)?;
        if !heard {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Floods forged joins from many addresses while an honest node joins. Then a neighbour floods
/// from the node's own address.
pub fn flood(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::known(target, suite)?;
    // Close a window that an earlier attack left open. A node waiting in it would cost a
    // multiplication that is not the flood's.
    scene.target.close_window();
    settle(&scene)?;
    let drops = Drops::count(scene.target);
    let (sessions, spent) = (scene.target.sessions(), scene.target.multiplications());
    let memory = resident_kibibytes();
    let (number, joined_at) = forge_joins(&mut scene)?;
    let spent = scene.target.multiplications() - spent;
    let grown = resident_kibibytes().saturating_sub(memory);
    let held = scene.target.sessions().saturating_sub(sessions);
    // The node needs a session to be heard. Without one the verdict is already known.
    let heard = match joined_at {
        Some(_) => {
            scene.send(SECRET)?;
            heard_beside_a_neighbour(&mut scene)?
        }
        None => false,
    };
    // Subtract the honest join: two multiplications, one session.
    let honest = u64::from(joined_at.is_some());
    let stolen = spent.saturating_sub(2 * honest);
    let extra = held.saturating_sub(honest);
    let broken = stolen > 0 || extra > 0 || !heard || grown > MEMORY_MAX;
    let shows = match joined_at {
        None => "the honest node could not join during the flood".to_owned(),
        Some(_) if !heard => NOT_HEARD.to_owned(),
        Some(_) if broken => format!(
            "{stolen} scalar multiplications, {extra} sessions and {grown} KiB for strangers"
        ),
        Some(at) => withstood(&drops.words(scene.target), at, grown),
    };
    let count = |reason: Reason| drops.of(scene.target, reason);
    Ok(scene.outcome(
        Attack::Flood,
        format!(
            "forged {number} joins from {FLOOD_ADDRESSES} addresses, sent {NEIGHBOUR} packets from the \
             node's"
        ),
        broken,
        shows,
        vec![
            figure("forged joins", number),
            figure("forged-join", count(Reason::ForgedJoin)),
            figure(
                "unknown-device",
                count(Reason::UnknownDevice),
            ),
            figure("unproven", count(Reason::Unproven)),
            figure("rate-limited", count(Reason::RateLimited)),
            figure("heard beside a neighbour", u8::from(heard)),
            figure("scalar multiplications for strangers", stolen),
            figure("sessions for strangers", extra),
            figure("honest joins during the flood", honest),
            figure("memory growth, KiB", grown),
        ],
    ))
}

/// The number of forged joins that a flood sent, and at which of them the honest node had joined.
type Flooded = (usize, Option<usize>);

/// Sends forged joins from many addresses while the honest node joins.
fn forge_joins(scene: &mut Scene<'_>) -> Result<Flooded> {
    let mut burst = Burst::new(&*scene.target);
    let mut stranger = stranger(scene.target)?;
    let mut joined_at = None;
    let (mut number, mut since) = (0, Instant::now());
    // A node that must repeat its request does so after some seconds. The flood lasts as long.
    while number < FLOOD || (joined_at.is_none() && since.elapsed() < FLOOD_LAST) {
        if number < FLOOD && number % (FLOOD / FLOOD_ADDRESSES) == 0 {
            stranger = self::stranger(scene.target)?;
        }
        if number == FLOOD_BEFORE {
            burst.wait(&*scene.target)?;
            scene.wire.node.node.node().join()?;
            since = Instant::now();
        }
        stranger
            .send(&forged_join(scene.id, number)?)
            .map_err(|source| Error::Network { source })?;
        burst.sent(&*scene.target)?;
        if number >= FLOOD_BEFORE && joined_at.is_none() {
            let frames = scene.wire.seen.len();
            scene.wire.step(&mut relay)?;
            // The honest packets are processed among the forged ones.
            let later = &scene.wire.seen[frames..];
            burst.all += later.iter().filter(|seen| seen.way == Way::Up).count() as u64;
            if scene.wire.node.node.node().is_joined() {
                joined_at = Some(number);
            }
        }
        number += 1;
    }
    burst.wait(&*scene.target)?;
    Ok((number, joined_at))
}

/// A request with a random key and tag. Every second one names the honest device, the others name
/// unknown devices.
fn forged_join(honest: DeviceId, number: usize) -> Result<[u8; JoinRequest::BYTES]> {
    let mut forged = [0; JoinRequest::BYTES];
    let random: [u8; 53] = random_bytes()?;
    forged[0] = 0x50;
    forged[5..].copy_from_slice(&random);
    let id = match number % 2 {
        0 => honest,
        _ => DeviceId(u32::from_le_bytes(random_bytes()?)),
    };
    forged[1..5].copy_from_slice(&id.to_bytes());
    Ok(forged)
}

/// The words for a flood that changed nothing for the honest node.
fn withstood(refused: &str, joined_at: usize, grown: u64) -> String {
    format!(
        "gateway: {refused}; 0 scalar multiplications; the honest node joined after {} forged \
        joins, and was served despite {NEIGHBOUR} packets from its own address; memory grew by \
        {grown} KiB",
        joined_at + 1,
    )
}

/// Waits until the gateway has counted all earlier packets, so that the counts from here on belong
/// to the flood. It updates its counters after each pass: once it has counted this packet, it has
/// counted those before.
fn settle(scene: &Scene<'_>) -> Result<()> {
    let mut first = Burst::new(&*scene.target);
    stranger(scene.target)?
        .send(&[0xff])
        .map_err(|source| Error::Network { source })?;
    first.sent(&*scene.target)?;
    first.wait(&*scene.target)
}

/// A socket on an unused loopback address.
fn stranger(target: &dyn Target) -> Result<UdpSocket> {
    let address = on_loopback(target)?;
    let open = || {
        let socket = UdpSocket::bind((fresh_address(), 0))?;
        socket.connect(address)?;
        Ok(socket)
    };
    open().map_err(|source| Error::Network { source })
}

/// Resident memory of this process, which contains node, attacker and gateway.
fn resident_kibibytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok())
        .unwrap_or(0)
}
