//! A command of the site that runs as a process of its own, is struck, and comes back with the same
//! state, addresses and log.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::gateway_support::{PATIENCE, Site};

/// Time in which a part stops when it is asked to, also if nobody answers it. Then it is killed, as a
/// service manager does it.
const STOPS: Duration = Duration::from_secs(60);

/// How a part stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    Well,
    Badly,
    Late,
}

pub struct Part {
    pub name: String,
    pub home: Site,
    /// Its machine, if it has one of its own.
    pub machine: Option<Ipv4Addr>,
    words: Vec<String>,
    log: PathBuf,
    child: Option<Child>,
}

impl Part {
    pub fn new(name: String, home: Site, words: &[&str], log: PathBuf) -> Part {
        Part {
            name,
            home,
            machine: None,
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            log,
            child: None,
        }
    }

    pub fn start(&mut self) {
        let log = File::options().create(true).append(true).open(&self.log);
        let log = log.expect("a log");
        let words: Vec<&str> = self.words.iter().map(String::as_str).collect();
        let child = self
            .home
            .command(&words)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.child = Some(child.expect("starts"));
    }

    /// Waits until its log has these words.
    pub fn wait(&self, words: &str) {
        let since = Instant::now();
        loop {
            let said = self.said();
            if said.contains(words) {
                return;
            }
            let late = since.elapsed() >= PATIENCE;
            assert!(!late, "{} does not say {words:?}:\n{said}", self.name);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn said(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    /// Its process, if it runs.
    pub fn process(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    pub fn signal(&self, signal: Signal) {
        // It may have ended by itself a moment ago.
        _ = kill_process(Pid::from_child(self.child.as_ref().expect("runs")), signal);
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            _ = child.kill();
            _ = child.wait();
        }
    }

    /// Asks it to stop, and waits until it has.
    pub fn stop(&mut self) -> Stopped {
        self.signal(Signal::TERM);
        let mut child = self.child.take().expect("runs");
        let since = Instant::now();
        while since.elapsed() < STOPS {
            if let Some(status) = child.try_wait().expect("waits") {
                return match status.success() {
                    true => Stopped::Well,
                    false => Stopped::Badly,
                };
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        _ = child.kill();
        _ = child.wait();
        Stopped::Late
    }

    /// True if it ended although nobody struck it.
    pub fn has_ended(&mut self) -> bool {
        let child = self.child.as_mut();
        child.is_some_and(|child| child.try_wait().expect("waits").is_some())
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.kill();
    }
}

/// An address of this machine that is free.
pub fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("bound")
}
