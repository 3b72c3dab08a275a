//! The publisher and the subscriber with a real Mosquitto and with the embedded broker, both on
//! the files of `selo setup`: TLS, passwords, rights.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::{
    BOTH, BrokerSetup, Kind, PATIENCE, Running, deliver, message, next, reading, readings, refused,
    runtime, split, topics,
};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use selo_gateway::sink::Sink;
use selo_mqtt::failure::Kind as FailureKind;
use selo_mqtt::message::{ReadingMessage, Stored};
use selo_mqtt::{Event, Publisher, Until, topic};

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

/// The keys that Home Assistant's documentation of device discovery names [HADISCOVERY].
fn check_discovery(config: &serde_json::Value) {
    let keys = |value: &serde_json::Value| -> BTreeSet<String> {
        value
            .as_object()
            .expect("an object")
            .keys()
            .cloned()
            .collect()
    };
    let known = |allowed: &[&str], value: &serde_json::Value| {
        for key in keys(value) {
            assert!(allowed.contains(&&*key), "{key} is not documented");
        }
    };
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
    assert_eq!(config["device"]["identifiers"][0], "selo-3f9a01c2");
    assert_eq!(config["device"]["name"], "gauge 1067057602");
    assert_eq!(config["state_topic"], "selo/farm/state/3f9a01c2");
    assert_eq!(config["availability_topic"], "selo/farm/status/north");
    let components = &config["components"];
    let names = "battery clock_lost radio_lost rain_total restarted temperature time";
    assert_eq!(
        keys(components).into_iter().collect::<Vec<_>>().join(" "),
        names
    );
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
            ],
            part,
        );
        assert!(ids.insert(part["unique_id"].clone()));
    }
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

/// Creates a server certificate with these names and days, signed by the place's authority.
fn certificate(place: &BrokerSetup, names: &[&str], days: (i64, i64), other_authority: bool) {
    make_certificate(place, "server", names, days, other_authority);
}

fn make_certificate(
    place: &BrokerSetup,
    file: &str,
    names: &[&str],
    days: (i64, i64),
    other_authority: bool,
) {
    let key = KeyPair::generate().expect("a key");
    let issuer_key = std::fs::read_to_string(place.path("ca.key")).expect("there");
    let issuer = if other_authority {
        let mut params = CertificateParams::new(Vec::new()).expect("params");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Issuer::new(params, KeyPair::generate().expect("a key"))
    } else {
        let ca = std::fs::read_to_string(place.path("ca.pem")).expect("there");
        Issuer::from_ca_cert_pem(&ca, KeyPair::from_pem(&issuer_key).expect("a key"))
            .expect("an authority")
    };
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("params");
    let now = time::OffsetDateTime::now_utc();
    params.not_before = now + time::Duration::days(days.0);
    params.not_after = now + time::Duration::days(days.1);
    let made = params.signed_by(&key, &issuer).expect("signs");
    std::fs::write(place.path(&format!("{file}.pem")), made.pem()).expect("writes");
    let path = place.path(&format!("{file}.key"));
    std::fs::write(&path, key.serialize_pem()).expect("writes");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("chmod");
}

#[test]
fn a_wrong_certificate_is_named_and_nothing_is_lost() {
    for (names, days, other, words, hint) in [
        (&["localhost"][..], (-10, -1), false, "has expired", "renew"),
        (&["localhost"], (1, 10), false, "not valid yet", "clock"),
        (
            &["localhost"],
            (-1, 10),
            true,
            "authority that this machine does not trust",
            "--mqtt-ca",
        ),
        (
            &["broker.example"],
            (-1, 10),
            false,
            "is not for 'localhost', but for",
            "--name",
        ),
    ] {
        let place = BrokerSetup::new();
        certificate(&place, names, days, other);
        let broker = place.start(Kind::Mosquitto);
        let mut publisher = Publisher::new(place.publisher()).expect("starts");
        let batch = readings(1, 0..10);
        let reason = refused(&mut publisher, &batch, words);
        assert!(
            reason.contains("hint: ") && reason.contains(hint),
            "{reason}"
        );
        broker.kill();

        certificate(&place, &["localhost"], (-1, 10), false);
        let _broker = place.start(Kind::Mosquitto);
        arrives(&place, &mut publisher, &batch);
    }
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

#[test]
fn a_wrong_password_is_named_and_nothing_is_lost() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let broker = place.start(kind);
        let right = std::fs::read_to_string(place.path("passwords")).expect("there");
        let mut client = place.client("gateway");
        client.password = Some("wrong".to_owned().into());
        let mut publisher = Publisher::new(place.publisher_as(client)).expect("starts");
        let batch = readings(1, 0..10);
        let reason = refused(&mut publisher, &batch, "refuses user gateway");
        assert!(
            reason.contains("hint: ") && reason.contains("--mqtt-password-file"),
            "{reason}"
        );
        assert!(
            !reason.contains("wrong\"") && !reason.contains(right.trim()),
            "{reason}"
        );
        broker.kill();

        // Set the broker's password to the one that the gateway has.
        let line = selo_mqtt::access::password_line("gateway", "wrong").expect("a line");
        let others = right.lines().filter(|line| !line.starts_with("gateway:"));
        let users: Vec<&str> = others.chain([line.trim()]).collect();
        std::fs::write(place.path("passwords"), users.join("\n") + "\n").expect("writes");
        let _broker = place.start(kind);
        arrives(&place, &mut publisher, &batch);
    }
}

#[test]
fn a_broker_that_is_away_at_the_start_gets_everything_later_in_order() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let mut publisher = Publisher::new(place.publisher()).expect("starts");
        let batch = readings(1, 0..500);
        let reason = refused(
            &mut publisher,
            &batch,
            "no server is listening at localhost:",
        );
        assert!(reason.contains("hint: is a TLS broker running"), "{reason}");
        let _broker = place.start(kind);
        arrives(&place, &mut publisher, &batch);
        arrives(&place, &mut publisher, &readings(1, 500..510));
    }
}

/// A gateway with a backlog leaves room in the broker's queue for readings of others.
#[test]
fn few_readings_are_published_that_nobody_has_stored() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let _broker = place.start(kind);
        runtime().block_on(async {
            let mut collector = place
                .subscriber("collector", &[&topic::collector_filter(None)])
                .await;
            let mut config = place.publisher();
            config.until = Until::Stored;
            let mut publisher = Publisher::new(config).expect("starts");
            let backlog = readings(1, 0..2000);
            let publishing = tokio::task::spawn_blocking(move || {
                let first = publisher.deliver(&backlog);
                (publisher, first.is_err())
            });
            let mut heard = 0;
            let moment = Duration::from_millis(500);
            while let Ok((_, json)) = tokio::time::timeout(moment, message(&mut collector)).await {
                assert_eq!(json["counter"], heard);
                heard += 1;
            }
            assert!((1..2000).contains(&heard), "{heard} are published");
            let (publisher, waits) = publishing.await.expect("no panic");
            assert!(waits, "nobody has confirmed");
            drop(publisher);
        });
    }
}

#[test]
fn stored_means_stored_by_the_collector() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let _broker = place.start(kind);
        runtime().block_on(async {
            let mut collector = place
                .subscriber("collector", &[&topic::collector_filter(None)])
                .await;
            let mut config = place.publisher();
            config.until = Until::Stored;
            let mut publisher = Publisher::new(config).expect("starts");
            let batch = readings(1, 0..10);
            let again = batch.clone();
            let (publisher, first) = tokio::task::spawn_blocking(move || {
                let first = publisher.deliver(&again);
                (publisher, first)
            })
            .await
            .expect("no panic");
            let mut publisher = publisher;
            // The broker has them, which does not count as delivered.
            let reason = format!("{:?}", first.expect_err("nobody has confirmed"));
            assert!(
                reason.starts_with("UnderWay(")
                    && reason.contains("10 of 10 readings are not confirmed"),
                "{reason}"
            );

            let mut sequences = Vec::new();
            let mut run = String::new();
            let mut to = String::new();
            while sequences.len() < 10 {
                let (message, _) = message(&mut collector).await;
                sequences.push(message.sequence.expect("a sequence"));
                run = message.run.expect("a run");
                to = message.response_topic.expect("a topic");
            }
            let say = |run: &str, sequences: &[u64]| {
                let stored = Stored::new(run, sequences.iter().copied()).to_json();
                let (sender, to) = (collector.sender(), to.clone());
                async move { sender.publish(to, stored, false).await.expect("published") }
            };
            // Confirmations of another run, of invalid sequences, of something else, and of a
            // part.
            say("0123456789abcdef", &sequences).await;
            say(&run, &[u64::MAX]).await;
            collector
                .sender()
                .publish(&*to, "nonsense", false)
                .await
                .expect("published");
            say(&run, &sequences[..4]).await;
            let again = batch.clone();
            let (mut publisher, second) = tokio::task::spawn_blocking(move || {
                let second = publisher.deliver(&again);
                (publisher, second)
            })
            .await
            .expect("no panic");
            let reason = format!("{:?}", second.expect_err("only four"));
            assert!(
                reason.contains("6 of 10 readings are not confirmed"),
                "{kind:?} {reason}"
            );
            say(&run, &sequences[4..]).await;
            tokio::task::spawn_blocking(move || deliver(&mut publisher, &batch))
                .await
                .expect("no panic");
        });
    }
}

/// Stores, acknowledges and confirms readings as a collector does. Returns the stored readings
/// and the number of deliveries of each.
async fn collect(
    place: &BrokerSetup,
    stored: Arc<Mutex<HashMap<(String, u32), u32>>>,
    stop: Arc<AtomicBool>,
) {
    let mut collector = place
        .subscriber("collector", &[&topic::collector_filter(None)])
        .await;
    while !stop.load(Ordering::Relaxed) {
        let Ok(event) = tokio::time::timeout(Duration::from_millis(50), collector.next()).await
        else {
            continue;
        };
        let Event::Message(incoming) = event.expect("it lives") else {
            continue;
        };
        let reading: ReadingMessage = serde_json::from_slice(&incoming.payload).expect("a message");
        let device = reading.device.expect("a device");
        *stored
            .lock()
            .expect("whole")
            .entry((device, reading.counter))
            .or_default() += 1;
        let (incoming, ack) = split(incoming);
        ack.send().await;
        let (run, to) = (
            incoming.run.expect("a run"),
            incoming.response_topic.expect("a topic"),
        );
        let sequence = incoming.sequence.expect("a sequence");
        let confirmation = Stored::new(&run, [sequence]).to_json();
        // A broker that dies now loses the confirmation; the reading is then published again.
        let sender = collector.sender();
        tokio::spawn(async move { sender.publish(to, confirmation, false).await });
    }
}

#[test]
fn a_broker_that_is_killed_under_load_loses_nothing() {
    const DEVICES: u32 = 4;
    const BATCHES: u32 = 60;
    const EACH: u32 = 25;
    for kind in BOTH {
        let place = BrokerSetup::new();
        let mut broker: Option<Running> = Some(place.start(kind));
        let stored = Arc::new(Mutex::new(HashMap::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let delivered = Arc::new(Mutex::new(0u32));
        std::thread::scope(|scope| {
            let place = &place;
            let (into, end) = (stored.clone(), stop.clone());
            scope.spawn(move || runtime().block_on(collect(place, into, end)));
            let (stored, count) = (stored.clone(), delivered.clone());
            let deliverer = scope.spawn(move || {
                let mut config = place.publisher();
                config.until = Until::Stored;
                let mut publisher = Publisher::new(config).expect("starts");
                for batch in 0..BATCHES {
                    let batch: Vec<_> = (0..DEVICES)
                        .flat_map(|device| readings(device, batch * EACH..(batch + 1) * EACH))
                        .collect();
                    deliver(&mut publisher, &batch);
                    // Everything delivered is stored, whatever died.
                    let stored = stored.lock().expect("whole");
                    for reading in &batch {
                        let device = reading.device.to_string();
                        assert!(stored.contains_key(&(device, reading.counter)));
                    }
                    *count.lock().expect("whole") += 1;
                }
            });
            for at in [10, 25, 40] {
                let since = Instant::now();
                while *delivered.lock().expect("whole") < at && !deliverer.is_finished() {
                    assert!(since.elapsed() < PATIENCE, "it does not go on");
                    std::thread::sleep(Duration::from_millis(1));
                }
                broker.take().expect("runs").kill();
                broker = Some(place.start(kind));
            }
            deliverer.join().expect("all is delivered");
            stop.store(true, Ordering::Relaxed);
        });
        let stored = stored.lock().expect("whole");
        assert_eq!(stored.len() as u32, DEVICES * BATCHES * EACH, "{kind:?}");
        let again: u32 = stored.values().map(|times| times - 1).sum();
        println!("{kind:?}: {} readings, {again} came again", stored.len());
    }
}

#[test]
fn a_client_certificate_is_shown_when_the_broker_wants_one() {
    let place = BrokerSetup::new();
    let config = place.path("mosquitto.conf");
    let text = std::fs::read_to_string(&config).expect("there")
        + &format!(
            "cafile {}\nrequire_certificate true\n",
            place.path("ca.pem").display()
        );
    std::fs::write(&config, text).expect("writes");
    let _broker = place.start(Kind::Mosquitto);
    let mut without = Publisher::new(place.publisher()).expect("starts");
    let reason = refused(
        &mut without,
        &[reading(1, 0)],
        "requires a client certificate",
    );
    assert!(reason.contains("--mqtt-certificate"), "{reason}");
    make_certificate(&place, "client", &["gateway"], (-1, 10), false);
    let mut client = place.client("gateway");
    client.certificate = Some((place.path("client.pem"), place.path("client.key")));
    let mut with = Publisher::new(place.publisher_as(client)).expect("starts");
    deliver(&mut with, &[reading(1, 0)]);
}
