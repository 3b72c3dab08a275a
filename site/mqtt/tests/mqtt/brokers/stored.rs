//! Readings until a collector confirms that they are stored.

use selo_gateway::sink::Sink;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::{
    BOTH, BrokerSetup, PATIENCE, Running, deliver, message, readings, refused, runtime, split,
};
use selo_mqtt::message::{ReadingMessage, Stored};
use selo_mqtt::{Event, Publisher, Until, topic};

use super::arrives;

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
            // The publisher connects first, however long that takes. Then a silence is the end.
            let mut moment = Duration::from_secs(60);
            while let Ok((_, json)) = tokio::time::timeout(moment, message(&mut collector)).await {
                assert_eq!(json["counter"], heard);
                heard += 1;
                moment = Duration::from_millis(500);
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
