//! The command line: global options and subcommands.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use selo_command::external::Arguments;
use selo_command::{completions, man};

use crate::{backup, broker, codec, collect, device, doctor, gateway, setup, up};

/// Take the sealed readings of small devices, keep them, and show them.
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
  selo doctor                                     what is missing on this machine
  selo lab run --board uno --algorithm aes-128    measure on a simulated Arduino Uno"
)]
pub struct Cli {
    /// Folder of the project, for selo-lab (default: the nearest above the current folder)
    #[arg(long, global = true, env = "SELO_PROJECT", value_name = "DIR")]
    pub project: Option<PathBuf>,

    /// Configuration file of up, gateway, collect and broker (default: selo/selo.toml of
    /// ~/.config, else of /etc)
    #[arg(long, global = true, env = "SELO_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // there is one, for as long as the program runs
pub enum Command {
    /// Gateway, broker, collector and dashboard of a small site, in one process
    Up(Box<up::Args>),
    /// Take packets of nodes, and print their readings
    Gateway(gateway::Args),
    /// Keep readings in a database, and answer questions about them over HTTP
    Collect(collect::Args),
    /// Run the embedded MQTT broker alone
    Broker(broker::Args),
    /// The devices that a gateway knows: pair, add, list, revoke, back up
    #[command(subcommand)]
    Device(device::Command),
    /// The meaning of payloads
    #[command(subcommand)]
    Codec(codec::Command),
    /// Make certificates, passwords and configuration for a first start
    Setup(setup::Args),
    /// The configuration file: write one, check one, show what is in force
    #[command(subcommand)]
    Config(selo_command::config::Command),
    /// Copy registry, database and keys, while everything runs
    Backup(backup::Backup),
    /// Put such a copy in place
    Restore(backup::Restore),
    /// Say what is missing on this machine, and the line that installs it
    Doctor(doctor::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Write manual pages into a folder
    Man(man::Args),
    /// selo-lab: measure cryptography on a board, prove it correct, and compare
    Lab(Arguments),
    /// selo-lab: secure exchanges between two machines, timed
    Exchange(Arguments),
    /// selo-lab: attack the link on this machine, and see what it withstands
    Attack(Arguments),
    /// selo-lab: measure the gateway under load
    Bench(Arguments),
    /// selo-lab: run virtual nodes, or the firmware on a simulated board
    Node(Arguments),
    /// selo-lab: LoRa times, virtual radio modules, and how many nodes a gateway carries
    Radio(Arguments),
    /// selo-lab: print the readings of nodes that speak the published protocol (unsafe)
    Classic(Arguments),
    /// selo-lab: the whole chain on this machine, with simulated Unos and a dashboard
    Demo(Arguments),
}
