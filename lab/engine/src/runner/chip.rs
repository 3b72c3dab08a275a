//! A simulated chip: a separate program that speaks lines over pipes
//! (docs/contributor/runner-protocol.md).

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::session::{
    Counts, Exchange, PACED, Session, Span, cut_at_delimiter, require, silence, spawn_error,
};
use crate::board::Board;
use crate::elf::Weight;
use crate::error::{Error, Result, Stop};

/// A change of a pin's level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    pub port: char,
    pub bit: u8,
    pub level: bool,
    /// The chip's cycle counter at the change.
    pub cycle: u64,
}

/// The devices around a paced chip, in addition to its UART.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Output pins of the program to report, such as `D4`.
    pub watch: Vec<String>,
    /// A pin with text output, and its baud rate, such as `D7:9600`.
    pub console: Option<String>,
    /// A DS3231 on the two-wire bus, with its time in seconds since 1970; 0 means that it lost
    /// power.
    pub clock: Option<u32>,
    /// Simulates the watchdog's interrupts.
    pub watchdog: bool,
}

/// Events of one [`Paced::advance`].
#[derive(Clone, Debug, Default)]
pub struct Advanced {
    /// Bytes that the chip transmitted.
    pub bytes: Vec<u8>,
    /// Text on the pin of [`Surroundings::console`].
    pub console: Vec<u8>,
    /// Changes of the pins in [`Surroundings::watch`], in order of time.
    pub pins: Vec<Pin>,
    /// The spans that ended during the advance.
    pub spans: Vec<Span>,
    /// The instructions of these spans, on a runner that counts them too.
    pub counts: Vec<Counts>,
    /// The chip's cycle counter.
    pub cycle: u64,
    /// The deepest stack since the last reset, in bytes below the end of the RAM.
    pub stack: u64,
    /// Cycles slept since the start with the chip's timers running.
    pub light: u64,
    /// Cycles slept since the start with its oscillator stopped.
    pub deep: u64,
    /// Only a byte or a pin can wake the chip.
    pub idle: bool,
}

/// A chip that runs only on request (docs/contributor/runner-protocol.md, a paced chip): for
/// firmware with clocks and memory of its own and without an agent.
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

    /// Runs the chip for this number of cycles.
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

    /// Sets the ambient temperature, in hundredths of a degree.
    pub fn temperature(&mut self, centidegrees: i16) -> Result<()> {
        self.0.say(&format!("temperature {centidegrees}"))
    }

    /// Sets the chip's supply, in millivolts.
    pub fn supply(&mut self, millivolts: u16) -> Result<()> {
        self.0.say(&format!("supply {millivolts}"))
    }

    /// Cuts the power and restores it.
    pub fn reset(&mut self) -> Result<()> {
        self.0.say("reset")
    }

    /// Writes the EEPROM's file.
    pub fn save(&mut self) -> Result<()> {
        self.0.say("save")?;
        self.0.until_it_waits().map(drop)
    }
}

/// The program that runs an image on simavr.
pub(super) fn simavr(root: &Path) -> Result<PathBuf> {
    let program = super::sims::program(root, "selo-simavr");
    require(&program, "make build", "simavr")?;
    Ok(program)
}

fn describe_chip(command: &mut Command, board: &Board, weight: &Weight) {
    command.args(["--mcu", &board.mcu]);
    command.args(["--frequency", &board.clock_hz.unwrap_or(0).to_string()]);
    if let Some(end) = weight.static_end {
        command.args(["--static-end", &format!("{end:#x}")]);
    }
    if let Some(top) = weight.heap_top {
        command.args(["--heap-top", &format!("{top:#x}")]);
    }
}

/// A chip on a simulator.
#[derive(Debug)]
pub(super) struct ChipSession {
    runner: String,
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<std::io::Result<String>>,
    stderr: Receiver<String>,
    /// Longest silence of the runner before it counts as lost.
    pub(super) patience: Duration,
}

impl ChipSession {
    /// Starts `image`. Returns when the agent has booted and sleeps until a request.
    pub(super) fn start(
        runner: &str,
        mut command: Command,
        board: &Board,
        image: &Path,
        weight: &Weight,
        cycle_limit: u64,
    ) -> Result<ChipSession> {
        describe_chip(&mut command, board, weight);
        command.args(["--limit", &cycle_limit.to_string()]);
        command.arg(image);
        let mut session = ChipSession::spawn(runner, command)?;
        session.patience = silence(cycle_limit);
        session.until_it_waits()?;
        Ok(session)
    }

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
                message: "cannot connect to the simulator's standard input and output".into(),
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
            patience: silence(0),
        })
    }

    /// Sends one line.
    fn say(&mut self, line: &str) -> Result<()> {
        let said = writeln!(self.stdin, "{line}").and_then(|()| self.stdin.flush());
        said.map_err(|_| self.lost("accepts no input"))
    }

    /// Collects events until the runner waits for input.
    fn until_it_waits(&mut self) -> Result<Advanced> {
        let mut done = Advanced::default();
        let mut fault = None;
        loop {
            let line = match self.lines.recv_timeout(self.patience) {
                Ok(Ok(line)) => line,
                Ok(Err(error)) => return Err(self.lost(&format!("cannot be read: {error}"))),
                Err(RecvTimeoutError::Disconnected) => return Err(self.lost("ended by itself")),
                Err(RecvTimeoutError::Timeout) => return Err(self.lost("did not answer in time")),
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
                    let (span, counts) = parse_span(rest).ok_or_else(|| self.garbled(&line))?;
                    done.spans.push(span);
                    done.counts.extend(counts);
                }
                "saved" => return Ok(done),
                "idle" | "paused" => {
                    done.idle = word == "idle";
                    done.cycle = number("cycle").ok_or_else(|| self.garbled(&line))?;
                    // Only a paced chip reports its stack depth and its sleep.
                    done.stack = number("stack").unwrap_or(0);
                    done.light = number("light").unwrap_or(0);
                    done.deep = number("deep").unwrap_or(0);
                    return Ok(done);
                }
                "fault" => fault = Some(rest.to_owned()),
                "stopped" => {
                    return Err(Error::Stopped(parse_stop(rest, fault)));
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
            message: format!("the simulator sent an unknown line: {line:?}"),
        }
    }

    /// The runner is gone or stuck. Makes an error with the last lines of its standard error.
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
            counts: done.counts,
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

/// The span of a line, and its instructions if the runner counts them.
fn parse_span(rest: &str) -> Option<(Span, Option<Counts>)> {
    let number = |key: &str| field(rest, key).and_then(|v| v.parse().ok());
    let span = Span {
        cycles: number("cycles")?,
        slept: number("slept")?,
        stack: number("stack")?,
    };
    let counts = number("instructions").map(|count| Counts {
        instructions: count,
        ..Counts::default()
    });
    Some((span, counts))
}

/// Why the chip stopped, with the fault that the runner told before.
fn parse_stop(rest: &str, fault: Option<String>) -> Stop {
    Stop {
        reason: field(rest, "reason").unwrap_or("unknown").to_owned(),
        fault,
        pc: field(rest, "pc").map(str::to_owned),
    }
}

/// Parses `PORT BIT LEVEL cycle=N`.
fn parse_pin(text: &str) -> Option<Pin> {
    let mut words = text.split(' ');
    Some(Pin {
        port: words.next()?.parse().ok()?,
        bit: words.next()?.parse().ok()?,
        level: words.next()? == "1",
        cycle: field(text, "cycle")?.parse().ok()?,
    })
}

/// The value of `key=value` in a line of words.
fn field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ')
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}
