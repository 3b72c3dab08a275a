//! `selo lab`: the measuring commands.

mod check;
mod common;
mod list;
mod run;
mod schema;

use std::path::Path;
use std::process::ExitCode;

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Build, run and measure on a board
    Run(run::Args),
    /// Stream official test vectors into the running image; measure constant time
    Check(check::Args),
    /// Published values of a paper beside measured ones
    /// One self-contained page with tables and pictures; also Markdown and CSV
    /// Rank what fits a device, with reasons
    /// Energy of a measured trace, and battery life for a duty cycle
    /// List boards, contenders, algorithms and vector sets
    List(list::Args),
    /// Print the JSON Schema of a kind of line
    Schema(schema::Args),
}

impl Command {
    pub fn run(&self, project: &Path) -> anyhow::Result<ExitCode> {
        match self {
            Command::Run(args) => run::run(args, project),
            Command::Check(args) => check::run(args, project),
            Command::List(args) => list::run(args, project),
            Command::Schema(args) => schema::run(args),
        }
    }
}
