//! Attacks on the join and on the packets of its session [docs/protocol.md, Join, Data].

use std::net::UdpSocket;
use std::time::{Duration, Instant};

use selo_link::frame::{JoinAccept, JoinRequest};
use selo_link::join::JoinAttempt;
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Suite, random_bytes};
use selo_sys::node::Event;

use crate::case::{Against, Attack, Figure, LinkOutcome, LinkVerdict, figure};
use crate::error::{Error, Result};
use crate::target::{Drops, Target};
use crate::wire::{Burst, Way, Wire, fresh_address, on_loopback, relay};

/// A reading that is easy to recognise.
const SECRET: &[u8; 16] = b"rain 87.5 mm/h  ";
const COMMAND: &[u8; 8] = b"valve on";

/// Forged joins of a flood, and the number of their source addresses.
const FLOOD: usize = 20_000;
const FLOOD_ADDRESSES: usize = 1_000;
/// Packets of a neighbour at the node's address.
const NEIGHBOUR: usize = 6_000;
/// Number of flood packets after which the honest node starts to join.
const FLOOD_BEFORE: usize = FLOOD / 4;
/// Time limit for the honest node, which repeats its request after some seconds.
const FLOOD_LAST: Duration = Duration::from_secs(20);
/// Growth of this process's memory in KiB that is attributed to other causes than the flood.
const MEMORY_MAX: u64 = 8 << 10;

/// Tags that are guessed at the gateway.
const GUESSES: usize = 20_000;
/// Wrong tags after which the node ends a session [docs/protocol.md, Forgeries].
const NODE_LIMIT: usize = 1 << 15;

const UP: u8 = 0x70;
const DOWN: u8 = 0x80;

/// A node with a session, and an attacker who has seen all its packets.
struct Scene<'t> {
    target: &'t mut dyn Target,
    wire: Wire,
    id: DeviceId,
    key: DeviceKey,
    suite: Suite,
    /// Readings of this device that were delivered before.
    before: usize,
    sent: usize,
}

impl<'t> Scene<'t> {
    /// A node and a gateway that share a device key.
    fn known(target: &'t mut dyn Target, suite: Suite) -> Result<Scene<'t>> {
        let id = DeviceId(u32::from_le_bytes(random_bytes()?));
        let key = DeviceKey::new(random_bytes()?);
        target.add_device(id, suite, &key);
        let mut wire = Wire::new(suite, target)?;
        wire.node.node.node().provision(id.0, key.expose())?;
        Ok(Scene {
            before: target.readings().len(),
            target,
            wire,
            id,
            key,
            suite,
            sent: 0,
        })
    }

    fn joined(target: &'t mut dyn Target, suite: Suite) -> Result<Scene<'t>> {
        let mut scene = Scene::known(target, suite)?;
        scene.join()?;
        scene.send(SECRET)?;
        Ok(scene)
    }

    /// The node joins without interference.
    fn join(&mut self) -> Result<()> {
        let joined = self.wire.node.count(&Event::Joined);
        self.wire.node.node.node().join()?;
        self.wire.must("the node cannot join", &mut relay, |wire| {
            wire.node.count(&Event::Joined) > joined
        })
    }

    /// The node sends a reading without interference.
    fn send(&mut self, payload: &[u8]) -> Result<()> {
        let (target, goal) = (&*self.target, self.target.readings().len() + 1);
        self.wire.node.node.node().send(payload, false)?;
        self.sent += 1;
        self.wire
            .must("a reading was not delivered", &mut relay, |_| {
                target.readings().len() >= goal
            })
    }

    /// The node sends a reading that the attacker captures and withholds.
    fn withhold(&mut self, payload: &[u8]) -> Result<Vec<u8>> {
        self.wire.node.node.node().send(payload, false)?;
        let seen = self.wire.seen.len();
        let mut none = |_: Way, _: &[u8]| Vec::new();
        self.wire.must("the node did not send", &mut none, |wire| {
            wire.seen.len() > seen
        })?;
        Ok(self.wire.seen[seen].frame.clone())
    }

    /// The gateway sends a payload to the node.
    fn command(&mut self) -> Result<()> {
        let received = self.wire.node.received().len();
        self.target.send(self.id, COMMAND);
        self.wire
            .must("the node did not receive", &mut relay, |wire| {
                wire.node.received().len() > received
            })
    }

    /// Sends the attacker's packets to the gateway.
    fn inject(&mut self, frames: &[Vec<u8>]) -> Result<u64> {
        let frames = frames.iter().map(Vec::as_slice);
        self.wire.inject(&*self.target, frames)
    }

    fn inject_down(&mut self, frames: &[Vec<u8>]) -> Result<u64> {
        self.wire.inject_down(frames.iter().map(Vec::as_slice))
    }

    /// Readings delivered in this scene.
    fn delivered(&self) -> usize {
        self.target.readings().len() - self.before
    }

    /// Number of delivered readings beyond those that the node sent and the attacker let pass.
    fn surplus(&self) -> usize {
        self.delivered().saturating_sub(self.sent)
    }

    fn outcome(
        &self,
        attack: Attack,
        did: impl Into<String>,
        broken: bool,
        shows: impl Into<String>,
        evidence: Vec<Figure>,
    ) -> LinkOutcome {
        LinkOutcome {
            attack,
            against: Against::Join,
            suite: Some(self.suite),
            did: did.into(),
            verdict: if broken {
                LinkVerdict::Broken
            } else {
                LinkVerdict::Refused
            },
            promised: LinkVerdict::Refused,
            shows: shows.into(),
            evidence,
        }
    }
}

/// Replaces both ephemeral keys by the attacker's, in both messages of the join.
pub fn mitm(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::known(target, suite)?;
    let drops = Drops::count(scene.target);
    let (sessions, spent) = (scene.target.sessions(), scene.target.multiplications());
    let own = EphemeralSecret::random()?.public_key();

    // The key of the request.
    scene.wire.node.node.node().join()?;
    let mut replace = |way: Way, frame: &[u8]| {
        let mut frame = frame.to_vec();
        if way == Way::Up {
            frame[5..37].copy_from_slice(&own);
        }
        vec![frame]
    };
    let target = &*scene.target;
    scene
        .wire
        .must("the gateway received nothing", &mut replace, |_| {
            target.packets() > 0 && drops.words(target) != "nothing" || target.sessions() > sessions
        })?;
    let forged = drops.of(scene.target, Reason::ForgedJoin);
    let spent = scene.target.multiplications() - spent;
    let taken = scene.target.sessions() - sessions;

    // The key of the answer: the node repeats its request, and the attacker alters the genuine
    // answer.
    scene.wire.node.skip(std::time::Duration::from_secs(2));
    let mut answered = false;
    let mut replace = |way: Way, frame: &[u8]| {
        let mut frame = frame.to_vec();
        if way == Way::Down {
            frame[5..37].copy_from_slice(&own);
            answered = true;
        }
        vec![frame]
    };
    scene
        .wire
        .must("the gateway did not answer", &mut replace, |wire| {
            wire.seen.iter().any(|seen| seen.way == Way::Down)
        })?;
    scene.wire.drain()?;
    let fooled = scene.wire.node.node.node().is_joined();

    // Without interference the same request succeeds. The attacker must not be able to read the
    // packets sent afterwards.
    scene.wire.node.skip(std::time::Duration::from_secs(4));
    scene
        .wire
        .must("the node cannot join", &mut relay, |wire| {
            wire.node.count(&Event::Joined) > 0
        })?;
    scene.send(SECRET)?;
    let readable = scene
        .wire
        .seen
        .iter()
        .filter(|seen| contains(&seen.frame, SECRET))
        .count();
    let broken = taken > 0 || fooled || readable > 0;
    let shows = match (taken > 0, fooled) {
        (true, _) => "the gateway made a session with the attacker's key".to_owned(),
        (_, true) => "the node made a session with the attacker's key".to_owned(),
        _ => format!(
            "gateway: forged-join {forged}, {spent} scalar multiplications; node: wrong check; \
             then joined, {} frames seen, none readable",
            scene.wire.seen.len()
        ),
    };
    Ok(scene.outcome(
        Attack::Mitm,
        "replaced both ephemeral keys by its own",
        broken,
        shows,
        vec![
            figure("forged-join", forged),
            figure("scalar multiplications for the attacker", spent),
            figure(
                "sessions with the attacker's key",
                taken + u64::from(fooled),
            ),
            figure("readable frames", readable),
        ],
    ))
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}

/// Replays everything that was recorded: in the live session, and after the next join.
pub fn replay(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::joined(target, suite)?;
    scene.send(SECRET)?;
    scene.command()?;
    let ups = scene.wire.captured(Way::Up, |first| first & 0xf0 == UP);
    let downs = scene.wire.captured(Way::Down, |first| first & 0xf0 == DOWN);
    let requests = scene.wire.captured(Way::Up, |first| first == 0x50);
    let accepts = scene.wire.captured(Way::Down, |first| first == 0x60);

    let drops = Drops::count(scene.target);
    let (sessions, spent) = (scene.target.sessions(), scene.target.multiplications());
    let mut frames = scene.inject(&requests)?;
    for _ in 0..3 {
        frames += scene.inject(&ups)?;
        frames += scene.inject_down(&downs)?;
        frames += scene.inject_down(&accepts)?;
    }
    let replayed_spent = scene.target.multiplications() - spent;
    let new_sessions = scene.target.sessions().saturating_sub(sessions);
    // The live session is unharmed.
    scene.send(SECRET)?;
    let received = scene.wire.node.received().len();
    let joined = scene.wire.node.count(&Event::Joined);

    // The next session: replays packets of the previous one, and its answer to the new request.
    scene.wire.node.node.node().join()?;
    frames += scene.inject_down(&accepts)?;
    let fooled = scene.wire.node.count(&Event::Joined) > joined;
    scene
        .wire
        .must("the node cannot rejoin", &mut relay, |wire| {
            wire.node.count(&Event::Joined) > joined
        })?;
    scene.send(SECRET)?;
    frames += scene.inject(&ups)?;
    frames += scene.inject(&requests)?;
    frames += scene.inject_down(&downs)?;
    scene.send(SECRET)?;

    let twice = scene.wire.node.received().len() - received;
    let surplus = scene.surplus();
    let broken = surplus + twice > 0 || fooled || replayed_spent + new_sessions > 0;
    let shows = match broken {
        true => format!(
            "{surplus} readings delivered twice, {twice} commands accepted twice, \
            {new_sessions} sessions created, {replayed_spent} scalar multiplications"
        ),
        false => format!(
            "gateway: {}; node: nothing accepted twice; both sessions continued",
            drops.words(scene.target)
        ),
    };
    Ok(scene.outcome(
        Attack::Replay,
        format!("replayed {frames} recorded frames, in this session and in the next"),
        broken,
        shows,
        vec![
            figure("frames replayed", frames),
            figure("replayed", drops.of(scene.target, Reason::Replayed)),
            figure(
                "replayed-join",
                drops.of(scene.target, Reason::ReplayedJoin),
            ),
            figure(
                "unknown-session",
                drops.of(scene.target, Reason::UnknownSession),
            ),
            figure("delivered twice", surplus + twice),
            figure("scalar multiplications for replays", replayed_spent),
        ],
    ))
}

/// Flips every bit of a frame that the gateway has not seen, and combines blocks of two frames.
/// Then does the same to the node.
pub fn forge(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::joined(target, suite)?;
    let (first, second) = (scene.withhold(SECRET)?, scene.withhold(SECRET)?);
    let mut altered = flips(&first);
    let mut spliced = second.clone();
    spliced[5..13].copy_from_slice(&first[5..13]);
    altered.push(spliced);
    for size in 0..first.len() {
        altered.push(first[..size].to_vec());
    }
    let drops = Drops::count(scene.target);
    let mut frames = scene.inject(&altered)?;
    let words = drops.words(scene.target);
    let forged = drops.of(scene.target, Reason::Forged);
    let surplus = scene.surplus();
    // The genuine frames still count, once each.
    scene.sent += 2;
    scene.inject(&[first, second])?;
    scene.send(SECRET)?;
    let intact = scene.delivered() == scene.sent;

    scene.target.send(scene.id, COMMAND);
    let mut none = |_: Way, _: &[u8]| Vec::new();
    scene
        .wire
        .must("the gateway did not send", &mut none, |wire| {
            !wire
                .captured(Way::Down, |first| first & 0xf0 == DOWN)
                .is_empty()
        })?;
    let down = scene.wire.captured(Way::Down, |first| first & 0xf0 == DOWN);
    frames += scene.inject_down(&flips(&down[0]))?;
    let taken = scene.wire.node.received().len();
    scene.inject_down(&down)?;
    let obeyed = scene.wire.node.received() == [COMMAND];

    let broken = surplus > 0 || taken > 0;
    let shows = match broken {
        true => format!("{surplus} forged readings delivered, {taken} forged commands accepted"),
        false => format!("gateway: {words}; node: none accepted; genuine frames were accepted"),
    };
    if !(broken || intact && obeyed) {
        return Err(Error::Setup(
            "genuine frames were refused after forged ones",
        ));
    }
    Ok(scene.outcome(
        Attack::Forge,
        format!("flipped each bit of a sealed frame, cut it, mixed two: {frames} frames"),
        broken,
        shows,
        vec![
            figure("frames forged", frames),
            figure("forged", forged),
            figure("accepted", surplus + taken),
        ],
    ))
}

/// Copies of the frame with one bit flipped, for each bit.
fn flips(frame: &[u8]) -> Vec<Vec<u8>> {
    (0..8 * frame.len())
        .map(|bit| {
            let mut flipped = frame.to_vec();
            flipped[bit / 8] ^= 1 << (bit % 8);
            flipped
        })
        .collect()
}

/// Reflects every recorded frame to its sender, unchanged and marked as of the other direction.
pub fn reflect(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::joined(target, suite)?;
    scene.send(SECRET)?;
    scene.command()?;
    let turned = |frames: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
        let turn = |frame: &Vec<u8>| {
            let mut turned = frame.clone();
            turned[0] ^= match frame[0] & 0xf0 {
                UP | DOWN => UP ^ DOWN,
                _ => 0x50 ^ 0x60,
            };
            turned
        };
        let mut all: Vec<Vec<u8>> = frames.iter().map(turn).collect();
        all.extend(frames);
        all
    };
    let ups = turned(scene.wire.captured(Way::Up, |_| true));
    let downs = turned(scene.wire.captured(Way::Down, |_| true));
    let drops = Drops::count(scene.target);
    let spent = scene.target.multiplications();
    let received = scene.wire.node.received().len();
    let frames = scene.inject_down(&ups)? + scene.inject(&downs)?;
    let spent = scene.target.multiplications() - spent;
    let words = drops.words(scene.target);
    let taken = scene.wire.node.received().len() - received;
    let surplus = scene.surplus();
    // The session is unharmed.
    scene.send(SECRET)?;
    let broken = taken + surplus > 0 || spent > 0;
    let shows = match broken {
        true => format!(
            "{surplus} of the gateway's frames delivered, {taken} of the node's accepted, \
            {spent} scalar multiplications"
        ),
        false => format!("gateway: {words}; node: none accepted; each direction has its own key"),
    };
    Ok(scene.outcome(
        Attack::Reflect,
        format!("reflected {frames} frames to their senders"),
        broken,
        shows,
        vec![
            figure("frames reflected", frames),
            figure("accepted", taken + surplus),
        ],
    ))
}

/// Alters options, flags and suite, and uses classic frames.
pub fn downgrade(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::joined(target, suite)?;
    let drops = Drops::count(scene.target);
    let (sessions, spent) = (scene.target.sessions(), scene.target.multiplications());

    // A request for each other suite, even from someone who has the key.
    let mut frames = Vec::new();
    for other in Suite::ALL.into_iter().filter(|other| *other != suite) {
        let secret = EphemeralSecret::random()?;
        let (_, request) = JoinAttempt::start(other, scene.id, &scene.key, 1_000, false, &secret);
        frames.push(request.to_vec());
    }
    // Alters the options of the next request, which the attacker holds back.
    scene.wire.node.node.node().join()?;
    let seen = scene.wire.seen.len();
    let mut none = |_: Way, _: &[u8]| Vec::new();
    scene
        .wire
        .must("the node did not send a request", &mut none, |wire| {
            wire.seen.len() > seen
        })?;
    let request = scene.wire.seen[seen].frame.clone();
    // The payload is counter and options: the options are the byte before the tag.
    let options = JoinRequest::BYTES - 16 - 1;
    for bit in 0..8 {
        let mut altered = request.clone();
        altered[options] ^= 1 << bit;
        frames.push(altered);
    }
    // The frames of the paper.
    let own = EphemeralSecret::random()?.public_key();
    frames.push(selo_classic::Frame::REQUEST.to_vec());
    frames.push(selo_classic::Frame::encode_node_key(&own).to_vec());
    frames.push([&[0xc3][..], &[0; 32]].concat());
    let mut sent = scene.inject(&frames)?;
    let spent = scene.target.multiplications() - spent;
    let new_sessions = scene.target.sessions().saturating_sub(sessions);

    // Alters the options of the answer to the node, and sends the paper's answer.
    let joined = scene.wire.node.count(&Event::Joined);
    scene.wire.node.skip(std::time::Duration::from_secs(2));
    let seen = scene.wire.seen.len();
    // Under load the gateway first asks for a proof of the address; let that pass.
    let accepts = |frame: &[u8]| frame.len() == JoinAccept::BYTES;
    let mut hold = |way: Way, frame: &[u8]| match way {
        Way::Down if accepts(frame) => Vec::new(),
        Way::Up | Way::Down => vec![frame.to_vec()],
    };
    let answer = |wire: &mut Wire| {
        let later = &wire.seen[seen..];
        let mut down = later.iter().filter(|seen| seen.way == Way::Down);
        down.find(|seen| accepts(&seen.frame)).cloned()
    };
    scene
        .wire
        .must("the gateway did not answer", &mut hold, |wire| {
            answer(wire).is_some()
        })?;
    let accept = answer(&mut scene.wire).map_or_else(Vec::new, |seen| seen.frame);
    let mut frames = vec![selo_classic::Frame::encode_gateway_key(&own).to_vec()];
    let options = JoinAccept::BYTES - 16 - 1;
    for bit in 0..8 {
        let mut altered = accept.clone();
        altered[options] ^= 1 << bit;
        frames.push(altered);
    }
    sent += scene.inject_down(&frames)?;
    let fooled = scene.wire.node.count(&Event::Joined) > joined;
    scene.wire.inject_down([accept.as_slice()])?;
    let joined = scene.wire.node.count(&Event::Joined) > joined;

    // Every combination of a data frame's flags except the right one.
    let frame = scene.withhold(SECRET)?;
    let flagged: Vec<Vec<u8>> = (1..16)
        .map(|flags| {
            let mut altered = frame.clone();
            altered[0] ^= flags;
            altered
        })
        .collect();
    sent += scene.inject(&flagged)?;
    let surplus = scene.surplus();
    scene.sent += 1;
    scene.inject(&[frame])?;
    scene.send(SECRET)?;

    let broken = surplus > 0 || fooled || new_sessions > 0 || spent > 0;
    if !broken && !joined {
        return Err(Error::Setup(
            "the genuine answer was refused after false ones",
        ));
    }
    let shows = match broken {
        true => format!(
            "{surplus} readings with other flags delivered, {new_sessions} weaker sessions at the \
             gateway, {} at the node, {spent} scalar multiplications",
            u8::from(fooled)
        ),
        false => format!(
            "gateway: {}; node: none accepted; suite, options and flags are authenticated",
            drops.words(scene.target)
        ),
    };
    Ok(scene.outcome(
        Attack::Downgrade,
        format!("sent other suites, options and flags, and the paper's protocol: {sent} frames"),
        broken,
        shows,
        vec![
            figure("frames altered", sent),
            figure(
                "classic-refused",
                drops.of(scene.target, Reason::ClassicRefused),
            ),
            figure("forged-join", drops.of(scene.target, Reason::ForgedJoin)),
            figure(
                "accepted",
                surplus as u64 + new_sessions + u64::from(fooled),
            ),
        ],
    ))
}

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
    let mut stranger = stranger(scene.target)?;
    // Close a window that an earlier attack left open. A node waiting in it would cost a
    // multiplication that is not the flood's.
    scene.target.close_window();
    // The gateway updates its counters after each pass. Once it has counted this packet, it has
    // counted all earlier ones, so the counts from here on belong to the flood.
    let mut first = Burst::new(&*scene.target);
    stranger
        .send(&[0xff])
        .map_err(|source| Error::Network { source })?;
    first.sent(&*scene.target)?;
    first.wait(&*scene.target)?;
    let drops = Drops::count(scene.target);
    let (sessions, spent) = (scene.target.sessions(), scene.target.multiplications());
    let memory = resident_kibibytes();
    let mut burst = Burst::new(&*scene.target);
    let mut forged = [0; JoinRequest::BYTES];
    let mut joined_at = None;
    let (mut number, mut since) = (0, Instant::now());
    // A node that must repeat its request does so after some seconds. The flood lasts as long.
    while number < FLOOD || (joined_at.is_none() && since.elapsed() < FLOOD_LAST) {
        if number < FLOOD && number % (FLOOD / FLOOD_ADDRESSES) == 0 {
            stranger = self::stranger(scene.target)?;
        }
        let random: [u8; 53] = random_bytes()?;
        forged[0] = 0x50;
        forged[5..].copy_from_slice(&random);
        // Every second packet names the honest device, the others name unknown devices.
        let id = match number % 2 {
            0 => scene.id,
            _ => DeviceId(u32::from_le_bytes(random_bytes()?)),
        };
        forged[1..5].copy_from_slice(&id.to_bytes());
        if number == FLOOD_BEFORE {
            burst.wait(&*scene.target)?;
            scene.wire.node.node.node().join()?;
            since = Instant::now();
        }
        stranger
            .send(&forged)
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
    let stolen = spent.saturating_sub(2 * u64::from(joined_at.is_some()));
    let extra = held.saturating_sub(u64::from(joined_at.is_some()));
    let broken = stolen > 0 || extra > 0 || !heard || grown > MEMORY_MAX;
    let shows = match joined_at {
        None => "the honest node could not join during the flood".to_owned(),
        Some(_) if !heard => {
            "the node is not served while a neighbour floods from its address".to_owned()
        }
        Some(_) if broken => format!(
            "{stolen} scalar multiplications, {extra} sessions and {grown} KiB for strangers"
        ),
        Some(at) => format!(
            "gateway: {}; 0 scalar multiplications; the honest node joined after {} forged \
            joins, and was served despite {NEIGHBOUR} packets from its own address; memory grew \
            by {grown} KiB",
            drops.words(scene.target),
            at + 1,
        ),
    };
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
            figure("forged-join", drops.of(scene.target, Reason::ForgedJoin)),
            figure(
                "unknown-device",
                drops.of(scene.target, Reason::UnknownDevice),
            ),
            figure("unproven", drops.of(scene.target, Reason::Unproven)),
            figure("rate-limited", drops.of(scene.target, Reason::RateLimited)),
            figure("heard beside a neighbour", u8::from(heard)),
            figure("scalar multiplications for strangers", stolen),
            figure("sessions for strangers", extra),
            figure(
                "honest joins during the flood",
                u8::from(joined_at.is_some()),
            ),
            figure("memory growth, KiB", grown),
        ],
    ))
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

/// Guesses tags: some at the gateway, and at the node as many as end a session.
pub fn guess(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::joined(target, suite)?;
    let frame = scene.withhold(SECRET)?;
    let drops = Drops::count(scene.target);
    let tag = frame.len() - 8;
    let mut guesses = Vec::with_capacity(GUESSES);
    for _ in 0..GUESSES {
        let mut guess = frame.clone();
        guess[tag..].copy_from_slice(&random_bytes::<8>()?);
        guesses.push(guess);
    }
    scene.inject(&guesses)?;
    let (forged, surplus) = (drops.of(scene.target, Reason::Forged), scene.surplus());
    scene.sent += 1;
    scene.inject(&[frame])?;
    scene.send(SECRET)?;

    // The node's session, until it ends it.
    let session = session_of(&scene)?;
    let mut down = [&[DOWN][..], &session, &[0, 0], SECRET, &[0; 8]].concat();
    let mut tries = 0;
    while tries < 2 * NODE_LIMIT && scene.wire.node.count(&Event::Lost) == 0 {
        tries += 1;
        let tag = down.len() - 8;
        down[tag..].copy_from_slice(&random_bytes::<8>()?);
        scene.wire.inject_down([down.as_slice()])?;
    }
    let taken = scene.wire.node.received().len();
    let ended = scene.wire.node.count(&Event::Lost) > 0;
    // The node rejoins by itself.
    let back = scene
        .wire
        .until(&mut relay, |wire| wire.node.count(&Event::Joined) > 1)?;
    if back {
        scene.send(SECRET)?;
    }
    let broken = surplus > 0 || taken > 0 || !ended || !back;
    let shows = match (ended, back) {
        (false, _) => format!("the node did not end its session after {tries} wrong tags"),
        (_, false) => "the node did not rejoin".to_owned(),
        _ if broken => format!("{surplus} guessed readings delivered, {taken} commands accepted"),
        _ => format!(
            "gateway: forged {forged}; the node ended its session after {tries} wrong tags and \
            rejoined; a guess succeeds once in 2^64"
        ),
    };
    Ok(scene.outcome(
        Attack::Guess,
        format!("guessed {} tags", GUESSES + tries),
        broken,
        shows,
        vec![
            figure("guesses at the gateway", GUESSES),
            figure("forged", forged),
            figure("guesses at the node", tries),
            figure("accepted", surplus + taken),
        ],
    ))
}

/// The two bytes of the live session's id, as every frame carries them.
fn session_of(scene: &Scene<'_>) -> Result<[u8; 2]> {
    let ups = scene.wire.captured(Way::Up, |first| first & 0xf0 == UP);
    match ups.last().map(Vec::as_slice) {
        Some([_, low, high, ..]) => Ok([*low, *high]),
        _ => Err(Error::Setup("the node sent nothing")),
    }
}
