//! Subjects the command to random kills, copies, restores, clock jumps and full disks, one after
//! another. Afterwards no key and counter have sealed two packets, no acknowledged reading is lost,
//! and none is doubled.
//!
//! For a thousand faults:
//! `cargo test --release -p selo --test site state_faults -- --ignored --nocapture`.
//! `SELO_FAULTS` sets their number, `SELO_SEED` their order.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::gateway_support::copies::{Manner, copy_of, put_back};
use crate::gateway_support::recorder::{Recorder, Sent};
use crate::gateway_support::{Gateway, PATIENCE, Site};
use crate::seeded::Seeded;
use rustix::process::Signal;
use selo_sys::node::Suite;
use serde_json::Value;

/// A process that keeps a private mount: the state directory on a disk of 32 MB, which outlives the
/// gateways.
struct Disk {
    holder: Child,
}

impl Disk {
    /// `None` if this user may not mount a disk. CI must allow it.
    fn mount(site: &mut Site) -> Option<Disk> {
        let script =
            "mount -t tmpfs -o size=32m,mode=0700 none state && echo mounted && exec sleep 100000";
        fs::create_dir(site.state()).expect("makes");
        let mut holder = Command::new("unshare")
            .args(["-rm", "sh", "-c", script])
            .current_dir(site.path())
            .stdout(Stdio::piped())
            .spawn()
            .ok()?;
        let said = crate::gateway_support::Lines::of(holder.stdout.take().expect("piped"));
        if !said.has("mounted") {
            assert!(std::env::var_os("CI").is_none(), "unshare -rm fails");
            eprintln!("skipped: this user may not mount a file system (unshare -rm)");
            return None;
        }
        let pid = holder.id().to_string();
        let folder = format!("--wdns={}", site.path().display());
        let into = ["nsenter", "-t", &pid, "-U", "-m", "--preserve-credentials"];
        site.run_under(&[&into[..], &[&folder]].concat());
        Some(Disk { holder })
    }

    /// The state directory as this process sees it.
    fn state(&self, site: &Site) -> PathBuf {
        PathBuf::from(format!(
            "/proc/{}/root{}",
            self.holder.id(),
            site.state().display()
        ))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// The clock of all gateways. It needs libfaketime.
struct SetClock(PathBuf);

impl SetClock {
    fn of(site: &mut Site) -> Option<SetClock> {
        let architecture = std::env::consts::ARCH;
        let library = format!("/usr/lib/{architecture}-linux-gnu/faketime/libfaketimeMT.so.1");
        if !Path::new(&library).exists() {
            assert!(std::env::var_os("CI").is_none(), "apt-get install faketime");
            return None;
        }
        let clock = SetClock(site.path().join("clock"));
        clock.set("+0");
        site.environment(&[
            ("LD_PRELOAD", &library),
            ("FAKETIME_TIMESTAMP_FILE", &clock.0.display().to_string()),
            ("FAKETIME_NO_CACHE", "1"),
            ("DONT_FAKE_MONOTONIC", "1"),
        ]);
        Some(clock)
    }

    fn set(&self, offset: &str) {
        let new = self.0.with_extension("new");
        fs::write(&new, format!("{offset}\n")).expect("writes");
        fs::rename(new, &self.0).expect("renames");
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Fault {
    Kill,
    Copy,
    Restore,
    ClockJump,
    FullDisk,
    Stop,
}

const FAULTS: [Fault; 6] = [
    Fault::Kill,
    Fault::Copy,
    Fault::Restore,
    Fault::ClockJump,
    Fault::FullDisk,
    Fault::Stop,
];

const JUMPS: [&str; 6] = ["+0", "+800d", "-2190d", "+3d", "-2d", "+1h"];
const MANNERS: [Manner; 2] = [Manner::Tar, Manner::InPlace];

struct Trial {
    site: Site,
    disk: Disk,
    clock: Option<SetClock>,
    gateway: Option<Gateway>,
    nodes: Vec<Recorder>,
    random: Seeded,
    serial: u32,
    acknowledged: HashSet<String>,
    /// Lines printed by gateways that have ended.
    lines: Vec<String>,
    copies: Vec<PathBuf>,
    faults: HashMap<Fault, u32>,
}

impl Trial {
    fn new(seed: u64) -> Option<Trial> {
        let mut site = Site::new();
        let disk = Disk::mount(&mut site)?;
        let clock = SetClock::of(&mut site);
        let devices: Vec<_> = Suite::ALL
            .into_iter()
            .map(|suite| (suite, site.device(suite, &format!("{suite:?}"))))
            .collect();
        let gateway = site.gateway(&[]);
        let nodes = devices
            .into_iter()
            .map(|(suite, device)| Recorder::new(suite, gateway.address, device))
            .collect();
        Some(Trial {
            site,
            disk,
            clock,
            gateway: Some(gateway),
            nodes,
            random: Seeded(seed),
            serial: 0,
            acknowledged: HashSet::new(),
            lines: Vec::new(),
            copies: Vec::new(),
            faults: HashMap::new(),
        })
    }

    fn start(&mut self) {
        let gateway = self.site.gateway(&[]);
        for node in &mut self.nodes {
            node.move_gateway(gateway.address);
        }
        self.gateway = Some(gateway);
    }

    fn kill(&mut self) {
        let gateway = self.gateway.take().expect("runs");
        self.lines.extend(gateway.kill());
    }

    fn gateway(&self) -> &Gateway {
        self.gateway.as_ref().expect("runs")
    }

    /// A node sends a reading, a fault happens, and the outcome of the reading is recorded.
    fn round(&mut self) {
        let which = self.random.below(self.nodes.len());
        if !self.nodes[which].is_joined() {
            self.nodes[which].must_join();
        }
        self.serial += 1;
        let payload = format!("{which}.{}", self.serial);
        let under_way = self.nodes[which].begin(payload.as_bytes());
        std::thread::sleep(Duration::from_micros(self.random.below(3000) as u64));
        let fault = self.choose();
        // Finish the reading before a restore. Otherwise its acknowledgement may still be in flight
        // while the restore removes the reading.
        let early = (fault == Fault::Restore)
            .then(|| self.nodes[which].finish(&under_way, Duration::from_secs(20)));
        if early == Some(Sent::Acknowledged) {
            self.acknowledged.insert(payload.clone());
        }
        self.commit(fault);
        let sent = match early {
            Some(sent) => sent,
            None => self.nodes[which].finish(&under_way, Duration::from_secs(20)),
        };
        match sent {
            Sent::Acknowledged => {
                self.acknowledged.insert(payload);
            }
            // The reading was not acknowledged. The node continues with the next one.
            Sent::Lost | Sent::Unheard => self.nodes[which].forget_session(),
        }
        // An attacker replays recorded packets.
        for _ in 0..5 {
            let node = &self.nodes[self.random.below(self.nodes.len())];
            if !node.ups.is_empty() {
                node.say(&node.ups[self.random.below(node.ups.len())]);
            }
        }
        for _ in 0..self.random.below(4) {
            self.deliver();
        }
    }

    /// A node sends readings until one is acknowledged.
    fn deliver(&mut self) {
        let which = self.random.below(self.nodes.len());
        let since = Instant::now();
        loop {
            assert!(since.elapsed() < PATIENCE, "no acknowledgement arrived");
            let node = &mut self.nodes[which];
            if !node.is_joined() {
                node.must_join();
            }
            self.serial += 1;
            let payload = format!("{which}.{}", self.serial);
            if node.send(payload.as_bytes(), Duration::from_secs(20)) == Sent::Acknowledged {
                self.acknowledged.insert(payload);
                return;
            }
            node.forget_session();
        }
    }

    fn choose(&mut self) -> Fault {
        let mut fault = FAULTS[self.random.below(FAULTS.len())];
        if fault == Fault::Restore && self.copies.is_empty() {
            fault = Fault::Copy;
        }
        if fault == Fault::ClockJump && self.clock.is_none() {
            fault = Fault::Kill;
        }
        fault
    }

    fn commit(&mut self, fault: Fault) {
        *self.faults.entry(fault).or_default() += 1;
        match fault {
            Fault::Kill => {
                self.kill();
                self.start();
            }
            Fault::Stop => {
                let (code, lines, log) = self.gateway.take().expect("runs").stop();
                assert_eq!(code, Some(0), "{log}");
                self.lines.extend(lines);
                self.start();
            }
            Fault::Copy => self.copy(),
            Fault::Restore => self.restore(),
            Fault::ClockJump => {
                let jump = JUMPS[self.random.below(JUMPS.len())];
                self.clock.as_ref().expect("there is one").set(jump);
            }
            Fault::FullDisk => self.full_disk(),
        }
    }

    /// Copies the state like a snapshot of the machine: between two instructions of the gateway.
    fn copy(&mut self) {
        let copy = self.site.path().join(format!("copy-{}", self.serial));
        self.gateway().signal(Signal::STOP);
        copy_of(&self.disk.state(&self.site), &copy);
        self.gateway().signal(Signal::CONT);
        self.copies.push(copy);
        if self.copies.len() > 4 {
            let old = self.copies.remove(self.random.below(4));
            fs::remove_dir_all(old).expect("removes");
        }
    }

    /// Restores a copy, after all acknowledged readings are delivered: a restore removes the
    /// undelivered ones.
    fn restore(&mut self) {
        self.wait_delivered();
        self.kill();
        let copy = self.copies[self.random.below(self.copies.len())].clone();
        let manner = MANNERS[self.random.below(MANNERS.len())];
        put_back(manner, &copy, &self.disk.state(&self.site));
        self.start();
    }

    fn full_disk(&mut self) {
        let filler = self.disk.state(&self.site).join("filler");
        let mut file = fs::File::create(&filler).expect("there is room yet");
        for size in [1 << 16, 1] {
            let block = vec![0; size];
            while std::io::Write::write_all(&mut file, &block).is_ok() {}
        }
        // A removed file keeps its disk space while it is open.
        drop(file);
        // The reading arrives at a gateway that cannot write it. One time in three the gateway is
        // also killed meanwhile.
        std::thread::sleep(Duration::from_millis(self.random.below(100) as u64));
        let killed = self.random.below(3) == 0;
        if killed {
            self.kill();
        }
        fs::remove_file(filler).expect("removes");
        if killed {
            self.start();
        }
    }

    fn delivered(&self) -> HashSet<String> {
        let now = self.gateway.as_ref().map(|gateway| gateway.readings.all());
        let whole = now.as_deref().unwrap_or_default();
        let whole = whole.rfind('\n').map_or("", |end| &whole[..end]);
        self.lines
            .iter()
            .map(String::as_str)
            .chain(whole.lines())
            .map(payload_of)
            .collect()
    }

    fn wait_delivered(&self) {
        let since = Instant::now();
        while !self.acknowledged.is_subset(&self.delivered()) {
            assert!(since.elapsed() < PATIENCE, "acknowledged and lost");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn end(mut self) -> Verdict {
        self.wait_delivered();
        let (code, lines, log) = self.gateway.take().expect("runs").stop();
        assert_eq!(code, Some(0), "{log}");
        self.lines.extend(lines);
        let delivered = self.delivered();
        let mut names: HashMap<String, String> = HashMap::new();
        let mut first_time = HashSet::new();
        let mut doubled = 0;
        for line in self.lines.iter().map(|line| parse(line)) {
            let name = format!("{} {} {}", line["device"], line["session"], line["counter"]);
            if line["redelivered"] == false && !first_time.insert(name.clone()) {
                doubled += 1;
            }
            let payload = line["payload"].as_str().expect("text").to_owned();
            let known = names.entry(payload).or_insert_with(|| name.clone());
            doubled += u32::from(*known != name);
        }
        let mut faults: Vec<_> = self.faults.into_iter().collect();
        faults.sort_unstable();
        let lost = self.acknowledged.difference(&delivered).count();
        Verdict {
            faults,
            acknowledged: self.acknowledged.len(),
            lost,
            doubled,
            pairs: self.nodes.iter().map(|node| node.judge.pairs()).sum(),
            twice: self.nodes.iter().map(|node| node.judge.twice.len()).sum(),
            resumed: self.nodes.iter().map(|node| node.judge.resumed).sum(),
            joins: self.nodes.iter().map(|node| node.joins).sum(),
        }
    }
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

fn payload_of(line: &str) -> String {
    let line = parse(line);
    let bytes = hex::decode(line["payload"].as_str().expect("text")).expect("hexadecimal");
    String::from_utf8(bytes).expect("text")
}

struct Verdict {
    faults: Vec<(Fault, u32)>,
    acknowledged: usize,
    lost: usize,
    doubled: u32,
    pairs: usize,
    twice: usize,
    resumed: usize,
    joins: u32,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: u32 = self.faults.iter().map(|(_, count)| count).sum();
        let kinds: Vec<_> = self
            .faults
            .iter()
            .map(|(fault, count)| format!("{count} {fault:?}"))
            .collect();
        writeln!(f, "{total} faults: {}", kinds.join(", "))?;
        writeln!(
            f,
            "{} readings acknowledged: {} lost, {} doubled; {} joins",
            self.acknowledged, self.lost, self.doubled, self.joins
        )?;
        write!(
            f,
            "{} pairs of key and counter: {} used twice; {} packets under a key of a later start",
            self.pairs, self.twice, self.resumed
        )
    }
}

fn faults(count: u32, seed: u64) {
    let Some(mut trial) = Trial::new(seed) else {
        return;
    };
    for _ in 0..count {
        trial.round();
    }
    let verdict = trial.end();
    println!("seed {seed}: {verdict}");
    assert_eq!(
        (verdict.lost, verdict.doubled, verdict.twice),
        (0, 0, 0),
        "{verdict}"
    );
    assert!(
        verdict.resumed > 0 && verdict.acknowledged as u32 >= count / 2,
        "{verdict}"
    );
}

pub fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

#[test]
fn thirty_faults_lose_nothing_double_nothing_and_reuse_no_key_and_counter() {
    faults(30, 1);
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn a_thousand_faults_lose_nothing_double_nothing_and_reuse_no_key_and_counter() {
    faults(number("SELO_FAULTS", 1000) as u32, number("SELO_SEED", 2));
}
