//! The gateway of a state directory, and its radio heads.

use selo_gateway::Error;
use selo_gateway::control::{Client, HeadsStatus, Reply, Request, Status};
use selo_gateway::heads::Store;

use super::part::{Level, Part};
use crate::gateway::State;

pub fn parts(state: &State, name: &str) -> Vec<Part> {
    asked(state, name).unwrap_or_else(|error| {
        let why = match error {
            Error::NotRunning { .. } => "it does not run on this state directory; start it with \
                                         `selo up` or `selo gateway`"
                .into(),
            error => format!("it cannot be asked: {error}"),
        };
        vec![Part::away("gateway", name, why)]
    })
}

fn asked(state: &State, name: &str) -> selo_gateway::Result<Vec<Part>> {
    let directory = state.open()?;
    let mut client = Client::connect(&directory)?;
    let mut parts = Vec::new();
    match client.ask(&Request::Status)? {
        Reply::Status(status) => parts.push(gateway(name, &status)),
        _ => parts.push(Part::away("gateway", name, "it does not tell its status")),
    }
    if let Reply::Heads(running) = client.ask(&Request::Heads)? {
        let known = Store::new(&directory).all()?;
        for problem in &known.damaged {
            parts.push(Part::away("head", "?", problem.to_string()));
        }
        let heads = known.heads.iter();
        parts.extend(heads.map(|(name, known)| head(name, known.number, &running)));
    }
    Ok(parts)
}

fn head(name: &str, number: u16, running: &HeadsStatus) -> Part {
    match running.heads.iter().find(|it| it.number == number) {
        None if running.listen.is_none() => Part::new("head", name).with(
            Level::Warning,
            "the gateway takes no heads: start it with --heads",
        ),
        None => Part::away("head", name, "it is not connected; look at its log"),
        Some(it) => Part::new("head", name)
            .figure("from", it.from.clone())
            .measured("connected", "s", it.seconds)
            .figure("heard", it.heard)
            .figure("heard best", it.best)
            .measured("waited", "ms", it.waited_ms),
    }
}

fn gateway(name: &str, status: &Status) -> Part {
    let undelivered = status.undelivered_bytes;
    Part::new("gateway", name)
        .figure("version", status.version.clone())
        .measured("up", "s", status.uptime_seconds)
        .figure("devices", status.devices)
        .figure("sessions", status.sessions)
        .figure("readings", status.readings)
        .measured("undelivered", "bytes", undelivered)
        .with_if(undelivered > UNDELIVERED, Level::Warning, || {
            format!(
                "{} MB of its journal wait for the collector or the stream; they are safe there",
                undelivered >> 20
            )
        })
        .with_if(
            status.version != env!("CARGO_PKG_VERSION"),
            Level::Warning,
            || format!("this command is of version {}", env!("CARGO_PKG_VERSION")),
        )
}

/// Bytes of the journal above which a gateway is said to be behind: some 20,000 readings. A busy
/// gateway always has some on the way.
const UNDELIVERED: u64 = 1 << 20;
