//! The subcommands of `selo exchange`, one file each. The small program of this crate, which is
//! built for a Raspberry Pi in a minute, has the same.

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
    /// Make a pre-shared key, or say which one a file holds
    Key(key::KeyArgs),
    /// Who offers which cipher, and the suites of TLS
    List,
    /// Wait for messages, and send them back
    Serve(serve::ServeArgs),
    /// Send messages to a server and get them back, by every cipher, and time it
    Run(run::RunArgs),
    /// Wait for readings over TLS 1.3
    ServeTls(serve_tls::ServeTlsArgs),
    /// Send readings to a web server, by every suite of TLS 1.3, and time it
    Tls(tls::TlsArgs),
    /// Let a node join and send a reading by the link, on a board's emulator, and count it
    Link(link::LinkArgs),
    /// Let the client or the server of C on a board's emulator exchange messages, and count the
    /// instructions of its cipher
    Peer(peer::PeerArgs),
    /// Tables and pictures of what was measured
    Report(report::ReportArgs),
    /// A published paper's figures, ours beside them
    Compare(compare::CompareArgs),
    /// What one sealed reading costs by each way: the link, TLS 1.3
    Ways(ways::WaysArgs),
}

impl Command {
    /// `project` is the folder of the project, where the command line names one.
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
