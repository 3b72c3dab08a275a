//! Receives readings from an MQTT broker, and publishes alarms to it.
//!
//! A message is acknowledged after the commit. The gateway that published it is then notified
//! (`selo/<site>/stored/<gateway>`). Until then the broker keeps the message, and the gateway
//! keeps its journal entry. An invalid message is acknowledged too and stored among the rejected
//! ones, so it does not block others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use selo_codec::Language;
pub use selo_mqtt::ClientConfig;
pub use selo_mqtt::client::{BrokerUrl, read_password};
use selo_mqtt::message::Stored;
use selo_mqtt::subscriber::Sender;
use selo_mqtt::{Event, Message, Subscriber, SubscriberConfig, topic};
use tokio::sync::{Notify, mpsc};

use crate::alarm::{self, Rule};
use crate::auth::May;
use crate::error::{Error, Result};
use crate::home_assistant;
use crate::ingest::{Incoming, Ingest};
use crate::message::{NOBODY, is_name, station_id};
use crate::outbox::{Outbox, Wanted};
use crate::readers::Readers;

/// Name of the MQTT target in the outbox.
pub const TARGET: &str = "mqtt";
/// The larger the batch, the more of its readings share a database page.
const BATCH_MAX: usize = 4096;
/// Receive maximum: the broker may send the next batch while one is being stored.
const OUTSTANDING: u16 = 8192;
/// First and longest pause after the database failed to store a batch.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Longest wait of a confirmation for the rules of silence.
const RULES_PATIENCE: Duration = Duration::from_millis(100);

/// Subscribes. Must be called on the runtime that will run the subscriber. `home_assistant` is the
/// language in which Home Assistant is told about alarms, if it is.
pub(crate) fn start(
    config: ClientConfig,
    outbox: Outbox,
    home_assistant: Option<Language>,
    silent_after_ms: i64,
) -> Result<()> {
    let filters = [topic::collector_filter(
        config.password.as_ref().map(|text| text.as_str()),
    )];
    let mut config = SubscriberConfig::new(config, filters);
    config.outstanding = OUTSTANDING;
    let subscriber =
        Subscriber::start(config).map_err(|error| Error::Invalid(format!("MQTT: {error}")))?;
    let sender = subscriber.sender();
    let connected = [Arc::new(Notify::new()), Arc::new(Notify::new())];
    let confirmer = Confirmer {
        sender: sender.clone(),
        readers: outbox.readers.clone(),
        silent_after_ms,
        rules: None,
    };
    let ingest = outbox.ingest.clone();
    tokio::spawn(take(subscriber, ingest, confirmer, connected.clone()));
    let [telling, announcing] = connected;
    let announcer = home_assistant::run(sender.clone(), outbox.clone(), announcing, home_assistant);
    tokio::spawn(announcer);
    tokio::spawn(tell(sender, outbox, telling));
    Ok(())
}

async fn take(
    mut subscriber: Subscriber,
    ingest: Ingest,
    mut confirmer: Confirmer,
    connected: [Arc<Notify>; 2],
) {
    // Acknowledge one batch while the next one is being stored.
    let (stored, mut waiting) = mpsc::channel(1);
    let settling = tokio::spawn(async move {
        while let Some(batch) = waiting.recv().await {
            confirmer.settle(batch).await;
        }
    });
    while let Some(event) = subscriber.next().await {
        let mut batch = Vec::new();
        let mut next = Some(event);
        // Take the messages that have already arrived, without waiting for more.
        while let Some(event) = next.take() {
            match event {
                Event::Message(message) => batch.push(message),
                Event::Connected => connected.iter().for_each(|one| one.notify_one()),
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
    // Settling uses the subscriber's connection, so let it finish first.
    let _ = settling.await;
}

/// Offers a batch until it is accepted. Returns false if the collector is stopping.
async fn store(batch: &[Message], ingest: &Ingest) -> bool {
    let mut pause = PAUSES.0;
    loop {
        let incoming = batch.iter().map(|message| Incoming {
            site: topic::site(&message.topic).unwrap_or("site").into(),
            device: device_of(&message.topic),
            bytes: message.payload.to_vec(),
            source: format!("mqtt {}", message.topic),
            // The broker has already checked who may publish to this topic.
            may: May::All,
            refused: None,
        });
        match ingest.offer(incoming.collect()).await {
            Ok(_) => return true,
            Err(Error::Stopping) => return false,
            // The writer has logged the reason.
            Err(_) => tokio::time::sleep(pause).await,
        }
        pause = (pause * 2).min(PAUSES.1);
    }
}

/// Returns the device that the topic names.
fn device_of(topic: &str) -> Option<String> {
    match topic::device_of_reading(topic)? {
        topic::NO_DEVICE => Some(NOBODY.into()),
        device => Some(device.into()),
    }
}

/// Confirms what was stored.
struct Confirmer {
    sender: Sender,
    readers: Readers,
    /// A station without a rule is silent after this long.
    silent_after_ms: i64,
    /// The rules when the database last answered in time.
    rules: Option<Vec<Rule>>,
}

/// The confirmation of one gateway's readings.
#[derive(Default)]
struct Told {
    sequences: Vec<u64>,
    /// Seconds by device.
    silent_after: BTreeMap<String, u64>,
}

impl Confirmer {
    /// Acknowledges a batch to the broker, and notifies the gateways.
    async fn settle(&mut self, batch: Vec<Message>) {
        // A confirmation does not wait for readers that are busy: older rules do, or none.
        let read = self.readers.read(alarm::load_rules);
        if let Ok(Ok(rules)) = tokio::time::timeout(RULES_PATIENCE, read).await {
            self.rules = Some(rules);
        }
        let mut told: BTreeMap<(String, String), Told> = BTreeMap::new();
        for message in batch {
            let sequence = message.sequence();
            let site = topic::site(&message.topic).unwrap_or("").to_string();
            if let (Some(to), Some(run), Some(sequence)) =
                (message.response_topic, message.run, sequence)
                && may_answer(&site, &to)
            {
                let told = told.entry((to, run)).or_default();
                told.sequences.push(sequence);
                let device = topic::device_of_reading(&message.topic).unwrap_or("");
                if let (Some(rules), false) = (&self.rules, told.silent_after.contains_key(device))
                {
                    let station = station_id(&site, device);
                    let after = alarm::silent_after(rules, &station, self.silent_after_ms);
                    let seconds = u64::try_from(after / 1000).unwrap_or(0);
                    told.silent_after.insert(device.into(), seconds);
                }
            }
            message.ack.send().await;
        }
        for ((to, run), told) in told {
            let sender = self.sender.clone();
            let mut stored = Stored::new(&run, told.sequences);
            stored.silent_after = told.silent_after;
            let stored = stored.to_json();
            // If this notification is lost, the gateway publishes again and is notified then.
            tokio::spawn(async move { sender.publish(to, stored, false).await });
        }
    }
}

/// Returns true if the response topic belongs to a gateway of the message's own site.
fn may_answer(site: &str, to: &str) -> bool {
    let levels: Vec<&str> = to.split('/').collect();
    matches!(levels[..], ["selo", at, "stored", gateway] if at == site && is_name(gateway, 32))
}

/// Publishes notices in order. On each connection it also publishes the active alarms, because
/// the broker may have lost its retained messages.
async fn tell(sender: Sender, outbox: Outbox, connected: Arc<Notify>) {
    let wanted = Wanted::each(TARGET, "MQTT");
    loop {
        let notice = tokio::select! {
            notice = outbox.next(&wanted) => notice,
            () = connected.notified() => {
                let active = outbox.readers.read(alarm::active_notices).await;
                for (topic, body) in active.unwrap_or_default() {
                    // If the publication fails, the connection failed too, and the next
                    // connection repeats it.
                    let _ = sender.publish(topic, body, true).await;
                }
                continue;
            }
        };
        let body = notice.body.clone().into_bytes();
        let told = [notice.clone()];
        match sender.publish(notice.topic.clone(), body, true).await {
            Ok(()) => outbox.delivered(&told, &wanted, None).await,
            Err(failure) => outbox.failed(&told, &wanted, &failure.what).await,
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
