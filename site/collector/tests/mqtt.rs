//! From a gateway's publisher over a broker with TLS into the database, and back: what is
//! confirmed, and the alarm.

mod common;

use std::net::TcpListener;
use std::sync::Arc;

use common::Site;
use selo_codec::Catalogue;
use selo_gateway::peer::Peer;
use selo_gateway::reading::{Payload, Reading, SessionName};
use selo_gateway::sink::{Sink, SinkError};
use selo_link::DeviceId;
use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::setup::{Setup, password_file};
use selo_mqtt::{
    Broker, BrokerConfig, ClientConfig, Event, Publisher, PublisherConfig, Subscriber,
    SubscriberConfig, Until,
};
use serde_json::{Value, json};

/// The time of the readings of this file.
const THEN: i64 = 1_795_303_147_042;

fn client(folder: &std::path::Path, port: u16, user: &str, id: &str) -> ClientConfig {
    let url: BrokerUrl = format!("mqtts://{user}@localhost:{port}")
        .parse()
        .expect("a URL");
    let mut config = ClientConfig::new(url, id);
    config.password = Some(read_password(&password_file(folder, user)).expect("a password"));
    config.ca = Some(folder.join("ca.pem"));
    config
}

fn readings(counters: std::ops::Range<u32>) -> Vec<Reading> {
    counters
        .map(|counter| {
            let mut payload = [0; 16];
            payload[4..8].copy_from_slice(&counter.to_le_bytes());
            Reading {
                device: Some(DeviceId(0x3f9a_01c2)),
                name: Some("garden".into()),
                session: SessionName::new(1, 7),
                counter,
                received_ms: THEN as u64 + u64::from(counter),
                payload: Payload::new(&payload).expect("short"),
                source: Peer::Nowhere,
                rssi: Some(-101),
                authenticated: true,
                redelivered: false,
            }
        })
        .collect()
}

/// As the gateway does: again and again.
fn deliver(publisher: &mut Publisher, readings: &[Reading]) {
    loop {
        match publisher.deliver(readings) {
            Ok(()) => return,
            Err(SinkError::Later(_) | SinkError::UnderWay(_)) => {}
            Err(SinkError::Gone(reason)) => panic!("{reason}"),
        }
    }
}

#[test]
fn what_a_gateway_delivers_is_stored_once_and_alarms_come_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let address = TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .expect("a port");
    let setup = Setup {
        folder: folder.path().into(),
        names: Vec::new(),
        site: "farm".into(),
        listen: address,
    };
    selo_mqtt::setup::run(&setup).expect("sets up");
    let start = || Broker::start(BrokerConfig::of_folder(folder.path(), address)).expect("starts");
    let broker = start();
    let of = |user: &str, id: &str| client(folder.path(), address.port(), user, id);

    let site = Site::start_with(|config| config.mqtt = Some(of("collector", "collector")));
    site.now
        .store(THEN + 10_000, std::sync::atomic::Ordering::SeqCst);
    let rules = json!({"rules": [{"name": "rain", "kind": "rain", "over": "1h", "limit": 50.0}]});
    site.client
        .request("PUT", "/api/v1/rules", &[], &rules.to_string())
        .ok();

    let codecs = Catalogue::built_in().expect("right");
    let codec: Arc<_> = codecs.get("rain-gauge").expect("there").clone();
    let mut config = PublisherConfig::new(of("gateway", "north"), codec);
    config.site = "farm".into();
    config.gateway = "north".into();
    config.until = Until::Stored;
    let mut publisher = Publisher::new(config).expect("starts");

    deliver(&mut publisher, &readings(0..200));
    // What is not a reading is kept aside, and holds up nothing.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let filter = ["selo/farm/stored/+".to_string()];
        let stranger = SubscriberConfig::new(of("gateway", "stranger"), filter);
        let stranger = Subscriber::start(stranger).expect("starts");
        let sender = stranger.sender();
        let sent = sender.publish("selo/farm/reading/x", "garbage", false);
        sent.await.expect("taken");
        // What a broker lets somebody publish is by topic: the body must be of the same device.
        let other = common::message("3f9a01c2", 9, 1, THEN, 99.0).to_string();
        let sent = sender.publish("selo/farm/reading/0000000b", other, false);
        sent.await.expect("taken");
    });
    deliver(&mut publisher, &readings(200..300));
    // The broker goes, with all that it held, and comes back.
    broker.stop();
    let broker = start();
    deliver(&mut publisher, &readings(250..400));

    let station = site.client.get("/api/v1/stations/3f9a01c2").ok();
    assert_eq!(
        (&station["received"], &station["lost"]),
        (&json!(400), &json!(0))
    );
    assert_eq!(station["site"], "farm");
    assert_eq!(station["gateway"], "north");
    assert_eq!(station["rain"]["hour"], 79.8);
    assert_eq!(station["alarms"][0]["alarm"], "rain");
    let metrics = site.client.get("/metrics").text;
    assert!(
        metrics.contains("selo_collector_readings_rejected_total 2\n"),
        "{metrics}"
    );

    let notice: Value = runtime.block_on(async {
        let filter = ["selo/+/alarm/+/+".to_string()];
        let config = SubscriberConfig::new(of("viewer", "viewer"), filter);
        let mut viewer = Subscriber::start(config).expect("starts");
        loop {
            if let Some(Event::Message(message)) = viewer.next().await {
                assert_eq!(message.topic, "selo/farm/alarm/rain/3f9a01c2");
                return serde_json::from_slice(&message.payload).expect("JSON");
            }
        }
    });
    assert_eq!(
        (&notice["schema"], &notice["active"]),
        (&json!("selo.alarm/1"), &json!(true))
    );
    drop((site, publisher));
    broker.stop();
}
