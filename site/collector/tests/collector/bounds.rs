//! Requests that ask for too much: bodies of a million messages, long heads, strangers' host
//! names. The tests bound their cost and their effect on honest clients.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::{Answer, Client, NOON, Site, message};
use selo_collector::http::readings::{BODY_MAX, MESSAGES_MAX};
use selo_collector::http::server::HEAD_MAX;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);
/// Maximum length of an answer to readings, in bytes.
const ANSWER_MAX: usize = 16 << 10;

fn post(client: &Client, body: &str) -> Answer {
    client.post("/api/v1/readings", body)
}

/// Resident memory of this process in MiB: current, and peak.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").expect("of Linux");
    let field = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let words = line.expect("a field").split_whitespace();
        words
            .map_while(|word| word.parse().ok())
            .next()
            .unwrap_or(0)
            / 1024
    };
    (field("VmRSS:"), field("VmHWM:"))
}

#[test]
fn a_body_of_a_million_messages_costs_little() {
    let site = Site::start();
    let lines = "{}\n".repeat(BODY_MAX / 3);
    let list = format!("[{}{{}}]", "{},".repeat(BODY_MAX / 3 - 2));
    for body in [&lines, &list] {
        let (before, _) = memory();
        let started = Instant::now();
        let answer = post(&site.client, body);
        let took = started.elapsed();
        let (after, peak) = memory();
        println!(
            "{} messages in {} bytes: {} in {took:?}, an answer of {} bytes; resident {before} \
             MiB before, {after} after, peak {peak}",
            body.matches("{}").count(),
            body.len(),
            answer.status,
            answer.text.len(),
        );
        assert_eq!(answer.status, 413, "{}", answer.text);
        assert!(answer.text.contains(&MESSAGES_MAX.to_string()));
        // The client's copies of the body are in this process too.
        assert!(peak < before.max(100) + 100, "peak {peak} MiB");
    }
    let most = "{}\n".repeat(MESSAGES_MAX);
    let answer = post(&site.client, &most);
    println!(
        "{MESSAGES_MAX} messages: an answer of {} bytes",
        answer.text.len()
    );
    let told = answer.ok();
    assert_eq!(told["rejected"], MESSAGES_MAX);
    assert_eq!(told["errors"].as_array().expect("a list").len(), 10);
    assert!(answer.text.len() < ANSWER_MAX);
}

#[test]
fn a_body_is_taken_apart_whatever_its_form() {
    let site = Site::start();
    let of = |from: u32, count: u32| -> Vec<Value> {
        (from..from + count)
            .map(|n| message("river", 1, n, NOON - 1000, 0.0))
            .collect()
    };
    let list = Value::from(of(0, 3000)).to_string();
    let told = post(&site.client, &list).ok();
    assert_eq!(
        (&told["stored"], &told["rejected"]),
        (&json!(3000), &json!(0))
    );
    let lines: String = of(3000, 3000)
        .iter()
        .map(|line| format!("{line}\r\n\n"))
        .collect();
    assert_eq!(post(&site.client, &lines).ok()["stored"], 3000);
    let pretty = serde_json::to_string_pretty(&message("river", 1, 6000, NOON, 0.0));
    assert_eq!(post(&site.client, &pretty.expect("JSON")).ok()["stored"], 1);
    // The error of a broken body says where it is, and the messages before it stay stored.
    let broken = &list[..list.len() - 2];
    let answer = post(&site.client, broken);
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert!(answer.text.contains("does not end"), "{}", answer.text);
    let long = format!("{{\"x\":\"{}\"}}\n7\n", "a".repeat(100_000));
    let told = post(&site.client, &long).ok();
    assert_eq!(told["rejected"], 2);
    let station = site.client.get("/api/v1/stations/river").ok();
    assert_eq!(station["received"], 6001);
}

#[test]
fn one_token_has_some_requests_at_once_and_others_go_on() {
    let site = Site::start();
    let made = site
        .client
        .post("/api/v1/tokens", r#"{"name":"slow","role":"device"}"#)
        .json();
    let token = made["token"].as_str().expect("a token");
    let begin = || {
        let address = site.collector.as_ref().expect("runs").address();
        let mut stream = TcpStream::connect(address).expect("connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        write!(
            stream,
            "POST /api/v1/readings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: 1000000\r\n\r\n["
        )
        .expect("begins");
        stream
    };
    // Endless bodies, more than there are slots.
    let mut slow: Vec<TcpStream> = (0..20).map(|_| begin()).collect();
    let deadline = Instant::now() + PATIENCE;
    let mut refused = 0;
    while refused < 12 {
        assert!(Instant::now() < deadline, "{refused} are refused");
        slow.retain_mut(|stream| {
            let short = Some(Duration::from_millis(20));
            stream.set_read_timeout(short).expect("set");
            let mut status = [0; 12];
            let said = stream.read_exact(&mut status).is_ok();
            if said {
                assert_eq!(&status, b"HTTP/1.1 429");
                refused += 1;
            }
            !said
        });
    }
    assert_eq!(slow.len(), 8, "under way");
    let told = post(&site.client, &message("river", 1, 0, NOON, 1.0).to_string());
    assert_eq!(told.ok()["stored"], 1);
}

/// Sends a head of the given length. Returns the status, if there is an answer.
fn status_of_head(site: &Site, length: usize, lines: usize) -> String {
    let mut head = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n".to_owned();
    for number in 0..lines - 1 {
        head += &format!("X-{number}: {}\r\n", "a".repeat(200));
    }
    let fixed = head.len() + "X-Rest: \r\n\r\n".len();
    head += &format!("X-Rest: {}\r\n\r\n", "a".repeat(length - fixed));
    assert_eq!(head.len(), length);
    let address = site.collector.as_ref().expect("runs").address();
    let mut stream = TcpStream::connect(address).expect("connects");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream.write_all(head.as_bytes()).expect("writes");
    let mut status = [0; 12];
    let read = stream.read_exact(&mut status);
    read.map(|()| String::from_utf8_lossy(&status).into_owned())
        .unwrap_or_default()
}

#[test]
fn a_head_has_as_many_bytes_as_the_page_says() {
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/operator/collector.md"
    );
    let page = std::fs::read_to_string(page).expect("the page");
    assert!(page.contains(&format!("{} KB", HEAD_MAX >> 10)));
    let site = Site::start();
    for lines in [1, 50] {
        assert_eq!(status_of_head(&site, HEAD_MAX, lines), "HTTP/1.1 200");
        for more in [1, 2000, 8 << 10] {
            let status = status_of_head(&site, HEAD_MAX + more, lines);
            assert_eq!(status, "HTTP/1.1 431", "{more} more in {lines} lines");
        }
    }
}

#[test]
fn a_page_of_another_name_gets_nothing() {
    let paths = ["/", "/metrics", "/healthz", "/report", "/api/v1/me", "/x"];
    let with_host = |site: &Site, path: &str, host: &str| {
        site.client.request("GET", path, &[("host", host)], "")
    };
    let site = Site::start_with(|config| config.hosts = vec!["farm.example".into()]);
    for path in paths {
        for evil in [
            "evil.example",
            "evil.example:7380",
            "127.0.0.1.evil.example",
        ] {
            let answer = with_host(&site, path, evil);
            assert_eq!(answer.status, 421, "{path} {evil}: {}", answer.text);
            assert!(answer.text.contains("--host NAME"), "{}", answer.text);
            assert!(!answer.text.contains("selo_collector"));
        }
        for own in ["farm.example", "localhost:1", "127.0.0.1", "[::1]:7380"] {
            assert_ne!(with_host(&site, path, own).status, 421, "{path} {own}");
        }
    }
    let login = r#"{"user":"admin","password":"x"}"#;
    let evil = [("host", "evil.example")];
    let answer = site.client.request("POST", "/api/v1/login", &evil, login);
    assert_eq!(answer.status, 421);
}
