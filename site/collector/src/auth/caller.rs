//! The caller of a request, and its role.

use serde::{Deserialize, Serialize};

use super::scope::May;
use super::secrets::sha256;

/// A session may show device keys for this long after its login.
pub const FRESH_MS: i64 = 15 * 60_000;

/// Role of a user or a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sends readings only.
    Device,
    /// Reads everything.
    Viewer,
    /// Reads everything, acknowledges alarms, names and places stations.
    Operator,
    /// Reads and changes everything.
    Admin,
}

impl Role {
    /// Parses `device`, `viewer`, `operator` or `admin`.
    pub fn parse(text: &str) -> Option<Role> {
        Some(match text {
            "device" => Role::Device,
            "viewer" => Role::Viewer,
            "operator" => Role::Operator,
            "admin" => Role::Admin,
            _ => return None,
        })
    }

    /// The inverse of [`Role::parse`].
    pub fn name(self) -> &'static str {
        match self {
            Role::Device => "device",
            Role::Viewer => "viewer",
            Role::Operator => "operator",
            Role::Admin => "admin",
        }
    }
}

/// SHA-256 of the credential that a caller presented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Proof {
    /// A session cookie, which browsers send automatically.
    Session([u8; 32]),
    /// A token, which browsers never send automatically.
    Token([u8; 32]),
}

impl Proof {
    /// The proof of a session cookie.
    pub fn of_session(secret: &str) -> Proof {
        Proof::Session(sha256(secret))
    }

    /// The proof of a token.
    pub fn of_token(secret: &str) -> Proof {
        Proof::Token(sha256(secret))
    }
}

/// The authenticated caller of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    pub name: String,
    pub role: Role,
    pub proof: Proof,
    /// Time of the login in Unix ms; `None` for a token.
    pub since: Option<i64>,
    /// Stations that the caller may send readings for.
    pub may: May,
}

impl Caller {
    /// Returns true if the caller is a person whose login is less than [`FRESH_MS`] old.
    pub fn is_fresh(&self, now: i64) -> bool {
        self.since
            .is_some_and(|since| (0..FRESH_MS).contains(&(now - since)))
    }
}
