//! A real board on a serial port: flashed by a command of its board file, then driven with the
//! agent protocol (docs/contributor/agent-protocol.md).
//!
//! A cable loses bytes, boot loaders print text, and boards are unplugged in the middle of an
//! operation. This runner never repeats a request without an answer: the operation may have run,
//! and the agent's state is unknown. The request fails with [`Error::Cut`] once the board answers
//! again. The caller then starts again from the first request that depends on no other.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
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

/// Some boards' ports disappear during a flash or a reset. They may stay away for this long.
const REAPPEARS: Duration = Duration::from_secs(10);

/// The image that this process flashed to the board on a port.
struct Flashed {
    image: PathBuf,
    /// The reply to HELLO.
    identity: Vec<u8>,
}

static FLASHED: Mutex<BTreeMap<PathBuf, Flashed>> = Mutex::new(BTreeMap::new());

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

    /// The reply to HELLO from when this process flashed this image on this port.
    fn known_identity(&self) -> Option<Vec<u8>> {
        let flashed = FLASHED.lock().ok()?;
        let flashed = flashed.get(&self.serial.port)?;
        (flashed.image == self.image).then(|| flashed.identity.clone())
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

    fn open(&mut self) -> Result<()> {
        self.port = None;
        self.pending.clear();
        match Port::open(&self.path(), self.serial.baud) {
            Ok(port) => {
                self.port = Some(port);
                Ok(())
            }
            Err(error) => Err(self.cannot_open(&error)),
        }
    }

    fn cannot_open(&self, error: &std::io::Error) -> Error {
        use std::io::ErrorKind;
        match error.kind() {
            ErrorKind::PermissionDenied => self.error(
                "this user has no permission to open the port".into(),
                "sudo usermod -aG dialout $USER, then log in again",
            ),
            ErrorKind::NotFound => self.error(
                "this port does not exist".into(),
                "selo lab ports lists the ports of this machine",
            ),
            ErrorKind::WouldBlock | ErrorKind::ResourceBusy => self.error(
                "another program uses the port".into(),
                "close the serial monitor or the other run",
            ),
            _ => self.error(
                format!("cannot be used as a serial port: {error}"),
                "selo lab ports lists the ports of this machine",
            ),
        }
    }

    /// Opens a port that may be away for a moment, for up to [`REAPPEARS`].
    fn reopen(&mut self) -> Result<()> {
        let until = Instant::now() + REAPPEARS;
        loop {
            check_interrupt()?;
            match self.open() {
                Err(_) if Instant::now() < until => std::thread::sleep(GLANCE),
                done => return done,
            }
        }
    }

    /// Flashes the image and waits until its agent answers.
    fn flash(&mut self) -> Result<()> {
        self.port = None;
        if let Ok(mut flashed) = FLASHED.lock() {
            flashed.remove(&self.serial.port);
        }
        let (objcopy, flash) = (self.serial.objcopy.clone(), self.serial.flash.clone());
        if !objcopy.is_empty() {
            self.command(&objcopy)?;
        }
        self.command(&flash)?;
        self.reopen()?;
        self.boot()?;
        let Some(identity) = self.hello()? else {
            if self.port.is_none() {
                return self.come_back();
            }
            return Err(self.error(
                format!(
                    "{} was flashed, but no agent answers at {} baud",
                    self.title, self.serial.baud
                ),
                "check `baud` and `boot_seconds` in the board's file, and that nothing else is connected to RXD and TXD",
            ));
        };
        if let Ok(mut flashed) = FLASHED.lock() {
            let image = self.image.clone();
            flashed.insert(self.serial.port.clone(), Flashed { image, identity });
        }
        Ok(())
    }

    /// Restarts the program. Flashes it again if the board holds another image.
    fn restart(&mut self) -> Result<()> {
        if self.serial.reset.is_empty() {
            let pulsed = self.port.as_ref().map(Port::pulse_dtr);
            if !matches!(pulsed, Some(Ok(()))) {
                return self.come_back();
            }
        } else {
            let reset = self.serial.reset.clone();
            self.port = None;
            self.command(&reset)?;
            self.reopen()?;
        }
        self.boot()?;
        if self
            .hello()?
            .is_some_and(|said| Some(said) == self.known_identity())
        {
            return Ok(());
        }
        self.flash()
    }

    fn boot(&mut self) -> Result<()> {
        let until = Instant::now() + Duration::from_secs_f64(self.serial.boot_seconds.max(0.0));
        while Instant::now() < until {
            check_interrupt()?;
            let left = until.saturating_duration_since(Instant::now());
            std::thread::sleep(left.min(GLANCE));
        }
        // After a restart, every operation gets the full timeout again.
        self.seen.clear();
        Ok(())
    }

    /// The reply to HELLO; `None` if there is no answer.
    fn hello(&mut self) -> Result<Option<Vec<u8>>> {
        for _ in 0..HELLO_TRIES {
            self.sequence = self.sequence.wrapping_add(1);
            let mut request = vec![0];
            request.extend(frame::encode(frame::HELLO, self.sequence, &[]));
            if let Some(port) = &self.port {
                let _ = port.flush();
            }
            self.pending.clear();
            match self.ask(&request, self.sequence, HELLO_ANSWER)? {
                Ok(reply) => {
                    let said = frame::decode_reply(&reply, frame::HELLO, self.sequence)?;
                    if said.is_some() {
                        return Ok(said);
                    }
                }
                Err(Silence::Gone) => return Ok(None),
                Err(Silence::Damaged | Silence::Over) => {}
            }
        }
        Ok(None)
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

    /// Waits until a missing board is back and holds the same image; flashes it if needed.
    fn come_back(&mut self) -> Result<()> {
        self.port = None;
        let (name, since) = (self.serial.port.display().to_string(), Instant::now());
        eprintln!(
            "the board on {name} is disconnected; plug it in again, or press Ctrl-C to stop and keep the rows"
        );
        loop {
            check_interrupt()?;
            if self
                .serial
                .patience
                .is_some_and(|most| since.elapsed() >= most)
            {
                return Err(self.error(
                    format!(
                        "the board was not reconnected within {} s",
                        since.elapsed().as_secs()
                    ),
                    "plug it in and run the same command again: it continues",
                ));
            }
            // The permissions of a port that has just reappeared may not be set yet.
            if self.open().is_err() {
                std::thread::sleep(GLANCE);
                continue;
            }
            self.boot()?;
            let back = match self.hello()? {
                Some(said) if Some(&said) == self.known_identity().as_ref() => Ok(()),
                _ if self.port_is_there() => self.flash(),
                _ => continue,
            };
            match back {
                Ok(()) => {
                    eprintln!("the board on {name} is connected again");
                    return Ok(());
                }
                // The board is gone again, perhaps during the flash.
                Err(Error::Port { .. } | Error::Runner { .. }) if !self.port_is_there() => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn port_is_there(&self) -> bool {
        self.path().exists()
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
