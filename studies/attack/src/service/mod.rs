//! Attacks on the services: hostile clients against the running command, beside honest users.
//!
//! Each case starts `selo broker`, `selo collect`, `selo gateway` or `selo up` as child processes
//! in a temporary folder, on free ports of loopback. A case holds if every honest user is served
//! and every bound holds. No verdict depends on speed: the deadlines are longer than any machine
//! needs, and only a service that has stopped reaches them.
//!
//! | module | is |
//! |---|---|
//! | [`case`] | a service, a verdict, the figures |
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

/// An attack on a service that can be carried out.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Its name on the command line.
    pub name: &'static str,
    /// The program under attack.
    pub against: Service,
    /// The attacker's deeds.
    pub did: &'static str,
    /// Whether it belongs to the subset of `make test`.
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

    /// Left out of the subset of `make test`: it takes longer.
    const fn long(self) -> Case {
        Case {
            quick: false,
            ..self
        }
    }

    /// Carries it out against the command at `selo`. A step that fails breaks the case: each
    /// works as long as nobody attacks.
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

/// A step that works while nobody attacks has failed.
fn setup<T>(why: String) -> Result<T> {
    Err(Error::Service(why))
}
