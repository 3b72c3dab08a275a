//! Runs both ends of the first experiment in C (`studies/firmware/exchange`) on a board's emulator. It
//! collects the client's rows, each with the instructions of encryption and decryption, and the
//! server's instructions for each exchange.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{ChildStdin, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use selo_engine::runner::qemu;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::embedded::Embedded;
use crate::error::{Error, Result, machine};
use crate::row::{Row, SERVED, Sealing, Served};
use crate::serving::LOOK;

/// Runs `peer run ARGUMENTS` and passes each row to `push`. Returns the exit code.
pub fn run(
    peer: &Embedded,
    arguments: &[String],
    mut push: impl FnMut(Row) -> Result<()>,
) -> Result<u8> {
    let folder = tempfile::Builder::new()
        .prefix("selo-peer-")
        .tempdir()
        .map_err(machine("make a temporary folder"))?;
    let (mut command, listener) = peer.command(folder.path())?;
    command.arg("run").args(arguments).stdout(Stdio::piped());
    if peer.is_emulated() {
        command.args(COUNTED).stdin(Stdio::piped());
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| Error::Embedded {
        why: format!("{program} cannot be started: {error}"),
    })?;
    let mut report = Report::new(listener, child.stdin.take());
    let lines = child.stdout.take().into_iter().map(BufReader::new);
    for line in lines.flat_map(BufRead::lines) {
        let line = line.map_err(machine("read the client's output"))?;
        let mut row: Row = serde_json::from_str(&line).map_err(|error| Error::Embedded {
            why: format!("{error}: {line}"),
        })?;
        row.unit.device = Some(peer.device().to_owned());
        row.client.clone_from(&peer.machine);
        // The plugin wrote its counts before the client wrote the row.
        let counted = report.take()?;
        if let (Some(stamps), true) = (&mut row.stamps, peer.is_emulated()) {
            let [encrypt, decrypt] = counted[..] else {
                return Err(Error::Embedded {
                    why: format!("the plugin counted {} spans, not 2", counted.len()),
                });
            };
            stamps.instructions = Some(Sealing { encrypt, decrypt });
        }
        push(row)?;
    }
    let status = child.wait().map_err(machine("wait for the client"))?;
    // If the emulator ended the program, this fails with the reason.
    report.take()?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1))
}

/// Runs `peer serve ARGUMENTS` until it ends or this process is told to stop. Returns the exit
/// code. `listening` gets the address; `push` gets the counts of each exchange.
pub fn serve(
    peer: &Embedded,
    arguments: &[String],
    mut listening: impl FnMut(&str),
    mut push: impl FnMut(Served) -> Result<()>,
) -> Result<u8> {
    if !peer.is_emulated() {
        return Err(Error::usage(
            format!("the instructions of {} cannot be counted", peer.device()),
            "use --board rpi3, or `selo exchange serve` for a server on this machine",
        ));
    }
    let folder = tempfile::Builder::new()
        .prefix("selo-peer-")
        .tempdir()
        .map_err(machine("make a temporary folder"))?;
    let stopped = stop_flag()?;
    let (mut command, listener) = peer.command(folder.path())?;
    command
        .arg("serve")
        .args(arguments)
        .args(COUNTED)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| Error::Embedded {
        why: format!("{program} cannot be started: {error}"),
    })?;
    let mut report = Report::new(listener, child.stdin.take());
    let (sender, lines) = channel();
    let out = child.stdout.take().into_iter().map(BufReader::new);
    let mut out = out.flat_map(BufRead::lines);
    // This thread waits for the server's next line, so that the main thread can check for a stop.
    let reader =
        std::thread::spawn(move || out.all(|line| line.is_ok_and(|l| sender.send(l).is_ok())));
    let done = listen(peer, &lines, &mut report, &stopped, |said| match said {
        Said::Listening(place) => {
            listening(place);
            Ok(())
        }
        Said::Served(served) => push(served),
    });
    if done.is_err() {
        let _ = child.kill();
    }
    let status = child.wait().map_err(machine("wait for the server"))?;
    let _ = reader.join();
    match done {
        // A server normally ends by being stopped.
        Err(Error::Lab(selo_engine::Error::Interrupted)) => Ok(0),
        Err(error) => Err(error),
        Ok(()) => {
            // If the emulator ended the program, this fails with the reason.
            report.take()?;
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            Ok(code.unwrap_or(1))
        }
    }
}

/// A flag that a stop signal sets. Without it the emulator would outlive this process.
fn stop_flag() -> Result<Arc<AtomicBool>> {
    let stopped = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, stopped.clone())
            .map_err(machine("set up signal handlers"))?;
    }
    Ok(stopped)
}

/// A line of the server that the caller gets.
enum Said<'a> {
    Listening(&'a str),
    Served(Served),
}

/// Reads the server's lines until it ends or `stopped` is set.
fn listen(
    peer: &Embedded,
    lines: &Receiver<String>,
    report: &mut Report,
    stopped: &AtomicBool,
    mut hear: impl FnMut(Said<'_>) -> Result<()>,
) -> Result<()> {
    loop {
        match lines.recv_timeout(LOOK) {
            Ok(line) => match line.split_once(' ') {
                Some(("listening", place)) => hear(Said::Listening(place))?,
                Some(("served", what)) => {
                    hear(Said::Served(served(peer, what, &report.take()?)?))?;
                }
                // A refused request may already have counts.
                None if line == "refused" => drop(report.take()?),
                _ => {
                    let why = format!("the server printed an unknown line: '{line}'");
                    return Err(Error::Embedded { why });
                }
            },
            Err(RecvTimeoutError::Timeout) if stopped.load(Ordering::Relaxed) => {
                return Err(selo_engine::Error::Interrupted.into());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}

/// One exchange. The server printed its cipher and its size; the plugin counted two spans.
fn served(peer: &Embedded, what: &str, spans: &[u64]) -> Result<Served> {
    let (Some((cipher, bytes)), [decrypt, encrypt]) = (what.split_once(' '), spans) else {
        let why = format!(
            "the plugin counted {} spans for '{what}', not 2",
            spans.len()
        );
        return Err(Error::Embedded { why });
    };
    Ok(Served {
        schema: SERVED.into(),
        device: peer.device().to_owned(),
        machine: peer.machine.clone(),
        implementation: peer.implementation.clone(),
        cipher: cipher.to_owned(),
        bytes: bytes.trim().parse().map_err(|_| Error::Embedded {
            why: format!("the server printed an invalid size: '{what}'"),
        })?,
        instructions: Sealing {
            encrypt: *encrypt,
            decrypt: *decrypt,
        },
    })
}

/// Options that make the program wait after each exchange until its counts are read.
const COUNTED: [&str; 2] = ["--emulated", "--counted"];

/// Reads the output of the emulator's plugin.
struct Report {
    listener: UnixListener,
    stream: Option<UnixStream>,
    program: Option<ChildStdin>,
    said: Vec<u8>,
}

impl Report {
    fn new(listener: UnixListener, program: Option<ChildStdin>) -> Report {
        Report {
            listener,
            stream: None,
            program,
            said: Vec::new(),
        }
    }

    /// Returns the instructions of the spans since the last call, and lets the program continue.
    fn take(&mut self) -> Result<Vec<u64>> {
        if self.stream.is_none() {
            self.stream = self.listener.accept().ok().map(|(stream, _)| stream);
        }
        let mut buffer = [0; 4096];
        if let Some(stream) = &mut self.stream {
            stream
                .set_nonblocking(true)
                .map_err(machine("listen to the emulator"))?;
            while let Ok(size @ 1..) = stream.read(&mut buffer) {
                self.said.extend(&buffer[..size]);
            }
        }
        if let Some(program) = &mut self.program {
            // If the program has ended, its error is reported elsewhere.
            let _ = program.write_all(b"\n");
        }
        let spans = qemu::counted(&String::from_utf8_lossy(&std::mem::take(&mut self.said)))?;
        Ok(spans.iter().map(|span| span.instructions).collect())
    }
}
