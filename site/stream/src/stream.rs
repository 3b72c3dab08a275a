//! The stream of a site, as a collector makes and uses it.

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::CreateStreamErrorKind;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::sync::Mutex;
use tracing::info;

use crate::client::{Connection, StreamConfig};
use crate::failure::{self, Failure, Kind, answered};
use crate::names;
use crate::puller::{OUTSTANDING, Puller};
use crate::stored::Stored;

/// Size of a new stream. Readings beyond it wait in the journals of the gateways.
const BYTES_MAX: i64 = 1 << 30;
/// Maximum length of a message in a new stream. Gateways send shorter ones.
const MESSAGE_MAX: i32 = 32 << 10;
/// Time in which the stream drops a message with the name of another one: longer than a gateway
/// needs to connect again.
const WINDOW: Duration = Duration::from_secs(120);
/// Time after which a message is delivered again if its owner has not acknowledged it.
const ACK_WAIT: Duration = Duration::from_secs(30);

/// A collector's connection to the stream of its site.
pub struct Opened {
    config: StreamConfig,
    connection: Mutex<Connection>,
    client: async_nats::Client,
    stream: Stream,
}

impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opened({})", self.config.server())
    }
}

impl Opened {
    /// Connects. Makes the stream if the server has none.
    pub async fn open(config: &StreamConfig) -> Result<Opened, Failure> {
        let connection = config.connect().await?;
        let stream = find(config, &connection).await?;
        Ok(Opened {
            config: config.clone(),
            client: connection.client.clone(),
            connection: Mutex::new(connection),
            stream,
        })
    }

    /// The site of the stream.
    pub fn site(&self) -> &str {
        &self.config.site
    }

    /// Waits until the connection is lost.
    pub async fn ended(&self) -> Failure {
        self.connection
            .lock()
            .await
            .ended(self.config.server())
            .await
    }

    /// Takes over a partition: earlier consumers end, also one of this epoch, and a new one starts
    /// with the first message that nobody has acknowledged. Without an epoch this collector is the
    /// only one, and takes the next.
    pub async fn own(&self, partition: u16, epoch: Option<i64>) -> Result<Puller, Failure> {
        let wrong = |what: String| failure::away(self.config.server(), &what);
        let mut others = Vec::new();
        let mut found = self.stream.consumer_names();
        while let Some(other) = found.next().await {
            let other = other.map_err(|error| wrong(format!("lists no consumers: {error}")))?;
            if let Some((of, epoch)) = names::of_consumer(&other)
                && of == partition
            {
                others.push((epoch, other));
            }
        }
        let newest = others.iter().map(|(epoch, _)| *epoch).max().unwrap_or(0);
        let epoch = epoch.unwrap_or(newest.saturating_add(1));
        if newest > epoch {
            return Err(failure::taken(partition));
        }
        for (_, other) in others.iter().filter(|(other, _)| *other <= epoch) {
            // Another collector may have removed it at the same time.
            _ = self.stream.delete_consumer(other).await;
        }
        let name = names::consumer(partition, epoch);
        let config = pull::Config {
            durable_name: Some(name.clone()),
            deliver_policy: DeliverPolicy::All,
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_ack_pending: OUTSTANDING as i64,
            filter_subject: names::readings(&self.config.site, partition),
            ..pull::Config::default()
        };
        let consumer = self.stream.create_consumer(config).await;
        let consumer = consumer.map_err(|error| {
            wrong(format!(
                "makes no consumer for partition {partition}: {error}"
            ))
        })?;
        Puller::start(self.config.server().clone(), partition, (name, consumer)).await
    }

    /// Whether the stream has readings of a partition that its consumer will never deliver. A server
    /// that was killed may remember that it delivered messages which it has again.
    pub async fn is_stuck(&self, puller: &Puller) -> bool {
        let subject = names::readings(&self.config.site, puller.partition);
        let newest = async || {
            let found = self.stream.get_last_raw_message_by_subject(&subject).await;
            found.ok().map(|message| message.sequence)
        };
        let Some(before) = newest().await else {
            return false;
        };
        let Ok(info) = self.stream.consumer_info(&puller.consumer).await else {
            return false;
        };
        // It stays if it was not about to be acknowledged.
        info.num_pending == 0 && info.num_ack_pending == 0 && newest().await == Some(before)
    }

    /// Tells a gateway what is stored. If the message is lost, the gateway publishes again and is
    /// told then.
    pub async fn confirm(&self, gateway: &str, stored: &Stored) {
        let subject = names::stored(&self.config.site, gateway);
        _ = self.client.publish(subject, stored.to_json().into()).await;
    }

    /// Number of readings in the stream: those that no collector has stored.
    pub async fn lag(&self) -> Option<u64> {
        let info = self.stream.get_info().await.ok()?;
        Some(info.state.messages)
    }
}

async fn find(config: &StreamConfig, connection: &Connection) -> Result<Stream, Failure> {
    let (server, name) = (config.server(), names::stream(&config.site));
    let wanted = Config {
        name: name.clone(),
        description: Some("Readings that Selo's collectors have not stored yet".into()),
        subjects: vec![names::all_readings(&config.site)],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        max_bytes: BYTES_MAX,
        max_message_size: MESSAGE_MAX,
        duplicate_window: WINDOW,
        ..Config::default()
    };
    let stream = match connection.context.get_stream(&name).await {
        Ok(stream) => stream,
        Err(_) => match connection.context.create_stream(wanted.clone()).await {
            Ok(_) => {
                info!(stream = %name, "made the stream of this site");
                let found = connection.context.get_stream(&name).await;
                found.map_err(|error| failure::away(server, &format!("refuses: {error}")))?
            }
            Err(error) => {
                return Err(match error.kind() {
                    CreateStreamErrorKind::JetStream(answer) => answered(server, &name, &answer),
                    CreateStreamErrorKind::TimedOut => failure::away(server, "does not answer"),
                    _ => failure::no_stream(server, &name),
                });
            }
        },
    };
    check(server, &wanted, &stream.cached_info().config)?;
    Ok(stream)
}

/// Refuses a stream that somebody has made otherwise, if readings would be lost or stay in it.
fn check(
    server: &selo_mqtt::client::BrokerUrl,
    wanted: &Config,
    found: &Config,
) -> Result<(), Failure> {
    let name = &wanted.name;
    let why = if found.retention != wanted.retention {
        "its retention is not workqueue"
    } else if found.subjects != wanted.subjects {
        "its subjects are others"
    } else if found.discard != wanted.discard {
        "it discards old readings"
    } else if !found.max_age.is_zero() {
        "it drops readings after a time (max_age)"
    } else {
        return Ok(());
    };
    Err(Failure::new(
        Kind::NoPlace,
        format!("the stream {name} at {server} is unsuitable: {why}"),
        format!(
            "remove it (nats stream rm {name}), and the collector makes it; gateways publish \
            again what was in it"
        ),
    ))
}
