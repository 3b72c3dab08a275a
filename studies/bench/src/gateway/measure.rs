//! One measurement of each gateway.

use std::path::PathBuf;
use std::time::Duration;

use selo_base::stats::summarise;
use selo_gateway::control::Status;
use selo_link::{EphemeralSecret, Suite};

use super::row::{Metric, Readings, Report, Subject};
use super::traffic::{CHUNK, REHEARSAL, all_accepted, load, per_core_second, rest, settled};
use crate::classic::{self, Baseline};
use crate::error::Result;
use crate::load::{self, Addresses, BATCH, Frames};
use crate::process::thread_seconds;
use crate::receiving::Receiver;
use crate::sealed::{self, SealedGateway, State};

/// Number of device addresses, for both gateways. Each device of the baseline needs its own.
pub(super) const ADDRESSES: usize = 512;

/// Bytes of a sealed reading of 16 bytes, with a short session id.
const SEALED_BYTES: usize = 29;

/// The name of what only receives.
pub(super) const RECEIVING: &str = "recvmmsg";

/// The name of what only multiplies.
pub(super) const MULTIPLYING: &str = "x25519";

/// Joins of the baseline in a round: about as much CPU time as Selo's.
const BASELINE_JOINS: usize = 2_048;

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

/// Devices of a round. With this many, several seconds at full speed stay below the limit of each
/// device.
const DEVICES: usize = 20_000;

/// Result of one subject in one round.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sample {
    /// Per second of CPU time. `None` of what does not join.
    pub(super) joins: Option<f64>,
    /// `None` of what does not receive.
    pub(super) readings: Option<f64>,
    /// Joins of strangers per second of CPU time.
    pub(super) unknown: Option<f64>,
    pub(super) forged: Option<f64>,
    pub(super) counts: Readings,
}

pub(super) fn measure_baseline(
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
    let sent = load::send_again(&addresses, &frames, options.seconds)?;
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
        joins: Some(join_rate),
        readings: Some(reading_rate),
        counts,
        ..Sample::default()
    };
    Ok((subject, sample))
}

/// Receives as many datagrams as a reading has, 32 in a system call, and discards them.
pub(super) fn measure_receiving(options: &Options) -> Result<(Subject, Sample)> {
    let receiver = Receiver::start()?;
    let addresses = Addresses::open(ADDRESSES.min(options.devices), receiver.address)?;
    let mut frames = Frames::with_capacity(CHUNK / 10);
    (0..CHUNK / 10).for_each(|_| frames.push(&[0; SEALED_BYTES]));
    let sent = load::send_again(&addresses, &frames, options.seconds)?;
    let received = receiver.stop()?;
    let subject = Subject {
        name: RECEIVING,
        suite: None,
        about: "receives datagrams of a reading's size and discards them".to_owned(),
    };
    let sample = Sample {
        readings: Some(received.datagrams as f64 / received.cpu_seconds),
        counts: Readings {
            sent,
            accepted: received.datagrams,
            refused: 0,
        },
        ..Sample::default()
    };
    Ok((subject, sample))
}

/// The two scalar multiplications of a join, alone: a key pair and a shared secret.
pub(super) fn measure_multiplying() -> Result<(Subject, Sample)> {
    const PAIRS: u32 = 5_000;
    let peer = EphemeralSecret::random()?.public_key();
    let secrets: Vec<EphemeralSecret> = (0..PAIRS)
        .map(|_| EphemeralSecret::random())
        .collect::<std::result::Result<_, _>>()?;
    let before = thread_seconds();
    for secret in &secrets {
        std::hint::black_box(secret.public_key());
        std::hint::black_box(secret.shared_secret(&peer));
    }
    let subject = Subject {
        name: MULTIPLYING,
        suite: None,
        about: "a key pair and a shared secret, as in a join".to_owned(),
    };
    let sample = Sample {
        joins: Some(f64::from(PAIRS) / (thread_seconds() - before)),
        ..Sample::default()
    };
    Ok((subject, sample))
}

pub(super) fn measure_selo(suite: Suite, options: &Options) -> Result<(Subject, Sample)> {
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
    let unknown = strangers(
        &mut gateway,
        &addresses,
        &devices.joins_of_unknown(),
        options,
    )?;
    let forged = strangers(&mut gateway, &addresses, &devices.forged_joins(), options)?;
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
        joins: Some(join_rate),
        readings: Some(reading_rate),
        unknown: Some(unknown),
        forged: Some(forged),
        counts,
    };
    Ok((subject, sample))
}

/// Refused joins per second of CPU time.
fn strangers(
    gateway: &mut SealedGateway,
    addresses: &Addresses,
    joins: &Frames,
    options: &Options,
) -> Result<f64> {
    rest(&gateway.process)?;
    let before = gateway.status()?;
    let cpu = gateway.process.cpu_seconds()?;
    load::send_again(addresses, joins, options.seconds)?;
    let after = gateway.settle()?;
    if after.sessions != before.sessions {
        return Err(gateway.process.broken("it accepted the join of a stranger"));
    }
    per_core_second(&gateway.process, cpu, after.dropped - before.dropped)
}

/// Readings per second of CPU time, and their outcome. `before` is the gateway's count so far.
pub(super) fn readings(
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
pub(super) fn measure_full(
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

pub(super) fn baseline_name(keep: bool) -> &'static str {
    if keep {
        "baseline-keep-decryptor"
    } else {
        "baseline"
    }
}
