//! The subcommands of `selo exchange`, one file each. The small program of this crate, which builds
//! for a Raspberry Pi in a minute, has the same subcommands.

mod compare;
mod key;
mod link;
mod list;
mod peer;
mod report;
mod run;
mod serve;
mod serve_tls;
mod shared;
mod tls;
mod ways;

use std::path::Path;

use clap::Subcommand;

use crate::error::Result;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a pre-shared key, or print the name of an existing one
    Key(key::KeyArgs),
    /// List the implementations with their ciphers, and the suites of TLS
    List,
    /// Wait for messages, and send them back
    Serve(serve::ServeArgs),
    /// Send messages to a server and back with every cipher, and measure the times
    Run(run::RunArgs),
    /// Wait for readings over TLS 1.3
    ServeTls(serve_tls::ServeTlsArgs),
    /// Send readings to a web server with every suite of TLS 1.3, and measure the times
    Tls(tls::TlsArgs),
    /// Let a node join over the link and send a reading, on a board's emulator, and count its
    /// instructions
    Link(link::LinkArgs),
    /// Let the client or the server in C exchange messages on a board's emulator, and count the
    /// instructions of its cipher
    Peer(peer::PeerArgs),
    /// Show tables and pictures of the measured rows
    Report(report::ReportArgs),
    /// Compare a published paper's figures with ours
    Compare(compare::CompareArgs),
    /// Compare the cost of a sealed reading over the link and over TLS 1.3
    Ways(ways::WaysArgs),
}

impl Command {
    /// Runs the subcommand. `project` is the folder of the project, if the command line names one.
    pub fn run(&self, project: Option<&Path>) -> Result<()> {
        match self {
            Command::Key(args) => args.run(),
            Command::List => {
                list::list(project);
                Ok(())
            }
            Command::Serve(args) => args.run(project),
            Command::Run(args) => args.run(project),
            Command::ServeTls(args) => args.run(),
            Command::Tls(args) => args.run(project),
            Command::Link(args) => args.run(project),
            Command::Peer(args) => args.run(project),
            Command::Report(args) => args.run(),
            Command::Compare(args) => args.run(project),
            Command::Ways(args) => args.run(project),
        }
    }
}
