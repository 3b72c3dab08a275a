//! Users, tokens and logins, as they are kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::caller::Role;
use super::scope::Scope;
use crate::db::{Database, Row};
use crate::error::Result;
use crate::sql;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct User {
    pub role: Role,
    pub hash: String,
}

/// The users by name.
pub(super) type People = HashMap<String, User>;

/// A session as the database stores it. Only the browser has the secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// SHA-256 of the secret.
    pub id: [u8; 32],
    pub user: String,
    /// SHA-256 of the password hash at login. A changed password or role therefore ends the
    /// session.
    pub stamp: [u8; 32],
    pub expires: i64,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub id: i64,
    pub name: String,
    pub role: Role,
    pub scope: Arc<Scope>,
}

/// All that a database says of who may do what.
#[derive(Debug)]
pub(super) struct Everything {
    pub users: People,
    pub tokens: HashMap<[u8; 32], Token>,
    pub sessions: HashMap<[u8; 32], Session>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// All tokens, by the hash of their secret.
pub(super) fn tokens(db: &mut dyn Database) -> Result<HashMap<[u8; 32], Token>> {
    let rows = db.query(sql::TOKENS, &[])?;
    let token = |row: &Row| {
        let hash = row.blob(3).try_into().ok()?;
        let role = Role::parse(row.text(2))?;
        let name = row.text(1);
        let scope = Scope::kept(row.opt_text(5), row.opt_text(6), name);
        let token = Token {
            id: row.int(0),
            name: name.into(),
            role,
            scope: Arc::new(scope),
        };
        Some((hash, token))
    };
    Ok(rows.iter().filter_map(token).collect())
}

/// The sessions that are valid at `now`.
pub(super) fn sessions(db: &mut dyn Database, now: i64) -> Result<HashMap<[u8; 32], Session>> {
    let rows = db.query(sql::LOGINS, &[now.into()])?;
    let session = |row: &Row| {
        let session = Session {
            id: row.blob(0).try_into().ok()?,
            user: row.text(1).into(),
            stamp: row.blob(2).try_into().ok()?,
            expires: row.int(3),
        };
        Some((session.id, session))
    };
    Ok(rows.iter().filter_map(session).collect())
}
