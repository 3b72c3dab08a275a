//! What the commands `selo` and `selo-lab` share. Neither house is known here.
//!
//! | module | is |
//! |---|---|
//! | [`config`] | options from the configuration file |
//! | [`external`] | how one command finds and runs the other |
//! | [`status`] | the line that tells what is being done |
//! | [`files`] | reading and writing files that the user names |
//! | [`completions`], [`man`] | made from the definition that makes the help |

pub mod completions;
pub mod config;
pub mod external;
pub mod files;
pub mod man;
pub mod status;

use std::process::ExitCode;

use selo_base::interrupt;
use selo_base::report::Result;

/// Runs a command: handles Ctrl-C, shows an error, gives the exit code.
pub fn main(program: &str, run: impl FnOnce() -> Result<ExitCode>) -> ExitCode {
    // A second Ctrl-C ends at once.
    let handler = || {
        if interrupt::is_interrupted() {
            std::process::exit(i32::from(selo_base::report::exit::INTERRUPTED));
        }
        interrupt::interrupt();
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        eprintln!("{program}: warning: Ctrl-C will not be handled: {error}");
    }
    run().unwrap_or_else(|report| ExitCode::from(report.print(program)))
}
