//! Access control: users with passwords and sessions, programs and devices with tokens.
//!
//! Passwords are stored as Argon2id hashes [RFC9106]. Tokens and sessions are 32 random bytes,
//! stored as SHA-256: no dictionary attack applies to them.

mod address;
mod attempts;
mod browser;
mod caller;
mod gate;
mod kept;
mod login;
mod scope;
mod secrets;
mod shared;
mod table;
#[cfg(test)]
mod tests;
mod users;
mod verify;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio::sync::watch;
use zeroize::Zeroizing;

use self::attempts::Attempts;
use self::gate::Gate;
use self::kept::{Everything, People, User, lock};
use self::secrets::sha256;
use self::shared::Shared;
use self::users::hash_password;
use crate::clock::Clock;
use crate::db::{Database, Location};
use crate::error::Result;

pub use self::address::{STRANGER_POSTS, Strangers};
pub use self::attempts::{FAILURES_MAX, FAILURES_MS, Origin};
pub use self::browser::BROWSER_MS;
pub use self::caller::{Caller, FRESH_MS, Proof, Role};
pub use self::gate::{AT_ONCE, OF_ADDRESS, QUEUE};
pub use self::kept::{Session, Token};
pub use self::login::{Login, Refusal};
pub use self::scope::{May, SITE, Scope};
pub use self::secrets::{random, secret_file};
pub(crate) use self::secrets::{read_private, write_private};
pub use self::shared::TRUST;
pub use self::users::{PASSWORD_MIN, Users, check_password};

/// Lifetime of a session, regardless of activity.
pub const SESSION_MS: i64 = 12 * 3_600_000;
/// Maximum sessions of one user. A new one evicts the session that would expire first.
pub const SESSIONS_OF_USER: usize = 50;
/// Sessions, tokens and failed-login counters.
pub struct Auth {
    users: Users,
    /// The copy of the database, if the collector shares it.
    shared: Option<Arc<Shared>>,
    /// Held while the user file is changed.
    editing: Mutex<()>,
    /// The users as of the last reload, so that no request waits for the disk.
    known: RwLock<Arc<People>>,
    sessions: Mutex<HashMap<[u8; 32], Session>>,
    tokens: Mutex<HashMap<[u8; 32], Token>>,
    attempts: Attempts,
    gate: Arc<Gate>,
    /// Key that signs the cookies of recognised browsers.
    browsers: Zeroizing<String>,
    /// Dummy hash that an unknown user's password is compared with, so that the timing does not
    /// reveal whether the user exists.
    nobody: String,
    /// Counts the changes that may have reduced somebody's rights.
    changes: watch::Sender<u64>,
}

impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Auth")
    }
}

impl Auth {
    /// Reads the users of a file. Creates the key for browser cookies if it does not exist.
    pub fn new(users: Users) -> Result<Auth> {
        let known = users.all()?;
        Auth::of(users, known, None)
    }

    /// The users, tokens and logins of a database that collectors share. A thread keeps the copy up to
    /// date until nobody uses it any more.
    pub fn shared(users: Users, database: Location, clock: Clock) -> Result<Arc<Auth>> {
        let (shared, woken) = Shared::new(database, clock);
        let shared = Arc::new(shared);
        let auth = Arc::new(Auth::of(users, People::new(), Some(shared.clone()))?);
        let of = Arc::downgrade(&auth);
        let take = move |all: Option<Everything>| {
            let Some(auth) = of.upgrade() else {
                return false;
            };
            if let Some(all) = all {
                auth.replace(all);
            }
            true
        };
        shared.start(woken, take)?;
        Ok(auth)
    }

    /// Reads tokens and logins of an earlier run, which both survive a restart.
    pub fn remember(&self, db: &mut dyn Database, now: i64) -> Result<()> {
        *lock(&self.tokens) = kept::tokens(db)?;
        *lock(&self.sessions) = kept::sessions(db, now)?;
        Ok(())
    }

    fn of(users: Users, known: People, shared: Option<Arc<Shared>>) -> Result<Auth> {
        let browsers = secret_file(&users.path.with_file_name("browser-secret"))?;
        Ok(Auth {
            known: RwLock::new(Arc::new(known)),
            users,
            shared,
            editing: Mutex::default(),
            sessions: Mutex::default(),
            tokens: Mutex::default(),
            attempts: Attempts::default(),
            gate: Arc::default(),
            browsers,
            nobody: hash_password("no user has this password")?,
            changes: watch::Sender::new(0),
        })
    }

    /// Returns a receiver that is notified after each change that may have reduced somebody's
    /// rights.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Returns true if other collectors change users, tokens and logins too.
    pub fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// Waits until every change is known that another collector has made before this call. Without
    /// others there is nothing to wait for.
    pub async fn catch_up(&self) -> Result<()> {
        match &self.shared {
            Some(shared) => shared.catch_up().await,
            None => Ok(()),
        }
    }

    /// Returns false while the database that others change has not answered for [`TRUST`]. Nobody is
    /// known then.
    pub fn knows(&self) -> bool {
        self.shared.as_ref().is_none_or(|shared| shared.is_good())
    }

    /// Replaces everything by what the database has.
    fn replace(&self, all: Everything) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let mut differs = **known != all.users;
        *known = Arc::new(all.users);
        drop(known);
        let mut tokens = lock(&self.tokens);
        differs |= *tokens != all.tokens;
        *tokens = all.tokens;
        drop(tokens);
        let mut sessions = lock(&self.sessions);
        differs |= *sessions != all.sessions;
        *sessions = all.sessions;
        drop(sessions);
        if differs {
            self.changed();
        }
    }

    /// Reloads the users of a file. Blocks on the disk, so never call it on a thread that serves
    /// requests.
    pub fn refresh(&self) -> Result<()> {
        if self.is_shared() {
            return Ok(());
        }
        let users = self.users.all()?;
        let differs = **self.known.read().unwrap_or_else(PoisonError::into_inner) != users;
        if differs {
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(users);
            self.changed();
        }
        Ok(())
    }

    /// Changes the users, one change at a time, and reads their file again. Blocks on the disk or the
    /// database.
    pub fn change_users(&self, work: impl FnOnce(&Users) -> Result<()>) -> Result<()> {
        let _turn = lock(&self.editing);
        work(&self.users)?;
        self.refresh()
    }

    /// Names and roles of the users, sorted by name.
    pub fn list(&self) -> Vec<(String, Role)> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut list: Vec<_> = known
            .iter()
            .map(|(name, user)| (name.clone(), user.role))
            .collect();
        list.sort_by(|one, other| one.0.cmp(&other.0));
        list
    }

    fn user(&self, name: &str) -> Option<User> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(name).cloned()
    }

    /// Ends a session and returns its id.
    pub fn logout(&self, secret: &str) -> [u8; 32] {
        let id = sha256(secret);
        let is_known = lock(&self.sessions).contains_key(&id);
        if let (Some(shared), true) = (&self.shared, is_known) {
            shared.end_session(id);
        }
        lock(&self.sessions).remove(&id);
        self.changed();
        id
    }

    /// The database could not delete a session that [`Auth::logout`] has ended. It does so when it is
    /// back.
    pub fn logout_later(&self, id: [u8; 32]) {
        if let Some(shared) = &self.shared {
            shared.delete_session(id);
        }
    }

    /// Returns the caller to whom the proof belongs at `now`, or `None` if it is unknown or has
    /// expired. While [`Auth::knows`] is false, nobody is known.
    pub fn still(&self, proof: &Proof, now: i64) -> Option<Caller> {
        if !self.knows() {
            return None;
        }
        match proof {
            Proof::Session(id) => {
                let session = lock(&self.sessions).get(id).cloned()?;
                if session.expires <= now {
                    return None;
                }
                let user = self.user(&session.user)?;
                let name = &session.user;
                (sha256(&user.hash) == session.stamp).then(|| Caller {
                    name: name.clone(),
                    role: user.role,
                    proof: *proof,
                    since: Some(session.expires - SESSION_MS),
                    may: match user.role {
                        Role::Device => May::Own(Arc::new(Scope::kept(None, None, name))),
                        _ => May::All,
                    },
                })
            }
            // The look-up uses the token's hash, so its timing does not reveal the token.
            Proof::Token(hash) => {
                let token = lock(&self.tokens).get(hash).cloned()?;
                let may = match token.role {
                    Role::Device => May::Own(token.scope),
                    _ => May::All,
                };
                Some(Caller {
                    name: token.name,
                    role: token.role,
                    proof: *proof,
                    since: None,
                    may,
                })
            }
        }
    }

    /// Adds a token, read from the database or new.
    pub fn remember_token(&self, hash: [u8; 32], token: Token) {
        lock(&self.tokens).insert(hash, token);
    }

    /// Replaces an existing token's name, role and scope.
    pub fn change_token(&self, changed: &Token) {
        for token in lock(&self.tokens).values_mut() {
            if token.id == changed.id {
                *token = changed.clone();
            }
        }
        self.changed();
    }

    /// Revokes a token.
    pub fn forget_token(&self, id: i64) {
        let is_known = lock(&self.tokens).values().any(|token| token.id == id);
        if let (Some(shared), true) = (&self.shared, is_known) {
            shared.end_token(id);
        }
        lock(&self.tokens).retain(|_, token| token.id != id);
        self.changed();
    }

    /// The database could not delete a token that [`Auth::forget_token`] has revoked. It does so when
    /// it is back.
    pub fn forget_token_later(&self, id: i64) {
        if let Some(shared) = &self.shared {
            shared.delete_token(id);
        }
    }

    /// The tokens by id.
    pub fn tokens(&self) -> BTreeMap<i64, Token> {
        lock(&self.tokens)
            .values()
            .map(|token| (token.id, token.clone()))
            .collect()
    }
}

/// Creates a token and its hash. The token is shown only once.
pub fn new_token() -> Result<(Zeroizing<String>, [u8; 32])> {
    let bytes = random::<32>()?;
    let token = Zeroizing::new(format!("selo_{}", URL_SAFE_NO_PAD.encode(&bytes[..])));
    let hash = sha256(&token);
    Ok((token, hash))
}
