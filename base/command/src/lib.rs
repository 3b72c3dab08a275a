//! Code that the commands `selo` and `selo-lab` share. It depends on neither house.
//!
//! | module | contents |
//! |---|---|
//! | [`config`] | options from the configuration file |
//! | [`external`] | how one command finds and runs the other |
//! | [`status`] | the progress line |
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

/// Ends the program quietly when the reader of standard output has gone away, as in `selo-lab list
/// boards | head -1`. Otherwise `println!` would panic.
fn end_with_the_reader() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let closed = panic
            .payload()
            .downcast_ref::<String>()
            .is_some_and(|said| {
                said.starts_with("failed printing to stdout") && said.contains("Broken pipe")
            });
        if closed {
            std::process::exit(i32::from(selo_base::report::exit::DONE));
        }
        usual(panic);
    }));
}

/// Runs a command: handles Ctrl-C and a closed output, prints an error, and returns the exit code.
pub fn main(program: &str, run: impl FnOnce() -> Result<ExitCode>) -> ExitCode {
    end_with_the_reader();
    // A second Ctrl-C ends the program at once.
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
