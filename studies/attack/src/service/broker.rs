//! Attacks on `selo broker`.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use super::Result;
use super::case::{Case, Findings, Service};
use super::honest::{self, reading};
use super::mqtt::{Client, Login, connect, packet};
use super::site::{SITE, Site};
use super::wire::{Door, HONEST, stranger};

/// The attacks.
pub const CASES: [Case; 11] = [
    Case::new(
        Service::Broker,
        "idle-handshake",
        "one idle TCP connection",
        |selo| idle(selo, 1),
    ),
    Case::new(
        Service::Broker,
        "idle-crowd",
        "600 idle TCP connections from 5 addresses",
        |selo| idle(selo, 600),
    ),
    Case::new(
        Service::Broker,
        "half-handshake",
        "20 TLS handshakes that stop after some bytes",
        half_handshake,
    ),
    Case::new(
        Service::Broker,
        "connect-by-byte",
        "20 CONNECT packets, byte by byte",
        connect_by_byte,
    ),
    Case::new(
        Service::Broker,
        "absent-reader",
        "a subscriber that does not read the 40 MB sent to it",
        absent_reader,
    ),
    Case::new(
        Service::Broker,
        "oversized-packet",
        "packets that announce 256 MB and send 8 MB",
        oversized,
    ),
    Case::new(
        Service::Broker,
        "not-mqtt",
        "200 connections with random bytes and cut packets",
        not_mqtt,
    ),
    Case::new(
        Service::Broker,
        "shared-group",
        "a read-only user joins the collectors' shared subscription",
        shared_group,
    ),
    Case::new(
        Service::Broker,
        "absent-sessions",
        "150 offline sessions with 3 MB queued for each",
        absent_sessions,
    ),
    Case::new(
        Service::Broker,
        "wrong-passwords",
        "250 logins with wrong passwords, 50 at a time",
        wrong_passwords,
    ),
    Case::new(
        Service::Broker,
        "log-lines",
        "line feeds and escapes in client, user and topic",
        log_lines,
    ),
];

/// Rounds that each honest user must complete during an attack.
const ROUNDS: u64 = 15;

/// Longest wait of an attacker for a connection. A burst fills the listener's queue for a moment, and
/// the kernel tries again after 1 and 3 seconds: only a queue that stays full ends the attack.
const QUEUED: Duration = Duration::from_secs(4);

/// Addresses of a crowd. Together they may have fewer connections than a service accepts.
/// Attackers with more addresses can fill any service for a while, until its deadlines free the
/// connections.
const CROWD: usize = 5;

/// Runs a broker under `attack`, with a publisher and users who reconnect. Returns their figures.
fn under(
    selo: &Path,
    attack: impl FnOnce(&Site, &mut Findings) -> Result<Vec<TcpStream>>,
) -> Result<Findings> {
    let site = Site::with(selo, &[Service::Broker])?;
    let users = vec![honest::publisher(&site)?, honest::newcomer(&site)?];
    users.iter().for_each(|user| user.serve(1));
    let mut findings = Findings::default();
    let held = attack(&site, &mut findings)?;
    users.iter().for_each(|user| user.serve(ROUNDS));
    drop(held);
    Ok(honest::finish(site, users, findings))
}

/// Idle connections. A listener may close them as a defence.
fn idle(selo: &Path, count: usize) -> Result<Findings> {
    under(selo, |site, findings| {
        let held = crowd(&site.mqtt()?, count);
        findings.figure("idle connections", held.len() as f64);
        Ok(held)
    })
}

/// Connections from five addresses, as many as the listener accepts. Stops at the first one that
/// waits in a full queue.
pub fn crowd(door: &Door, count: usize) -> Vec<TcpStream> {
    (0..count)
        .map_while(
            |number| match door.knock_for(stranger(number % CROWD), QUEUED) {
                Err(error) if error.kind() == ErrorKind::TimedOut => None,
                other => Some(other.ok()),
            },
        )
        .flatten()
        .collect()
}

fn half_handshake(selo: &Path) -> Result<Findings> {
    under(selo, |site, _| {
        let mut held = crowd(&site.mqtt()?, 20);
        for tcp in &mut held {
            // The head of a TLS record whose body never comes.
            let _ = tcp.write_all(&[0x16, 3, 1, 2, 0, 1]);
        }
        Ok(held)
    })
}

fn connect_by_byte(selo: &Path) -> Result<Findings> {
    under(selo, |site, findings| {
        let login = site.login("viewer", "slow")?;
        let door = site.mqtt()?;
        let bytes = connect(&login);
        let mut slow: Vec<_> = (0..20)
            .filter_map(|n| door.open(stranger(n)).ok())
            .collect();
        findings.figure("slow clients", slow.len() as f64);
        let mut kept = Vec::new();
        for stream in &slow {
            kept.push(stream.tcp().try_clone()?);
        }
        std::thread::spawn(move || {
            for byte in bytes {
                for stream in &mut slow {
                    let _ = stream.write_all(&[byte]).and_then(|()| stream.flush());
                }
                std::thread::sleep(Duration::from_millis(200));
            }
        });
        Ok(kept)
    })
}

/// A reading's message with a payload of this size.
fn heavy(counter: u64, kibibytes: usize) -> String {
    reading("00000003", 1, counter, &"ab".repeat(kibibytes * 512))
}

/// Publishes heavy messages as a gateway with valid credentials.
fn publish_heavy(site: &Site, count: u64, kibibytes: usize) -> Result<()> {
    let mut client = Client::open(&site.mqtt()?, HONEST, &site.login("gateway", "heavy")?)?;
    for counter in 0..count {
        let text = heavy(counter, kibibytes);
        client.send(&format!("selo/{SITE}/reading/00000003"), text.as_bytes())?;
        client.acknowledged()?;
    }
    Ok(())
}

fn absent_reader(selo: &Path) -> Result<Findings> {
    under(selo, |site, _| {
        let login = site.login("viewer", "absent")?;
        let mut client = Client::open(&site.mqtt()?, stranger(0), &login)?;
        client.subscribe(&format!("selo/{SITE}/#"))?;
        publish_heavy(site, 2500, 16)?;
        Ok(vec![client.stream.tcp().try_clone()?])
    })
}

fn oversized(selo: &Path) -> Result<Findings> {
    under(selo, |site, findings| {
        let door = site.mqtt()?;
        let megabyte = vec![0x61; 1 << 20];
        let mut sent = 0;
        for head in [0x10, 0x32] {
            let mut stream = door.open(stranger(0))?;
            let whole = stream.write_all(&[head, 0xff, 0xff, 0xff, 0x7f]).is_ok();
            sent += (0..8)
                .filter(|_| whole && stream.write_all(&megabyte).is_ok())
                .count();
        }
        let login = site.login("viewer", "long")?;
        let mut client = Client::open(&door, stranger(1), &login)?;
        let _ = client.write(&[0x32, 0xff, 0xff, 0xff, 0x7f]);
        sent += (0..8).filter(|_| client.write(&megabyte).is_ok()).count();
        findings.figure("megabytes sent", sent as f64);
        Ok(Vec::new())
    })
}

fn not_mqtt(selo: &Path) -> Result<Findings> {
    under(selo, |site, _| {
        let door = site.mqtt()?;
        let login = site.login("viewer", "cut")?;
        for number in 0..200 {
            let random: [u8; 64] = selo_link::random_bytes()?;
            // Every fourth connection completes its handshake, which costs both sides the most.
            if number % 4 == 0 {
                let Ok(mut stream) = door.open(stranger(number % 50)) else {
                    continue;
                };
                let whole = connect(&login);
                let part = &whole[..number % whole.len()];
                let _ = stream.write_all(if number % 8 == 0 { &random } else { part });
            } else if let Ok(mut tcp) = door.knock(stranger(number % 50)) {
                let _ = tcp.write_all(&random);
            }
        }
        Ok(Vec::new())
    })
}

fn shared_group(selo: &Path) -> Result<Findings> {
    const READINGS: u64 = 60;
    const GROUP: &str = "$share/selo-collector/selo/+/reading/+";
    let site = Site::with(selo, &[Service::Broker])?;
    let (door, mut findings) = (site.mqtt()?, Findings::default());
    let mut collector = Client::open(&door, HONEST, &site.login("collector", "collector")?)?;
    collector.subscribe(GROUP)?;
    let mut joined = 0;
    let mut guests = Vec::new();
    for number in 0..3 {
        let login = site.login("viewer", &format!("guest{number}"))?;
        let mut guest = Client::open(&door, stranger(0), &login)?;
        joined += u64::from(guest.subscribe(GROUP).is_ok());
        guests.push(guest);
    }
    let login = site.login("gateway", "north")?;
    let publishing = std::thread::spawn({
        let door = door.clone();
        move || -> std::io::Result<()> {
            let mut gateway = Client::open(&door, HONEST, &login)?;
            for counter in 0..READINGS {
                let text = reading("00000001", 1, counter, "00");
                gateway.send(&format!("selo/{SITE}/reading/00000001"), text.as_bytes())?;
                gateway.acknowledged()?;
            }
            Ok(())
        }
    });
    // Readings that went to the guests never arrive.
    collector
        .stream
        .tcp()
        .set_read_timeout(Some(Duration::from_secs(5)))?;
    let arrived = (0..READINGS)
        .take_while(|_| collector.message().is_ok())
        .count() as u64;
    let published = publishing.join().is_ok_and(|done| done.is_ok());
    findings.note(format!(
        "collector {arrived} of {READINGS} acknowledged readings"
    ));
    findings.figure("readings at the collector", arrived as f64);
    findings.figure("guests in the group", joined as f64);
    findings.expect(published, "the gateway could not publish");
    findings.expect(arrived == READINGS, "readings went to a guest");
    findings.expect(joined == 0, format!("{joined} guests joined the group"));
    Ok(honest::finish(site, Vec::new(), findings))
}

fn absent_sessions(selo: &Path) -> Result<Findings> {
    under(selo, |site, findings| {
        let door = site.mqtt()?;
        let mut absent = 0;
        for number in 0..150 {
            let login = Login {
                keep: 86_400,
                ..site.login("viewer", &format!("absent{number}"))?
            };
            let Ok(mut client) = Client::open(&door, stranger(0), &login) else {
                continue;
            };
            absent += u64::from(client.subscribe(&format!("selo/{SITE}/#")).is_ok());
            let _ = client.write(&[0xe0, 0]);
        }
        findings.figure("absent sessions", absent as f64);
        publish_heavy(site, 200, 16)?;
        Ok(Vec::new())
    })
}

fn wrong_passwords(selo: &Path) -> Result<Findings> {
    let mut lines = 0;
    let log_before = |site: &Site| log_of(site).lines().count();
    let mut findings = under(selo, |site, findings| {
        let before = log_before(site);
        let door = site.mqtt()?;
        let login = Login {
            password: "wrong".into(),
            ..site.login("viewer", "guesser")?
        };
        let guessers: Vec<_> = (0..50)
            .map(|_| {
                let (door, login) = (door.clone(), login.clone());
                std::thread::spawn(move || {
                    (0..5)
                        .filter(|_| Client::open(&door, stranger(0), &login).is_ok())
                        .count()
                })
            })
            .collect();
        let entered: usize = guessers
            .into_iter()
            .filter_map(|guesser| guesser.join().ok())
            .sum();
        findings.expect(entered == 0, "a wrong password was accepted");
        lines = log_before(site) - before;
        Ok(Vec::new())
    })?;
    findings.note(format!("{lines} lines of log for 250 logins"));
    findings.figure("lines of log", lines as f64);
    findings.expect(lines <= 50, format!("{lines} lines of log for one address"));
    Ok(findings)
}

fn log_of(site: &Site) -> String {
    let bytes = std::fs::read(site.path().join("broker.log")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// External text that would forge a log line and change the terminal's colour.
pub const FORGED: &str = "x\n2026-01-01T00:00:00Z  INFO forged-line\u{1b}[31m";

fn log_lines(selo: &Path) -> Result<Findings> {
    let mut log = String::new();
    let mut findings = under(selo, |site, _| {
        let door = site.mqtt()?;
        for (client, user) in [(FORGED, "viewer"), ("guest", FORGED), (FORGED, FORGED)] {
            let login = Login {
                client: client.into(),
                user: user.into(),
                password: "wrong".into(),
                keep: 0,
            };
            let _ = Client::open(&door, stranger(0), &login);
        }
        // The broker may refuse such names. The next one is an ordinary client.
        for name in [FORGED, "guest"] {
            let login = site.login("viewer", name)?;
            let Ok(mut client) = Client::open(&door, stranger(1), &login) else {
                continue;
            };
            client
                .stream
                .tcp()
                .set_read_timeout(Some(Duration::from_millis(500)))?;
            let _ = client.subscribe(FORGED);
            let _ = client.send(&format!("selo/{FORGED}"), b"x");
            let _ = client.acknowledged();
            let _ = client.write(&packet(0x30, &[0, 2, b'\n', 0x1b]));
            let _ = client.read_to_end();
        }
        log = log_of(site);
        Ok(Vec::new())
    })?;
    check_log(&log, &mut findings);
    Ok(findings)
}

/// Checks that no external bytes appear unescaped in a log.
pub fn check_log(log: &str, findings: &mut Findings) {
    let forged = log
        .lines()
        .filter(|line| line.starts_with("2026-01-01T00:00:00Z"))
        .count();
    let escapes = log.matches('\u{1b}').count();
    findings.figure("forged lines", forged as f64);
    findings.figure("escape sequences", escapes as f64);
    findings.expect(forged == 0, format!("{forged} forged lines in the log"));
    findings.expect(
        escapes == 0,
        format!("{escapes} escape sequences in the log"),
    );
}
