//! The session that every runner offers, and the helpers that several runners share.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use crate::error::{Error, Result};

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
    /// The same of the functions of hashes alone, if the image has any.
    pub hashing: Option<Box<Counts>>,
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

/// The runner with a paced mode.
pub const PACED: &str = "simavr";

/// The time without output after which a runner counts as lost: 15 minutes, plus the time that a
/// slow machine needs for this number of cycles. It affects no measurement: the limit stops a
/// hanging program long before.
pub(super) fn silence(cycle_limit: u64) -> Duration {
    const CYCLES_A_SECOND: u64 = 20_000_000;
    Duration::from_secs(900 + cycle_limit / CYCLES_A_SECOND)
}

pub(super) fn require(path: &Path, how: &str, runner: &str) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    Err(Error::Runner {
        runner: runner.to_owned(),
        message: format!("{} does not exist; `{how}` builds it", path.display()),
    })
}

/// Keeps the bytes before the first delimiter that ends a frame. Drops leading delimiters.
pub(super) fn cut_at_delimiter(reply: &mut Vec<u8>) {
    let start = reply
        .iter()
        .position(|&byte| byte != 0)
        .unwrap_or(reply.len());
    reply.drain(..start);
    if let Some(end) = reply.iter().position(|&byte| byte == 0) {
        reply.truncate(end);
    }
}

pub(super) fn spawn_error(runner: &str, program: &Path, source: std::io::Error) -> Error {
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
