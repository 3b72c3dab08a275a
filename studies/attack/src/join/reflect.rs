//! Sends frames back to their senders.

use selo_link::Suite;

use super::scene::{DOWN, SECRET, Scene, UP};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::Way;

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
