//! `selo lab energy`: energy of a measured trace, and battery life under a duty cycle.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use selo_base::report::Context as _;
use selo_base::units::{Dimension, parse_quantity};
use selo_engine::battery::{Battery, DutyCycle, Life, life};
use selo_engine::board::Board;
use selo_engine::energy::{
    Idle, PowerProfile, TraceEnergy, TraceError, TraceSetup, integrate, integrate_each,
    parse_trace_with,
};
use selo_engine::project::Project;
use selo_engine::row::{Metric, Row, Status};
use selo_report::format;
use serde::Serialize;

use super::rows;

/// Energy of a measured trace, or battery life of a duty cycle
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["trace", "battery"]))]
#[command(after_help = "\
A trace is the export of a meter: a header, then one line per sample, with columns
for time, voltage and current in any order (t,v,i or time_ms;voltage [V];current
(mA)). The separator is a comma, semicolon or tab; with the last two a decimal comma is
allowed. Samples need not be evenly spaced.

Battery life is capacity divided by mean power: the board sleeps, works once per period,
and sleeps again. The time of the work comes from a row (--board, --operation) or from
--active-time. Currents come from the board's power profile or from the options. With
--operation the profile must give the current of the whole board; the default is the
first profile with an idle current.

Examples:
  selo lab energy --trace run.csv --idle 0..2ms --from 2ms --to 2.6ms
  selo lab energy --trace run.csv --idle-power 45mW --json
  selo lab energy --trace ppk2.csv --supply-volts 5 --trigger D0 --idle 0..1ms
  selo lab energy --trace scope.csv --supply-volts 5 --shunt 10 --trigger CH2
  selo lab energy --battery cr2032 --board uno --operation aes-128:fast:encrypt --every 5s
  selo lab energy --battery 2xaa --board uno --operation speck128/128:fast:encrypt --every 5s \\
      --sleep-current 6uA --self-discharge 2%
  selo lab energy --battery cr2032 --supply-volts 12 --sleep-current 6uA
  selo lab energy --battery 1200mAh@3.7V --supply-volts 3.3 --sleep-current 20uA \\
      --active-current 80mA --active-time 300ms --every 10min

Exit codes: 0 calculated, 2 bad trace or option, 3 no row for that operation yet.")]
pub struct Args {
    /// Trace to integrate (CSV)
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Interval at rest; its mean power is subtracted; such as 0..5ms
    #[arg(
        long,
        value_name = "FROM..TO",
        requires = "trace",
        conflicts_with = "idle_power"
    )]
    idle: Option<String>,
    /// Power at rest to subtract; milliwatts without a unit
    #[arg(long, value_name = "POWER", requires = "trace")]
    idle_power: Option<String>,
    /// Start of the measured interval; seconds without a unit [default: start of the trace]
    #[arg(long, value_name = "TIME", requires = "trace")]
    from: Option<String>,
    /// End of the measured interval [default: end of the trace]
    #[arg(long, value_name = "TIME", requires = "trace")]
    to: Option<String>,

    /// Resistor in the supply, in ohms; the column `shunt` or `ch1` contains its voltage
    #[arg(long, value_name = "OHMS", requires = "trace")]
    shunt: Option<f64>,
    /// Column of a pin that is high while the operation runs; the result is the mean of all runs
    #[arg(long, value_name = "COLUMN", requires = "trace", conflicts_with_all = ["from", "to"])]
    trigger: Option<String>,

    /// Battery: cr2032 (225 mAh, 3 V), 2xaa (2,500 mAh, 3 V), or a form such as 1200mAh@3.7V
    #[arg(long, value_name = "NAME", conflicts_with = "trace")]
    battery: Option<String>,
    /// Board of the operation and its power profiles
    #[arg(long, value_name = "NAME", conflicts_with = "trace")]
    board: Option<String>,
    /// Work once per period, from a row: ALGORITHM:VARIANT:OPERATION, or the same with :BYTES
    #[arg(
        long,
        value_name = "WORK",
        requires = "board",
        conflicts_with = "active_time"
    )]
    operation: Option<String>,
    /// Library of the row
    #[arg(long, value_name = "NAME", default_value = "selo")]
    library: String,
    /// Time of the work, if it is not from a row; seconds without a unit
    #[arg(long, value_name = "TIME", conflicts_with = "trace")]
    active_time: Option<String>,
    /// Length of a period; seconds without a unit
    #[arg(long, value_name = "TIME", default_value = "5s")]
    every: String,
    /// Power profile of the board
    #[arg(long, value_name = "NAME", requires = "board")]
    profile: Option<String>,
    /// Current asleep; milliamperes without a unit [default: the profile's idle current]
    #[arg(long, value_name = "CURRENT", conflicts_with = "trace")]
    sleep_current: Option<String>,
    /// Current at work [default: the profile's active current]
    #[arg(long, value_name = "CURRENT", conflicts_with = "trace")]
    active_current: Option<String>,
    /// Voltage of the currents [default: the profile's, else the battery's]; for a trace without
    /// a voltage column, the supply voltage
    #[arg(long, value_name = "VOLTS")]
    supply_volts: Option<String>,
    /// Self-discharge of the battery per year
    #[arg(long, value_name = "PERCENT", default_value = "0%")]
    self_discharge: String,
    /// Rows to read: files, or folders with rows.jsonl [default: out/lab/*]
    #[arg(long, value_name = "FILE|DIR", num_args = 1.., conflicts_with = "trace")]
    rows: Vec<PathBuf>,

    /// Print one line of JSON on stdout, nothing else
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, project: &Path) -> selo_base::report::Result<ExitCode> {
    let answer = match (&args.trace, &args.battery) {
        (Some(path), _) => trace(args, path),
        (None, Some(battery)) => battery_life(args, battery, project),
        // The argument group demands one of them.
        (None, None) => Err(Refusal::Usage("give --trace or --battery".into())),
    };
    match answer {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(Refusal::Usage(message)) => {
            eprintln!("selo: {message}");
            eprintln!("hint: selo lab energy --help shows examples");
            Ok(ExitCode::from(2))
        }
        Err(Refusal::NoRow { message, command }) => {
            eprintln!("selo: {message}");
            eprintln!("hint: measure it first: {command}");
            Ok(ExitCode::from(rows::MISSING))
        }
        Err(Refusal::Other(error)) => Err(error),
    }
}

/// The reason for a missing answer.
enum Refusal {
    Usage(String),
    NoRow { message: String, command: String },
    Other(selo_base::report::Report),
}

impl<E: Into<selo_base::report::Report>> From<E> for Refusal {
    fn from(error: E) -> Self {
        Refusal::Other(error.into())
    }
}

fn quantity(option: &str, text: &str, dimension: Dimension, default: &str) -> Result<f64, Refusal> {
    match parse_quantity(text, dimension, default) {
        Ok(value) if value >= 0.0 => Ok(value),
        Ok(_) => Err(Refusal::Usage(format!("{option}: '{text}' is negative"))),
        Err(error) => Err(Refusal::Usage(format!("{option}: {error}"))),
    }
}

fn optional(
    option: &str,
    text: &Option<String>,
    dimension: Dimension,
    default: &str,
) -> Result<Option<f64>, Refusal> {
    text.as_ref()
        .map(|text| quantity(option, text, dimension, default))
        .transpose()
}

// ---- traces -----------------------------------------------------------------

fn trace(args: &Args, path: &Path) -> Result<(), Refusal> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let refuse = |error: TraceError| Refusal::Usage(format!("{}: {error}", path.display()));
    let positive = |value: f64| value > 0.0 && value.is_finite();
    if args.shunt.is_some_and(|ohms| !positive(ohms)) {
        return Err(Refusal::Usage(
            "--shunt: give a positive resistance in ohms".into(),
        ));
    }
    let setup = TraceSetup {
        supply_volts: optional(
            "--supply-volts",
            &args.supply_volts,
            Dimension::Voltage,
            "V",
        )?,
        shunt_ohms: args.shunt,
        trigger: args.trigger.clone(),
    };
    let parsed = parse_trace_with(&text, &setup).map_err(refuse)?;
    let samples = parsed.samples;
    let time = |option, text: &Option<String>| optional(option, text, Dimension::Time, "s");
    let (from, to) = (time("--from", &args.from)?, time("--to", &args.to)?);
    let ends = samples
        .first()
        .zip(samples.last())
        .map(|(a, b)| (a.seconds, b.seconds));
    let (first, last) = ends.unwrap_or_default();
    let stretch = from.unwrap_or(first)..to.unwrap_or(last);
    let idle = match (&args.idle, &args.idle_power) {
        (Some(range), _) => Idle::Between(time_range(range)?),
        (None, Some(power)) => {
            Idle::Watts(quantity("--idle-power", power, Dimension::Power, "mW")?)
        }
        (None, None) => Idle::None,
    };
    let energy = match parsed.high.as_slice() {
        [] => integrate(&samples, Some(stretch), &idle),
        high => integrate_each(&samples, high, &idle),
    };
    let energy = energy.map_err(refuse)?;
    if args.json {
        rows::print_lines([&energy])?;
    } else {
        rows::print(&trace_text(&energy, &idle))?;
    }
    Ok(())
}

fn time_range(text: &str) -> Result<Range<f64>, Refusal> {
    let (from, to) = text.split_once("..").ok_or_else(|| {
        Refusal::Usage(format!("--idle: '{text}' is not FROM..TO, such as 0..5ms"))
    })?;
    Ok(quantity("--idle", from, Dimension::Time, "s")?
        ..quantity("--idle", to, Dimension::Time, "s")?)
}

fn trace_text(energy: &TraceEnergy, idle: &Idle) -> String {
    let above = match idle {
        Idle::None => "no rest power subtracted".to_owned(),
        _ => format!(
            "{} mW at rest subtracted",
            format::significant(energy.idle_watts * 1e3, 4)
        ),
    };
    format!(
        "energy    {} J = {} nWh ({above}){}\nduration  {} s, {}\ntotal     {} J including rest power\n",
        format::significant(energy.joules, 4),
        format::significant(energy.nanowatt_hours, 4),
        match energy.stretches {
            1 => String::new(),
            count => format!(", mean of {count}"),
        },
        format::significant(energy.seconds, 4),
        format::things(energy.samples, "sample", "samples"),
        format::significant(energy.total_joules, 4),
    )
}

// ---- batteries --------------------------------------------------------------

/// The output of `--json` for a battery.
#[derive(Serialize)]
struct BatteryAnswer {
    battery: Battery,
    duty: DutyCycle,
    life: Life,
    /// Battery life of the same node without any work, in years.
    asleep_years: Option<f64>,
    /// Energy of one run of the work above the sleeping power, in joules.
    work_joules: f64,
    /// Row and power profile behind the figures.
    sources: Vec<String>,
}

fn battery_life(args: &Args, name: &str, project: &Path) -> Result<(), Refusal> {
    let mut battery = Battery::parse(name).map_err(Refusal::Usage)?;
    battery.self_discharge_percent = quantity(
        "--self-discharge",
        &args.self_discharge,
        Dimension::Share,
        "%",
    )?;
    let mut sources = Vec::new();
    let board = match &args.board {
        Some(name) => Some(Project::load(project)?.board(name)?.clone()),
        None => None,
    };
    let active_seconds = match (&args.operation, &board) {
        (Some(operation), Some(board)) => {
            let (seconds, source) = time_of(args, operation, board, project)?;
            sources.push(source);
            seconds
        }
        _ => optional("--active-time", &args.active_time, Dimension::Time, "s")?.unwrap_or(0.0),
    };
    let profile = board
        .as_ref()
        .map(|board| profile(args, board))
        .transpose()?;
    if let Some(profile) = profile {
        let note = profile
            .note
            .as_deref()
            .map_or_else(String::new, |note| format!("; {note}"));
        sources.push(format!(
            "power profile {}: {}{note}",
            profile.name, profile.source
        ));
    }
    let current = |option, text: &Option<String>, own: fn(&PowerProfile) -> f64| {
        let given = optional(option, text, Dimension::Current, "mA")?;
        Ok::<_, Refusal>(given.or_else(|| profile.map(|profile| own(profile) * 1e-3)))
    };
    let sleep = current("--sleep-current", &args.sleep_current, |profile| {
        profile.idle_milliamps
    })?;
    let active = current("--active-current", &args.active_current, |profile| {
        profile.active_milliamps
    })?;
    let volts = optional(
        "--supply-volts",
        &args.supply_volts,
        Dimension::Voltage,
        "V",
    )?
    .or_else(|| profile.map(|profile| profile.supply_volts))
    .unwrap_or(battery.volts);
    let sleep = sleep.ok_or_else(|| {
        Refusal::Usage(
            "the sleep current is missing; give --sleep-current, or a --board with a power profile"
                .into(),
        )
    })?;
    if active.is_none() && active_seconds > 0.0 {
        return Err(Refusal::Usage(
            "the active current is missing; give --active-current or a --board".into(),
        ));
    }
    let duty = DutyCycle {
        sleep_watts: volts * sleep,
        active_watts: volts * active.unwrap_or(sleep),
        active_seconds,
        period_seconds: quantity("--every", &args.every, Dimension::Time, "s")?,
    };
    let lasting = life(&battery, &duty).map_err(Refusal::Usage)?;
    let asleep = DutyCycle {
        active_seconds: 0.0,
        ..duty.clone()
    };
    let answer = BatteryAnswer {
        asleep_years: life(&battery, &asleep).map_err(Refusal::Usage)?.years,
        work_joules: (duty.active_watts - duty.sleep_watts) * duty.active_seconds,
        battery,
        duty,
        life: lasting,
        sources,
    };
    if args.json {
        rows::print_lines([&answer])?;
    } else {
        rows::print(&answer.text())?;
    }
    Ok(())
}

/// The requested profile, else the first with the board's power at rest.
fn profile<'a>(args: &Args, board: &'a Board) -> Result<&'a PowerProfile, Refusal> {
    let Some(name) = &args.profile else {
        let whole = board
            .power
            .iter()
            .find(|profile| profile.idle_milliamps > 0.0);
        return whole.or(board.power.first()).ok_or_else(|| {
            Refusal::Usage(format!(
                "board '{}' has no power profile; give the currents",
                board.name
            ))
        });
    };
    board
        .power
        .iter()
        .find(|profile| profile.name == *name)
        .ok_or_else(|| {
            let known = board.power.iter().map(|profile| profile.name.as_str());
            selo_engine::Error::unknown("power profile", name, known).into()
        })
}

/// Time of an operation in seconds, and the row behind it.
fn time_of(
    args: &Args,
    operation: &str,
    board: &Board,
    project: &Path,
) -> Result<(f64, String), Refusal> {
    let parts: Vec<&str> = operation.split(':').collect();
    let (algorithm, variant, name, bytes) = match parts[..] {
        [algorithm, variant, name] => (algorithm, variant, name, None),
        [algorithm, variant, name, bytes] => {
            let bytes: u32 = bytes.parse().map_err(|_| {
                Refusal::Usage(format!("--operation: '{bytes}' is not a number of bytes"))
            })?;
            (algorithm, variant, name, Some(bytes))
        }
        _ => {
            return Err(Refusal::Usage(format!(
                "--operation: '{operation}' is not ALGORITHM:VARIANT:OPERATION, such as aes-128:fast:encrypt"
            )));
        }
    };
    let rows = rows::read(&args.rows, project)?;
    let wanted = |row: &&Row| {
        row.board == board.name
            && row.library == args.library
            && row.algorithm == algorithm
            && row.variant == variant
            && row.operation == name
            && row.metric == Metric::Time
            && (bytes.is_none() || row.bytes == bytes)
    };
    let command = format!(
        "selo lab run --board {} --library {} --algorithm {algorithm} --variant {variant}",
        board.name, args.library
    );
    let label = format!("{} {algorithm} {variant} {name}", args.library);
    let Some(row) = rows.iter().filter(wanted).min_by_key(|row| row.bytes) else {
        return Err(Refusal::NoRow {
            message: format!("no row for the time of {label} on {}", board.name),
            command,
        });
    };
    match (row.status, row.value) {
        (Status::Ok | Status::VariableTime, Some(seconds)) => {
            let size = row
                .bytes
                .map_or_else(String::new, |bytes| format!(" of {bytes} bytes"));
            let source = format!(
                "time: {label}{size}, {}, {}, run {}",
                format::quantity(Metric::Time, seconds),
                row.fidelity.name(),
                row.run
            );
            Ok((seconds, source))
        }
        (status, _) => {
            let why = row.reason();
            let why = why.as_deref().unwrap_or("no reason given");
            Err(Refusal::NoRow {
                message: format!(
                    "{label} on {}: {}: {why}",
                    board.name,
                    format::status_words(status)
                ),
                command,
            })
        }
    }
}

impl BatteryAnswer {
    fn text(&self) -> String {
        let years = |years: Option<f64>| {
            years.map_or_else(
                || "unlimited (no current is drawn)".to_owned(),
                |years| {
                    format!(
                        "{} years ({} days)",
                        format::significant(years, 3),
                        format::significant(years * 365.25, 3)
                    )
                },
            )
        };
        let watts = |watts: f64| format!("{} mW", format::significant(watts * 1e3, 3));
        let mut text = format!(
            "life     {}\nasleep   {} without the work\n",
            years(self.life.years),
            years(self.asleep_years)
        );
        text.push_str(&format!(
            "draws    {} on average: {} asleep, {} for {} s every {} s\n",
            watts(self.life.average_watts),
            watts(self.duty.sleep_watts),
            watts(self.duty.active_watts),
            format::significant(self.duty.active_seconds, 4),
            format::significant(self.duty.period_seconds, 4),
        ));
        text.push_str(&format!(
            "work     {} each time, {} % of the battery\n",
            format::quantity(Metric::Energy, self.work_joules),
            format::significant(self.life.work_percent, 2)
        ));
        text.push_str(&format!(
            "battery  {}: {} mAh at {} V, {} mWh, self-discharge {}\n",
            self.battery.name,
            format::significant(self.battery.milliamp_hours, 4),
            format::significant(self.battery.volts, 3),
            format::significant(self.battery.joules() / 3.6, 4),
            watts(self.life.self_discharge_watts)
        ));
        for source in &self.sources {
            text.push_str(&format!("from     {source}\n"));
        }
        text
    }
}
