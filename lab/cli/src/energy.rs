//! `selo lab energy`: energy of a measured trace, and battery life under a duty cycle.

mod args;
mod battery;
mod trace;

use std::path::Path;
use std::process::ExitCode;

pub use args::Args;
use args::Refusal;

use super::rows;

pub fn run(args: &Args, project: &Path) -> selo_base::report::Result<ExitCode> {
    let answer = match (&args.trace, &args.battery) {
        (Some(path), _) => trace::integrated(args, path),
        (None, Some(battery)) => battery::lasting(args, battery, project),
        // The argument group demands one of them.
        (None, None) => Err(Refusal::Usage("give --trace or --battery".into())),
    };
    match answer {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(Refusal::Usage(message)) => {
            eprintln!("selo: {message}");
            eprintln!("hint: selo lab energy --help shows examples");
            Ok(ExitCode::from(2))
        }
        Err(Refusal::NoRow { message, command }) => {
            eprintln!("selo: {message}");
            eprintln!("hint: measure it first: {command}");
            Ok(ExitCode::from(rows::MISSING))
        }
        Err(Refusal::Other(error)) => Err(error),
    }
}
