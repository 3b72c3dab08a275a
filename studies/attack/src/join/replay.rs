//! Replays recorded frames, in the session and in the next.

use selo_link::{Reason, Suite};
use selo_sys::node::Event;

use super::scene::{DOWN, SECRET, Scene, UP};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::{Way, relay};

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
    scene.send(SECRET)?; // the live session is unharmed
    let received = scene.wire.node.received().len();

    let recorded = Recorded {
        ups,
        downs,
        requests,
        accepts,
    };
    let (more, fooled) = replay_in_next_session(&mut scene, &recorded)?;
    frames += more;

    let twice = scene.wire.node.received().len() - received;
    let surplus = scene.surplus();
    let broken = surplus + twice > 0 || fooled || replayed_spent + new_sessions > 0;
    let refused = |reason: Reason| drops.of(scene.target, reason);
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
            figure("replayed", refused(Reason::Replayed)),
            figure("replayed-join", refused(Reason::ReplayedJoin)),
            figure("unknown-session", refused(Reason::UnknownSession)),
            figure("delivered twice", surplus + twice),
            figure("scalar multiplications for replays", replayed_spent),
        ],
    ))
}

/// Frames of a session that the attacker recorded.
struct Recorded {
    ups: Vec<Vec<u8>>,
    downs: Vec<Vec<u8>>,
    requests: Vec<Vec<u8>>,
    accepts: Vec<Vec<u8>>,
}

/// Replays packets of the previous session in the next one, and its answer to the new request.
/// Returns the number of frames, and true if the node accepted the old answer.
fn replay_in_next_session(scene: &mut Scene<'_>, recorded: &Recorded) -> Result<(u64, bool)> {
    let joined = scene.wire.node.count(&Event::Joined);
    scene.wire.node.node.node().join()?;
    let mut frames = scene.inject_down(&recorded.accepts)?;
    let fooled = scene.wire.node.count(&Event::Joined) > joined;
    scene
        .wire
        .must("the node cannot rejoin", &mut relay, |wire| {
            wire.node.count(&Event::Joined) > joined
        })?;
    scene.send(SECRET)?;
    frames += scene.inject(&recorded.ups)?;
    frames += scene.inject(&recorded.requests)?;
    frames += scene.inject_down(&recorded.downs)?;
    scene.send(SECRET)?;
    Ok((frames, fooled))
}
