//! `selo`: what is deployed. One command, thin over the library crates; each subcommand is a file.
//!
//! stdout is data, stderr is messages and progress. Exit codes are in docs/reference.md. The
//! laboratory is a command of its own, `selo-lab`, which this one runs where it is installed.

mod address;
mod backup;
mod broker;
pub mod cli;
mod codec;
pub mod collect;
pub mod config;
mod device;
mod doctor;
mod gateway;
mod head;
pub mod log;
mod mqtt;
mod notify;
mod radio;
mod random;
mod setup;
mod status;
pub mod stream;
mod up;

use std::ffi::OsString;
use std::process::ExitCode;

use selo_base::report::Result;
use selo_command::external::{self, Arguments};
use selo_command::{completions, man};

use crate::cli::{Cli, Command};

/// Runs the command with the arguments of this process.
pub fn main() -> ExitCode {
    selo_command::main("selo", || {
        let cli: Cli = config::SPEC.parse(std::env::args_os().collect())?;
        run(&cli)
    })
}

fn run(cli: &Cli) -> Result<ExitCode> {
    match &cli.command {
        Command::Up(args) => up::run(args),
        Command::Gateway(args) => gateway::run(args),
        Command::Collect(args) => collect::run(args),
        Command::Broker(args) => broker::run(args),
        Command::Device(command) => command.run(),
        Command::Head(command) => command.run(),
        Command::Codec(command) => command.run(),
        Command::Setup(args) => setup::run(args),
        Command::Config(command) => command.run(&config::SPEC, cli.config.as_deref()),
        Command::Backup(args) => backup::backup(args),
        Command::Restore(args) => backup::restore(args),
        Command::Status(args) => status::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Completions(args) => {
            let command = <Cli as clap::CommandFactory>::command();
            Ok(completions::run(args, command, "selo"))
        }
        Command::Man(args) => man::run(args, config::SPEC.command()),
        Command::Lab(arguments) => laboratory(cli, &[], arguments),
        Command::Exchange(arguments) => laboratory(cli, &["exchange"], arguments),
        Command::Attack(arguments) => laboratory(cli, &["attack"], arguments),
        Command::Bench(arguments) => laboratory(cli, &["bench"], arguments),
        Command::Node(arguments) => laboratory(cli, &["node"], arguments),
        Command::Radio(command) => {
            command.run(|names, arguments| laboratory(cli, names, arguments))
        }
        Command::Classic(arguments) => laboratory(cli, &["classic"], arguments),
        Command::Demo(arguments) => laboratory(cli, &["demo"], arguments),
    }
}

/// Becomes `selo-lab` with the same global options.
fn laboratory(cli: &Cli, names: &[&str], arguments: &Arguments) -> Result<ExitCode> {
    let mut all: Vec<OsString> = Vec::new();
    for (option, value) in [("--project", &cli.project), ("--config", &cli.config)] {
        if let Some(value) = value {
            all.extend([option.into(), value.into()]);
        }
    }
    all.extend(names.iter().map(OsString::from));
    all.extend_from_slice(&arguments.rest);
    external::become_program("selo-lab", all)?;
    Ok(ExitCode::SUCCESS)
}
