//! `selo-exchange`: `selo exchange` on its own. It builds for a Raspberry Pi in a minute and can be
//! copied there.

use std::process::ExitCode;

use clap::Parser;

/// Measure secure exchanges between two machines
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: selo_exchange::cli::Command,
}

fn main() -> ExitCode {
    match Cli::parse().command.run(None) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("selo-exchange: {error}");
            if let Some(hint) = error.hint() {
                eprintln!("hint: {hint}");
            }
            ExitCode::from(error.exit_code())
        }
    }
}
