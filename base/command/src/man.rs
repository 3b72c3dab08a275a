//! `selo man`: manual pages, generated from the `--help` texts.

use std::path::PathBuf;
use std::process::ExitCode;

use selo_base::report::{Context, Result};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  selo man /usr/local/share/man/man1")]
pub struct Args {
    /// The folder, which must exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Writes a page for the command and for each of its subcommands.
///
/// # Errors
/// If a page cannot be written to the folder.
pub fn run(args: &Args, command: clap::Command) -> Result<ExitCode> {
    clap_mangen::generate_to(command, &args.folder)
        .with_context(|| format!("cannot write into {}", args.folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
