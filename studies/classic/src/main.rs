//! `selo-classic`: `selo classic` alone.

use std::process::ExitCode;

use clap::Parser;

/// Prints the readings of nodes that speak Algorithm 2 of albarello2020. Unsafe
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    args: selo_classic::cli::Args,
}

fn main() -> ExitCode {
    match Cli::parse().args.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("selo-classic: {error}");
            ExitCode::from(4)
        }
    }
}
