//! Attacks on the hybrid pairing [docs/protocol.md, Hybrid pairing]. The node has ML-KEM-512.

mod mitm;
mod scene;

use std::time::Duration;

use selo_link::frame::PairOpen;
use selo_link::{DeviceId, Kem, Reason, Suite, random_bytes};
use selo_sys::node::Event;

use scene::{hybrid, wire};

use super::forge::forge_results;
use super::replay::{Replayed, record_and_replay};
use super::scene::{COMMIT, KEY, KEYS_AT_ONCE, NODE_REPEATS, REVEAL};
use super::scene::{node_digits, outcome, pair};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::{Way, Wire, relay};

pub use mitm::mitm;

/// First bytes of frames.
const OPEN: u8 = 0xe0;
const STEP: u8 = 0xe1;
const PIECE: u8 = 0xe2;
const HYBRID_COMMIT: u8 = COMMIT | 1;
/// Offset of the code of the key encapsulation in a PAIR-OPEN, and that of the check in the commitment.
const KEM: usize = 10;
const CHECK: usize = 38;

/// PAIR-OPENs of a flood.
const OPENS: usize = 1_000;

/// Repetitions for which an attacked node is watched.
const WATCHED: usize = 12;

/// Rounds in which frames are reflected, and those after which a waiting node repeats.
const ROUNDS: usize = 800;
const QUIET: usize = 40;

/// Every this-many-th frame of a pairing is altered, each in a pairing of its own.
const EVERY: usize = 7;

/// What became of an attacked pairing.
#[derive(Default)]
struct Watched {
    node: Option<u32>,
    gateway: Option<u32>,
}

/// Pairs through `tamper` until node and gateway show digits, or the node has repeated often.
fn watch(
    target: &mut dyn Target,
    wire: &mut Wire,
    mut tamper: impl FnMut(Way, &[u8]) -> Vec<Vec<u8>>,
) -> Result<Watched> {
    target.open_window();
    wire.node.events.clear();
    wire.node.node.node().pair()?;
    let mut watched = Watched::default();
    for _ in 0..WATCHED {
        // Until nothing moves: each frame gets its answer in a moment.
        let mut seen = usize::MAX;
        while seen != wire.seen.len() {
            seen = wire.seen.len();
            for _ in 0..10 {
                wire.step(&mut tamper)?;
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        watched = Watched {
            node: node_digits(wire),
            gateway: target.comparing().map(|(_, digits)| digits),
        };
        let ended = wire.node.count(&Event::PairFailed) > 0;
        if ended || (watched.node.is_some() && watched.gateway.is_some()) {
            break;
        }
        wire.node.skip(NODE_REPEATS);
    }
    target.decide(false);
    Ok(watched)
}

/// Alters a frame of each kind and step, also when it is repeated, and sends results of its own.
pub fn forge(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut honest = wire(target, suite)?;
    pair(target, &mut honest)?;
    let ends = [KEY, REVEAL, HYBRID_COMMIT, OPEN];
    let seen = honest.seen.iter();
    let frames: Vec<(Way, Vec<u8>)> = seen.map(|seen| (seen.way, seen.frame.clone())).collect();
    let drops = Drops::count(target);
    let (mut altered, mut agreed) = (0, 0);
    for (at, (way, model)) in frames.iter().enumerate() {
        let is_end = model.first().is_some_and(|first| ends.contains(first));
        let is_piece = matches!(model.first(), Some(&STEP | &PIECE));
        let is_chosen = is_end || (is_piece && at % EVERY == 0);
        if !is_chosen {
            continue;
        }
        // A step is told by its number, behind the mark.
        let numbered = |frame: &[u8]| is_piece.then(|| frame.get(5).copied());
        let tamper = |moved: Way, frame: &[u8]| {
            let mut frame = frame.to_vec();
            let same = moved == *way && frame.first() == model.first();
            if same
                && numbered(&frame) == numbered(model)
                && let Some(last) = frame.last_mut()
            {
                *last ^= 1;
            }
            vec![frame]
        };
        let mut wire = wire(target, suite)?;
        let watched = watch(target, &mut wire, tamper)?;
        altered += 1;
        // The gateway must not go on after an altered frame of the node. An altered frame of the
        // gateway changes the digits at the node.
        let fooled = *way == Way::Up && watched.gateway.is_some();
        let same = watched.node.is_some() && watched.node == watched.gateway;
        agreed += u64::from(fooled || same);
    }
    let refused = drops.words(target);
    let mut last = wire(target, suite)?;
    let results = forge_results(target, &mut last)?;
    let fooled = results.paired || results.stored;
    let shows = match (agreed > 0, fooled) {
        (true, _) => format!("{agreed} altered pairings went on to the operator"),
        (_, true) => format!(
            "node paired: {}; key stored: {}",
            results.paired, results.stored
        ),
        _ => format!(
            "gateway: {refused}; node: ignored {} false results",
            results.frames
        ),
    };
    Ok(hybrid(outcome(
        suite,
        Attack::Forge,
        format!(
            "altered one frame in each of {altered} pairings, and its repetitions; sent {} false results",
            results.frames
        ),
        agreed > 0 || fooled,
        shows,
        vec![
            figure("pairings", altered as u64),
            figure("commitment", drops.of(target, Reason::Commitment)),
            figure("not-pairing", drops.of(target, Reason::NotPairing)),
            figure("false results", results.frames),
            figure(
                "accepted",
                agreed + u64::from(results.paired) + u64::from(results.stored),
            ),
        ],
    )))
}

/// Removes ML-KEM: drops its frames, and writes another key encapsulation or none.
pub fn downgrade(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let drops = Drops::count(target);
    let (mut tried, mut broken) = (0, 0);
    let ways: [fn(&mut Vec<u8>); 3] = [
        |frame| {
            if frame.first() == Some(&OPEN) {
                frame.clear();
            }
        },
        |frame| {
            if frame.first() == Some(&OPEN) {
                frame[KEM] ^= 3;
            }
        },
        |frame| {
            if frame.first() == Some(&HYBRID_COMMIT) {
                frame[0] = COMMIT;
                frame.truncate(CHECK);
            }
        },
    ];
    for alter in ways {
        let mut wire = wire(target, suite)?;
        let watched = watch(target, &mut wire, |_, frame| {
            let mut frame = frame.to_vec();
            alter(&mut frame);
            let kept = (!frame.is_empty()).then_some(frame);
            kept.into_iter().collect()
        })?;
        tried += 1;
        let plain = !wire.captured(Way::Up, |first| first == COMMIT).is_empty();
        broken += u64::from(plain || watched.gateway.is_some());
    }
    let shows = match broken > 0 {
        true => format!("{broken} ways led to a pairing without ML-KEM-512"),
        false => format!(
            "the node never commits without ML-KEM; gateway: {}",
            drops.words(target)
        ),
    };
    Ok(hybrid(outcome(
        suite,
        Attack::Downgrade,
        "dropped the frames of ML-KEM, and wrote another one or none",
        broken > 0,
        shows,
        vec![
            figure("ways tried", tried),
            figure("commitment", drops.of(target, Reason::Commitment)),
            figure("malformed", drops.of(target, Reason::Malformed)),
            figure("accepted", broken),
        ],
    )))
}

/// Replays a recorded hybrid pairing to the gateway and to the node.
pub fn replay(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut wire = wire(target, suite)?;
    let Replayed {
        frames,
        shown,
        again,
        fooled,
        kept,
        dropped,
        ..
    } = record_and_replay(target, &mut wire)?;
    let (shown, fooled) = (shown.is_some(), fooled || again.is_some());
    let broken = shown || fooled || !kept;
    let shows = match broken {
        true => format!("gateway shows digits: {shown}; node fooled: {fooled}; key kept: {kept}"),
        false => format!("neither shows digits; gateway dropped: {dropped}"),
    };
    Ok(hybrid(outcome(
        suite,
        Attack::Replay,
        format!("replayed {frames} frames of a recorded pairing to both"),
        broken,
        shows,
        vec![
            figure("frames replayed", frames),
            figure("accepted", u8::from(shown) + u8::from(fooled)),
        ],
    )))
}

/// Sends every frame back to its sender.
pub fn reflect(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut wire = wire(target, suite)?;
    let drops = Drops::count(target);
    target.open_window();
    wire.node.node.node().pair()?;
    let mut frames = 0;
    for round in 0..ROUNDS {
        let start = wire.seen.len();
        wire.step(&mut relay)?;
        let seen: Vec<_> = wire.seen[start..].to_vec();
        for seen in &seen {
            frames += match seen.way {
                Way::Up => wire.inject_down([seen.frame.as_slice()])?,
                Way::Down => wire.add(target, [seen.frame.as_slice()])?,
            };
        }
        if node_digits(&wire).is_some() && target.comparing().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_micros(200));
        if round % QUIET == QUIET - 1 {
            wire.node.skip(NODE_REPEATS);
        }
    }
    let (at_node, at_gateway) = (node_digits(&wire), target.comparing());
    target.decide(false);
    let differ = match (at_node, at_gateway) {
        (Some(node), Some((_, gateway))) => node != gateway,
        _ => false,
    };
    let shows = match differ {
        true => "reflected frames changed the digits of one side".to_owned(),
        false => format!("both sides ignored them; gateway: {}", drops.words(target)),
    };
    Ok(hybrid(outcome(
        suite,
        Attack::Reflect,
        "sent every frame of a pairing also back to its sender",
        differ,
        shows,
        vec![figure("frames", frames)],
    )))
}

/// Opens many pairings of invented nodes: with the window closed, and with it open.
pub fn flood(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let (mut closed, mut open) = (wire(target, suite)?, wire(target, suite)?);
    let drops = Drops::count(target);
    let opens = || -> Result<Vec<[u8; PairOpen::BYTES]>> {
        let one = |_| {
            let id = DeviceId(u32::from_le_bytes(random_bytes()?));
            Ok(PairOpen::encode(random_bytes()?, id, suite, Kem::MlKem512))
        };
        (0..OPENS).map(one).collect()
    };
    let answers = |wire: &Wire| wire.captured(Way::Down, |first| first == PIECE).len() as u64;
    target.close_window();
    closed.inject(target, opens()?.iter().map(|frame| frame.as_slice()))?;
    target.open_window();
    open.inject(target, opens()?.iter().map(|frame| frame.as_slice()))?;
    let (while_closed, while_open) = (answers(&closed), answers(&open));
    // Reopening the window lets an honest node pair.
    let mut honest = wire(target, suite)?;
    pair(target, &mut honest)?;
    let broken = while_closed > 0 || while_open > KEYS_AT_ONCE;
    Ok(hybrid(outcome(
        suite,
        Attack::Flood,
        format!("opened {} pairings of invented nodes", 2 * OPENS),
        broken,
        format!(
            "{while_closed} key pairs of ML-KEM while the window was closed, {while_open} while it \
             was open; gateway: {}",
            drops.words(target)
        ),
        vec![
            figure("PAIR-OPENs", 2 * OPENS),
            figure("not-pairing", drops.of(target, Reason::NotPairing)),
            figure("key pairs, window closed", while_closed),
            figure("key pairs, window open", while_open),
        ],
    )))
}
