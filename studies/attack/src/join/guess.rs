//! Guesses tags.

use selo_link::{Reason, Suite, random_bytes};
use selo_sys::node::Event;

use super::scene::{DOWN, SECRET, Scene, session_of};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::relay;

/// Tags that are guessed at the gateway.
const GUESSES: usize = 20_000;
/// Wrong tags after which the node ends a session [docs/protocol.md, Forgeries].
const NODE_LIMIT: usize = 1 << 15;

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
