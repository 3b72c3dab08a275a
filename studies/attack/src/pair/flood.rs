//! Floods the gateway with commitments.

use selo_link::frame::PairCommit;
use selo_link::{DeviceId, Reason, Suite, random_bytes};

use super::scene::{FLOOD, KEYS_AT_ONCE, outcome, pair};
use crate::case::{Attack, LinkOutcome, figure};
use crate::error::Result;
use crate::target::{Drops, Target};
use crate::wire::Wire;

/// Floods pairings: with the window closed, and with it open.
pub fn flood(target: &mut dyn Target, suite: Suite) -> Result<LinkOutcome> {
    let (mut wire, mut other) = (Wire::new(suite, target)?, Wire::new(suite, target)?);
    let drops = Drops::count(target);
    target.close_window();
    let spent = target.multiplications();
    let commits = || -> Result<Vec<Vec<u8>>> {
        let commit = |_| {
            let id = DeviceId(u32::from_le_bytes(random_bytes()?));
            Ok(PairCommit::encode(id, suite, &random_bytes()?).to_vec())
        };
        (0..FLOOD).map(commit).collect()
    };
    let closed = commits()?;
    wire.inject(target, closed.iter().map(Vec::as_slice))?;
    let spent_closed = target.multiplications() - spent;
    target.open_window();
    let open = commits()?;
    other.inject(target, open.iter().map(Vec::as_slice))?;
    let spent_open = target.multiplications() - spent - spent_closed;
    // Reopening the window lets an honest node pair.
    let mut honest = Wire::new(suite, target)?;
    pair(target, &mut honest)?;
    let broken = spent_closed > 0 || spent_open > KEYS_AT_ONCE;
    let shows = format!(
        "{spent_closed} scalar multiplications while the window was closed, {spent_open} while \
         it was open; gateway: {}",
        drops.words(target)
    );
    Ok(outcome(
        suite,
        Attack::Flood,
        format!("began {} pairings of invented nodes", 2 * FLOOD),
        broken,
        shows,
        vec![
            figure("PAIR-COMMITs", 2 * FLOOD),
            figure("not-pairing", drops.of(target, Reason::NotPairing)),
            figure("scalar multiplications, window closed", spent_closed),
            figure("scalar multiplications, window open", spent_open),
        ],
    ))
}
