//! A program on this machine: its standard input and output are the agent's UART.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::sandbox;
use super::session::{Exchange, Session, cut_at_delimiter, spawn_error};
use crate::error::{Error, Result, Stop};

/// A program on this machine. The calling thread reads the answers itself, since a Monte Carlo
/// chain makes millions of calls; a watchdog thread ends a program that hangs.
pub(super) struct NativeSession {
    child: Arc<Mutex<Started>>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    watch: Arc<Watch>,
    limit: Duration,
}

/// A program that was started.
struct Started {
    child: Child,
    /// It is the first of a process group, which has not been ended yet.
    leads: bool,
}

/// The name of this runner.
const NATIVE: &str = "native";

/// The state that the watchdog reads.
#[derive(Default)]
struct Watch {
    /// Calls made so far; odd while one is under way.
    calls: AtomicU64,
    expired: AtomicBool,
    over: AtomicBool,
}

/// Longest and shortest time limit of a native operation.
const LONGEST: Duration = Duration::from_secs(60);
const SHORTEST: Duration = Duration::from_secs(2);

/// The time limit of a native operation, in place of a chip's cycle limit. A chip of 32 MHz is
/// assumed, which no PC is slower than.
fn time_limit(cycle_limit: u64) -> Duration {
    Duration::from_secs(cycle_limit / 32_000_000).clamp(SHORTEST, LONGEST)
}

/// Bytes after which an answer is none: no frame of the agent is so long.
const LONGEST_ANSWER: usize = 4 << 20;

impl NativeSession {
    pub(super) fn start(image: &Path, cycle_limit: u64) -> Result<NativeSession> {
        let mut command = sandbox::command(image);
        command.stderr(Stdio::null());
        NativeSession::spawn(NATIVE, command, time_limit(cycle_limit))
    }

    /// Starts a program with a time limit for each answer.
    pub(super) fn spawn(
        runner: &str,
        mut command: Command,
        limit: Duration,
    ) -> Result<NativeSession> {
        let program = PathBuf::from(command.get_program());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|source| spawn_error(runner, &program, source))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Runner {
                runner: runner.to_owned(),
                message: "cannot connect to the program's standard input and output".into(),
            });
        };
        let child = Arc::new(Mutex::new(Started {
            child,
            leads: runner == NATIVE,
        }));
        let watch = Arc::new(Watch::default());
        let watched = (Arc::clone(&child), Arc::clone(&watch));
        std::thread::spawn(move || watchdog(&watched.0, &watched.1, limit));
        Ok(NativeSession {
            child,
            stdin,
            stdout,
            watch,
            limit,
        })
    }

    /// Sends a request and waits for the answer's delimiter; `None` if the program is gone.
    pub(super) fn answer(&mut self, request: &[u8]) -> Option<Vec<u8>> {
        self.watch.calls.fetch_add(1, Ordering::Relaxed);
        let sent = self
            .stdin
            .write_all(request)
            .and_then(|()| self.stdin.flush());
        let mut reply = sent.ok().and_then(|()| self.read_answer());
        self.watch.calls.fetch_add(1, Ordering::Relaxed);
        if let Some(reply) = &mut reply {
            cut_at_delimiter(reply);
        }
        reply
    }

    /// True if the program has ended.
    pub(super) fn is_over(&self) -> bool {
        let child = self.child.lock();
        child.is_ok_and(|mut child| matches!(child.child.try_wait(), Ok(Some(_)) | Err(_)))
    }

    fn read_answer(&mut self) -> Option<Vec<u8>> {
        let mut reply = Vec::new();
        let mut buffer = [0; 8192];
        while reply.len() < LONGEST_ANSWER {
            let part = match self.stdout.read(&mut buffer) {
                Ok(size @ 1..) => &buffer[..size],
                _ => return None,
            };
            reply.extend(part);
            if part.contains(&0) {
                return Some(reply);
            }
        }
        None
    }

    /// Ends the program and says why it stopped.
    pub(super) fn ended(&mut self) -> Stop {
        let status = end(&self.child);
        let (reason, fault) = if self.watch.expired.load(Ordering::Relaxed) {
            (format!("no answer for {} s", self.limit.as_secs()), None)
        } else {
            ("crash".to_owned(), status)
        };
        Stop {
            reason,
            fault,
            pc: None,
        }
    }
}

/// Ends every program of the group of a child, which has been its first.
fn end_group(id: u32) {
    let _ = Command::new("/bin/kill")
        .args(["-KILL", "--", &format!("-{id}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

/// Ends a child that still runs. Returns its exit status as text.
fn end(child: &Mutex<Started>) -> Option<String> {
    let mut started = child.lock().ok()?;
    // Once only: the number may then belong to another program.
    if std::mem::take(&mut started.leads) {
        end_group(started.child.id());
    }
    let _ = started.child.kill();
    started.child.wait().ok().map(|status| status.to_string())
}

fn watchdog(child: &Mutex<Started>, watch: &Watch, limit: Duration) {
    const STEP: Duration = Duration::from_millis(250);
    let (mut seen, mut waited) = (0, Duration::ZERO);
    while !watch.over.load(Ordering::Relaxed) {
        std::thread::sleep(STEP);
        let calls = watch.calls.load(Ordering::Relaxed);
        waited = if calls == seen && calls % 2 == 1 {
            waited + STEP
        } else {
            Duration::ZERO
        };
        seen = calls;
        if waited >= limit {
            watch.expired.store(true, Ordering::Relaxed);
            end(child);
            return;
        }
    }
}

impl Session for NativeSession {
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange> {
        let reply = self
            .answer(request)
            .ok_or_else(|| Error::Stopped(self.ended()))?;
        Ok(Exchange {
            reply,
            ..Exchange::default()
        })
    }
}

impl Drop for NativeSession {
    fn drop(&mut self) {
        self.watch.over.store(true, Ordering::Relaxed);
        end(&self.child);
    }
}
