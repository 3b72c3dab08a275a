//! `selo head`: radio heads, which hear nodes for a gateway at another place.

mod manage;
mod run;

use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
A head has a file with its key. Make it at the gateway, copy it to the head's machine, and start the
head with it. docs/operator/heads.md describes the whole way.

Examples:
  selo gateway --heads 0.0.0.0:7357                        at the gateway: take heads
  selo head add hill --to gateway.example.org:7357         at the gateway: writes hill.head
  selo head run hill.head --radio /dev/ttyUSB0             at the head
  selo head list                                           at the gateway: who is connected")]
pub enum Command {
    /// Add a head to a gateway, and write the file that it is started with
    Add(manage::AddArgs),
    /// List the heads of a gateway: what they heard since they connected
    List(manage::ListArgs),
    /// Remove a head; a running gateway ends its connection within seconds
    Remove(manage::RemoveArgs),
    /// Run a head: forward frames between nodes and gateways
    Run(run::Args),
}

impl Command {
    pub fn run(&self) -> selo_base::report::Result<ExitCode> {
        match self {
            Command::Add(args) => manage::add(args),
            Command::List(args) => manage::list(args),
            Command::Remove(args) => manage::remove(args),
            Command::Run(args) => run::run(args),
        }
    }
}
