//! `selo radio run`: virtual modules with serial ports that other programs can open.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use selo_base::report::Context;
use selo_e32::airtime::AirRate;
use selo_e32::parameters::{Parameters, Parity, Uart};
use selo_radio::ether::{Ether, Event, Settings, Station, What};
use selo_radio::live::{Air, Driver, Host, Pty};
use selo_radio::medium::{Position, Propagation, Reception};
use selo_radio::wires::Wires;
use selo_report::format;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Each PATH becomes a link to a pseudo-terminal: a serial port of a virtual E32 in normal mode
(M0 and M1 low). Bytes written to one port are received at the others, as the radio channel and
the modules' timing allow. Events are printed to standard output. Ctrl-C stops the modules and
removes the links.

Examples:
  selo radio run --gateway /tmp/gw --node /tmp/a --node /tmp/b
  selo gateway --radio /tmp/gw                 in a second terminal
  echo hello > /tmp/a                          in a third: /tmp/gw and /tmp/b hear it")]
pub struct Args {
    /// The module in the middle
    #[arg(long, value_name = "PATH")]
    gateway: PathBuf,
    /// A module around it; can be repeated
    #[arg(long, value_name = "PATH", required_unless_present = "board")]
    node: Vec<PathBuf>,
    /// A module around it with all its wires, as a socket for `selo node --board uno --radio PATH`;
    /// can be repeated
    #[arg(long, value_name = "PATH")]
    board: Vec<PathBuf>,
    /// Metres from the gateway to each node
    #[arg(long, value_name = "METRES", default_value_t = 100.0, value_parser = super::common::parse_metres)]
    distance: f64,
    /// Air data rate of all modules
    #[arg(long, value_name = "RATE", default_value = "2.4k")]
    rate: AirRate,
    /// Baud rate of all serial lines
    #[arg(long, value_name = "BAUD", default_value_t = 9_600, value_parser = super::common::parse_baud)]
    baud: u32,
    /// Channel of all modules, 0 to 31: 410 MHz and up
    #[arg(long, value_name = "N", default_value_t = 23, value_parser = clap::value_parser!(u8).range(0..=31))]
    channel: u8,
    /// Seed of the fading
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print each event as one JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGTERM, stop.clone())
        .context("cannot set up signal handlers")?;
    let ended =
        || stop.load(Ordering::Relaxed) || selo_engine::schedule::check_interrupt().is_err();
    let uart = Uart {
        baud: args.baud,
        parity: Parity::None,
    };
    let parameters = Parameters::default()
        .with_air_rate(args.rate)
        .with_uart(uart)
        .with_channel(args.channel);
    let mut ether = Ether::new(Settings {
        propagation: Propagation::default(),
        seed: args.seed,
        duty: None,
    });
    ether.record();
    let (names, hosts) = modules(args, &mut ether, parameters)?;
    let listed: Vec<String> = hosts
        .iter()
        .map(|(station, host)| format!("{}: {}", names[*station], host.path().display()))
        .collect();
    let serial: Vec<Station> = hosts
        .iter()
        .filter(|(_, host)| matches!(host, Host::Pty(_)))
        .map(|(station, _)| *station)
        .collect();
    let air = Air::paced(ether)?;
    let _driver = Driver::start(&air, hosts)?;
    // A module hears nothing just after power-up, and a serial port does not show its AUX line.
    while !serial.iter().all(|station| air.handle(*station).aux()) {
        if ended() {
            return Ok(ExitCode::SUCCESS);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    for line in listed {
        eprintln!("{line}");
    }
    eprintln!(
        "{} MHz, {}; press Ctrl-C to stop",
        parameters.megahertz(),
        args.rate
    );
    while !ended() {
        std::thread::sleep(Duration::from_millis(50));
        let mut out = std::io::stdout().lock();
        for event in air.with(Ether::take_events) {
            let line = match args.json {
                true => json(&event, &names).to_string(),
                false => words(&event, &names),
            };
            writeln!(out, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A module, and what it is connected to.
type Hosted = (Station, Host);

/// The gateway's module and those around it, at equal angles. Each has a name and a host.
fn modules(
    args: &Args,
    ether: &mut Ether,
    parameters: Parameters,
) -> selo_base::report::Result<(Vec<String>, Vec<Hosted>)> {
    let mut names = vec!["gateway".to_owned()];
    let mut hosts: Vec<Hosted> = vec![(
        ether.add(Position::default(), parameters),
        Pty::open(Some(&args.gateway))?.into(),
    )];
    let around = args.node.len() + args.board.len();
    for (index, path) in args.node.iter().chain(&args.board).enumerate() {
        let angle = std::f64::consts::TAU * index as f64 / around as f64;
        let position = Position {
            x: args.distance * angle.cos(),
            y: args.distance * angle.sin(),
        };
        let host = match args.node.get(index) {
            Some(path) => Host::Pty(Pty::open(Some(path))?),
            None => Host::Wires(Wires::open(path)?),
        };
        names.push(format!("node {}", index + 1));
        hosts.push((ether.add(position, parameters), host));
    }
    Ok((names, hosts))
}

/// The reason why a packet was lost, in a word.
fn reason(why: Reception) -> &'static str {
    match why {
        Reception::Received { .. } => "received",
        Reception::Deaf => "deaf",
        Reception::Weak => "weak",
        Reception::Collided => "collided",
    }
}

fn json(event: &Event, names: &[String]) -> serde_json::Value {
    let mut row = serde_json::json!({
        "schema": "selo.radio-event/1", "at_s": event.at as f64 / 1e9,
        "module": names[event.station],
    });
    let more = match event.what {
        What::Sends { bytes, until } => serde_json::json!({
            "event": "sends", "bytes": bytes, "airtime_s": (until - event.at) as f64 / 1e9 }),
        What::Refused => serde_json::json!({ "event": "refused" }),
        What::Heard { from, rssi_dbm } => serde_json::json!({
            "event": "heard", "from": names[from], "rssi_dbm": rssi_dbm.round() }),
        What::Missed { from, bytes, why } => serde_json::json!({
            "event": "missed", "from": names[from], "bytes": bytes, "why": reason(why) }),
    };
    if let (Some(row), serde_json::Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
    row
}

fn words(event: &Event, names: &[String]) -> String {
    let what = match event.what {
        What::Sends { bytes, until } => format!(
            "sends {bytes} bytes, {} s",
            format::significant((until - event.at) as f64 / 1e9, 3)
        ),
        What::Refused => "may not send: its duty cycle of this hour is used up".to_owned(),
        What::Heard { from, rssi_dbm } => format!("hears {}, {rssi_dbm:.0} dBm", names[from]),
        What::Missed { from, why, .. } => format!("misses {}: {}", names[from], reason(why)),
    };
    format!(
        "{:9.3} {} {what}",
        event.at as f64 / 1e9,
        names[event.station]
    )
}
