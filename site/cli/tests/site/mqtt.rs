//! Tests `selo setup`, `selo broker` and `selo gateway --mqtt` from end to end, with nodes of the
//! device library, an embedded broker that is killed, and Mosquitto on the same files.

use std::collections::{HashMap, HashSet};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::gateway_support::farm::Farm;
use crate::gateway_support::{CNode, PATIENCE, Site};
use selo_mqtt::message::{ReadingMessage, Stored};
use selo_mqtt::{ClientConfig, Event, Subscriber, SubscriberConfig, topic};
use selo_sys::node::Suite;

#[test]
fn setup_makes_private_files_and_says_what_is_next() {
    let site = Site::new();
    let answer = site.selo(&["setup", "farm", "--name", "farm.example"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    for words in [
        "farm.example",
        "Next:",
        "selo broker farm",
        "mosquitto -c farm/mosquitto.conf",
    ] {
        assert!(answer.stderr.contains(words), "{words}: {answer:?}");
    }
    let mode = |name: &str| {
        let path = site.path().join("farm").join(name);
        std::fs::metadata(path).expect(name).permissions().mode() & 0o777
    };
    assert_eq!(mode("."), 0o700);
    for name in [
        "ca.key",
        "server.key",
        "passwords",
        "gateway.password",
        "collector.password",
        "viewer.password",
    ] {
        assert_eq!(mode(name), 0o600, "{name}");
    }
    // No secret is printed, and a second run changes nothing.
    let read =
        |name: &str| std::fs::read_to_string(site.path().join("farm").join(name)).expect(name);
    let password = read("gateway.password");
    assert!(!(answer.stdout + &answer.stderr).contains(password.trim()));
    let before = ["ca.pem", "server.pem", "passwords", "acl", "selo.toml"].map(read);
    let again = site.selo(&["setup", "farm"]);
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (Some(0), ""),
        "{again:?}"
    );
    assert_eq!(
        ["ca.pem", "server.pem", "passwords", "acl", "selo.toml"].map(read),
        before
    );
}

#[test]
fn mistakes_are_named_and_no_password_is_repeated() {
    let site = Site::new();
    site.file("open.password", b"hunter2\n");
    // Set the mode, whatever the umask is.
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(site.path().join("open.password"), open).expect("opened");
    for (arguments, words) in [
        (
            &["--mqtt", "mqtts://a:hunter2@h"][..],
            "--mqtt-password-file",
        ),
        (&["--mqtt", "mqtt://broker.example"], "unencrypted"),
        (
            &["--mqtt", "mqtts://a@h", "--site", "A"],
            "not a valid name for a site",
        ),
        (
            &[
                "--mqtt",
                "mqtts://a@h",
                "--mqtt-password-file",
                "open.password",
            ],
            "chmod 600",
        ),
        (
            &["--mqtt", "mqtts://a@h", "--mqtt-ca", "open.password"],
            "contains no certificate",
        ),
    ] {
        let mut all = vec!["gateway", "--listen", "127.0.0.1:0"];
        all.extend(arguments);
        let refused = site.selo(&all);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
        // clap's message contains the refused argument, which the user has typed.
        if !arguments[1].contains("hunter2") {
            assert!(!refused.stderr.contains("hunter2"), "{refused:?}");
        }
    }
}

#[test]
fn a_node_s_reading_reaches_a_subscriber_through_mosquitto() {
    let farm = Farm::new();
    let conf = farm.site.path().join("farm/mosquitto.conf");
    let text = std::fs::read_to_string(&conf).expect("there");
    std::fs::write(&conf, text + "\nuser root\n").expect("writes");
    let debian = Path::new("/usr/sbin/mosquitto");
    let program = if debian.exists() {
        debian
    } else {
        Path::new("mosquitto")
    };
    let mut broker = Command::new(program)
        .arg("-c")
        .arg(&conf)
        .stderr(Stdio::null())
        .spawn()
        .expect("mosquitto starts");
    let since = Instant::now();
    while TcpStream::connect(("127.0.0.1", farm.port)).is_err() {
        assert!(since.elapsed() < PATIENCE, "mosquitto does not listen");
        std::thread::sleep(Duration::from_millis(20));
    }
    let viewer = farm.viewer();
    let said = &viewer.said;

    let device = farm.site.device(Suite::Ascon, "garden");
    let gateway = farm.gateway(&["--print", "--until", "broker"]);
    gateway.log.said("connected to the broker");
    said.wait("selo/farm/status/gateway {\"schema\":\"selo.status/1\"");
    let mut node = CNode::provisioned(Suite::Ascon, gateway.address, device);
    node.join();
    let payload = [0, 0, 0, 0, 62, 0, 0, 0, 46, 9, 0, 0, 116, 14, 0, 0];
    node.deliver(&payload);
    let line = said.wait(&format!("selo/farm/reading/{:08x} ", device.0));
    let (_, json) = line.split_once(' ').expect("topic and message");
    let reading: ReadingMessage = serde_json::from_str(json).expect("a message");
    assert_eq!(reading.values["rain_total"].value, 12.4);
    assert_eq!(reading.name.as_deref(), Some("garden"));
    assert_eq!(
        gateway.readings.next_json()["payload"],
        hex::encode(payload)
    );

    // A new codec applies from the next reading.
    farm.site
        .ok(&["device", "set", "garden", "--codec", "cayenne-lpp"]);
    node.deliver(&[3, 103, 1, 16]);
    let line = said.wait("\"temperature_3\":{\"value\":27.2,\"unit\":\"Cel\"}");
    assert!(line.contains("\"codec\":\"cayenne-lpp\""), "{line}");

    // The last will of a killed gateway reports it as offline.
    gateway.kill();
    said.wait("\"online\":false");
    broker.kill().expect("runs");
    broker.wait().expect("ends");
}

/// The payload and the number of deliveries, by device, session and counter.
type Database = HashMap<(String, String, u32), (String, u32)>;

/// A collector that stores, acknowledges and confirms readings, and counts the deliveries of each.
async fn collect(client: ClientConfig, stored: &Mutex<Database>, stop: &AtomicBool) {
    let filters = [topic::collector_filter(None)];
    let mut collector = Subscriber::start(SubscriberConfig::new(client, filters)).expect("starts");
    while !stop.load(Ordering::Relaxed) {
        let event = tokio::time::timeout(Duration::from_millis(50), collector.next()).await;
        let Ok(Some(Event::Message(message))) = event else {
            continue;
        };
        let reading: ReadingMessage = serde_json::from_slice(&message.payload).expect("a message");
        let device = reading.device.expect("a device");
        let identity = (device, reading.session, reading.counter);
        stored
            .lock()
            .expect("whole")
            .entry(identity)
            .or_insert_with(|| (reading.payload, 0))
            .1 += 1;
        let run = message.run.clone().expect("a run");
        let to = message.response_topic.clone().expect("a topic");
        let confirmed = Stored::new(&run, message.sequence());
        message.ack.send().await;
        let sender = collector.sender();
        tokio::spawn(async move { sender.publish(to, confirmed.to_json(), false).await });
    }
}

/// Kills broker and gateway repeatedly. The collector gets every acknowledged reading.
#[test]
fn killed_brokers_and_gateways_lose_nothing_that_a_node_was_told_of() {
    const READINGS: u32 = 120;
    let farm = Farm::new();
    let mut broker = Some(farm.broker());
    let device = farm.site.device(Suite::Ascon, "garden");
    let first = farm.gateway(&["--until", "stored"]);
    let mut node = CNode::provisioned(Suite::Ascon, first.address, device);
    let mut gateway = Some(first);
    let stored = Arc::new(Mutex::new(HashMap::new()));
    let stop = Arc::new(AtomicBool::new(false));
    let mut told = HashSet::new();
    std::thread::scope(|scope| {
        let client = farm.client("collector");
        let (into, end) = (stored.clone(), stop.clone());
        scope.spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime
                .expect("a runtime")
                .block_on(collect(client, &into, &end));
        });
        node.join();
        for number in 0..READINGS {
            match number {
                30 | 90 => broker.take().expect("runs").kill(),
                45 | 100 => broker = Some(farm.broker()),
                60 => {
                    gateway.take().expect("runs").kill();
                    let next = farm.gateway(&["--until", "stored"]);
                    node.move_gateway(next.address);
                    gateway = Some(next);
                }
                _ => {}
            }
            let payload = number.to_le_bytes();
            node.deliver(&payload);
            told.insert(hex::encode(payload));
        }
        let since = Instant::now();
        loop {
            let found: HashSet<String> = stored
                .lock()
                .expect("whole")
                .values()
                .map(|(payload, _)| payload.clone())
                .collect();
            if told.is_subset(&found) {
                break;
            }
            assert!(
                since.elapsed() < 3 * PATIENCE,
                "{} of {}",
                found.len(),
                told.len()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        stop.store(true, Ordering::Relaxed);
    });
    // No reading was accepted twice: each identity has one payload.
    let stored = stored.lock().expect("whole");
    assert_eq!(stored.len() as u32, READINGS);
    let payloads: HashSet<_> = stored.values().map(|(payload, _)| payload).collect();
    assert_eq!(payloads.len() as u32, READINGS);
    assert_eq!(gateway.expect("runs").stop().0, Some(0));
}
