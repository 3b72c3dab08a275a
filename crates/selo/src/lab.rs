//! `selo lab`: the measuring commands.

mod calibration;
mod check;
mod common;
mod compare;
mod energy;
mod list;
mod recommend;
mod report;
mod rows;
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
    /// Public figures beside those of the boards' cycle models
    Calibration(calibration::Args),
    /// Published values of a paper beside measured ones
    Compare(compare::Args),
    /// One self-contained page with tables and pictures; also Markdown and CSV
    Report(report::Args),
    /// Rank what fits a device, with reasons
    Recommend(recommend::Args),
    /// Energy of a measured trace, and battery life for a duty cycle
    Energy(energy::Args),
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
            Command::Calibration(args) => calibration::run(args, project),
            Command::Compare(args) => compare::run(args, project),
            Command::Report(args) => report::run(args, project),
            Command::Recommend(args) => recommend::run(args, project),
            Command::Energy(args) => energy::run(args, project),
            Command::List(args) => list::run(args, project),
            Command::Schema(args) => schema::run(args),
        }
    }
}
