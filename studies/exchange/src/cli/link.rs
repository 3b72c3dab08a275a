//! `selo exchange link`: runs a node of the link in place of a TLS client.

use std::path::Path;
use std::time::Duration;

use clap::Args;

use super::shared::{Repetitions, load, named, say};
use crate::embedded::Embedded;
use crate::error::{Error, Result};
use crate::link::{self, Handshake};
use crate::row::{Experiment, Unit};
use crate::run::Measured;

#[derive(Debug, Args)]
#[command(after_help = "\
The node is the device library in portable C; this program is the gateway. `selo exchange ways`
compares its rows with those of TLS.

Examples:
  selo exchange link --board esp8266,rpi3 --repeat 3
  selo exchange link --board esp8266 --handshake join,pair,classic
  selo exchange link --board esp8266 --suite all")]
pub struct LinkArgs {
    /// Boards, or native for this machine
    #[arg(long, value_delimiter = ',', default_value = "native")]
    board: Vec<String>,
    /// Suites of the link, or all
    #[arg(long, value_delimiter = ',', default_value = "chachapoly-blake2s")]
    suite: Vec<String>,
    /// Steps before the reading, or all: join; pair, then join with the new key; classic, the
    /// published protocol, which does not authenticate either side
    #[arg(long, value_delimiter = ',', default_value = "join")]
    handshake: Vec<String>,
    #[command(flatten)]
    repetitions: Repetitions,
}

impl LinkArgs {
    pub(super) fn run(&self, project: Option<&Path>) -> Result<()> {
        let by_name = |name: &str| name.parse::<selo_link::Suite>().ok();
        let suites = named(&self.suite, &selo_link::Suite::ALL, by_name, "suite")?;
        let project = load(project)?;
        let timeout = Duration::from_secs(self.repetitions.timeout);
        let handshakes = named(
            &self.handshake,
            &Handshake::ALL,
            Handshake::by_name,
            "handshake",
        )?;
        let mut wanted = Vec::new();
        for handshake in handshakes {
            // The published protocol has no suites.
            let suites = match handshake {
                Handshake::Classic => &suites[..1],
                _ => &suites[..],
            };
            wanted.extend(suites.iter().map(|suite| (handshake, *suite)));
        }
        let mut nodes = Vec::new();
        for board in &self.board {
            for &(handshake, suite) in &wanted {
                let node = link::build(&project, handshake, suite, board, say)?;
                nodes.push((self.unit(&node, handshake, suite), handshake, suite, node));
            }
        }
        let units = nodes.iter().map(|(unit, ..)| unit.clone()).collect();
        let machines = nodes
            .iter()
            .map(|(.., node)| (node.device().to_owned(), node.machine.clone()))
            .collect();
        self.repetitions.perform(units, machines, |unit| {
            let (_, handshake, suite, node) = nodes
                .iter()
                .find(|(known, ..)| known == unit)
                .ok_or_else(|| Error::Protocol("a unit of another run".into()))?;
            let done = link::exchange(node, *handshake, *suite, timeout)?;
            Ok(Measured {
                server: "selo-link".into(),
                authenticated: *handshake != Handshake::Classic,
                sent: done.sent,
                received: done.received,
                stamps: None,
                tls: Some(done.times),
                caution: node.caution.clone(),
            })
        })
    }

    fn unit(&self, node: &Embedded, handshake: Handshake, suite: selo_link::Suite) -> Unit {
        let cipher = match handshake {
            Handshake::Classic => "aes-256-ecb",
            _ => suite.name(),
        };
        Unit {
            experiment: Experiment::Link,
            scenario: self.repetitions.scenario.clone(),
            implementation: node.implementation.clone(),
            device: Some(node.device().to_owned()),
            cipher: cipher.into(),
            group: None,
            handshake: Some(handshake.name().into()),
            payload: "reading".into(),
            bytes: link::READING as u64,
        }
    }
}
