//! `selo`: one command, thin over the library crates. Each subcommand is a file.
//!
//! stdout is data, stderr is messages and progress. Exit codes are in
//! docs/reference.md: 0 done, 1 a check or measurement failed, 2 wrong usage or
//! data, 3 something is missing, 4 an error of the machine, 130 interrupted.

mod attack;
mod backup;
mod bench;
mod broker;
mod codec;
mod collect;
mod completions;
mod config;
mod demo;
mod device;
mod doctor;
mod exchange;
mod gateway;
mod lab;
mod log;
mod man;
mod mqtt;
mod node;
mod notify;
mod radio;
mod setup;
mod status;
mod up;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Find out which cryptography a small device can afford, and seal its messages.
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
Examples:
  selo doctor                                     what is missing on this machine
  selo lab run --board uno --algorithm aes-128    measure on a simulated Arduino Uno
  selo lab report                                 a page with tables and pictures
  selo gateway                                    take packets of nodes, print their readings
  selo device pair                                add a node to a running gateway"
)]
struct Cli {
    /// Folder of the project (default: the nearest above the current folder)
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
    /// Measure cryptography on a board, prove it correct, and compare
    #[command(subcommand)]
    Lab(lab::Command),
    /// Take packets of nodes, and print their readings
    Gateway(gateway::Args),
    /// Keep readings in a database, and answer questions about them over HTTP
    Collect(collect::Args),
    /// The devices that a gateway knows: pair, add, list, revoke, back up
    #[command(subcommand)]
    Device(device::Command),
    /// What the payloads of nodes mean
    #[command(subcommand)]
    Codec(codec::Command),
    /// Gateway, broker, collector and dashboard of a small site, in one process
    Up(Box<up::Args>),
    /// The whole chain on this machine: simulated Unos, virtual nodes, a dashboard
    Demo(demo::Args),
    /// Make certificates, passwords and configuration for a first start
    Setup(setup::Args),
    /// Run the embedded MQTT broker alone
    Broker(broker::Args),
    /// Run virtual nodes, one or ten thousand, or the firmware on a simulated board
    Node(Box<node::Args>),
    /// LoRa times, virtual radio modules, and how many nodes a gateway carries
    #[command(subcommand)]
    Radio(radio::Command),
    /// Attack the link on this machine, and see what it withstands
    Attack(attack::Args),
    /// Measure the gateway under load
    #[command(subcommand)]
    Bench(bench::Command),
    /// Secure exchanges between two machines, timed: ciphers over TCP, suites of TLS 1.3
    #[command(subcommand)]
    Exchange(selo_exchange::cli::Command),
    /// Print the readings of nodes that speak the published protocol (unsafe)
    Classic(selo_classic::cli::Args),
    /// Say what is missing on this machine, and the line that installs it
    Doctor(doctor::Args),
    /// Copy registry, database and keys, while everything runs
    Backup(backup::Backup),
    /// Put such a copy in place
    Restore(backup::Restore),
    /// The configuration file: write one, check one, show what is in force
    #[command(subcommand)]
    Config(config::Command),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Write manual pages into a folder
    Man(man::Args),
}

fn main() -> ExitCode {
    let cli = match config::parse(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) => return complain(&error),
    };
    // A second Ctrl-C ends at once.
    let handler = || {
        if selo_engine::schedule::check_interrupt().is_err() {
            std::process::exit(130);
        }
        selo_engine::schedule::interrupt();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("selo: warning: Ctrl-C will not be handled: {error}");
    }
    match run(&cli) {
        Ok(code) => code,
        Err(error) => complain(&error),
    }
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let project = || -> anyhow::Result<PathBuf> {
        match &cli.project {
            // Paths of images and sources are compared with this one.
            Some(folder) => {
                let folder = folder
                    .canonicalize()
                    .map_err(|source| selo_engine::Error::Read {
                        path: folder.clone(),
                        source,
                    })?;
                Ok(folder)
            }
            None => {
                let (here, program) = (std::env::current_dir()?, std::env::current_exe().ok());
                let found = selo_engine::project::Project::find(&here, program.as_deref());
                Ok(found?)
            }
        }
    };
    match &cli.command {
        Command::Lab(command) => command.run(&project()?),
        Command::Gateway(args) => gateway::run(args),
        Command::Collect(args) => collect::run(args),
        Command::Device(command) => command.run(),
        Command::Codec(command) => command.run(),
        Command::Up(args) => up::run(args),
        Command::Demo(args) => demo::run(args, project().ok().as_deref()),
        Command::Setup(args) => setup::run(args),
        Command::Broker(args) => broker::run(args),
        Command::Node(args) => node::run(args, project().ok().as_deref()),
        Command::Radio(command) => command.run(),
        Command::Attack(args) => attack::run(args),
        Command::Bench(command) => command.run(project().ok().as_deref()),
        Command::Exchange(command) => exchange::run(command, cli.project.as_deref()),
        Command::Classic(args) => Ok(args.run().map(|()| ExitCode::SUCCESS)?),
        Command::Doctor(args) => doctor::run(args, project().ok().as_deref()),
        Command::Backup(args) => backup::backup(args),
        Command::Restore(args) => backup::restore(args),
        Command::Config(command) => command.run(cli.config.as_deref()),
        Command::Completions(args) => completions::run(args),
        Command::Man(args) => man::run(args),
    }
}

/// Prints an error with its causes and its hint, and gives its exit code.
fn complain(error: &anyhow::Error) -> ExitCode {
    // A reader that has seen enough (`selo ... | head`) is no error.
    let broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(broken_pipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("selo: {error}");
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let text = cause.to_string();
        if !said.contains(&text) {
            eprintln!("  because: {text}");
            said = text;
        }
    }
    let (hint, code) = advice(error);
    if let Some(hint) = hint {
        eprintln!("hint: {hint}");
    }
    ExitCode::from(code)
}

/// What the library that an error comes from says: a hint, and the exit code.
fn advice(error: &anyhow::Error) -> (Option<String>, u8) {
    for cause in error.chain() {
        if let Some(config) = cause.downcast_ref::<config::Error>() {
            return (config.hint(), 2);
        }
        if let Some(lab) = cause.downcast_ref::<selo_engine::Error>() {
            return (lab.hint(), lab.exit_code());
        }
        if let Some(gateway) = cause.downcast_ref::<selo_gateway::Error>() {
            return (gateway.hint(), gateway.exit_code());
        }
        if let Some(collector) = cause.downcast_ref::<selo_collector::Error>() {
            return (collector.hint(), collector.exit_code());
        }
        if let Some(radio) = cause.downcast_ref::<selo_radio::Error>() {
            return (radio.hint(), radio.exit_code());
        }
        if let Some(codec) = cause.downcast_ref::<selo_codec::Error>() {
            return (codec.hint(), codec.exit_code());
        }
        if let Some(mqtt) = cause.downcast_ref::<selo_mqtt::Error>() {
            return (mqtt.hint(), mqtt.exit_code());
        }
        if let Some(nodes) = cause.downcast_ref::<selo_nodes::Error>() {
            return (nodes.hint(), nodes.exit_code());
        }
        if let Some(exchange) = cause.downcast_ref::<selo_exchange::Error>() {
            return (exchange.hint(), exchange.exit_code());
        }
        if let Some(bench) = cause.downcast_ref::<selo_bench::Error>() {
            return (bench.hint(), bench.exit_code());
        }
    }
    (None, 4)
}
