//! `selo lab schema`: the JSON Schema of the lines that the lab prints.

use std::process::ExitCode;

use clap::ValueEnum;
use selo_engine::check::CheckLine;
use selo_engine::row::Row;
use selo_engine::survey::SurveyLine;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kind of line
    kind: Kind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kind {
    /// `lab run --json`
    Measurement,
    /// `lab check --json`
    Check,
    /// `lab survey --json`
    Survey,
    /// `lab compare PAPER --json`
    Comparison,
    /// `lab compare LEFT RIGHT --json`
    Pair,
    /// `lab matrix --json`
    Matrix,
    /// `lab gate --json`
    Gate,
    /// `lab publish --json`
    Publish,
}

pub fn run(args: &Args) -> selo_base::report::Result<ExitCode> {
    let schema = match args.kind {
        Kind::Measurement => schemars::schema_for!(Row),
        Kind::Check => schemars::schema_for!(CheckLine),
        Kind::Survey => schemars::schema_for!(SurveyLine),
        Kind::Comparison => schemars::schema_for!(selo_report::compare::CellLine),
        Kind::Pair => schemars::schema_for!(selo_report::pair::PairLine),
        Kind::Gate => schemars::schema_for!(selo_report::gate::GateLine),
        Kind::Publish => schemars::schema_for!(selo_report::publish::Published),
        Kind::Matrix => schemars::schema_for!(selo_report::matrix::MatrixCell),
    };
    println!("{}", serde_json::to_string_pretty(&schema)?);
    Ok(ExitCode::SUCCESS)
}
