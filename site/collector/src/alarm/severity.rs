//! Severity of an alarm.

use serde::{Deserialize, Serialize};

/// Severity, mildest first.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nobody need act.
    Info,
    /// Somebody should look.
    #[default]
    Warning,
    /// Somebody must act now. Quiet hours do not hold it back.
    Critical,
}

impl Severity {
    /// All, mildest first.
    pub const ALL: [Severity; 3] = [Severity::Info, Severity::Warning, Severity::Critical];

    /// The inverse of [`Severity::name`].
    pub fn parse(text: &str) -> Option<Severity> {
        Severity::ALL.into_iter().find(|one| one.name() == text)
    }

    /// Name in the API and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }

    /// Number in the outbox, by which SQL compares severities.
    pub fn rank(self) -> i64 {
        self as i64
    }
}
