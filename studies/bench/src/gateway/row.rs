//! The rows of a bench report, and what they compare.

use selo_base::stats::Summary;
use serde::Serialize;

use crate::machine::Machine;

/// Schema of a `--json` line.
pub const SCHEMA: &str = "selo.bench-gateway/1";

/// A measured gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// `selo`, `baseline`, `baseline-keep-decryptor`, `recvmmsg`, or `x25519`.
    pub name: &'static str,
    /// Selo's suite.
    pub suite: Option<String>,
    /// Versions, devices, and peculiarities.
    pub about: String,
}

/// The kind of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// CPU time of a reading, received, decrypted and delivered. Of `recvmmsg`: of a datagram that is
    /// received and discarded, which no gateway can do faster.
    NanosecondsPerReading,
    /// CPU time of a completed key exchange. Of `x25519`: of its two scalar multiplications.
    NanosecondsPerJoin,
    /// CPU time of a join of a device that the gateway does not know.
    NanosecondsPerUnknownJoin,
    /// CPU time of a join in a device's name, without its key.
    NanosecondsPerForgedJoin,
    /// Readings received, decrypted and delivered, per second of CPU time.
    ReadingsPerCoreSecond,
    /// Completed key exchanges per second of CPU time.
    JoinsPerCoreSecond,
    /// Readings per second of CPU time with `--sessions` live sessions.
    ReadingsPerCoreSecondFull,
    /// Memory per device with a session, beyond an empty gateway's.
    BytesPerSession,
}

/// One figure.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub schema: &'static str,
    pub subject: Subject,
    pub metric: Metric,
    pub unit: &'static str,
    pub value: f64,
    /// Half width of the 95 % interval of the mean.
    pub ci95: Option<f64>,
    pub samples: Vec<f64>,
    /// Readings in all samples; `None` if the metric does not count readings.
    pub readings: Option<Readings>,
    /// Ratio to the baseline's figure of the same run, if there is one.
    pub over_baseline: Option<f64>,
    /// Always wall-clock: other programs ran too, and it varies from run to run.
    pub fidelity: &'static str,
    pub machine: Machine,
}

/// Outcome of sent readings. The remaining ones did not fit into the socket buffer and cost the
/// gateway nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Readings {
    pub sent: u64,
    /// Decrypted, authenticated and delivered.
    pub accepted: u64,
    /// Received but not accepted.
    pub refused: u64,
}

impl std::ops::AddAssign for Readings {
    fn add_assign(&mut self, other: Readings) {
        self.sent += other.sent;
        self.accepted += other.accepted;
        self.refused += other.refused;
    }
}

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Report {
    pub rows: Vec<Row>,
    pub machine: Machine,
    /// Remarks on the limits of the figures.
    pub remarks: Vec<String>,
}

impl Report {
    pub(super) fn push(
        &mut self,
        subject: &Subject,
        metric: Metric,
        unit: &'static str,
        (summary, samples): (Summary, Vec<f64>),
        readings: Option<Readings>,
        over_baseline: Option<f64>,
    ) {
        self.rows.push(Row {
            schema: SCHEMA,
            subject: subject.clone(),
            metric,
            unit,
            value: summary.mean,
            ci95: summary.ci95,
            samples,
            readings,
            over_baseline,
            fidelity: "wall-clock",
            machine: self.machine.clone(),
        });
    }
}
