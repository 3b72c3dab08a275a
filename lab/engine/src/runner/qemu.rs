//! Runs an image on QEMU, where a plugin of ours (lab/sims/qemu) counts instructions. The agent's
//! UART is the emulator's standard input and output. The plugin reports over a socket
//! (docs/contributor/runner-protocol.md).

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::native::NativeSession;
use super::session::{Counts, Exchange, Session, require, silence};
use crate::board::{Board, Qemu};
use crate::elf::{self, Marks};
use crate::error::{Error, Result, Stop};

const RUNNER: &str = "qemu";

/// Time limit of the emulator's start.
const START: Duration = Duration::from_secs(60);

pub(super) struct QemuSession {
    program: NativeSession,
    report: UnixStream,
    /// Bytes of the report after its last whole line.
    rest: Vec<u8>,
    /// The file with the emulator's standard error.
    errors: PathBuf,
    /// The folder of the socket and of `errors`.
    _folder: tempfile::TempDir,
}

/// The plugin's report.
#[derive(Default)]
struct Report {
    counts: Vec<Counts>,
    stop: Option<Stop>,
}

/// The path of the counting plugin.
fn plugin(root: &Path) -> Result<PathBuf> {
    let plugin = super::sims::program(root, "selo-qemu.so");
    require(&plugin, "make build", RUNNER)?;
    Ok(plugin)
}

/// Checks that the plugin and the board's emulator are installed.
pub(super) fn available(root: &Path, board: &Board) -> Result<()> {
    plugin(root)?;
    let Some(qemu) = &board.qemu else {
        return Ok(()); // `start` reports the missing table
    };
    let mut version = Command::new(&qemu.program);
    version
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    version
        .status()
        .map(drop)
        .map_err(|_| Error::MissingProgram {
            program: qemu.program.clone(),
            needed_for: format!("emulating {}", board.title),
            packages: qemu.debian.clone(),
            install: String::new(),
        })
}

impl QemuSession {
    /// Starts `image`. The agent boots and waits for a request.
    pub(super) fn start(
        root: &Path,
        board: &Board,
        image: &Path,
        limit: u64,
    ) -> Result<QemuSession> {
        let qemu = qemu_of(board)?;
        let folder = tempfile::Builder::new()
            .prefix("selo-qemu-")
            .tempdir()
            .map_err(|error| broken(format!("no temporary folder: {error}")))?;
        let socket = folder.path().join("report");
        let listener = UnixListener::bind(&socket)
            .map_err(|error| broken(format!("cannot listen on {}: {error}", socket.display())))?;
        let errors = folder.path().join("errors");
        let file = File::create(&errors).map_err(|source| Error::Write {
            path: errors.clone(),
            source,
        })?;
        let mut command = counting(root, board, image, limit, &socket)?;
        command.stderr(Stdio::from(file));
        let mut program = NativeSession::spawn(RUNNER, command, silence(limit))
            .map_err(|error| named(error, board, qemu))?;
        let report = accept(&listener, &mut program, &errors)?;
        Ok(QemuSession {
            program,
            report,
            rest: Vec::new(),
            errors,
            _folder: folder,
        })
    }

    /// Reads the plugin's report so far. The plugin reports a span before the agent replies.
    fn read_report(&mut self) -> Result<Report> {
        let mut buffer = [0; 4096];
        loop {
            match self.report.read(&mut buffer) {
                Ok(0) => break,
                Ok(size) => self.rest.extend(&buffer[..size]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The emulator crashed and closed the socket.
                Err(_) => break,
            }
        }
        let whole = self.rest.iter().rposition(|&byte| byte == b'\n');
        let lines: Vec<u8> = self.rest.drain(..whole.map_or(0, |end| end + 1)).collect();
        parse(&String::from_utf8_lossy(&lines))
    }

    /// The reason why the emulator is gone: the plugin's reason, a fault that the program reported,
    /// or the emulator's error output.
    fn stopped(&mut self) -> Error {
        let ended = self.program.ended();
        let said = self.read_report().ok().and_then(|report| report.stop);
        let words = std::fs::read_to_string(&self.errors).unwrap_or_default();
        Error::Stopped(said.or_else(|| last_words(&words)).unwrap_or_else(|| {
            let telling = words.lines().find(|line| !line.trim().is_empty());
            let fault = [ended.fault.as_deref(), telling];
            Stop {
                fault: Some(fault.into_iter().flatten().collect::<Vec<_>>().join(": ")),
                ..ended
            }
        }))
    }
}

impl Session for QemuSession {
    fn exchange(&mut self, request: &[u8]) -> Result<Exchange> {
        let Some(reply) = self.program.answer(request) else {
            return Err(self.stopped());
        };
        Ok(Exchange {
            reply,
            spans: Vec::new(),
            counts: self.read_report()?.counts,
        })
    }
}

fn qemu_of(board: &Board) -> Result<&Qemu> {
    let none = || {
        broken(format!(
            "lab/boards/{}.toml has no [qemu] table",
            board.name
        ))
    };
    board.qemu.as_ref().ok_or_else(none)
}

/// The command that starts `image` on the board's emulator. The plugin connects to `socket` and
/// reports there.
pub fn counting(
    root: &Path,
    board: &Board,
    image: &Path,
    limit: u64,
    socket: &Path,
) -> Result<Command> {
    let qemu = qemu_of(board)?;
    let mut command = Command::new(&qemu.program);
    command.arg("-plugin");
    command.arg(plugin_argument(
        &plugin(root)?,
        socket,
        limit,
        &elf::marks(image)?,
        &elf::hash_functions(image)?,
    ));
    let image = image.display().to_string();
    command.args(qemu.arguments.iter().map(|a| a.replace("{image}", &image)));
    Ok(command)
}

/// The counts of each span in the plugin's whole output; an error if the plugin ended the program.
pub fn counted(said: &str) -> Result<Vec<Counts>> {
    let report = parse(said)?;
    match report.stop {
        Some(stop) => Err(Error::Stopped(stop)),
        None => Ok(report.counts),
    }
}

fn broken(message: String) -> Error {
    Error::Runner {
        runner: RUNNER.to_owned(),
        message,
    }
}

/// Adds the board's Debian packages to the error of a missing emulator.
fn named(error: Error, board: &Board, qemu: &Qemu) -> Error {
    match error {
        Error::MissingProgram { program, .. } => Error::MissingProgram {
            program,
            needed_for: format!("running {}", board.title),
            packages: qemu.debian.clone(),
            install: String::new(),
        },
        other => other,
    }
}

/// The most parts that the plugin takes (lab/sims/qemu/plugin.c).
const PARTS: usize = 256;

fn plugin_argument(
    plugin: &Path,
    socket: &Path,
    limit: u64,
    marks: &Marks,
    parts: &[(u64, u64)],
) -> String {
    let mut argument = format!(
        "{},report={},limit={limit}",
        plugin.display(),
        socket.display()
    );
    for (key, addresses) in [
        ("mark1", &marks.begin),
        ("mark2", &marks.end),
        ("mark3", &marks.wait),
    ] {
        for address in addresses {
            argument.push_str(&format!(",{key}={address:#x}"));
        }
    }
    // The rest would not be counted, so that nothing is told.
    for (first, end) in parts.iter().filter(|_| parts.len() <= PARTS) {
        argument.push_str(&format!(",part={first:#x}-{end:#x}"));
    }
    argument
}

/// Waits until the plugin connects. Fails if the emulator ends or takes longer than [`START`].
fn accept(
    listener: &UnixListener,
    program: &mut NativeSession,
    errors: &Path,
) -> Result<UnixStream> {
    let begun = Instant::now();
    let no_socket =
        |error: std::io::Error| broken(format!("cannot use the socket of the plugin: {error}"));
    listener.set_nonblocking(true).map_err(no_socket)?;
    loop {
        // Check this before accepting: an emulator that has ended cannot connect later.
        let over = program.is_over();
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(true).map_err(no_socket)?;
                return Ok(stream);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(no_socket(error)),
        }
        if over || begun.elapsed() > START {
            let words = std::fs::read_to_string(errors).unwrap_or_default();
            let words: Vec<&str> = words.lines().collect();
            return Err(broken(format!(
                "the emulator did not start: {}",
                words.join(" | ")
            )));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn parse(lines: &str) -> Result<Report> {
    let mut report = Report::default();
    let mut fault = None;
    let mut hashing = None;
    for line in lines.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "ready" => {}
            "part" | "span" => {
                let counts = parse_counts(rest).ok_or_else(|| {
                    broken(format!(
                        "the plugin sent a line that cannot be parsed: {line:?}"
                    ))
                })?;
                match word {
                    "part" => hashing = Some(Box::new(counts)),
                    _ => report.counts.push(Counts {
                        hashing: hashing.take(),
                        ..counts
                    }),
                }
            }
            "fault" => fault = Some(rest.to_owned()),
            "stopped" => {
                report.stop = Some(Stop {
                    reason: value(rest, "reason").unwrap_or("unknown").to_owned(),
                    fault: fault.take(),
                    pc: value(rest, "pc").map(str::to_owned),
                });
            }
            _ => return Err(broken(format!("the plugin sent an unknown line: {line:?}"))),
        }
    }
    Ok(report)
}

/// `instructions=N class=N ...`
fn parse_counts(text: &str) -> Option<Counts> {
    let mut counts = Counts::default();
    for word in text.split(' ') {
        let (key, number) = word.split_once('=')?;
        let number = number.parse().ok()?;
        if key == "instructions" {
            counts.instructions = number;
        } else {
            counts.classes.insert(key.to_owned(), number);
        }
    }
    Some(counts)
}

/// The fault that the program itself reported (`core_fault` of lab/firmware/ports/bare).
fn last_words(text: &str) -> Option<Stop> {
    let fault = text.lines().rev().find_map(|l| l.strip_prefix("fault "))?;
    Some(Stop {
        reason: "fault".to_owned(),
        pc: value(fault, "pc").map(str::to_owned),
        fault: Some(fault.to_owned()),
    })
}

/// The value of `key=value` in a line of words.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split(' ')
        .find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read() {
        let said = "ready selo-qemu 0.1.0 target=arm\n\
                    part instructions=5 alu=5\n\
                    span instructions=12 alu=9 branch-taken=3\n\
                    fault kind=mark-order pc=0x10\n\
                    stopped reason=fault pc=0x10 instructions=15\n";
        let report = parse(said).expect("of the protocol");
        assert_eq!(report.counts.len(), 1);
        assert_eq!(report.counts[0].instructions, 12);
        let hashing = report.counts[0].hashing.as_ref().expect("a part");
        assert_eq!(hashing.classes["alu"], 5);
        assert_eq!(report.counts[0].classes["branch-taken"], 3);
        let stop = report.stop.expect("it stopped");
        assert_eq!(stop.to_string(), "fault (kind=mark-order pc=0x10)");
        assert!(parse("span instructions=many").is_err());
        assert!(parse("hello").is_err());
    }

    #[test]
    fn last_words_of_a_program_are_a_fault() {
        let stop = last_words("qemu: something\nfault kind=hard-fault pc=0x80 address=0x0\n");
        let stop = stop.expect("a fault");
        assert_eq!(
            (stop.reason.as_str(), stop.pc.as_deref()),
            ("fault", Some("0x80"))
        );
        assert!(last_words("qemu: something").is_none());
    }
}
