//! A process of the demo, with its log.

use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use selo_base::bail;
use selo_base::report::Context;
use selo_engine::schedule::check_interrupt;
use serde_json::Value;

/// Time limit for each expected event, on any machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A process of the demo. It is killed when dropped.
pub(super) struct Process {
    pub(super) name: String,
    pub(super) child: Child,
    pub(super) stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    out: Option<std::thread::JoinHandle<String>>,
    pub(super) log: PathBuf,
}

impl Process {
    /// Starts `selo` with these arguments; `selo` runs `selo-lab` for the laboratory's subcommands.
    /// The log goes to a file, and line by line to [`Process::wait`].
    pub(super) fn start(
        folder: &Path,
        name: &str,
        arguments: &[&str],
    ) -> selo_base::report::Result<Process> {
        let log = folder.join(format!("{name}.log"));
        let mut child = Command::new(selo_command::external::require("selo")?)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}"))?;
        let (send, lines) = channel();
        let mut copy = std::fs::File::create(&log)?;
        if let Some(stderr) = child.stderr.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    // A failed write to the log does not stop the demo.
                    _ = writeln!(copy, "{line}");
                    _ = send.send(line);
                }
            });
        }
        let out = child.stdout.take().map(|mut stdout| {
            std::thread::spawn(move || {
                let mut text = String::new();
                _ = stdout.read_to_string(&mut text);
                text
            })
        });
        Ok(Process {
            name: name.into(),
            stdin: child.stdin.take(),
            child,
            lines,
            out,
            log,
        })
    }

    /// Waits for the next line of the log that contains these words.
    pub(super) fn wait(&self, words: &str) -> selo_base::report::Result<String> {
        let end = Instant::now() + PATIENCE;
        loop {
            check_interrupt()?;
            match self.lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) if line.contains(words) => return Ok(line),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                Err(_) => bail!(
                    "{} did not print '{words}': see {}",
                    self.name,
                    self.log.display()
                ),
            }
        }
    }

    fn interrupt(&self) {
        _ = kill_process(Pid::from_child(&self.child), Signal::INT);
    }

    /// Stops the process as Ctrl-C would, and returns its output.
    pub(super) fn end(mut self) -> selo_base::report::Result<String> {
        self.interrupt();
        let code = self.child.wait()?;
        let out = self.out.take().and_then(|out| out.join().ok());
        if !code.success() {
            bail!(
                "{} ended with {code}: see {}",
                self.name,
                self.log.display()
            );
        }
        Ok(out.unwrap_or_default())
    }

    /// Stops a node, and returns its counters.
    pub(super) fn tally(self) -> selo_base::report::Result<Value> {
        let log = self.log.clone();
        serde_json::from_str(&self.end()?)
            .with_context(|| format!("a node printed no summary: see {}", log.display()))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

pub(super) fn text(path: impl AsRef<Path>) -> selo_base::report::Result<String> {
    let path = path.as_ref();
    let text = path
        .to_str()
        .with_context(|| format!("the path {} is not valid UTF-8", path.display()))?;
    Ok(text.into())
}
