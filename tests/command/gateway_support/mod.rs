//! Shared by the tests of `selo gateway` and `selo device`: the command in a state directory of its
//! own, and nodes that run the device library's C code on loopback.
#![allow(dead_code, reason = "each test file uses its part")]

#[path = "../answer.rs"]
mod answer;
pub mod copies;
pub mod farm;
#[path = "../program.rs"]
mod program;
pub mod recorder;

pub use answer::Answer;
pub use program::program;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use selo_sys::node::{Event, FRAME_MAX, Hal, Node, RECORD_BYTES, Suite};
use serde_json::Value;

/// Time limit for every expected event. No test depends on waiting less.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The fenced blocks of a page: the text after the fence, and the lines.
pub fn blocks(page: &str) -> Vec<(String, Vec<String>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, Vec<String>)> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(info), None) => open = Some((info.into(), Vec::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (None, Some((_, lines))) => lines.push(line.into()),
            (None, None) => {}
        }
    }
    blocks
}

/// The digits of a line.
pub fn digits(line: &str) -> String {
    line.chars().filter(char::is_ascii_digit).collect()
}

/// Types the node's digits at the gateway, and confirms on the node once they are accepted.
pub fn compare_digits(node: &mut Running, operator: &mut Running) {
    let shown = digits(&node.err.wait("Digits here"));
    operator.err.wait("shows its digits");
    operator.type_line(&shown);
    operator.err.wait("The digits are right");
    node.type_line("yes");
}

/// Pairs a node by the digits that it shows, after wrong ones: a typing error does not end a pairing.
pub fn pair_after_a_typing_error(operator: &mut Running, node: &mut CNode) {
    let digits = node.digits();
    operator.err.wait("shows its digits");
    operator.type_line(&format!("{:06}", (digits + 1) % 1_000_000));
    operator
        .err
        .wait("no attempt at this gateway has these digits");
    operator.type_line(&format!("{digits:06}"));
    operator.err.wait("The digits are right");
    node.node.confirm(true).expect("comparing");
    node.wait("the result", |event| *event == Event::Paired);
}

/// A state directory, and the command that uses it.
pub struct Site {
    folder: tempfile::TempDir,
    /// In memory: data about gateways that a running machine keeps.
    memory: tempfile::TempDir,
    /// A program with its arguments that runs the command.
    under: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Site {
    pub fn new() -> Site {
        Site {
            folder: tempfile::tempdir().expect("a folder"),
            memory: tempfile::tempdir_in("/dev/shm").expect("a folder in memory"),
            under: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// Runs the command under this program from now on.
    pub fn run_under(&mut self, program: &[&str]) {
        self.under = program.iter().map(|word| (*word).to_owned()).collect();
    }

    /// Sets these environment variables for the command from now on.
    pub fn environment(&mut self, variables: &[(&str, &str)]) {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        self.environment = variables.iter().map(owned).collect();
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Data that survives a gateway but not a restart of the machine.
    pub fn memory(&self) -> &Path {
        self.memory.path()
    }

    /// What the running gateway answers on its control socket when it is asked for its status.
    pub fn status(&self) -> Value {
        let mut stream = UnixStream::connect(self.state().join("control")).expect("connects");
        stream.write_all(b"{\"op\":\"status\"}\n").expect("asks");
        let mut line = String::new();
        BufReader::new(stream)
            .read_line(&mut line)
            .expect("an answer");
        let mut answer: Value = serde_json::from_str(&line).expect("JSON");
        answer["status"].take()
    }

    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    pub fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).expect("writes");
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let program = program("selo");
        let mut command = match self.under.split_first() {
            None => Command::new(program),
            Some((under, rest)) => {
                let mut command = Command::new(under);
                command.args(rest).arg(program);
                command
            }
        };
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("SELO_STATE", self.state())
            .env("RUNTIME_DIRECTORY", self.memory.path())
            .env_remove("SELO_PROJECT")
            .stdin(Stdio::null());
        command
    }

    pub fn selo(&self, arguments: &[&str]) -> Answer {
        Answer::of(self.command(arguments).output().expect("the command runs"))
    }

    /// Runs a command that must succeed. Returns its standard output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let answer = self.selo(arguments);
        assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
        answer.stdout
    }

    /// Adds a named device to the registry. Returns its id and its key.
    pub fn device(&self, suite: Suite, name: &str) -> (u32, [u8; 32]) {
        let id = self.ok(&[
            "device",
            "add",
            "--generate",
            "--suite",
            suite_name(suite),
            "--name",
            name,
        ]);
        let shown = self.ok(&["device", "qr", name, "--json"]);
        let label: Value = serde_json::from_str(&shown).expect("JSON");
        let label = label["label"].as_str().expect("a label").to_owned();
        let key = selo_gateway::label::parse_key_file(label.as_bytes())
            .expect("a label")
            .key;
        let id = u32::from_str_radix(id.trim(), 16).expect("an id");
        (id, *key.expose())
    }

    pub fn gateway(&self, arguments: &[&str]) -> Gateway {
        Gateway::start(self, arguments)
    }
}

pub fn suite_name(suite: Suite) -> &'static str {
    selo_link::Suite::from_code(suite as u8)
        .expect("a suite")
        .name()
}

/// The lines of a stream as they arrive, and the whole text.
pub struct Lines {
    receiver: Receiver<String>,
    all: Arc<Mutex<String>>,
}

impl Lines {
    pub fn of(stream: impl Read + Send + 'static) -> Lines {
        let (send, receiver) = channel();
        let all = Arc::new(Mutex::new(String::new()));
        let copy = all.clone();
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stream);
            let mut line = Vec::new();
            while reader
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                let text = String::from_utf8_lossy(&line).into_owned();
                copy.lock().expect("whole").push_str(&text);
                // A last line without a line break was cut off when the process was killed.
                if text.ends_with('\n') && send.send(text).is_err() {
                    return;
                }
                line.clear();
            }
        });
        Lines { receiver, all }
    }

    /// The next line. Panics if none arrives.
    pub fn next(&self) -> String {
        match self.receiver.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(error) => panic!("no line: {error}; so far:\n{}", self.all()),
        }
    }

    /// The next line that contains these words.
    pub fn wait(&self, words: &str) -> String {
        loop {
            let line = self.next();
            if line.contains(words) {
                return line;
            }
        }
    }

    /// Returns true if a line with these words arrives before the stream ends.
    pub fn has(&self, words: &str) -> bool {
        loop {
            match self.receiver.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(words) => return true,
                Ok(_) => {}
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(error) => panic!("no line: {error}; so far:\n{}", self.all()),
            }
        }
    }

    /// A line with these words, among all past and future lines. Removes none of them.
    pub fn said(&self, words: &str) -> String {
        let since = Instant::now();
        loop {
            let all = self.all();
            let whole = all.rfind('\n').map_or("", |end| &all[..end]);
            if let Some(line) = whole.lines().rev().find(|line| line.contains(words)) {
                return line.to_owned();
            }
            assert!(since.elapsed() < PATIENCE, "no line with {words:?}:\n{all}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn next_json(&self) -> Value {
        serde_json::from_str(&self.next()).expect("JSON")
    }

    /// All lines until the stream ends.
    pub fn rest(&self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.receiver.recv_timeout(PATIENCE) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => return lines,
                Err(error) => panic!("the stream does not end: {error}"),
            }
        }
    }

    pub fn all(&self) -> String {
        self.all.lock().expect("whole").clone()
    }
}

/// A running `selo gateway`.
pub struct Gateway {
    pub child: Child,
    pub readings: Lines,
    pub log: Lines,
    pub address: SocketAddr,
}

impl Gateway {
    fn start(site: &Site, arguments: &[&str]) -> Gateway {
        let mut command = site.command(&["gateway", "--json-log", "--log", "debug"]);
        command.args(arguments);
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let readings = Lines::of(child.stdout.take().expect("piped"));
        let log = Lines::of(child.stderr.take().expect("piped"));
        let line = log.wait("the gateway listens");
        let line: Value = serde_json::from_str(&line).expect("JSON");
        let address = line["listen"].as_str().expect("an address");
        Gateway {
            child,
            readings,
            log,
            address: address.parse().expect("an address"),
        }
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("runs");
    }

    /// Kills the gateway. Returns the lines that it had printed.
    pub fn kill(mut self) -> Vec<String> {
        self.child.kill().expect("runs");
        self.child.wait().expect("ends");
        self.readings.rest()
    }

    /// Stops the gateway. Returns its exit code, its lines so far and its log.
    pub fn stop(mut self) -> (Option<i32>, Vec<String>, String) {
        self.signal(rustix::process::Signal::TERM);
        let code = self.child.wait().expect("ends").code();
        let lines = self.readings.rest();
        self.log.rest();
        (code, lines, self.log.all())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command that runs during the test.
pub struct Running {
    pub child: Child,
    pub out: Lines,
    pub err: Lines,
}

impl Running {
    pub fn start(site: &Site, arguments: &[&str]) -> Running {
        let mut child = site
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("starts");
        let out = Lines::of(child.stdout.take().expect("piped"));
        let err = Lines::of(child.stderr.take().expect("piped"));
        Running { child, out, err }
    }

    pub fn type_line(&mut self, text: &str) {
        let stdin = self.child.stdin.as_mut().expect("piped");
        stdin
            .write_all(format!("{text}\n").as_bytes())
            .expect("types");
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Interrupts the command as Ctrl-C does.
    pub fn interrupt(&self) {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::INT).expect("runs");
    }

    pub fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("runs").is_some()
    }

    pub fn wait(mut self) -> (Option<i32>, String, String) {
        drop(self.child.stdin.take());
        let code = self.child.wait().expect("ends").code();
        self.out.rest();
        self.err.rest();
        (code, self.out.all(), self.err.all())
    }

    pub fn kill(mut self) {
        self.child.kill().expect("runs");
        self.child.wait().expect("ends");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The device of a node: loopback, a record in memory, and a fast clock, so that waits of seconds
/// fit into a test.
struct Loopback {
    socket: UdpSocket,
    gateway: Arc<Mutex<SocketAddr>>,
    record: Arc<Mutex<Option<[u8; RECORD_BYTES]>>>,
    start: Instant,
    hastens: u32,
}

impl Hal for Loopback {
    fn send(&mut self, frame: &[u8]) -> Result<(), selo_sys::Error> {
        let to = *self.gateway.lock().expect("whole");
        // If the gateway is gone, sending fails. For a node that is a lost packet.
        let _ = self.socket.send_to(frame, to);
        Ok(())
    }

    fn receive(&mut self, frame: &mut [u8; FRAME_MAX]) -> usize {
        let mut buffer = [0; 2048];
        match self.socket.recv_from(&mut buffer) {
            Ok((size, _)) if size <= FRAME_MAX => {
                frame[..size].copy_from_slice(&buffer[..size]);
                size
            }
            _ => 0,
        }
    }

    fn milliseconds(&mut self) -> u32 {
        (self.start.elapsed().as_millis() as u32).wrapping_mul(self.hastens)
    }

    fn entropy(&mut self, out: &mut [u8]) -> Result<(), selo_sys::Error> {
        for chunk in out.chunks_mut(32) {
            let bytes = selo_link::random_bytes::<32>().map_err(|_| selo_sys::Error::Random)?;
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
        Ok(())
    }

    fn load(&mut self) -> Result<Option<[u8; RECORD_BYTES]>, selo_sys::Error> {
        Ok(*self.record.lock().expect("whole"))
    }

    fn store(&mut self, record: &[u8; RECORD_BYTES]) -> Result<(), selo_sys::Error> {
        *self.record.lock().expect("whole") = Some(*record);
        Ok(())
    }
}

/// A node of the device library.
pub struct CNode {
    pub node: Node,
    gateway: Arc<Mutex<SocketAddr>>,
    events: VecDeque<Event>,
}

impl CNode {
    pub fn new(suite: Suite, gateway: SocketAddr, hastens: u32) -> CNode {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("binds");
        socket
            .set_read_timeout(Some(Duration::from_micros(200)))
            .expect("sets");
        let gateway = Arc::new(Mutex::new(gateway));
        let device = Loopback {
            socket,
            gateway: gateway.clone(),
            record: Arc::default(),
            start: Instant::now(),
            hastens,
        };
        let mut node = Node::new(suite, Box::new(device));
        node.begin().expect("begins");
        CNode {
            node,
            gateway,
            events: VecDeque::new(),
        }
    }

    /// The digits that it shows.
    pub fn digits(&mut self) -> u32 {
        let shown = self.wait("digits", |event| matches!(event, Event::Digits(_)));
        let Event::Digits(digits) = shown else {
            unreachable!()
        };
        digits
    }

    /// A node whose key was provisioned by hand.
    pub fn provisioned(suite: Suite, gateway: SocketAddr, device: (u32, [u8; 32])) -> CNode {
        let mut node = CNode::new(suite, gateway, 20);
        node.node.provision(device.0, &device.1).expect("stores");
        node
    }

    /// Changes the gateway's address.
    pub fn move_gateway(&self, gateway: SocketAddr) {
        *self.gateway.lock().expect("whole") = gateway;
    }

    /// The next event, if one arrives within `time`.
    pub fn event_within(&mut self, time: Duration) -> Option<Event> {
        let deadline = Instant::now() + time;
        while self.events.is_empty() && Instant::now() < deadline {
            while let Some(event) = self.node.poll() {
                self.events.push_back(event);
            }
        }
        self.events.pop_front()
    }

    /// Waits for this event, and drops earlier ones.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) -> Event {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.event_within(left) {
                Some(event) if wanted(&event) => return event,
                Some(_) => {}
                None => panic!("the node did not get {what} in time"),
            }
        }
    }

    pub fn join(&mut self) {
        self.node.join().expect("paired");
        self.wait("a session", |event| *event == Event::Joined);
    }

    /// Repeats a payload until the gateway has acknowledged it.
    pub fn deliver(&mut self, payload: &[u8]) {
        self.node.send(payload, true).expect("joined");
        self.wait("an acknowledgement", |event| *event == Event::Delivered);
    }
}
