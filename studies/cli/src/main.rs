//! `selo-lab`: the laboratory, and the studies that repeat experiments and attacks. The command is
//! a thin layer over the library crates. Each subcommand has a file; those of the lab are in
//! `lab/cli`.
//!
//! Data goes to stdout, messages and progress to stderr. docs/reference.md lists the exit codes.

mod attack;
mod bench;
mod demo;
mod doctor;
mod exchange;
mod node;
mod old_words;
mod radio;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use selo_base::report::Result;
use selo_command::config::Spec;
use selo_command::{completions, man};
use selo_engine::project::Project;

/// Measure which cryptography a small device can afford.
#[derive(Debug, Parser)]
#[command(
    name = "selo-lab",
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
`selo lab ...` is the same where both commands are installed.

Examples:
  selo-lab doctor                                 list what is missing on this machine
  selo-lab run --board uno --algorithm aes-128    measure on a simulated Arduino Uno
  selo-lab report                                 write a page with tables and pictures
  selo-lab attack                                 attack the link on this machine"
)]
struct Cli {
    /// Folder of the project (default: the nearest above the current folder)
    #[arg(long, global = true, env = "SELO_PROJECT", value_name = "DIR")]
    project: Option<PathBuf>,

    /// Configuration file; its section [lab] names the board's port (default: selo/selo.toml of
    /// ~/.config, else of /etc)
    #[arg(long, global = true, env = "SELO_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // there is one, for as long as the program runs
enum Command {
    #[command(flatten)]
    Lab(selo_lab_cli::Command),
    /// Measure secure exchanges between two machines: ciphers over TCP, suites of TLS 1.3
    #[command(subcommand)]
    Exchange(selo_exchange::cli::Command),
    /// Attack the link and the services on this machine, and report what they withstand
    Attack(attack::Args),
    /// Measure the gateway under load
    #[command(subcommand)]
    Bench(bench::Command),
    /// Run one or many virtual nodes, or the firmware on a simulated board
    Node(Box<node::Args>),
    /// Print the readings of nodes that speak the published protocol (unsafe)
    Classic(selo_classic::cli::Args),
    /// LoRa air times, virtual radio modules, and the number of nodes that a gateway carries
    #[command(subcommand)]
    Radio(radio::Command),
    /// Run the whole chain on this machine: simulated Unos, virtual nodes, a dashboard
    Demo(demo::Args),
    /// List what is missing on this machine, with the command that installs it
    Doctor(doctor::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Write manual pages into a folder
    Man(man::Args),
}

/// The command line as the configuration file can set it.
const SPEC: Spec = Spec {
    command: <Cli as clap::CommandFactory>::command,
    sections: &[],
    also: &[],
    measuring: Some(selo_command::config::LAB),
};

fn main() -> ExitCode {
    selo_command::main("selo-lab", || {
        selo_lab_cli::provide(&selo_firmware::ALL);
        let arguments = old_words::translate(std::env::args_os().collect());
        run(&SPEC.parse(arguments)?)
    })
}

/// The folder of the project: the given one, or the nearest above.
fn project(cli: &Cli) -> Result<PathBuf> {
    match &cli.project {
        // Paths of images and sources are compared with this path.
        Some(folder) => Ok(folder
            .canonicalize()
            .map_err(|source| selo_engine::Error::Read {
                path: folder.clone(),
                source,
            })?),
        None => {
            let (here, program) = (std::env::current_dir()?, std::env::current_exe().ok());
            Ok(Project::find(&here, program.as_deref())?)
        }
    }
}

fn run(cli: &Cli) -> Result<ExitCode> {
    let found = || project(cli).ok();
    match &cli.command {
        Command::Lab(command) => command.run(&project(cli)?),
        Command::Exchange(command) => exchange::run(command, cli.project.as_deref()),
        Command::Classic(args) => {
            args.run()?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Attack(args) => attack::run(args),
        Command::Bench(command) => command.run(found().as_deref()),
        Command::Node(args) => node::run(args, found().as_deref()),
        Command::Radio(command) => command.run(),
        Command::Demo(args) => demo::run(args, found().as_deref()),
        Command::Doctor(args) => doctor::run(args, found().as_deref()),
        Command::Completions(args) => {
            let command = <Cli as clap::CommandFactory>::command();
            Ok(completions::run(args, command, "selo-lab"))
        }
        Command::Man(args) => man::run(args, SPEC.command()),
    }
}
