//! Alters sealed frames.

use selo_link::{Reason, Suite};

use super::scene::{COMMAND, DOWN, SECRET, Scene};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::{Error, Result};
use crate::target::{Drops, Target};
use crate::wire::Way;

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
