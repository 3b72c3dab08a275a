//! Channels: how people are told of alarms, by e-mail, ntfy, Telegram or a webhook. An admin
//! edits them on the page.
//!
//! They are kept in the file `channels.json` (mode 0600) and not in the database, because a
//! channel has secrets and the database may be read by others (Grafana, a backup service). Only
//! collectors that share a database have their channels there ([`table`]).

mod change;
mod deliver;
mod http;
mod mail;
pub mod quiet;
mod reach;
mod secret;
mod table;
mod text;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use selo_codec::Language;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tokio::sync::watch;

use self::quiet::{Quiet, Span};
use crate::alarm::Severity;
use crate::alarm::target::Target;
use crate::auth::{read_private, write_private};
use crate::db::{Database, Location};
use crate::error::{Error, Result};
use crate::readers::Readers;
use crate::settings::Zone;

pub use self::change::Change;
pub use self::deliver::{send_test, start};
pub use self::http::{Poster, post_signed, signature};
pub use self::secret::{Secret, without_secrets};

/// Maximum channels. Each may hold a thread for as long as its server does not answer.
pub const CHANNELS_MAX: usize = 20;

/// The kind of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Email,
    Ntfy,
    Telegram,
    Webhook,
}

/// Protection of a connection to a mail server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// TLS from the first byte (port 465).
    #[default]
    Tls,
    /// TLS by STARTTLS, or no mail (port 587).
    StartTls,
    /// None. Only a server on this machine may then get a password.
    None,
}

/// A channel, as the file keeps it. `server` to `topic` are used as the kind requires.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Channel {
    pub id: i64,
    pub name: String,
    pub kind: Kind,
    pub active: bool,
    /// Milder alarms are not sent.
    pub severity: Severity,
    /// Sends only what nobody has acknowledged for this long. 0: sends at once.
    pub after_minutes: u32,
    pub quiet: Option<Span>,
    /// Language of the messages.
    pub language: Language,
    /// Host of the mail server, or URL of the server of ntfy or Telegram.
    #[serde(default)]
    pub server: String,
    #[serde(default)]
    pub port: u16,
    #[serde(default)]
    pub security: Security,
    #[serde(default)]
    pub user: String,
    #[serde(default)]
    pub from: String,
    #[serde(default)]
    pub to: Vec<String>,
    /// Topic of ntfy, or chat of Telegram.
    #[serde(default)]
    pub topic: String,
    /// URL of a webhook. It may contain a key, so it is treated as a secret.
    #[serde(default)]
    pub url: Secret,
    /// Password of the mail account, token of ntfy, token of the bot, or key of the signature.
    #[serde(default)]
    pub secret: Secret,
}

impl Channel {
    /// Its name in the outbox.
    pub fn target_name(&self) -> String {
        target_name(self.id)
    }

    /// What the alarms know of it; `None` if it is switched off.
    pub fn target(&self, zone: &Zone) -> Option<Target> {
        self.active.then(|| Target {
            name: self.target_name(),
            least: self.severity,
            after_ms: i64::from(self.after_minutes) * 60_000,
            quiet: self.quiet_hours(zone),
        })
    }

    fn quiet_hours(&self, zone: &Zone) -> Option<Quiet> {
        self.quiet.clone().map(|span| Quiet {
            span,
            zone: zone.clone(),
        })
    }

    /// The channel for the page, without its secrets.
    pub fn json(&self) -> Json {
        json!({
            "id": self.id, "name": self.name, "kind": self.kind, "active": self.active,
            "severity": self.severity, "after_minutes": self.after_minutes, "quiet": self.quiet,
            "language": self.language, "server": self.server, "port": self.port,
            "security": self.security, "user": self.user, "from": self.from, "to": self.to,
            "topic": self.topic, "url": self.url.host(), "has_secret": !self.secret.is_empty(),
        })
    }

    /// Removes the channel's secrets from a text that is shown or logged.
    fn without_secrets(&self, text: &str) -> String {
        let user = if self.user.is_empty() {
            &self.from
        } else {
            &self.user
        };
        without_secrets(text, &[&self.url, &self.secret], user)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Stored {
    /// Number of the next channel. A number is never used twice, so a notice for a removed channel
    /// reaches no other.
    next: i64,
    channels: Vec<Channel>,
}

/// The channels, in memory and in their file or database.
#[derive(Debug)]
pub struct Channels {
    path: PathBuf,
    database: Option<Location>,
    stored: RwLock<Arc<Stored>>,
    changed: watch::Sender<u64>,
    /// Held while the channels are written or read again.
    writing: tokio::sync::Mutex<()>,
    /// The channels that a task delivers to.
    running: Mutex<HashSet<i64>>,
}

impl Channels {
    /// Reads the file of a state directory, if there is one.
    pub fn open(state: &Path) -> Result<Channels> {
        let path = state.join("channels.json");
        let stored = in_file(&path)?.unwrap_or_default();
        Ok(Channels::of(path, None, stored))
    }

    /// The channels of collectors that share a database. It takes over those of the file, if it has
    /// never had any; the file then has another name.
    pub fn shared(state: &Path, database: Location) -> Result<Channels> {
        let path = state.join("channels.json");
        let file = in_file(&path)?;
        let (stored, ()) = in_table(&database, |stored| {
            if let (0, Some(file)) = (stored.next, &file) {
                stored.clone_from(file);
            }
            Ok(())
        })?;
        if let Some(file) = file {
            let moved = path.with_extension("moved");
            let missing = |one: &&Channel| !stored.channels.contains(one);
            let missing = file.channels.iter().filter(missing);
            let missing: Vec<&str> = missing.map(|one| one.name.as_str()).collect();
            if !missing.is_empty() {
                tracing::warn!(
                    "the database has other channels than {}, which it does not take over: {}; \
                     hint: add them on the page",
                    path.display(),
                    missing.join(", ")
                );
            }
            std::fs::rename(&path, &moved).map_err(|source| Error::Write {
                path: moved,
                source,
            })?;
        }
        Ok(Channels::of(path, Some(database), stored))
    }

    fn of(path: PathBuf, database: Option<Location>, stored: Stored) -> Channels {
        Channels {
            path,
            database,
            stored: RwLock::new(Arc::new(stored)),
            changed: watch::Sender::new(0),
            writing: tokio::sync::Mutex::default(),
            running: Mutex::default(),
        }
    }

    /// Reads again what another collector may have changed.
    pub(crate) async fn reload(&self, readers: &Readers) -> Result<()> {
        let _turn = self.writing.lock().await;
        let read = |db: &mut dyn Database| table::read(db);
        let text = readers.read(read).await?;
        let stored = of_table(text.as_ref().map(|text| text.as_str()))?;
        if *self.stored() != stored {
            self.put(stored);
        }
        Ok(())
    }

    fn stored(&self) -> Arc<Stored> {
        self.stored
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// All channels.
    pub fn all(&self) -> Vec<Channel> {
        self.stored().channels.clone()
    }

    /// The channel with this number.
    pub fn get(&self, id: i64) -> Option<Channel> {
        self.stored()
            .channels
            .iter()
            .find(|one| one.id == id)
            .cloned()
    }

    /// Is notified after each change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Adds a channel. Returns it with its number.
    pub async fn add(self: &Arc<Self>, change: Change) -> Result<Channel> {
        self.edit(move |stored| {
            if stored.channels.len() >= CHANNELS_MAX {
                return Err(Error::Invalid(format!("more than {CHANNELS_MAX} channels")));
            }
            stored.next += 1;
            let channel = change.make(stored.next)?;
            stored.channels.push(channel.clone());
            Ok(channel)
        })
        .await
    }

    /// Changes a channel. Absent members stay unchanged.
    pub async fn change(self: &Arc<Self>, id: i64, change: Change) -> Result<Channel> {
        self.edit(move |stored| {
            let place = stored.channels.iter_mut().find(|one| one.id == id);
            let place = place.ok_or_else(|| unknown(id))?;
            *place = change.apply(place)?;
            Ok(place.clone())
        })
        .await
    }

    /// Removes a channel.
    pub async fn remove(self: &Arc<Self>, id: i64) -> Result<()> {
        self.edit(move |stored| {
            let before = stored.channels.len();
            stored.channels.retain(|one| one.id != id);
            if stored.channels.len() == before {
                return Err(unknown(id));
            }
            Ok(())
        })
        .await
    }

    /// Changes the file or the database, then the copy in memory. Nothing changes if `work` fails.
    async fn edit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Stored) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _turn = self.writing.lock().await;
        let (path, database) = (self.path.clone(), self.database.clone());
        let mut stored = (*self.stored()).clone();
        let edited = tokio::task::spawn_blocking(move || {
            if let Some(database) = database {
                return in_table(&database, work);
            }
            let done = work(&mut stored)?;
            let text = serde_json::to_vec_pretty(&stored).unwrap_or_default();
            write_private(&path, &zeroize::Zeroizing::new(text))?;
            Ok((stored, done))
        });
        let (stored, done) = edited.await.map_err(|_| Error::Stopping)??;
        self.put(stored);
        Ok(done)
    }

    /// Changes the copy in memory.
    fn put(&self, stored: Stored) {
        *self.stored.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(stored);
        self.changed.send_modify(|count| *count += 1);
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashSet<i64>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The channels of a file, if there is one.
fn in_file(path: &Path) -> Result<Option<Stored>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = read_private(path)?;
    // The error would quote the line, with its secret.
    let stored = serde_json::from_str(&text).map_err(|error| {
        let (line, path) = (error.line(), path.display());
        Error::Invalid(format!("{path}:{line}: this is not a list of channels"))
    })?;
    Ok(Some(stored))
}

/// The channels of the row of [`table`].
fn of_table(text: Option<&str>) -> Result<Stored> {
    // The error would quote a secret.
    let wrong = |_| Error::Invalid("the table channel_list has no list of channels".into());
    text.map_or(Ok(Stored::default()), |text| {
        serde_json::from_str(text).map_err(wrong)
    })
}

/// Changes the channels of a database. Returns them, and what `work` returned.
fn in_table<T>(
    database: &Location,
    work: impl FnOnce(&mut Stored) -> Result<T>,
) -> Result<(Stored, T)> {
    table::edit(database, |text| {
        let mut stored = of_table(text)?;
        let done = work(&mut stored)?;
        let text = serde_json::to_string(&stored).unwrap_or_default();
        Ok((text.into(), (stored, done)))
    })
}

/// The name in the outbox of the channel with this number.
pub fn target_name(id: i64) -> String {
    format!("channel:{id}")
}

fn unknown(id: i64) -> Error {
    Error::Unknown {
        what: format!("channel {id}"),
    }
}
