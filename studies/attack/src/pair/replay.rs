//! Replays a recorded pairing.

use selo_link::Suite;
use selo_sys::node::Event;

use super::scene::{device, node_digits, outcome, pair};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::{Error, Result};
use crate::target::{Drops, Target};
use crate::wire::{Way, Wire};

/// What a replay led to.
pub(super) struct Replayed {
    /// Frames that were replayed.
    pub frames: u64,
    /// The digits of the recorded pairing.
    pub old_digits: u32,
    /// The digits that the gateway showed, and those that the node showed.
    pub shown: Option<u32>,
    pub again: Option<u32>,
    /// The node took the recorded result.
    pub fooled: bool,
    /// The gateway kept the key of the recorded pairing.
    pub kept: bool,
    /// The gateway's drops.
    pub dropped: String,
}

/// Records a pairing, and replays it: to the gateway in a new window, and to the node in a new
/// pairing.
pub(super) fn record_and_replay(target: &mut dyn Target, wire: &mut Wire) -> Result<Replayed> {
    let id = device(wire);
    let old_digits = pair(target, wire)?;
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
    let now = target.device_key(id);
    let kept = now.is_some_and(|now| now.expose() == key.expose());

    // The node pairs again, and receives the gateway's recorded packets.
    wire.node.events.clear();
    wire.node.node.node().pair()?;
    frames += wire.inject_down(down.iter().map(Vec::as_slice))?;
    Ok(Replayed {
        frames,
        old_digits,
        shown,
        again: node_digits(wire),
        fooled: wire.node.count(&Event::Paired) > 0,
        kept,
        dropped: drops.words(target),
    })
}

/// Replays a recorded pairing to both.
pub fn replay(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let mut wire = Wire::new(suite, target)?;
    let Replayed {
        frames,
        old_digits,
        shown,
        again,
        fooled,
        kept,
        dropped,
    } = record_and_replay(target, &mut wire)?;
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
             stored; gateway dropped: {dropped}",
            six(shown),
            six(again)
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
