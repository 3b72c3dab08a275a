//! `selo radio plan`: says if a number of stations fits on a channel.

use std::process::ExitCode;
use std::time::Duration;

use selo_base::report::Result;
use selo_base::table::{Cell, Column, Table, TerminalStyle};
use selo_e32::airtime::{AirRate, Modulation};
use selo_e32::plan::{Obstacle, Outcome, PERIOD_MAX, Plan, Radio, Supply};
use selo_e32::regions::{Limit, Region};

/// Bytes that the link adds to a reading: type, session, counter, short tag.
const LINK_BYTES: u16 = 13;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
A frame is on the air for a time that the transceiver's formula gives. Three things limit how often
stations may send: the rules of the region, collisions with frames of other stations, and the
battery. The first line says if the plan fits, and the shortest period that does.

All stations use one channel. Collisions are a model, pure ALOHA with the link's repetitions, not a
measurement: `selo radio study` simulates them. The rules are a summary: read their present text.
docs/operator/radio.md names the sources.

Regions: EU (868.0-868.6 MHz, 1 % of the time), EU433 and EU869 (10 %), US, BR (a fixed channel of
at least 500 kHz). An E32 has 500 kHz at 2.4k, 9.6k and 19.2k.

Examples:
  selo radio plan --nodes 80 --period 10m --region BR
  selo radio plan --nodes 20 --period 1h --region EU --once
  selo radio plan --nodes 300 --period 15m --region EU --sf 7 --bandwidth 125
  selo radio plan --nodes 5 --period 1m --region EU433 --air-rate 4.8k --battery 2600 --json")]
pub struct Args {
    /// Number of stations
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    nodes: u32,
    /// Time between two readings of a station: 10m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_period)]
    period: Duration,
    /// Whose rules apply: EU, EU433, EU869, US or BR
    #[arg(long, value_parser = str::parse::<Region>)]
    region: Region,
    /// Bytes of a reading, without the 13 that the link adds
    #[arg(long, value_name = "BYTES", default_value_t = 16, value_parser = clap::value_parser!(u16).range(0..=45))]
    payload: u16,
    /// Air data rate of E32 modules: 0.3k, 1.2k, 2.4k, 4.8k, 9.6k, 19.2k
    #[arg(long, value_name = "RATE", default_value = "2.4k", conflicts_with_all = ["sf", "bandwidth"])]
    air_rate: AirRate,
    /// Spreading factor of an SX127x that the station programs itself, instead of an E32: 7 to 12
    #[arg(long, value_name = "SF", value_parser = clap::value_parser!(u8).range(7..=12))]
    sf: Option<u8>,
    /// Bandwidth of an SX127x in kHz: 125, 250 or 500
    #[arg(long, value_name = "KHZ", default_value = "125", requires = "sf", value_parser = parse_bandwidth)]
    bandwidth: u32,
    /// Send each reading once, without an acknowledgement
    #[arg(long)]
    once: bool,
    /// Accepted share of lost readings, in percent
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = within::<1, 50_000>)]
    loss: f64,
    /// Capacity of a station's battery in mAh; 2500 is two alkaline AA cells in series
    #[arg(long, value_name = "MAH", default_value = "2500", value_parser = within::<1_000, 1_000_000_000>)]
    battery: f64,
    /// Current while the radio sends, in mA; the SX1276's at 20 dBm
    #[arg(long, value_name = "MA", default_value = "120", value_parser = within::<1, 5_000_000>)]
    transmit_ma: f64,
    /// Current while the radio listens, in mA; the SX1276's
    #[arg(long, value_name = "MA", default_value = "12", value_parser = within::<0, 5_000_000>)]
    receive_ma: f64,
    /// Current while the station sleeps, in uA; 10 is an ATmega328P with its watchdog and an SX1276,
    /// without regulators and sensors
    #[arg(long, value_name = "UA", default_value = "10", value_parser = within::<1, 1_000_000_000>)]
    sleep_ua: f64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

fn parse_period(text: &str) -> std::result::Result<Duration, String> {
    let period =
        humantime::parse_duration(text).map_err(|error| format!("{error}; such as 10m"))?;
    if !(Duration::from_secs(1)..=PERIOD_MAX).contains(&period) {
        return Err("must be from 1s to 30d".into());
    }
    Ok(period)
}

fn parse_bandwidth(text: &str) -> std::result::Result<u32, String> {
    match text {
        "125" => Ok(125_000),
        "250" => Ok(250_000),
        "500" => Ok(500_000),
        _ => Err("must be 125, 250 or 500".into()),
    }
}

/// A number from LOW to HIGH thousandths.
fn within<const LOW: u32, const HIGH: u32>(text: &str) -> std::result::Result<f64, String> {
    let (low, high) = (f64::from(LOW) / 1e3, f64::from(HIGH) / 1e3);
    match text.parse::<f64>() {
        Ok(number) if (low..=high).contains(&number) => Ok(number),
        _ => Err(format!("must be a number from {low} to {high}")),
    }
}

impl Args {
    fn plan(&self) -> Plan {
        let radio = match self.sf {
            Some(sf) => Radio::Sx127x(Modulation::new(sf, self.bandwidth, 1)),
            None => Radio::E32(self.air_rate),
        };
        Plan {
            nodes: self.nodes,
            period: self.period,
            frame_bytes: usize::from(self.payload + LINK_BYTES),
            acknowledged: !self.once,
            radio,
            region: self.region,
            loss_max: self.loss / 100.0,
        }
    }

    fn supply(&self) -> Supply {
        Supply {
            capacity_mah: self.battery,
            transmit_ma: self.transmit_ma,
            receive_ma: self.receive_ma,
            sleep_ma: self.sleep_ua / 1e3,
        }
    }
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let (plan, supply) = (args.plan(), args.supply());
    let (outcome, obstacles) = (plan.outcome(), plan.obstacles());
    let shortest = plan.shortest_period();
    let days = supply.days(&outcome, plan.period);
    if args.json {
        println!(
            "{}",
            serde_json::json!({
                "schema": "selo.radio-plan/1", "fits": obstacles.is_empty(), "obstacles": obstacles,
                "nodes": plan.nodes, "period_s": plan.period.as_secs_f64(),
                "shortest_period_s": shortest.map(|time| time.as_secs()),
                "frame_bytes": plan.frame_bytes, "acknowledged": plan.acknowledged,
                "modulation": plan.radio.modulation(), "region": plan.region,
                "loss_max": plan.loss_max, "outcome": outcome,
                "supply": supply, "mean_ma": supply.mean_ma(&outcome, plan.period),
                "battery_days": days,
            })
        );
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}\n", sentence(&plan, &outcome, &obstacles, shortest));
    print!(
        "{}",
        table(&plan, &supply, &outcome).to_terminal(TerminalStyle::detect())
    );
    Ok(ExitCode::SUCCESS)
}

fn time(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}

/// A number with three significant digits, and no exponent.
fn figure(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 1.0 => 2,
        v if v >= 0.1 => 3,
        _ => 4,
    };
    format!("{value:.digits$}")
}

fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0 %".into(),
        value if value < 0.001 => "below 0.001 %".into(),
        value => format!("{} %", figure(value)),
    }
}

/// A limit, as it was given.
fn limit(share: f64) -> String {
    format!("{} %", (share * 1e6).round() / 1e4)
}

fn sentence(
    plan: &Plan,
    outcome: &Outcome,
    obstacles: &[Obstacle],
    shortest: Option<Duration>,
) -> String {
    let stations = if plan.nodes == 1 {
        "1 station"
    } else {
        &format!("{} stations", plan.nodes)
    };
    let subject = format!("{stations} every {}", time(plan.period));
    let verb = |singular: &'static str, plural: &'static str| {
        if plan.nodes == 1 { singular } else { plural }
    };
    let Some(obstacle) = obstacles.first() else {
        return format!(
            "{subject} {}: {} of the readings are lost, and {} may be; the shortest period is {}.",
            verb("fits", "fit"),
            percent(outcome.loss),
            limit(plan.loss_max),
            shortest.map_or_else(String::new, time),
        );
    };
    let why = reason(*obstacle, plan, outcome);
    let next = match shortest {
        Some(shortest) => format!("the shortest period that fits is {}", time(shortest)),
        None if obstacles.iter().all(|one| one.depends_on_period()) => {
            "no period up to 30 days fits".into()
        }
        None => "no period changes that".into(),
    };
    format!(
        "{subject} {} not fit, because {why}; {next}.",
        verb("does", "do")
    )
}

fn reason(obstacle: Obstacle, plan: &Plan, outcome: &Outcome) -> String {
    let khz = plan.radio.modulation().bandwidth_hz / 1000;
    let allowed = match plan.region.limit {
        Limit::DutyCycle(share) => limit(share),
        Limit::WideOrHopping { fixed_hz, .. } => format!("{} kHz", fixed_hz / 1000),
    };
    match obstacle {
        Obstacle::WiderThanBand => format!("the signal's {khz} kHz are wider than the band"),
        Obstacle::Narrow => format!(
            "on one channel the signal must be {allowed} wide, and it is {khz} kHz (--air-rate 2.4k, \
             9.6k or 19.2k, or --bandwidth 500, has them)"
        ),
        Obstacle::StationDuty => format!(
            "a station sends for {} of the time, and may for {allowed}",
            percent(outcome.station_duty)
        ),
        Obstacle::GatewayDuty => format!(
            "the gateway's acknowledgements take {} of the time, and may take {allowed} (--once \
             has none)",
            percent(outcome.gateway_duty)
        ),
        Obstacle::Loss => format!(
            "{} of the readings are lost in collisions, and {} may be",
            percent(outcome.loss),
            limit(plan.loss_max)
        ),
    }
}

fn table(plan: &Plan, supply: &Supply, outcome: &Outcome) -> Table {
    let columns = vec![
        Column::text("What"),
        Column::number("Value", ""),
        Column::text("Limit, or how"),
    ];
    let mut table = Table::new("", columns);
    let rows = rules(plan, outcome).into_iter();
    for cells in rows.chain([
        [
            "channel in use".into(),
            percent(outcome.load),
            "all stations and the gateway".into(),
        ],
        [
            "readings lost".into(),
            percent(outcome.loss),
            format!("at most {}", limit(plan.loss_max)),
        ],
        battery(plan, supply, outcome),
    ]) {
        table.push(cells.map(Cell::text).into());
    }
    table.remarks = vec![
        format!("Rule: {}; {}", plan.region.rule, plan.region.power),
        "Collisions: a model, pure ALOHA with the link's repetitions; no capture, no weak signals"
            .into(),
        format!(
            "Battery: {} mA sending, {} mA listening, {} uA asleep; no self-discharge, no sensors",
            supply.transmit_ma,
            supply.receive_ma,
            1e3 * supply.sleep_ma
        ),
    ];
    table
}

/// The rows that the rules of the region limit.
fn rules(plan: &Plan, outcome: &Outcome) -> Vec<[String; 3]> {
    let ms = |seconds: f64| format!("{} ms", figure(1e3 * seconds));
    let bandwidth = plan.radio.modulation().bandwidth_hz;
    let most = match plan.region.limit {
        Limit::DutyCycle(share) => format!("at most {} of an hour", limit(share)),
        Limit::WideOrHopping { fixed_hz, .. } if bandwidth >= fixed_hz => "no limit".into(),
        Limit::WideOrHopping { fixed_hz, .. } => {
            format!("not on one channel below {} kHz", fixed_hz / 1000)
        }
    };
    let bytes = format!("{} bytes", plan.frame_bytes);
    let mut rows = vec![
        [
            "frame".into(),
            bytes,
            format!("{LINK_BYTES} of them are the link's"),
        ],
        ["on the air".into(), ms(outcome.frame_s), radio(plan)],
        [
            "a station sends".into(),
            percent(outcome.station_duty),
            most.clone(),
        ],
    ];
    if plan.acknowledged {
        let how = format!("{most}; an acknowledgement is {}", ms(outcome.ack_s));
        rows.push([
            "the gateway sends".into(),
            percent(outcome.gateway_duty),
            how,
        ]);
        let transmissions = figure(outcome.transmissions);
        rows.push([
            "transmissions a reading".into(),
            transmissions,
            "at most 4".into(),
        ]);
    }
    let hop = plan.region.limit.hopping(bandwidth);
    if let Some(hop) = hop.filter(|_| plan.obstacles().contains(&Obstacle::Narrow)) {
        let how = format!(
            "if it hopped: {} ms in {} s, {} channels",
            hop.dwell_ms, hop.window_s, hop.channels
        );
        rows.push(["stay on a channel".into(), ms(outcome.frame_s), how]);
    }
    rows
}

fn battery(plan: &Plan, supply: &Supply, outcome: &Outcome) -> [String; 3] {
    let days = supply.days(outcome, plan.period);
    let life = if days >= 3_652.0 {
        "over 10 years".into()
    } else if days >= 730.0 {
        format!("{:.1} years", days / 365.25)
    } else {
        format!("{days:.0} days")
    };
    let mean = figure(supply.mean_ma(outcome, plan.period));
    let how = format!("{} mAh at {mean} mA", supply.capacity_mah);
    ["battery lasts".into(), life, how]
}

fn radio(plan: &Plan) -> String {
    let Modulation {
        spreading_factor,
        bandwidth_hz,
        coding_rate,
    } = plan.radio.modulation();
    let lora = format!(
        "SF{spreading_factor}, {} kHz, 4/{}",
        bandwidth_hz / 1000,
        4 + coding_rate
    );
    match plan.radio {
        Radio::E32(rate) => format!("E32 at {rate}: {lora}"),
        Radio::Sx127x(_) => format!("SX127x: {lora}"),
    }
}
