//! `selo`: what is deployed. One command, thin over the library crates; each subcommand is a file.
//!
//! stdout is data, stderr is messages and progress. Exit codes are in docs/reference.md. The
//! laboratory is a command of its own, `selo-lab`, which this one runs where it is installed.

mod backup;
mod broker;
mod codec;
mod collect;
mod config;
mod device;
mod doctor;
mod gateway;
mod log;
mod mqtt;
mod notify;
mod setup;
mod up;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use selo_base::report::{Result, machine};
use selo_command::external::{self, Arguments};
use selo_command::{completions, man};

/// Receive the sealed readings of small devices, store them and show them.
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
lab, exchange, attack, bench, node, radio, classic and demo need selo-lab, the laboratory.

Examples:
  selo up                                         gateway, broker, collector and dashboard
  selo device pair                                add a node to a running gateway
  selo doctor                                     list what is missing on this machine
  selo lab run --board uno --algorithm aes-128    measure on a simulated Arduino Uno"
)]
struct Cli {
    /// Folder of the project, for selo-lab (default: the nearest above the current folder)
    #[arg(long, global = true, env = "SELO_PROJECT", value_name = "DIR")]
    project: Option<PathBuf>,

    /// Configuration file of up, gateway, collect and broker (default: selo/selo.toml of
    /// ~/.config, else of /etc)
    #[arg(long, global = true, env = "SELO_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // there is one, for as long as the program runs
enum Command {
    /// Run the gateway, broker, collector and dashboard of a small site in one process
    Up(Box<up::Args>),
    /// Receive the packets of nodes, and print their readings
    Gateway(gateway::Args),
    /// Store readings in a database, and serve them over HTTP
    Collect(collect::Args),
    /// Run the embedded MQTT broker alone
    Broker(broker::Args),
    /// Manage the devices of a gateway: pair, add, list, revoke, back up
    #[command(subcommand)]
    Device(device::Command),
    /// List payload codecs, show their fields, and decode payloads
    #[command(subcommand)]
    Codec(codec::Command),
    /// Create certificates, passwords and configuration for a first start
    Setup(setup::Args),
    /// Write or check a configuration file, or show the settings in force
    #[command(subcommand)]
    Config(selo_command::config::Command),
    /// Back up registry, database and keys while everything runs
    Backup(backup::Backup),
    /// Restore a backup
    Restore(backup::Restore),
    /// List what is missing on this machine, with the command that installs it
    Doctor(doctor::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Write manual pages into a folder
    Man(man::Args),
    /// selo-lab: measure cryptography on a board, prove it correct, and compare
    Lab(Arguments),
    /// selo-lab: measure secure exchanges between two machines
    Exchange(Arguments),
    /// selo-lab: attack the link and the services on this machine
    Attack(Arguments),
    /// selo-lab: measure the gateway under load
    Bench(Arguments),
    /// selo-lab: run virtual nodes, or the firmware on a simulated board
    Node(Arguments),
    /// selo-lab: LoRa air times, virtual radio modules, nodes per gateway
    Radio(Arguments),
    /// selo-lab: print the readings of nodes that speak the published protocol (unsafe)
    Classic(Arguments),
    /// selo-lab: run the whole chain on this machine, with simulated Unos and a dashboard
    Demo(Arguments),
}

fn main() -> ExitCode {
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
        Command::Codec(command) => command.run(),
        Command::Setup(args) => setup::run(args),
        Command::Config(command) => command.run(&config::SPEC, cli.config.as_deref()),
        Command::Backup(args) => backup::backup(args),
        Command::Restore(args) => backup::restore(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Completions(args) => {
            let command = <Cli as clap::CommandFactory>::command();
            Ok(completions::run(args, command, "selo"))
        }
        Command::Man(args) => man::run(args, config::SPEC.command()),
        Command::Lab(arguments) => laboratory(cli, None, arguments),
        Command::Exchange(arguments) => laboratory(cli, Some("exchange"), arguments),
        Command::Attack(arguments) => laboratory(cli, Some("attack"), arguments),
        Command::Bench(arguments) => laboratory(cli, Some("bench"), arguments),
        Command::Node(arguments) => laboratory(cli, Some("node"), arguments),
        Command::Radio(arguments) => laboratory(cli, Some("radio"), arguments),
        Command::Classic(arguments) => laboratory(cli, Some("classic"), arguments),
        Command::Demo(arguments) => laboratory(cli, Some("demo"), arguments),
    }
}

/// Becomes `selo-lab` with the same global options.
fn laboratory(cli: &Cli, name: Option<&str>, arguments: &Arguments) -> Result<ExitCode> {
    let mut all: Vec<OsString> = Vec::new();
    for (option, value) in [("--project", &cli.project), ("--config", &cli.config)] {
        if let Some(value) = value {
            all.extend([option.into(), value.into()]);
        }
    }
    all.extend(name.map(OsString::from));
    all.extend_from_slice(&arguments.rest);
    external::become_program("selo-lab", all)?;
    Ok(ExitCode::SUCCESS)
}

/// Random bytes of the system.
fn random_bytes<const N: usize>() -> Result<[u8; N]> {
    selo_link::random_bytes().map_err(machine)
}
