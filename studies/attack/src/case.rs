//! Names and outcomes of attacks on the link.

use std::fmt;

use selo_link::Suite;
use serde::{Serialize, Serializer};

/// The attacked part of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// Algorithm 2 of [albarello2020] as printed.
    Classic,
    /// The pairing.
    Pair,
    /// The pairing with X25519 and ML-KEM.
    Hybrid,
    /// The join, and the packets of its session.
    Join,
}

/// The kind of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Attack {
    /// Sits in the middle and replaces both sides' keys by its own.
    Mitm,
    /// Replays recorded packets.
    Replay,
    /// Sends altered or invented packets.
    Forge,
    /// Reflects packets to their sender.
    Reflect,
    /// Makes the node or the gateway use weaker options.
    Downgrade,
    /// Makes the gateway waste computation and memory, and drop honest packets.
    Flood,
    /// Guesses digits or tags.
    Guess,
}

impl Against {
    /// All targets.
    pub const ALL: [Against; 4] = [
        Against::Classic,
        Against::Pair,
        Against::Hybrid,
        Against::Join,
    ];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Against::Classic => "classic",
            Against::Pair => "pair",
            Against::Hybrid => "hybrid",
            Against::Join => "join",
        }
    }
}

impl Attack {
    /// All kinds.
    pub const ALL: [Attack; 7] = [
        Attack::Mitm,
        Attack::Replay,
        Attack::Forge,
        Attack::Reflect,
        Attack::Downgrade,
        Attack::Flood,
        Attack::Guess,
    ];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Attack::Mitm => "mitm",
            Attack::Replay => "replay",
            Attack::Forge => "forge",
            Attack::Reflect => "reflect",
            Attack::Downgrade => "downgrade",
            Attack::Flood => "flood",
            Attack::Guess => "guess",
        }
    }
}

impl fmt::Display for Against {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Verdict on an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkVerdict {
    /// The attacker broke a property that the protocol should protect.
    Broken,
    /// The attack failed.
    Refused,
}

/// A figure that supports a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The counted quantity.
    pub what: &'static str,
    /// The count.
    pub value: f64,
}

/// Result of one attack.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkOutcome {
    /// The attack.
    pub attack: Attack,
    /// The attacked part.
    pub against: Against,
    /// The suite; `None` for classic.
    #[serde(serialize_with = "suite_name")]
    pub suite: Option<Suite>,
    /// Actions of the attacker.
    pub did: String,
    /// The verdict.
    pub verdict: LinkVerdict,
    /// The verdict that the protocol promises.
    pub promised: LinkVerdict,
    /// The attacker's gain, or the side that refused and its drop counter.
    pub shows: String,
    /// Supporting figures.
    pub evidence: Vec<Figure>,
}

impl LinkOutcome {
    /// Returns true if node and gateway behaved as docs/protocol.md promises.
    pub fn is_as_promised(&self) -> bool {
        self.verdict == self.promised
    }

    /// The value of the named figure.
    pub fn figure(&self, what: &str) -> Option<f64> {
        let figure = self.evidence.iter().find(|figure| figure.what == what)?;
        Some(figure.value)
    }
}

fn suite_name<S: Serializer>(suite: &Option<Suite>, serializer: S) -> Result<S::Ok, S::Error> {
    suite.map(Suite::name).serialize(serializer)
}

/// Converts a number to a figure.
pub(crate) fn figure(what: &'static str, value: impl TryInto<u64>) -> Figure {
    Figure {
        what,
        value: value.try_into().unwrap_or(u64::MAX) as f64,
    }
}
