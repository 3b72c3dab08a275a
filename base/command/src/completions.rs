//! `selo completions` and `selo-lab completions`: a completion script for a shell.

use std::process::ExitCode;

use clap_complete::Shell;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  selo completions bash > ~/.local/share/bash-completion/completions/selo")]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the completion script for the command `name`.
pub fn run(args: &Args, mut command: clap::Command, name: &str) -> ExitCode {
    clap_complete::generate(args.shell, &mut command, name, &mut std::io::stdout());
    ExitCode::SUCCESS
}
