//! Sends keys of small order, and frames back to their senders.

use selo_link::frame::{PairCommit, PairReveal};
use selo_link::{DeviceId, Reason, Suite, random_bytes};
use selo_sys::node::Event;

use super::scene::{COMMIT, KEY, SMALL_ORDER, device, node_digits, outcome};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::{Way, Wire};

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
