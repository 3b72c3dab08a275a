//! Alters reveals and results.

use selo_link::{Reason, Suite, random_bytes};
use selo_sys::node::Event;

use super::scene::{
    ACCEPTED, NODE_REPEATS, REJECTED, REVEAL, REVEAL_KEY, REVEAL_R, compare, device, outcome,
};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::{Way, Wire};

/// Alters reveals and results, and sends results without a key.
pub fn forge(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut wire = Wire::new(suite, target)?;
    let drops = Drops::count(target);
    let (altered, compared) = alter_reveals(target, &mut wire, &drops)?;
    let commitment = drops.of(target, Reason::Commitment);
    let results = forge_results(target, &mut wire)?;
    let (fooled, stored) = (results.paired, results.stored);
    let frames = altered + results.frames;
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

/// What became of a node that received false results of its pairing.
pub(super) struct FalseResults {
    pub(super) frames: u64,
    /// The node took one.
    pub(super) paired: bool,
    /// The gateway stored a key.
    pub(super) stored: bool,
}

/// Node and gateway reach the digits. The node waits for the gateway's result and receives the
/// attacker's: two without a key, and the operator's rejection made an acceptance.
pub(super) fn forge_results(target: &mut dyn Target, wire: &mut Wire) -> Result<FalseResults> {
    let id = device(wire);
    compare(target, wire)?;
    wire.node.node.node().confirm(true)?;
    let mut forged = vec![[&[ACCEPTED][..], &id.to_bytes(), &random_bytes::<16>()?].concat()];
    forged.push([&[ACCEPTED][..], &id.to_bytes(), &[0; 16]].concat());
    let mut frames = wire.inject_down(forged.iter().map(Vec::as_slice))?;
    frames += alter_rejection(target, wire)?;
    Ok(FalseResults {
        frames,
        paired: wire.node.count(&Event::Paired) > 0,
        stored: target.device_key(id).is_some(),
    })
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
    yes[0] = ACCEPTED;
    wire.inject_down([yes.as_slice()])
}
