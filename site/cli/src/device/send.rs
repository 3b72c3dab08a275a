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
The gateway sends the message at once to the node's last address, or as soon as the node has
joined. The command waits until then. Ctrl-C cancels the message.

Examples:
  selo device send garden 0a01 --confirmed      two bytes; waits until the node has them
  selo device send garden --text open
  selo device send garden 01 --after-uplink --confirmed --timeout 2h    for a node that sleeps")]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Id or name
    device: String,
    /// The payload in hexadecimal, at most 29 bytes
    #[arg(required_unless_present = "text", value_name = "HEX")]
    payload: Option<String>,
    /// The payload as text
    #[arg(long, conflicts_with = "payload", value_name = "TEXT")]
    text: Option<String>,
    /// Ask for an acknowledgement, and repeat the message until it arrives
    #[arg(long)]
    confirmed: bool,
    /// Send the message right after a packet of the node, for nodes that sleep
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
            "the payload has {} bytes: at most {MESSAGE_MAX}",
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
The device's codec defines the message that sets the clock. The gateway sends it right after a
packet of the device, because a device may sleep between its readings. `selo up` sets a clock by
itself when a reading shows that it is lost or wrong.")]
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
        let what = format!("codec '{}' has no message that sets a clock", codec.name);
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

/// Sends the request to the gateway, and prints the outcome.
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
                return refused(
                    "the node did not acknowledge the message; it may have received it",
                );
            }
            Event::Expired => {
                return refused("the message expired before it was sent or acknowledged");
            }
            Event::Cancelled => return refused("the message was cancelled"),
            _ => {}
        }
    }
}

fn refused(why: &str) -> selo_base::report::Result<ExitCode> {
    Err(Error::Refused(why.into()).into())
}
