//! Delivers the notices of a channel: several at a time, so that a flood of alarms becomes a few
//! messages.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::http::{Poster, post_letter, post_signed};
use super::text::{Letter, letter, test_letter};
use super::{Channel, Channels, Kind, mail};
use crate::alarm::{SCHEMA, Severity};
use crate::outbox::{Notice, Outbox, Wanted};
use crate::settings::Settings;

/// The result of a delivery: recipients that were refused although others were not, or the reason
/// why nothing was delivered.
pub type Sent = Result<Option<String>, String>;

/// Maximum alarms of one message.
const BATCH: i64 = 200;
/// Pause after a message. The alarms that are raised meanwhile share the next one.
const GAP: Duration = Duration::from_secs(5);

/// Delivers to a channel from now on, unless a task does so already. Must be called on the runtime that
/// will run it.
pub fn start(outbox: &Outbox, channels: &Arc<Channels>, settings: &Settings, id: i64) {
    if !channels.running().insert(id) {
        return;
    }
    let (outbox, settings) = (outbox.clone(), settings.clone());
    let channels = channels.clone();
    tokio::spawn(async move {
        run(outbox, &channels, settings, id).await;
        channels.running().remove(&id);
    });
}

/// Delivers to a channel until it is removed.
async fn run(outbox: Outbox, channels: &Channels, settings: Settings, id: i64) {
    let poster = Poster::default();
    let mut changes = channels.changes();
    while let Some(channel) = channels.get(id) {
        if !channel.active {
            // What waited for it was deleted when it was switched off.
            let _ = changes.changed().await;
            continue;
        }
        let wanted = wanted(&channel, &settings, outbox.clock.now());
        let notices = tokio::select! {
            notices = outbox.poll(&wanted) => notices,
            _ = changes.changed() => continue,
        };
        if notices.is_empty() {
            continue;
        }
        let now = outbox.clock.now();
        let done = send(&poster, &channel, &settings, &notices, now).await;
        match done {
            Ok(refused) => {
                let refused = refused.map(|told| channel.without_secrets(&told));
                outbox
                    .delivered(&notices, &wanted, refused.as_deref())
                    .await;
            }
            Err(reason) => {
                let reason = channel.without_secrets(&reason);
                outbox.failed(&notices, &wanted, &reason).await;
            }
        }
        if channel.kind != Kind::Webhook {
            tokio::time::sleep(GAP).await;
        }
    }
}

fn wanted(channel: &Channel, settings: &Settings, now: i64) -> Wanted {
    let quiet = channel.quiet_hours(&settings.zone);
    let holds = quiet.is_some_and(|quiet| quiet.holds(now));
    Wanted {
        target: channel.target_name(),
        label: channel.name.clone(),
        least: if holds {
            Severity::Critical
        } else {
            Severity::Info
        },
        max: if channel.kind == Kind::Webhook {
            1
        } else {
            BATCH
        },
    }
}

/// Sends notices. Returns what the server refused although it took the message.
async fn send(
    poster: &Poster,
    channel: &Channel,
    settings: &Settings,
    notices: &[Notice],
    now: i64,
) -> Sent {
    if let (Kind::Webhook, [notice]) = (channel.kind, notices) {
        return post(poster, channel, (notice.id, notice.body.clone()), now).await;
    }
    let bodies: Vec<Json> = notices
        .iter()
        .filter_map(|notice| serde_json::from_str(&notice.body).ok())
        .collect();
    let waited = channel.after_minutes > 0 && bodies.iter().any(|body| body["active"] == true);
    let letter = letter(&bodies, channel.language, settings, waited);
    send_letter(poster, channel, letter).await
}

async fn send_letter(poster: &Poster, channel: &Channel, letter: Letter) -> Sent {
    if channel.kind == Kind::Email {
        return mail::send(channel, &letter).await;
    }
    let (poster, channel) = (poster.clone(), channel.clone());
    blocking(move || post_letter(&poster, &channel, &letter)).await
}

/// Runs a request on a thread that may wait for the server.
async fn blocking(work: impl FnOnce() -> Result<(), String> + Send + 'static) -> Sent {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(error.to_string()))
        .map(|()| None)
}

async fn post(poster: &Poster, channel: &Channel, (id, body): (i64, String), now: i64) -> Sent {
    let (poster, channel) = (poster.clone(), channel.clone());
    blocking(move || {
        let (url, secret) = (channel.url.reveal(), channel.secret.reveal());
        post_signed(&poster, url, secret, (id, &body), now)
    })
    .await
}

/// Sends a test message at once. The texts of the server are without secrets.
pub async fn send_test(channel: &Channel, settings: &Settings, now: i64) -> Sent {
    let poster = Poster::default();
    let done = if channel.kind == Kind::Webhook {
        let body = json!({"schema": SCHEMA, "test": true}).to_string();
        post(&poster, channel, (0, body), now).await
    } else {
        let letter = test_letter(channel.language, &settings.name());
        send_letter(&poster, channel, letter).await
    };
    done.map(|refused| refused.map(|told| channel.without_secrets(&told)))
        .map_err(|reason| channel.without_secrets(&reason))
}
