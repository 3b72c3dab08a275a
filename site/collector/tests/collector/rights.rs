//! Rights to send, read and listen, and when they end: tokens send only for their own stations,
//! live events end with the right, and labels require a recent login.

mod sessions;
mod users;

use std::time::Duration;

use crate::common::{Answer, Client, NOON, Site, message};
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
