//! Live events of collectors that share a database: a viewer at any of them hears of what another one
//! has stored.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Net;
use super::page::PASSWORD;
use crate::gateway_support::PATIENCE;
use crate::postgres::Cluster;

impl Net {
    /// Waits until this many collectors have viewers.
    fn wait_watching(&self, count: usize) {
        let cluster = self.cluster.as_ref().expect("runs");
        let since = Instant::now();
        while cluster.psql("SELECT count(*) FROM stream_watch") != count.to_string() {
            assert!(since.elapsed() < PATIENCE, "not {count}:\n{}", self.logs());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// The data of an event.
fn data(line: &str) -> Value {
    let (_, data) = line.split_once("data:").expect("data");
    serde_json::from_str(data).expect("JSON")
}

/// One is the message of the gateway, and the other is made from the database.
fn same_reading(one: &Value, other: &Value) {
    let members = one.as_object().expect("an object");
    let both = members
        .iter()
        .filter(|(name, value)| !value.is_null() && !other[*name].is_null());
    let both: Vec<&str> = both.map(|(name, _)| name.as_str()).collect();
    for name in [
        "schema",
        "device",
        "session",
        "counter",
        "received",
        "payload",
        "authenticated",
        "gateway",
        "station",
    ] {
        assert!(both.contains(&name), "no {name}: {one}\n{other}");
    }
    for name in both {
        assert_eq!(one[name], other[name], "{name}");
    }
}

#[test]
fn a_viewer_at_any_collector_hears_of_everything() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let Some(mut net) = Net::started(Some(cluster), 2) else {
        return;
    };
    net.deliver(3);
    net.is_complete();
    // A collector without viewers does nothing for them.
    net.wait_watching(0);
    let admin = net.admin(0);
    let pages = [admin.clone(), admin.at(&net.page(1))];
    let heard = pages.each_ref().map(super::page::Page::listens);
    net.wait_watching(2);
    // What came before it listened is read again.
    heard.iter().for_each(|it| drop(it.wait("event: resync")));
    // One of them stores all readings of the device.
    net.deliver(5);
    for told in net.told - 5..net.told {
        let payload = hex::encode(told.to_be_bytes());
        let [one, other] = heard.each_ref().map(|it| data(&it.wait(&payload)));
        same_reading(&one, &other);
    }
    // Who has lost the database reads again what it has missed.
    let lose = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'selo collect'";
    net.cluster.as_ref().expect("runs").psql(lose);
    heard.iter().for_each(|it| drop(it.wait("event: resync")));
    net.deliver(2);
    net.is_complete();
    for one in &heard {
        one.wait(&hex::encode((net.told - 1).to_be_bytes()));
    }
    // A name, an alarm and its acknowledgement.
    let stations = admin.get("stations").1;
    let station = stations["stations"][0]["station"].as_str().expect("an id");
    let name = json!({"name": "Herb garden"});
    let path = format!("stations/{station}");
    assert_eq!(pages[1].ask("PATCH", &path, &name).0, 200);
    heard.iter().for_each(|it| drop(it.wait("Herb garden")));
    let cluster = net.cluster.as_ref().expect("runs");
    cluster.psql("UPDATE station SET last_seen = last_seen - 120000");
    let rules = json!({"rules": [{"name": "quiet", "kind": "silent", "over": "1m"}]});
    let (status, body) = pages[0].ask("PUT", "rules", &rules);
    assert_eq!(status, 200, "{body}");
    let raised = heard.each_ref().map(|it| it.wait(r#""alarm":"quiet""#));
    let [alarm, again] = raised.map(|line| data(&line)["id"].as_i64().expect("a number"));
    assert_eq!(alarm, again);
    let path = format!("alarms/{alarm}/acknowledge");
    let (status, body) = pages[1].ask("POST", &path, &json!({}));
    assert_eq!(status, 200, "{body}");
    heard
        .iter()
        .for_each(|it| drop(it.wait("event: acknowledged")));

    // The right to hear ends at every collector.
    let maria = json!({"name": "maria", "role": "viewer", "password": PASSWORD});
    assert_eq!(pages[0].ask("POST", "users", &maria).0, 201);
    let hers = pages[1]
        .logged_in("maria", PASSWORD)
        .expect("logs in")
        .listens();
    assert_eq!(pages[0].ask("DELETE", "users/maria", &Value::Null).0, 200);
    assert!(!hers.has("never"), "the events go on");
    assert_eq!(pages[1].ask("POST", "logout", &Value::Null).0, 200);
    for one in &heard {
        assert!(!one.has("never"), "the events go on");
    }
    net.wait_watching(0);
}
