//! An attack on a service, its verdict, and the honest users' figures during it.

use std::fmt;
use std::path::Path;

use serde::Serialize;

use crate::case::Figure;
use crate::error::{Error, Result};

/// A program under attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Service {
    /// `selo broker`.
    Broker,
    /// `selo collect`.
    Collector,
    /// `selo gateway`.
    Gateway,
    /// `selo up`: all services in one process.
    Site,
}

impl Service {
    /// All services.
    pub const ALL: [Service; 4] = [
        Service::Broker,
        Service::Collector,
        Service::Gateway,
        Service::Site,
    ];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Service::Broker => "broker",
            Service::Collector => "collector",
            Service::Gateway => "gateway",
            Service::Site => "site",
        }
    }

    /// The service's systemd unit file.
    const fn unit(self) -> &'static str {
        match self {
            Service::Broker => {
                include_str!("../../../../site/packaging/systemd/selo-broker.service")
            }
            Service::Collector => {
                include_str!("../../../../site/packaging/systemd/selo-collector.service")
            }
            Service::Gateway => {
                include_str!("../../../../site/packaging/systemd/selo-gateway.service")
            }
            Service::Site => include_str!("../../../../site/packaging/systemd/selo.service"),
        }
    }

    /// Bytes that the unit file allows (`MemoryMax=`). Every attack must stay within it.
    pub fn memory_max(self) -> u64 {
        let mebibytes = self.limit("MemoryMax=", "M");
        mebibytes << 20
    }

    /// Threads that the unit file allows (`TasksMax=`).
    pub fn tasks_max(self) -> u64 {
        self.limit("TasksMax=", "")
    }

    /// A limit that the unit file does not set counts as zero, so the check then fails.
    fn limit(self, key: &str, unit: &str) -> u64 {
        let mut lines = self.unit().lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_suffix(unit));
        value.and_then(|value| value.parse().ok()).unwrap_or(0)
    }
}

impl fmt::Display for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Result of an attack on a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceVerdict {
    /// Honest users were served, and every bound held.
    Held,
    /// Honest users were not served, or a bound did not hold.
    Broken,
    /// This machine lacks something that the attack needs.
    NotRun,
}

/// Result of one attack on a service.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ServiceOutcome {
    /// The case's name.
    pub attack: &'static str,
    /// The program under attack.
    pub against: Service,
    /// Actions of the attacker.
    pub did: &'static str,
    /// The verdict.
    pub verdict: ServiceVerdict,
    /// The honest users' figures, then the reasons for the verdict.
    pub shows: String,
    /// Supporting figures.
    pub evidence: Vec<Figure>,
}

/// Collects figures and faults while a case runs.
#[derive(Debug, Default)]
pub struct Findings {
    faults: Vec<String>,
    notes: Vec<String>,
    evidence: Vec<Figure>,
    missing: Option<String>,
}

impl Findings {
    /// Marks the case as broken unless `holds`.
    pub fn expect(&mut self, holds: bool, fault: impl Into<String>) {
        if !holds {
            self.faults.push(fault.into());
        }
    }

    /// Returns true if nothing has broken the case so far.
    pub fn is_whole(&self) -> bool {
        self.faults.is_empty()
    }

    /// Adds a sentence for the table.
    pub fn note(&mut self, words: impl Into<String>) {
        self.notes.push(words.into());
    }

    /// Adds a number for `--json` and `--verbose`.
    pub fn figure(&mut self, what: &'static str, value: f64) {
        self.evidence.push(Figure { what, value });
    }

    /// Findings of a case that needs something that this machine lacks.
    pub fn lacks(what: impl Into<String>) -> Findings {
        Findings {
            missing: Some(what.into()),
            ..Findings::default()
        }
    }

    /// The outcome of the case with that name; `did` is what the attacker did.
    pub fn outcome(
        self,
        attack: &'static str,
        against: Service,
        did: &'static str,
    ) -> ServiceOutcome {
        let verdict = match (&self.missing, self.faults.is_empty()) {
            (Some(_), _) => ServiceVerdict::NotRun,
            (None, true) => ServiceVerdict::Held,
            (None, false) => ServiceVerdict::Broken,
        };
        let faults = self
            .faults
            .into_iter()
            .map(|fault| format!("FAULT: {fault}"));
        let shows: Vec<String> = (self.notes.into_iter())
            .chain(self.missing)
            .chain(faults)
            .collect();
        ServiceOutcome {
            attack,
            against,
            did,
            verdict,
            shows: shows.join("; "),
            evidence: self.evidence,
        }
    }
}

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
    pub(super) const fn new(
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
    pub(super) const fn long(self) -> Case {
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

/// Error for a step that works without an attack but failed.
pub(super) fn setup<T>(why: String) -> Result<T> {
    Err(Error::Service(why))
}
