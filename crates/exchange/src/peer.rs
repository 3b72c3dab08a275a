//! The client of C of the first experiment (`firmware/exchange`) on a board's emulator: its rows,
//! and in each the instructions that encrypting and decrypting took.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;

use selo_lab::runner::qemu;

use crate::embedded::{Embedded, machine};
use crate::error::{Error, Result};
use crate::row::{Row, Sealing};

/// Runs `peer run ARGUMENTS`; each row goes to `push`. Its exit code.
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
        command.arg("--emulated");
    }
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command.spawn().map_err(|error| Error::Embedded {
        why: format!("{program} does not start: {error}"),
    })?;
    let mut report = Report::new(listener);
    let lines = child.stdout.take().into_iter().map(BufReader::new);
    for line in lines.flat_map(BufRead::lines) {
        let line = line.map_err(machine("hear the client"))?;
        let mut row: Row = serde_json::from_str(&line).map_err(|error| Error::Embedded {
            why: format!("{error}: {line}"),
        })?;
        row.unit.device = Some(peer.device().to_owned());
        row.client.clone_from(&peer.machine);
        // The plugin has written what it counted before the client wrote its row.
        let counted = report.take()?;
        if let (Some(stamps), true) = (&mut row.stamps, peer.is_emulated()) {
            let [encrypt, decrypt] = counted[..] else {
                return Err(Error::Embedded {
                    why: format!("{} spans were counted, not 2", counted.len()),
                });
            };
            stamps.instructions = Some(Sealing { encrypt, decrypt });
        }
        push(row)?;
    }
    let status = child.wait().map_err(machine("wait for the client"))?;
    // Or why the emulator ended it.
    report.take()?;
    Ok(status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1))
}

/// What the emulator's plugin says.
struct Report {
    listener: UnixListener,
    stream: Option<UnixStream>,
    said: Vec<u8>,
}

impl Report {
    fn new(listener: UnixListener) -> Report {
        Report {
            listener,
            stream: None,
            said: Vec::new(),
        }
    }

    /// The instructions of the spans since the last call.
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
        let spans = qemu::counted(&String::from_utf8_lossy(&std::mem::take(&mut self.said)))?;
        Ok(spans.iter().map(|span| span.instructions).collect())
    }
}
