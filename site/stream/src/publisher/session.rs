//! One connection to the server, from start to end.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::context::{PublishAckFuture, PublishError};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::publish::PublishAck;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use async_nats::{Message, Subscriber};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use selo_mqtt::message::write_reading;
use tokio::time::Instant;
use tracing::{info, warn};

use super::worker::Worker;
use crate::client::Connection;
use crate::failure::{self, Failure, answered};
use crate::names;
use crate::stored::Stored;
use crate::tries::Tries;

/// First and longest wait for a collector before the publisher looks into the stream.
const COLLECTOR: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));
/// Consecutive looks without a confirmation before the log reports that there is no collector.
const UNCONFIRMED: u32 = 4;
/// Simultaneous questions about single readings.
const QUESTIONS: usize = 32;

/// Serves a connection until the publisher stops. An error means that the connection was lost, or
/// that the stream takes no readings.
pub(super) async fn serve(worker: &mut Worker, tries: &mut Tries) -> Result<(), Failure> {
    let config = &worker.stream;
    let server = config.server().clone();
    let connection = config.connect().await?;
    let subject = names::stored(&config.site, &worker.gateway);
    // It comes first, so that no confirmation is missed.
    let confirmations = connection
        .client
        .subscribe(subject)
        .await
        .map_err(|error| failure::away(&server, &format!("refuses a subscription: {error}")))?;
    let stream = connection
        .context
        .get_stream_no_info(names::stream(&config.site))
        .await
        .map_err(|error| failure::away(&server, &format!("is unusable: {error}")))?;
    if let Some(batch) = &mut worker.batch {
        batch.restart();
    }
    let session = Session {
        worker,
        tries,
        connection,
        confirmations,
        stream,
        acks: FuturesUnordered::new(),
        patience: COLLECTOR.0,
        deadline: None,
        unconfirmed: 0,
    };
    session.run().await
}

/// An answer to a published reading: the batch, the index, and what the server says.
type Answer = (u64, usize, Result<PublishAck, PublishError>);
type Acks = FuturesUnordered<std::pin::Pin<Box<dyn Future<Output = Answer> + Send>>>;

struct Session<'a> {
    worker: &'a mut Worker,
    tries: &'a mut Tries,
    connection: Connection,
    confirmations: Subscriber,
    stream: Stream<()>,
    acks: Acks,
    /// Wait for a collector before the publisher looks into the stream.
    patience: Duration,
    deadline: Option<Instant>,
    /// Consecutive looks without a confirmation.
    unconfirmed: u32,
}

impl Session<'_> {
    async fn run(mut self) -> Result<(), Failure> {
        let server = self.worker.stream.server().clone();
        loop {
            self.publish().await?;
            let wake = self.next_wake();
            tokio::select! {
                biased;
                failure = self.connection.ended(&server) => return Err(failure),
                message = self.confirmations.next() => match message {
                    Some(message) => self.confirmed(&message),
                    None => return Err(failure::away(&server, "has ended the connection")),
                },
                Some(answer) = self.acks.next() => self.acknowledged(answer)?,
                command = self.worker.commands.recv() => {
                    self.deadline = None;
                    if !self.worker.obey(command) {
                        return Ok(());
                    }
                }
                () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => {
                    self.look().await?;
                }
            }
        }
    }

    /// Publishes readings until the window is full.
    async fn publish(&mut self) -> Result<(), Failure> {
        while let Some((batch, index, subject, message)) = self.next() {
            let sent = self.connection.context.send_publish(subject, message).await;
            let ack = sent.map_err(|error| self.refused(&error))?;
            self.acks.push(Box::pin(answer(batch, index, ack)));
        }
        Ok(())
    }

    fn next(&mut self) -> Option<(u64, usize, String, PublishMessage)> {
        let worker = &mut *self.worker;
        let batch = worker.batch.as_mut()?;
        let index = batch.next()?;
        let (attempt, reading) = (batch.attempt(index), batch.readings.get(index)?);
        let codec = worker.codecs.codec_of(reading);
        let named = codec.as_deref().map_err(|name| &**name);
        let mut payload = Vec::with_capacity(640);
        write_reading(reading, &worker.gateway, named, &mut payload);
        let site = &worker.stream.site;
        let mut id = names::message_id(site, reading);
        if attempt > 0 {
            // The stream drops a message whose name it has seen in the last minutes.
            id = format!("{id}/{:08x}{attempt}", worker.run);
        }
        let mut headers = HeaderMap::new();
        headers.insert(names::GATEWAY, worker.gateway.as_str());
        let message = PublishMessage::build()
            .headers(headers)
            .message_id(id)
            .payload(payload.into());
        let subject = names::readings(site, names::partition(reading.device));
        Some((batch.id, index, subject, message))
    }

    fn refused(&self, error: &PublishError) -> Failure {
        let stream = &self.worker.stream;
        failure::publish(stream.server(), &names::stream(&stream.site), error)
    }

    fn acknowledged(&mut self, (id, index, answer): Answer) -> Result<(), Failure> {
        let ack = answer.map_err(|error| self.refused(&error))?;
        self.worker.works(self.tries);
        if let Some(batch) = self.worker.batch.as_mut().filter(|batch| batch.id == id) {
            batch.acknowledged(index, ack.sequence);
        }
        Ok(())
    }

    /// The time at which to look into the stream. The wait starts when readings are published.
    fn next_wake(&mut self) -> Option<Instant> {
        let waits = self.worker.batch.as_ref().is_some_and(|it| it.waits());
        if waits && self.deadline.is_none() {
            self.deadline = Some(Instant::now() + self.patience);
        }
        self.deadline.filter(|_| waits)
    }

    /// Handles a confirmation of a collector.
    fn confirmed(&mut self, message: &Message) {
        let Some(stored) = Stored::parse(&message.payload) else {
            warn!("ignored an invalid confirmation");
            return;
        };
        let Some(batch) = &mut self.worker.batch else {
            return;
        };
        if batch.confirm(&stored) {
            self.patience = COLLECTOR.0;
            self.deadline = None;
            self.unconfirmed = 0;
            self.worker.tell();
        }
    }

    /// Looks for readings without a confirmation in the stream, and publishes those again that are
    /// not there.
    async fn look(&mut self) -> Result<(), Failure> {
        self.deadline = None;
        self.patience = (self.patience * 2).clamp(COLLECTOR.0, COLLECTOR.1);
        let Some(batch) = &self.worker.batch else {
            return Ok(());
        };
        let config = &self.worker.stream;
        let asked = batch.unconfirmed().into_iter().map(|(index, sequence)| {
            let id = batch.readings.get(index);
            let id = id.map(|reading| names::message_id(&config.site, reading));
            let stream = &self.stream;
            async move {
                (
                    index,
                    is_there(stream, sequence, &id.unwrap_or_default()).await,
                )
            }
        });
        let mut answers = futures_util::stream::iter(asked).buffer_unordered(QUESTIONS);
        let (mut lost, mut failure) = (Vec::new(), None);
        while let Some((index, answer)) = answers.next().await {
            match answer {
                Ok(true) => {}
                Ok(false) => lost.push(index),
                Err(Some(answer)) => {
                    let name = names::stream(&config.site);
                    failure = Some(answered(config.server(), &name, &answer));
                }
                Err(None) => failure = Some(failure::away(config.server(), "does not answer")),
            }
        }
        drop(answers);
        self.again(lost);
        self.complain();
        failure.map_or(Ok(()), Err)
    }

    fn again(&mut self, lost: Vec<usize>) {
        if lost.is_empty() {
            return;
        }
        info!(
            readings = lost.len(),
            "the stream no longer has readings that no collector has confirmed; publishing them \
             again"
        );
        if let Some(batch) = &mut self.worker.batch {
            lost.into_iter().for_each(|index| batch.lost(index));
        }
    }

    fn complain(&mut self) {
        self.unconfirmed += 1;
        if self.unconfirmed == UNCONFIRMED {
            warn!(
                "no collector confirms readings; they wait in the journal. hint: start `selo \
                 collect --stream` at this server, with the same --site"
            );
        }
    }
}

async fn answer(batch: u64, index: usize, ack: PublishAckFuture) -> Answer {
    (batch, index, ack.await)
}

/// Returns true if the message at this place of the stream is the reading. A stream that was made
/// anew has another one there.
async fn is_there(
    stream: &Stream<()>,
    sequence: u64,
    id: &str,
) -> Result<bool, Option<async_nats::jetstream::Error>> {
    match stream.get_raw_message(sequence).await {
        Ok(message) => {
            let found = message.headers.get(async_nats::header::NATS_MESSAGE_ID);
            let same = |found: &str| {
                let rest = found.strip_prefix(id);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            Ok(found.is_some_and(|found| same(found.as_str())))
        }
        Err(error) => match error.kind() {
            LastRawMessageErrorKind::NoMessageFound => Ok(false),
            LastRawMessageErrorKind::JetStream(answer) => Err(Some(answer)),
            _ => Err(None),
        },
    }
}
