//! The messages of a partition, for its owner.

use std::time::Duration;

use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull::{self, MessagesErrorKind};
use futures_util::{FutureExt, StreamExt};
use selo_mqtt::client::BrokerUrl;

use crate::failure::{self, Failure};
use crate::names::{GATEWAY, MessageId};

/// Maximum messages of a partition that are delivered and not acknowledged.
pub(crate) const OUTSTANDING: usize = 1024;
/// Maximum messages of one request, so that the next ones arrive while these are stored.
const BATCH: usize = OUTSTANDING / 4;
/// Sign of life of the server, without messages.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// A message, and what is needed to acknowledge it.
#[derive(Debug)]
pub struct Taken {
    message: async_nats::jetstream::Message,
    /// The name that its publisher gave it, if it is one.
    pub id: Option<MessageId>,
    /// The gateway that waits for a confirmation.
    pub gateway: Option<String>,
}

impl Taken {
    fn new(message: async_nats::jetstream::Message) -> Taken {
        let header = |name: &str| {
            let headers = message.headers.as_ref()?;
            headers.get(name).map(|value| value.as_str().to_owned())
        };
        let gateway = header(GATEWAY).filter(|name| selo_mqtt::topic::check_name(name).is_ok());
        let id = header(async_nats::header::NATS_MESSAGE_ID.as_ref());
        Taken {
            id: id.and_then(|id| MessageId::parse(&id)),
            gateway,
            message,
        }
    }

    pub fn payload(&self) -> &[u8] {
        &self.message.payload
    }

    pub fn subject(&self) -> &str {
        &self.message.subject
    }

    /// Acknowledges it. The stream then drops it. If the acknowledgement is lost, the message comes
    /// again.
    pub async fn ack(&self) {
        _ = self.message.ack().await;
    }
}

/// See the module.
pub struct Puller {
    server: BrokerUrl,
    pub(crate) partition: u16,
    /// The name of its consumer.
    pub(crate) consumer: String,
    messages: pull::Stream,
}

impl std::fmt::Debug for Puller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Puller({})", self.server)
    }
}

impl Puller {
    pub(crate) async fn start(
        server: BrokerUrl,
        partition: u16,
        (name, consumer): (String, PullConsumer),
    ) -> Result<Puller, Failure> {
        let messages = consumer
            .stream()
            .max_messages_per_batch(BATCH)
            .heartbeat(HEARTBEAT)
            .expires(HEARTBEAT * 4)
            .messages()
            .await
            .map_err(|error| failure::away(&server, &format!("delivers nothing: {error}")))?;
        Ok(Puller {
            server,
            partition,
            consumer: name,
            messages,
        })
    }

    /// Waits for messages, and takes all that have arrived. An error means that the partition has
    /// another owner, or that the server is away.
    pub async fn next(&mut self) -> Result<Vec<Taken>, Failure> {
        let mut taken = Vec::new();
        let mut next = self.messages.next().await;
        loop {
            match next {
                Some(Ok(message)) => taken.push(Taken::new(message)),
                // What was taken before comes first; the error comes again.
                Some(Err(_)) if !taken.is_empty() => return Ok(taken),
                Some(Err(error)) if error.kind() == MessagesErrorKind::ConsumerDeleted => {
                    return Err(failure::taken(self.partition));
                }
                Some(Err(error)) => {
                    let what = format!("delivers no more readings: {error}");
                    return Err(failure::away(&self.server, &what));
                }
                None if !taken.is_empty() => return Ok(taken),
                None => return Err(failure::away(&self.server, "delivers no more readings")),
            }
            if taken.len() >= BATCH {
                return Ok(taken);
            }
            match self.messages.next().now_or_never() {
                Some(message) => next = message,
                None => return Ok(taken),
            }
        }
    }
}
