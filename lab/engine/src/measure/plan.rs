//! The first stage: selects the operations of a unit, their message sizes and the metrics.

use super::lab::{Lab, Of};
use crate::interface::Interface;
use crate::library::Unit;
use crate::metrics;
use crate::row::{Cause, Metric, Row};

/// An operation, with its message size in bytes if it has a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    pub name: String,
    pub bytes: Option<u32>,
}

/// The operations and metrics to time for one unit.
#[derive(Default)]
pub(super) struct Plan {
    pub operations: Vec<Operation>,
    /// Every operation gets a row for each metric.
    pub metrics: Vec<Metric>,
}

impl Operation {
    pub fn new(name: &str, bytes: Option<u32>) -> Operation {
        let name = name.to_owned();
        Operation { name, bytes }
    }
}

impl Plan {
    /// The operations whose messages, with an IV, padding or a tag, fit buffers of `room` bytes.
    pub fn fitting(&self, room: u32) -> Plan {
        const BESIDE: u32 = 64;
        let fits = |operation: &&Operation| operation.bytes.unwrap_or(0) + BESIDE <= room;
        Plan {
            operations: self.operations.iter().filter(fits).cloned().collect(),
            metrics: self.metrics.clone(),
        }
    }

    /// True if nothing has to run.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty() || self.metrics.is_empty()
    }
}

impl Lab<'_> {
    /// The metrics to measure: those wanted, or those from which they are derived.
    pub(super) fn measured(&self) -> Vec<Metric> {
        metrics::measured(self.board, &self.metrics)
    }

    pub(super) fn wants_operation(&self, operation: &str) -> bool {
        self.operations.is_empty() || self.operations.iter().any(|wanted| wanted == operation)
    }

    /// The operations and metrics to time. An operation that the user named but the unit lacks gets
    /// its rows here.
    pub(super) fn plan(&self, unit: &Unit<'_>, rows: &mut Vec<Row>) -> Plan {
        let timed = |metric: Metric| {
            !metric.is_of_image() && !matches!(metric, Metric::Rate | Metric::Heap)
        };
        self.plan_for(unit, timed, rows)
    }

    /// The operations whose heap is counted, likewise.
    pub(super) fn plan_of_heap(&self, unit: &Unit<'_>, rows: &mut Vec<Row>) -> Plan {
        self.plan_for(unit, |metric| metric == Metric::Heap, rows)
    }

    fn plan_for(
        &self,
        unit: &Unit<'_>,
        wants: impl Fn(Metric) -> bool,
        rows: &mut Vec<Row>,
    ) -> Plan {
        let mut metrics = self.measured();
        metrics.retain(|&metric| wants(metric));
        if metrics.is_empty() {
            return Plan::default();
        }
        let interface = unit.algorithm.interface;
        let mut operations = Vec::new();
        for operation in operations_of(unit) {
            if !self.wants_operation(&operation) {
                continue;
            }
            if !unit.performs(&operation) {
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

/// The operations to time: those of the interface, or for probes those of the manifest.
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
