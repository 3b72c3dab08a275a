//! A real board on a serial port: flashed by a command of its board file, then driven with the
//! agent protocol (docs/contributor/agent-protocol.md).
//!
//! A cable loses bytes, boot loaders print text, and boards are unplugged in the middle of an
//! operation. This runner never repeats a request without an answer: the operation may have run,
//! and the agent's state is unknown. The request fails with [`Error::Cut`] once the board answers
//! again. The caller then starts again from the first request that depends on no other.

mod boot;
mod flash;
mod open;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::port::{self, Gone, Port};
use super::session::{Exchange, Session, spawn_error};
use crate::board::SERIAL;
use crate::board::{Board, Serial};
use crate::error::{Cut, Error, Result};
use crate::frame;
use crate::schedule::check_interrupt;

/// Timeout and number of tries of HELLO: the boot loader may still be running.
const HELLO_ANSWER: Duration = Duration::from_millis(700);
const HELLO_TRIES: u32 = 6;

/// Longest wait between checks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(100);

/// After damaged bytes, the answer may still come for this long.
const AFTER_DAMAGE: Duration = Duration::from_secs(1);

pub(super) struct SerialSession {
    title: String,
    serial: Serial,
    image: PathBuf,
    /// A name of the port that survives unplugging, if the system has one.
    stable: Option<PathBuf>,
    /// `None` while other programs use the port.
    port: Option<Port>,
    /// The start of an incomplete frame.
    pending: Vec<u8>,
    sequence: u8,
    /// Timeout of an operation that has not run yet.
    limit: Duration,
    /// The longest time of each operation so far.
    seen: BTreeMap<u8, Duration>,
}

/// The reason for a missing answer.
enum Silence {
    Gone,
    Damaged,
    Over,
}

impl SerialSession {
    /// Flashes `image` unless the board holds it, and starts it.
    pub(super) fn start(board: &Board, image: &Path, cycle_limit: u64) -> Result<SerialSession> {
        let Some(serial) = board.serial.clone() else {
            return Err(Error::Runner {
                runner: SERIAL.into(),
                message: format!("the file of {} has no [serial] table", board.title),
            });
        };
        let answer = Duration::from_secs(serial.answer_seconds.into());
        let limit = match board.clock_hz {
            Some(hz) => answer.min(Duration::from_secs(cycle_limit / hz.max(1) + 1)),
            None => answer,
        };
        let mut session = SerialSession {
            title: board.title.clone(),
            stable: port::stable_name(&serial.by_id, &serial.port),
            image: image.to_owned(),
            port: None,
            pending: Vec::new(),
            sequence: 0,
            limit,
            seen: BTreeMap::new(),
            serial,
        };
        session.open()?;
        let holds_it = session.known_identity().is_some();
        if holds_it {
            session.restart()?;
        } else {
            session.flash()?;
        }
        Ok(session)
    }

    fn error(&self, message: String, hint: &str) -> Error {
        Error::Port {
            port: self.serial.port.clone(),
            message,
            hint: hint.to_owned(),
        }
    }

    /// The board's current path: the stable name if it exists, else the port.
    fn path(&self) -> PathBuf {
        match &self.stable {
            Some(name) if name.exists() => name.clone(),
            _ => self.serial.port.clone(),
        }
    }

    /// Sends one request. Returns the first intact frame with the same sequence number.
    fn ask(
        &mut self,
        request: &[u8],
        sequence: u8,
        patience: Duration,
    ) -> Result<std::result::Result<Vec<u8>, Silence>> {
        let Some(port) = &mut self.port else {
            return Ok(Err(Silence::Gone));
        };
        if port.write(request).is_err() {
            self.port = None;
            return Ok(Err(Silence::Gone));
        }
        let mut until = Instant::now() + patience;
        let mut damaged = false;
        loop {
            check_interrupt()?;
            while let Some(end) = self.pending.iter().position(|&byte| byte == 0) {
                let mut frame: Vec<u8> = self.pending.drain(..=end).collect();
                frame.pop();
                match frame::decode(&frame) {
                    Some(content) if content.get(1) == Some(&sequence) => return Ok(Ok(frame)),
                    // A late answer to an earlier request.
                    Some(_) => {}
                    None if frame.is_empty() => {}
                    // Text of a boot loader, or an answer that lost a byte.
                    None => {
                        damaged = true;
                        until = until.min(Instant::now() + AFTER_DAMAGE);
                    }
                }
            }
            if Instant::now() >= until {
                return Ok(Err(if damaged {
                    Silence::Damaged
                } else {
                    Silence::Over
                }));
            }
            let Some(port) = &mut self.port else {
                return Ok(Err(Silence::Gone));
            };
            match port.read(until.min(Instant::now() + GLANCE)) {
                Ok(bytes) => self.pending.extend(bytes),
                Err(Gone) => {
                    self.port = None;
                    return Ok(Err(Silence::Gone));
                }
            }
        }
    }

    /// Runs a command of the board file with its placeholders filled in.
    fn command(&self, words: &[String]) -> Result<()> {
        let words: Vec<String> = words.iter().map(|word| self.fill(word)).collect();
        let Some((program, arguments)) = words.split_first() else {
            return Ok(());
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(
                |source| match spawn_error(SERIAL, Path::new(program), source) {
                    Error::MissingProgram { program, .. } => Error::MissingProgram {
                        program,
                        needed_for: format!("flashing {}", self.title),
                        packages: self.serial.debian.clone(),
                        install: self.serial.install.clone(),
                    },
                    other => other,
                },
            )?;
        let said = read_both(&mut child);
        let until = Instant::now() + Duration::from_secs(self.serial.flash_seconds.into());
        let Some(status) = ended(&mut child, until) else {
            let _ = child.kill();
            let _ = child.wait();
            check_interrupt()?;
            return Err(self.error(
                format!(
                    "`{program}` did not end within {} s",
                    self.serial.flash_seconds
                ),
                "press the board's reset button, unplug it and plug it in again",
            ));
        };
        if status.success() {
            return Ok(());
        }
        let text: Vec<u8> = said
            .into_iter()
            .flat_map(|thread| thread.join().unwrap_or_default())
            .collect();
        let text = String::from_utf8_lossy(&text);
        let last: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let last = last[last.len().saturating_sub(4)..].join("\n  ");
        Err(self.error(
            format!("flashing failed: {}\n  {last}", words.join(" ")),
            "run the same command by hand, and check that this is the right board",
        ))
    }

    fn fill(&self, word: &str) -> String {
        let file = |extension: &str| self.image.with_extension(extension).display().to_string();
        let folder = self.image.parent().unwrap_or(Path::new("."));
        word.replace("{image}", &self.image.display().to_string())
            .replace("{folder}", &folder.display().to_string())
            .replace("{hex}", &file("hex"))
            .replace("{bin}", &file("bin"))
            .replace("{port}", &self.path().display().to_string())
    }

    /// Timeout of an operation: 2 s plus ten times its longest answer so far, at most the limit.
    fn patience(&self, operation: u8) -> Duration {
        match self.seen.get(&operation) {
            Some(longest) => (*longest * 10 + Duration::from_secs(2)).min(self.limit),
            None => self.limit,
        }
    }
}

impl Session for SerialSession {
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange> {
        let frame = request.strip_prefix(&[0]).unwrap_or(request);
        let content = frame.strip_suffix(&[0]).and_then(frame::decode);
        let Some([command, sequence, payload @ ..]) = content.as_deref() else {
            return Err(Error::Agent("the request is not a valid frame".into()));
        };
        let operation = payload.first().copied();
        let runs = *command == frame::RUN;
        // HELLO changes nothing, so it may be repeated.
        for _ in 0..HELLO_TRIES {
            let patience = match operation {
                Some(operation) if runs => self.patience(operation),
                _ => HELLO_ANSWER,
            };
            let asked = Instant::now();
            let cut = match self.ask(request, *sequence, patience)? {
                Ok(reply) => {
                    if let Some(operation) = operation.filter(|_| runs) {
                        let longest = self.seen.entry(operation).or_default();
                        *longest = (*longest).max(asked.elapsed());
                    }
                    return Ok(Exchange {
                        reply,
                        ..Exchange::default()
                    });
                }
                Err(Silence::Gone) => {
                    self.come_back()?;
                    Cut::Gone
                }
                Err(Silence::Damaged) => Cut::Damaged,
                Err(Silence::Over) if runs => {
                    self.restart()?;
                    Cut::Silent(patience.as_secs())
                }
                Err(Silence::Over) => continue,
            };
            if runs {
                return Err(Error::Cut(cut));
            }
        }
        Err(self.error(
            "the agent stopped answering".into(),
            "unplug the board, plug it in again, and run the same command again: it continues",
        ))
    }

    fn wrong_image(&self, message: String) -> Error {
        self.error(
            format!("the board does not run the flashed image: {message}"),
            "check the flash command in the board's file: it must use {image}, {folder}, {hex} or {bin}",
        )
    }
}

/// Reads both outputs of a command in threads, so that a command with much output does not block.
fn read_both(child: &mut Child) -> Vec<JoinHandle<Vec<u8>>> {
    let out = child.stdout.take();
    let err = child.stderr.take();
    let pipes = [
        out.map(|out| Box::new(out) as Box<dyn Read + Send>),
        err.map(|err| Box::new(err) as Box<dyn Read + Send>),
    ];
    pipes
        .into_iter()
        .flatten()
        .map(|mut pipe| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                let _ = pipe.read_to_end(&mut text);
                text
            })
        })
        .collect()
}

/// The status with which a command ended. `None` if it runs until then, or if the user interrupts.
fn ended(child: &mut Child, until: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if check_interrupt().is_ok() && Instant::now() < until => {
                std::thread::sleep(Duration::from_millis(20));
            }
            _ => return None,
        }
    }
}
