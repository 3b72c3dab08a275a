//! `selo device`: the devices that a gateway knows. Commands work whether a gateway runs or
//! not; a running one takes changes over at once.

mod add;
mod change;
pub mod common;
mod exchange;
mod list;
mod pair;
mod qr;
mod send;

use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
#[command(after_help = "\
A device is named by its id, eight hexadecimal digits, or by its name. Keys are never taken
from the command line and never printed unless asked for by name.")]
pub enum Command {
    /// Pair a node without a key: type its six digits, and it is a device
    Pair(pair::Args),
    /// Add a device whose key is in a file, or make a key for it
    Add(add::Args),
    /// List the devices
    List(list::ListArgs),
    /// Show one device
    Show(list::ShowArgs),
    /// Print the label of a device, with its key, as a QR code
    Qr(qr::Args),
    /// Refuse a device from now on; its record stays
    Revoke(change::DeviceArgs),
    /// Forget a device and its key
    Remove(change::DeviceArgs),
    /// Give a device another name
    Rename(change::RenameArgs),
    /// Say what a device's payloads mean
    Set(change::SetArgs),
    /// Write all devices to a file: a back-up, with --with-keys
    Export(exchange::ExportArgs),
    /// Add the devices of a file
    Import(exchange::ImportArgs),
    /// Send a message to a node
    Send(send::Args),
    /// Set a device's clock by the time of this machine
    Clock(send::ClockArgs),
}

impl Command {
    pub fn run(&self) -> selo_base::report::Result<ExitCode> {
        match self {
            Command::Pair(args) => pair::run(args),
            Command::Add(args) => add::run(args),
            Command::List(args) => list::list(args),
            Command::Show(args) => list::show(args),
            Command::Qr(args) => qr::run(args),
            Command::Revoke(args) => change::revoke(args),
            Command::Remove(args) => change::remove(args),
            Command::Rename(args) => change::rename(args),
            Command::Set(args) => change::set(args),
            Command::Export(args) => exchange::export(args),
            Command::Import(args) => exchange::import(args),
            Command::Send(args) => send::run(args),
            Command::Clock(args) => send::clock(args),
        }
    }
}
