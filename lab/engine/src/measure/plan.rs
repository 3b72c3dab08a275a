//! The first stage: which operations of a unit are measured, with which messages, and in
//! which metrics.

use super::{Lab, Of};
use crate::interface::Interface;
use crate::library::Unit;
use crate::metrics;
use crate::row::{Cause, Metric, Row};

/// An operation, with the size of its message where it takes one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub name: String,
    pub bytes: Option<u32>,
}

/// What is timed of one unit.
pub(super) struct Plan {
    pub operations: Vec<Operation>,
    /// Every operation has a row for each.
    pub metrics: Vec<Metric>,
}

impl Operation {
    pub fn new(name: &str, bytes: Option<u32>) -> Operation {
        let name = name.to_owned();
        Operation { name, bytes }
    }
}

impl Plan {
    /// Whether nothing has to run.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() || self.metrics.is_empty()
    }
}

impl Lab<'_> {
    /// The metrics that are measured: those wanted, or what they are made of.
    pub(super) fn measured(&self) -> Vec<Metric> {
        metrics::measured(self.board, &self.metrics)
    }

    pub(super) fn wants_operation(&self, operation: &str) -> bool {
        self.operations.is_empty() || self.operations.iter().any(|wanted| wanted == operation)
    }

    /// What is timed of a unit. An operation that is asked for by name, and that the unit does
    /// not have, gets its rows here.
    pub(super) fn plan(&self, unit: &Unit<'_>, rows: &mut Vec<Row>) -> Plan {
        let mut metrics = self.measured();
        metrics.retain(|metric| !matches!(metric, Metric::Flash | Metric::Ram | Metric::Rate));
        let interface = unit.algorithm.interface;
        let mut operations = Vec::new();
        for operation in operations_of(unit) {
            if !self.wants_operation(&operation) {
                continue;
            }
            if !unit.offers(&operation) {
                if !self.operations.is_empty() {
                    let one = [Operation::new(&operation, None)];
                    let lacks = Cause::Lacks { operation };
                    rows.extend(self.failed(Of::none(unit), &one, &metrics, &lacks));
                }
                continue;
            }
            let sizes = &unit.algorithm.bytes;
            if interface.takes_message(&operation) && !sizes.is_empty() {
                let sized = |&bytes: &u32| Operation::new(&operation, Some(bytes));
                operations.extend(sizes.iter().map(sized));
            } else {
                operations.push(Operation::new(&operation, None));
            }
        }
        Plan {
            operations,
            metrics,
        }
    }
}

/// The operations of a unit that are timed: its interface's, or for probes those of the manifest.
fn operations_of(unit: &Unit<'_>) -> Vec<String> {
    match unit.algorithm.interface {
        Interface::Probe => unit.implementation.operations.clone(),
        interface => interface
            .timed_operations()
            .iter()
            .map(|&name| name.to_owned())
            .collect(),
    }
}
