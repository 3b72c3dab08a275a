//! The benchmark of the gateway.
//!
//! A round measures the baseline and Selo's gateway one after the other, each in a new process,
//! with the same load generator. The figure is work per CPU time: the user and system time that
//! the kernel charged to the gateway's process for a number of joins or readings. The load
//! generator's share of the machine therefore does not count, and a multi-threaded gateway has no
//! advantage. The rounds' figures give the mean and its interval.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use selo_base::stats::{Summary, summarise};
use selo_gateway::control::Status;
use selo_gateway::engine::{PACKETS_BURST, PACKETS_PER_SECOND};
use selo_link::Suite;
use serde::Serialize;

use crate::classic::{self, Baseline};
use crate::error::Result;
use crate::load::{self, Addresses, BATCH};
use crate::machine::Machine;
use crate::process::Process;
use crate::sealed::{self, SealedGateway, State};

/// Schema of a `--json` line.
pub const SCHEMA: &str = "selo.bench-gateway/1";

/// Number of device addresses, for both gateways. Each device of the baseline needs its own.
const ADDRESSES: usize = 512;

/// Devices of a round. With this many, several seconds at full speed stay below the limit of each
/// device.
const DEVICES: usize = 20_000;

/// Joins of the baseline in a round: about as much CPU time as Selo's.
const BASELINE_JOINS: usize = 2_048;

/// Frames sealed at a time.
const CHUNK: usize = 1_000_000;

/// Parameters of the benchmark.
#[derive(Debug, Clone)]
pub struct Options {
    /// The source folder, for the baseline.
    pub project: PathBuf,
    /// The command `selo`.
    pub program: PathBuf,
    /// Python for the baseline. `None`: Debian's.
    pub python: Option<PathBuf>,
    pub with_baseline: bool,
    pub suites: Vec<Suite>,
    /// Sessions for the memory measurement; 0 skips it.
    pub sessions: usize,
    /// Maximum duration of sending readings in each round.
    pub seconds: Duration,
    pub rounds: u32,
    /// Devices in the rounds. Use fewer only to try the benchmark.
    pub devices: usize,
    /// Directory for the gateways' state; `None` for the system's temporary directory.
    pub state: Option<PathBuf>,
}

impl Options {
    /// The defaults of the command.
    pub fn new(project: PathBuf, program: PathBuf) -> Options {
        Options {
            project,
            program,
            python: None,
            with_baseline: true,
            suites: vec![Suite::ChaChaPolyBlake2s],
            sessions: 1_000_000,
            seconds: Duration::from_secs(5),
            rounds: 3,
            devices: DEVICES,
            state: None,
        }
    }
}

/// A measured gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// `selo`, `baseline`, or `baseline-keep-decryptor`.
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

/// Result of one subject in one round.
#[derive(Debug, Clone, Copy, Default)]
struct Sample {
    joins: f64,
    readings: f64,
    counts: Readings,
}

/// Runs the benchmark. `progress` is called with the current step.
pub fn run(options: &Options, mut progress: impl FnMut(&str)) -> Result<Report> {
    let baseline = options
        .with_baseline
        .then(|| Baseline::find(&options.project, options.python.as_deref()))
        .transpose()?;
    let mut subjects: Vec<(Subject, Vec<Sample>)> = Vec::new();
    for round in 1..=options.rounds {
        let of = format!("round {round} of {}", options.rounds);
        for keep in [false, true] {
            if let Some(baseline) = &baseline {
                progress(&format!("{of}: {}", baseline_name(keep)));
                let (subject, sample) = measure_baseline(baseline, keep, options)?;
                add(&mut subjects, subject, sample);
            }
        }
        for suite in &options.suites {
            progress(&format!("{of}: selo, {suite}"));
            let (subject, sample) = measure_selo(*suite, options)?;
            add(&mut subjects, subject, sample);
        }
    }
    let machine = Machine::this();
    let mut report = Report {
        rows: Vec::new(),
        remarks: remarks(&subjects),
        machine,
    };
    for metric in [Metric::ReadingsPerCoreSecond, Metric::JoinsPerCoreSecond] {
        rows_of(&mut report, &subjects, metric);
    }
    if options.sessions > 0 {
        for suite in &options.suites {
            measure_full(*suite, options, &mut report, &mut progress)?;
        }
    }
    Ok(report)
}

fn add(subjects: &mut Vec<(Subject, Vec<Sample>)>, subject: Subject, sample: Sample) {
    match subjects.iter_mut().find(|(other, _)| *other == subject) {
        Some((_, samples)) => samples.push(sample),
        None => subjects.push((subject, vec![sample])),
    }
}

fn baseline_name(keep: bool) -> &'static str {
    if keep {
        "baseline-keep-decryptor"
    } else {
        "baseline"
    }
}

fn rows_of(report: &mut Report, subjects: &[(Subject, Vec<Sample>)], metric: Metric) {
    let value = |sample: &Sample| match metric {
        Metric::JoinsPerCoreSecond => sample.joins,
        _ => sample.readings,
    };
    let mut baseline = None;
    for (subject, samples) in subjects {
        let values: Vec<f64> = samples.iter().map(value).collect();
        let Some(summary) = summarise(&values) else {
            continue;
        };
        if subject.name == baseline_name(false) {
            baseline = Some(summary.mean);
        }
        let over = baseline.filter(|_| subject.name != baseline_name(false));
        let over = over.map(|baseline| summary.mean / baseline);
        let counts = (metric == Metric::ReadingsPerCoreSecond).then(|| sum(samples));
        report.push(subject, metric, "1/s", (summary, values), counts, over);
    }
}

fn sum(samples: &[Sample]) -> Readings {
    let mut sum = Readings::default();
    samples.iter().for_each(|sample| sum += sample.counts);
    sum
}

fn remarks(subjects: &[(Subject, Vec<Sample>)]) -> Vec<String> {
    let mut remarks = vec![
        "Work per CPU time (user and system, all threads) of the gateway's process. Wall-clock \
        fidelity: it varies between runs and machines; the ratio varies less."
            .to_owned(),
        "Each reading includes, for both gateways: the kernel's work to deliver one datagram, \
        the session look-up, decryption, counting."
            .to_owned(),
        "For Selo only: the authentication tag, the replay window, rate limits, the journal \
        (written to the disk once a second), one line of JSON to /dev/null. The baseline checks \
        the padding and discards the reading."
            .to_owned(),
    ];
    for (subject, samples) in subjects {
        let Readings {
            sent,
            accepted,
            refused,
        } = sum(samples);
        let suite = subject.suite.as_deref().unwrap_or_default();
        remarks.push(
            format!(
                "{} {suite}: {sent} readings sent, {accepted} accepted, {refused} refused; the \
                rest did not fit into the socket buffer and cost the gateway nothing.",
                subject.name
            )
            .replace(" :", ":"),
        );
    }
    remarks
}

impl Report {
    fn push(
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

/// Sends readings until the time limit, or until the devices have sent as many as a gateway
/// accepts of them. Chunks are sealed while no clock runs. Returns the number sent.
fn load(addresses: &Addresses, limit: Duration, devices: &mut sealed::Devices) -> Result<u64> {
    let (mut sent, mut elapsed) = (0, Duration::ZERO);
    while elapsed < limit {
        let chunk = next_chunk(addresses.len(), devices.len(), elapsed, sent);
        if chunk == 0 {
            break;
        }
        let part = load::send(addresses, &devices.seal(chunk), limit - elapsed)?;
        sent += part.frames;
        elapsed += part.elapsed;
    }
    Ok(sent)
}

/// Number of readings that may follow those already sent. However fast the machine, no device
/// must come near the limit above which the gateway refuses, because that would measure something
/// else. Addresses take turns and share the devices, so addresses with the fewest devices send
/// the most per device.
fn next_chunk(addresses: usize, devices: usize, elapsed: Duration, sent: u64) -> usize {
    let turns = addresses * BATCH;
    let each = 0.75 * f64::from(PACKETS_BURST)
        + 0.9 * f64::from(PACKETS_PER_SECOND) * elapsed.as_secs_f64();
    let may = (each * (devices / addresses * addresses) as f64) as u64;
    let left = may.saturating_sub(sent).min(CHUNK as u64) as usize;
    left - left % turns
}

/// Batches sent before the clock runs, one per address and few enough for any socket buffer. If
/// the gateway does not accept all their readings, the measurement would be of something else.
const REHEARSAL: usize = 10;

/// Returns an error unless all readings were accepted.
fn all_accepted(process: &Process, sent: u64, accepted: u64) -> Result<()> {
    if accepted == sent {
        return Ok(());
    }
    Err(process.broken(format!(
        "it accepted only {accepted} of {sent} readings that were sent slowly"
    )))
}

/// Waits for a gateway to settle. Returns its status and the number of accepted readings. On a
/// busy machine it may seem idle before it has started, so it is polled for some seconds until it
/// has all readings.
fn settled<S>(sent: u64, mut settle: impl FnMut() -> Result<(S, u64)>) -> Result<(S, u64)> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let start = Instant::now();
    loop {
        let now = settle()?;
        if now.1 >= sent || start.elapsed() > PATIENCE {
            return Ok(now);
        }
    }
}

/// Waits until the gateway is idle. Deferred work of joins, such as registry rows, must count for
/// the joins and not for the readings.
fn rest(process: &Process) -> Result<()> {
    // Longer than a second, because some work is done once a second.
    const LOOK: Duration = Duration::from_millis(1_200);
    const IDLE: f64 = 0.02;
    let start = Instant::now();
    let mut before = process.cpu_seconds()?;
    loop {
        std::thread::sleep(LOOK);
        let now = process.cpu_seconds()?;
        if now - before <= IDLE || start.elapsed() > 20 * LOOK {
            return Ok(());
        }
        before = now;
    }
}

/// Work per second of CPU time since `before`.
fn per_core_second(process: &Process, before: f64, work: u64) -> Result<f64> {
    Ok(work as f64 / (process.cpu_seconds()? - before))
}

fn measure_baseline(
    baseline: &Baseline,
    keep: bool,
    options: &Options,
) -> Result<(Subject, Sample)> {
    let mut gateway = baseline.start(keep)?;
    let addresses = Addresses::open(ADDRESSES.min(options.devices), gateway.address)?;
    let mut devices = classic::Devices::new()?;
    let before = gateway.process.cpu_seconds()?;
    let mut joins = 0;
    while joins < BASELINE_JOINS.min(options.devices) {
        devices.join(&gateway, &addresses)?;
        joins += addresses.len();
    }
    let joined = gateway.settle()?.joins;
    rest(&gateway.process)?;
    let join_rate = per_core_second(&gateway.process, before, joined)?;

    let rehearsal = devices.seal(REHEARSAL.min(addresses.len()) * BATCH);
    let sent = load::send(&addresses, &rehearsal, Duration::MAX)?.frames;
    let (rehearsed, accepted) = settled(sent, || {
        let now = gateway.settle()?;
        Ok((now, now.readings))
    })?;
    all_accepted(&gateway.process, sent, accepted)?;

    // ECB has no counters, so a chunk can be sent repeatedly.
    let frames = devices.seal(CHUNK / 10);
    let before = gateway.process.cpu_seconds()?;
    let (start, mut sent) = (Instant::now(), 0);
    while start.elapsed() < options.seconds {
        let rest = options.seconds.saturating_sub(start.elapsed());
        sent += load::send(&addresses, &frames, rest)?.frames;
    }
    let after = gateway.settle()?;
    let counts = Readings {
        sent,
        accepted: after.readings - rehearsed.readings,
        refused: after.dropped,
    };
    let reading_rate = per_core_second(&gateway.process, before, counts.accepted)?;
    let decryptor = if keep {
        "one decryptor per session"
    } else {
        "as albarello2020 describes it"
    };
    let subject = Subject {
        name: baseline_name(keep),
        suite: None,
        about: format!("{decryptor}; {}", gateway.versions),
    };
    let sample = Sample {
        joins: join_rate,
        readings: reading_rate,
        counts,
    };
    Ok((subject, sample))
}

fn measure_selo(suite: Suite, options: &Options) -> Result<(Subject, Sample)> {
    let mut devices = sealed::Devices::new(suite, options.devices)?;
    let state = State::new(options.state.as_deref(), &devices)?;
    let mut gateway = SealedGateway::start(&options.program, state.path())?;
    let addresses = Addresses::open(ADDRESSES.min(options.devices), gateway.address)?;
    let before = gateway.process.cpu_seconds()?;
    devices.join(&gateway, &addresses, |_| {})?;
    let joined = gateway.settle()?;
    rest(&gateway.process)?;
    let join_rate = per_core_second(&gateway.process, before, joined.sessions)?;

    let rehearsal = devices.seal(REHEARSAL.min(addresses.len()) * BATCH);
    let sent = load::send(&addresses, &rehearsal, Duration::MAX)?.frames;
    let (rehearsed, accepted) = settled(sent, || {
        let now = gateway.settle()?;
        let accepted = now.readings - joined.readings;
        Ok((now, accepted))
    })?;
    all_accepted(&gateway.process, sent, accepted)?;

    let (reading_rate, counts) =
        readings(&mut gateway, &addresses, &mut devices, &rehearsed, options)?;
    gateway.process.stop()?;
    let subject = Subject {
        name: "selo",
        suite: Some(suite.to_string()),
        about: format!(
            "journal on, readings discarded; {} sessions",
            options.devices
        ),
    };
    let sample = Sample {
        joins: join_rate,
        readings: reading_rate,
        counts,
    };
    Ok((subject, sample))
}

/// Readings per second of CPU time, and their outcome. `before` is the gateway's count so far.
fn readings(
    gateway: &mut SealedGateway,
    addresses: &Addresses,
    devices: &mut sealed::Devices,
    before: &Status,
    options: &Options,
) -> Result<(f64, Readings)> {
    let cpu = gateway.process.cpu_seconds()?;
    let sent = load(addresses, options.seconds, devices)?;
    let after = gateway.settle()?;
    let counts = Readings {
        sent,
        accepted: after.readings - before.readings,
        refused: after.dropped - before.dropped,
    };
    let rate = per_core_second(&gateway.process, cpu, counts.accepted)?;
    Ok((rate, counts))
}

/// Measures memory and readings with the requested number of sessions, by default a million.
fn measure_full(
    suite: Suite,
    options: &Options,
    report: &mut Report,
    progress: &mut impl FnMut(&str),
) -> Result<()> {
    let nobody = sealed::Devices::new(suite, 0)?;
    let state = State::new(options.state.as_deref(), &nobody)?;
    let empty = SealedGateway::start(&options.program, state.path())?;
    let empty_bytes = empty.process.resident_bytes()?;
    empty.process.stop()?;

    let count = options.sessions;
    progress(&format!("selo, {suite}: {count} devices"));
    let mut devices = sealed::Devices::new(suite, count)?;
    let state = State::new(options.state.as_deref(), &devices)?;
    let mut gateway = SealedGateway::start(&options.program, state.path())?;
    let addresses = Addresses::open(ADDRESSES.min(count), gateway.address)?;
    devices.join(&gateway, &addresses, |joined| {
        progress(&format!("selo, {suite}: {joined} of {count} sessions"));
    })?;
    let joined = gateway.settle()?;
    rest(&gateway.process)?;
    let bytes = gateway
        .process
        .resident_bytes()?
        .saturating_sub(empty_bytes);
    let per_session = bytes as f64 / joined.sessions.max(1) as f64;

    progress(&format!("selo, {suite}: readings of {count} sessions"));
    let (rate, counts) = readings(&mut gateway, &addresses, &mut devices, &joined, options)?;
    gateway.process.stop()?;
    let subject = Subject {
        name: "selo",
        suite: Some(suite.to_string()),
        about: format!("{} sessions", joined.sessions),
    };
    for (metric, unit, value, counts) in [
        (Metric::ReadingsPerCoreSecondFull, "1/s", rate, Some(counts)),
        (Metric::BytesPerSession, "B", per_session, None),
    ] {
        if let Some(summary) = summarise(&[value]) {
            report.push(&subject, metric, unit, (summary, vec![value]), counts, None);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_device_sends_more_than_a_gateway_takes_of_it() {
        for devices in [1, 511, 512, 2_000, 20_000, 1_000_000] {
            let addresses = ADDRESSES.min(devices);
            for per_second in [5e4, 6e5, 1e8] {
                let (mut sent, mut elapsed) = (0, Duration::ZERO);
                while elapsed < Duration::from_secs(60) {
                    let chunk = next_chunk(addresses, devices, elapsed, sent);
                    if chunk == 0 {
                        break;
                    }
                    sent += chunk as u64;
                    elapsed += Duration::from_secs_f64(chunk as f64 / per_second);
                    let fewest = (devices / addresses * addresses) as f64;
                    let gained = f64::from(PACKETS_PER_SECOND) * elapsed.as_secs_f64();
                    let limit = f64::from(PACKETS_BURST) + gained;
                    // A device may already have sent its first reading and a rehearsal batch.
                    let before = (1 + BATCH) as f64;
                    assert!(
                        sent as f64 / fewest + before <= limit,
                        "{devices} {per_second}"
                    );
                }
                assert!(sent > 0, "{devices} {per_second}");
            }
        }
    }
}
