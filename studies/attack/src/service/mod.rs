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

use std::path::Path;

pub use self::case::{Findings, Service, ServiceOutcome, ServiceVerdict};
pub use crate::error::{Error, Result};

/// An attack on a service that can be run.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Name on the command line.
    pub name: &'static str,
    /// The program under attack.
    pub against: Service,
    /// Actions of the attacker.
    pub did: &'static str,
    /// True if it belongs to the quick subset of `make test`.
    pub quick: bool,
    run: fn(&Path) -> Result<Findings>,
}

impl Case {
    const fn new(
        against: Service,
        name: &'static str,
        did: &'static str,
        run: fn(&Path) -> Result<Findings>,
    ) -> Case {
        Case {
            name,
            against,
            did,
            quick: true,
            run,
        }
    }

    /// Excludes it from the quick subset, because it takes longer.
    const fn long(self) -> Case {
        Case {
            quick: false,
            ..self
        }
    }

    /// Runs the case against the command at `selo`. A failed step breaks the case, because every
    /// step works without an attack.
    pub fn run(&self, selo: &Path) -> ServiceOutcome {
        let findings = (self.run)(selo).unwrap_or_else(|error| {
            let mut findings = Findings::default();
            findings.expect(false, error.to_string());
            findings
        });
        findings.outcome(self.name, self.against, self.did)
    }
}

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

/// Error for a step that works without an attack but failed.
fn setup<T>(why: String) -> Result<T> {
    Err(Error::Service(why))
}
