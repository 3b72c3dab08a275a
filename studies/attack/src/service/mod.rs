//! Attacks on the services: hostile clients against the running command, next to honest users.
//!
//! Each case starts `selo broker`, `selo collect`, `selo gateway` or `selo up` as child processes
//! in a temporary folder, on free loopback ports. A case holds if every honest user is served and
//! every bound holds. No verdict depends on speed: the deadlines are longer than any machine
//! needs, so only a service that has stopped reaches them.
//!
//! | module | is |
//! |---|---|
//! | [`case`] | a service, its verdict and figures |
//! | [`program`], [`site`] | the programs under attack |
//! | [`honest`] | the honest users |
//! | [`wire`], [`mqtt`], [`http`], [`packets`] | clients that can misbehave |
//! | [`broker`], [`collector`], [`trust`], [`gateway`], [`pairing`], [`sessions`], [`faults`] | the attacks |

pub mod broker;
pub mod case;
pub mod collector;
pub mod faults;
pub mod gateway;
pub mod honest;
pub mod http;
pub mod mqtt;
pub mod packets;
pub mod pairing;
pub mod program;
pub mod sessions;
pub mod site;
pub mod trust;
pub mod wire;

pub use self::case::{Case, Findings, Service, ServiceOutcome, ServiceVerdict};
pub use crate::error::{Error, Result};

/// Every attack on a service, in the order of the table.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    [
        &broker::CASES[..],
        &collector::CASES,
        &trust::CASES,
        &gateway::CASES,
        &pairing::CASES,
        &sessions::CASES,
        &faults::CASES,
    ]
    .into_iter()
    .flatten()
}
