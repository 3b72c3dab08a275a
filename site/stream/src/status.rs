//! What an onlooker may see of the stream of a site. It makes no stream, and takes no reading.

use std::time::Duration;

use async_nats::jetstream::context::GetStreamErrorKind;
use futures_util::StreamExt;

use crate::client::{Connection, StreamConfig};
use crate::failure::{self, Failure, answered};
use crate::names;

/// The stream of a site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The server that answered.
    pub server: String,
    pub name: String,
    /// Readings that no collector has stored yet.
    pub waiting: u64,
    pub bytes: u64,
    /// Size at which the stream takes no more readings. `None`: that of the disk.
    pub bytes_max: Option<u64>,
    /// Partitions whose readings a collector asks for now.
    pub asked_for: usize,
    /// Readings that were delivered and are not acknowledged yet.
    pub unacknowledged: usize,
    /// The server that leads the replicas. `None`: the server is alone, or there is none.
    pub leader: Option<String>,
    /// Copies that the stream should have.
    pub copies: usize,
    pub replicas: Vec<Replica>,
}

/// Time after which a server that its leader has not heard is gone. Its leader itself says so after
/// some minutes.
const SILENT: Duration = Duration::from_secs(20);

/// Another server with a copy of the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    pub name: String,
    /// True if it has all that the leader has.
    pub current: bool,
    pub offline: bool,
    /// Operations that it is behind the leader.
    pub behind: u64,
}

/// Asks the servers of the configuration in turn, until one answers. Also returns the failures of
/// those before it. `None`: there is no stream of the site.
///
/// # Errors
/// All failures if no server answers.
pub fn ask(config: &StreamConfig) -> Result<(Option<Status>, Vec<Failure>), Vec<Failure>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| {
        vec![failure::away(
            config.server(),
            &format!("cannot be asked: {error}"),
        )]
    })?;
    let (mut config, mut failures) = (config.clone(), Vec::new());
    for _ in 0..config.servers() {
        match runtime.block_on(of(&config)) {
            Ok(found) => return Ok((found, failures)),
            Err(failure) => failures.push(failure),
        }
        config.take_next();
    }
    Err(failures)
}

async fn of(config: &StreamConfig) -> Result<Option<Status>, Failure> {
    let mut connection = config.connect().await?;
    let asked = asked(config, &connection).await;
    asked.map_err(|failure| connection.refusal(config.server()).unwrap_or(failure))
}

async fn asked(config: &StreamConfig, connection: &Connection) -> Result<Option<Status>, Failure> {
    let (server, name) = (config.server(), names::stream(&config.site));
    let stream = match connection.context.get_stream(&name).await {
        Ok(stream) => stream,
        Err(error) => {
            return match error.kind() {
                GetStreamErrorKind::JetStream(answer)
                    if answer.error_code()
                        == async_nats::jetstream::ErrorCode::STREAM_NOT_FOUND =>
                {
                    Ok(None)
                }
                GetStreamErrorKind::JetStream(answer) => Err(answered(server, &name, &answer)),
                _ => Err(failure::away(server, &format!("does not answer: {error}"))),
            };
        }
    };
    let (mut asked_for, mut unacknowledged) = (0, 0);
    let mut consumers = stream.consumers();
    while let Some(consumer) = consumers.next().await {
        let consumer = consumer
            .map_err(|error| failure::away(server, &format!("lists no consumers: {error}")))?;
        if names::of_consumer(&consumer.name).is_some() {
            asked_for += usize::from(consumer.num_waiting > 0);
            unacknowledged += consumer.num_ack_pending;
        }
    }
    let info = stream.cached_info();
    let cluster = info.cluster.as_ref();
    let replicas = cluster.map_or(&[][..], |cluster| &cluster.replicas);
    let replica = |peer: &async_nats::jetstream::stream::PeerInfo| Replica {
        name: peer.name.clone(),
        current: peer.current,
        offline: peer.offline || (!peer.current && peer.active > SILENT),
        behind: peer.lag.unwrap_or(0),
    };
    Ok(Some(Status {
        server: server.to_string(),
        name,
        waiting: info.state.messages,
        bytes: info.state.bytes,
        bytes_max: u64::try_from(info.config.max_bytes)
            .ok()
            .filter(|max| *max > 0),
        asked_for,
        unacknowledged,
        leader: cluster.and_then(|cluster| cluster.leader.clone()),
        copies: info.config.num_replicas,
        replicas: replicas.iter().map(replica).collect(),
    }))
}
