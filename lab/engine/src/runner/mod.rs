//! Runners execute an image and carry bytes to and from its agent, one file for each kind. [`chip`]
//! is a separate program that speaks lines over pipes (docs/contributor/runner-protocol.md).
//! [`native`] starts the image itself: standard input and output are the agent's UART. [`qemu`] is
//! an emulator with our plugin. [`rtl`] is a simulated core. [`serial`] talks to a real board over a
//! cable.

mod chip;
mod native;
pub mod port;
pub mod qemu;
pub mod rtl;
mod sandbox;
mod serial;
mod session;
pub mod sims;

use std::path::Path;
use std::process::Command;

use crate::board::Board;
use crate::elf::Weight;
use crate::error::{Error, Result};

pub use chip::{Advanced, Paced, Pin, Surroundings};
use session::require;
pub use session::{Counts, Exchange, PACED, Session, Span};

/// The known runners.
pub const RUNNERS: [&str; 6] = ["simavr", "avr8js", "native", "qemu", RTL, SERIAL];

pub use crate::board::{RTL, SERIAL};

/// Starts `image` for `board` on the runner with this name. `cycle_limit` is in instructions if the
/// runner counts instructions.
pub fn start(
    root: &Path,
    runner: &str,
    board: &Board,
    image: &Path,
    weight: &Weight,
    cycle_limit: u64,
) -> Result<Box<dyn Session>> {
    let command = match runner {
        "simavr" => Command::new(chip::simavr(root)?),
        "avr8js" => {
            let script = root.join("lab/sims/avr8js/selo-avr8js.mjs");
            require(
                &root.join("lab/sims/avr8js/node_modules/avr8js"),
                "make build",
                runner,
            )?;
            let mut command = Command::new("node");
            command.arg(script);
            command
        }
        "native" => return Ok(Box::new(native::NativeSession::start(image, cycle_limit)?)),
        "qemu" => {
            let session = qemu::QemuSession::start(root, board, image, cycle_limit)?;
            return Ok(Box::new(session));
        }
        RTL => {
            let session = rtl::RtlSession::start(root, board, image, weight, cycle_limit)?;
            return Ok(Box::new(session));
        }
        SERIAL => {
            let session = serial::SerialSession::start(board, image, cycle_limit)?;
            return Ok(Box::new(session));
        }
        other => return Err(Error::unknown("runner", other, RUNNERS)),
    };
    let session = chip::ChipSession::start(runner, command, board, image, weight, cycle_limit)?;
    Ok(Box::new(session))
}

/// Checks that the board's runner can be started here. The error says how to get it.
pub fn available(root: &Path, board: &Board) -> Result<()> {
    match board.runner.as_str() {
        "simavr" => chip::simavr(root).map(drop),
        "qemu" => qemu::available(root, board),
        RTL => rtl::program(root, board).map(drop),
        _ => Ok(()),
    }
}
