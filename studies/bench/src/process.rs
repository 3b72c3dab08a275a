//! A gateway in a process of its own. Its CPU time and memory are read from the kernel.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Time limit for a gateway to start, to answer, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running gateway. Dropping it kills the process.
#[derive(Debug)]
pub struct Process {
    name: &'static str,
    child: Child,
    lines: Option<BufReader<ChildStdout>>,
}

impl Process {
    /// Starts `command`. [`Process::line`] reads its standard output.
    pub fn start(name: &'static str, command: &mut Command) -> Result<Process> {
        Self::spawn(name, command.stdout(Stdio::piped()))
    }

    /// Starts `command` and discards its standard output.
    pub fn start_unheard(name: &'static str, command: &mut Command) -> Result<Process> {
        Self::spawn(name, command.stdout(Stdio::null()))
    }

    fn spawn(name: &'static str, command: &mut Command) -> Result<Process> {
        let mut child = command
            .stdin(Stdio::null())
            .spawn()
            .map_err(|source| Error::Start {
                program: command.get_program().to_string_lossy().into_owned(),
                source,
            })?;
        Ok(Process {
            name,
            lines: child.stdout.take().map(BufReader::new),
            child,
        })
    }

    /// The next line of its output, without the line break.
    pub fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        let Some(lines) = &mut self.lines else {
            return Err(self.broken("its standard output is discarded"));
        };
        match lines.read_line(&mut line) {
            Ok(0) => Err(self.broken("it ended before it printed the expected line")),
            Ok(_) => Ok(line.trim_end().to_owned()),
            Err(error) => Err(self.broken(error.to_string())),
        }
    }

    /// Returns true if it is running.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal to the process.
    pub fn signal(&self, signal: rustix::process::Signal) -> Result<()> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).map_err(|error| self.broken(error.to_string()))
    }

    /// User and system CPU seconds of all its threads since its start.
    pub fn cpu_seconds(&self) -> Result<f64> {
        let path = format!("/proc/{}/stat", self.pid());
        let text = fs::read_to_string(&path).map_err(|error| self.broken(error.to_string()))?;
        let ticks =
            cpu_ticks(&text).ok_or_else(|| self.broken(format!("{path} is odd: {text}")))?;
        Ok(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
    }

    /// Resident memory in bytes.
    pub fn resident_bytes(&self) -> Result<u64> {
        let path = format!("/proc/{}/status", self.pid());
        let text = fs::read_to_string(&path).map_err(|error| self.broken(error.to_string()))?;
        resident_bytes(&text).ok_or_else(|| self.broken(format!("{path} does not contain VmRSS")))
    }

    /// Asks it to end (SIGTERM), and waits until it has.
    pub fn stop(mut self) -> Result<ExitStatus> {
        self.signal(rustix::process::Signal::TERM)?;
        let start = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Ok(status),
                Ok(None) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(None) => return Err(self.broken("it did not end on SIGTERM")),
                Err(error) => return Err(self.broken(error.to_string())),
            }
        }
    }

    /// An error that names this gateway.
    pub fn broken(&self, message: impl Into<String>) -> Error {
        Error::Gateway {
            name: self.name,
            message: message.into(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// utime + stime of /proc/PID/stat: fields 14 and 15. The second field is the program's name in
/// brackets, which may contain anything, including brackets.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let mut fields = stat[stat.rfind(')')? + 1..].split_ascii_whitespace();
    let utime: u64 = fields.nth(11)?.parse().ok()?;
    let stime: u64 = fields.next()?.parse().ok()?;
    Some(utime + stime)
}

fn resident_bytes(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// CPU time of the calling thread, seconds.
pub fn thread_seconds() -> f64 {
    let cpu = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    cpu.tv_sec as f64 + cpu.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_files_are_read_right() {
        let stat = "42 (a) b (c)) S 1 42 42 0 -1 4194560 1 2 3 4 700 33 5 6 20 0 1 0 9 1000";
        assert_eq!(cpu_ticks(stat), Some(733));
        assert_eq!(cpu_ticks("42 (cut) S 1 42"), None);
        assert_eq!(cpu_ticks(""), None);
        let status = "Name:\tx\nVmPeak:\t 9 kB\nVmRSS:\t   1234 kB\n";
        assert_eq!(resident_bytes(status), Some(1234 * 1024));
        assert_eq!(resident_bytes("Name:\tx\n"), None);
    }

    #[test]
    fn a_busy_process_is_seen_to_work() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo ready; while :; do :; done"]);
        let mut process = Process::start("sh", &mut command).expect("starts");
        assert_eq!(process.line().expect("a line"), "ready");
        let before = process.cpu_seconds().expect("readable");
        while process.cpu_seconds().expect("readable") <= before {
            std::thread::yield_now();
        }
        assert!(process.resident_bytes().expect("readable") > 0);
        assert!(!process.stop().expect("ends").success());
    }

    #[test]
    fn one_that_ends_early_is_an_error() {
        let mut process = Process::start("true", &mut Command::new("true")).expect("starts");
        assert!(
            process
                .line()
                .expect_err("nothing")
                .to_string()
                .contains("true")
        );
    }
}
