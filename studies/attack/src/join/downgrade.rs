//! Asks for weaker suites, options and protocols.

use std::time::Duration;

use selo_link::frame::{JoinAccept, JoinRequest};
use selo_link::join::JoinAttempt;
use selo_link::{EphemeralSecret, Reason, Suite};
use selo_sys::node::Event;

use super::scene::{SECRET, Scene};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::{Error, Result};
use crate::target::{Drops, Target};
use crate::wire::{Way, Wire};

/// Alters options, flags and suite, and uses classic frames.
pub fn downgrade(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::joined(target, suite)?;
    let drops = Drops::count(scene.target);
    let (sessions, spent) = (scene.target.sessions(), scene.target.multiplications());

    let own = EphemeralSecret::random()?.public_key();
    let requests = weaker_requests(&mut scene, &own)?;
    let mut sent = scene.inject(&requests)?;
    let spent = scene.target.multiplications() - spent;
    let new_sessions = scene.target.sessions().saturating_sub(sessions);

    let Answered {
        frames,
        fooled,
        joined,
    } = weaker_answers(&mut scene, &own)?;
    sent += frames;

    let frame = scene.withhold(SECRET)?;
    sent += scene.inject(&other_flags(&frame))?;
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
    let refused = |reason: Reason| drops.of(scene.target, reason);
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
            figure("classic-refused", refused(Reason::ClassicRefused)),
            figure("forged-join", refused(Reason::ForgedJoin)),
            figure(
                "accepted",
                surplus as u64 + new_sessions + u64::from(fooled),
            ),
        ],
    ))
}

/// Requests that would weaken the session, if the gateway accepted one: for other suites, with other
/// options, and of the paper's protocol.
fn weaker_requests(scene: &mut Scene<'_>, own: &[u8; 32]) -> Result<Vec<Vec<u8>>> {
    // A request for each other suite, even from someone who has the key.
    let mut frames = Vec::new();
    for other in Suite::ALL.into_iter().filter(|other| *other != scene.suite) {
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
    frames.push(selo_classic::Frame::REQUEST.to_vec());
    frames.push(selo_classic::Frame::encode_node_key(own).to_vec());
    frames.push([&[0xc3][..], &[0; 32]].concat());
    Ok(frames)
}

/// What became of altered answers.
struct Answered {
    frames: u64,
    /// The node accepted an altered answer.
    fooled: bool,
    /// The node accepted the genuine answer.
    joined: bool,
}

/// Alters the options of the answer to the node, and sends the paper's answer. The genuine answer
/// follows.
fn weaker_answers(scene: &mut Scene<'_>, own: &[u8; 32]) -> Result<Answered> {
    let joined = scene.wire.node.count(&Event::Joined);
    scene.wire.node.skip(Duration::from_secs(2));
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
    let mut frames = vec![selo_classic::Frame::encode_gateway_key(own).to_vec()];
    let options = JoinAccept::BYTES - 16 - 1;
    for bit in 0..8 {
        let mut altered = accept.clone();
        altered[options] ^= 1 << bit;
        frames.push(altered);
    }
    let sent = scene.inject_down(&frames)?;
    let fooled = scene.wire.node.count(&Event::Joined) > joined;
    scene.wire.inject_down([accept.as_slice()])?;
    let joined = scene.wire.node.count(&Event::Joined) > joined;
    Ok(Answered {
        frames: sent,
        fooled,
        joined,
    })
}

/// Every combination of a data frame's flags except the right one.
fn other_flags(frame: &[u8]) -> Vec<Vec<u8>> {
    (1..16)
        .map(|flags| {
            let mut altered = frame.to_vec();
            altered[0] ^= flags;
            altered
        })
        .collect()
}
