//! Logins, live events, and what a user's session may see.

use selo_collector::http::axum::response::IntoResponse;
use std::future::Future;
use std::io::BufRead;
use std::io::BufReader;
use std::io::Read;
use std::io::Write;
use std::net::TcpStream;
use std::pin::Pin;
use std::sync::Arc;

use crate::common::{Client, NOON, Site, message};
use selo_collector::auth::{FRESH_MS, Role, SESSION_MS, SESSIONS_OF_USER, Users};
use selo_collector::http::Gateway;
use selo_collector::http::axum::extract::Request;
use selo_collector::http::axum::response::Response;
use serde_json::json;

use super::{PATIENCE, with_token};

/// A listener to live events whose subscription is confirmed.
struct Listener(BufReader<TcpStream>);

impl Listener {
    fn start(site: &Site, client: &Client) -> Listener {
        let address = site.collector.as_ref().expect("runs").address();
        let mut stream = TcpStream::connect(address).expect("connects");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let who = match (&client.cookie, &client.token) {
            (Some(cookie), _) => format!("Cookie: {cookie}"),
            (_, Some(token)) => format!("Authorization: Bearer {token}"),
            _ => panic!("nobody"),
        };
        write!(
            stream,
            "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{who}\r\n\r\n"
        )
        .expect("asks");
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).expect("a status");
        assert!(line.contains("200"), "{line}");
        while line.trim_end() != "" {
            line.clear();
            reader.read_line(&mut line).expect("a head");
        }
        Listener(reader)
    }

    /// Returns true if an event that contains `what` arrives before the events end.
    fn hears(&mut self, what: &str) -> bool {
        loop {
            let mut line = String::new();
            match self.0.read_line(&mut line) {
                Ok(0) => return false,
                Ok(_) if line.contains(what) => return true,
                Ok(_) => {}
                Err(error) => panic!("neither an event nor an end: {error}"),
            }
        }
    }

    /// Waits for the end of the events. Returns everything received until then.
    fn ends(mut self) -> String {
        let mut rest = String::new();
        let _ = self.0.read_to_string(&mut rest);
        rest
    }
}

fn users(site: &Site) -> Users {
    Users::open(&site.config.state).expect("opens")
}

fn logged_in(site: &Site, user: &str, password: &str) -> Client {
    let mut client = site.client.clone();
    client.cookie = None;
    let body = json!({"user": user, "password": password}).to_string();
    let answer = client.post("/api/v1/login", &body);
    assert_eq!(answer.status, 200, "{}", answer.text);
    let cookie = answer.headers["set-cookie"].to_str().expect("text");
    client.cookie = cookie.split(';').next().map(str::to_string);
    client
}

#[test]
fn live_events_end_with_the_right_to_hear_them() {
    const PASSWORD: &str = "a good password";
    let mut counter = 0;
    let mut tell = |site: &Site| {
        counter += 1;
        site.client.send(&[message("river", 1, counter, NOON, 1.0)]);
    };
    type End = fn(&Site, &Client, u64);
    let by_session: [(&str, End); 5] = [
        ("log-out", |_, own, _| {
            assert_eq!(own.post("/api/v1/logout", "").status, 200);
        }),
        ("password", |site, _, _| {
            let set = users(site).set("maria", Role::Viewer, "another password");
            set.expect("set");
        }),
        ("removed", |site, _, _| {
            users(site).remove("maria").expect("removed")
        }),
        ("role", |site, _, _| {
            users(site)
                .set("maria", Role::Device, PASSWORD)
                .expect("set");
        }),
        ("time", |site, _, _| site.pass(SESSION_MS)),
    ];
    for (what, end) in by_session {
        let mut site = Site::start();
        users(&site)
            .set("maria", Role::Viewer, PASSWORD)
            .expect("set");
        let own = logged_in(&site, "maria", PASSWORD);
        let mut listener = Listener::start(&site, &own);
        tell(&site);
        assert!(listener.hears("\"river\""), "{what}");
        end(&site, &own, 0);
        let rest = listener.ends();
        assert!(!rest.contains("\"river\""), "{what}: {rest}");
        if what == "time" {
            site.restart();
        }
        tell(&site);
    }
    let by_token: [(&str, End); 2] = [
        ("deleted", |site, _, id| {
            let path = format!("/api/v1/tokens/{id}");
            assert_eq!(site.client.request("DELETE", &path, &[], "").status, 200);
        }),
        ("lowered", |site, _, id| {
            let path = format!("/api/v1/tokens/{id}");
            let body = r#"{"role":"device"}"#;
            assert_eq!(site.client.request("PATCH", &path, &[], body).status, 200);
        }),
    ];
    for (what, end) in by_token {
        let site = Site::start();
        let (own, id) = with_token(&site, &json!({"name": "eye", "role": "viewer"}));
        let mut listener = Listener::start(&site, &own);
        let mut stays = Listener::start(&site, &site.client);
        tell(&site);
        assert!(listener.hears("\"river\""), "{what}");
        assert!(stays.hears("\"river\""), "{what}");
        end(&site, &own, id);
        tell(&site);
        assert!(stays.hears("\"river\""), "{what}: others go on");
        let rest = listener.ends();
        assert!(!rest.contains("\"river\""), "{what}: {rest}");
    }
}

#[test]
fn one_user_cannot_take_every_listeners_place() {
    let site = Site::start_with(|config| {
        config.limits.listeners = 6;
        config.limits.listeners_of_one = 2;
    });
    let (greedy, _) = with_token(&site, &json!({"name": "eye", "role": "viewer"}));
    let first = [
        Listener::start(&site, &greedy),
        Listener::start(&site, &greedy),
    ];
    assert_eq!(greedy.get("/api/v1/events").status, 503);
    let mut other = Listener::start(&site, &site.client);
    site.client.send(&[message("river", 1, 0, NOON, 1.0)]);
    assert!(other.hears("\"river\""));
    drop(first);
}

#[test]
fn a_user_who_logs_in_for_ever_ends_own_sessions_only() {
    let site = Site::start();
    let password = "a good password";
    users(&site)
        .set("guest", Role::Viewer, password)
        .expect("set");
    let first = logged_in(&site, "guest", password);
    // The other listeners are cut off later.
    site.pass(1000);
    for _ in 0..SESSIONS_OF_USER {
        logged_in(&site, "guest", password);
    }
    assert_eq!(first.get("/api/v1/me").status, 401);
    assert_eq!(site.client.get("/api/v1/me").status, 200);
}

/// A gateway whose every answer is a label.
struct Labels;

impl Gateway for Labels {
    fn answer(&self, _: Request) -> Pin<Box<dyn Future<Output = Response> + Send + '_>> {
        Box::pin(async { "<svg>a key</svg>".into_response() })
    }
}

#[test]
fn a_devices_key_is_for_a_person_who_has_just_logged_in() {
    let site = Site::start_with(|config| config.gateway = Some(Arc::new(Labels)));
    let path = "/api/v1/devices/0000000a/qr.svg";
    let (token, _) = with_token(&site, &json!({"name": "all", "role": "admin"}));
    let refused = token.get(path);
    assert_eq!(refused.status, 403, "{}", refused.text);
    assert!(!refused.text.contains("svg"), "{}", refused.text);
    assert_eq!(token.get("/api/v1/devices").status, 200);
    users(&site)
        .set("eye", Role::Viewer, "a good password")
        .expect("set");
    let viewer = logged_in(&site, "eye", "a good password");
    assert_eq!(viewer.get(path).status, 403);
    assert_eq!(site.client.get(path).status, 200);
    site.pass(FRESH_MS);
    let late = site.client.get(path);
    assert_eq!(late.status, 403);
    assert_eq!(late.json()["error"]["code"], "password-needed");
    assert_eq!(site.client.get("/api/v1/devices").status, 200);
    let mut again = site.client.clone();
    again.log_in(site.folder.path());
    assert_eq!(again.get(path).status, 200);
}
