//! Attacks on `selo collect`: connections, requests and work.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Result;
use super::broker::crowd;
use super::case::{Case, Findings, Service};
use super::honest::{self, User, reading};
use super::http::{Request, answer};
use super::site::{SITE, Site};
use super::wire::{Door, HONEST, stranger};

/// The attacks.
pub const CASES: [Case; 14] = [
    Case::new(
        Service::Collector,
        "idle",
        "60 idle TCP connections",
        |selo| {
            under(selo, false, |rig| {
                let _: () = rig.hold(crowd(&rig.door, 60));
                Ok(())
            })
        },
    ),
    Case::new(
        Service::Collector,
        "idle-tls",
        "60 TCP connections without a TLS handshake",
        |selo| {
            under(selo, true, |rig| {
                let _: () = rig.hold(crowd(&rig.door, 60));
                Ok(())
            })
        },
    ),
    Case::new(
        Service::Collector,
        "crowd",
        "600 connections from 5 addresses",
        |selo| {
            under(selo, false, |rig| {
                let _: () = rig.hold(crowd(&rig.door, 600));
                Ok(())
            })
        },
    ),
    Case::new(
        Service::Collector,
        "slowloris",
        "60 request heads, byte by byte",
        slowloris,
    ),
    Case::new(
        Service::Collector,
        "slow-body",
        "60 request bodies, byte by byte, without a login",
        slow_body,
    ),
    Case::new(
        Service::Collector,
        "long-head",
        "request heads of 33 KB, 40 KB and 1 MB",
        long_head,
    ),
    Case::new(
        Service::Collector,
        "long-body",
        "bodies of 64 MB, with a length and in chunks",
        long_body,
    ),
    Case::new(
        Service::Collector,
        "bad-chunks",
        "invalid chunks, two lengths, a request inside a request",
        bad_chunks,
    ),
    Case::new(
        Service::Collector,
        "absent-download",
        "20 unread exports of 20,000 readings",
        absent_download,
    )
    .long(),
    Case::new(
        Service::Collector,
        "absent-listener",
        "20 live listeners that do not read",
        absent_listener,
    ),
    Case::new(
        Service::Collector,
        "many-logins",
        "250 logins at once",
        many_logins,
    ),
    Case::new(
        Service::Collector,
        "empty-lines",
        "4 MB of `{}` lines as readings",
        empty_lines,
    ),
    Case::new(
        Service::Collector,
        "late-readings",
        "25,000 late readings of one station in one body",
        late_readings,
    )
    .long(),
    Case::new(
        Service::Collector,
        "hostile-mqtt",
        "200 invalid readings published by a gateway",
        hostile_mqtt,
    ),
];

/// Rounds that each honest user must complete during an attack.
const ROUNDS: u64 = 15;

/// A collector under attack.
#[derive(Debug)]
pub struct Rig {
    /// The site with the collector.
    pub site: Site,
    /// Its listener.
    pub door: Door,
    /// The header line with the admin's cookie.
    pub admin: String,
    users: Vec<User>,
    held: Vec<TcpStream>,
    /// The verdict so far.
    pub findings: Findings,
}

impl Rig {
    /// Starts a collector with an operator and a station. With `tls`, also a broker.
    pub fn start(selo: &Path, tls: bool) -> Result<Rig> {
        let services = [Service::Broker, Service::Collector];
        let site = Site::with(selo, if tls { &services } else { &services[1..] })?;
        let mut users = vec![honest::operator(&site)?, honest::station(&site)?];
        if tls {
            users.push(honest::publisher(&site)?);
        }
        users.iter().for_each(|user| user.serve(1));
        Ok(Rig {
            door: site.http()?,
            admin: site.admin()?,
            site,
            users,
            held: Vec::new(),
            findings: Findings::default(),
        })
    }

    /// Keeps connections open until the honest users have been served.
    fn hold(&mut self, streams: Vec<TcpStream>) {
        self.findings
            .figure("hostile connections", streams.len() as f64);
        self.held.extend(streams);
    }

    /// Serves the honest users once more, then stops everything. Every reading that was
    /// acknowledged to an honest user must be stored.
    pub fn finish(mut self) -> Result<Findings> {
        self.users.iter().for_each(|user| user.serve(ROUNDS));
        self.held.clear();
        Ok(honest::finish(self.site, self.users, self.findings))
    }
}

fn under(selo: &Path, tls: bool, attack: impl FnOnce(&mut Rig) -> Result<()>) -> Result<Findings> {
    let mut rig = Rig::start(selo, tls)?;
    attack(&mut rig)?;
    rig.finish()
}

/// Writes bytes one at a time on many connections, until the case ends.
fn drip(rig: &mut Rig, count: usize, bytes: Vec<u8>) -> Result<()> {
    let mut streams = crowd(&rig.door, count);
    let copies: Vec<TcpStream> = streams
        .iter()
        .filter_map(|tcp| tcp.try_clone().ok())
        .collect();
    rig.hold(copies);
    std::thread::spawn(move || {
        for byte in bytes.iter().cycle().take(600) {
            for tcp in &mut streams {
                let _ = tcp.write_all(&[*byte]);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    Ok(())
}

fn slowloris(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let host = rig.door.to.to_string();
        drip(rig, 60, Request::get("/api/v1/stations").bytes(&host))
    })
}

fn slow_body(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let host = rig.door.to.to_string();
        let head = format!(
            "POST /api/v1/login HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: 4000000\r\n\r\n"
        );
        let mut streams = crowd(&rig.door, 60);
        for tcp in &mut streams {
            let _ = tcp.write_all(head.as_bytes());
        }
        rig.hold(streams);
        drip(rig, 1, b"{".to_vec())
    })
}

fn long_head(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        for (kilobytes, refused) in [(16, false), (33, true), (40, true), (1024, true)] {
            let line = format!("X-Long: {}", "a".repeat(kilobytes << 10));
            let asked = Request::get("/healthz").with(&line).ask(&rig.door, HONEST);
            let taken = asked.is_ok_and(|answer| answer.status == 200);
            rig.findings.expect(
                taken != refused,
                format!(
                    "a head of {kilobytes} KB is {}",
                    if taken { "accepted" } else { "refused" }
                ),
            );
        }
        Ok(())
    })
}

fn long_body(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let megabyte = vec![b' '; 1 << 20];
        let (_, token) = rig.site.token(&rig.admin, "long", "device", "00000002")?;
        for (line, chunked) in [
            ("Content-Length: 67108864", false),
            ("Transfer-Encoding: chunked", true),
        ] {
            for route in ["login", "readings", "exchange/reading"] {
                let mut stream = rig.door.open(stranger(0))?;
                let head = format!(
                    "POST /api/v1/{route} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
                     Connection: close\r\n{token}\r\n{line}\r\n\r\n",
                    rig.door.to
                );
                let mut open = stream.write_all(head.as_bytes()).is_ok();
                for _ in 0..64 {
                    if chunked {
                        open = open && stream.write_all(b"100000\r\n").is_ok();
                    }
                    open = open && stream.write_all(&megabyte).is_ok();
                    if chunked {
                        open = open && stream.write_all(b"\r\n").is_ok();
                    }
                }
                let status = answer(&mut stream).map_or(0, |answer| answer.status);
                rig.findings.expect(
                    status == 0 || (400..500).contains(&status),
                    format!("64 MB to {route}: status {status}"),
                );
            }
        }
        Ok(())
    })
}

fn bad_chunks(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let host = rig.door.to.to_string();
        for (tail, head) in [
            ("zz\r\nab\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
            ("ffffffffffffffff\r\n{}", "Transfer-Encoding: chunked"),
            ("5;x=\u{1}\r\n{}\r\n", "Transfer-Encoding: chunked"),
            (
                "0\r\n\r\nGET /api/v1/tokens HTTP/1.1\r\n\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4",
            ),
            ("{}", "Content-Length: 2\r\nContent-Length: 40"),
            ("{}", "Content-Length: -1"),
        ] {
            let mut stream = rig.door.open(stranger(0))?;
            stream
                .tcp()
                .set_read_timeout(Some(Duration::from_secs(2)))?;
            let text = format!(
                "POST /api/v1/login HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{head}\r\n\r\n{tail}"
            );
            let _ = stream.write_all(text.as_bytes());
            let status = answer(&mut stream).map_or(0, |answer| answer.status);
            let held = status == 0 || (400..500).contains(&status);
            rig.findings
                .expect(held, format!("'{head}': status {status}"));
        }
        Ok(())
    })
}

/// A minimal reading with a total.
fn total(device: &str, counter: u64) -> String {
    format!(
        r#"{{"schema":"selo.reading/1","device":"{device}","session":"0000000000000007","counter":{counter},"payload":"","values":{{"rain_total":{{"value":{counter}}}}}}}"#
    )
}

/// Posts readings, `batch` per body. Halves a body that is too much work, as the collector asks.
fn post_readings(rig: &Rig, token: &str, lines: &[String], batch: usize) -> Result<()> {
    let path = format!("/api/v1/readings?site={SITE}");
    for part in lines.chunks(batch) {
        let body = part.join("\n");
        let request = Request::post(&path, body.as_bytes()).with(token);
        let answer = request.ask(&rig.door, HONEST)?;
        if matches!(answer.status, 400 | 413 | 422) && part.len() > 1 {
            post_readings(rig, token, part, part.len().div_ceil(2))?;
        }
    }
    Ok(())
}

fn absent_download(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let (_, token) = rig.site.token(&rig.admin, "roof", "device", "00000003")?;
        let lines: Vec<String> = (0..20_000).map(|n| total("00000003", n)).collect();
        post_readings(rig, &token, &lines, 2_000)?;
        let request = Request::get("/api/v1/export?format=json").with(&rig.admin);
        let mut held = Vec::new();
        for number in 0..20 {
            let mut stream = rig.door.open(stranger(number))?;
            stream.write_all(&request.bytes(&rig.door.to.to_string()))?;
            held.push(stream.tcp().try_clone()?);
        }
        rig.hold(held);
        Ok(())
    })
}

fn absent_listener(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let request = Request::get("/api/v1/events").with(&rig.admin);
        let mut held = Vec::new();
        for number in 0..20 {
            let mut stream = rig.door.open(stranger(number))?;
            stream.write_all(&request.bytes(&rig.door.to.to_string()))?;
            held.push(stream.tcp().try_clone()?);
        }
        rig.hold(held);
        let (_, token) = rig.site.token(&rig.admin, "roof", "device", "00000003")?;
        let lines: Vec<String> = (0..4_000).map(|n| total("00000003", n)).collect();
        post_readings(rig, &token, &lines, 1_000)?;
        Ok(())
    })
}

fn many_logins(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let start = Arc::new(AtomicBool::new(false));
        let body = r#"{"user":"admin","password":"wrong"}"#;
        let guessers: Vec<_> = (0..250)
            .map(|number| {
                let (door, start) = (rig.door.clone(), Arc::clone(&start));
                std::thread::spawn(move || {
                    while !start.load(Ordering::Relaxed) {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    let request = Request::post("/api/v1/login", body.as_bytes());
                    let asked = request.ask(&door, stranger(number));
                    asked.map_or(0, |answer| answer.status)
                })
            })
            .collect();
        start.store(true, Ordering::Relaxed);
        let answers: Vec<u16> = guessers
            .into_iter()
            .filter_map(|one| one.join().ok())
            .collect();
        let count = |status: u16| answers.iter().filter(|one| **one == status).count();
        rig.findings.note(format!(
            "401: {}, 429: {}, 503: {}",
            count(401),
            count(429),
            count(503)
        ));
        rig.findings
            .expect(count(200) == 0, "a wrong password was accepted");
        rig.findings
            .figure("logins refused with 503", count(503) as f64);
        Ok(())
    })
}

fn empty_lines(selo: &Path) -> Result<Findings> {
    under(selo, false, |rig| {
        let (_, token) = rig.site.token(&rig.admin, "roof", "device", "00000003")?;
        let body = "{}\n".repeat((4 << 20) / 3 - 1);
        let path = format!("/api/v1/readings?site={SITE}");
        let asked = Request::post(&path, body.as_bytes())
            .with(&token)
            .ask(&rig.door, HONEST);
        let bytes = asked.map_or(0, |answer| answer.body.len());
        rig.findings.note(format!("answer {} KB", bytes >> 10));
        rig.findings.figure("bytes of the answer", bytes as f64);
        rig.findings
            .expect(bytes <= 1 << 20, format!("an answer of {} MB", bytes >> 20));
        Ok(())
    })
}

/// Posts readings of a long outage, all older than the newest stored one.
fn late_readings(selo: &Path) -> Result<Findings> {
    const LATE: u64 = 25_000;
    under(selo, false, |rig| {
        let (_, token) = rig.site.token(&rig.admin, "roof", "device", "00000003")?;
        post_readings(rig, &token, &[total("00000003", LATE)], 1)?;
        let lines: Vec<String> = (0..LATE).map(|n| total("00000003", n)).collect();
        let since = Instant::now();
        let answered = post_readings(rig, &token, &lines, LATE as usize);
        let took = since.elapsed().as_secs_f64();
        let stored = rig
            .site
            .stored(&rig.admin, Some("00000003"))?
            .saturating_sub(1);
        if let Err(error) = answered {
            rig.findings
                .expect(false, format!("the backlog got no answer: {error}"));
        }
        rig.findings.note(format!("{stored} late in {took:.1} s"));
        rig.findings.figure("late readings stored", stored as f64);
        rig.findings.figure("late readings, s", took);
        rig.findings.expect(
            stored == LATE,
            format!("only {stored} of {LATE} late readings were stored"),
        );
        Ok(())
    })
}

fn hostile_mqtt(selo: &Path) -> Result<Findings> {
    under(selo, true, |rig| {
        let login = rig.site.login("gateway", "south")?;
        let mut client = super::mqtt::Client::open(&rig.site.mqtt()?, stranger(0), &login)?;
        let deep = "[".repeat(30_000);
        let long = reading("00000005", 1, 0, &"ab".repeat(8_000));
        for number in 0..200 {
            let text = match number % 5 {
                0 => "{}",
                1 => "\u{0}\u{1}",
                2 => deep.as_str(),
                3 => long.as_str(),
                _ => {
                    r#"{"schema":"selo.reading/1","device":"00000005","session":"x","counter":-1}"#
                }
            };
            client.send(&format!("selo/{SITE}/reading/00000005"), text.as_bytes())?;
            client.acknowledged()?;
        }
        let mut rest = [0; 1];
        client
            .stream
            .tcp()
            .set_read_timeout(Some(Duration::from_millis(100)))?;
        let _ = client.stream.read(&mut rest);
        Ok(())
    })
}
