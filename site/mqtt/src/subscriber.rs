//! A subscriber with manual acknowledgement, for the collector: it acknowledges a message after
//! it has committed its contents.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{
    Packet, PubAck, PubAckReason, Publish, PublishProperties, SubAck, SubscribeReasonCode,
};
use rumqttc::v5::{AsyncClient, Event as Incoming};
use tokio::sync::{mpsc, oneshot};
use tracing::{info, warn};

use crate::client::{BrokerUrl, ClientConfig};
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::failure::{Failure, Kind};

/// First and longest pause before reconnecting.
const BACK_OFF: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(30));
/// Maximum outgoing messages that wait for the connection.
const WAITING: usize = 1024;

/// Configuration of a subscriber.
#[derive(Debug, Clone)]
pub struct SubscriberConfig {
    pub client: ClientConfig,
    /// Topic filters, each subscribed with QoS 1.
    pub filters: Vec<String>,
    /// Receive maximum: unacknowledged messages that the broker may send.
    pub outstanding: u16,
    /// Time for which the broker queues messages while the subscriber is offline.
    pub session: Duration,
}

impl SubscriberConfig {
    /// A configuration with a receive maximum of a thousand and a session of one hour.
    pub fn new(client: ClientConfig, filters: impl IntoIterator<Item = String>) -> Self {
        SubscriberConfig {
            client,
            filters: filters.into_iter().collect(),
            outstanding: 1000,
            session: Duration::from_secs(3600),
        }
    }
}

/// An event of a subscriber.
#[derive(Debug)]
pub enum Event {
    /// The broker is connected and has accepted the subscriptions.
    Connected,
    /// The broker is unreachable. Reconnection is attempted with increasing pauses.
    Away(Failure),
    Message(Message),
}

/// A message from the broker.
#[derive(Debug)]
pub struct Message {
    pub topic: String,
    pub payload: Bytes,
    /// True if it was retained before the subscription.
    pub retained: bool,
    pub response_topic: Option<String>,
    pub correlation: Option<Bytes>,
    /// User property `run` of its publisher.
    pub run: Option<String>,
    pub ack: Ack,
}

impl Message {
    /// Sequence number in its publisher's run, if it has one.
    pub fn sequence(&self) -> Option<u64> {
        let bytes = self.correlation.as_deref()?.try_into().ok()?;
        Some(u64::from_be_bytes(bytes))
    }
}

/// Acknowledges a message. If it is dropped, the broker sends the message again on the next
/// connection.
#[derive(Debug)]
#[must_use = "an unacknowledged message is sent again"]
pub struct Ack {
    client: AsyncClient,
    packet: u16,
}

impl Ack {
    /// Tells the broker to forget the message. Has no effect if the connection has changed since;
    /// the message is then sent again.
    pub async fn send(self) {
        let mut publish = Publish::new("", QoS::AtLeastOnce, "", None);
        publish.pkid = self.packet;
        _ = self.client.ack(&publish).await;
    }
}

/// See the module. Dropping it ends the connection; the session at the broker remains.
#[derive(Debug)]
pub struct Subscriber {
    events: mpsc::Receiver<Event>,
    sender: Sender,
    task: tokio::task::JoinHandle<()>,
}

/// Publishes over the subscriber's connection.
#[derive(Debug, Clone)]
pub struct Sender {
    outgoing: mpsc::Sender<Outbound>,
}

#[derive(Debug)]
struct Outbound {
    topic: String,
    payload: Bytes,
    retain: bool,
    done: oneshot::Sender<Result<(), Failure>>,
}

impl Sender {
    /// Publishes JSON with QoS 1. Returns when the broker has acknowledged it.
    pub async fn publish(
        &self,
        topic: impl Into<String>,
        payload: impl Into<Bytes>,
        retain: bool,
    ) -> Result<(), Failure> {
        let (done, answer) = oneshot::channel();
        let outbound = Outbound {
            topic: topic.into(),
            payload: payload.into(),
            retain,
            done,
        };
        let ended = || Failure::new(Kind::Away, "the subscriber has ended", "start it again");
        self.outgoing.send(outbound).await.map_err(|_| ended())?;
        answer.await.unwrap_or_else(|_| Err(ended()))
    }
}

impl Subscriber {
    /// Starts to connect, on the caller's runtime.
    pub fn start(config: SubscriberConfig) -> Result<Subscriber> {
        if config.filters.is_empty() {
            return Err(Error::Invalid(
                "there is no topic filter to subscribe to".into(),
                "pass at least one filter",
            ));
        }
        // Report an unusable file now, not later in the log.
        config.client.options()?;
        let (events, receiver) = mpsc::channel(usize::from(config.outstanding) + 2);
        let (outgoing, waiting) = mpsc::channel(WAITING);
        let worker = Worker {
            config,
            events,
            waiting,
        };
        Ok(Subscriber {
            events: receiver,
            sender: Sender { outgoing },
            task: tokio::spawn(worker.run()),
        })
    }

    /// The next event. Never returns `None` while the runtime lives.
    pub async fn next(&mut self) -> Option<Event> {
        self.events.recv().await
    }

    /// A handle for publishing.
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Worker {
    config: SubscriberConfig,
    events: mpsc::Sender<Event>,
    waiting: mpsc::Receiver<Outbound>,
}

impl Worker {
    async fn run(mut self) {
        let mut said: Option<Failure> = None;
        let mut wait = BACK_OFF.0;
        loop {
            let failure = match self.open().await {
                Ok(connection) => {
                    info!(broker = %self.config.client.broker, "connected to the broker");
                    (said, wait) = (None, BACK_OFF.0);
                    match self.session(connection).await {
                        Ok(()) => return,
                        Err(failure) => failure,
                    }
                }
                Err(failure) => failure,
            };
            if said.as_ref() != Some(&failure) {
                warn!(reason = %failure.what, hint = %failure.hint, "the broker is unreachable");
                if self
                    .events
                    .send(Event::Away(failure.clone()))
                    .await
                    .is_err()
                {
                    return;
                }
                said = Some(failure.clone());
            }
            let again = tokio::time::Instant::now() + wait;
            wait = (wait * 2).min(BACK_OFF.1);
            loop {
                tokio::select! {
                    () = tokio::time::sleep_until(again) => break,
                    outbound = self.waiting.recv() => match outbound {
                        Some(outbound) => _ = outbound.done.send(Err(failure.clone())),
                        None => return,
                    },
                }
            }
        }
    }

    async fn open(&self) -> Result<Connection, Failure> {
        let config = &self.config;
        let mut options = config
            .client
            .options()
            .map_err(|error| Failure::configuration(&error))?;
        options.set_clean_start(false);
        options.set_session_expiry_interval(Some(config.session.as_secs() as u32));
        options.set_receive_maximum(Some(config.outstanding));
        options.set_manual_acks(true);
        // Room for all outstanding messages, so that pings are sent even if the events are not
        // handled.
        let room = usize::from(config.outstanding) + 1024;
        Connection::open(&config.client.broker, options, room).await
    }

    /// Serves one connection from start to end. Returns `Ok` if nobody receives the events any
    /// more.
    async fn session(&mut self, mut connection: Connection) -> Result<(), Failure> {
        let client = connection.client.clone();
        let mut asked = self.subscribe(&client).await?;
        let mut answers = Answers::default();
        loop {
            tokio::select! {
                event = connection.next() => match event? {
                    Incoming::Incoming(Packet::Publish(publish)) => {
                        let message = Event::Message(message(&client, publish));
                        if self.events.send(message).await.is_err() {
                            return Ok(());
                        }
                    }
                    Incoming::Incoming(Packet::SubAck(ack)) => {
                        let filter = asked.pop_front().unwrap_or_default();
                        self.check_subscription(&filter, &ack)?;
                        if asked.is_empty() && self.events.send(Event::Connected).await.is_err() {
                            return Ok(());
                        }
                    }
                    Incoming::Outgoing(Outgoing::Publish(packet)) => answers.sent(packet),
                    Incoming::Incoming(Packet::PubAck(ack)) => {
                        answers.acknowledged(&self.config.client.broker, &ack);
                    }
                    _ => {}
                },
                outbound = self.waiting.recv() => {
                    let Some(outbound) = outbound else { return Ok(()) };
                    let done = publish(&client, outbound).await?;
                    answers.waiting.push_back(done);
                }
            }
        }
    }

    /// Subscribes with one packet per filter, so that a refusal identifies its filter. Returns
    /// the filters in the order of the answers.
    async fn subscribe(&self, client: &AsyncClient) -> Result<VecDeque<String>, Failure> {
        for filter in &self.config.filters {
            client
                .subscribe(filter.clone(), QoS::AtLeastOnce)
                .await
                .map_err(|_| ended())?;
        }
        Ok(self.config.filters.iter().cloned().collect())
    }

    fn check_subscription(&self, filter: &str, ack: &SubAck) -> Result<(), Failure> {
        let mut codes = ack.return_codes.iter();
        match codes.find(|code| !matches!(code, SubscribeReasonCode::Success(_))) {
            None => Ok(()),
            Some(code) => {
                let broker = &self.config.client.broker;
                let why = format!("{code:?}");
                Err(Failure::refused_topic(broker, "subscribe to", filter, &why))
            }
        }
    }
}

/// Receives the result of one publication.
type Done = oneshot::Sender<Result<(), Failure>>;

/// Those who wait for the broker's acknowledgement of a publication.
#[derive(Default)]
struct Answers {
    /// Publications that the network task has not sent yet, in its order.
    waiting: VecDeque<Done>,
    /// Publications that the broker has not acknowledged, by packet identifier.
    under_way: HashMap<u16, Done>,
}

impl Answers {
    fn sent(&mut self, packet: u16) {
        if let Some(done) = self.waiting.pop_front() {
            self.under_way.insert(packet, done);
        }
    }

    fn acknowledged(&mut self, broker: &BrokerUrl, ack: &PubAck) {
        let Some(done) = self.under_way.remove(&ack.pkid) else {
            return;
        };
        let taken = matches!(
            ack.reason,
            PubAckReason::Success | PubAckReason::NoMatchingSubscribers
        );
        let why = format!("{:?}", ack.reason);
        _ = done.send(if taken {
            Ok(())
        } else {
            Err(Failure::refused_topic(
                broker,
                "publish to",
                "this topic",
                &why,
            ))
        });
    }
}

fn ended() -> Failure {
    Failure::new(Kind::Away, "the connection ended", "check the broker's log")
}

/// Passes a message to the network. Returns the receiver of its result.
async fn publish(client: &AsyncClient, outbound: Outbound) -> Result<Done, Failure> {
    let properties = PublishProperties {
        content_type: Some("application/json".into()),
        ..PublishProperties::default()
    };
    client
        .publish_with_properties(
            outbound.topic,
            QoS::AtLeastOnce,
            outbound.retain,
            outbound.payload,
            properties,
        )
        .await
        .map_err(|_| ended())?;
    Ok(outbound.done)
}

fn message(client: &AsyncClient, publish: Publish) -> Message {
    let properties = publish.properties.unwrap_or_default();
    let run = properties
        .user_properties
        .into_iter()
        .find(|(name, _)| name == "run")
        .map(|(_, run)| run);
    Message {
        topic: String::from_utf8_lossy(&publish.topic).into_owned(),
        payload: publish.payload,
        retained: publish.retain,
        response_topic: properties.response_topic,
        correlation: properties.correlation_data,
        run,
        ack: Ack {
            client: client.clone(),
            packet: publish.pkid,
        },
    }
}
