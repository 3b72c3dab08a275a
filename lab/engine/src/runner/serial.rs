//! A real board on a serial port: flashed by a command of its board file, then spoken to
//! as every agent is (docs/contributor/agent-protocol.md).
//!
//! A cable is not a pipe. Bytes get lost, boot loaders chatter, boards are unplugged in the
//! middle of an operation. A request whose answer does not come is never sent again from
//! here: the operation may have run, and what it left behind is not known. It ends with
//! [`Error::Cut`], after the board answers again; who asked begins anew with the first
//! request that does not depend on another.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::port::{self, Gone, Port};
use super::{Exchange, SERIAL, Session, spawn_error};
use crate::board::{Board, Serial};
use crate::error::{Cut, Error, Result};
use crate::frame;
use crate::schedule::check_interrupt;

/// How long HELLO may take, and how often it is tried: the boot loader may still be there.
const HELLO_ANSWER: Duration = Duration::from_millis(700);
const HELLO_TRIES: u32 = 6;

/// The longest wait without a look at Ctrl-C.
const GLANCE: Duration = Duration::from_millis(100);

/// After something that is no answer, the answer may still come for so long.
const AFTER_DAMAGE: Duration = Duration::from_secs(1);

/// How long a port may stay away after a flash or a reset, which some boards are.
const REAPPEARS: Duration = Duration::from_secs(10);

/// What this process has put on the board of a port.
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
    /// A name of the port that outlives the cable, if the system has one.
    stable: Option<PathBuf>,
    /// None while other programs use it.
    port: Option<Port>,
    /// The beginning of a frame.
    pending: Vec<u8>,
    sequence: u8,
    /// The longest that an operation may take that has not been seen.
    limit: Duration,
    /// The longest that each has taken.
    seen: BTreeMap<u8, Duration>,
}

/// Why there was no answer.
enum Silence {
    Gone,
    Damaged,
    Over,
}

impl SerialSession {
    /// Puts `image` on the board, unless it is there, and lets it start.
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

    /// What HELLO said when this process put this image on this port.
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

    /// Where the board is now: a name that stays the same goes before a number.
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
                "this user may not open the port".into(),
                "sudo usermod -aG dialout $USER, then log in again",
            ),
            ErrorKind::NotFound => self.error(
                "there is no such port".into(),
                "selo lab ports lists those that are there",
            ),
            ErrorKind::WouldBlock | ErrorKind::ResourceBusy => self.error(
                "another program uses the port".into(),
                "close the serial monitor, or the other run",
            ),
            _ => self.error(
                format!("cannot be used as a serial port: {error}"),
                "selo lab ports lists those that are there",
            ),
        }
    }

    /// Opens a port that may be away for a moment.
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

    /// Puts the image on the board and waits until its agent answers.
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
                "check `baud` and `boot_seconds` in the board's file, and that RXD and TXD are free",
            ));
        };
        if let Ok(mut flashed) = FLASHED.lock() {
            let image = self.image.clone();
            flashed.insert(self.serial.port.clone(), Flashed { image, identity });
        }
        Ok(())
    }

    /// Starts the program anew; flashes it again if the board does not hold it.
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
        // Whatever was silent gets all the time there is, now.
        self.seen.clear();
        Ok(())
    }

    /// The reply to HELLO; `None` if nobody answers.
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

    /// One request, and the intact frame that repeats its sequence number.
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
                    // An answer that came late, to a question that nobody asks any more.
                    Some(_) => {}
                    None if frame.is_empty() => {}
                    // What a boot loader says, or an answer that lost a byte.
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

    /// Waits for a board that is gone, until it answers as before.
    fn come_back(&mut self) -> Result<()> {
        self.port = None;
        let (name, since) = (self.serial.port.display().to_string(), Instant::now());
        eprintln!(
            "the board is gone; waiting for {name}, plug it in again; Ctrl-C keeps what is measured"
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
                        "the board did not come back within {} s",
                        since.elapsed().as_secs()
                    ),
                    "plug it in and run the same command again: it continues",
                ));
            }
            // A port that has just come back may not belong to its group yet.
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
                    eprintln!("{name} is back");
                    return Ok(());
                }
                // Gone once more, perhaps in the middle of the flashing.
                Err(Error::Port { .. } | Error::Runner { .. }) if !self.port_is_there() => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn port_is_there(&self) -> bool {
        self.path().exists()
    }

    /// Runs a command of the board file, its placeholders filled in.
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
        // Read aside, so that a command that says much does not wait for a reader.
        let mut said = Vec::new();
        for pipe in [
            child
                .stdout
                .take()
                .map(|out| Box::new(out) as Box<dyn Read + Send>),
            child
                .stderr
                .take()
                .map(|err| Box::new(err) as Box<dyn Read + Send>),
        ] {
            said.push(std::thread::spawn(move || {
                let mut text = Vec::new();
                if let Some(mut pipe) = pipe {
                    let _ = pipe.read_to_end(&mut text);
                }
                text
            }));
        }
        let until = Instant::now() + Duration::from_secs(self.serial.flash_seconds.into());
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if check_interrupt().is_ok() && Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                _ => break None,
            }
        };
        if status.is_none() {
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
        }
        if status.is_some_and(|status| status.success()) {
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
            "does the same command work by hand? is it the right board?",
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

    /// How long the answer to a request may take.
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
            return Err(Error::Agent("a request that is not a frame".into()));
        };
        let operation = payload.first().copied();
        let runs = *command == frame::RUN;
        // HELLO changes nothing and may be repeated.
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
            "the agent does not answer any more".into(),
            "unplug the board, plug it in again, and run the same command again: it continues",
        ))
    }

    fn wrong_image(&self, message: String) -> Error {
        self.error(
            format!("the board does not hold what was flashed: {message}"),
            "check the flash command in the board's file: it must use {image}, {folder}, {hex} or {bin}",
        )
    }
}
