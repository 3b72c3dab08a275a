//! Rights to send, read and listen, and when they end: tokens send only for their own stations,
//! live events end with the right, and labels require a recent login.

use std::future::Future;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{Answer, Client, NOON, Site, message};
use selo_collector::auth::{FRESH_MS, Role, SESSION_MS, SESSIONS_OF_USER, Users};
use selo_collector::http::Gateway;
use selo_collector::http::axum::extract::Request;
use selo_collector::http::axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(60);

/// A client with a token that the admin created from `body`, and the token's id.
fn with_token(site: &Site, body: &Value) -> (Client, u64) {
    let answer = site.client.post("/api/v1/tokens", &body.to_string());
    assert_eq!(answer.status, 201, "{}", answer.text);
    let mut client = site.client.clone();
    client.cookie = None;
    client.token = answer.json()["token"].as_str().map(str::to_string);
    (client, answer.json()["id"].as_u64().expect("a number"))
}

fn send(client: &Client, site: &str, message: &Value) -> Answer {
    client.post(
        &format!("/api/v1/readings?site={site}"),
        &message.to_string(),
    )
}

#[test]
fn a_token_sends_for_its_own_stations_only_and_names_none() {
    let site = Site::start();
    let admin = &site.client;
    let mut first = message("river", 1, 0, NOON - 60_000, 1.0);
    first["name"] = "Old bridge".into();
    first["gateway"] = "north".into();
    assert_eq!(send(admin, "site", &first).status, 200);

    let (own, _) = with_token(&site, &json!({"name": "roof", "role": "device"}));
    // Another station's reading, at any time, alone or among the token's own.
    let forged = message("river", 9, 0, NOON, 99.0);
    for at in ["site", "north"] {
        let answer = send(&own, at, &forged);
        assert_eq!(answer.status, 403, "{}", answer.text);
        assert_eq!(answer.json()["error"]["code"], "forbidden");
    }
    let both = Value::from(vec![message("roof", 1, 0, NOON, 1.0), forged.clone()]);
    assert_eq!(send(&own, "site", &both).status, 403);
    let river = admin.get("/api/v1/stations/river").ok();
    assert_eq!(
        (&river["received"], &river["counter"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(
        admin.get("/api/v1/stations/roof").status,
        404,
        "all or none"
    );
    // Its own readings are stored, but they set no station name and no gateway.
    let mut mine = message("roof", 1, 0, NOON, 1.0);
    mine["name"] = "Old bridge".into();
    mine["gateway"] = "north".into();
    let answer = send(&own, "site", &mine).ok();
    assert_eq!(answer["stored"], 1);
    let roof = admin.get("/api/v1/stations/roof").ok();
    assert_eq!(
        (&roof["name"], &roof["gateway"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        admin.get("/api/v1/stations/river").ok()["name"],
        "Old bridge"
    );
    assert_eq!(send(&own, "other", &mine).status, 403, "another site");

    // The token may do nothing of what an admin may do.
    for (method, path, body) in [
        ("PATCH", "stations/roof", r#"{"name":"x"}"#),
        ("PATCH", "stations/river", r#"{"name":"x"}"#),
        ("PUT", "rules", r#"{"rules":[]}"#),
        ("GET", "tokens", ""),
        ("PATCH", "tokens/1", r#"{"stations":["*"]}"#),
        ("POST", "tokens", r#"{"name":"x","role":"admin"}"#),
        ("GET", "stations", ""),
        ("GET", "events", ""),
        ("GET", "export", ""),
        ("GET", "pairing", ""),
    ] {
        let answer = own.request(method, &format!("/api/v1/{path}"), &[], body);
        assert_eq!(answer.status, 403, "{method} {path}: {}", answer.text);
    }
}

#[test]
fn a_station_keeps_its_name_when_a_token_of_its_own_sends() {
    let site = Site::start();
    let mut named = message("river", 1, 0, NOON - 1000, 1.0);
    named["name"] = "Old bridge".into();
    assert_eq!(send(&site.client, "site", &named).status, 200);
    let (own, _) = with_token(
        &site,
        &json!({"name": "helper", "role": "device", "stations": ["river"]}),
    );
    let mut renamed = message("river", 1, 1, NOON, 2.0);
    renamed["name"] = "Evil".into();
    assert_eq!(send(&own, "site", &renamed).ok()["stored"], 1);
    let river = site.client.get("/api/v1/stations/river").ok();
    assert_eq!(
        (&river["name"], &river["counter"]),
        (&json!("Old bridge"), &json!(1))
    );
}

#[test]
fn no_token_raises_or_clears_another_stations_alarm() {
    let site = Site::start();
    let rules = json!({"rules": [
        {"name": "flood", "kind": "value", "value": "rain_total", "when": "over", "limit": 50, "clear": 10},
    ]});
    let set = site
        .client
        .request("PUT", "/api/v1/rules", &[], &rules.to_string());
    assert_eq!(set.status, 200, "{}", set.text);
    let (own, _) = with_token(&site, &json!({"name": "roof", "role": "device"}));
    let active = || site.client.get("/api/v1/alarms").ok()["active"].clone();
    assert_eq!(
        send(&own, "site", &message("river", 1, 0, NOON, 99.0)).status,
        403
    );
    assert_eq!(active(), json!([]), "none is raised");
    assert_eq!(
        send(&site.client, "site", &message("river", 1, 0, NOON, 99.0)).status,
        200
    );
    assert_eq!(active().as_array().expect("a list").len(), 1);
    assert_eq!(
        send(&own, "site", &message("river", 1, 1, NOON, 1.0)).status,
        403
    );
    assert_eq!(
        active().as_array().expect("a list").len(),
        1,
        "none is cleared"
    );
}

#[test]
fn a_scope_is_shown_changed_and_outlives_the_program() {
    let mut site = Site::start();
    let (own, id) = with_token(
        &site,
        &json!({"name": "roof", "role": "device", "site": "north", "stations": ["a", "b"]}),
    );
    let listed = |site: &Site| site.client.get("/api/v1/tokens").ok()["tokens"][0].clone();
    assert_eq!(listed(&site)["stations"], json!(["a", "b"]));
    assert_eq!(listed(&site)["site"], "north");
    // The token's site is the default site of its readings.
    let reading = message("a", 1, 0, NOON, 1.0).to_string();
    assert_eq!(own.post("/api/v1/readings", &reading).ok()["stored"], 1);
    let change = |site: &Site, body: Value| {
        let path = format!("/api/v1/tokens/{id}");
        site.client.request("PATCH", &path, &[], &body.to_string())
    };
    assert_eq!(change(&site, json!({"stations": ["b"]})).status, 200);
    assert_eq!(own.post("/api/v1/readings", &reading).status, 403);
    site.restart();
    assert_eq!(listed(&site)["stations"], json!(["b"]));
    let own = own.at(&site);
    assert_eq!(own.post("/api/v1/readings", &reading).status, 403);
    assert_eq!(change(&site, json!({"stations": ["*"]})).status, 200);
    assert_eq!(own.post("/api/v1/readings", &reading).ok()["duplicates"], 1);
    for bad in [
        json!({"stations": []}),
        json!({"stations": ["a b"]}),
        json!({"site": "../x"}),
        json!({"role": "king"}),
    ] {
        assert_eq!(change(&site, bad.clone()).status, 400, "{bad}");
    }
}

/// A database of an earlier version has tokens without stations.
#[test]
fn a_token_of_an_earlier_version_sends_for_the_station_of_its_name() {
    let mut site = Site::start();
    let (own, _) = with_token(
        &site,
        &json!({"name": "roof", "role": "device", "stations": ["river"]}),
    );
    let ingest = site.collector.as_ref().expect("runs").ingest();
    ingest.write_later(|db, _| db.script("UPDATE token SET site = NULL, stations = NULL"));
    drop(ingest);
    site.restart();
    let own = own.at(&site);
    assert_eq!(
        send(&own, "site", &message("river", 1, 0, NOON, 1.0)).status,
        403
    );
    assert_eq!(
        send(&own, "site", &message("roof", 1, 0, NOON, 1.0)).status,
        200
    );
}

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
