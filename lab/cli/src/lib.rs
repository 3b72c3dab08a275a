//! The measuring commands of `selo-lab`, one file per subcommand; `selo lab ...` runs them too.

mod binding;
mod calibration;
mod check;
mod common;
mod compare;
mod corpus;
mod energy;
mod export;
mod fetch;
mod gate;
mod given;
mod import;
mod lines;
mod list;
mod matrix;
mod measuring;
mod new_library;
mod paper_libraries;
mod ports;
mod publish;
mod recommend;
mod report;
mod rows;
mod run;
mod schema;
mod survey;
mod table;
mod whole;

use std::path::Path;
use std::process::ExitCode;

pub use whole::{WholeFirmwares, provide};

#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Build, run and measure on a board
    Run(run::Args),
    /// Measure many libraries on many boards, side by side
    Matrix(matrix::Args),
    /// Stream official test vectors into the running image; measure constant time
    Check(check::Args),
    /// Write a manifest and glue for a C or C++ library that the lab does not know
    NewLibrary(new_library::Args),
    /// Examine a library on boards: build, size, vectors, timing, and a verdict with reasons
    Survey(survey::Args),
    /// Compare the boards' cycle models with published figures
    Calibration(calibration::Args),
    /// Compare published values of a paper with measured ones
    Compare(compare::Args),
    /// Write a self-contained page with tables and pictures; also Markdown and CSV
    Report(report::Args),
    /// Write a site with an address for every figure, and a folder for every run
    Publish(publish::Args),
    /// Compare rows with a baseline, and fail if something got worse
    Gate(gate::Args),
    /// Show key encapsulations and signatures as pqm4 does, from measured rows
    Table(table::Args),
    /// Make libraries of the schemes of a tree, such as pqm4's
    Import(import::Args),
    /// Export rows in the formats of benchmark dashboards
    Export(export::Args),
    /// Rank the implementations that fit a device, with reasons
    Recommend(recommend::Args),
    /// Calculate the energy of a measured trace, or battery life for a duty cycle
    Energy(energy::Args),
    /// Fetch the sources of libraries ahead of time
    Fetch(fetch::Args),
    /// List boards, libraries, algorithms and vector sets
    List(list::Args),
    /// List the serial ports of this machine, and the boards that may be on them
    Ports(ports::Args),
    /// Print the JSON Schema of one kind of output line
    Schema(schema::Args),
}

impl Command {
    pub fn run(&self, project: &Path) -> selo_base::report::Result<ExitCode> {
        match self {
            Command::Run(args) => run::run(args, project),
            Command::Matrix(args) => matrix::run(args, project),
            Command::Check(args) => check::run(args, project),
            Command::NewLibrary(args) => new_library::run(args, project),
            Command::Survey(args) => survey::run(args, project),
            Command::Calibration(args) => calibration::run(args, project),
            Command::Compare(args) => compare::run(args, project),
            Command::Report(args) => report::run(args, project),
            Command::Publish(args) => publish::run(args, project),
            Command::Gate(args) => gate::run(args, project),
            Command::Table(args) => table::run(args, project),
            Command::Import(args) => import::run(args, project),
            Command::Export(args) => export::run(args, project),
            Command::Recommend(args) => recommend::run(args, project),
            Command::Energy(args) => energy::run(args, project),
            Command::Fetch(args) => fetch::run(args, project),
            Command::List(args) => list::run(args, project),
            Command::Ports(args) => ports::run(args, project),
            Command::Schema(args) => schema::run(args),
        }
    }
}
