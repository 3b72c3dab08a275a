//! No request blocks another. One thread serves all of them while the gateway, the writer thread,
//! a file and the disk with the user file never answer.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::common::{Client, NOON, Site, message};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use selo_collector::beside::Beside;
use selo_gateway::state::StateDir;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// A FIFO, which blocks its reader until a writer opens it.
fn pipe(path: &Path) {
    let _ = std::fs::remove_file(path);
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).expect("a pipe");
}

/// Releases the readers that wait at the FIFO.
fn release(path: &Path) {
    let _ = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open(path);
}

/// Sends a request and does not wait for the answer.
fn ask(site: &Site, client: &Client, method: &str, path: &str, body: &str) -> TcpStream {
    let address = site.collector.as_ref().expect("runs").address();
    let mut stream = TcpStream::connect(address).expect("connects");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    let cookie = client.cookie.clone().unwrap_or_default();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nContent-Type: \
         application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("asks");
    stream
}

fn status(mut stream: TcpStream) -> u16 {
    let mut line = [0; 12];
    stream.read_exact(&mut line).expect("an answer");
    let line = String::from_utf8_lossy(&line).into_owned();
    line[9..].parse().expect("a status")
}

/// A valid body for each route.
fn body(path: &str) -> String {
    match path {
        "/api/v1/login" => json!({"user": "admin", "password": "not this one"}),
        "/api/v1/pairing" => json!({"action": "open"}),
        "/api/v1/rules" => json!({"rules": []}),
        "/api/v1/tokens" => json!({"name": "x", "role": "viewer"}),
        "/api/v1/readings" => message("river", 1, 0, NOON, 1.0),
        "/api/v1/exchange/reading" => json!({"latitude": 1, "longitude": 2, "speed": 0}),
        "/api/v1/exchange/handshake" | "/api/v1/exchange/exchange" => json!({
            "suite": "TLS_AES_128_GCM_SHA256", "group": "x25519", "resumed": false, "seconds": 1,
        }),
        _ => json!({}),
    }
    .to_string()
}

#[test]
fn every_route_lets_the_others_answer() {
    let outside = tempfile::tempdir().expect("a folder");
    let gateway = StateDir::open(&outside.path().join("gateway")).expect("a folder");
    // A gateway that accepts connections but never answers.
    let silent = UnixListener::bind(gateway.control()).expect("listens");
    let report = outside.path().join("report.html");
    pipe(&report);
    let mut site = Site::start_with(|config| {
        config.limits.threads = 1;
        config.report = Some(report.clone());
        let beside = Beside::new(gateway.path().into());
        config.gateway = Some(Arc::new(beside.patient(Duration::from_secs(2))));
    });
    let mut leaves = site.client.clone();
    leaves.log_in(site.folder.path());
    let users = site.config.state.join("users");
    let good_users = std::fs::read(&users).expect("the users");
    pipe(&users);
    // Block the writer thread.
    let (end, wait) = channel::<()>();
    let ingest = site.collector.as_ref().expect("runs").ingest();
    ingest.write_later(move |_, _| {
        let _ = wait.recv();
        Ok(())
    });
    drop(ingest);

    let document: Value = serde_json::from_str(selo_collector::http::OPENAPI).expect("JSON");
    let mut asked = Vec::new();
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            let method = method.to_uppercase();
            let real = path.replace("{device}", "river").replace("{id}", "1");
            let client = match path.as_str() {
                "/api/v1/logout" => &leaves,
                _ => &site.client,
            };
            asked.push(ask(&site, client, &method, &real, &body(path)));
            for other in [
                "/",
                "/metrics",
                "/healthz",
                "/api/v1/me",
                "/api/v1/stations",
            ] {
                let answer = ask(&site, &site.client, "GET", other, "");
                assert_eq!(status(answer), 200, "{other} beside {method} {path}");
            }
        }
    }
    assert!(asked.len() > 25, "{} routes", asked.len());

    // Gateway requests time out, up to the pool's size; further ones are refused.
    let devices: Vec<u16> = (0..8)
        .map(|_| ask(&site, &site.client, "GET", "/api/v1/devices", ""))
        .collect::<Vec<_>>()
        .into_iter()
        .map(status)
        .collect();
    assert_eq!(devices, [503; 8]);

    drop(silent);
    drop(end);
    release(&report);
    // The thread that watches the users continues when the path is a regular file again.
    std::fs::rename(&users, outside.path().join("pipe")).expect("moved");
    std::fs::write(&users, good_users).expect("written");
    release(&outside.path().join("pipe"));
    drop(asked);
    assert_eq!(site.client.get("/healthz").status, 200);
    site.collector.take().expect("runs").stop();
}
