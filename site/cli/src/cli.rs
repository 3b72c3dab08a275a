//! The command line: global options and subcommands.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use selo_command::external::Arguments;
use selo_command::{completions, man};

use crate::{
    backup, broker, codec, collect, device, doctor, gateway, head, radio, setup, status, up,
};

/// Receive the sealed readings of small devices, store them and show them.
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
lab, exchange, attack, bench, node, classic and demo need selo-lab, the laboratory, and so does radio,
except `radio plan`.

Examples:
  selo up                                         gateway, broker, collector and dashboard
  selo device pair                                add a node to a running gateway
  selo doctor                                     list what is missing on this machine
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
    /// Run a radio head, which hears nodes for a gateway, or manage the heads of a gateway
    #[command(subcommand)]
    Head(head::Command),
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
    /// Show the parts of a site, on one machine or on many, and what is wrong with them
    Status(Box<status::Args>),
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
    /// Plan a LoRa network; with selo-lab: air times, virtual modules, nodes per gateway
    #[command(subcommand)]
    Radio(radio::Command),
    /// selo-lab: print the readings of nodes that speak the published protocol (unsafe)
    Classic(Arguments),
    /// selo-lab: run the whole chain on this machine, with simulated Unos and a dashboard
    Demo(Arguments),
}
