//! Finds and runs the other command, as git and cargo find their subcommands.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use selo_base::report::{Report, Result};

/// Unparsed arguments for another command.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    /// Handed on to selo-lab
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENTS"
    )]
    pub rest: Vec<OsString>,
}

/// The program of this name: next to the running program, or else on PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let own = std::env::current_exe().ok();
    // Also follow links: a link in ~/bin may point to an installation.
    let beside = own
        .iter()
        .cloned()
        .chain(own.iter().filter_map(|path| path.canonicalize().ok()))
        .filter_map(|path| Some(path.parent()?.to_owned()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    beside
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

/// The program of this name, or an error that names what to install.
///
/// # Errors
/// Exit code 3 if the program is neither next to this one nor on PATH.
pub fn require(name: &str) -> Result<PathBuf> {
    find(name).ok_or_else(|| {
        Report::missing(
            format!("{name} is not installed"),
            if name == "selo" {
                "run `make build-site install` in the project's folder".to_owned()
            } else {
                "run `make build-lab install-lab` in the project's folder".to_owned()
            },
        )
    })
}

/// Replaces this process by the program of this name. Returns only on failure.
///
/// # Errors
/// If the program is not installed, or does not start.
pub fn become_program(name: &str, arguments: impl IntoIterator<Item = OsString>) -> Result<()> {
    let path = require(name)?;
    let error = Command::new(&path).args(arguments).exec();
    Err(Report::from(error).while_doing(format!("cannot run {}", path.display())))
}
