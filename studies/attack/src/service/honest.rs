//! Honest users: they work during an attack, and record how they are served.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Result;
use super::case::{Findings, setup};
use super::http::Request;
use super::mqtt::Client;
use super::program::Program;
use super::site::{SITE, Site};
use super::wire::{HONEST, PATIENCE};

/// Pause between two rounds of a user.
const PAUSE: Duration = Duration::from_millis(50);

/// A user who repeats one action.
#[derive(Debug)]
pub struct User {
    name: &'static str,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    rounds: AtomicU64,
    failed: AtomicU64,
    slowest_us: AtomicU64,
    reason: std::sync::Mutex<Option<String>>,
}

impl User {
    /// Starts a user. A round that fails or exceeds the deadline counts as failed.
    pub fn start(
        name: &'static str,
        mut round: impl FnMut() -> io::Result<()> + Send + 'static,
    ) -> User {
        let shared = Arc::new(Shared::default());
        let mine = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            while !mine.stop.load(Ordering::Relaxed) {
                let since = Instant::now();
                let outcome = round();
                let took = since.elapsed();
                let slowest = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
                mine.slowest_us.fetch_max(slowest, Ordering::Relaxed);
                match outcome {
                    Ok(()) if took <= PATIENCE => {
                        mine.rounds.fetch_add(1, Ordering::Relaxed);
                    }
                    outcome => {
                        mine.failed.fetch_add(1, Ordering::Relaxed);
                        let reason = outcome.err().map_or("too slow".into(), |e| e.to_string());
                        if let Ok(mut kept) = mine.reason.lock() {
                            kept.get_or_insert(reason);
                        }
                    }
                }
                std::thread::sleep(PAUSE);
            }
        });
        User {
            name,
            shared,
            thread: Some(thread),
        }
    }

    /// Successful rounds.
    pub fn rounds(&self) -> u64 {
        self.shared.rounds.load(Ordering::Relaxed)
    }

    fn failed(&self) -> u64 {
        self.shared.failed.load(Ordering::Relaxed)
    }

    /// Waits for this many more successful rounds, or the first failure.
    pub fn serve(&self, more: u64) {
        let (since, goal) = (Instant::now(), self.rounds() + more);
        while self.rounds() < goal && self.failed() == 0 && since.elapsed() < 3 * PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Stops the user. Every round must have succeeded.
    pub fn stop(mut self, least: u64, findings: &mut Findings) -> u64 {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let (name, rounds, failed) = (self.name, self.rounds(), self.failed());
        let slowest = self.shared.slowest_us.load(Ordering::Relaxed) as f64 / 1e6;
        findings.note(format!(
            "{name} {rounds} of {}, slowest {slowest:.2} s",
            rounds + failed
        ));
        findings.figure("rounds of an honest user", rounds as f64);
        findings.figure("failed rounds of an honest user", failed as f64);
        findings.figure("slowest round of an honest user, s", slowest);
        let reason = self.shared.reason.lock().ok().and_then(|kept| kept.clone());
        let reason = reason.map_or(String::new(), |reason| format!(" ({reason})"));
        findings.expect(
            failed == 0,
            format!("{name}: {failed} rounds failed{reason}"),
        );
        findings.expect(
            rounds >= least,
            format!("{name}: only {rounds} rounds completed"),
        );
        rounds
    }
}

/// A reading as a gateway publishes it.
pub fn reading(device: &str, session: u64, counter: u64, payload: &str) -> String {
    serde_json::json!({
        "schema": "selo.reading/1", "device": device, "session": format!("{session:016x}"),
        "counter": counter, "payload": payload, "authenticated": true, "gateway": "north",
        "values": {"temperature": {"value": 20.0, "unit": "Cel"}},
    })
    .to_string()
}

/// A gateway that publishes readings on one connection, and reconnects if necessary.
pub fn publisher(site: &Site) -> Result<User> {
    let (door, login) = (site.mqtt()?, site.login("gateway", "north")?);
    let mut connection = None;
    let mut counter = 0;
    Ok(User::start("publisher", move || {
        let mut client = match connection.take() {
            Some(client) => client,
            None => Client::open(&door, HONEST, &login)?,
        };
        let text = reading("00000001", 1, counter, "00");
        client.send(&format!("selo/{SITE}/reading/00000001"), text.as_bytes())?;
        client.acknowledged()?;
        counter += 1;
        connection = Some(client);
        Ok(())
    }))
}

/// A user who connects anew each time, reads the permitted topics, and disconnects.
pub fn newcomer(site: &Site) -> Result<User> {
    let (door, login) = (site.mqtt()?, site.login("viewer", "newcomer")?);
    Ok(User::start("newcomer", move || {
        let mut client = Client::open(&door, HONEST, &login)?;
        client.subscribe(&format!("selo/{SITE}/state/+"))?;
        client.write(&[0xe0, 0])
    }))
}

/// An operator with a cookie who views the stations, on a new connection each time.
pub fn operator(site: &Site) -> Result<User> {
    let (door, admin) = (site.http()?, site.admin()?);
    Ok(User::start("operator", move || {
        let answer = Request::get("/api/v1/stations")
            .with(&admin)
            .ask(&door, HONEST)?;
        expect_status(answer.status, 200)
    }))
}

/// Sessions of stations so far. A station that restarts gets a new one, as a node does.
static SESSIONS: AtomicU64 = AtomicU64::new(1);

/// A station that posts a reading each time with its own token.
pub fn station(site: &Site) -> Result<User> {
    let door = site.http()?;
    let (_, token) = site.token(&site.admin()?, "garden", "device", "00000002")?;
    let path = format!("/api/v1/readings?site={SITE}");
    let session = SESSIONS.fetch_add(1, Ordering::Relaxed);
    let mut counter = 0;
    Ok(User::start("station", move || {
        let body = reading("00000002", session, counter, "00");
        let request = Request::post(&path, body.as_bytes()).with(&token);
        let answer = request.ask(&door, HONEST)?;
        expect_status(answer.status, 200)?;
        if !answer.text().contains("\"rejected\":0") {
            return Err(io::Error::other(answer.text()));
        }
        counter += 1;
        Ok(())
    }))
}

/// Returns an error unless the status is the expected one.
pub fn expect_status(status: u16, expected: u16) -> io::Result<()> {
    if status == expected {
        return Ok(());
    }
    Err(io::Error::other(format!("got status {status}")))
}

/// Virtual nodes: `selo node`, with keys that the gateway knows.
#[derive(Debug)]
pub struct Nodes {
    program: Program,
    readings: u64,
}

/// Number of nodes of a fleet.
pub const NODES: u64 = 4;

/// A confirmed reading ten times a second.
pub const OFTEN: [&str; 3] = ["--every", "100ms", "--confirmed"];

impl Nodes {
    /// Creates keys and adds them to the gateway's registry.
    pub fn register(site: &Site) -> Result<()> {
        let count = NODES.to_string();
        site.ok(&[
            "node",
            "--count",
            &count,
            "--make-registry",
            "nodes.csv",
            "--state",
            "nodes",
        ])?;
        site.ok(&["device", "import", "nodes.csv"])?;
        Ok(())
    }

    /// Starts the nodes towards `port`. Each has `each` readings acknowledged, or gives up after
    /// a minute.
    pub fn start(site: &Site, port: u16, each: u64) -> Result<Nodes> {
        let each_text = each.to_string();
        let words = ["--for", "60s", "--readings", &each_text];
        Nodes::with(site, port, each, &[&OFTEN[..], &words].concat())
    }

    /// Starts nodes that run until [`Nodes::stop`].
    pub fn start_endless(site: &Site, port: u16, words: &[&str]) -> Result<Nodes> {
        Nodes::with(site, port, 0, &[&["--for", "10m"], words].concat())
    }

    fn with(site: &Site, port: u16, each: u64, words: &[&str]) -> Result<Nodes> {
        let to = format!("127.0.0.1:{port}");
        let always = ["node", "--to", &to, "--state", "nodes", "--json"];
        let words = [&always[..], words].concat();
        let _ = std::fs::remove_file(site.path().join("nodes.out"));
        Ok(Nodes {
            program: Program::start(site.command(&words), site.path(), "nodes")?,
            readings: NODES * each,
        })
    }

    /// Returns true if the nodes have finished.
    pub fn have_ended(&mut self) -> bool {
        self.program.has_ended()
    }

    /// Waits for their summary. Every reading must have been acknowledged, in one session.
    pub fn finish(mut self, findings: &mut Findings) -> Result<()> {
        if !self.program.ended_within(6 * PATIENCE) {
            return setup("the nodes did not end".into());
        }
        let summary = self.summary();
        let count = |name: &str| summary[name].as_u64().unwrap_or(0);
        let acknowledged = count("acknowledged");
        let (rejoins, ended) = (count("rejoins"), count("sessions_lost"));
        let slowest = summary["acknowledged_ms"]["most"].as_f64().unwrap_or(0.0) / 1000.0;
        let all = self.readings;
        findings.note(format!(
            "nodes {acknowledged} of {all} readings, slowest {slowest:.2} s, {rejoins} rejoins"
        ));
        findings.figure("readings acknowledged", acknowledged as f64);
        findings.figure("readings wanted", all as f64);
        findings.figure("rejoins", rejoins as f64);
        findings.figure("sessions lost", ended as f64);
        findings.expect(
            acknowledged == all,
            format!(
                "nodes: {} readings were not acknowledged",
                all.saturating_sub(acknowledged)
            ),
        );
        findings.expect(ended == 0, format!("nodes: {ended} sessions ended"));
        Ok(())
    }

    /// Stops the nodes. Returns their summary.
    pub fn stop(mut self) -> Result<Value> {
        if !self.program.stop() {
            return setup("the nodes did not end".into());
        }
        Ok(self.summary())
    }

    fn summary(&self) -> Value {
        serde_json::from_str(self.program.output().trim()).unwrap_or_default()
    }
}

/// Adds the programs' resource use and the users' figures to the findings.
pub fn finish(mut site: Site, users: Vec<User>, mut findings: Findings) -> Findings {
    for user in users {
        user.stop(1, &mut findings);
    }
    site.check_limits(&mut findings);
    findings
}
