//! `selo device pair`: a person types the six digits that the node shows.

use std::io::{Write, stderr, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
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
  2. start pairing on the node: press its button, or selo_node_pair;
  3. the node shows six digits: type them here;
  4. only when this command says that they are right, confirm on the node: hold its button
     for two seconds, or selo_node_confirm.

If no attempt at the gateway has these digits, somebody may stand between it and the node: do
not confirm on the node. The window closes after three entries that no attempt has, after its
time, or with Ctrl-C.

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

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let state = args.common.state.open()?;
    super::common::exit_on_interrupt();
    let (mut client, first) = open(args, &state)?;
    let mut desk = Desk::new(args, &client)?;
    let mut next = first;
    loop {
        let event = match next.take() {
            Some(event) => event,
            None => match client.receive() {
                Ok(Reply::Event(event)) => event,
                Ok(_) => continue,
                // The digits of no attempt, or the name is taken.
                Err(Error::Refused(why)) => {
                    desk.refused(why)?;
                    continue;
                }
                Err(_) if desk.paired => break,
                Err(error) => return Err(error.into()),
            },
        };
        show(args, &event)?;
        match event {
            Event::Keyed { attempt, .. } => desk.begun.push(attempt),
            Event::Comparing { attempt, .. } => {
                desk.begun.retain(|begun| *begun != attempt);
                desk.enter(&mut client)?;
            }
            Event::Failed { attempt, .. } => desk.begun.retain(|begun| *begun != attempt),
            Event::Paired { .. } => desk.paired = true,
            Event::Closed { why } => {
                desk.why_closed = why;
                break;
            }
            _ => {}
        }
    }
    match desk.paired {
        true => Ok(ExitCode::SUCCESS),
        false => Err(Error::Refused(format!("nothing was paired: {}", desk.why_closed)).into()),
    }
}

/// What this side of the window has to remember.
struct Desk<'a> {
    args: &'a Args,
    /// Asks the person; `None` if the digits were given.
    asker: Option<Sender<()>>,
    /// The person has been asked, and has not answered.
    asked: Arc<AtomicBool>,
    /// Attempts whose nodes do not show digits yet.
    begun: Vec<u64>,
    paired: bool,
    why_closed: String,
}

impl<'a> Desk<'a> {
    fn new(args: &'a Args, client: &Client) -> selo_gateway::Result<Desk<'a>> {
        let (mut asker, asked) = (None, Arc::new(AtomicBool::new(false)));
        if args.digits.is_none() {
            let (ask, questions) = channel();
            let (writer, asked) = (client.writer()?, asked.clone());
            std::thread::spawn(move || ask_person(writer, &questions, &asked));
            asker = Some(ask);
        }
        Ok(Desk {
            args,
            asker,
            asked,
            begun: Vec::new(),
            paired: false,
            why_closed: String::new(),
        })
    }

    /// Digits can be typed: has the person asked for them, or sends those that were given.
    fn enter(&mut self, client: &mut Client) -> selo_gateway::Result<()> {
        match (&self.asker, &self.args.digits) {
            (Some(_), _) => {
                self.ask();
                Ok(())
            }
            (None, Some(digits)) => client.send(&Request::Confirm {
                digits: digits.clone(),
                name: self.args.name.clone(),
            }),
            (None, None) => Ok(()),
        }
    }

    /// Asks the person, who may be at it already.
    fn ask(&self) {
        if let Some(ask) = &self.asker
            && !self.asked.swap(true, Ordering::AcqRel)
        {
            let _ = ask.send(());
        }
    }

    /// The gateway has refused what was typed.
    fn refused(&mut self, why: String) -> selo_gateway::Result<()> {
        // An attempt that has only begun may yet be the one.
        if self.asker.is_none() && self.begun.is_empty() {
            return Err(Error::Refused(why));
        }
        eprintln!("The gateway refuses: {why}.");
        self.ask();
        Ok(())
    }
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

/// Asks for the digits whenever there is a reason to.
fn ask_person(mut client: Client, questions: &Receiver<()>, asked: &AtomicBool) {
    for () in questions {
        let Some(word) = typed() else {
            eprintln!(
                "Nobody to ask here. Enter them with: selo device pair --digits DIGITS, those that the node shows"
            );
            return;
        };
        asked.store(false, Ordering::Release);
        if client.send(&word).is_err() {
            return;
        }
    }
}

/// The person's word; `None` if there is no person.
fn typed() -> Option<Request> {
    loop {
        eprint!("Type the six digits that the node shows, or r to reject: ");
        let _ = stderr().flush();
        let mut line = String::new();
        if stdin().read_line(&mut line).ok()? == 0 {
            eprintln!();
            return None;
        }
        match (line.trim(), parse_digits(&line)) {
            ("r", _) => return Some(Request::Reject),
            (_, Ok(digits)) => return Some(Request::Confirm { digits, name: None }),
            (_, Err(_)) => eprintln!("Six digits, or r."),
        }
    }
}

/// Tells what happens.
fn show(args: &Args, event: &Event) -> selo_base::report::Result<()> {
    if args.common.json {
        println!("{}", serde_json::to_string(event)?);
        stdout().flush()?;
        return Ok(());
    }
    match event {
        Event::Open { entries_left } => {
            eprintln!(
                "The window is open; entries left: {entries_left}. Start pairing on the node: a short press."
            );
        }
        Event::Keyed { device, suite, .. } => {
            eprintln!("Device {device} ({suite}) wants to pair.");
        }
        Event::Comparing {
            device, replaces, ..
        } => {
            eprintln!("Device {device} shows its digits.");
            if *replaces {
                eprintln!("Device {device} is known: its key will be replaced.");
            }
        }
        Event::Failed { device, why, .. } => eprintln!("Device {device}: {why}."),
        Event::Paired { device, .. } => {
            eprintln!(
                "The digits are right. Now confirm on the node: hold its button for two seconds."
            );
            println!("{device}");
        }
        _ => {}
    }
    Ok(())
}
