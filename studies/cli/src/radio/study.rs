//! `selo radio study`: the number of nodes that one gateway carries before it loses too much.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use selo_base::report::{Context, Report};
use selo_command::status::StatusLine;
use selo_e32::airtime::AirRate;
use selo_radio::study::{self, Arrivals, Plan, Point};
use selo_report::format;
use selo_report::svg::lines::{Lines, Series};
use selo_report::table::{Cell, Column, Table, TerminalStyle};

use super::common::{figure, milliseconds, or_all};

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
pub struct Args {
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
    #[arg(long, value_name = "SHARE", default_value_t = selo_radio::study::LINK_JITTER, value_parser = super::common::parse_share)]
    jitter: f64,
    /// Bytes of a reading's frame
    #[arg(long, value_name = "N", default_value_t = 29, value_parser = clap::value_parser!(u16).range(1..=58))]
    bytes: u16,
    /// Allowed loss in percent
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = super::common::parse_percent)]
    loss: f64,
    /// Let nodes send at random moments instead of periodically
    #[arg(long)]
    poisson: bool,
    /// Let every overlap destroy both frames
    #[arg(long)]
    no_capture: bool,
    /// Metres from the gateway to the edge
    #[arg(long, value_name = "METRES", default_value_t = 500.0, value_parser = super::common::parse_metres)]
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

/// One curve of the study.
struct Curve {
    period: Duration,
    ack: Ack,
    rate: AirRate,
    points: Vec<Point>,
}

/// A curve ends at this loss.
const ENOUGH: f64 = 0.3;

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let limit = args.loss / 100.0;
    let status = StatusLine::new();
    let curves = curves(args, &status)?;
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

/// Simulates a curve for each period, with and without acknowledgements, at each rate.
fn curves(args: &Args, status: &StatusLine) -> selo_base::report::Result<Vec<Curve>> {
    let limit = args.loss / 100.0;
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
                let plan = plan(args, period, ack, rate);
                curves.push(Curve {
                    period,
                    ack,
                    rate,
                    points: study::curve(&plan, ENOUGH.max(limit)),
                });
            }
        }
    }
    Ok(curves)
}

fn plan(args: &Args, period: Duration, ack: Ack, rate: AirRate) -> Plan {
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
    plan
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
