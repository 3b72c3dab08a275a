//! `selo`: one command, thin over the library crates. Each subcommand is a file.
//!
//! stdout is data, stderr is messages and progress. Exit codes are in
//! docs/reference.md: 0 done, 1 a check or measurement failed, 2 wrong usage or
//! data, 3 something is missing, 4 an error of the machine, 130 interrupted.

mod completions;
mod doctor;
mod lab;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Find out which cryptography a small device can afford, and seal its messages.
#[derive(Debug, Parser)]
#[command(
    version,
    propagate_version = true,
    max_term_width = 100,
    after_help = "\
Examples:
  selo doctor                                     what is missing on this machine
  selo lab run --board uno --algorithm aes-128    measure on a simulated Arduino Uno
  selo lab report                                 a page with tables and pictures"
)]
struct Cli {
    /// Folder of the project (default: the nearest above the current folder)
    #[arg(long, global = true, env = "SELO_PROJECT", value_name = "DIR")]
    project: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant)] // there is one, for as long as the program runs
enum Command {
    /// Measure cryptography on a board, prove it correct, and compare
    #[command(subcommand)]
    Lab(lab::Command),
    /// Say what is missing on this machine, and the line that installs it
    Doctor(doctor::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    // A second Ctrl-C ends at once.
    let handler = || {
        if selo_lab::schedule::check_interrupt().is_err() {
            std::process::exit(130);
        }
        selo_lab::schedule::interrupt();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("selo: warning: Ctrl-C will not be handled: {error}");
    }
    match run(&cli) {
        Ok(code) => code,
        Err(error) => complain(&error),
    }
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let project = || -> anyhow::Result<PathBuf> {
        match &cli.project {
            // Paths of images and sources are compared with this one.
            Some(folder) => {
                let folder = folder
                    .canonicalize()
                    .map_err(|source| selo_lab::Error::Read {
                        path: folder.clone(),
                        source,
                    })?;
                Ok(folder)
            }
            None => Ok(selo_lab::project::Project::find(&std::env::current_dir()?)?),
        }
    };
    match &cli.command {
        Command::Lab(command) => command.run(&project()?),
        Command::Doctor(args) => doctor::run(args, project().ok().as_deref()),
        Command::Completions(args) => completions::run(args),
    }
}

/// Prints an error with its causes and its hint, and gives its exit code.
fn complain(error: &anyhow::Error) -> ExitCode {
    // A reader that has seen enough (`selo ... | head`) is no error.
    let broken_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(broken_pipe) {
        return ExitCode::SUCCESS;
    }
    eprintln!("selo: {error}");
    let mut said = error.to_string();
    for cause in error.chain().skip(1) {
        let text = cause.to_string();
        if !said.contains(&text) {
            eprintln!("  because: {text}");
            said = text;
        }
    }
    let lab = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<selo_lab::Error>());
    if let Some(hint) = lab.and_then(selo_lab::Error::hint) {
        eprintln!("hint: {hint}");
    }
    ExitCode::from(lab.map_or(4, selo_lab::Error::exit_code))
}
