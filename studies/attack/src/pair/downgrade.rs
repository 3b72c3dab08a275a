//! Replaces the node's suite.

use selo_link::{Reason, Suite};

use super::scene::{COMMIT, SUITE, outcome};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::{Way, Wire};

/// Replaces the node's suite by another one.
pub fn downgrade(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let drops = Drops::count(target);
    let (mut tried, mut compared) = (0, 0);
    let codes = Suite::ALL.into_iter().map(Suite::code).chain([0, 9]);
    for code in codes.filter(|code| *code != suite.code()) {
        let mut wire = Wire::new(suite, target)?;
        target.open_window();
        let mut alter = |_: Way, frame: &[u8]| {
            let mut frame = frame.to_vec();
            if frame.first() == Some(&COMMIT) {
                frame[SUITE] = code;
            }
            vec![frame]
        };
        wire.node.node.node().pair()?;
        let before = (
            drops.of(target, Reason::Commitment),
            drops.of(target, Reason::Malformed),
        );
        let shown = &*target;
        wire.must("an altered suite was not processed", &mut alter, |_| {
            let after = (
                drops.of(shown, Reason::Commitment),
                drops.of(shown, Reason::Malformed),
            );
            after != before || shown.comparing().is_some()
        })?;
        tried += 1;
        compared += u64::from(target.comparing().is_some());
        target.decide(false);
    }
    let commitment = drops.of(target, Reason::Commitment);
    let broken = compared > 0;
    let shows = match broken {
        true => format!("the gateway continued with {compared} false suites"),
        false => format!("gateway: {}", drops.words(target)),
    };
    Ok(outcome(
        suite,
        Attack::Downgrade,
        format!("wrote {tried} other suites into the commitment frame"),
        broken,
        shows,
        vec![
            figure("suites tried", tried as u64),
            figure("commitment", commitment),
            figure("malformed", drops.of(target, Reason::Malformed)),
            figure("accepted", compared),
        ],
    ))
}
