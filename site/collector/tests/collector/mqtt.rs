//! From a gateway's publisher over a TLS broker into the database, and back: the confirmation and
//! the alarm.

use crate::common::Site;
use crate::common::farm::{Farm, THEN, deliver, reading};
use selo_gateway::reading::Reading;
use selo_mqtt::{Event, Subscriber, SubscriberConfig};
use serde_json::{Value, json};

fn readings(counters: std::ops::Range<u32>) -> Vec<Reading> {
    counters
        .map(|counter| reading(0x3f9a_01c2, counter, 1))
        .collect()
}

#[test]
fn what_a_gateway_delivers_is_stored_once_and_alarms_come_back() {
    let farm = Farm::new();
    let broker = farm.broker();
    let site = Site::start_with(|config| config.mqtt = Some(farm.client("collector", "collector")));
    site.now
        .store(THEN + 10_000, std::sync::atomic::Ordering::SeqCst);
    let rules = json!({"rules": [{"name": "rain", "kind": "rain", "over": "1h", "limit": 50.0}]});
    site.client
        .request("PUT", "/api/v1/rules", &[], &rules.to_string())
        .ok();

    let mut publisher = farm.publisher("north");
    deliver(&mut publisher, &readings(0..200));
    // An invalid message is stored as rejected and blocks nothing.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let filter = ["selo/farm/stored/+".to_string()];
        let stranger = SubscriberConfig::new(farm.client("gateway", "stranger"), filter);
        let stranger = Subscriber::start(stranger).expect("starts");
        let sender = stranger.sender();
        let sent = sender.publish("selo/farm/reading/x", "garbage", false);
        sent.await.expect("taken");
        // What a broker lets somebody publish is by topic: the body must be of the same device.
        let other = crate::common::message("3f9a01c2", 9, 1, THEN, 99.0).to_string();
        let sent = sender.publish("selo/farm/reading/0000000b", other, false);
        sent.await.expect("taken");
    });
    deliver(&mut publisher, &readings(200..300));
    // The broker loses all its messages and restarts.
    broker.stop();
    let broker = farm.broker();
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
        let config = SubscriberConfig::new(farm.client("viewer", "viewer"), filter);
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
