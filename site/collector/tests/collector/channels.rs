//! Channels tell people of alarms: whom, when, and in the face of servers that misbehave.

mod hostile;
mod mail;
mod outbox;
mod rights;
mod servers;

use std::time::Duration;

use crate::common::{Answer, NOON, Site, message};
use serde_json::{Value, json};
use servers::accepting;

const MINUTE: i64 = 60_000;

fn set_rules(site: &Site, rules: &Value) {
    let body = json!({"rules": rules}).to_string();
    site.client.request("PUT", "/api/v1/rules", &[], &body).ok();
}

/// A rule that the reading with the counter 10 breaks, and that with the counter 0 clears.
fn hot(severity: &str) -> Value {
    json!([{"name": "hot", "kind": "value", "value": "temperature", "limit": 1.0, "clear": 0.5,
        "severity": severity}])
}

fn add(site: &Site, channel: &Value) -> i64 {
    let answer = site.client.post("/api/v1/channels", &channel.to_string());
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()["id"].as_i64().expect("a number")
}

/// Presses the test button of a channel.
fn send_test(site: &Site, id: i64) -> Answer {
    site.client
        .post(&format!("/api/v1/channels/{id}/test"), "{}")
}

fn ntfy(url: &str, more: &Value) -> Value {
    let mut channel = json!({"name": "duty", "kind": "ntfy", "server": url, "topic": "desk",
        "secret": "tk_secret", "severity": "info"});
    for (name, value) in more.as_object().expect("members") {
        channel[name] = value.clone();
    }
    channel
}

fn shown(site: &Site, id: i64) -> Value {
    let all = site.client.get("/api/v1/channels").ok();
    let list = all["channels"].as_array().expect("a list");
    list.iter()
        .find(|one| one["id"] == id)
        .expect("the channel")
        .clone()
}

/// Polls until `holds`, because deliveries happen in the background.
fn until(site: &Site, id: i64, holds: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..300 {
        let now = shown(site, id);
        if holds(&now) {
            return now;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("it stays {}", shown(site, id));
}

fn raise(site: &Site, session: u64) {
    let now = site.now.load(std::sync::atomic::Ordering::SeqCst);
    site.client
        .send(&[message("3f9a01c2", session, 10, now, 0.0)]);
}

fn clear(site: &Site, session: u64) {
    let now = site.now.load(std::sync::atomic::Ordering::SeqCst);
    site.client
        .send(&[message("3f9a01c2", session, 0, now, 0.0)]);
}

fn nothing_more(taken: &std::sync::mpsc::Receiver<String>) {
    let more = taken.recv_timeout(Duration::from_millis(2500));
    assert!(more.is_err(), "{more:?}");
}

#[test]
fn an_alarm_is_told_acknowledged_and_written_down() {
    let (url, taken) = accepting();
    let site = Site::start();
    set_rules(&site, &hot("critical"));
    let id = add(&site, &ntfy(&url, &json!({})));
    raise(&site, 1);
    let told: Value = serde_json::from_str(&taken.recv().expect("a message")).expect("JSON");
    assert_eq!(
        (&told["topic"], &told["priority"]),
        (&json!("desk"), &json!(5))
    );
    assert_eq!(
        told["message"],
        "CRITICAL: garden: hot: temperature 1 °C (limit 1 °C), since 12:00"
    );
    until(&site, id, |one| one["sent"] == 1 && one["waiting"] == 0);
    let alarm = site.client.get("/api/v1/alarms").ok()["active"][0].clone();
    assert_eq!(
        (&alarm["severity"], &alarm["acknowledged"]),
        (&json!("critical"), &Value::Null)
    );
    let path = format!("/api/v1/alarms/{}/acknowledge", alarm["id"]);
    for wrong in [
        json!({"note": "x".repeat(501)}),
        json!({"name": "a\nb"}),
        json!({"who": 1}),
    ] {
        assert_eq!(
            site.client.post(&path, &wrong.to_string()).status,
            400,
            "{wrong}"
        );
    }
    let body = json!({"name": "Maria", "note": "=on the way"}).to_string();
    let answer = site.client.post(&path, &body).ok();
    assert_eq!(answer["acknowledged"]["person"], "Maria (admin)");
    assert_eq!(site.client.post(&path, &body).status, 400, "only once");
    clear(&site, 2);
    let journal = site.client.get("/api/v1/journal?limit=2").ok();
    assert_eq!(journal["events"].as_array().expect("a list").len(), 2);
    let next = journal["next"].as_str().expect("more");
    let rest = site
        .client
        .get(&format!("/api/v1/journal?before={next}"))
        .ok();
    let events = [journal, rest].map(|page| page["events"].as_array().expect("a list").clone());
    let names: Vec<String> = events
        .concat()
        .iter()
        .map(|event| event["event"].as_str().expect("text").to_string())
        .collect();
    assert_eq!(
        names[names.len() - 4..],
        ["cleared", "acknowledged", "sent", "raised"]
    );
    // A spreadsheet must not take the note for a formula.
    let csv = site.client.get("/api/v1/export?of=journal").text;
    assert!(csv.starts_with("at,event,alarm,severity,station,"), "{csv}");
    assert!(csv.contains(",Maria (admin),\"'=on the way\"\r\n"), "{csv}");
}

#[test]
fn only_what_nobody_acknowledges_escalates() {
    let (url, taken) = accepting();
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let id = add(
        &site,
        &ntfy(&url, &json!({"after_minutes": 15, "language": "pt-BR"})),
    );
    raise(&site, 1);
    site.pass(10 * MINUTE);
    nothing_more(&taken);
    let alarm = site.client.get("/api/v1/alarms").ok()["active"][0]["id"].clone();
    site.client
        .post(&format!("/api/v1/alarms/{alarm}/acknowledge"), "{}")
        .ok();
    site.pass(20 * MINUTE);
    clear(&site, 2);
    nothing_more(&taken);
    assert_eq!(shown(&site, id)["waiting"], 0);
    // An alarm that clears before the time is told to nobody either.
    raise(&site, 3);
    site.pass(14 * MINUTE);
    clear(&site, 4);
    site.pass(2 * MINUTE);
    nothing_more(&taken);
    // The others escalate, and their end is told.
    raise(&site, 5);
    site.pass(15 * MINUTE);
    let told = taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a message");
    assert!(told.contains("ninguém o reconheceu"), "{told}");
    clear(&site, 6);
    let told = taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a message");
    assert!(told.contains("encerrado"), "{told}");
}

#[test]
fn quiet_hours_hold_back_all_but_critical_alarms() {
    let (url, taken) = accepting();
    let site = Site::start();
    let zone = json!({"zone": "America/Sao_Paulo"}).to_string();
    site.client
        .request("PATCH", "/api/v1/site", &[], &zone)
        .ok();
    // 12:00 UTC is 9:00 there.
    let quiet = json!({"quiet": {"from": "08:00", "to": "10:00"}});
    let id = add(&site, &ntfy(&url, &quiet));
    set_rules(&site, &hot("warning"));
    raise(&site, 1);
    clear(&site, 2);
    nothing_more(&taken);
    assert_eq!(
        shown(&site, id)["waiting"],
        0,
        "it began and ended in quiet hours"
    );
    raise(&site, 3);
    nothing_more(&taken);
    set_rules(&site, &hot("critical"));
    let told = taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a message");
    assert!(told.contains("CRITICAL"), "{told}");
    let rain = json!([{"name": "cold", "kind": "value", "value": "temperature", "when": "under",
        "limit": 5.0, "clear": 6.0, "severity": "warning"}]);
    set_rules(&site, &rain);
    nothing_more(&taken);
    site.pass(61 * MINUTE);
    let told = taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a message");
    assert!(told.contains("cold"), "{told}");
}

#[test]
fn what_waits_survives_a_restart_and_comes_in_order() {
    let (url, taken) = servers::refusing(1);
    let mut site = Site::start();
    set_rules(&site, &hot("warning"));
    let hook = json!({"name": "hook", "kind": "webhook", "url": url, "secret": "key",
        "severity": "info"});
    let id = add(&site, &hook);
    raise(&site, 1);
    let failed = until(&site, id, |one| one["attempts"] == 1);
    assert_eq!(failed["reason"], "it answered 503 Service Unavailable");
    clear(&site, 2);
    site.restart();
    assert_eq!(shown(&site, id)["waiting"], 2);
    assert!(
        taken.try_recv().is_err(),
        "the second one must not overtake the first"
    );
    site.pass(10_000);
    for active in [true, false] {
        let body = taken
            .recv_timeout(Duration::from_secs(30))
            .expect("a notice");
        let notice: Value = serde_json::from_str(&body).expect("JSON");
        assert_eq!(
            (&notice["schema"], &notice["active"]),
            (&json!("selo.alarm/1"), &json!(active))
        );
    }
    let done = until(&site, id, |one| one["waiting"] == 0);
    assert_eq!((&done["sent"], &done["reason"]), (&json!(2), &Value::Null));
}

#[test]
fn a_flood_of_alarms_is_a_few_messages_and_a_bounded_queue() {
    let (url, taken) = accepting();
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let id = add(&site, &ntfy(&url, &json!({"after_minutes": 5})));
    let flood: Vec<Value> = (0..1200)
        .map(|number| message(&format!("s{number}"), 1, 10, NOON, 0.0))
        .collect();
    for piece in flood.chunks(400) {
        site.client.send(piece);
    }
    let waiting = shown(&site, id);
    assert_eq!(
        (&waiting["waiting"], &waiting["dropped"]),
        (&json!(1000), &json!(200))
    );
    site.pass(6 * MINUTE);
    let told = taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a message");
    assert!(
        told.contains("200 alarms") && told.contains("+ 180 more"),
        "{told}"
    );
    assert!(told.len() < 4000);
}
