//! The copy of users, tokens and logins that a collector has of a database which it shares.
//!
//! A thread asks the database each second whether they have changed, and reads them again if so. A
//! request with a credential that the copy does not know makes it ask at once, so a login at one
//! collector is valid at the next one. However many requests ask, the thread asks at most 20 times a
//! second.
//!
//! A copy is good for [`TRUST`]. After that the collector knows nobody until the database answers: what
//! was revoked elsewhere must end here too, whatever keeps the news away.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::kept::{Everything, lock, sessions, tokens};
use super::table;
use crate::clock::Clock;
use crate::db::{Database, Location, transaction};
use crate::error::{Error, Result};
use crate::sql;

/// Interval at which the database is asked for changes.
const LOOK: Duration = Duration::from_secs(1);
/// Shortest time between two questions.
const PAUSE: Duration = Duration::from_millis(50);
/// Time for which the copy is good, from the question that the database answered last.
pub const TRUST: Duration = Duration::from_secs(10);
/// Longest time that a request waits for the database.
const PATIENCE: Duration = Duration::from_secs(5);
/// Interval at which everything is read, also without a change: somebody may have changed the tables
/// by hand.
const ANYWAY: Duration = Duration::from_secs(60);

/// The last round of questions that has ended, from 1, and why it failed.
#[derive(Debug, Clone, Default)]
struct Round {
    number: u64,
    problem: Option<String>,
}

/// What was ended here and may still be in the database. `true`: the thread must delete it there.
#[derive(Debug, Default)]
struct Ended {
    tokens: HashMap<i64, bool>,
    sessions: HashMap<[u8; 32], bool>,
}

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Shared {
    database: Location,
    clock: Clock,
    wake: SyncSender<()>,
    /// Number of the last round that has begun.
    begun: AtomicU64,
    round: watch::Sender<Round>,
    /// The copy is good until then.
    until: Mutex<Instant>,
    ended: Mutex<Ended>,
}

impl Shared {
    pub fn new(database: Location, clock: Clock) -> (Shared, Receiver<()>) {
        let (wake, woken) = sync_channel(1);
        let shared = Shared {
            database,
            clock,
            wake,
            begun: AtomicU64::new(0),
            round: watch::Sender::default(),
            until: Mutex::new(Instant::now()),
            ended: Mutex::default(),
        };
        (shared, woken)
    }

    pub fn is_good(&self) -> bool {
        Instant::now() < *lock(&self.until)
    }

    /// Waits until the copy has everything that was committed before this call.
    pub async fn catch_up(&self) -> Result<()> {
        let mut rounds = self.round.subscribe();
        let begun = self.begun.load(Ordering::SeqCst);
        // Full: the thread has not begun the next round yet.
        let _ = self.wake.try_send(());
        let ended = rounds.wait_for(|round| round.number > begun);
        let problem = match tokio::time::timeout(PATIENCE, ended).await {
            Ok(Ok(round)) => round.problem.clone(),
            Ok(Err(_)) => return Err(Error::Stopping),
            Err(_) => Some(format!("no answer in {} s", PATIENCE.as_secs())),
        };
        match problem {
            None => Ok(()),
            Some(reason) => Err(self.away(reason)),
        }
    }

    pub fn away(&self, reason: String) -> Error {
        Error::Unavailable {
            place: self.database.to_string(),
            reason,
        }
    }

    /// A token was revoked here. Must come before it leaves the copy.
    pub fn end_token(&self, id: i64) {
        lock(&self.ended).tokens.insert(id, false);
    }

    /// The thread must delete a token that was revoked here.
    pub fn delete_token(&self, id: i64) {
        if let Some(must) = lock(&self.ended).tokens.get_mut(&id) {
            *must = true;
        }
    }

    /// A session was ended here. Must come before it leaves the copy.
    pub fn end_session(&self, id: [u8; 32]) {
        lock(&self.ended).sessions.insert(id, false);
    }

    /// The thread must delete a session that was ended here.
    pub fn delete_session(&self, id: [u8; 32]) {
        if let Some(must) = lock(&self.ended).sessions.get_mut(&id) {
            *must = true;
        }
    }
}

/// What the thread has read.
#[derive(Default)]
struct Seen {
    db: Option<Box<dyn Database>>,
    /// The number of changes, and when everything was read.
    read: Option<(i64, Instant)>,
}

impl Shared {
    /// Reads everything once, then starts the thread. `take` gets what was read, if it has changed. The
    /// thread ends when `take` returns false.
    pub fn start(
        self: Arc<Self>,
        woken: Receiver<()>,
        take: impl Fn(Option<Everything>) -> bool + Send + 'static,
    ) -> Result<()> {
        let mut seen = Seen::default();
        self.look(&mut seen, &take)?;
        std::thread::Builder::new()
            .name("collector-users".into())
            .spawn(move || self.run(&woken, seen, &take))
            .map_err(Error::Thread)?;
        Ok(())
    }

    fn run(&self, woken: &Receiver<()>, mut seen: Seen, take: &dyn Fn(Option<Everything>) -> bool) {
        let mut good = true;
        while woken.recv_timeout(LOOK) != Err(RecvTimeoutError::Disconnected) && take(None) {
            let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
            let done = self.look(&mut seen, take);
            if let (Err(error), true) = (&done, good) {
                tracing::error!(
                    "cannot ask for changes of users, tokens and logins; after {} s nobody is known: \
                     {error}",
                    TRUST.as_secs()
                );
            }
            good = done.is_ok();
            let problem = done.err().map(|error| error.to_string());
            self.round.send_replace(Round { number, problem });
            std::thread::sleep(PAUSE);
        }
    }

    /// Brings the copy up to date.
    fn look(&self, seen: &mut Seen, take: &dyn Fn(Option<Everything>) -> bool) -> Result<()> {
        let asked = Instant::now();
        let db = match &mut seen.db {
            Some(db) => db,
            None => seen.db.insert(self.database.open_brief()?),
        };
        db.ready()?;
        self.delete_ended(&mut **db)?;
        // Read before the tables: a later change is then seen by the next look.
        let rows = db.query(sql::ACCESS, &[])?;
        let changes = rows.first().map_or(0, |row| row.int(0));
        let is_known = seen
            .read
            .is_some_and(|(read, at)| read == changes && at.elapsed() < ANYWAY);
        if !is_known {
            self.read(&mut **db, take)?;
            seen.read = Some((changes, asked));
        }
        *lock(&self.until) = asked + TRUST;
        Ok(())
    }

    /// Deletes what was ended here while the database was away.
    fn delete_ended(&self, db: &mut dyn Database) -> Result<()> {
        let (tokens, sessions) = {
            let ended = lock(&self.ended);
            (due(&ended.tokens), due(&ended.sessions))
        };
        if tokens.is_empty() && sessions.is_empty() {
            return Ok(());
        }
        transaction(db, |db| {
            db.execute(sql::CHANGE_ACCESS, &[])?;
            for id in &tokens {
                db.execute(sql::DELETE_TOKEN, &[(*id).into()])?;
            }
            for id in &sessions {
                db.execute(sql::DELETE_LOGIN, &[id.to_vec().into()])?;
            }
            Ok(())
        })?;
        let mut ended = lock(&self.ended);
        ended
            .tokens
            .extend(tokens.into_iter().map(|id| (id, false)));
        ended
            .sessions
            .extend(sessions.into_iter().map(|id| (id, false)));
        Ok(())
    }

    /// Reads users, tokens and logins, without those that were ended here.
    fn read(&self, db: &mut dyn Database, take: &dyn Fn(Option<Everything>) -> bool) -> Result<()> {
        let mut all = Everything {
            users: table::all(db)?,
            tokens: tokens(db)?,
            sessions: sessions(db, self.clock.now())?,
        };
        // Held until the copy is in place: what ends meanwhile then leaves it afterwards.
        let mut ended = lock(&self.ended);
        // What the database has no longer need not be remembered.
        let tokens = &all.tokens;
        ended
            .tokens
            .retain(|id, _| tokens.values().any(|token| token.id == *id));
        let sessions = &all.sessions;
        ended.sessions.retain(|id, _| sessions.contains_key(id));
        all.tokens
            .retain(|_, token| !ended.tokens.contains_key(&token.id));
        all.sessions
            .retain(|id, _| !ended.sessions.contains_key(id));
        take(Some(all));
        Ok(())
    }
}

fn due<K: Copy>(ended: &HashMap<K, bool>) -> Vec<K> {
    let due = ended.iter().filter(|(_, must)| **must);
    due.map(|(id, _)| *id).collect()
}
