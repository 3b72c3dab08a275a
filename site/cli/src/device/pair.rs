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
The gateway must be running. Then:
  1. selo device pair opens the gateway's pairing window;
  2. start pairing on the node: press its button, or call selo_node_pair;
  3. the node shows six digits: type them here;
  4. only if this command says that the digits are right, confirm on the node: hold its button
     for two seconds, or call selo_node_confirm.

If no attempt at the gateway has these digits, an attacker may be between gateway and node: do
not confirm on the node. The window closes after three entries of wrong digits, when its time
has passed, or with Ctrl-C.

Examples:
  selo device pair --name garden
  selo device pair --digits 042917    from a second terminal or a script: the digits that the
                                      node shows")]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Time for which the window stays open, at most 10m
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_window)]
    window: Duration,
    /// Name of the device
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    name: Option<String>,
    /// The digits that the node shows, instead of a prompt. Opens the window if it is closed
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
                // No attempt has these digits, or another device has the name.
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
            Event::Opened { attempt, .. } | Event::Keyed { attempt, .. } => {
                desk.begun.push(attempt);
            }
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
        false => Err(Error::Refused(format!("no node was paired: {}", desk.why_closed)).into()),
    }
}

/// The operator's side of the pairing window.
struct Desk<'a> {
    args: &'a Args,
    /// Makes the prompt appear; `None` if the digits were given as an option.
    asker: Option<Sender<()>>,
    /// True while the prompt waits for an answer.
    asked: Arc<AtomicBool>,
    /// Attempts that do not have digits yet.
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

    /// A node shows digits: shows the prompt, or sends the digits given as an option.
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

    /// Shows the prompt, unless it is already waiting.
    fn ask(&self) {
        if let Some(ask) = &self.asker
            && !self.asked.swap(true, Ordering::AcqRel)
        {
            let _ = ask.send(());
        }
    }

    /// The gateway has refused the digits.
    fn refused(&mut self, why: String) -> selo_gateway::Result<()> {
        // The digits may belong to an attempt that has only begun.
        if self.asker.is_none() && self.begun.is_empty() {
            return Err(Error::Refused(why));
        }
        eprintln!("The gateway refuses: {why}.");
        self.ask();
        Ok(())
    }
}

/// Opens the window. If the digits are given and a window is open, uses that one.
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
    // The first answer is a refusal, or the first event of the window.
    match client.receive()? {
        Reply::Event(event) => Ok((client, Some(event))),
        _ => Ok((client, None)),
    }
}

/// Shows the prompt once for each question, and sends the answer.
fn ask_person(mut client: Client, questions: &Receiver<()>, asked: &AtomicBool) {
    for () in questions {
        let Some(word) = typed() else {
            eprintln!(
                "Standard input is closed. Enter the node's digits with: selo device pair --digits DIGITS"
            );
            return;
        };
        asked.store(false, Ordering::Release);
        if client.send(&word).is_err() {
            return;
        }
    }
}

/// The answer to the prompt; `None` at the end of standard input.
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
            (_, Err(_)) => eprintln!("Type six digits, or r."),
        }
    }
}

/// Prints an event.
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
        Event::Opened {
            device, suite, kem, ..
        } => {
            eprintln!("Device {device} ({suite}) wants to pair by X25519 and {kem}.");
        }
        Event::Keyed { device, suite, .. } => {
            eprintln!("Device {device} ({suite}) wants to pair.");
        }
        Event::Comparing {
            device, replaces, ..
        } => {
            eprintln!("Device {device} shows its digits.");
            if *replaces {
                eprintln!("The gateway knows device {device}: its key will be replaced.");
            }
        }
        Event::Failed { device, why, .. } => eprintln!("Device {device}: {why}."),
        Event::Paired { device, kem, .. } => {
            match kem {
                Some(kem) => eprintln!("Paired by X25519 and {kem}: quantum-safe."),
                None => eprintln!(
                    "Paired by X25519 alone: not quantum-safe, if this pairing was recorded."
                ),
            }
            eprintln!(
                "The digits are right. Now confirm on the node: hold its button for two seconds."
            );
            println!("{device}");
        }
        _ => {}
    }
    Ok(())
}
