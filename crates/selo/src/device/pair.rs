//! `selo device pair`: six digits, compared by a person.

use std::io::{Write, stderr, stdin, stdout};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use selo_gateway::Error;
use selo_gateway::control::{Client, Event, Reply, Request};
use selo_gateway::engine::WINDOW_MAX_MS;
use selo_gateway::registry::check_name;
use selo_gateway::state::StateDir;

use super::common::Common;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The gateway must run. Then:
  1. selo device pair opens its pairing window;
  2. start pairing on the node (its button, or selo_node_pair);
  3. both show six digits: type here those that the NODE shows;
  4. confirm on the node, too.

If the digits differ, somebody stands between node and gateway: the pairing is rejected, and
nothing is stored. The window closes after three attempts, after its time, or with Ctrl-C.

Examples:
  selo device pair --name garden
  selo device pair --digits 042917    in a second terminal or from a script: the digits that
                                      the node shows")]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// How long the window is open, at most 10m
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_window)]
    window: Duration,
    /// What to call the device
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    name: Option<String>,
    /// The digits that the node shows: do not ask. Opens the window unless it is open
    #[arg(long, value_name = "DIGITS", value_parser = parse_digits)]
    digits: Option<String>,
}

fn parse_window(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    let most = Duration::from_millis(WINDOW_MAX_MS);
    if time < Duration::from_secs(1) || time > most {
        return Err(format!("1s to {}", humantime::format_duration(most)));
    }
    Ok(time)
}

fn parse_name(name: &str) -> Result<String, String> {
    check_name(name).map_err(|error| error.to_string())?;
    Ok(name.into())
}

fn parse_digits(text: &str) -> Result<String, String> {
    let digits: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(digits)
    } else {
        Err("six digits".into())
    }
}

/// Wrong lines that the person may type before the digits count as different.
const TYPING_ERRORS: usize = 2;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let state = args.common.state.open()?;
    super::common::exit_on_interrupt();
    let (mut client, first) = open(args, &state)?;
    let (compare, comparisons) = channel();
    if args.digits.is_none() {
        let asker = client.writer()?;
        std::thread::spawn(move || ask_person(asker, &comparisons));
    }
    let mut paired = None;
    let mut why_closed = String::new();
    let mut next = first;
    loop {
        let event = match next.take() {
            Some(event) => event,
            None => match client.receive() {
                Ok(Reply::Event(event)) => event,
                Ok(_) => continue,
                // What was confirmed or rejected came too late, or the name is taken.
                Err(Error::Refused(why)) => {
                    eprintln!("The gateway refuses: {why}");
                    continue;
                }
                Err(error) => match paired {
                    Some(_) => break,
                    None => return Err(error.into()),
                },
            },
        };
        show(args, &event)?;
        match event {
            Event::Comparing {
                attempt, digits, ..
            } => match &args.digits {
                Some(typed) => decide(&mut client, attempt, *typed == digits, args)?,
                None => {
                    let _ = compare.send((attempt, digits));
                }
            },
            Event::Paired { device, .. } => paired = Some(device),
            Event::Failed { .. } if args.digits.is_some() => {
                return Err(Error::Refused("nothing was paired".into()).into());
            }
            Event::Closed { why } => {
                why_closed = why;
                break;
            }
            _ => {}
        }
    }
    if paired.is_none() {
        return Err(Error::Refused(format!("nothing was paired: {why_closed}")).into());
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the window, or joins the one that is open if the digits are given.
fn open(args: &Args, state: &StateDir) -> selo_gateway::Result<(Client, Option<Event>)> {
    if args.digits.is_some() {
        let mut client = Client::connect(state)?;
        match client.ask(&Request::Watch) {
            Ok(Reply::Event(event)) => return Ok((client, Some(event))),
            Ok(_) | Err(Error::Refused(_)) => {}
            Err(error) => return Err(error),
        }
    }
    let mut client = Client::connect(state)?;
    client.send(&Request::Pair {
        seconds: args.window.as_secs(),
        name: args.name.clone(),
    })?;
    // A refusal comes first; else what happens in the window.
    match client.receive()? {
        Reply::Event(event) => Ok((client, Some(event))),
        _ => Ok((client, None)),
    }
}

fn decide(client: &mut Client, attempt: u64, same: bool, args: &Args) -> selo_gateway::Result<()> {
    client.send(&if same {
        let name = args.name.clone();
        Request::Confirm { attempt, name }
    } else {
        eprintln!("The digits differ: rejected.");
        Request::Reject { attempt }
    })
}

/// Asks for the digits whenever there are some to compare.
fn ask_person(mut client: Client, comparisons: &Receiver<(u64, String)>) {
    for (attempt, digits) in comparisons {
        let Some(same) = compare(&digits) else {
            eprintln!(
                "Nobody to ask here. Confirm with: selo device pair --digits DIGITS, those that the node shows"
            );
            return;
        };
        let word = if same {
            let name = None;
            Request::Confirm { attempt, name }
        } else {
            eprintln!("Rejected.");
            Request::Reject { attempt }
        };
        if client.send(&word).is_err() {
            return;
        }
    }
}

/// The person's word: the same digits or not; `None` if there is no person.
fn compare(digits: &str) -> Option<bool> {
    let mut errors = 0;
    loop {
        eprint!("Type the digits that the node shows, or r to reject: ");
        let _ = stderr().flush();
        let mut line = String::new();
        if stdin().read_line(&mut line).ok()? == 0 {
            eprintln!();
            return None;
        }
        match (line.trim(), parse_digits(&line)) {
            ("r", _) => return Some(false),
            (_, Ok(typed)) if typed == digits => return Some(true),
            (_, Ok(_)) if errors >= TYPING_ERRORS => return Some(false),
            (_, Ok(_)) => {
                errors += 1;
                eprintln!("These are not the gateway's. If the node does show them: r");
            }
            (_, Err(_)) => eprintln!("Six digits, or r."),
        }
    }
}

/// Tells what happens.
fn show(args: &Args, event: &Event) -> anyhow::Result<()> {
    if args.common.json {
        println!("{}", serde_json::to_string(event)?);
        stdout().flush()?;
        return Ok(());
    }
    match event {
        Event::Open { attempts_left } => {
            eprintln!(
                "The window is open; attempts left: {attempts_left}. Start pairing on the node."
            );
        }
        Event::Keyed { device, suite, .. } => {
            eprintln!("Device {device} ({suite}) wants to pair.");
        }
        Event::Comparing {
            device,
            digits,
            replaces,
            ..
        } => {
            if *replaces {
                eprintln!("Device {device} is known: its key will be replaced.");
            }
            eprintln!("Digits here: {} {}", &digits[..3], &digits[3..]);
        }
        Event::Failed { device, why, .. } => eprintln!("Device {device}: {why}."),
        Event::Paired { device, .. } => println!("{device}"),
        _ => {}
    }
    Ok(())
}
