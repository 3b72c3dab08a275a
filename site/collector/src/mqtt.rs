//! Readings from an MQTT broker, and alarms to it.
//!
//! A message is acknowledged after it is in the database for good, and the gateway that
//! published it hears so (`selo/<site>/stored/<gateway>`): until then the broker keeps the
//! message, and the gateway its journal. What is not a reading is settled too: it is kept
//! among the rejected ones, and holds up nothing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
pub use selo_mqtt::ClientConfig;
pub use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::message::Stored;
use selo_mqtt::subscriber::Sender;
use selo_mqtt::{Event, Message, Subscriber, SubscriberConfig, topic};
use tokio::sync::{Notify, mpsc};

use crate::alarm;
use crate::auth::May;
use crate::error::{Error, Result};
use crate::ingest::{Incoming, Ingest};
use crate::message::{NOBODY, is_name};
use crate::outbox::Outbox;

/// Whom the outbox names for notices over MQTT.
pub const TARGET: &str = "mqtt";
/// The more readings go into one transaction, the more of them share a page of the database.
const BATCH_MAX: usize = 4096;
/// Messages that the broker may have under way to us: the next batch while one is stored.
const OUTSTANDING: u16 = 8192;
/// After the database did not take a batch: first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Subscribes. Must be called on the runtime that will run it.
pub fn start(config: ClientConfig, outbox: Outbox) -> Result<()> {
    let filters = [topic::collector_filter(
        config.password.as_ref().map(|text| text.as_str()),
    )];
    let mut config = SubscriberConfig::new(config, filters);
    config.outstanding = OUTSTANDING;
    let subscriber =
        Subscriber::start(config).map_err(|error| Error::Invalid(format!("MQTT: {error}")))?;
    let sender = subscriber.sender();
    let connected = Arc::new(Notify::new());
    tokio::spawn(take(subscriber, outbox.ingest.clone(), connected.clone()));
    tokio::spawn(tell(sender, outbox, connected));
    Ok(())
}

async fn take(mut subscriber: Subscriber, ingest: Ingest, connected: Arc<Notify>) {
    // A batch is acknowledged while the next one is being stored.
    let (stored, mut waiting) = mpsc::channel(1);
    let sender = subscriber.sender();
    let settling = tokio::spawn(async move {
        while let Some(batch) = waiting.recv().await {
            settle(batch, &sender).await;
        }
    });
    while let Some(event) = subscriber.next().await {
        let mut batch = Vec::new();
        let mut next = Some(event);
        // What has come while the last batch was being stored, without waiting for more.
        while let Some(event) = next.take() {
            match event {
                Event::Message(message) => batch.push(message),
                Event::Connected => connected.notify_one(),
                Event::Away(_) => {}
            }
            if batch.len() < BATCH_MAX {
                next = subscriber.next().now_or_never().flatten();
            }
        }
        if !store(&batch, &ingest).await || stored.send(batch).await.is_err() {
            break;
        }
    }
    drop(stored);
    // It needs the subscriber's connection.
    let _ = settling.await;
}

/// Offers a batch until it is taken; false if the collector stops.
async fn store(batch: &[Message], ingest: &Ingest) -> bool {
    let mut pause = PAUSES.0;
    loop {
        let incoming = batch.iter().map(|message| Incoming {
            site: topic::site(&message.topic).unwrap_or("site").into(),
            device: device_of(&message.topic),
            bytes: message.payload.to_vec(),
            source: format!("mqtt {}", message.topic),
            // The broker says who may publish where.
            may: May::All,
        });
        match ingest.offer(incoming.collect()).await {
            Ok(_) => return true,
            Err(Error::Stopping) => return false,
            // The writer has said why.
            Err(_) => tokio::time::sleep(pause).await,
        }
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Of which device the topic says that its reading is.
fn device_of(topic: &str) -> Option<String> {
    match topic::device_of_reading(topic)? {
        topic::NO_DEVICE => Some(NOBODY.into()),
        device => Some(device.into()),
    }
}

/// Acknowledges a batch to the broker, and tells the gateways.
async fn settle(batch: Vec<Message>, sender: &Sender) {
    let mut told: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
    for message in batch {
        let sequence = message.sequence();
        let site = topic::site(&message.topic).unwrap_or("").to_string();
        if let (Some(to), Some(run), Some(sequence)) =
            (message.response_topic, message.run, sequence)
            && may_answer(&site, &to)
        {
            told.entry((to, run)).or_default().push(sequence);
        }
        message.ack.send().await;
    }
    for ((to, run), sequences) in told {
        let sender = sender.clone();
        let stored = Stored::new(&run, sequences).to_json();
        // If it is lost the gateway publishes again, and hears it then.
        tokio::spawn(async move { sender.publish(to, stored, false).await });
    }
}

/// A message says where its answer goes: to a gateway of its own site, and nowhere else.
fn may_answer(site: &str, to: &str) -> bool {
    let levels: Vec<&str> = to.split('/').collect();
    matches!(levels[..], ["selo", at, "stored", gateway] if at == site && is_name(gateway, 32))
}

/// Notices in their order; and at each connection what is active, because the broker may
/// have lost what it kept.
async fn tell(sender: Sender, outbox: Outbox, connected: Arc<Notify>) {
    loop {
        let notice = tokio::select! {
            notice = outbox.next(TARGET) => notice,
            () = connected.notified() => {
                let active = outbox.readers.read(alarm::active_notices).await;
                for (topic, body) in active.unwrap_or_default() {
                    // One that fails does so with its connection, and comes with the next.
                    let _ = sender.publish(topic, body, true).await;
                }
                continue;
            }
        };
        let body = notice.body.clone().into_bytes();
        match sender.publish(notice.topic.clone(), body, true).await {
            Ok(()) => outbox.delivered(&notice).await,
            Err(failure) => outbox.failed(&notice, "MQTT", &failure.what).await,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn answers_go_to_gateways_of_the_same_site_only() {
        for (to, may) in [
            ("selo/a/stored/north", true),
            ("selo/b/stored/north", false),
            ("selo/a/reading/north", false),
            ("selo/a/stored/+", false),
            ("selo/a/stored/north/x", false),
            ("homeassistant/x", false),
        ] {
            assert_eq!(super::may_answer("a", to), may, "{to}");
        }
    }
}
