//! `selo exchange`: the published experiments between two machines. The subcommands are in the
//! library, because its own small program for a Raspberry Pi uses them too.

use std::path::Path;
use std::process::ExitCode;

use selo_exchange::cli::Command;

pub fn run(command: &Command, project: Option<&Path>) -> selo_base::report::Result<ExitCode> {
    command.run(project)?;
    Ok(ExitCode::SUCCESS)
}
