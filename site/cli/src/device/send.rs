//! `selo device send`: a message to a node.

use std::io::{Write, stdout};
use std::process::ExitCode;
use std::time::Duration;

use selo_gateway::Error;
use selo_gateway::control::{Client, Event, Reply, Request};
use selo_gateway::engine::MESSAGE_MAX;

use super::common::{Common, Devices};
use crate::codec::Codecs;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The message is sent at once to where the node was last heard, or when it has joined. The
command waits for it; ending the command takes the message back.

Examples:
  selo device send garden 0a01 --confirmed      two bytes; waits until the node has them
  selo device send garden --text open
  selo device send garden 01 --after-uplink --confirmed --timeout 2h    for a node that sleeps")]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
    /// The bytes, in hexadecimal; at most 29
    #[arg(required_unless_present = "text", value_name = "HEX")]
    payload: Option<String>,
    /// A text instead of bytes
    #[arg(long, conflicts_with = "payload", value_name = "TEXT")]
    text: Option<String>,
    /// Ask the node to acknowledge it, and repeat it until it does
    #[arg(long)]
    confirmed: bool,
    /// Send it when the node has just been heard: for nodes that sleep
    #[arg(long)]
    after_uplink: bool,
    /// Give up after this time
    #[arg(long, value_name = "TIME", default_value = "1m", value_parser = parse_time)]
    timeout: Duration,
}

fn parse_time(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time >= Duration::from_secs(1) => Ok(time),
        Ok(_) => Err("at least 1s".into()),
        Err(error) => Err(error.to_string()),
    }
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let payload = match (&args.payload, &args.text) {
        (Some(digits), _) => hex::decode(digits)
            .map_err(|error| Error::Invalid(format!("the payload is not hexadecimal: {error}")))?,
        (None, text) => text.clone().unwrap_or_default().into_bytes(),
    };
    if payload.len() > MESSAGE_MAX {
        let what = format!(
            "{} bytes are too many: at most {MESSAGE_MAX}",
            payload.len()
        );
        return Err(Error::Invalid(what).into());
    }
    let devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    let order = Request::Send {
        device: record.id.to_string(),
        payload: hex::encode(payload),
        timed: false,
        confirmed: args.confirmed,
        after_uplink: args.after_uplink,
        seconds: args.timeout.as_secs(),
    };
    follow(&devices, &args.common, &order, args.confirmed)
}

/// `selo device clock`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
What sets the clock stands in the device's codec. The message is sent when the device has just
been heard, as one that sleeps between its readings needs it. `selo up` does this by itself for
a device whose reading shows a clock that is lost or wrong.")]
pub struct ClockArgs {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
    #[command(flatten)]
    codecs: Codecs,
    /// Give up after this time
    #[arg(long, value_name = "TIME", default_value = "20m", value_parser = parse_time)]
    timeout: Duration,
}

pub fn clock(args: &ClockArgs) -> selo_base::report::Result<ExitCode> {
    let devices = Devices::open(&args.common)?;
    let record = devices.registry.find(&args.device)?;
    let catalogue = args.codecs.load()?;
    let codec = catalogue.get(&record.codec)?;
    let Some(order) = &codec.set_clock else {
        let what = format!("codec '{}' does not say how a clock is set", codec.name);
        return Err(Error::Invalid(what).into());
    };
    let order = Request::Send {
        device: record.id.to_string(),
        payload: hex::encode(order),
        timed: true,
        confirmed: true,
        after_uplink: true,
        seconds: args.timeout.as_secs(),
    };
    follow(&devices, &args.common, &order, true)
}

/// Hands the order to the gateway, and says what becomes of it.
fn follow(
    devices: &Devices,
    common: &Common,
    order: &Request,
    confirmed: bool,
) -> selo_base::report::Result<ExitCode> {
    super::common::exit_on_interrupt();
    let mut client = Client::connect(&devices.state)?;
    client.ask(order)?;
    loop {
        let Reply::Event(event) = client.receive()? else {
            continue;
        };
        if common.json {
            println!("{}", serde_json::to_string(&event)?);
            stdout().flush()?;
        }
        let say = |text: String| {
            if !common.json {
                println!("{text}");
            }
        };
        match event {
            Event::Sent { counter, to } if confirmed => {
                eprintln!("Sent to {to}, packet {counter}; waiting for the acknowledgement.");
            }
            Event::Sent { counter, to } => {
                say(format!("sent to {to}, packet {counter}"));
                return Ok(ExitCode::SUCCESS);
            }
            Event::Acknowledged { counter } => {
                say(format!("acknowledged, packet {counter}"));
                return Ok(ExitCode::SUCCESS);
            }
            Event::Unacknowledged => {
                return refused("the node did not acknowledge it; it may have it all the same");
            }
            Event::Expired => return refused("its time is up"),
            Event::Cancelled => return refused("it was taken back"),
            _ => {}
        }
    }
}

fn refused(why: &str) -> selo_base::report::Result<ExitCode> {
    Err(Error::Refused(why.into()).into())
}
