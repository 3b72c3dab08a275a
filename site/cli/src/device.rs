//! `selo device`: the devices that a gateway knows. The commands also work if no gateway runs. A
//! running gateway applies changes at once.

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
Name a device by its id (eight hexadecimal digits) or by its name. No option takes a key on the
command line, and keys are printed only on request.")]
pub enum Command {
    /// Pair a node that has no key yet: type the six digits that it shows
    Pair(pair::Args),
    /// Add a device with a key from a file, or with a new key
    Add(add::Args),
    /// List the devices
    List(list::ListArgs),
    /// Show one device
    Show(list::ShowArgs),
    /// Print a device's label, which contains its key, as a QR code
    Qr(qr::Args),
    /// Refuse a device from now on, and keep its record
    Revoke(change::DeviceArgs),
    /// Delete a device and its key
    Remove(change::DeviceArgs),
    /// Rename a device
    Rename(change::RenameArgs),
    /// Set a device's payload codec
    Set(change::SetArgs),
    /// Write all devices to a file; --with-keys makes it a backup
    Export(exchange::ExportArgs),
    /// Add the devices in a file
    Import(exchange::ImportArgs),
    /// Send a message to a node
    Send(send::Args),
    /// Set a device's clock from this machine's clock
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
