//! Logins: counted, limited, and checked against the user file.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::attempts::Origin;
use super::caller::Role;
use super::secrets::{random, sha256};
use super::users::PASSWORD_MAX;
use super::{Auth, SESSION_MS, SESSIONS_OF_USER, Session, lock, verify};
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
    /// Logs a user in. Waits for a turn, then hashes the password on a thread of its own. Returns
    /// the session secret and the role.
    pub async fn login(
        self: &Arc<Self>,
        (address, place): (IpAddr, Origin),
        name: String,
        password: Zeroizing<String>,
        now: i64,
    ) -> Result<Login, Refusal> {
        let Some(counted) = self.attempts.count(&name, place, now) else {
            return Err(Refusal::TooMany);
        };
        let known = matches!(place, Origin::Browser(_));
        let Some(turn) = self.gate.enter(neighbourhood(address), known).await else {
            self.attempts.forget(counted);
            return Err(Refusal::Busy);
        };
        let auth = self.clone();
        let computing = tokio::task::spawn_blocking(move || {
            let done = auth.check(&name, &password, now);
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

    fn check(&self, name: &str, password: &str, now: i64) -> Result<Login, Refusal> {
        // Check the password against the current user file.
        self.refresh().map_err(Refusal::Failed)?;
        let user = self.user(name);
        let hash = user.as_ref().map_or(&self.nobody, |user| &user.hash);
        let right = password.len() <= PASSWORD_MAX && verify::is_of(password.as_bytes(), hash);
        let (Some(user), true) = (user, right) else {
            return Err(Refusal::Wrong);
        };
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
