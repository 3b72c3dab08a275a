//! `selo exchange peer`: both ends of the first experiment in C, on a board's emulator.

use std::path::{Path, PathBuf};

use clap::Args;
use selo_report::format::things;

use super::shared::{ROWS, load, say};
use crate::embedded::Embedded;
use crate::error::{Error, Result};
use crate::peer;
use crate::row::{Row, Rows, Served};

#[derive(Debug, Args)]
#[command(after_help = "\
Builds studies/firmware/exchange/peer.c for the board, starts it with the arguments of `peer run`, and adds
the counts of the emulator's plugin to its rows. With --served it is a server for one client at a time:
it prints `listening ADDR:PORT`, writes the instructions of each exchange to the file, and runs until it
is stopped.

Examples:
  selo exchange peer --board rpi3 -- key 127.0.0.1 7390 --cipher all --repeat 3
  selo exchange peer --board rpi3 --served out/exchange/served.jsonl -- key 127.0.0.1 7390")]
pub struct PeerArgs {
    /// A board that runs Linux
    #[arg(long, default_value = "rpi3")]
    board: String,
    /// File for the rows, one per line
    #[arg(long, value_name = "FILE", default_value = ROWS)]
    out: PathBuf,
    /// Serve, and write the counts of each exchange to this file
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    served: Option<PathBuf>,
    /// KEYFILE ADDRESS PORT and options of the client (studies/firmware/exchange/peer.c)
    #[arg(last = true, required = true)]
    arguments: Vec<String>,
}

impl PeerArgs {
    pub(super) fn run(&self, project: Option<&Path>) -> Result<()> {
        let project = load(project)?;
        let peer = Embedded::build_peer(&project, &self.board, say)?;
        if let Some(file) = &self.served {
            return self.serve(&peer, file);
        }
        let (mut rows, _) = Rows::open::<Row>(&self.out)?;
        let (mut done, mut failed) = (0, Vec::new());
        let code = peer::run(&peer, &self.arguments, |row| {
            done += 1;
            failed.extend(row.reason.clone());
            rows.push(&row)
        })?;
        eprintln!(
            "{} done: {}",
            things(done, "exchange", "exchanges"),
            self.out.display()
        );
        match failed.first() {
            Some(first) => Err(Error::Failed {
                failed: failed.len(),
                all: done,
                first: first.clone(),
                hint: None,
            }),
            None if code != 0 => Err(Error::usage(
                "the client rejected its arguments",
                "use selo exchange peer --board rpi3 -- KEYFILE ADDRESS PORT",
            )),
            None => Ok(()),
        }
    }

    fn serve(&self, peer: &Embedded, file: &Path) -> Result<()> {
        let (mut rows, _) = Rows::open::<Served>(file)?;
        let listening = |place: &str| println!("listening {place}");
        let code = peer::serve(peer, &self.arguments, listening, |served| {
            rows.push(&served)
        })?;
        match code {
            0 => Ok(()),
            _ => Err(Error::usage(
                "the server did not start; its message is above",
                "use selo exchange peer --board rpi3 --served FILE -- KEYFILE ADDRESS PORT",
            )),
        }
    }
}
