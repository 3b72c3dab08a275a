//! `selo man`: manual pages, made of what `--help` says.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  selo man /usr/local/share/man/man1")]
pub struct Args {
    /// The folder, which must exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    clap_mangen::generate_to(crate::config::command(), &args.folder)
        .with_context(|| format!("cannot write into {}", args.folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
