//! Replaces keys in the messages of a join.

use selo_link::{EphemeralSecret, Reason, Suite};
use selo_sys::node::Event;

use super::scene::{SECRET, Scene};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::{Way, relay};

/// Replaces both ephemeral keys by the attacker's, in both messages of the join.
pub fn mitm(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut scene = Scene::known(target, suite)?;
    let drops = Drops::count(scene.target);
    let (sessions, spent) = (scene.target.sessions(), scene.target.multiplications());
    let own = EphemeralSecret::random()?.public_key();
    replace_in_request(&mut scene, &own, &drops, sessions)?;
    let forged = drops.of(scene.target, Reason::ForgedJoin);
    let spent = scene.target.multiplications() - spent;
    let taken = scene.target.sessions() - sessions;
    replace_in_answer(&mut scene, &own)?;
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

/// The node sends a request, whose key the attacker replaces. Waits until the gateway has refused or
/// accepted it.
fn replace_in_request(
    scene: &mut Scene<'_>,
    own: &[u8; 32],
    drops: &Drops,
    sessions: u64,
) -> Result<()> {
    scene.wire.node.node.node().join()?;
    let mut replace = |way: Way, frame: &[u8]| {
        let mut frame = frame.to_vec();
        if way == Way::Up {
            frame[5..37].copy_from_slice(own);
        }
        vec![frame]
    };
    let target = &*scene.target;
    scene
        .wire
        .must("the gateway received nothing", &mut replace, |_| {
            target.packets() > 0 && drops.words(target) != "nothing" || target.sessions() > sessions
        })
}

/// The node repeats its request, and the attacker replaces the key of the genuine answer.
fn replace_in_answer(scene: &mut Scene<'_>, own: &[u8; 32]) -> Result<()> {
    scene.wire.node.skip(std::time::Duration::from_secs(2));
    let mut replace = |way: Way, frame: &[u8]| {
        let mut frame = frame.to_vec();
        if way == Way::Down {
            frame[5..37].copy_from_slice(own);
        }
        vec![frame]
    };
    scene
        .wire
        .must("the gateway did not answer", &mut replace, |wire| {
            wire.seen.iter().any(|seen| seen.way == Way::Down)
        })?;
    scene.wire.drain()
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack
        .windows(needle.len())
        .any(|window| window == needle)
}
