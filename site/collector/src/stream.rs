//! Receives readings from the stream of a site, and shares them with other collectors.
//!
//! A message is acknowledged after the commit, and its gateway is told then. Until then the stream
//! keeps the message, and the gateway its journal entry. The gateway believes this collector, never
//! the stream. A message that is not a reading of this site is stored among the rejected ones and
//! acknowledged, so it does not block its partition.

pub mod lease;
mod partition;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

pub use selo_stream::StreamConfig;
pub use selo_stream::client::parse_url;
use selo_stream::names::PARTITIONS;
use selo_stream::stream::Opened;
use selo_stream::tries::Tries;
use selo_stream::{Failure, Kind};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;
use tracing::{info, warn};

use crate::error::{Error, Result};
use crate::metrics::Metrics;
use crate::outbox::Outbox;
use lease::Owned;
use partition::Partition;

/// Interval at which the stream's lag is read.
const LOOK: Duration = Duration::from_secs(2);

/// Starts to receive the partitions that this collector owns. Must be called on the runtime that will
/// run it.
pub(crate) fn start(
    config: StreamConfig,
    outbox: &Outbox,
    owned: watch::Receiver<Owned>,
) -> Result<()> {
    config
        .check()
        .map_err(|error| Error::Invalid(format!("the stream: {error}")))?;
    let taking = Taking {
        partition: Partition::new(outbox.ingest.clone()),
        metrics: outbox.metrics.clone(),
        owned,
        config,
    };
    tokio::spawn(taking.run());
    Ok(())
}

/// All partitions, for the only collector.
pub(crate) fn all() -> Owned {
    (0..PARTITIONS).map(|partition| (partition, None)).collect()
}

/// A name for a collector among those that share a database. One that starts again is another.
pub(crate) fn random_name() -> Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| Error::Random(error.to_string()))?;
    Ok(hex::encode(bytes))
}

/// What receives.
struct Taking {
    config: StreamConfig,
    partition: Partition,
    metrics: Arc<Metrics>,
    owned: watch::Receiver<Owned>,
}

/// The partitions that are being received.
#[derive(Default)]
struct Running {
    tasks: JoinSet<(u16, Failure)>,
    handles: BTreeMap<u16, (Option<i64>, AbortHandle)>,
}

impl Taking {
    async fn run(mut self) {
        let mut tries = Tries::default();
        loop {
            let failure = match Opened::open(&self.config).await {
                Ok(opened) => {
                    info!(server = %self.config.server(), "the stream is connected");
                    self.metrics.stream_up.store(1, Relaxed);
                    tries.works(Instant::now());
                    let failure = self.serve(Arc::new(opened)).await;
                    self.metrics.stream_up.store(0, Relaxed);
                    failure
                }
                Err(failure) => failure,
            };
            let next = tries.failed(&mut self.config, &failure, Instant::now());
            if next.is_new {
                warn!(reason = %failure.what, hint = %failure.hint, "the stream delivers no readings");
            }
            tokio::time::sleep(next.pause).await;
        }
    }

    /// Serves a connection until it is lost.
    async fn serve(&mut self, opened: Arc<Opened>) -> Failure {
        let mut running = Running::default();
        let mut look = tokio::time::interval(LOOK);
        loop {
            tokio::select! {
                changed = self.owned.changed() => if changed.is_err() {
                    // The collector is stopping.
                    std::future::pending::<()>().await;
                },
                Some(done) = running.tasks.join_next() => {
                    // A task that was stopped because its partition has another owner says nothing.
                    if let Ok((partition, failure)) = done {
                        running.handles.remove(&partition);
                        if failure.kind != Kind::TakenOver {
                            return failure;
                        }
                        info!("{}", failure.what);
                    }
                }
                failure = opened.ended() => return failure,
                _ = look.tick() => if let Some(lag) = opened.lag().await {
                    self.metrics.stream_lag.store(lag, Relaxed);
                },
            }
            self.assign(&mut running, &opened);
        }
    }

    /// Starts and stops partitions, so that those run that this collector owns.
    fn assign(&mut self, running: &mut Running, opened: &Arc<Opened>) {
        let owned = self.owned.borrow_and_update().clone();
        running.handles.retain(|partition, (epoch, handle)| {
            let stays = owned.get(partition) == Some(epoch);
            if !stays {
                handle.abort();
            }
            stays
        });
        for (&number, &epoch) in &owned {
            running.handles.entry(number).or_insert_with(|| {
                let (partition, opened) = (self.partition.clone(), opened.clone());
                let task = async move { (number, partition.run(&opened, number, epoch).await) };
                (epoch, running.tasks.spawn(task))
            });
        }
        let number = owned.len() as u64;
        self.metrics.stream_partitions.store(number, Relaxed);
    }
}
