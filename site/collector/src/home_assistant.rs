//! Tells Home Assistant about the alarms [HADISCOVERY]. Each rule that concerns a station is a
//! binary sensor of the station's device. One retained message per station has the state of all
//! its alarms, so that a lost message does not leave an alarm active for ever.
//!
//! The state is computed from the database, and published again on each connection and every
//! [`REFRESH`]. Sensors expire: when no collector runs, they become unavailable.

mod documents;

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use selo_codec::Language;
use selo_mqtt::failure::Kind;
use selo_mqtt::subscriber::Sender;
use tokio::sync::Notify;

use crate::db::Database;
use crate::error::Result;
use crate::outbox::Outbox;
use crate::sql;
use documents::{Document, Snapshot};

/// Interval at which rules and names are compared with what was published. A raised or cleared
/// alarm does not wait for it.
const LOOK: Duration = Duration::from_secs(5);
/// Longest interval between two messages about a station's alarms.
const REFRESH: Duration = Duration::from_secs(600);
/// Maximum messages that the broker has not acknowledged. Between two portions the state of the
/// alarms is read again.
const PORTION: usize = 64;

/// Publishes until the runtime ends. `connected` is notified for each connection. Without a
/// language it only removes what an earlier run has announced.
pub(crate) async fn run(
    sender: Sender,
    outbox: Outbox,
    connected: Arc<Notify>,
    language: Option<Language>,
) {
    let bell = outbox.bell.clone();
    let mut announcer = Announcer {
        sender,
        outbox,
        language,
        is_connected: false,
        announced: None,
        snapshot: None,
        published: HashMap::new(),
        queue: VecDeque::new(),
    };
    loop {
        tokio::select! {
            () = connected.notified() => announcer.restart(),
            () = bell.notified() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        while announcer.is_connected && announcer.publish().await {}
    }
}

struct Announcer {
    sender: Sender,
    outbox: Outbox,
    language: Option<Language>,
    /// False after a failure, until the next connection.
    is_connected: bool,
    /// Topics that have, or may have, a retained message. The database keeps them, so that what a
    /// rule announced can be removed after a restart.
    announced: Option<BTreeSet<String>>,
    /// What the messages were made of; `None` after a new connection.
    snapshot: Option<Snapshot>,
    /// Hash and time of what was published on this connection.
    published: HashMap<String, (u64, Instant)>,
    queue: VecDeque<(String, Document)>,
}

impl Announcer {
    /// A restarted broker has lost its retained messages.
    fn restart(&mut self) {
        self.is_connected = true;
        self.published.clear();
        self.snapshot = None;
    }

    /// Publishes a portion of what has changed. Returns true if there may be more.
    async fn publish(&mut self) -> bool {
        let read = match self.language {
            Some(_) => self.outbox.readers.read(Snapshot::load).await,
            None => Ok(Snapshot::default()),
        };
        let Ok(snapshot) = read else {
            // The readers log outages.
            return false;
        };
        if self.announced.is_none() {
            let known = self.outbox.readers.read(announced).await;
            self.announced = known.ok();
        }
        let Some(known) = &mut self.announced else {
            return false;
        };
        if self.snapshot.as_ref() != Some(&snapshot) {
            let old = known.iter().map(String::as_str);
            self.queue = snapshot.all(old, self.language.unwrap_or_default());
            let published = &self.published;
            let is_new = |(topic, document): &(String, Document)| {
                published.get(topic).map(|one| one.0) != Some(hash_of(&document.body))
            };
            self.queue.retain(is_new);
        }
        if self.queue.is_empty() {
            self.queue = snapshot.states();
            let published = &self.published;
            let is_old = |topic: &str| {
                published
                    .get(topic)
                    .is_none_or(|one| one.1.elapsed() > REFRESH)
            };
            self.queue.retain(|(topic, _)| is_old(topic));
        }
        self.snapshot = Some(snapshot);
        let portion: Vec<_> = self.queue.drain(..self.queue.len().min(PORTION)).collect();
        if portion.is_empty() || !self.remember(&portion).await {
            return false;
        }
        let sent = portion.iter().map(|(topic, document)| {
            let body = document.body.clone().into_bytes();
            self.sender.publish(topic.clone(), body, true)
        });
        let sent = join_all(sent).await;
        self.settle(portion, sent).await
    }

    /// Notes topics in the database before anything is published to them.
    async fn remember(&mut self, portion: &[(String, Document)]) -> bool {
        let Some(known) = &mut self.announced else {
            return false;
        };
        let is_new = |topic: &String| !known.contains(topic);
        let new: Vec<String> = portion
            .iter()
            .map(|one| one.0.clone())
            .filter(is_new)
            .collect();
        if new.is_empty() {
            return true;
        }
        known.extend(new.iter().cloned());
        self.note(sql::INSERT_ANNOUNCED, new).await
    }

    async fn note(&mut self, statement: &'static str, topics: Vec<String>) -> bool {
        let work = move |db: &mut dyn Database| {
            for topic in &topics {
                db.execute(statement, &[topic.as_str().into()])?;
            }
            Ok(())
        };
        let write = self
            .outbox
            .ingest
            .write(move |db, _| crate::db::transaction(db, work));
        let noted = write.await.is_ok();
        if !noted {
            // Begin again from what the database knows.
            self.announced = None;
            self.snapshot = None;
        }
        noted
    }

    async fn settle(
        &mut self,
        portion: Vec<(String, Document)>,
        sent: Vec<std::result::Result<(), selo_mqtt::Failure>>,
    ) -> bool {
        let mut gone = Vec::new();
        for ((topic, document), sent) in portion.into_iter().zip(sent) {
            match sent {
                Ok(()) if document.body.is_empty() => gone.push(topic),
                Ok(()) => {
                    let now = Instant::now();
                    self.published.insert(topic, (hash_of(&document.body), now));
                }
                Err(failure) => self.fail(&topic, &failure),
            }
        }
        if let Some(known) = &mut self.announced {
            gone.iter().for_each(|topic| _ = known.remove(topic));
        }
        gone.iter()
            .for_each(|topic| _ = self.published.remove(topic));
        let noted = gone.is_empty() || self.note(sql::DELETE_ANNOUNCED, gone).await;
        noted && self.is_connected
    }

    /// Waits for the next connection. What was not published will be.
    fn fail(&mut self, topic: &str, failure: &selo_mqtt::Failure) {
        if self.is_connected && failure.kind == Kind::NotAllowed {
            tracing::warn!(
                "Home Assistant is not told about alarms: the broker does not let this user \
                publish to {topic}. hint: add the lines of docs/operator/mqtt.md to the access \
                list, or use --no-home-assistant"
            );
        }
        self.is_connected = false;
    }
}

fn announced(db: &mut dyn Database) -> Result<BTreeSet<String>> {
    let rows = db.query(sql::ANNOUNCED, &[])?;
    Ok(rows.iter().map(|row| row.text(0).into()).collect())
}

fn hash_of(body: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    hasher.finish()
}
