//! `selo bench`: measures the performance of the host programs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use selo_bench::gateway::{Metric, Options, Report, Row};
use selo_report::format;
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use crate::attack::SuiteArg;
use selo_command::status::StatusLine;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Measure readings and joins per second of CPU time, and memory per session
    Gateway(GatewayArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each round starts the paper's gateway (bench/baseline-gateway, Python) and Selo's, each in its
own process, and sends both the same kind of load over loopback: devices join, then send
16-byte readings as fast as the kernel accepts them. Frames are sealed beforehand.

The figures come from the CPU time, user and system, of the gateway's process: nanoseconds a
reading, a join, and a join of a stranger, then the rates and their ratios. Beside them stand
what no gateway can avoid: receiving a datagram (recvmmsg), and the two scalar multiplications
of a join (x25519). CPU time does not depend on the number of cores, on waiting, or on the load generator. Then a million
devices join, and the gateway's memory is read from the kernel.

In each round both gateways must first accept a few readings that are sent slowly.
docs/researcher/bench-a-gateway.md explains the cost of a reading on both sides.

The baseline needs Debian's Python: apt-get install python3-cryptography

Examples:
  selo bench gateway
  selo bench gateway --suite all --rounds 5 --json > gateway.jsonl
  selo bench gateway --sessions 0 --seconds 2          without the million sessions

Exit codes: 0 measured, 3 Python with cryptography is missing, 4 machine error.")]
pub struct GatewayArgs {
    /// Suites of Selo's devices
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "chachapoly-blake2s"
    )]
    suite: Vec<SuiteArg>,
    /// Sessions for the measurement of memory; 0 skips it
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    sessions: usize,
    /// Seconds of readings in each round
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
    seconds: u64,
    /// Rounds; the interval comes from the figures of all rounds
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Devices in the rounds
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = parse_devices)]
    devices: usize,
    /// Python of the baseline (default: Debian's, else the first suitable one on the path)
    #[arg(long, value_name = "FILE")]
    python: Option<PathBuf>,
    /// Measure only Selo's gateway
    #[arg(long, conflicts_with = "python")]
    without_baseline: bool,
    /// Folder for the state of the gateways during the measurement (default: the system's temporary
    /// folder); a million sessions take 1 GB
    #[arg(long, value_name = "DIR")]
    state_in: Option<PathBuf>,
    /// Print one JSON object per line on stdout, nothing else
    #[arg(long)]
    json: bool,
}

fn parse_devices(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(devices @ 1..=1_000_000) => Ok(devices),
        _ => Err("must be between 1 and 1000000".into()),
    }
}

impl Command {
    pub fn run(&self, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
        match self {
            Command::Gateway(args) => gateway(args, project),
        }
    }
}

fn gateway(args: &GatewayArgs, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
    let program = selo_command::external::require("selo")?;
    let project = project.map_or_else(PathBuf::new, Path::to_owned);
    let options = Options {
        python: args.python.clone(),
        with_baseline: !args.without_baseline,
        suites: SuiteArg::suites(&args.suite),
        sessions: args.sessions,
        seconds: Duration::from_secs(args.seconds),
        rounds: args.rounds,
        devices: args.devices,
        state: args.state_in.clone(),
        ..Options::new(project, program)
    };
    let status = StatusLine::new();
    // More frequent progress messages would disturb the measurement.
    let report = selo_bench::gateway::run(&options, |what| status.say(what))?;
    drop(status);
    if args.json {
        for row in &report.rows {
            println!("{}", serde_json::json!(row));
        }
    } else {
        print!("{}", table(&report).to_terminal(TerminalStyle::detect()));
    }
    Ok(ExitCode::SUCCESS)
}

fn table(report: &Report) -> Table {
    let mut table = Table::new(
        format!(
            "Gateways on {}, {} cores, {}",
            report.machine.cpu, report.machine.cores, report.machine.kernel
        ),
        vec![
            Column::text("Figure"),
            Column::text("Gateway"),
            Column::text("Suite"),
            Column::number("Value", ""),
            Column::number("95 %", ""),
            Column::number("Ratio to the baseline", ""),
            Column::text("Fidelity"),
        ],
    );
    for row in &report.rows {
        let interval = row.ci95.map_or_else(Cell::none, |half| {
            Cell::number(format!("± {}", format::significant(half, 2)), half)
        });
        let over = row
            .over_baseline
            .map_or_else(Cell::none, |over| Cell::number(format::ratio(over), over));
        table.push(vec![
            Cell::text(figure(row)),
            Cell::text(row.subject.name).with_note(row.subject.about.clone()),
            Cell::text(row.subject.suite.clone().unwrap_or_default()),
            Cell::number(format::count(row.value), row.value),
            interval,
            over,
            Cell::label(row.fidelity, Tone::Quiet),
        ]);
    }
    table.remarks.extend(report.remarks.iter().cloned());
    table.without_empty_columns()
}

fn figure(row: &Row) -> &'static str {
    match row.metric {
        Metric::NanosecondsPerReading => "ns of CPU time a reading",
        Metric::NanosecondsPerJoin => "ns of CPU time a join",
        Metric::NanosecondsPerUnknownJoin => "ns of CPU time a join of an unknown device",
        Metric::NanosecondsPerForgedJoin => "ns of CPU time a forged join",
        Metric::ReadingsPerCoreSecond => "readings per second of CPU time",
        Metric::JoinsPerCoreSecond => "joins per second of CPU time",
        Metric::ReadingsPerCoreSecondFull => "readings per second of CPU time, all sessions",
        Metric::BytesPerSession => "bytes of memory per session",
    }
}
