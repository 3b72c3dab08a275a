//! The program `selo`. All of it is in the library, so that its tests use it from outside.

use std::process::ExitCode;

fn main() -> ExitCode {
    selo_cli::main()
}
