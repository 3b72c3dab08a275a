//! Attacks on the pairing of a node with a running gateway: a crowd and a flood in its pairing
//! window, and a gateway that answers before the genuine one.

mod crowd;
mod desk;
mod held;
mod rogue;

use super::case::{Case, Service};

use crowd::{pairing_crowd, pairing_flood};
use rogue::rogue_gateway;

/// The attacks.
pub const CASES: [Case; 3] = [
    Case::new(
        Service::Gateway,
        "pairing-crowd",
        "12 commitments of invented nodes in the open pairing window",
        pairing_crowd,
    ),
    Case::new(
        Service::Gateway,
        "pairing-flood",
        "a flood of the open pairing window, from one address and then from 200",
        pairing_flood,
    ),
    Case::new(
        Service::Gateway,
        "rogue-gateway",
        "a gateway that answers a pairing node before the genuine one",
        rogue_gateway,
    ),
];
