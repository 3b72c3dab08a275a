//! The outbox: when the disk is full, when it is full itself, and when a channel changes.

use std::time::Duration;

use serde_json::{Value, json};

use super::servers::{accepting, refusing};
use super::{MINUTE, add, clear, hot, nothing_more, ntfy, raise, set_rules, shown, until};
use crate::common::{NOON, Site, message};

fn patch(site: &Site, id: i64, change: &Value) {
    let path = format!("/api/v1/channels/{id}");
    site.client
        .request("PATCH", &path, &[], &change.to_string())
        .ok();
}

#[test]
fn a_notice_that_cannot_be_noted_as_sent_is_not_sent_again() {
    let (url, taken) = accepting();
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let hook = json!({"name": "hook", "kind": "webhook", "url": url, "severity": "info"});
    let id = add(&site, &hook);
    // As if the disk were full.
    site.script(
        "CREATE TRIGGER full_disk BEFORE DELETE ON outbox
         BEGIN SELECT RAISE(ABORT, 'the disk is full'); END",
    );
    raise(&site, 1);
    taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a notice");
    nothing_more(&taken);
    assert_eq!(shown(&site, id)["waiting"], 1);
    site.script("DROP TRIGGER full_disk");
    until(&site, id, |one| one["sent"] == 1 && one["waiting"] == 0);
    nothing_more(&taken);
    // Then it goes on.
    clear(&site, 2);
    taken
        .recv_timeout(Duration::from_secs(30))
        .expect("the end");
}

#[test]
fn a_full_outbox_drops_the_mildest_notice() {
    let (url, _taken) = accepting();
    let site = Site::start();
    let (mut mild, severe) = (hot("info")[0].clone(), hot("critical")[0].clone());
    mild["name"] = "mild".into();
    set_rules(&site, &json!([severe, mild]));
    let id = add(&site, &ntfy(&url, &json!({"after_minutes": 5})));
    // Each station raises a critical alarm and a mild one.
    let flood: Vec<Value> = (0..1001)
        .map(|number| message(&format!("s{number}"), 1, 10, NOON, 0.0))
        .collect();
    for piece in flood.chunks(400) {
        site.client.send(piece);
    }
    let full = shown(&site, id);
    assert_eq!(
        (&full["waiting"], &full["dropped"]),
        (&json!(1000), &json!(1002))
    );
    let of = site.blocking(async |ingest| {
        let sql = "SELECT severity, COUNT(*), MIN(alarm) FROM outbox GROUP BY severity";
        let rows = ingest.write(move |db, _| db.query(sql, &[])).await;
        rows.expect("rows")
    });
    assert_eq!(of.len(), 1, "only critical ones: {of:?}");
    assert_eq!((of[0].int(0), of[0].int(1)), (2, 1000));
    assert!(of[0].int(2) > 1, "the oldest one went: {of:?}");
}

#[test]
fn an_acknowledgement_stops_an_escalation_that_is_due() {
    let (url, taken) = refusing(1);
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let id = add(&site, &ntfy(&url, &json!({"after_minutes": 15})));
    raise(&site, 1);
    site.pass(16 * MINUTE);
    // The server failed once: the notice is due, and waits for the second attempt.
    until(&site, id, |one| one["attempts"] == 1);
    let alarm = site.client.get("/api/v1/alarms").ok()["active"][0]["id"].clone();
    site.client
        .post(&format!("/api/v1/alarms/{alarm}/acknowledge"), "{}")
        .ok();
    assert_eq!(shown(&site, id)["waiting"], 0);
    site.pass(10_000);
    nothing_more(&taken);
}

#[test]
fn nothing_waits_for_a_channel_that_is_switched_off() {
    let (url, taken) = accepting();
    let mut site = Site::start();
    set_rules(&site, &hot("warning"));
    let id = add(&site, &ntfy(&url, &json!({"after_minutes": 15})));
    raise(&site, 1);
    assert_eq!(shown(&site, id)["waiting"], 1);
    patch(&site, id, &json!({"active": false}));
    assert_eq!(shown(&site, id)["waiting"], 0);
    // A crash between the file and the database leaves notices; the next start drops them.
    let left = format!(
        "INSERT INTO outbox(target, topic, body, attempts, due)
            VALUES ('channel:{id}', '', '{{}}', 0, 0)"
    );
    site.script(&left);
    site.restart();
    assert_eq!(shown(&site, id)["waiting"], 0);
    patch(&site, id, &json!({"active": true}));
    site.pass(20 * MINUTE);
    nothing_more(&taken);
}

#[test]
fn a_renamed_channel_is_told_of_the_end() {
    let (url, taken) = accepting();
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let id = add(&site, &ntfy(&url, &json!({"after_minutes": 1})));
    raise(&site, 1);
    site.pass(2 * MINUTE);
    taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a message");
    until(&site, id, |one| one["sent"] == 1);
    patch(&site, id, &json!({"name": "night duty"}));
    clear(&site, 2);
    let told = taken
        .recv_timeout(Duration::from_secs(30))
        .expect("the end");
    assert!(
        told.contains("is over") || told.contains("over ("),
        "{told}"
    );
}

#[test]
fn a_notice_is_given_up_after_750_attempts() {
    let (url, _taken) = refusing(usize::MAX);
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let id = add(&site, &ntfy(&url, &json!({})));
    raise(&site, 1);
    until(&site, id, |one| one["attempts"] == 1);
    site.script("UPDATE outbox SET attempts = 748");
    site.pass(2 * 3_600_000);
    until(&site, id, |one| one["attempts"] == 749);
    site.pass(2 * 3_600_000);
    let given_up = until(&site, id, |one| one["waiting"] == 0);
    assert_eq!(
        (&given_up["dropped"], &given_up["sent"]),
        (&json!(1), &json!(0))
    );
    let journal = site.client.get("/api/v1/journal").ok();
    let event = &journal["events"][0];
    assert_eq!(
        (&event["event"], &event["person"]),
        (&json!("failed"), &json!("duty"))
    );
}

#[test]
fn a_webhooks_url_is_in_no_answer() {
    let (url, taken) = accepting();
    let secret = "T0123/key-of-the-hook";
    let site = Site::start_with(|config| {
        config.webhooks = vec![format!("{url}/services/{secret}?token=key-of-the-query")];
    });
    set_rules(&site, &hot("warning"));
    raise(&site, 1);
    taken
        .recv_timeout(Duration::from_secs(30))
        .expect("a notice");
    let sent = || {
        let journal = site.client.get("/api/v1/journal").ok();
        journal["events"]
            .as_array()
            .expect("a list")
            .iter()
            .find(|event| event["event"] == "sent")
            .cloned()
    };
    for _ in 0..100 {
        if sent().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(sent().expect("an event")["person"], url);
    let journal = site.client.get("/api/v1/journal").text;
    let csv = site.client.get("/api/v1/export?of=journal").text;
    for text in [journal, csv] {
        assert!(!text.contains("key-of-the"), "{text}");
    }
    let targets = site.blocking(async |ingest| {
        let rows = ingest.write(|db, _| db.query("SELECT target FROM delivery", &[]));
        rows.await.expect("rows")
    });
    let target = targets[0].text(0);
    assert!(
        target.starts_with("webhook:") && !target.contains("key"),
        "{target}"
    );
}

#[test]
fn the_journal_is_kept_for_a_year_and_saved_by_station() {
    let mut site = Site::start();
    set_rules(&site, &hot("warning"));
    raise(&site, 1);
    site.client.send(&[message("river", 1, 10, NOON, 0.0)]);
    let csv = |station: &str| {
        let path = format!("/api/v1/export?of=journal&station={station}");
        site.client.get(&path).text
    };
    for (station, other) in [("river", "3f9a01c2"), ("site:3f9a01c2", "river")] {
        let name = station.trim_start_matches("site:");
        assert!(csv(station).contains(name), "{}", csv(station));
        assert!(!csv(station).contains(other), "{}", csv(station));
    }
    assert_eq!(
        site.client
            .get("/api/v1/export?of=journal&station=none")
            .status,
        404
    );
    let count = |site: &Site| {
        let journal = site.client.get("/api/v1/journal").ok();
        journal["events"].as_array().expect("a list").len()
    };
    let before = count(&site);
    assert!(before >= 2);
    let prune = |site: &mut Site| {
        let metrics = site.collector.as_ref().expect("runs").metrics();
        let (kept, now) = (
            site.config.retention,
            site.now.load(std::sync::atomic::Ordering::SeqCst),
        );
        site.blocking(async |ingest| {
            let gone = selo_collector::retention::prune(&ingest, &metrics, kept, now);
            gone.await.expect("pruned")
        });
        site.client.log_in(site.folder.path());
    };
    site.pass(365 * 24 * 60 * MINUTE);
    prune(&mut site);
    assert_eq!(count(&site), before);
    site.pass(2 * 24 * 60 * MINUTE);
    prune(&mut site);
    assert_eq!(count(&site), 0);
}
