//! Background tasks of a collector: certificates, alarm notices, silence, and pruning.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use selo_codec::Language;
use tokio::sync::{Notify, watch};

use crate::channel::{self, Channels};
use crate::error::Result;
use crate::follow;
use crate::http::App;
use crate::http::tls::Tls;
use crate::ingest::Ingest;
use crate::mqtt;
use crate::outbox::{self, Outbox};
use crate::retention::{self, Retention};
use crate::settings::Settings;
use crate::stream;
use crate::stream::lease::Owned;

/// Interval at which silence and the end of rain are checked.
const WATCH: Duration = Duration::from_secs(5);
/// Interval at which the trusted time advances, and the number of these intervals between two
/// pruning runs.
const TRUST: Duration = Duration::from_secs(60);
const PRUNE: u32 = 10;

/// Background tasks.
pub(crate) struct Background {
    pub outbox: Outbox,
    pub channels: Arc<Channels>,
    pub settings: Settings,
    /// What follows the changes of other collectors, if there may be any.
    pub follows: Option<Arc<App>>,
    pub webhooks: Vec<String>,
    pub mqtt: Option<selo_mqtt::ClientConfig>,
    pub stream: Option<selo_stream::StreamConfig>,
    /// The partitions of the stream that this collector owns.
    pub owned: watch::Receiver<Owned>,
    /// Language of the alarms' names in Home Assistant, if it is told about them.
    pub home_assistant: Option<Language>,
    pub silent_after_ms: i64,
    pub secret: Arc<zeroize::Zeroizing<String>>,
    pub retention: Retention,
    pub tls: Option<Arc<Tls>>,
    pub reload: Arc<Notify>,
}

impl Background {
    /// Starts the tasks. They run until the runtime ends.
    pub fn start(self) -> Result<()> {
        if let Some(tls) = self.tls {
            tokio::spawn(tls.watch(self.reload));
        }
        if let Some(config) = self.mqtt {
            let (outbox, language) = (self.outbox.clone(), self.home_assistant);
            mqtt::start(config, outbox, language, self.silent_after_ms)?;
        }
        if let Some(config) = self.stream {
            stream::start(config, &self.outbox, self.owned)?;
        }
        if let Some(app) = self.follows {
            tokio::spawn(follow::run(app));
        }
        for channel in self.channels.all() {
            channel::start(&self.outbox, &self.channels, &self.settings, channel.id);
        }
        for url in self.webhooks {
            tokio::spawn(outbox::run_webhook(
                self.outbox.clone(),
                url,
                self.secret.clone(),
            ));
        }
        let Outbox {
            ingest,
            metrics,
            clock,
            leads,
            ..
        } = self.outbox;
        let (watching, times, leading) = (ingest.clone(), clock.clone(), leads.clone());
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(WATCH);
            loop {
                tick.tick().await;
                if !leading.load(Relaxed) {
                    continue;
                }
                let now = times.now();
                // The writer logs outages, and the next tick tries again.
                let _ = watch_clock(&watching, now).await;
            }
        });
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(TRUST);
            let mut last = Instant::now();
            for minute in (0..PRUNE).cycle() {
                tick.tick().await;
                let now = clock.now();
                let ran = i64::try_from(last.elapsed().as_millis()).unwrap_or(i64::MAX);
                last = Instant::now();
                if !leads.load(Relaxed) {
                    continue;
                }
                let done = match retention::watch(&ingest, &metrics, now, ran).await {
                    Ok(trusted) if minute == 0 => {
                        let kept = self.retention;
                        retention::prune_by_evidence(&ingest, &metrics, kept, trusted).await
                    }
                    Ok(_) => Ok(0),
                    Err(error) => Err(error),
                };
                match done {
                    Ok(0) => {}
                    Ok(rows) => tracing::info!("{rows} old rows were deleted"),
                    Err(error) => tracing::warn!("cannot delete old rows: {error}"),
                }
            }
        });
        Ok(())
    }
}

/// Raises and clears the alarms that depend on time alone. Returns the number of changed alarms.
pub async fn watch_clock(ingest: &Ingest, now: i64) -> Result<usize> {
    let changes = ingest
        .write(move |db, store| store.on_clock(db, now))
        .await?;
    ingest.tell(&changes);
    Ok(changes.len())
}
