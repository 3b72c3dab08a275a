//! `selo node --board --radio`: the rain gauge on a simulated board, with a radio module on its
//! UART, a clock, a bucket and a button.

use std::io::IsTerminal as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use selo_base::report::Context;
use selo_engine::energy::PowerProfile;
use selo_firmware::field::FieldNode;
use selo_gateway::radio::Port;
use selo_nodes::field::{self, Plan, Rain, SerialPort, Spent, Tally, Wired};
use selo_nodes::reading::wall_clock;
use selo_report::format;

use super::args::{Args, wrong};
use super::report::number;
use super::suite::device_suite;
use super::{board, pair};

/// Factory setting of the modules.
const BAUD: u32 = 9_600;

pub fn run(
    args: &Args,
    name: &str,
    port: &Port,
    project: Option<&Path>,
    stop: &AtomicBool,
) -> selo_base::report::Result<ExitCode> {
    check(args, port)?;
    let project = board::project(project)?;
    let suite = device_suite(args.suite())?;
    let (board, image) = field::build(&project, name, suite.name(), args.every)?;
    let folder = tempfile::tempdir().context("cannot create a folder for the board's EEPROM")?;
    let eeprom = board::eeprom(args, folder.path())?;
    let time = match wall_clock() {
        Some(time) if !args.clock_lost => u32::try_from(time.as_secs()).unwrap_or(0),
        _ => 0,
    };
    let mut node = FieldNode::start(&project, &board, &image, &eeprom, time)?;
    let mut rain = Rain::new(args.seed, args.rain, args.tips.unwrap_or(u64::MAX));
    let plan = Plan {
        readings: args.readings,
        limit: args.limit,
    };
    let confirm = Arc::new(AtomicBool::new(false));
    let hear = |line: &str| {
        eprintln!("{name}: {line}");
        if let Some(digits) = line.strip_prefix("digits ").and_then(|d| d.parse().ok()) {
            ask(digits, &confirm);
        }
    };
    let start = Instant::now();
    let is_socket = std::fs::metadata(&port.path).is_ok_and(|file| file.file_type().is_socket());
    let tally = if is_socket {
        let mut radio = Wired::connect(&port.path)?;
        field::run(
            &mut node, &mut radio, &mut rain, &plan, stop, &confirm, hear,
        )?
    } else {
        let mut radio = SerialPort::open(&port.path)?;
        field::run(
            &mut node, &mut radio, &mut rain, &plan, stop, &confirm, hear,
        )?
    };
    let power = board.power.iter().find_map(Power::of);
    let report = Report {
        tally: &tally,
        took: start.elapsed(),
        power,
    };
    if args.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.text());
    }
    let hint = "nothing was received by radio; check that a gateway runs at the other module";
    if tally.frames_in == 0 && std::io::stderr().is_terminal() {
        eprintln!("hint: {hint}");
    }
    Ok(ExitCode::from(u8::from(tally.joins == 0)))
}

/// Refuses options that the rain gauge's firmware does not have.
fn check(args: &Args, port: &Port) -> selo_base::report::Result<()> {
    if args.confirmed {
        return Err(wrong(
            "the rain gauge's firmware does not repeat its readings",
            "leave --confirmed out",
        ));
    }
    if port.baud != BAUD {
        return Err(wrong(
            format!("the rain gauge's firmware talks to its module at {BAUD} baud"),
            "leave the baud rate out",
        ));
    }
    Ok(())
}

/// Asks the operator while the board's time continues. The button is held if the operator confirms;
/// otherwise nobody presses it.
fn ask(digits: u32, confirm: &Arc<AtomicBool>) {
    let confirm = confirm.clone();
    std::thread::spawn(move || {
        if pair::compare(digits) {
            confirm.store(true, Ordering::Relaxed);
        }
    });
}

/// Currents of chip and module in milliamperes, awake and asleep, from a profile of the board file.
struct Power {
    profile: String,
    active: f64,
    idle: f64,
    power_down: f64,
    sending: f64,
    listening: f64,
    radio_asleep: f64,
}

impl Power {
    fn of(profile: &PowerProfile) -> Option<Power> {
        let radio = profile.radio?;
        Some(Power {
            profile: profile.name.clone(),
            active: profile.active_milliamps,
            idle: profile.idle_milliamps,
            power_down: profile.power_down_milliamps?,
            sending: radio.transmit_milliamps,
            listening: radio.listen_milliamps,
            radio_asleep: radio.sleep_milliamps?,
        })
    }

    /// Mean currents of chip and module in milliamperes.
    fn milliamps(&self, spent: &Spent) -> (f64, f64) {
        let share = |time: Duration| time.as_secs_f64() / spent.all().as_secs_f64().max(1e-9);
        let chip = self.active * share(spent.awake)
            + self.idle * share(spent.idle)
            + self.power_down * share(spent.power_down);
        let module = self.sending * share(spent.sending)
            + self.listening * share(spent.listening)
            + self.radio_asleep * share(spent.radio_asleep);
        (chip, module)
    }
}

struct Report<'a> {
    tally: &'a Tally,
    took: Duration,
    power: Option<Power>,
}

impl Report<'_> {
    fn json(&self) -> serde_json::Value {
        let Report { tally, took, power } = self;
        let spent = &tally.spent;
        let milliamps = power.as_ref().map(|power| power.milliamps(spent));
        let seconds = |time: Duration| (time.as_secs_f64() * 1e6).round() / 1e6;
        serde_json::json!({
            "schema": "selo.station/1",
            "seconds": took.as_millis() as f64 / 1000.0,
            "joins": tally.joins,
            "joined_at_the_end": tally.joined_now,
            "sessions_lost": tally.sessions_lost,
            "sent": tally.readings,
            "frames_out": tally.frames_out,
            "frames_in": tally.frames_in,
            "tips": tally.tips,
            "spent_s": {
                "awake": seconds(spent.awake),
                "idle": seconds(spent.idle),
                "power_down": seconds(spent.power_down),
                "sending": seconds(spent.sending),
                "listening": seconds(spent.listening),
                "radio_asleep": seconds(spent.radio_asleep),
            },
            "power_profile": power.as_ref().map(|power| &power.profile),
            "chip_milliamps": milliamps.map(|(chip, _)| chip),
            "radio_milliamps": milliamps.map(|(_, radio)| radio),
        })
    }

    fn text(&self) -> String {
        let Report { tally, took, .. } = self;
        let text = format!(
            "{} joined, in {}\n{} sent, {} of the bucket\n{} frames out, {} in\n",
            format::things(tally.joins as usize, "time", "times"),
            humantime::format_duration(Duration::from_millis(took.as_millis() as u64)),
            format::things(tally.readings as usize, "reading", "readings"),
            format::things(tally.tips as usize, "tip", "tips"),
            number(tally.frames_out),
            number(tally.frames_in),
        );
        text + &self.energy()
    }

    /// Describes the use of time since the first reading, and the mean current.
    fn energy(&self) -> String {
        let spent = &self.tally.spent;
        let all = spent.all().as_secs_f64();
        let share = |time: Duration| {
            let percent = 100.0 * time.as_secs_f64() / all;
            format!("{} %", format::significant(percent, 3))
        };
        if all <= 0.0 {
            return String::new();
        }
        let mut text = format!(
            "chip: awake {}, idle {}, power-down {}\nmodule: sending {}, listening {}, asleep {}\n",
            share(spent.awake),
            share(spent.idle),
            share(spent.power_down),
            share(spent.sending),
            share(spent.listening),
            share(spent.radio_asleep),
        );
        if let Some(power) = &self.power {
            let (chip, module) = power.milliamps(spent);
            text += &format!(
                "estimated: {} mA for the chip, {} mA for the module (currents of {})\n",
                format::significant(chip, 3),
                format::significant(module, 3),
                power.profile,
            );
        }
        text
    }
}
