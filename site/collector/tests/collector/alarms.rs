//! Alarms are raised once and reported reliably, even across a restart.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::common::{NOON, Site, message};
use selo_collector::channel::signature;
use serde_json::{Value, json};

/// A webhook that refuses the first `refusals` requests. Returns its URL and the accepted
/// requests.
fn webhook(refusals: usize) -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
    let url = format!("http://{}/hook", listener.local_addr().expect("an address"));
    let (took, taken) = channel();
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
            let (mut head, mut size) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line");
                if line.trim().is_empty() {
                    break;
                }
                let line = line.to_lowercase();
                if let Some(length) = line.strip_prefix("content-length:") {
                    size = length.trim().parse().expect("a number");
                }
                head.push_str(&line);
            }
            let mut body = vec![0; size];
            reader.read_exact(&mut body).expect("a body");
            let status = if number < refusals {
                "503 Busy"
            } else {
                "200 OK"
            };
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.write_all(answer.as_bytes()).expect("answers");
            if number >= refusals {
                let body = String::from_utf8(body).expect("text");
                if took.send((head, body)).is_err() {
                    return;
                }
            }
        }
    });
    (url, taken)
}

fn alarms(site: &Site) -> Vec<(String, bool)> {
    let answer = site.client.get("/api/v1/alarms").ok();
    ["active", "past"]
        .iter()
        .flat_map(|list| answer[list].as_array().expect("a list").clone())
        .map(|alarm| {
            let name = alarm["alarm"].as_str().expect("text").to_string();
            (name, alarm["active"].as_bool().expect("a boolean"))
        })
        .collect()
}

fn set_rules(site: &Site, rules: Value) {
    let body = json!({"rules": rules}).to_string();
    site.client.request("PUT", "/api/v1/rules", &[], &body).ok();
}

#[test]
fn rain_raises_and_clears_once() {
    let mut site = Site::start();
    set_rules(
        &site,
        json!([{"name": "flood", "kind": "rain", "over": "1h", "limit": 20.0, "clear": 5.0}]),
    );
    let send = |site: &Site, n: u32, at: i64, rain: f64| {
        site.client.send(&[message("3f9a01c2", 1, n, at, rain)]);
    };
    send(&site, 0, NOON - 600_000, 100.0);
    send(&site, 1, NOON - 300_000, 119.8);
    assert_eq!(alarms(&site), []);
    send(&site, 2, NOON - 120_000, 120.2);
    assert_eq!(alarms(&site), [("flood".into(), true)]);
    let station = site.client.get("/api/v1/stations/3f9a01c2").ok();
    assert_eq!(station["alarms"][0]["alarm"], "flood");
    // Neither more rain nor a restart raises it again.
    send(&site, 3, NOON - 60_000, 125.0);
    site.restart();
    send(&site, 4, NOON - 30_000, 126.0);
    assert_eq!(alarms(&site), [("flood".into(), true)]);
    // Two hours later, time alone clears it.
    site.pass(7_200_000);
    site.watch_clock();
    assert_eq!(alarms(&site), [("flood".into(), false)]);
}

#[test]
fn a_station_falls_silent_and_comes_back() {
    let site = Site::start();
    set_rules(
        &site,
        json!([{"name": "quiet", "kind": "silent", "over": "30m"}]),
    );
    site.client.send(&[message("3f9a01c2", 1, 0, NOON, 0.0)]);
    site.pass(1_799_999);
    site.watch_clock();
    assert_eq!(alarms(&site), []);
    // A reading from a gateway whose clock is a year ahead does not end the silence.
    site.client
        .send(&[message("3f9a01c2", 1, 1, NOON + 366 * 86_400_000, 0.0)]);
    site.pass(1);
    site.watch_clock();
    site.watch_clock();
    assert_eq!(alarms(&site), [("quiet".into(), true)]);
    let station = site.client.get("/api/v1/stations/3f9a01c2").ok();
    assert_eq!(station["state"], "silent");
    assert_eq!(station["implausible"], 1);
    assert_eq!(station["counter"], 0);
    site.client
        .send(&[message("3f9a01c2", 1, 2, NOON + 1_800_000, 0.0)]);
    assert_eq!(alarms(&site), [("quiet".into(), false)]);
}

#[test]
fn values_have_two_limits_and_rules_that_go_clear() {
    let site = Site::start();
    set_rules(
        &site,
        json!([
            {"name": "hot", "kind": "value", "value": "temperature", "limit": 1.0, "clear": 0.5},
            {"name": "low", "kind": "battery", "limit": 3.9, "clear": 4.0},
        ]),
    );
    let send = |n: u32| {
        site.client
            .send(&[message("3f9a01c2", 1, n, NOON + i64::from(n), 0.0)])
    };
    send(9); // 0.9 degrees
    assert_eq!(alarms(&site), [("low".into(), true)]);
    send(10);
    assert_eq!(alarms(&site).len(), 2);
    // A late reading is not the newest, so it clears nothing.
    send(4);
    assert_eq!(alarms(&site).len(), 2);
    set_rules(&site, json!([]));
    assert!(alarms(&site).iter().all(|(_, active)| !active));
    for wrong in [
        "{}",
        "{\"rules\":[{\"name\":\"a\",\"kind\":\"rain\"}]}",
        "{\"rules\":1}",
    ] {
        assert_eq!(
            site.client
                .request("PUT", "/api/v1/rules", &[], wrong)
                .status,
            400,
            "{wrong}"
        );
    }
}

/// The next accepted request. The webhook may refuse before or after any step of a test, and the
/// pause that follows ends only if the site's clock goes on.
fn after_pauses(site: &Site, taken: &Receiver<(String, String)>) -> (String, String) {
    for _ in 0..600 {
        site.pass(10_000);
        if let Ok(request) = taken.recv_timeout(Duration::from_millis(100)) {
            return request;
        }
    }
    panic!("no notice in a minute");
}

#[test]
fn a_webhook_hears_in_order_and_for_certain() {
    let (url, taken) = webhook(1);
    let mut site = Site::start_with(|config| config.webhooks = vec![url]);
    set_rules(
        &site,
        json!([{"name": "hot", "kind": "value", "value": "temperature", "limit": 1.0, "clear": 0.5}]),
    );
    site.client.send(&[message("3f9a01c2", 1, 10, NOON, 0.0)]);
    // The webhook has refused once or has not been called yet. Then the collector restarts.
    site.restart();
    site.client
        .send(&[message("3f9a01c2", 2, 0, NOON + 1000, 0.0)]);
    let secret =
        std::fs::read_to_string(site.folder.path().join("state/webhook-secret")).expect("a secret");
    let mut known = Vec::new();
    for active in [true, false] {
        let (head, body) = after_pauses(&site, &taken);
        let notice: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(notice["schema"], "selo.alarm/1");
        assert_eq!(notice["active"], active);
        let header = |name: &str| -> String {
            let line = head
                .lines()
                .find(|line| line.starts_with(name))
                .expect("a header");
            line[name.len() + 1..].trim().into()
        };
        let time = header("x-selo-timestamp");
        assert_eq!(
            header("x-selo-signature"),
            signature(secret.trim(), &time, &body)
        );
        known.push(header("x-selo-delivery"));
    }
    assert_ne!(known[0], known[1]);
}
