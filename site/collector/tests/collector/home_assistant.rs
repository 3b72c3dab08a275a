//! Home Assistant's view of the alarms: descriptions and states, with a real Mosquitto and with
//! the embedded broker.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::common::Site;
use crate::common::farm::{Broker, Farm, Kind, THEN, deliver, reading};
use selo_codec::Language;
use selo_mqtt::{Event, Subscriber, SubscriberConfig};
use serde_json::{Value, json};

/// Longest wait for an expected message.
const PATIENCE: Duration = Duration::from_secs(60);
const STATE: &str = "selo/farm/alarms/3f9a01c2";
const RAIN: &str = "homeassistant/device/selo-farm_-3f9a01c2_-rain/config";
const HOT: &str = "homeassistant/device/selo-farm_-3f9a01c2_-hot/config";

/// A viewer, and the last message of each topic that it has seen.
struct Viewer {
    runtime: tokio::runtime::Runtime,
    subscriber: Subscriber,
    seen: BTreeMap<String, String>,
}

impl Viewer {
    fn new(farm: &Farm, id: &str) -> Viewer {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let filters = ["selo/+/alarms/+", "homeassistant/#"].map(String::from);
        let config = SubscriberConfig::new(farm.client("viewer", id), filters);
        let subscriber = {
            let _inside = runtime.enter();
            Subscriber::start(config).expect("starts")
        };
        Viewer {
            runtime,
            subscriber,
            seen: BTreeMap::new(),
        }
    }

    /// Receives until the last messages satisfy the condition.
    fn until(&mut self, what: &str, is_so: impl Fn(&BTreeMap<String, String>) -> bool) {
        let since = Instant::now();
        while !is_so(&self.seen) {
            assert!(since.elapsed() < PATIENCE, "{what}: {:#?}", self.seen);
            let subscriber = &mut self.subscriber;
            let event = self.runtime.block_on(async {
                tokio::time::timeout(Duration::from_secs(1), subscriber.next()).await
            });
            if let Ok(Some(Event::Message(message))) = event {
                let body = String::from_utf8(message.payload.to_vec()).expect("text");
                self.seen.insert(message.topic, body);
                self.runtime.block_on(message.ack.send());
            }
        }
    }

    fn json(&self, topic: &str) -> Value {
        let body = self.seen.get(topic).map_or("", String::as_str);
        serde_json::from_str(body).unwrap_or_default()
    }

    fn until_alarms(&mut self, wanted: &Value) {
        let text = json!({"schema": "selo.alarms/1", "alarms": wanted}).to_string();
        self.until(&text, |seen| seen.get(STATE) == Some(&text));
    }
}

fn set_rules(site: &Site, rules: &Value) {
    let body = json!({ "rules": rules }).to_string();
    site.client.request("PUT", "/api/v1/rules", &[], &body).ok();
}

fn start(farm: &Farm) -> Site {
    let client = farm.client("collector", "collector");
    let site = Site::start_with(|config| {
        config.mqtt = Some(client);
        config.language = Language::Portuguese;
    });
    site.now.store(THEN + 10_000, Ordering::SeqCst);
    site
}

fn both(test: impl Fn(&Farm, Broker, Kind)) {
    for kind in [Kind::Embedded, Kind::Mosquitto] {
        let farm = Farm::new();
        let broker = farm.start(kind);
        test(&farm, broker, kind);
        if kind == Kind::Mosquitto {
            let log = std::fs::read_to_string(farm.log()).expect("a log");
            assert!(log.contains("collector"), "{log}");
            assert!(!log.to_lowercase().contains("denied"), "{log}");
        }
    }
}

#[test]
fn alarms_are_sensors_that_follow_them_also_after_restarts() {
    both(|farm, broker, kind| {
        let rain = json!({"name": "rain", "kind": "rain", "over": "1h", "limit": 50.0});
        let hot = json!({"name": "hot", "kind": "value", "value": "temperature", "limit": 90.0});
        let mut site = start(farm);
        set_rules(&site, &json!([rain, hot]));
        let mut publisher = farm.publisher("north");
        let evil = "</b>\"'{{ 1 }}/+#";
        let named = |counter| {
            let mut reading = reading(0x3f9a_01c2, counter, 1);
            reading.name = Some(evil.into());
            reading
        };
        deliver(&mut publisher, &[named(0)]);
        let mut viewer = Viewer::new(farm, "viewer");
        viewer.until_alarms(&json!({"rain": false, "hot": false}));
        viewer.until("descriptions", |seen| {
            [RAIN, HOT].iter().all(|t| seen.contains_key(*t))
        });
        let config = viewer.json(RAIN);
        assert_eq!(config["device"]["name"], evil);
        assert_eq!(config["device"]["identifiers"][0], "selo-3f9a01c2");
        assert_eq!(config["components"]["alarm"]["name"], "Alarme: rain");
        assert_eq!(config["state_topic"], STATE);

        let wet: Vec<_> = (1..300).map(named).collect();
        deliver(&mut publisher, &wet);
        viewer.until_alarms(&json!({"rain": true, "hot": false}));

        // The alarm ends, and a rule goes, while the broker is away.
        broker.stop();
        site.pass(2 * 3_600_000);
        site.watch_clock();
        // The admin's session is over, too.
        site.client.log_in(site.folder.path());
        set_rules(&site, &json!([rain]));
        let broker = farm.start(kind);
        // A new viewer, because this broker has lost its retained messages.
        let mut viewer = Viewer::new(farm, "late");
        viewer.until_alarms(&json!({"rain": false}));
        viewer.until("the description", |seen| seen.contains_key(RAIN));
        assert_eq!(viewer.json(HOT), Value::Null);

        // A rule goes while the collector does not run: the next one removes its sensor.
        let collector = site.collector.take().expect("runs");
        collector.stop();
        let mut quiet = site.config.clone();
        quiet.mqtt = None;
        site.collector = Some(selo_collector::Collector::start(quiet).expect("starts"));
        site.script("DELETE FROM rule");
        site.restart();
        viewer.until("emptied", |seen| {
            [RAIN, STATE]
                .iter()
                .all(|topic| seen.get(*topic).is_some_and(String::is_empty))
        });
        drop((site, publisher));
        broker.stop();
    });
}

#[test]
fn hundreds_of_alarms_arrive_and_vanish() {
    both(|farm, broker, _| {
        let site = start(farm);
        let names: Vec<String> = (0..100).map(|number| format!("rule.{number}_-")).collect();
        let rule = |name: &String| json!({"name": name, "kind": "silent", "over": "7d"});
        set_rules(&site, &names.iter().map(rule).collect::<Vec<_>>().into());
        let mut publisher = farm.publisher("north");
        let batch: Vec<_> = (0..5).map(|device| reading(device, 0, 1)).collect();
        deliver(&mut publisher, &batch);
        let mut viewer = Viewer::new(farm, "viewer");
        let alive = |seen: &BTreeMap<String, String>| {
            let is_alarm =
                |(topic, body): &(&String, &String)| topic.contains("_-rule") && !body.is_empty();
            seen.iter().filter(is_alarm).count()
        };
        viewer.until("500 sensors", |seen| alive(seen) == 500);
        set_rules(&site, &json!([]));
        viewer.until("no sensor", |seen| alive(seen) == 0);
        drop((site, publisher));
        broker.stop();
    });
}

#[test]
fn what_was_announced_vanishes_when_home_assistant_is_switched_off() {
    both(|farm, broker, _| {
        let mut site = start(farm);
        set_rules(
            &site,
            &json!([{"name": "rain", "kind": "rain", "limit": 50.0}]),
        );
        let mut publisher = farm.publisher("north");
        deliver(&mut publisher, &[reading(0x3f9a_01c2, 0, 1)]);
        let mut viewer = Viewer::new(farm, "viewer");
        viewer.until("a description", |seen| seen.contains_key(RAIN));
        site.config.home_assistant = false;
        site.restart();
        viewer.until("emptied", |seen| {
            let is_empty = |topic: &&str| seen.get(*topic).is_some_and(String::is_empty);
            [RAIN, STATE].iter().all(is_empty)
        });
        drop((site, publisher));
        broker.stop();
    });
}

/// An access list of the release before, which somebody has edited, keeps nobody from storing. The
/// collector asks once for each connection, and not again and again.
#[test]
fn without_the_rights_readings_are_stored_all_the_same() {
    let farm = Farm::new();
    farm.change_acl(|acl| acl.replace("topic write selo/+/alarms/+\n", "# edited\n"));
    let broker = farm.start(Kind::Mosquitto);
    let site = start(&farm);
    let mut publisher = farm.publisher("north");
    let denied = || {
        let log = std::fs::read_to_string(farm.log()).expect("a log");
        log.matches("Denied PUBLISH").count()
    };
    deliver(&mut publisher, &[reading(1, 0, 1)]);
    let since = Instant::now();
    while denied() == 0 {
        assert!(since.elapsed() < PATIENCE, "it is never refused");
        std::thread::sleep(Duration::from_millis(100));
    }
    // More than the interval at which the collector compares.
    std::thread::sleep(Duration::from_secs(7));
    assert_eq!(denied(), 1);
    deliver(&mut publisher, &[reading(1, 1, 1)]);
    let station = site.client.get("/api/v1/stations/00000001").ok();
    assert_eq!(station["received"], 2);
    drop((site, publisher));
    broker.stop();
}

#[test]
fn a_sensor_expires_when_the_rules_call_its_station_silent() {
    both(|farm, broker, _| {
        let site = start(farm);
        set_rules(
            &site,
            &json!([{"name": "silent", "kind": "silent", "over": "3h"}]),
        );
        let mut publisher = farm.publisher("north");
        deliver(&mut publisher, &[reading(0x3f9a_01c2, 0, 1)]);
        let topic = "homeassistant/device/selo-3f9a01c2/config";
        let mut viewer = Viewer::new(farm, "viewer");
        let expires = |seconds: u64| {
            move |seen: &BTreeMap<String, String>| {
                let text = seen.get(topic).map_or("", String::as_str);
                let config: Value = serde_json::from_str(text).unwrap_or_default();
                let parts = config["components"].as_object();
                parts
                    .is_some_and(|parts| parts.values().all(|part| part["expire_after"] == seconds))
            }
        };
        viewer.until("three hours", expires(10_800));
        set_rules(
            &site,
            &json!([{"name": "silent", "kind": "silent", "over": "20m"}]),
        );
        deliver(&mut publisher, &[reading(0x3f9a_01c2, 1, 1)]);
        viewer.until("twenty minutes", expires(1_200));
        drop((site, publisher));
        broker.stop();
    });
}
