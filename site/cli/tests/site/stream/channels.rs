//! Channels and settings of collectors that share a database.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Net;
use super::page::Page;
use super::server::Nats;
use crate::gateway_support::{PATIENCE, Site};
use crate::postgres::Cluster;

/// A receiver of webhooks. Returns its address, and what is posted to it.
fn receiver() -> (String, Receiver<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    let (send, posted) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let mut length = 0;
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                let lower = line.to_lowercase();
                if let Some(number) = lower.strip_prefix("content-length:") {
                    length = number.trim().parse().expect("a number");
                }
                line.clear();
            }
            let mut body = vec![0; length];
            if reader.read_exact(&mut body).is_err() {
                continue;
            }
            let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _ = reader.get_mut().write_all(answer.as_bytes());
            if send
                .send(serde_json::from_slice(&body).expect("JSON"))
                .is_err()
            {
                return;
            }
        }
    });
    (format!("http://{address}/"), posted)
}

/// The names of the channels that a collector shows.
fn names(page: &Page) -> Vec<String> {
    let (status, body) = page.get("channels");
    assert_eq!(status, 200, "{body}");
    let all = body["channels"].as_array().expect("a list");
    let name = |one: &Value| one["name"].as_str().expect("a name").to_owned();
    all.iter().map(name).collect()
}

/// Alarms that were posted: each once.
#[derive(Default)]
struct Told(BTreeSet<String>);

impl Told {
    fn take(&mut self, posted: &Receiver<Value>) {
        for body in posted.try_iter() {
            let one = format!("{} {} {}", body["id"], body["alarm"], body["active"]);
            assert!(self.0.insert(one), "told twice: {body}");
        }
    }
}

#[test]
fn channels_and_settings_hold_at_every_collector() {
    let (Some(cluster), Some(nats)) = (Cluster::start(), Nats::start()) else {
        return;
    };
    let mut net = Net::new(nats, Some(cluster));
    let (url, first) = receiver();
    // Both have the same file, as earlier versions wanted.
    let duty = json!({"id": 1, "name": "duty", "kind": "webhook", "active": true,
        "severity": "info", "after_minutes": 0, "quiet": null, "language": "en", "url": url,
        "secret": "a secret"});
    let file = json!({"next": 1, "channels": [duty]}).to_string();
    for number in 0..2 {
        let home = Site::new();
        let folder = home.state().join("collector");
        std::fs::create_dir_all(&folder).expect("made");
        for (path, mode) in [(&folder, 0o700), (&folder.join("channels.json"), 0o600)] {
            if mode == 0o600 {
                std::fs::write(path, &file).expect("written");
            }
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(path, mode).expect("set");
        }
        net.homes.push(home);
        net.collectors.push(None);
        net.start_collector(number);
        assert!(!folder.join("channels.json").exists());
        assert!(folder.join("channels.moved").exists());
        assert!(!net.logs().contains("does not take over"), "{}", net.logs());
    }
    let admin = net.admin(0);
    let pages = [admin.clone(), admin.at(&net.page(1))];
    net.start_gateway();
    net.join();
    net.deliver(1);
    net.is_complete();
    let cluster = net.cluster.as_ref().expect("runs");
    cluster.psql("UPDATE station SET last_seen = last_seen - 120000");

    // What one changes, the other shows.
    let (url, second) = receiver();
    let desk = json!({"name": "desk", "kind": "webhook", "url": url, "severity": "info"});
    let (status, made) = pages[1].ask("POST", "channels", &desk);
    assert_eq!(status, 201, "{made}");
    for page in &pages {
        assert_eq!(names(page), ["duty", "desk"]);
    }
    let named = json!({"name": "Our farm", "zone": "America/Sao_Paulo"});
    assert_eq!(pages[1].ask("PATCH", "site", &named).0, 200);
    let since = Instant::now();
    while pages[0].get("site").1["zone"] != "America/Sao_Paulo" {
        assert!(since.elapsed() < PATIENCE, "{}", net.logs());
        std::thread::sleep(Duration::from_millis(50));
    }

    // An alarm is told once by each channel, whoever raises it.
    let mut alarms = 0;
    let mut raise = |page: &Page| {
        alarms += 1;
        let rule = json!({"name": format!("quiet-{alarms}"), "kind": "silent", "over": "1m"});
        let (status, body) = page.ask("PUT", "rules", &json!({"rules": [rule]}));
        assert_eq!(status, 200, "{body}");
        std::thread::sleep(Duration::from_millis(300));
    };
    let (mut one, mut other) = (Told::default(), Told::default());
    let since = Instant::now();
    while one.0.len() < 4 || other.0.len() < 4 {
        assert!(since.elapsed() < PATIENCE, "{}", net.logs());
        pages.iter().for_each(&mut raise);
        one.take(&first);
        other.take(&second);
    }

    // A channel that is removed at one is told nothing by any.
    let path = format!("channels/{}", made["id"]);
    assert_eq!(pages[0].ask("DELETE", &path, &Value::Null).0, 200);
    for page in &pages {
        assert_eq!(names(page), ["duty"]);
    }
    let since = Instant::now();
    let waiting = "SELECT count(*) FROM outbox";
    while cluster.psql(waiting) != "0" {
        assert!(since.elapsed() < PATIENCE, "{}", net.logs());
        std::thread::sleep(Duration::from_millis(100));
    }
    one.take(&first);
    other.take(&second);
    let before = (one.0.len(), other.0.len());
    raise(&pages[0]);
    let since = Instant::now();
    while one.0.len() == before.0 {
        assert!(since.elapsed() < PATIENCE, "{}", net.logs());
        std::thread::sleep(Duration::from_millis(50));
        one.take(&first);
        other.take(&second);
    }
    assert_eq!(other.0.len(), before.1);
}
