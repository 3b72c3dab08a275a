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

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use selo_base::interrupt;
use selo_base::report::{Result, exit};
use signal_hook::consts::SIGINT;
use signal_hook::flag::{register, register_conditional_shutdown};

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
            std::process::exit(i32::from(exit::DONE));
        }
        usual(panic);
    }));
}

/// Has the first Ctrl-C set the flag of [`interrupt`], and the second one end the program at once.
fn handle_interrupts() -> io::Result<()> {
    let flag = interrupt::flag();
    // This action comes first, so the first Ctrl-C does not find the flag set.
    register_conditional_shutdown(SIGINT, exit::INTERRUPTED.into(), Arc::clone(&flag))?;
    register(SIGINT, flag)?;
    Ok(())
}

/// Runs a command: handles Ctrl-C and a closed output, prints an error, and returns the exit code.
pub fn main(program: &str, run: impl FnOnce() -> Result<ExitCode>) -> ExitCode {
    end_with_the_reader();
    if let Err(error) = handle_interrupts() {
        eprintln!("{program}: warning: Ctrl-C will not be handled: {error}");
    }
    run().unwrap_or_else(|report| ExitCode::from(report.print(program)))
}
