//! `selo completions`: a completion script for a shell.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  selo completions bash > ~/.local/share/bash-completion/completions/selo")]
pub struct Args {
    /// The shell
    shell: Shell,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    clap_complete::generate(
        args.shell,
        &mut crate::Cli::command(),
        "selo",
        &mut std::io::stdout(),
    );
    Ok(ExitCode::SUCCESS)
}
