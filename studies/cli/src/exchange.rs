//! `selo exchange`: the published experiments between two machines. The subcommands are the
//! library's, for it has a small program of its own for a Raspberry Pi.

use std::path::Path;
use std::process::ExitCode;

use selo_exchange::cli::Command;

pub fn run(command: &Command, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
    command.run(project)?;
    Ok(ExitCode::SUCCESS)
}
