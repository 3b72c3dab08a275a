//! Logins: counted, limited, and checked against the users.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::attempts::Origin;
use super::caller::Role;
use super::kept::{Session, User, lock};
use super::secrets::{random, sha256};
use super::users::PASSWORD_MAX;
use super::{Auth, SESSION_MS, SESSIONS_OF_USER, verify};
use crate::error::{Error, Result};
use selo_base::address::neighbourhood;

/// Time limit of one login, from the start of its turn.
const DEADLINE: Duration = Duration::from_secs(20);

/// A successful login.
#[derive(Debug)]
pub struct Login {
    pub secret: Zeroizing<String>,
    pub role: Role,
    pub session: Session,
    /// Ids of the user's older sessions that this login evicted.
    pub ended: Vec<[u8; 32]>,
}

/// Reason why a login failed.
#[derive(Debug)]
pub enum Refusal {
    /// Too many failed logins to this account from this place.
    TooMany,
    /// Too many logins in progress; try again later.
    Busy,
    Wrong,
    Failed(Error),
}

impl Auth {
    /// Logs a user in: checks the password, and begins a session. Returns the session secret and
    /// the role.
    pub async fn login(
        self: &Arc<Self>,
        from: (IpAddr, Origin),
        name: String,
        password: Zeroizing<String>,
        now: i64,
    ) -> Result<Login, Refusal> {
        let work = move |auth: &Auth, name: &str, user: User| auth.enter(name, &user, now);
        self.checked(from, (name, password), now, work).await
    }

    /// Checks a user's password, with the limits of a login, and begins no session.
    pub async fn confirm(
        self: &Arc<Self>,
        from: (IpAddr, Origin),
        name: String,
        password: Zeroizing<String>,
        now: i64,
    ) -> Result<(), Refusal> {
        self.checked(from, (name, password), now, |_, _, _| Ok(()))
            .await
    }

    /// Counts an attempt, waits for a turn, and checks the password on a thread of its own. If it
    /// is right, the thread does `work`.
    async fn checked<T: Send + 'static>(
        self: &Arc<Self>,
        (address, place): (IpAddr, Origin),
        (name, password): (String, Zeroizing<String>),
        now: i64,
        work: impl FnOnce(&Auth, &str, User) -> Result<T, Refusal> + Send + 'static,
    ) -> Result<T, Refusal> {
        let Some(counted) = self.attempts.count(&name, place, now) else {
            return Err(Refusal::TooMany);
        };
        let known = matches!(place, Origin::Browser(_));
        let Some(turn) = self.gate.enter(neighbourhood(address), known).await else {
            self.attempts.forget(counted);
            return Err(Refusal::Busy);
        };
        // Another collector may have changed the password or removed the user.
        if let Err(error) = self.catch_up().await {
            self.attempts.forget(counted);
            return Err(Refusal::Failed(error));
        }
        let auth = self.clone();
        let computing = tokio::task::spawn_blocking(move || {
            let done = auth
                .check(&name, &password)
                .and_then(|user| work(&auth, &name, user));
            if !matches!(done, Err(Refusal::Wrong)) {
                auth.attempts.forget(counted);
            }
            // The caller may have disconnected. The next login must still wait until this
            // computation ends.
            drop(turn);
            done
        });
        match tokio::time::timeout(DEADLINE, computing).await {
            Ok(done) => done.unwrap_or(Err(Refusal::Failed(Error::Stopping))),
            // The disk that holds the user file does not respond.
            Err(_) => Err(Refusal::Busy),
        }
    }

    fn check(&self, name: &str, password: &str) -> Result<User, Refusal> {
        // Check the password against the current users.
        self.refresh().map_err(Refusal::Failed)?;
        let user = self.user(name);
        let hash = user.as_ref().map_or(&self.nobody, |user| &user.hash);
        let right = password.len() <= PASSWORD_MAX && verify::is_of(password.as_bytes(), hash);
        match (user, right) {
            (Some(user), true) => Ok(user),
            _ => Err(Refusal::Wrong),
        }
    }

    /// Begins a session of a user whose password was right.
    fn enter(&self, name: &str, user: &User, now: i64) -> Result<Login, Refusal> {
        let bytes = random::<32>().map_err(Refusal::Failed)?;
        let secret = Zeroizing::new(URL_SAFE_NO_PAD.encode(&bytes[..]));
        let session = Session {
            id: sha256(&secret),
            user: name.into(),
            stamp: sha256(&user.hash),
            expires: now + SESSION_MS,
        };
        let ended = self.begin(session.clone(), now);
        Ok(Login {
            secret,
            role: user.role,
            session,
            ended,
        })
    }

    /// Adds a session. Returns the ids of the user's evicted sessions.
    pub(super) fn begin(&self, session: Session, now: i64) -> Vec<[u8; 32]> {
        let mut sessions = lock(&self.sessions);
        sessions.retain(|_, session| session.expires > now);
        let mut own: Vec<(i64, [u8; 32])> = sessions
            .values()
            .filter(|other| other.user == session.user)
            .map(|other| (other.expires, other.id))
            .collect();
        own.sort_unstable();
        let many = (own.len() + 1).saturating_sub(SESSIONS_OF_USER);
        let ended: Vec<_> = own[..many].iter().map(|(_, id)| *id).collect();
        for id in &ended {
            sessions.remove(id);
        }
        sessions.insert(session.id, session);
        drop(sessions);
        if !ended.is_empty() {
            self.changed();
        }
        ended
    }
}
