//! Slow clients, many clients, and both; and logins that outlive the program.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::common::{Client, Site};
use selo_collector::auth::SESSION_MS;
use serde_json::json;

/// Longest time that a test waits for an expected event.
const PATIENCE: Duration = Duration::from_secs(30);

fn connect(site: &Site) -> TcpStream {
    let address = site.collector.as_ref().expect("runs").address();
    let stream = TcpStream::connect(address).expect("connects");
    stream.set_read_timeout(Some(PATIENCE)).expect("set");
    stream
}

/// Sends one byte at a time until the server ends the connection. Returns the answer.
fn drip(mut stream: TcpStream, bytes: &[u8]) -> String {
    let deadline = Instant::now() + PATIENCE;
    stream
        .set_read_timeout(Some(Duration::from_millis(20)))
        .expect("set");
    let mut said = Vec::new();
    let mut buffer = [0; 4096];
    for byte in bytes.iter().cycle() {
        assert!(Instant::now() < deadline, "the server never ends it");
        let _ = stream.write_all(&[*byte]);
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => said.extend_from_slice(&buffer[..read]),
            Err(error)
                if [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut]
                    .contains(&error.kind()) => {}
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn who_sends_slowly_is_let_go() {
    let site = Site::start_with(|config| {
        // Long enough that a busy machine does not cut off an honest client.
        config.limits.head = Duration::from_secs(2);
        config.limits.body = Duration::from_secs(2);
    });
    // A head that never ends.
    let stream = connect(&site);
    (&stream).write_all(b"GET / HTTP/1.1\r\n").expect("writes");
    drip(stream, b"X-a: b\r\n");
    // A connection that sends nothing.
    let mut quiet = connect(&site);
    let _ = quiet.read_to_end(&mut Vec::new());
    // A body that arrives slowly.
    let stream = connect(&site);
    (&stream)
        .write_all(
            b"POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{",
        )
        .expect("writes");
    let said = drip(stream, b" ");
    assert!(said.contains("the body arrives too slowly"), "{said}");
    // A head that is too long.
    let mut stream = connect(&site);
    let _ = stream.write_all(b"GET / HTTP/1.1\r\nX-a: ");
    let _ = stream.write_all(&[b'a'; 100_000]);
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    assert!(String::from_utf8_lossy(&said).starts_with("HTTP/1.1 431"));
    // A body that is too long is refused. A client that continues to send may find the connection
    // closed before it reads the refusal.
    let site = Site::start_with(|_| {});
    let mut stream = connect(&site);
    let size = 5 << 20;
    let head = format!(
        "POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("writes");
    let _ = stream.write_all(&vec![b'a'; size]);
    let mut said = Vec::new();
    let _ = stream.read_to_end(&mut said);
    let said = String::from_utf8_lossy(&said);
    assert!(
        said.is_empty() || said.starts_with("HTTP/1.1 413"),
        "{said}"
    );
    assert_eq!(site.client.get("/healthz").status, 200);
}

/// Reads until the end of the answer or of the connection.
fn answer(stream: &mut TcpStream) -> String {
    let mut said = Vec::new();
    let mut byte = [0];
    while let Ok(1) = stream.read(&mut byte) {
        said.push(byte[0]);
        let text = String::from_utf8_lossy(&said);
        let length = text.split_once("\r\n\r\n").and_then(|(head, body)| {
            let (_, rest) = head.split_once("content-length: ")?;
            let length: usize = rest.lines().next()?.parse().ok()?;
            Some(body.len() >= length)
        });
        if length == Some(true) {
            break;
        }
    }
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn a_refusal_spares_the_connection_whose_body_is_still_on_its_way() {
    let site = Site::start();
    let mut stream = connect(&site);
    let head = |size: usize, more: &str| {
        format!(
            "POST /api/v1/readings HTTP/1.1\r\nHost: localhost\r\n{more}Content-Length: {size}\r\n\r\n"
        )
    };
    for _ in 0..3 {
        stream.write_all(head(5, "").as_bytes()).expect("writes");
        std::thread::sleep(Duration::from_millis(50));
        stream.write_all(b"[1,2]").expect("writes");
        let refused = answer(&mut stream);
        assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
        assert!(!refused.contains("connection: close"), "{refused}");
        stream
            .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            .expect("writes");
        let healthy = answer(&mut stream);
        assert!(healthy.starts_with("HTTP/1.1 200"), "{healthy}");
    }
    // The server does not wait for a longer body, or for a client that expects 100-continue. Both
    // still get the answer.
    for (size, more, sent) in [(1 << 20, "", 100_000), (5, "Expect: 100-continue\r\n", 0)] {
        let mut stream = connect(&site);
        stream
            .write_all(head(size, more).as_bytes())
            .expect("writes");
        let _ = stream.write_all(&vec![b' '; sent]);
        let refused = answer(&mut stream);
        assert!(refused.starts_with("HTTP/1.1 401"), "{refused}");
        assert!(refused.contains("connection: close"), "{refused}");
    }
}

#[test]
fn who_reads_nothing_is_let_go() {
    let site = Site::start_with(|config| config.limits.write = Duration::from_millis(300));
    let mut stream = connect(&site);
    // Send more answers than the socket buffers hold, so the server must wait for a reader.
    let request = b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream
        .set_write_timeout(Some(Duration::from_millis(200)))
        .expect("set");
    let deadline = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < deadline, "the server waits for ever");
        match stream.write_all(request) {
            Err(error)
                if [
                    std::io::ErrorKind::ConnectionReset,
                    std::io::ErrorKind::BrokenPipe,
                ]
                .contains(&error.kind()) =>
            {
                break;
            }
            _ => {}
        }
    }
    assert_eq!(site.client.get("/healthz").status, 200);
}

#[test]
fn connections_and_listeners_are_bounded() {
    let site = Site::start_with(|config| {
        config.limits.connections = 8;
        config.limits.listeners = 2;
    });
    let cookie = site.client.cookie.clone().expect("logged in");
    let listen = || {
        let mut stream = connect(&site);
        write!(
            stream,
            "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"
        )
        .expect("writes");
        let mut status = [0; 12];
        stream.read_exact(&mut status).expect("an answer");
        (stream, String::from_utf8_lossy(&status).into_owned())
    };
    let listeners = [listen(), listen()];
    assert!(listeners.iter().all(|(_, status)| status == "HTTP/1.1 200"));
    assert_eq!(listen().1, "HTTP/1.1 503");

    // The ninth connection is closed without an answer.
    let mut held = Vec::new();
    let deadline = Instant::now() + PATIENCE;
    loop {
        assert!(Instant::now() < deadline, "every connection is taken");
        let mut stream = connect(&site);
        stream
            .set_read_timeout(Some(Duration::from_millis(50)))
            .expect("set");
        if matches!(stream.read(&mut [0]), Ok(0)) || held.len() > 8 {
            break;
        }
        held.push(stream);
    }
    assert!(held.len() <= 8, "{}", held.len());
    drop((held, listeners));
    let deadline = Instant::now() + PATIENCE;
    let metrics = loop {
        assert!(Instant::now() < deadline, "no connection is taken any more");
        let mut stream = connect(&site);
        let _ = stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n");
        let mut text = String::new();
        if stream.read_to_string(&mut text).is_ok() && text.contains("# EOF") {
            break text;
        }
    };
    let refused = metrics
        .lines()
        .find_map(|line| line.strip_prefix("selo_collector_connections_refused_total "))
        .expect("the counter");
    assert_ne!(refused, "0");
}

#[test]
fn a_login_outlives_the_program_and_no_secret_is_kept() {
    let mut site = Site::start();
    let first = site.client.clone();
    assert_eq!(first.get("/api/v1/me").status, 200);
    let again = |site: &Site, client: &Client| {
        let mut client = client.clone();
        client.base = site.client.base.clone();
        client.get("/api/v1/me").status
    };
    site.restart();
    assert_eq!(again(&site, &first), 200, "the session is known");

    let cookie = first.cookie.clone().expect("a cookie");
    let secret = cookie.split_once('=').expect("a value").1.to_owned();
    for file in ["readings.db", "readings.db-wal"] {
        let bytes = std::fs::read(site.folder.path().join("state").join(file)).unwrap_or_default();
        assert!(
            !bytes
                .windows(secret.len())
                .any(|piece| piece == secret.as_bytes()),
            "{file} holds the cookie"
        );
    }
    // A session that was logged out does not return.
    let second = site.client.clone();
    assert_eq!(second.post("/api/v1/logout", "").status, 200);
    site.restart();
    assert_eq!(again(&site, &second), 401, "logged out");
    // A session does not survive a password change either.
    let users = selo_collector::auth::Users::open(&site.config.state).expect("opens");
    let file = site.config.state.join("admin-password");
    let password = std::fs::read_to_string(&file).expect("one");
    users
        .set("admin", selo_collector::auth::Role::Admin, password.trim())
        .expect("set");
    // The file goes with any new password. The test's clients log in with it.
    std::fs::write(&file, &password).expect("writes");
    site.restart();
    assert_eq!(again(&site, &first), 401, "another password's stamp");
    // Each session expires on time.
    let third = site.client.clone();
    site.pass(SESSION_MS);
    site.restart();
    assert_eq!(again(&site, &third), 401, "its time is over");
    let wrong = json!({"user": "admin", "password": "wrong-password"}).to_string();
    let answers: Vec<u16> = (0..6)
        .map(|_| third.clone().at(&site).post("/api/v1/login", &wrong).status)
        .collect();
    assert_eq!(answers.last(), Some(&429), "{answers:?}");
}
