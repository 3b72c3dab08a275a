//! `selo radio`: LoRa air times, virtual E32 modules, and the number of nodes that a gateway
//! carries.

mod airtime;
mod common;
mod run;
mod study;

use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Air time of a frame at each air data rate
    Airtime(airtime::Args),
    /// Number of nodes that one gateway carries before it loses too much
    Study(study::Args),
    /// Run virtual modules with serial ports that other programs can open
    Run(run::Args),
}

impl Command {
    pub fn run(&self) -> selo_base::report::Result<ExitCode> {
        match self {
            Command::Airtime(args) => airtime::run(args),
            Command::Study(args) => study::run(args),
            Command::Run(args) => run::run(args),
        }
    }
}
