//! Runners execute an image and carry bytes to and from its agent, one file for each kind. [`chip`]
//! is a separate program that speaks lines over pipes (docs/contributor/runner-protocol.md).
//! [`native`] starts the image itself: standard input and output are the agent's UART. [`qemu`] is
//! an emulator with our plugin. [`serial`] talks to a real board over a cable.

mod chip;
mod native;
pub mod port;
pub mod qemu;
mod serial;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::board::Board;
use crate::elf::Weight;
use crate::error::{Error, Result};

pub use chip::{Advanced, Paced, Pin, Surroundings};

/// The measurements of a chip runner between two marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Clock cycles between the marks.
    pub cycles: u64,
    /// Cycles of these during which the core slept.
    pub slept: u64,
    /// Stack growth below the depth at the first mark, in bytes.
    pub stack: u64,
}

/// The counts of a runner that counts instructions, between two marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub instructions: u64,
    /// The count of each class (lab/sims/qemu/classes.h), and of other items such as registers in
    /// loads of several registers.
    pub classes: BTreeMap<String, u64>,
}

/// The reply to one request.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Bytes from the agent, without the frame's delimiter.
    pub reply: Vec<u8>,
    /// The spans between marks; empty on runners that cannot see marks.
    pub spans: Vec<Span>,
    /// The counts between marks, on runners that count instructions.
    pub counts: Vec<Counts>,
}

/// A running image.
pub trait Session: Send {
    /// Sends bytes to the agent and waits for one frame.
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange>;

    /// The error to report if the image is not the one that was started.
    fn wrong_image(&self, message: String) -> Error {
        Error::Agent(message)
    }
}

/// The known runners.
pub const RUNNERS: [&str; 5] = ["simavr", "avr8js", "native", "qemu", SERIAL];

pub use crate::board::SERIAL;

/// The runner with a paced mode.
pub const PACED: &str = "simavr";

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
        "native" => return Ok(Box::new(native::NativeSession::start(image)?)),
        "qemu" => {
            let session = qemu::QemuSession::start(root, board, image, cycle_limit)?;
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

/// The time without output after which a runner counts as lost: 15 minutes, plus the time that a
/// slow machine needs for this number of cycles. It affects no measurement: the limit stops a
/// hanging program long before.
fn silence(cycle_limit: u64) -> Duration {
    const CYCLES_A_SECOND: u64 = 20_000_000;
    Duration::from_secs(900 + cycle_limit / CYCLES_A_SECOND)
}

/// Checks that the board's runner can be started here. The error says how to get it.
pub fn available(root: &Path, board: &Board) -> Result<()> {
    match board.runner.as_str() {
        "simavr" => chip::simavr(root).map(drop),
        "qemu" => qemu::available(root, board),
        _ => Ok(()),
    }
}

fn require(path: &Path, how: &str, runner: &str) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    Err(Error::Runner {
        runner: runner.to_owned(),
        message: format!("{} is not there; `{how}` makes it", path.display()),
    })
}

/// Keeps the bytes before the first delimiter that ends a frame. Drops leading delimiters.
fn cut_at_delimiter(reply: &mut Vec<u8>) {
    let start = reply
        .iter()
        .position(|&byte| byte != 0)
        .unwrap_or(reply.len());
    reply.drain(..start);
    if let Some(end) = reply.iter().position(|&byte| byte == 0) {
        reply.truncate(end);
    }
}

fn spawn_error(runner: &str, program: &Path, source: std::io::Error) -> Error {
    if source.kind() == std::io::ErrorKind::NotFound {
        let name = program
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let packages = if name == "node" {
            vec!["nodejs".to_owned()]
        } else {
            vec![]
        };
        return Error::MissingProgram {
            program: name,
            needed_for: format!("the runner {runner}"),
            packages,
            install: String::new(),
        };
    }
    Error::Runner {
        runner: runner.to_owned(),
        message: format!("cannot start {}: {source}", program.display()),
    }
}
