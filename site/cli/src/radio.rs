//! `selo radio`: plans a LoRa network. The other subcommands are the laboratory's.

mod plan;

use std::process::ExitCode;

use selo_base::report::Result;
use selo_command::external::Arguments;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Say if a number of stations fits on a channel, by the rules of a region
    Plan(plan::Args),
    /// selo-lab: air time of a frame at each air data rate
    Airtime(Arguments),
    /// selo-lab: number of nodes that one gateway carries before it loses too much
    Study(Arguments),
    /// selo-lab: run virtual modules with serial ports that other programs can open
    Run(Arguments),
}

impl Command {
    /// `laboratory` becomes selo-lab, with the words of a command and its arguments.
    pub fn run(
        &self,
        laboratory: impl FnOnce(&[&str], &Arguments) -> Result<ExitCode>,
    ) -> Result<ExitCode> {
        let (name, arguments) = match self {
            Command::Plan(args) => return plan::run(args),
            Command::Airtime(arguments) => ("airtime", arguments),
            Command::Study(arguments) => ("study", arguments),
            Command::Run(arguments) => ("run", arguments),
        };
        laboratory(&["radio", name], arguments)
    }
}
