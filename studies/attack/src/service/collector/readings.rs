//! Clients that read nothing, log in often, or send odd readings.

use std::io::Read;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::super::Result;
use super::super::case::Findings;
use super::super::honest::reading;
use super::super::http::Request;
use super::super::site::SITE;
use super::super::wire::{HONEST, stranger};
use super::rig::{Rig, under};

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

pub(super) fn absent_download(selo: &Path) -> Result<Findings> {
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

pub(super) fn absent_listener(selo: &Path) -> Result<Findings> {
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

pub(super) fn many_logins(selo: &Path) -> Result<Findings> {
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

pub(super) fn empty_lines(selo: &Path) -> Result<Findings> {
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
pub(super) fn late_readings(selo: &Path) -> Result<Findings> {
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

pub(super) fn hostile_mqtt(selo: &Path) -> Result<Findings> {
    under(selo, true, |rig| {
        let login = rig.site.login("gateway", "south")?;
        let mut client = super::super::mqtt::Client::open(&rig.site.mqtt()?, stranger(0), &login)?;
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
