//! Delivers the alarm notices that wait in the database: to each target in order, repeated with
//! increasing pauses until the target accepts them.

use std::sync::Arc;
use std::time::Duration;

use hmac::{Hmac, Mac};
use sha2::Sha256;
use tokio::sync::Notify;
use zeroize::Zeroizing;

use crate::clock::Clock;
use crate::error::Result;
use crate::ingest::Ingest;
use crate::metrics::{Metrics, add};
use crate::readers::Readers;
use crate::sql;

const FIRST_PAUSE_MS: i64 = 5_000;
const LONGEST_PAUSE_MS: i64 = 3_600_000;
/// About a month of hourly attempts. A notice that is still undelivered is then useless.
const ATTEMPTS_MAX: i64 = 750;
const PATIENCE: Duration = Duration::from_secs(15);

/// A waiting notice.
#[derive(Debug, Clone)]
pub struct Notice {
    pub id: i64,
    pub topic: String,
    pub body: String,
    attempts: i64,
    due: i64,
}

/// Shared state of all deliverers.
#[derive(Debug, Clone)]
pub struct Outbox {
    pub ingest: Ingest,
    pub readers: Readers,
    pub metrics: Arc<Metrics>,
    pub clock: Clock,
    /// Notified when there may be a new notice.
    pub bell: Arc<Notify>,
}

impl Outbox {
    /// Waits for the oldest notice for a target, and until it is due.
    pub async fn next(&self, target: &str) -> Notice {
        loop {
            // Register before the query, so that no notification between query and wait is lost.
            let bell = self.bell.notified();
            let asked: Vec<_> = vec![target.into()];
            let found = self
                .readers
                .read(move |db| db.query(sql::NEXT_NOTICE, &asked))
                .await;
            let notice = found.ok().and_then(|rows| {
                rows.first().map(|row| Notice {
                    id: row.int(0),
                    topic: row.text(1).into(),
                    body: row.text(2).into(),
                    attempts: row.int(3),
                    due: row.int(4),
                })
            });
            let now = self.clock.now();
            let pause = match notice {
                Some(notice) if notice.due <= now => return notice,
                Some(notice) => (notice.due - now).clamp(10, 1000),
                None => 30_000,
            };
            let pause = Duration::from_millis(u64::try_from(pause).unwrap_or(1000));
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = bell => {}
            }
        }
    }

    /// Marks a notice as delivered.
    pub async fn delivered(&self, notice: &Notice) {
        let id = notice.id;
        // If this fails, the notice is delivered once more with the same id.
        let _ = self
            .ingest
            .write(move |db, _| db.execute(sql::DELETE_NOTICE, &[id.into()]))
            .await;
        add(&self.metrics.notices_sent, 1);
    }

    /// Schedules the next attempt for a notice that the target did not accept.
    pub async fn failed(&self, notice: &Notice, target: &str, reason: &str) {
        add(&self.metrics.notices_failed, 1);
        let id = notice.id;
        if notice.attempts + 1 >= ATTEMPTS_MAX {
            tracing::error!("giving up on a notice for {target}: {reason}");
            let _ = self
                .ingest
                .write(move |db, _| db.execute(sql::DELETE_NOTICE, &[id.into()]))
                .await;
            return;
        }
        if notice.attempts == 0 {
            tracing::warn!("cannot deliver a notice to {target}, will retry: {reason}");
        }
        let doubled = FIRST_PAUSE_MS << notice.attempts.clamp(0, 20);
        let due = self.clock.now() + doubled.min(LONGEST_PAUSE_MS);
        let delayed: Result<_> = self
            .ingest
            .write(move |db, _| db.execute(sql::DELAY_NOTICE, &[due.into(), id.into()]))
            .await;
        if delayed.is_err() {
            // The attempt was not recorded, so pause here to avoid a busy loop.
            tokio::time::sleep(Duration::from_millis(FIRST_PAUSE_MS as u64)).await;
        }
    }
}

/// Delivers to a webhook until the runtime ends.
pub async fn run_webhook(outbox: Outbox, url: String, secret: Arc<Zeroizing<String>>) {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .timeout_global(Some(PATIENCE))
        // Never follow a redirect: it would send the notice to another server.
        .max_redirects(0)
        .user_agent("selo-collector")
        .build()
        .into();
    let shown = shown(&url);
    loop {
        let notice = outbox.next(&url).await;
        let (agent, url, secret, sent) =
            (agent.clone(), url.clone(), secret.clone(), notice.clone());
        let now = outbox.clock.now();
        let done = tokio::task::spawn_blocking(move || post(&agent, &url, &secret, &sent, now))
            .await
            .unwrap_or_else(|error| Err(error.to_string()));
        match done {
            Ok(()) => outbox.delivered(&notice).await,
            Err(reason) => outbox.failed(&notice, &shown, &reason).await,
        }
    }
}

/// Returns the URL without the parts that may be secret.
fn shown(url: &str) -> String {
    let end = url.find('?').unwrap_or(url.len());
    match url[..end].split_once('@') {
        Some((_, host)) => host.into(),
        None => url[..end].into(),
    }
}

fn post(
    agent: &ureq::Agent,
    url: &str,
    secret: &str,
    notice: &Notice,
    now: i64,
) -> Result<(), String> {
    let time = (now / 1000).to_string();
    let answer = agent
        .post(url)
        .header("Content-Type", "application/json")
        .header("X-Selo-Delivery", notice.id.to_string())
        .header("X-Selo-Timestamp", &time)
        .header("X-Selo-Signature", signature(secret, &time, &notice.body))
        .send(&notice.body)
        .map_err(|error| error.to_string())?;
    if answer.status().is_success() {
        return Ok(());
    }
    Err(format!("it answered {}", answer.status()))
}

/// HMAC-SHA-256 [FIPS198-1] of `time "." body`, formatted as `sha256=HEX`.
pub fn signature(secret: &str, time: &str, body: &str) -> String {
    // HMAC accepts a key of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else {
        return String::new();
    };
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body.as_bytes());
    format!("sha256={}", hex::encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_signature_is_what_others_compute() {
        // printf '1.{}' | openssl dgst -sha256 -hmac key
        assert_eq!(super::signature("key", "1", "{}"), SIGNATURE);
    }

    const SIGNATURE: &str =
        "sha256=1ba6b8171186efc613e8bcc0cbdab2748f24984d7c5a84faa2637afa0e40d224";

    #[test]
    fn no_secret_of_a_url_is_shown() {
        assert_eq!(super::shown("https://a:b@host/x?key=y"), "host/x");
        assert_eq!(super::shown("https://host/x?key=y"), "https://host/x");
    }
}
