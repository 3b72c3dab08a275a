//! The command as a child process: its log, its memory, its end.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::Result;
use super::case::setup;
use super::wire::PATIENCE;

/// A running `selo ...`. Dropping it kills the process.
#[derive(Debug)]
pub struct Program {
    child: Child,
    folder: PathBuf,
    name: String,
}

impl Program {
    /// Starts a command. `NAME.out` and `NAME.log` in `folder` receive its output.
    pub fn start(mut command: Command, folder: &Path, name: &str) -> Result<Program> {
        let file = |ending: &str| {
            let path = folder.join(format!("{name}.{ending}"));
            File::options().create(true).append(true).open(path)
        };
        let child = command
            .stdin(Stdio::piped())
            .stdout(file("out")?)
            .stderr(file("log")?)
            .spawn()?;
        Ok(Program {
            child,
            folder: folder.into(),
            name: name.into(),
        })
    }

    /// Its standard output so far.
    pub fn output(&self) -> String {
        self.read("out")
    }

    /// Its standard error so far.
    pub fn log(&self) -> String {
        self.read("log")
    }

    fn read(&self, ending: &str) -> String {
        let path = self.folder.join(format!("{}.{ending}", self.name));
        let bytes = std::fs::read(path).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until its log contains some text.
    pub fn wait_log(&mut self, words: &str) -> Result<()> {
        let since = Instant::now();
        while !self.log().contains(words) {
            if self.has_ended() || since.elapsed() > 3 * PATIENCE {
                let name = &self.name;
                return setup(format!("{name} did not log '{words}': {}", self.log()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Returns true if the process has ended.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for its end. Returns false after `time`.
    pub fn ended_within(&mut self, time: Duration) -> bool {
        let since = Instant::now();
        while !self.has_ended() {
            if since.elapsed() > time {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    /// Types a line into its standard input.
    pub fn type_line(&mut self, text: &str) -> Result<()> {
        use std::io::Write;
        if let Some(input) = &mut self.child.stdin {
            writeln!(input, "{text}")?;
            input.flush()?;
        }
        Ok(())
    }

    /// Its process group.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end. Returns true if it did.
    pub fn stop(&mut self) -> bool {
        let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
        self.ended_within(3 * PATIENCE)
    }

    /// Kills it as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Its peak memory in bytes.
    pub fn peak_memory(&self) -> u64 {
        self.status("VmHWM:").map_or(0, |kibibytes| kibibytes << 10)
    }

    /// Its number of threads.
    pub fn threads(&self) -> u64 {
        self.status("Threads:").unwrap_or(0)
    }

    fn status(&self, key: &str) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.id())).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}
