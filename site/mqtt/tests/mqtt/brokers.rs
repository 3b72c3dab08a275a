//! The publisher and the subscriber with a real Mosquitto and with the embedded broker, both on
//! the files of `selo setup`: TLS, passwords, rights.

mod home;
mod refused;
mod stored;

use std::collections::{BTreeSet, HashSet};
use std::time::Duration;

use crate::support::{
    BOTH, BrokerSetup, Kind, deliver, message, next, reading, readings, refused, runtime, topics,
};
use selo_mqtt::failure::Kind as FailureKind;
use selo_mqtt::message::ReadingMessage;
use selo_mqtt::{Event, Publisher, topic};

#[test]
fn readings_state_status_and_discovery_arrive() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let _broker = place.start(kind);
        runtime().block_on(async {
            let mut viewer = place
                .subscriber("viewer", &["selo/#", "homeassistant/#"])
                .await;
            let mut publisher = Publisher::new(place.publisher()).expect("starts");
            let batch = readings(0x3f9a_01c2, 0..3);
            let publisher = tokio::task::spawn_blocking(move || {
                deliver(&mut publisher, &batch);
                publisher
            })
            .await
            .expect("no panic");
            let mut seen = Vec::new();
            let mut last = None;
            let mut discovery = None;
            while seen.len() < 3 || last.is_none() || discovery.is_none() {
                let (message, json) = message(&mut viewer).await;
                assert!(!message.retained, "{}: {kind:?}", message.topic);
                match &*message.topic {
                    "selo/farm/reading/3f9a01c2" => {
                        let reading: ReadingMessage =
                            serde_json::from_value(json).expect("a message");
                        assert_eq!(reading.gateway, "north");
                        assert_eq!(reading.codec, "rain-gauge");
                        let rain = f64::from(reading.counter) * 2.0 / 10.0;
                        assert_eq!(reading.values["rain_total"].value, rain);
                        let stored = message.response_topic.expect("where to confirm");
                        assert_eq!(stored, "selo/farm/stored/north");
                        assert_eq!(message.run.expect("a run").len(), 16);
                        seen.push((reading.counter, message.sequence.expect("a sequence")));
                    }
                    "selo/farm/state/3f9a01c2" => {
                        assert_eq!(json["counter"], 2);
                        last = Some(json);
                    }
                    "selo/farm/status/north" => assert_eq!(json["online"], true),
                    "homeassistant/device/selo-3f9a01c2/config" => discovery = Some(json),
                    other => panic!("{other}"),
                }
            }
            assert_eq!(seen, [(0, 0), (1, 1), (2, 2)], "{kind:?}");
            check_discovery(&discovery.expect("there"));

            // A late subscriber gets the retained messages.
            let mut late = place.late_subscriber("viewer", &["selo/#", "homeassistant/#"]);
            let found = topics(&mut late, 3).await;
            assert!(found.values().all(|(retained, _)| *retained));
            assert_eq!(found["selo/farm/state/3f9a01c2"].1["counter"], 2);
            assert_eq!(found["selo/farm/status/north"].1["online"], true);

            // Dropping the publisher publishes its offline status.
            tokio::task::spawn_blocking(move || drop(publisher))
                .await
                .expect("no panic");
            let (farewell, json) = message(&mut late).await;
            assert_eq!(farewell.topic, "selo/farm/status/north");
            assert_eq!(
                (&json["online"], &json["schema"]),
                (&false.into(), &"selo.status/1".into())
            );
        });
    }
}

/// A guest who joins shared-subscription groups takes nothing away from the collectors, whose
/// group has a secret name. Mosquitto lets everyone join any group on topics that he may read.
#[test]
fn a_guest_who_joins_groups_takes_nothing_from_the_collector() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let _broker = place.start(kind);
        runtime().block_on(async {
            let client = place.client("collector");
            let secret = client.password.as_ref().map(|text| text.as_str());
            let group = topic::collector_filter(secret);
            let mut collector = place.subscriber("collector", &[&group]).await;
            let guesses = ["selo-collector", "selo", "collector", "selo-0"];
            let guests: Vec<_> = guesses
                .map(|guess| format!("$share/{guess}/selo/+/reading/+"))
                .map(|filter| place.late_subscriber("viewer", &[&filter]))
                .into();
            // By now the guests have joined wherever they are admitted: each connects within
            // moments.
            tokio::time::sleep(Duration::from_millis(500)).await;
            let mut publisher = Publisher::new(place.publisher()).expect("starts");
            let batch = readings(0x3f9a_01c2, 0..50);
            let publisher = tokio::task::spawn_blocking(move || {
                deliver(&mut publisher, &batch);
                publisher
            })
            .await
            .expect("no panic");
            let mut counters = BTreeSet::new();
            while counters.len() < 50 {
                let (_, json) = message(&mut collector).await;
                assert!(counters.insert(json["counter"].as_u64().expect("a counter")));
            }
            drop((guests, publisher));
        });
    }
}

fn keys(value: &serde_json::Value) -> BTreeSet<String> {
    value
        .as_object()
        .expect("an object")
        .keys()
        .cloned()
        .collect()
}

/// Fails if an object has other keys than these.
fn known(allowed: &[&str], value: &serde_json::Value) {
    for key in keys(value) {
        assert!(allowed.contains(&&*key), "{key} is not documented");
    }
}

/// The keys that Home Assistant's documentation of device discovery names [HADISCOVERY].
fn check_keys(config: &serde_json::Value) {
    known(
        &[
            "device",
            "origin",
            "components",
            "state_topic",
            "availability_topic",
            "availability_template",
            "qos",
        ],
        config,
    );
    known(
        &[
            "identifiers",
            "name",
            "manufacturer",
            "model",
            "serial_number",
            "sw_version",
        ],
        &config["device"],
    );
    known(&["name", "sw_version", "support_url"], &config["origin"]);
    let components = &config["components"];
    let mut ids = HashSet::new();
    for part in components.as_object().expect("an object").values() {
        known(
            &[
                "platform",
                "unique_id",
                "name",
                "value_template",
                "device_class",
                "unit_of_measurement",
                "state_class",
                "payload_on",
                "payload_off",
                "entity_category",
                "expire_after",
            ],
            part,
        );
        assert!(ids.insert(part["unique_id"].clone()));
    }
}

/// The description of a gauge, key by key.
fn check_discovery(config: &serde_json::Value) {
    check_keys(config);
    assert_eq!(config["device"]["identifiers"][0], "selo-3f9a01c2");
    assert_eq!(config["device"]["name"], "gauge 1067057602");
    assert_eq!(config["state_topic"], "selo/farm/state/3f9a01c2");
    assert_eq!(config["availability_topic"], "selo/farm/status/north");
    let components = &config["components"];
    let names = "battery clock_lost link-rssi radio_lost rain_total restarted temperature time";
    assert_eq!(
        keys(components).into_iter().collect::<Vec<_>>().join(" "),
        names
    );
    for part in components.as_object().expect("an object").values() {
        assert_eq!(part["expire_after"], 3_600);
    }
    let signal = &components["link-rssi"];
    assert_eq!(signal["device_class"], "signal_strength");
    assert_eq!(signal["unit_of_measurement"], "dBm");
    assert_eq!(signal["entity_category"], "diagnostic");
    let rain = &components["rain_total"];
    assert_eq!(
        (
            &rain["platform"],
            &rain["device_class"],
            &rain["state_class"],
            &rain["unit_of_measurement"]
        ),
        (
            &"sensor".into(),
            &"precipitation".into(),
            &"total_increasing".into(),
            &"mm".into()
        )
    );
    assert_eq!(components["temperature"]["unit_of_measurement"], "\u{b0}C");
    assert_eq!(components["radio_lost"]["platform"], "binary_sensor");
    assert_eq!(components["radio_lost"]["device_class"], "problem");
    assert_eq!(components["time"]["device_class"], "timestamp");
    assert!(
        components["time"].get("state_class").is_none(),
        "a time is not a measurement"
    );
}

#[test]
fn a_device_is_described_once_and_again_when_its_name_changes() {
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    runtime().block_on(async {
        let mut viewer = place.subscriber("viewer", &["homeassistant/#"]).await;
        let mut publisher = Publisher::new(place.publisher()).expect("starts");
        let task = tokio::task::spawn_blocking(move || {
            for counter in 0..5 {
                deliver(&mut publisher, &[reading(1, counter)]);
            }
            let mut renamed = reading(1, 5);
            renamed.name = Some("roof".into());
            deliver(&mut publisher, &[renamed, reading(2, 0)]);
            publisher
        });
        let mut names = Vec::new();
        while names.len() < 3 {
            let (_, json) = message(&mut viewer).await;
            names.push(json["device"]["name"].as_str().expect("a name").to_owned());
        }
        assert_eq!(names, ["gauge 1", "roof", "gauge 2"]);
        drop(task.await);
    });
}

#[test]
fn nobody_does_what_the_rights_do_not_say() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let _broker = place.start(kind);
        runtime().block_on(async {
            let viewer = place.subscriber("viewer", &["selo/#"]).await;
            let refusal = viewer
                .sender()
                .publish("selo/farm/reading/00000001", "{}", false)
                .await
                .expect_err("refused");
            assert_eq!(refusal.kind, FailureKind::NotAllowed, "{refusal}");
        });
        // A gateway that is configured with another site.
        let mut config = place.publisher();
        config.site = "other".into();
        let mut publisher = Publisher::new(config).expect("starts");
        // The embedded broker already refuses the last will.
        let words = match kind {
            Kind::Mosquitto => "does not let user gateway publish to selo/other/",
            Kind::Embedded => "refuses user gateway",
        };
        let reason = refused(&mut publisher, &[reading(1, 0)], words);
        assert!(reason.contains("hint: "), "{reason}");
    }
    // Mosquitto accepts any subscription and delivers nothing. The embedded broker refuses it.
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    runtime().block_on(async {
        let filters = ["#".to_owned()];
        let config = selo_mqtt::SubscriberConfig::new(place.client("collector"), filters);
        let mut collector = selo_mqtt::Subscriber::start(config).expect("starts");
        match next(&mut collector).await {
            Event::Away(failure) => {
                assert_eq!(failure.kind, FailureKind::NotAllowed);
                assert!(failure.what.contains("subscribe to #"), "{failure}");
            }
            other => panic!("{other:?}"),
        }
    });
}

/// What was refused is delivered now, in order.
fn arrives(
    place: &BrokerSetup,
    publisher: &mut Publisher,
    batch: &[selo_gateway::reading::Reading],
) {
    runtime().block_on(async {
        let mut viewer = place.subscriber("viewer", &["selo/farm/reading/+"]).await;
        deliver(publisher, batch);
        for reading in batch {
            let (_, json) = message(&mut viewer).await;
            assert_eq!(json["counter"], reading.counter);
        }
    });
}
