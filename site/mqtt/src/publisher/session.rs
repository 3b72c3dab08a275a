//! One connection to the broker, from start to end.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Packet, PubAck, PubAckReason, SubAck, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tracing::{info, warn};

use super::batch::Batch;
use super::config::Until;
use super::message::{Ready, Token, publish};
use super::outbox::Outbox;
use super::shared::Command;
use crate::connection::Connection;
use crate::failure::{Failure, Kind};

/// First and longest wait for the collector before readings are published again.
const COLLECTOR: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));
/// Wait after the broker has reported that there is no subscriber. It is short, because nothing
/// was queued.
const NOBODY: Duration = Duration::from_secs(1);
/// Consecutive attempts without a confirmation before the log reports that there is no collector.
const UNCONFIRMED: u32 = 4;
/// Time limit for sending the final status.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves a connection until the publisher stops. An error means that the connection was lost.
pub async fn serve(
    outbox: &mut Outbox,
    commands: &mut mpsc::UnboundedReceiver<Command>,
    connection: Connection,
) -> Result<(), Failure> {
    outbox.restart();
    let mut session = Session {
        client: connection.client.clone(),
        queue: VecDeque::from([outbox.status_message(true, false)]),
        listening: outbox.config.until == Until::Broker,
        outbox,
        sent: VecDeque::new(),
        under_way: HashMap::new(),
        patience: COLLECTOR.0,
        deadline: None,
        stopping: None,
        unconfirmed: 0,
    };
    match session.run(commands, connection).await {
        // A stop counts even if the connection is lost before the final status is sent.
        Err(_) if session.stopping.is_some() => Ok(()),
        other => other,
    }
}

struct Session<'a> {
    outbox: &'a mut Outbox,
    client: AsyncClient,
    /// Messages that go before the next reading.
    queue: VecDeque<Ready>,
    /// Messages that the network task has not sent yet, in its order.
    sent: VecDeque<Token>,
    /// Messages that the broker has not acknowledged, by packet identifier.
    under_way: HashMap<u16, Token>,
    /// Nothing that confirms readings is missed any more.
    listening: bool,
    /// Wait for the collector before readings are published again.
    patience: Duration,
    deadline: Option<Instant>,
    /// Time limit of the final status, after a stop.
    stopping: Option<Instant>,
    /// Consecutive attempts without a confirmation.
    unconfirmed: u32,
}

impl Session<'_> {
    async fn run(
        &mut self,
        commands: &mut mpsc::UnboundedReceiver<Command>,
        mut connection: Connection,
    ) -> Result<(), Failure> {
        self.subscribe()?;
        loop {
            self.publish_ready();
            let wake = self.next_wake();
            tokio::select! {
                biased;
                event = connection.next() => match event? {
                    Event::Outgoing(Outgoing::Publish(packet)) => {
                        if let Some(token) = self.sent.pop_front() {
                            self.under_way.insert(packet, token);
                        }
                    }
                    Event::Incoming(Packet::PubAck(ack)) => {
                        let is_over = self.acknowledged(&ack)?;
                        if is_over {
                            self.close(&mut connection).await;
                            return Ok(());
                        }
                    }
                    Event::Incoming(Packet::SubAck(ack)) => self.subscribed(&ack)?,
                    Event::Incoming(Packet::Publish(publish)) => self.received(&publish.payload),
                    _ => {}
                },
                command = commands.recv() => self.obey(command),
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    if self.stopping.is_some_and(|at| at <= Instant::now()) {
                        return Ok(());
                    }
                    self.publish_again();
                }
            }
        }
    }

    /// Subscribes to confirmations. It comes first, so that none is missed.
    fn subscribe(&self) -> Result<(), Failure> {
        if self.listening {
            return Ok(());
        }
        let topic = self.outbox.topics.stored();
        let asked = self.client.try_subscribe(topic, QoS::AtLeastOnce);
        asked.map_err(|_| {
            let what = format!(
                "the connection to {} ended",
                self.outbox.config.client.broker
            );
            Failure::new(Kind::Away, what, "check the broker's log")
        })
    }

    /// Passes queued messages, then readings, to the network until its queue is full.
    fn publish_ready(&mut self) {
        while let Some(ready) = self.next_ready() {
            match publish(&self.client, ready) {
                Ok(token) => self.sent.push_back(token),
                Err(ready) => {
                    self.queue.push_front(*ready);
                    break;
                }
            }
        }
    }

    fn next_ready(&mut self) -> Option<Ready> {
        if let Some(ready) = self.queue.pop_front() {
            return Some(ready);
        }
        if !self.listening || self.stopping.is_some() {
            return None;
        }
        self.outbox.next_reading(&mut self.queue)
    }

    /// The time at which to publish again or to give up. Starts the wait for the collector when
    /// no more readings can be published.
    fn next_wake(&mut self) -> Option<Instant> {
        let waiting = self.outbox.batch.as_ref().is_some_and(Batch::is_waiting);
        if self.outbox.config.until == Until::Stored && waiting && self.deadline.is_none() {
            self.deadline = Some(Instant::now() + self.patience);
        }
        [self.deadline, self.stopping].into_iter().flatten().min()
    }

    /// Handles an acknowledgement. Returns true if it is that of the final status.
    fn acknowledged(&mut self, ack: &PubAck) -> Result<bool, Failure> {
        let Some(token) = self.under_way.remove(&ack.pkid) else {
            return Ok(false);
        };
        let nobody = ack.reason == PubAckReason::NoMatchingSubscribers;
        if !nobody && ack.reason != PubAckReason::Success {
            let why = format!("{:?}", ack.reason);
            return Err(self.outbox.refused(&token, &why));
        }
        match token {
            Token::Reading { batch, index } if self.outbox.config.until == Until::Broker => {
                self.outbox.confirm(batch, index);
            }
            Token::Reading { .. } if nobody => {
                self.patience = NOBODY;
                self.deadline = None;
            }
            Token::Other { farewell: true, .. } => return Ok(true),
            _ => {}
        }
        Ok(false)
    }

    /// Disconnects. The broker closes the connection after it has read the final status.
    async fn close(&self, connection: &mut Connection) {
        _ = self.client.try_disconnect();
        let closed = async { while connection.next().await.is_ok() {} };
        _ = tokio::time::timeout(FAREWELL, closed).await;
    }

    fn subscribed(&mut self, ack: &SubAck) -> Result<(), Failure> {
        let mut codes = ack.return_codes.iter();
        if let Some(code) = codes.find(|code| !matches!(code, SubscribeReasonCode::Success(_))) {
            let broker = &self.outbox.config.client.broker;
            let (topic, why) = (self.outbox.topics.stored(), format!("{code:?}"));
            return Err(Failure::refused_topic(broker, "subscribe to", &topic, &why));
        }
        self.listening = true;
        Ok(())
    }

    /// Handles a confirmation of the collector.
    fn received(&mut self, payload: &[u8]) {
        if self.outbox.stored(payload, &mut self.queue) {
            self.patience = COLLECTOR.0;
            self.deadline = None;
            self.unconfirmed = 0;
        }
    }

    fn obey(&mut self, command: Option<Command>) {
        match command {
            Some(Command::Batch(id, readings)) => {
                self.outbox.begin(id, readings);
                self.deadline = None;
            }
            Some(Command::Stop) | None => {
                self.queue
                    .push_back(self.outbox.status_message(false, true));
                self.stopping = Some(Instant::now() + FAREWELL);
            }
        }
    }

    /// Publishes unconfirmed readings again, and waits longer for the collector.
    fn publish_again(&mut self) {
        self.unconfirmed += 1;
        if let Some(batch) = &mut self.outbox.batch {
            info!(
                readings = batch.left,
                "the collector has not confirmed readings; publishing them again"
            );
            batch.rewind();
        }
        if self.unconfirmed == UNCONFIRMED {
            warn!(
                "no collector confirms readings; they wait in the journal. hint: \
                start `selo collect` at this broker; if another program stores the \
                readings, `--until broker` removes them from the journal once the \
                broker has them"
            );
        }
        self.patience = (self.patience * 2).clamp(COLLECTOR.0, COLLECTOR.1);
        self.deadline = None;
    }
}
