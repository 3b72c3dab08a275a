//! Battery life under a duty cycle.

use std::path::Path;

use selo_base::units::Dimension;
use selo_engine::battery::{Battery, DutyCycle, Life, life};
use selo_engine::board::Board;
use selo_engine::energy::PowerProfile;
use selo_engine::project::Project;
use selo_engine::row::{Metric, Row, Status};
use selo_report::format;
use serde::Serialize;

use super::args::{Args, Refusal, optional, quantity};
use crate::rows;

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

/// Prints how long a battery lasts.
pub fn lasting(args: &Args, name: &str, project: &Path) -> Result<(), Refusal> {
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
    sources.extend(profile.map(source_of));
    let duty = duty_cycle(args, profile, &battery, active_seconds)?;
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

fn source_of(profile: &PowerProfile) -> String {
    let note = profile
        .note
        .as_deref()
        .map_or_else(String::new, |note| format!("; {note}"));
    format!("power profile {}: {}{note}", profile.name, profile.source)
}

/// The duty cycle of the options. What they leave out comes from the profile.
fn duty_cycle(
    args: &Args,
    profile: Option<&PowerProfile>,
    battery: &Battery,
    active_seconds: f64,
) -> Result<DutyCycle, Refusal> {
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
    Ok(DutyCycle {
        sleep_watts: volts * sleep,
        active_watts: volts * active.unwrap_or(sleep),
        active_seconds,
        period_seconds: quantity("--every", &args.every, Dimension::Time, "s")?,
    })
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

/// An operation as `--operation` names it.
struct Work<'a> {
    algorithm: &'a str,
    variant: &'a str,
    name: &'a str,
    bytes: Option<u32>,
}

impl Work<'_> {
    fn parse(operation: &str) -> Result<Work<'_>, Refusal> {
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
        Ok(Work {
            algorithm,
            variant,
            name,
            bytes,
        })
    }

    /// True for a row with the time of this work.
    fn is_timed_by(&self, row: &Row) -> bool {
        row.algorithm == self.algorithm
            && row.variant == self.variant
            && row.operation == self.name
            && row.metric == Metric::Time
            && (self.bytes.is_none() || row.bytes == self.bytes)
    }
}

/// Time of an operation in seconds, and the row behind it.
fn time_of(
    args: &Args,
    operation: &str,
    board: &Board,
    project: &Path,
) -> Result<(f64, String), Refusal> {
    let work = Work::parse(operation)?;
    let Work {
        algorithm,
        variant,
        name,
        ..
    } = work;
    let rows = rows::read(&args.rows, project)?;
    let wanted = |row: &&Row| {
        row.board == board.name && row.library == args.library && work.is_timed_by(row)
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
