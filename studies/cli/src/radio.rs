//! `selo radio`: LoRa air times, virtual E32 modules, and the number of nodes that a gateway
//! carries.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use selo_base::report::{Context, Report};
use selo_e32::airtime::{AirRate, Fidelity, bytes_on_air};
use selo_e32::parameters::{Parameters, Parity, SILENCE_BYTES, Uart};
use selo_radio::ether::{Ether, Event, Settings, Station, What};
use selo_radio::live::{Air, Driver, Host, Pty};
use selo_radio::medium::{Position, Propagation, Reception};
use selo_radio::study::{self, Arrivals, Plan, Point};
use selo_radio::wires::Wires;
use selo_report::format;
use selo_report::svg::lines::{Lines, Series};
use selo_report::table::{Cell, Column, Table, TerminalStyle, Tone};

use selo_command::status::StatusLine;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Air time of a frame at each air data rate
    Airtime(AirtimeArgs),
    /// Number of nodes that one gateway carries before it loses too much
    Study(StudyArgs),
    /// Run virtual modules with serial ports that other programs can open
    Run(RunArgs),
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The times come from the transceiver's formula for the bytes that the module sends: the frame, a
few bytes of its own, and twice as much with forward error correction. EBYTE does not publish the
spreading factor, bandwidth and coding rate of each air data rate: those of 0.3k to 4.8k were
observed on the module's bus, those of 9.6k and 19.2k are assumed (docs/researcher/radio-capacity.md).

Examples:
  selo radio airtime                          a sealed reading of 16 bytes, every rate
  selo radio airtime --bytes 16 --rate 2.4k   the paper's packet
  selo radio airtime --bytes 58 --no-fec --json")]
pub struct AirtimeArgs {
    /// Bytes of the frame; a reading of 16 bytes is sealed in 29
    #[arg(long, value_name = "N", default_value_t = 29, value_parser = clap::value_parser!(u16).range(1..=58))]
    bytes: u16,
    /// Air data rates (default: all): 0.3k, 1.2k, 2.4k, 4.8k, 9.6k, 19.2k
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    rate: Vec<AirRate>,
    /// Baud rate of the serial line between host and module
    #[arg(long, value_name = "BAUD", default_value_t = 9_600, value_parser = parse_baud)]
    baud: u32,
    /// Turn off the module's forward error correction
    #[arg(long)]
    no_fec: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Nodes are spread over a disc around the gateway and send a frame each period without carrier
sense. Two overlapping frames are both lost, unless one is 6 dB stronger at the gateway. With
acknowledgements (`--ack with`), nodes repeat after T, 2T and 4T as the link does, with T between
2 and 3 s, and the gateway cannot receive while it answers.

The column `formula` is the number of nodes by Abramson's formula for pure ALOHA, 1 - exp(-2G),
without capture and repetitions. The same seed gives the same numbers.

Examples:
  selo radio study                                     table of all rates and periods
  selo radio study --period 10m --rate 2.4k --json     every point of the curve
  selo radio study --svg pictures                      a curve for each period
  selo radio study --ack with --jitter 0               all repetitions at fixed times")]
pub struct StudyArgs {
    /// Time between two readings of a node
    #[arg(long, value_name = "TIME", value_delimiter = ',', default_value = "5s,60s,10m", value_parser = humantime::parse_duration)]
    period: Vec<Duration>,
    /// Air data rates (default: all): 0.3k, 1.2k, 2.4k, 4.8k, 9.6k, 19.2k
    #[arg(long, value_name = "RATE", value_delimiter = ',')]
    rate: Vec<AirRate>,
    /// With or without acknowledgements and repetitions
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "without,with"
    )]
    ack: Vec<Ack>,
    /// Lengthen each wait for an acknowledgement by a random share, at most this; the default is the link's
    #[arg(long, value_name = "SHARE", default_value_t = selo_radio::study::LINK_JITTER, value_parser = parse_share)]
    jitter: f64,
    /// Bytes of a reading's frame
    #[arg(long, value_name = "N", default_value_t = 29, value_parser = clap::value_parser!(u16).range(1..=58))]
    bytes: u16,
    /// Allowed loss in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = parse_percent)]
    loss: f64,
    /// Let nodes send at random moments instead of periodically
    #[arg(long)]
    poisson: bool,
    /// Let every overlap destroy both frames
    #[arg(long)]
    no_capture: bool,
    /// Metres from the gateway to the edge
    #[arg(long, value_name = "METRES", default_value_t = 500.0, value_parser = parse_metres)]
    radius: f64,
    /// Readings at each point
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u64).range(100..=10_000_000))]
    readings: u64,
    /// Seed for places, fading and times
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per point of a curve on stdout
    #[arg(long)]
    json: bool,
    /// Write the curves as pictures into this folder
    #[arg(long, value_name = "DIR")]
    svg: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Ack {
    Without,
    With,
}

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
pub struct RunArgs {
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
    #[arg(long, value_name = "METRES", default_value_t = 100.0, value_parser = parse_metres)]
    distance: f64,
    /// Air data rate of all modules
    #[arg(long, value_name = "RATE", default_value = "2.4k")]
    rate: AirRate,
    /// Baud rate of all serial lines
    #[arg(long, value_name = "BAUD", default_value_t = 9_600, value_parser = parse_baud)]
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

fn parse_baud(text: &str) -> Result<u32, String> {
    let known = Parameters::bauds();
    match text.parse() {
        Ok(baud) if known.contains(&baud) => Ok(baud),
        _ => Err(format!("must be one of {known:?}")),
    }
}

fn within(text: &str, low: f64, high: f64) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!("must be between {low} and {high}")),
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    within(text, 0.0, 1.0)
}

fn parse_percent(text: &str) -> Result<f64, String> {
    within(text, 0.01, 50.0)
}

fn parse_metres(text: &str) -> Result<f64, String> {
    within(text, 1.0, 100_000.0)
}

impl Command {
    pub fn run(&self) -> selo_base::report::Result<ExitCode> {
        match self {
            Command::Airtime(args) => airtime(args),
            Command::Study(args) => carry_out(args),
            Command::Run(args) => run(args),
        }
    }
}

fn or_all(rates: &[AirRate]) -> Vec<AirRate> {
    if rates.is_empty() {
        AirRate::ALL.to_vec()
    } else {
        rates.to_vec()
    }
}

fn milliseconds(time: Duration) -> Cell {
    let value = 1e3 * time.as_secs_f64();
    Cell::number(format::significant(value, 4), value)
}

fn figure(value: f64, digits: usize) -> Cell {
    Cell::number(format::significant(value, digits), value)
}

fn airtime(args: &AirtimeArgs) -> selo_base::report::Result<ExitCode> {
    let bytes = usize::from(args.bytes);
    let fec = !args.no_fec;
    let uart = Uart {
        baud: args.baud,
        parity: Parity::None,
    };
    let line = uart.byte() * (u32::from(args.bytes) + SILENCE_BYTES);
    let correction = if fec { "with" } else { "without" };
    let mut table = Table::new(
        format!(
            "{bytes} bytes, {correction} forward error correction, {} baud",
            args.baud
        ),
        vec![
            Column::text("Rate"),
            Column::text("LoRa"),
            Column::number("On the air", "bytes"),
            Column::number("On the air", "ms"),
            Column::number("From the host's write", "ms")
                .with_note("the serial line, the silence that ends a frame, and the air"),
            Column::number("Packets", "1/s")
                .with_note("back to back: each packet starts after the previous one was sent"),
            Column::number("Sensitivity", "dBm"),
            Column::text("LoRa settings"),
        ],
    );
    for rate in or_all(&args.rate) {
        let modulation = rate.modulation();
        let air = rate.airtime(bytes, fec);
        let all = line + air;
        let fidelity = rate.fidelity();
        if args.json {
            let row = serde_json::json!({
                "schema": "selo.airtime/1", "rate": rate, "bytes": bytes, "fec": fec,
                "modulation": modulation, "bytes_on_air": bytes_on_air(bytes, fec),
                "airtime_s": air.as_secs_f64(), "from_write_s": all.as_secs_f64(),
                "packets_per_second": 1.0 / all.as_secs_f64(),
                "sensitivity_dbm": modulation.sensitivity_dbm(), "settings": fidelity,
            });
            println!("{row}");
            continue;
        }
        let settings = match fidelity {
            Fidelity::Observed => Cell::label("observed", Tone::Plain),
            Fidelity::Assumed => Cell::label("assumed", Tone::Quiet),
        };
        let lora = format!(
            "SF{} {} kHz 4/{}",
            modulation.spreading_factor,
            modulation.bandwidth_hz / 1000,
            4 + modulation.coding_rate
        );
        let on_air = bytes_on_air(bytes, fec) as f64;
        table.push(vec![
            Cell::text(rate.to_string()),
            Cell::text(lora),
            Cell::number(format::count(on_air), on_air),
            milliseconds(air),
            milliseconds(all),
            figure(1.0 / all.as_secs_f64(), 3),
            figure(modulation.sensitivity_dbm(), 4),
            settings,
        ]);
    }
    if !args.json {
        print!("{}", table.to_terminal(TerminalStyle::detect()));
    }
    Ok(ExitCode::SUCCESS)
}

/// One curve of the study.
struct Curve {
    period: Duration,
    ack: Ack,
    rate: AirRate,
    points: Vec<Point>,
}

/// A curve ends at this loss.
const ENOUGH: f64 = 0.3;

fn carry_out(args: &StudyArgs) -> selo_base::report::Result<ExitCode> {
    let limit = args.loss / 100.0;
    let status = StatusLine::new();
    let mut curves = Vec::new();
    for &period in &args.period {
        if period.is_zero() {
            return Err(Report::usage(
                "--period: the time between two readings must not be zero",
                "give a time, such as 1min",
            ));
        }
        for &ack in &args.ack {
            for rate in or_all(&args.rate) {
                status.say(&format!(
                    "{rate} every {}",
                    humantime::format_duration(period)
                ));
                selo_engine::schedule::check_interrupt()?;
                let mut plan = Plan {
                    bytes: usize::from(args.bytes),
                    confirmed: ack == Ack::With,
                    jitter: args.jitter,
                    radius: args.radius,
                    readings: args.readings,
                    seed: args.seed,
                    ..Plan::new(1, period, rate)
                };
                if args.poisson {
                    plan.arrivals = Arrivals::Poisson;
                }
                if args.no_capture {
                    plan.propagation.capture_db = f64::INFINITY;
                }
                let points = study::curve(&plan, ENOUGH.max(limit));
                curves.push(Curve {
                    period,
                    ack,
                    rate,
                    points,
                });
            }
        }
    }
    if args.json {
        drop(status);
        curves.iter().for_each(print_points);
    } else {
        let table = capacities(&curves, limit, args.loss);
        drop(status);
        print!("{}", table.to_terminal(TerminalStyle::detect()));
    }
    if let Some(folder) = &args.svg {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        for picture in pictures(&curves, args.loss) {
            let path = folder.join(format!("{}.svg", picture.id));
            std::fs::write(&path, picture.draw().standalone())
                .with_context(|| format!("cannot write {}", path.display()))?;
            eprintln!("{}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_points(curve: &Curve) {
    for Point { plan, report } in &curve.points {
        let row = serde_json::json!({
            "schema": "selo.radio-study/1", "nodes": plan.nodes,
            "period_s": plan.period.as_secs_f64(), "rate": plan.rate,
            "acknowledged": plan.confirmed, "jitter": plan.jitter, "arrivals": plan.arrivals,
            "airtime_s": plan.airtime().as_secs_f64(), "load": plan.load(),
            "loss": report.loss(), "aloha_loss": plan.aloha_loss(), "report": report,
        });
        println!("{row}");
    }
}

fn capacities(curves: &[Curve], limit: f64, percent: f64) -> Table {
    let most = format::significant(percent, 2);
    let mut table = Table::new(
        format!("Nodes of one gateway at no more than {most} % loss"),
        vec![
            Column::text("Period"),
            Column::text("Acknowledged"),
            Column::text("Rate"),
            Column::number("Time on air", "ms"),
            Column::number("Nodes", ""),
            Column::number("Formula", "")
                .with_note("pure ALOHA, 1 - exp(-2G): no capture, no repetitions"),
            Column::number("Load there", "%").with_note("of the channel, by readings alone"),
            Column::number("Gateway on air", "%"),
        ],
    );
    for curve in curves {
        let first = curve.points.first().map(|point| point.plan);
        let Some(plan) = first else { continue };
        let found = study::capacity(&curve.points, limit);
        let nodes = found.unwrap_or(study::STEPS[study::STEPS.len() - 1]);
        let plan = Plan { nodes, ..plan };
        // The n at which 2 (n - 1) airtime / period reaches the allowed loss.
        let share = plan.period.as_secs_f64() / plan.airtime().as_secs_f64();
        let formula = (1.0 - (1.0 - limit).ln() * share / 2.0).floor();
        let cell = Cell::number(format::count(nodes as f64), nodes as f64);
        let cell = if found.is_none() {
            cell.with_note("or more: this is the largest number in the study")
        } else {
            cell
        };
        let busy = 100.0 * study::run(&plan).gateway_duty;
        table.push(vec![
            Cell::text(humantime::format_duration(curve.period).to_string()),
            Cell::text(if curve.ack == Ack::With { "yes" } else { "no" }),
            Cell::text(curve.rate.to_string()),
            milliseconds(plan.airtime()),
            cell,
            Cell::number(format::count(formula), formula),
            figure(100.0 * plan.load(), 2),
            figure(busy, 2),
        ]);
    }
    table
}

/// One picture for each period, with and without acknowledgements.
fn pictures(curves: &[Curve], percent: f64) -> Vec<Lines> {
    let mut pictures: Vec<Lines> = Vec::new();
    for curve in curves {
        let period = humantime::format_duration(curve.period).to_string();
        let (suffix, words) = match curve.ack {
            Ack::With => ("acknowledged", "acknowledged and repeated"),
            Ack::Without => ("once", "sent once"),
        };
        let id = format!("radio-{}-{suffix}", period.replace(' ', ""));
        let series = Series {
            name: curve.rate.to_string(),
            points: curve
                .points
                .iter()
                .map(|point| (point.plan.nodes as f64, 100.0 * point.report.loss()))
                .collect(),
        };
        match pictures.iter_mut().find(|picture| picture.id == id) {
            Some(picture) => picture.series.push(series),
            None => pictures.push(Lines {
                id,
                title: format!("Loss of readings every {period}, {words}"),
                x_name: "nodes".into(),
                y_name: "readings lost, %".into(),
                remark: "simulated".into(),
                level: Some((percent, format!("{} %", format::significant(percent, 2)))),
                series: vec![series],
            }),
        }
    }
    pictures
}

fn run(args: &RunArgs) -> selo_base::report::Result<ExitCode> {
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
    let mut names = vec!["gateway".to_owned()];
    let mut hosts: Vec<(_, Host)> = vec![(
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
            let line = if args.json {
                json(&event, &names).to_string()
            } else {
                words(&event, &names)
            };
            writeln!(out, "{line}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
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
