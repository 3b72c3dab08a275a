//! Runners: what executes an image and carries bytes to and from its agent.
//!
//! A chip runner (`simavr`, `avr8js`) is a program of its own that speaks lines
//! over pipes (docs/runner-protocol.md). The `native` runner starts the image
//! itself, whose standard input and output are the agent's UART.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::board::Board;
use crate::elf::Weight;
use crate::error::{Error, Result, Stop};

/// How long a runner may stay silent before it counts as lost. Not a
/// measurement: chips are stopped by their cycle limit long before.
const SILENCE: Duration = Duration::from_secs(900);

/// What a chip runner measured between two marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Clock cycles between the marks.
    pub cycles: u64,
    /// Cycles of those in which the core slept.
    pub slept: u64,
    /// Bytes by which the stack grew below its depth at the first mark.
    pub stack: u64,
}

/// What came back for one request.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// Bytes that the agent sent, up to and without the frame's delimiter.
    pub reply: Vec<u8>,
    /// The spans that the runner saw; empty on runners that cannot see marks.
    pub spans: Vec<Span>,
}

/// A running image.
pub trait Session: Send {
    /// Sends bytes to the agent and waits for one frame.
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange>;
}

/// The runners that the lab knows.
pub const RUNNERS: [&str; 3] = ["simavr", "avr8js", "native"];

/// The runner that has a paced mode.
pub const PACED: &str = "simavr";

/// The level of a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    pub port: char,
    pub bit: u8,
    pub level: bool,
}

/// What is connected to a paced chip beside its UART.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Pins that the program drives and the host wants to know of, such as `D4`.
    pub watch: Vec<String>,
    /// A pin with text, and its rate, such as `D7:9600`.
    pub console: Option<String>,
    /// A DS3231 on the two-wire bus: its time in seconds since 1970; 0, it has been without
    /// power.
    pub clock: Option<u32>,
    /// The watchdog interrupts.
    pub watchdog: bool,
}

/// What a paced chip did in one [`Paced::advance`].
#[derive(Clone, Debug, Default)]
pub struct Advanced {
    /// Bytes that the chip transmitted.
    pub bytes: Vec<u8>,
    /// Text on the pin of [`Surroundings::console`].
    pub console: Vec<u8>,
    /// Changes of the pins of [`Surroundings::watch`], in their order.
    pub pins: Vec<Pin>,
    /// The spans that ended.
    pub spans: Vec<Span>,
    /// The chip's cycle counter.
    pub cycle: u64,
    /// The deepest stack since the last reset, in bytes from the end of the RAM.
    pub stack: u64,
    /// Cycles slept since the start with the chip's timers running.
    pub light: u64,
    /// Cycles slept since the start with its oscillator stopped.
    pub deep: u64,
    /// Nothing but a byte or a pin will wake the chip.
    pub idle: bool,
}

/// A chip that runs only when it is told to (docs/runner-protocol.md, a paced chip):
/// for firmware with clocks and memory of its own, which no agent serves.
#[derive(Debug)]
pub struct Paced(ChipSession);

impl Paced {
    /// Puts `image` on a simulated chip; `eeprom` is the file with its EEPROM.
    pub fn start(
        root: &Path,
        board: &Board,
        image: &Path,
        weight: &Weight,
        eeprom: &Path,
        around: &Surroundings,
    ) -> Result<Paced> {
        let program = simavr(root)?;
        let mut command = Command::new(program);
        command.args(["--paced", "--eeprom"]).arg(eeprom);
        describe_chip(&mut command, board, weight);
        for pin in &around.watch {
            command.args(["--watch", pin]);
        }
        if let Some(console) = &around.console {
            command.args(["--console", console]);
        }
        if let Some(seconds) = around.clock {
            command.args(["--ds3231", &seconds.to_string()]);
        }
        if around.watchdog {
            command.arg("--watchdog");
        }
        command.arg(image);
        ChipSession::spawn(PACED, command).map(Paced)
    }

    /// Runs the chip for so many cycles.
    pub fn advance(&mut self, cycles: u64) -> Result<Advanced> {
        self.0.say(&format!("advance {cycles}"))?;
        self.0.until_it_waits()
    }

    /// Queues bytes for the chip's UART.
    pub fn send(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.0.say(&format!("send {}", hex::encode(bytes)))
    }

    /// Drives a pin, such as ('D', 2), from outside.
    pub fn pin(&mut self, port: char, bit: u8, level: bool) -> Result<()> {
        self.0.say(&format!("pin {port} {bit} {}", u8::from(level)))
    }

    /// The temperature of the surroundings, in hundredths of a degree.
    pub fn temperature(&mut self, centidegrees: i16) -> Result<()> {
        self.0.say(&format!("temperature {centidegrees}"))
    }

    /// The chip's supply in millivolts.
    pub fn supply(&mut self, millivolts: u16) -> Result<()> {
        self.0.say(&format!("supply {millivolts}"))
    }

    /// Cuts the power and gives it back.
    pub fn reset(&mut self) -> Result<()> {
        self.0.say("reset")
    }

    /// Writes the EEPROM's file.
    pub fn save(&mut self) -> Result<()> {
        self.0.say("save")?;
        self.0.until_it_waits().map(drop)
    }
}

/// Starts `image` for `board` on the runner of that name.
pub fn start(
    root: &Path,
    runner: &str,
    board: &Board,
    image: &Path,
    weight: &Weight,
    cycle_limit: u64,
) -> Result<Box<dyn Session>> {
    let mut command = match runner {
        "simavr" => Command::new(simavr(root)?),
        "avr8js" => {
            let script = root.join("sims/avr8js/selo-avr8js.mjs");
            require(
                &root.join("sims/avr8js/node_modules/avr8js"),
                "make build",
                runner,
            )?;
            let mut command = Command::new("node");
            command.arg(script);
            command
        }
        "native" => return Ok(Box::new(NativeSession::start(image)?)),
        other => return Err(Error::unknown("runner", other, RUNNERS)),
    };
    describe_chip(&mut command, board, weight);
    command.args(["--limit", &cycle_limit.to_string()]);
    command.arg(image);
    let mut session = ChipSession::spawn(runner, command)?;
    // The agent boots, then sleeps until it is spoken to.
    session.until_it_waits()?;
    Ok(Box::new(session))
}

/// The program that runs an image on simavr.
fn simavr(root: &Path) -> Result<PathBuf> {
    let program = root.join("target/sims/selo-simavr");
    require(&program, "make build", "simavr")?;
    Ok(program)
}

fn describe_chip(command: &mut Command, board: &Board, weight: &Weight) {
    command.args(["--mcu", &board.mcu]);
    command.args(["--frequency", &board.clock_hz.unwrap_or(0).to_string()]);
    if let Some(end) = weight.static_end {
        command.args(["--static-end", &format!("{end:#x}")]);
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

/// A chip on a simulator.
#[derive(Debug)]
struct ChipSession {
    runner: String,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<std::io::Result<String>>,
    stderr: Receiver<String>,
}

impl ChipSession {
    fn spawn(runner: &str, mut command: Command) -> Result<ChipSession> {
        let program = PathBuf::from(command.get_program());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| spawn_error(runner, &program, source))?;
        let (Some(stdin), Some(stdout), Some(mut errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Error::Runner {
                runner: runner.into(),
                message: "no pipes".into(),
            });
        };
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let (send_errors, stderr) = channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = errors.read_to_string(&mut text);
            let _ = send_errors.send(text);
        });
        Ok(ChipSession {
            runner: runner.to_owned(),
            child,
            stdin,
            lines,
            stderr,
        })
    }

    /// Sends one line.
    fn say(&mut self, line: &str) -> Result<()> {
        let said = writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush());
        said.map_err(|_| self.lost("takes no input"))
    }

    /// Collects what the chip does until the runner reads again.
    fn until_it_waits(&mut self) -> Result<Advanced> {
        let mut done = Advanced::default();
        let mut fault = None;
        loop {
            let line = match self.lines.recv_timeout(SILENCE) {
                Ok(Ok(line)) => line,
                Ok(Err(error)) => return Err(self.lost(&format!("cannot be read: {error}"))),
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost("ended by itself")),
                Err(RecvTimeoutError::Timeout) => return Err(self.lost("stays silent")),
            };
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let number = |key: &str| field(rest, key).and_then(|v| v.parse().ok());
            match word {
                "ready" => {}
                "recv" => {
                    let bytes = hex::decode(rest).map_err(|_| self.garbled(&line))?;
                    done.bytes.extend(bytes);
                }
                "console" => {
                    let text = hex::decode(rest).map_err(|_| self.garbled(&line))?;
                    done.console.extend(text);
                }
                "pin" => done
                    .pins
                    .push(parse_pin(rest).ok_or_else(|| self.garbled(&line))?),
                "span" => {
                    let (Some(cycles), Some(slept), Some(stack)) =
                        (number("cycles"), number("slept"), number("stack"))
                    else {
                        return Err(self.garbled(&line));
                    };
                    done.spans.push(Span {
                        cycles,
                        slept,
                        stack,
                    });
                }
                "saved" => return Ok(done),
                "idle" | "paused" => {
                    done.idle = word == "idle";
                    done.cycle = number("cycle").ok_or_else(|| self.garbled(&line))?;
                    // Only a paced chip says how deep its stack was, and how it slept.
                    done.stack = number("stack").unwrap_or(0);
                    done.light = number("light").unwrap_or(0);
                    done.deep = number("deep").unwrap_or(0);
                    return Ok(done);
                }
                "fault" => fault = Some(rest.to_owned()),
                "stopped" => {
                    return Err(Error::Stopped(Stop {
                        reason: field(rest, "reason").unwrap_or("unknown").to_owned(),
                        fault,
                        pc: field(rest, "pc").map(str::to_owned),
                    }));
                }
                "error" => {
                    return Err(Error::Runner {
                        runner: self.runner.clone(),
                        message: rest.to_owned(),
                    });
                }
                _ => return Err(self.garbled(&line)),
            }
        }
    }

    fn garbled(&self, line: &str) -> Error {
        Error::Runner {
            runner: self.runner.clone(),
            message: format!("it said something that is not of its protocol: {line:?}"),
        }
    }

    /// The runner itself is gone or stuck: says so with its last words.
    fn lost(&mut self, what: &str) -> Error {
        let _ = self.child.kill();
        let status = self.child.wait().map(|s| s.to_string()).unwrap_or_default();
        let words = self
            .stderr
            .recv_timeout(Duration::from_secs(5))
            .unwrap_or_default();
        let last: Vec<&str> = words.trim().lines().rev().take(3).collect();
        Error::Runner {
            runner: self.runner.clone(),
            message: format!("the simulator {what} ({status}) {}", last.join(" | ")),
        }
    }
}

impl Session for ChipSession {
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange> {
        self.say(&format!("send {}", hex::encode(request)))?;
        let done = self.until_it_waits()?;
        let mut exchange = Exchange {
            reply: done.bytes,
            spans: done.spans,
        };
        cut_at_delimiter(&mut exchange.reply);
        Ok(exchange)
    }
}

impl Drop for ChipSession {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A program on this machine. Its answers are read where they are needed, since a
/// Monte Carlo chain makes millions of calls; a watchdog ends a program that hangs.
struct NativeSession {
    child: Arc<Mutex<Child>>,
    stdin: ChildStdin,
    stdout: ChildStdout,
    watch: Arc<Watch>,
}

/// What the watchdog looks at.
#[derive(Default)]
struct Watch {
    /// Calls made so far; odd while one is under way.
    calls: AtomicU64,
    expired: AtomicBool,
    over: AtomicBool,
}

/// How long a native operation may take; stands in for the cycle limit of a chip.
const NATIVE_LIMIT: Duration = Duration::from_secs(60);

impl NativeSession {
    fn start(image: &Path) -> Result<NativeSession> {
        let mut child = Command::new(image)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|source| spawn_error("native", image, source))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Runner {
                runner: "native".into(),
                message: "no pipes".into(),
            });
        };
        let child = Arc::new(Mutex::new(child));
        let watch = Arc::new(Watch::default());
        let watched = (Arc::clone(&child), Arc::clone(&watch));
        std::thread::spawn(move || watchdog(&watched.0, &watched.1));
        Ok(NativeSession {
            child,
            stdin,
            stdout,
            watch,
        })
    }

    fn read_answer(&mut self) -> Option<Vec<u8>> {
        let mut reply = Vec::new();
        let mut buffer = [0; 8192];
        while !reply.contains(&0) {
            match self.stdout.read(&mut buffer) {
                Ok(size @ 1..) => reply.extend(&buffer[..size]),
                _ => return None,
            }
        }
        Some(reply)
    }

    fn ended(&mut self) -> Error {
        let status = end(&self.child);
        let (reason, fault) = if self.watch.expired.load(Ordering::Relaxed) {
            (format!("no answer for {} s", NATIVE_LIMIT.as_secs()), None)
        } else {
            ("crash".to_owned(), status)
        };
        Error::Stopped(Stop {
            reason,
            fault,
            pc: None,
        })
    }
}

/// Ends a child if it still runs; its exit status in words.
fn end(child: &Mutex<Child>) -> Option<String> {
    let mut child = child.lock().ok()?;
    let _ = child.kill();
    child.wait().ok().map(|status| status.to_string())
}

fn watchdog(child: &Mutex<Child>, watch: &Watch) {
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
        if waited >= NATIVE_LIMIT {
            watch.expired.store(true, Ordering::Relaxed);
            end(child);
            return;
        }
    }
}

impl Session for NativeSession {
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange> {
        self.watch.calls.fetch_add(1, Ordering::Relaxed);
        let sent = self
            .stdin
            .write_all(request)
            .and_then(|()| self.stdin.flush());
        let reply = sent.ok().and_then(|()| self.read_answer());
        self.watch.calls.fetch_add(1, Ordering::Relaxed);
        let mut reply = reply.ok_or_else(|| self.ended())?;
        cut_at_delimiter(&mut reply);
        Ok(Exchange {
            reply,
            spans: Vec::new(),
        })
    }
}

impl Drop for NativeSession {
    fn drop(&mut self) {
        self.watch.over.store(true, Ordering::Relaxed);
        end(&self.child);
    }
}

/// Keeps the bytes before the first delimiter that ends a frame.
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

/// `PORT BIT LEVEL ...`
fn parse_pin(text: &str) -> Option<Pin> {
    let mut words = text.split(' ');
    Some(Pin {
        port: words.next()?.parse().ok()?,
        bit: words.next()?.parse().ok()?,
        level: words.next()? == "1",
    })
}

/// The value of `key=value` in a line of words.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ')
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
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
        };
    }
    Error::Runner {
        runner: runner.to_owned(),
        message: format!("cannot start {}: {source}", program.display()),
    }
}
