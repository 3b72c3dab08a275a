//! Attacks on the pairing [docs/protocol.md, Pair].

use std::time::Duration;

use selo_link::frame::{Frame, PairCommit, PairReveal};
use selo_link::pair::{Compared, GatewayPairing, NodePairing};
use selo_link::{DeviceId, DeviceKey, EphemeralSecret, Reason, Suite, random_bytes};
use selo_sys::node::Event;

use crate::case::{Against, Attack, Figure, LinkOutcome, LinkVerdict, figure};
use crate::error::{Error, Result};
use crate::guess;
use crate::target::{Drops, Target};
use crate::wire::{Way, Wire, relay};

/// The operator who types the node's digits at the gateway. Its argument is true if the gateway
/// accepted them. It returns true to hold the node's button.
pub type Operator = fn(bool) -> bool;

/// Holds the button only if the gateway has accepted the digits.
pub fn careful(accepted: bool) -> bool {
    accepted
}

/// PAIR-COMMITs of a flood.
const FLOOD: usize = 2_000;
/// PAIR-KEYs that the gateway sends at once, and during a window of ten minutes.
const KEYS_AT_ONCE: u64 = 8;
const KEYS_IN_WINDOW: u64 = 68;

/// Number of digit values where guessing is measured: three digits.
const MODULUS: u32 = 1_000;
/// Pairings attacked without a commitment, and maximum key pairs for each.
const GROUND: u64 = 3;
const TRIES_MAX: u64 = 20 * MODULUS as u64;
/// Pairings attacked by luck against the commitment.
const LUCK: u64 = 2_000;

const NODE_REPEATS: Duration = Duration::from_secs(4);

/// A point of small order: its shared secret with any key is zero [RFC7748, 6.1].
const SMALL_ORDER: [u8; 32] = [0; 32];

/// First bytes of frames, and offsets of fields.
const COMMIT: u8 = 0x10;
const KEY: u8 = 0x20;
const REVEAL: u8 = 0x30;
const REJECTED: u8 = 0x41;
const SUITE: usize = 5;
const REVEAL_KEY: usize = 5;
const REVEAL_R: usize = 5 + 32;

fn outcome(
    suite: Suite,
    attack: Attack,
    did: impl Into<String>,
    broken: bool,
    shows: impl Into<String>,
    evidence: Vec<Figure>,
) -> LinkOutcome {
    LinkOutcome {
        attack,
        against: Against::Pair,
        suite: Some(suite),
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

fn device(wire: &mut Wire) -> DeviceId {
    DeviceId(wire.node.node.node().id())
}

/// The digits that the node shows.
fn node_digits(wire: &Wire) -> Option<u32> {
    wire.node.events.iter().rev().find_map(|event| match event {
        Event::Digits(digits) => Some(*digits),
        _ => None,
    })
}

/// Node and gateway pair without interference, up to the operator. Returns the digits.
fn compare(target: &mut dyn Target, wire: &mut Wire) -> Result<u32> {
    target.open_window();
    wire.node.events.clear();
    wire.node.node.node().pair()?;
    let shown = &*target;
    wire.must(
        "node and gateway did not reach the digits",
        &mut relay,
        |wire| node_digits(wire).is_some() && shown.comparing().is_some(),
    )?;
    let node = node_digits(wire).ok_or(Error::Setup("the node shows no digits"))?;
    let gateway = target.comparing().map(|(_, digits)| digits);
    if gateway != Some(node) {
        return Err(Error::Setup("node and gateway show different digits"));
    }
    Ok(node)
}

/// The whole pairing without interference.
fn pair(target: &mut dyn Target, wire: &mut Wire) -> Result<u32> {
    let digits = compare(target, wire)?;
    wire.node.node.node().confirm(true)?;
    target.decide(true);
    wire.node.skip(NODE_REPEATS);
    wire.must("the node was not paired", &mut relay, |wire| {
        wire.node.count(&Event::Paired) > 0
    })?;
    Ok(digits)
}

/// Makes two pairings, one with each side.
pub fn mitm(target: &mut dyn Target, suite: Suite, operator: Operator) -> Result<LinkOutcome> {
    let mut wire = Wire::new(suite, target)?;
    let id = device(&mut wire);
    target.open_window();
    wire.node.node.node().pair()?;
    let (at_node, at_gateway) = sit_between(target, &mut wire, suite, id)?;
    let (_, gateway_digits) = target
        .comparing()
        .ok_or(Error::Setup("the gateway shows no digits"))?;
    let node_digits = node_digits(&wire).ok_or(Error::Setup("the node shows no digits"))?;

    // The operator types the node's digits. The attacker sends its own result to the node.
    let accepted = target.enter(node_digits);
    wire.node.node.node().confirm(operator(accepted))?;
    wire.inject_down([at_node.result(true).as_slice()])?;
    wire.drain()?;
    let has_node = wire.node.node.node().is_paired();
    let known = |key: Option<DeviceKey>| {
        key.is_some_and(|key| key.expose() == at_gateway.device_key().expose())
    };
    let has_gateway = known(target.device_key(id));
    let broken = has_node || has_gateway;
    let shows = match (has_node, has_gateway) {
        (false, false) => format!(
            "the node shows {node_digits:06}, the gateway expects {gateway_digits:06}: it \
            refuses the typed digits, no key is stored"
        ),
        (node, gateway) => format!(
            "the operator confirmed {node_digits:06} on the node, the gateway expected \
            {gateway_digits:06}; the attacker has the key of the {}",
            match (node, gateway) {
                (true, true) => "node and that of the gateway",
                (true, false) => "node",
                _ => "gateway",
            }
        ),
    };
    Ok(outcome(
        suite,
        Attack::Mitm,
        "paired as the gateway with the node, and as the node with the gateway",
        broken,
        shows,
        vec![
            figure("digits at the node", node_digits),
            figure("digits at the gateway", gateway_digits),
            figure(
                "keys that the attacker has",
                u8::from(has_node) + u8::from(has_gateway),
            ),
        ],
    ))
}

/// The attacker's two pairings, up to the operator. Returns the keys derived with the node and
/// with the gateway.
fn sit_between(
    target: &dyn Target,
    wire: &mut Wire,
    suite: Suite,
    id: DeviceId,
) -> Result<(Compared, Compared)> {
    let setup = Error::Setup("the attacker's two pairings failed");
    // As the node: send the attacker's commitment instead of the node's.
    let start = wire.seen.len();
    let commit = wire.intercept(start, Way::Up, COMMIT)?;
    let (as_node, own_commit) =
        NodePairing::start(suite, id, EphemeralSecret::random()?, random_bytes()?);
    wire.inject(target, [own_commit.as_slice()])?;
    let key = wire.intercept(start, Way::Down, KEY)?;
    // As the gateway: send the attacker's key instead of the gateway's.
    let as_gateway = match Frame::parse(&commit) {
        Ok(Frame::PairCommit(commit)) => {
            GatewayPairing::start(&commit, EphemeralSecret::random()?).0
        }
        _ => return Err(setup),
    };
    wire.inject_down([as_gateway.key().as_slice()])?;
    let reveal = wire.intercept(start, Way::Up, REVEAL)?;
    let with_node = match Frame::parse(&reveal) {
        Ok(Frame::PairReveal(reveal)) => as_gateway.reveal(&reveal),
        _ => return Err(setup),
    };
    let revealed = match Frame::parse(&key) {
        Ok(Frame::PairKey(key)) => as_node.key(&key),
        _ => return Err(setup),
    };
    match (with_node, revealed) {
        (Ok(with_node), Ok((with_gateway, reveal))) => {
            wire.inject(target, [reveal.as_slice()])?;
            Ok((with_node, with_gateway))
        }
        _ => Err(setup),
    }
}

/// Replays a recorded pairing: to the gateway in a new window, and to the node in a new pairing.
pub fn replay(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut wire = Wire::new(suite, target)?;
    let id = device(&mut wire);
    let old_digits = pair(target, &mut wire)?;
    let up = wire.captured(Way::Up, |_| true);
    let down = wire.captured(Way::Down, |_| true);
    let key = target.device_key(id).ok_or(Error::Setup("no device key"))?;

    // The gateway's window is open again, and no node is pairing.
    let drops = Drops::count(target);
    target.open_window();
    let (mut frames, mut shown) = (0, None);
    for frame in &up {
        frames += wire.inject(target, [frame.as_slice()])?;
        shown = shown.or(target.comparing().map(|(_, digits)| digits));
    }
    // The operator sees digits that no node shows.
    target.decide(false);
    let kept = target
        .device_key(id)
        .is_some_and(|now| now.expose() == key.expose());

    // The node pairs again, and receives the gateway's recorded packets.
    wire.node.events.clear();
    wire.node.node.node().pair()?;
    frames += wire.inject_down(down.iter().map(Vec::as_slice))?;
    let fooled = wire.node.count(&Event::Paired) > 0;
    let again = node_digits(&wire);
    let repeated = shown == Some(old_digits) || again == Some(old_digits);
    let broken = fooled || !kept || repeated;
    let six = |digits: Option<u32>| digits.map_or("none".to_owned(), |it| format!("{it:06}"));
    let shows = match broken {
        true => format!(
            "node paired: {fooled}; gateway's key replaced: {}; digits repeated: {repeated}",
            !kept
        ),
        false => format!(
            "digits were {old_digits:06}, now {} at the gateway and {} at the node; no key is \
             stored; gateway dropped: {}",
            six(shown),
            six(again),
            drops.words(target)
        ),
    };
    Ok(outcome(
        suite,
        Attack::Replay,
        format!("replayed {frames} frames of a recorded pairing to both"),
        broken,
        shows,
        vec![
            figure("frames replayed", frames),
            figure("keys stored", u8::from(fooled) + u8::from(!kept)),
        ],
    ))
}

/// Alters reveals and results, and sends results without a key.
pub fn forge(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut wire = Wire::new(suite, target)?;
    let id = device(&mut wire);
    let drops = Drops::count(target);
    let (mut frames, compared) = alter_reveals(target, &mut wire, &drops)?;
    let commitment = drops.of(target, Reason::Commitment);

    // The node waits for the gateway's result, and receives the attacker's.
    compare(target, &mut wire)?;
    wire.node.node.node().confirm(true)?;
    let mut forged = vec![[&[0x40][..], &id.to_bytes(), &random_bytes::<16>()?].concat()];
    forged.push([&[0x40][..], &id.to_bytes(), &[0; 16]].concat());
    frames += wire.inject_down(forged.iter().map(Vec::as_slice))?;
    frames += alter_rejection(target, &mut wire)?;
    let fooled = wire.node.count(&Event::Paired) > 0;
    let stored = target.device_key(id).is_some();
    let broken = fooled || stored || compared > 0;
    let shows = match broken {
        true => format!(
            "node paired: {fooled}; key stored: {stored}; altered reveals shown: {compared}"
        ),
        false => format!("gateway: commitment {commitment}; node: ignored three false results"),
    };
    Ok(outcome(
        suite,
        Attack::Forge,
        format!("altered committed values and the operator's result: {frames} frames"),
        broken,
        shows,
        vec![
            figure("frames forged", frames),
            figure("commitment", commitment),
            figure("accepted", compared + u64::from(fooled) + u64::from(stored)),
        ],
    ))
}

/// Alters each part of a reveal in turn, all within one window: an altered reveal ends an attempt.
/// Returns the number of frames, and how many of them the gateway compared.
fn alter_reveals(target: &mut dyn Target, wire: &mut Wire, drops: &Drops) -> Result<(u64, u64)> {
    let (mut frames, mut compared) = (0, 0);
    target.open_window();
    for (number, byte) in [REVEAL_KEY, REVEAL_R].into_iter().enumerate() {
        wire.node.node.node().pair()?;
        let start = wire.seen.len();
        let mut alter = |_: Way, frame: &[u8]| {
            let mut frame = frame.to_vec();
            if frame.first() == Some(&REVEAL) {
                frame[byte] ^= 1;
            }
            vec![frame]
        };
        let refused = |target: &dyn Target| drops.of(target, Reason::Commitment) as usize;
        let shown = &*target;
        wire.must("an altered reveal was not processed", &mut alter, |wire| {
            wire.seen[start..]
                .iter()
                .any(|seen| seen.frame.first() == Some(&REVEAL))
                && (refused(shown) > number || shown.comparing().is_some())
        })?;
        frames += 1;
        compared += u64::from(target.comparing().is_some());
        target.decide(false);
        wire.node.node.node().confirm(false)?;
    }
    Ok((frames, compared))
}

/// The operator rejects, and the attacker changes the result to an acceptance. Returns the number of
/// frames.
fn alter_rejection(target: &mut dyn Target, wire: &mut Wire) -> Result<u64> {
    let start = wire.seen.len();
    target.decide(false);
    wire.node.skip(NODE_REPEATS);
    let mut only_up = |way: Way, frame: &[u8]| match way {
        Way::Up => vec![frame.to_vec()],
        Way::Down => Vec::new(),
    };
    let mut result = None;
    wire.must("the gateway did not reject", &mut only_up, |wire| {
        let mut later = wire.seen[start..].iter();
        result = later
            .find(|seen| seen.frame.first() == Some(&REJECTED))
            .cloned();
        result.is_some()
    })?;
    let mut yes = result.map_or_else(Vec::new, |seen| seen.frame);
    yes[0] = 0x40;
    wire.inject_down([yes.as_slice()])
}

/// Sends keys of small order, and reflects frames to their senders.
pub fn reflect(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut wire = Wire::new(suite, target)?;
    let id = device(&mut wire);
    let drops = Drops::count(target);
    target.open_window();
    // To the node: its own commitment, then a key of small order.
    wire.node.node.node().pair()?;
    let start = wire.seen.len();
    let commit = wire.intercept(start, Way::Up, COMMIT)?;
    let mut frames = wire.inject_down([commit.as_slice()])?;
    let zero = [&[KEY][..], &id.to_bytes(), &SMALL_ORDER].concat();
    frames += wire.inject_down([zero.as_slice()])?;
    let compared = node_digits(&wire).is_some();
    let failed = wire.node.count(&Event::PairFailed) > 0;

    // To the gateway: a commitment to a key of small order, and its own key back.
    let (own_commit, reveal) = committed_to(suite, id, &SMALL_ORDER)?;
    let start = wire.seen.len();
    frames += wire.inject(target, [own_commit.as_slice()])?;
    let key = wire.intercept(start, Way::Down, KEY)?;
    frames += wire.inject(target, [key.as_slice(), reveal.as_slice()])?;
    let shown = target.comparing().is_some();
    target.decide(false);
    let zero_keys = drops.of(target, Reason::Key);
    let broken = compared || shown || !failed;
    let shows = match broken {
        true => format!("digits from a zero secret: node {compared}, gateway {shown}"),
        false => format!("gateway: {}; node: ended the pairing", drops.words(target)),
    };
    Ok(outcome(
        suite,
        Attack::Reflect,
        "sent keys of small order to both, and reflected their own frames",
        broken,
        shows,
        vec![
            figure("frames", frames),
            figure("key", zero_keys),
            figure("accepted", u8::from(compared) + u8::from(shown)),
        ],
    ))
}

/// A commitment to a public key of the attacker's choice, and the frame that opens it.
fn committed_to(suite: Suite, id: DeviceId, public: &[u8; 32]) -> Result<(Vec<u8>, Vec<u8>)> {
    let r = random_bytes()?;
    let parts: [&[u8]; 6] = [
        b"Selo pair 1",
        &[COMMIT],
        &id.to_bytes(),
        &[suite.code()],
        public,
        &r,
    ];
    let text = parts.concat();
    let commitment = match suite {
        Suite::AesGcmSha3 => selo_sys::Sha3_256::digest(&text),
        Suite::ChaChaPolyBlake2s => selo_sys::Blake2s::digest(&text),
        Suite::AesGcmSha256 => selo_sys::Sha256::digest(&text),
        Suite::Ascon => selo_sys::AsconHash256::digest(&text),
    };
    Ok((
        PairCommit::encode(id, suite, &commitment).to_vec(),
        PairReveal::encode(id, public, &r).to_vec(),
    ))
}

/// Replaces the node's suite by another one.
pub fn downgrade(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let drops = Drops::count(target);
    let (mut tried, mut compared) = (0, 0);
    let codes = Suite::ALL.into_iter().map(Suite::code).chain([0, 9]);
    for code in codes.filter(|code| *code != suite.code()) {
        let mut wire = Wire::new(suite, target)?;
        target.open_window();
        let mut alter = |_: Way, frame: &[u8]| {
            let mut frame = frame.to_vec();
            if frame.first() == Some(&COMMIT) {
                frame[SUITE] = code;
            }
            vec![frame]
        };
        wire.node.node.node().pair()?;
        let before = (
            drops.of(target, Reason::Commitment),
            drops.of(target, Reason::Malformed),
        );
        let shown = &*target;
        wire.must("an altered suite was not processed", &mut alter, |_| {
            let after = (
                drops.of(shown, Reason::Commitment),
                drops.of(shown, Reason::Malformed),
            );
            after != before || shown.comparing().is_some()
        })?;
        tried += 1;
        compared += u64::from(target.comparing().is_some());
        target.decide(false);
    }
    let commitment = drops.of(target, Reason::Commitment);
    let broken = compared > 0;
    let shows = match broken {
        true => format!("the gateway continued with {compared} false suites"),
        false => format!("gateway: {}", drops.words(target)),
    };
    Ok(outcome(
        suite,
        Attack::Downgrade,
        format!("wrote {tried} other suites into the commitment frame"),
        broken,
        shows,
        vec![
            figure("suites tried", tried as u64),
            figure("commitment", commitment),
            figure("malformed", drops.of(target, Reason::Malformed)),
            figure("accepted", compared),
        ],
    ))
}

/// Floods pairings: with the window closed, and with it open.
pub fn flood(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let (mut wire, mut other) = (Wire::new(suite, target)?, Wire::new(suite, target)?);
    let drops = Drops::count(target);
    target.close_window();
    let spent = target.multiplications();
    let commits = || -> Result<Vec<Vec<u8>>> {
        let commit = |_| {
            let id = DeviceId(u32::from_le_bytes(random_bytes()?));
            Ok(PairCommit::encode(id, suite, &random_bytes()?).to_vec())
        };
        (0..FLOOD).map(commit).collect()
    };
    let closed = commits()?;
    wire.inject(target, closed.iter().map(Vec::as_slice))?;
    let spent_closed = target.multiplications() - spent;
    target.open_window();
    let open = commits()?;
    other.inject(target, open.iter().map(Vec::as_slice))?;
    let spent_open = target.multiplications() - spent - spent_closed;
    // Reopening the window lets an honest node pair.
    let mut honest = Wire::new(suite, target)?;
    pair(target, &mut honest)?;
    let broken = spent_closed > 0 || spent_open > KEYS_AT_ONCE;
    let shows = format!(
        "{spent_closed} scalar multiplications while the window was closed, {spent_open} while \
         it was open; gateway: {}",
        drops.words(target)
    );
    Ok(outcome(
        suite,
        Attack::Flood,
        format!("began {} pairings of invented nodes", 2 * FLOOD),
        broken,
        shows,
        vec![
            figure("PAIR-COMMITs", 2 * FLOOD),
            figure("not-pairing", drops.of(target, Reason::NotPairing)),
            figure("scalar multiplications, window closed", spent_closed),
            figure("scalar multiplications, window open", spent_open),
        ],
    ))
}

/// Guesses digits: by luck against the commitment, with a bounded number of attempts per window.
pub fn guess(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let lucky = guess::with_commitment(suite, MODULUS, LUCK)?;
    let expected = lucky.attempts as f64 / f64::from(MODULUS);
    let bound = guess::luck_at_most(expected);

    // The window of the real gateway: the operator rejects every attempt.
    let mut wire = Wire::new(suite, target)?;
    target.open_window();
    let mut attempts = 0;
    while attempts <= KEYS_AT_ONCE {
        let id = DeviceId(u32::from_le_bytes(random_bytes()?));
        let (node, commit) =
            NodePairing::start(suite, id, EphemeralSecret::random()?, random_bytes()?);
        let start = wire.seen.len();
        let spent = target.multiplications();
        wire.inject(target, [commit.as_slice()])?;
        if target.multiplications() == spent {
            break;
        }
        let key = wire.intercept(start, Way::Down, KEY)?;
        let Ok(Frame::PairKey(key)) = Frame::parse(&key) else {
            return Err(Error::Setup("a PAIR-KEY is invalid"));
        };
        if let Ok((_, reveal)) = node.key(&key) {
            wire.inject(target, [reveal.as_slice()])?;
        }
        attempts += 1;
        target.decide(false);
    }
    let broken = lucky.matches > bound || attempts > KEYS_AT_ONCE;
    let shows = format!(
        "of {} pairings with three digits, {} matched ({expected} expected by chance); the \
        gateway gave {attempts} keys at once; with six digits and {KEYS_IN_WINDOW} keys in a \
        window of ten minutes: {KEYS_IN_WINDOW} chances in 1,000,000",
        lucky.attempts, lucky.matches
    );
    Ok(outcome(
        suite,
        Attack::Guess,
        "committed to keys at random, so that digits match only by luck",
        broken,
        shows,
        vec![
            figure("pairings with three digits", lucky.attempts),
            figure("matches", lucky.matches),
            figure("matches that chance explains at most", bound),
            figure("PAIR-KEYs at once", attempts),
        ],
    ))
}

/// The same guess against digits without a commitment, as if Algorithm 2 of [albarello2020] only
/// added digits.
pub fn guess_without_commitment() -> Result<LinkOutcome> {
    let ground = guess::without_commitment(MODULUS, GROUND, TRIES_MAX)?;
    let rate = ground.tries as f64 / ground.elapsed.as_secs_f64();
    Ok(LinkOutcome {
        attack: Attack::Guess,
        against: Against::Classic,
        suite: None,
        did: format!(
            "classic with three digits to compare: tried {} key pairs until the digits matched",
            ground.tries
        ),
        verdict: if ground.matches == ground.attempts {
            LinkVerdict::Broken
        } else {
            LinkVerdict::Refused
        },
        promised: LinkVerdict::Broken,
        shows: format!(
            "{} of {} pairings showed the same digits on both sides; six digits would take {:.0} \
             s on one core of this PC",
            ground.matches,
            ground.attempts,
            1e6 / rate
        ),
        evidence: vec![
            figure("pairings", ground.attempts),
            figure("matches", ground.matches),
            figure("key pairs tried", ground.tries),
        ],
    })
}
