//! Clients of C (`lab/firmware/client`), on this machine or on a board's emulator: TLS libraries of
//! embedded systems, and a node of the link. The connection is their standard input and output,
//! so nothing stands between them and the other end; an emulator's plugin counts their
//! instructions.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use selo_engine::board::{Board, NATIVE};
use selo_engine::build::{Builder, Image, Program};
use selo_engine::model::CycleModel;
use selo_engine::project::Project;
use selo_engine::read_toml;
use selo_engine::runner::qemu;
use selo_engine::source::{Source, Sources, Step};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::key::write_secret;
use crate::net;
use crate::row::{Counted, TlsTimes};
use crate::tls::client::Done;

/// Where the descriptions are, below the project's root.
const FOLDER: &str = "lab/firmware/client";
/// The other experiment's two ends.
const PEER: &str = "lab/firmware/exchange/peer.toml";
/// A client that says nothing for so long computes no more. Not a measurement.
const SILENCE: Duration = Duration::from_secs(600);
/// A handshake takes a hundredth of it.
const INSTRUCTIONS: u64 = 50_000_000_000;
/// What the line with a session begins with (client.h).
const SESSION: &str = "session ";

/// `lab/firmware/client/NAME.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: String,
    title: String,
    version: String,
    /// Read by people.
    #[allow(dead_code)]
    licence: String,
    #[allow(dead_code)]
    note: String,
    /// The key exchanges of a client of TLS.
    #[serde(default)]
    groups: Vec<String>,
    /// Absent where all of it is this project's.
    #[serde(default)]
    source: Option<Source>,
    program: Program,
}

/// What a client of TLS resumes with: with it, whoever has heard a connection could read the
/// next one. It is in memory, and while a client runs in a file that nobody else reads.
#[derive(Clone)]
pub struct Session(pub Zeroizing<Vec<u8>>);

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({} bytes)", self.0.len())
    }
}

/// An exchange that went well, and what the client says of resuming.
#[derive(Clone, Debug)]
pub struct Told {
    pub done: Done,
    /// Its handshake was a resumed one.
    pub resumed: bool,
    /// What the next connection can resume with, if the server gave a ticket.
    pub session: Option<Session>,
}

/// A client, built for a board.
#[derive(Debug)]
pub struct Embedded {
    root: PathBuf,
    board: Board,
    /// Of the board's core, where its error is known.
    model: Option<CycleModel>,
    /// What a reader of its cycles must know.
    pub caution: Option<String>,
    image: Image,
    /// Library and version, as rows have them.
    pub implementation: String,
    /// The machine, as rows have it.
    pub machine: String,
}

impl Embedded {
    /// Builds the client `name` for `board`, or for this machine; fetches a library's sources if
    /// they are not there. `defines`, such as `-DNAME=VALUE`, are added to its flags.
    pub fn build(
        project: &Project,
        name: &str,
        board: Option<&str>,
        defines: &[String],
        say: fn(&str),
    ) -> Result<Embedded> {
        let list = project.root.join(FOLDER).join(format!("{name}.toml"));
        Embedded::build_list(project, &list, board, defines, say)
    }

    /// The key exchanges that the client `name` can offer.
    pub fn groups(project: &Project, name: &str) -> Result<Vec<String>> {
        let list = project.root.join(FOLDER).join(format!("{name}.toml"));
        Ok(read_toml::<Description>(&list)?.groups)
    }

    /// Builds both ends of the experiment with a symmetric cipher for a board.
    pub fn build_peer(project: &Project, board: &str, say: fn(&str)) -> Result<Embedded> {
        Embedded::build_list(project, &project.root.join(PEER), Some(board), &[], say)
    }

    fn build_list(
        project: &Project,
        list: &Path,
        board: Option<&str>,
        defines: &[String],
        say: fn(&str),
    ) -> Result<Embedded> {
        let mut description: Description = read_toml(list)?;
        description.program.flags.extend(defines.iter().cloned());
        let board = project.board(board.unwrap_or(NATIVE))?;
        let runs = |board: &&Board| board.qemu.is_some() || board.name == NATIVE;
        if !runs(&board) {
            let known = project.boards.iter().filter(runs);
            let known = known.map(|board| board.name.as_str());
            return Err(selo_engine::Error::unknown("emulated board", &board.name, known).into());
        }
        let mut places = BTreeMap::new();
        if let Some(source) = &description.source {
            Sources::new(&project.root, false).fetch_one(source, &mut |step| {
                if let Step::Fetching(source) = step {
                    say(&format!("fetching {} {}", source.package, source.version));
                }
            })?;
            places.insert("source".to_owned(), source.folder(&project.root));
        }
        let what = format!("{} for {}", description.title, board.title);
        let image =
            Builder::new(project, board)?.standalone(&description.program, &places, list, &what)?;
        let emulated = board.qemu.is_some();
        let model = project.model(board);
        let caution = model.and_then(|model| {
            model
                .caution(&project.libraries)
                .map(|caution| caution.to_string())
        });
        Ok(Embedded {
            model: model.filter(|_| caution.is_some()).cloned(),
            caution,
            root: std::path::absolute(&project.root).unwrap_or_else(|_| project.root.clone()),
            board: board.clone(),
            image,
            implementation: format!("{} {}", description.name, description.version),
            machine: if emulated {
                format!("{}{}", board.title, net::EMULATED)
            } else {
                net::machine(false)
            },
        })
    }

    /// The board's name.
    pub fn device(&self) -> &str {
        &self.board.name
    }

    /// How to start it, and where an emulator's plugin reports; `folder` is for its socket.
    pub fn command(&self, folder: &Path) -> Result<(Command, UnixListener)> {
        let socket = folder.join("report");
        let report = UnixListener::bind(&socket).map_err(machine("listen to the emulator"))?;
        // Whoever asks what was counted does not wait for it.
        report
            .set_nonblocking(true)
            .map_err(machine("listen to the emulator"))?;
        let image = std::path::absolute(&self.image.path).map_err(machine("find the client"))?;
        let command = match self.board.qemu {
            Some(_) => qemu::counting(&self.root, &self.board, &image, INSTRUCTIONS, &socket)?,
            None => Command::new(image),
        };
        Ok((command, report))
    }

    /// Whether its instructions are counted.
    pub fn is_emulated(&self) -> bool {
        self.board.qemu.is_some()
    }

    /// One exchange: the client reads `job`, and what `connect` gives is its connection.
    /// `timeout` is the connection's.
    pub fn exchange(
        &self,
        job: &[u8],
        connect: impl FnOnce() -> Result<(OwnedFd, OwnedFd)>,
        timeout: Duration,
    ) -> Result<Told> {
        let folder = tempfile::Builder::new()
            .prefix("selo-tls-")
            .tempdir()
            .map_err(machine("make a temporary folder"))?;
        write_secret(&folder.path().join("job"), job).map_err(machine("write a temporary file"))?;
        let (mut command, report) = self.command(folder.path())?;
        command.current_dir(folder.path());

        let start = Instant::now();
        let ends = connect()?;
        let connect = nanoseconds(start.elapsed());
        let heard = hear(command, ends, timeout)?;
        let mut said = String::new();
        // What the plugin wrote waits in the socket, whether it still runs or not.
        if let Ok((mut plugin, _)) = report.accept() {
            let _ = plugin.read_to_string(&mut said);
        }
        let stopped = |error: selo_engine::Error| Error::Embedded {
            why: error.to_string(),
        };
        let counted = qemu::counted(&said).map_err(stopped);
        let mut told = match heard.told(self.is_emulated()) {
            // The emulator knows better why a client fell silent.
            Err(error @ Error::Embedded { .. }) => return Err(counted.err().unwrap_or(error)),
            told => told?,
        };
        let done = &mut told.done;
        done.times.connect = connect;
        if self.is_emulated() {
            let spans = counted?;
            let [handshake, exchange] = &spans[..] else {
                return Err(Error::Embedded {
                    why: format!("{} spans were counted, not 2", spans.len()),
                });
            };
            let counted = Counted {
                handshake: handshake.instructions,
                exchange: exchange.instructions,
            };
            done.times.instructions = Some(counted);
            let cycles = |span| {
                let cycles = self.model.as_ref()?.cycles_of(span)?;
                Some(cycles.round() as u64)
            };
            done.times.cycles =
                cycles(handshake)
                    .zip(cycles(exchange))
                    .map(|(handshake, exchange)| Counted {
                        handshake,
                        exchange,
                    });
            // That of the emulator.
            done.times.handshake_cpu = 0;
            done.times.exchange_cpu = 0;
        }
        // A program of Linux has memory of the system that nobody counts.
        if let Some(memory) = &self.board.memory {
            done.times.flash = Some(self.image.weight.flash);
            done.times.variables = Some(self.image.weight.ram);
            done.times.memory = Some(memory.ram);
        }
        Ok(told)
    }
}

/// The two ends of a connection that is one thing both ways.
pub fn ends<T: Into<OwnedFd>>(
    stream: T,
    clone: impl FnOnce(&T) -> std::io::Result<T>,
) -> Result<(OwnedFd, OwnedFd)> {
    let input = clone(&stream).map_err(machine("share a connection"))?;
    Ok((input.into(), stream.into()))
}

pub(crate) fn machine(doing: &'static str) -> impl Fn(std::io::Error) -> Error {
    move |source| Error::Machine { doing, source }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What a client said, and when it was heard.
#[derive(Default)]
struct Heard {
    lines: Vec<(Instant, Zeroizing<String>)>,
    /// The client's last words, should it have fallen silent in the middle.
    ended: String,
    timeout: Duration,
}

/// Runs a client with the connection as its input and output.
fn hear(mut command: Command, ends: (OwnedFd, OwnedFd), timeout: Duration) -> Result<Heard> {
    command
        .stdin(Stdio::from(ends.0))
        .stdout(Stdio::from(ends.1))
        .stderr(Stdio::piped());
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| Error::Embedded {
        why: format!("{program} does not start: {error}"),
    })?;
    // The command holds the connection too: it must end with the client.
    drop(command);
    let (to, lines) = channel();
    if let Some(errors) = child.stderr.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(errors).lines().map_while(|line| line.ok()) {
                if to.send((Instant::now(), Zeroizing::new(line))).is_err() {
                    break;
                }
            }
        });
    }
    let mut heard = Heard {
        timeout,
        ..Heard::default()
    };
    loop {
        match lines.recv_timeout(SILENCE) {
            Ok(line) => heard.lines.push(line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                break;
            }
        }
    }
    let status = child.wait().map_err(machine("wait for the client"))?;
    heard.ended = status.to_string();
    Ok(heard)
}

/// The value of `key=value` in a line of words.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ')
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

impl Heard {
    /// The line that begins with `word`, and when it came.
    fn line(&self, word: &str) -> Option<(Instant, &str)> {
        let found = self
            .lines
            .iter()
            .find(|(_, line)| line.split(' ').next() == Some(word));
        found.map(|(when, line)| (*when, line.as_str()))
    }

    /// `emulated` clients have no clock: when their lines came counts.
    fn told(&self, emulated: bool) -> Result<Told> {
        if let Some((when, line)) = self.line("failed") {
            return Err(self.failed(when, line));
        }
        let parts = ["begin", "handshake", "exchange", "memory"].map(|word| self.line(word));
        let [Some(begin), Some(handshake), Some(exchange), Some(memory)] = parts else {
            // Errors are kept and shown; a session is nobody's to see.
            let mut lines = self.lines.iter().rev().map(|(_, line)| line.as_str());
            let last = lines
                .find(|line| !line.starts_with(SESSION))
                .unwrap_or("it said nothing");
            return Err(Error::Embedded {
                why: format!("it ended with {}: {last}", self.ended),
            });
        };
        let number = |line: &str, key: &str| -> Result<u64> {
            let number = value(line, key).and_then(|value| value.parse().ok());
            number.ok_or_else(|| Error::Embedded {
                why: format!("it cannot be understood: {line}"),
            })
        };
        let wall = |line: &str, from: Instant, to: Instant| match emulated {
            true => Ok(nanoseconds(to - from)),
            false => number(line, "wall"),
        };
        let times = TlsTimes {
            handshake: wall(handshake.1, begin.0, handshake.0)?,
            exchange: wall(exchange.1, handshake.0, exchange.0)?,
            handshake_cpu: number(handshake.1, "processor")?,
            exchange_cpu: number(exchange.1, "processor")?,
            handshake_sent: number(handshake.1, "sent")?,
            handshake_received: number(handshake.1, "received")?,
            handshake_trips: number(handshake.1, "trips")?,
            exchange_trips: number(exchange.1, "trips")?,
            heap: Some(number(memory.1, "heap")?),
            stack: Some(number(memory.1, "stack")?),
            ..TlsTimes::default()
        };
        Ok(Told {
            done: Done {
                sent: times.handshake_sent + number(exchange.1, "sent")?,
                received: times.handshake_received + number(exchange.1, "received")?,
                times,
            },
            resumed: self.line("resumed").is_some(),
            session: self.session()?,
        })
    }

    /// What the client can resume with.
    fn session(&self) -> Result<Option<Session>> {
        let Some((_, line)) = self.line(SESSION.trim_end()) else {
            return Ok(None);
        };
        let bytes = line.strip_prefix(SESSION).map(hex::decode);
        match bytes {
            Some(Ok(bytes)) => Ok(Some(Session(Zeroizing::new(bytes)))),
            _ => Err(Error::Embedded {
                why: "its session cannot be understood".into(),
            }),
        }
    }

    fn failed(&self, when: Instant, line: &str) -> Error {
        let reason = line.split_once("reason=").map_or("", |(_, reason)| reason);
        let number = value(line, "number").unwrap_or_default();
        let why = format!("{reason} ({number})");
        // Silence and an end look alike to the client.
        let before = self.lines.iter().rev().find(|(at, _)| *at < when);
        let waited = before.map_or(Duration::ZERO, |(at, _)| when - *at);
        match value(line, "fault").unwrap_or_default() {
            "cut" if waited >= self.timeout => Error::Timeout {
                doing: "shaking hands or sending a reading",
                seconds: self.timeout.as_secs(),
            },
            "cut" => Error::Cut {
                doing: "shaking hands or sending a reading",
            },
            "wrong-certificate" => Error::WrongCertificate { why },
            "expired-certificate" => Error::ExpiredCertificate,
            "not-offered" => Error::NotOffered { what: why },
            "not-resumed" => Error::NotResumed { why },
            "altered" => Error::Altered {
                who: "the client",
                what: "tag",
            },
            "refused" => Error::Refused(why),
            "protocol" => Error::Protocol(why),
            _ => Error::Embedded { why },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Fault;

    fn heard(lines: &[(u64, &str)]) -> Heard {
        let start = Instant::now();
        let lines = lines.iter();
        Heard {
            lines: lines
                .map(|(seconds, line)| {
                    (
                        start + Duration::from_secs(*seconds),
                        Zeroizing::new((*line).to_owned()),
                    )
                })
                .collect(),
            ended: "exit status: 1".into(),
            timeout: Duration::from_secs(30),
        }
    }

    #[test]
    fn an_emulated_client_is_timed_by_when_it_speaks() {
        let said = [
            (0, "begin"),
            (
                2,
                "handshake wall=0 processor=0 sent=215 received=676 trips=1",
            ),
            (
                3,
                "exchange wall=0 processor=0 sent=218 received=49 trips=1",
            ),
            (3, "memory heap=14336 stack=2612"),
        ];
        let told = heard(&said).told(true).expect("it is whole");
        assert!(!told.resumed && told.session.is_none());
        let done = told.done;
        assert_eq!(done.times.handshake, 2_000_000_000);
        assert_eq!((done.sent, done.received), (433, 725));
        assert_eq!(
            (done.times.heap, done.times.stack),
            (Some(14336), Some(2612))
        );
        let by_its_clock = heard(&said).told(false).expect("it is whole").done;
        assert_eq!(by_its_clock.times.handshake, 0);
    }

    #[test]
    fn a_failure_has_its_reason() {
        let fault = |lines: &[(u64, &str)]| heard(lines).told(true).expect_err("it failed").fault();
        let failed = |word: &str| format!("failed fault={word} number=-1 reason=some words");
        for (word, expected) in [
            ("wrong-certificate", Fault::WrongCertificate),
            ("expired-certificate", Fault::ExpiredCertificate),
            ("not-offered", Fault::NotOffered),
            ("not-resumed", Fault::NotOffered),
            ("altered", Fault::Altered),
            ("machine", Fault::Machine),
        ] {
            assert_eq!(fault(&[(0, "begin"), (1, &failed(word))]), expected);
        }
        // Silence and an end look alike to a client; how long it waited tells.
        assert_eq!(fault(&[(0, "begin"), (1, &failed("cut"))]), Fault::Cut);
        assert_eq!(fault(&[(0, "begin"), (31, &failed("cut"))]), Fault::Timeout);
        let crashed = heard(&[(0, "begin"), (1, "fault kind=invalid-access pc=0x10")]);
        let error = crashed.told(true).expect_err("it crashed");
        assert!(error.to_string().contains("invalid-access"), "{error}");
        assert_eq!(error.exit_code(), 1);
    }
}
