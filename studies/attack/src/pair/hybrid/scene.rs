//! What the attacks on a hybrid pairing share.

use selo_link::Suite;
use selo_sys::node::Pairing;

use crate::case::{Against, LinkOutcome};
use crate::error::Result;
use crate::target::Target;
use crate::wire::Wire;

/// A new node that pairs with ML-KEM-512, behind the attacker.
pub(super) fn wire(target: &dyn Target, suite: Suite) -> Result<Wire> {
    Wire::with_pairing(suite, Pairing::MlKem512, target)
}

pub(super) fn hybrid(outcome: LinkOutcome) -> LinkOutcome {
    LinkOutcome {
        against: Against::Hybrid,
        ..outcome
    }
}
