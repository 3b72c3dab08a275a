//! An attack's name, and what came of it.

use std::fmt;

use selo_link::Suite;
use serde::{Serialize, Serializer};

/// What is attacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Against {
    /// Algorithm 2 of [albarello2020] as printed.
    Classic,
    /// The pairing.
    Pair,
    /// The join, and the packets of its session.
    Join,
}

/// What the attacker tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Attack {
    /// Sits in the middle and puts own keys in the place of both.
    Mitm,
    /// Sends again what was recorded.
    Replay,
    /// Sends altered or invented packets.
    Forge,
    /// Sends packets back to who sent them.
    Reflect,
    /// Makes node or gateway use something weaker.
    Downgrade,
    /// Makes the gateway compute, remember, and drop the honest.
    Flood,
    /// Guesses digits or tags.
    Guess,
}

impl Against {
    /// All of them.
    pub const ALL: [Against; 3] = [Against::Classic, Against::Pair, Against::Join];

    /// As on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Against::Classic => "classic",
            Against::Pair => "pair",
            Against::Join => "join",
        }
    }
}

impl Attack {
    /// All of them.
    pub const ALL: [Attack; 7] = [
        Attack::Mitm,
        Attack::Replay,
        Attack::Forge,
        Attack::Reflect,
        Attack::Downgrade,
        Attack::Flood,
        Attack::Guess,
    ];

    /// As on the command line.
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

/// The verdict on an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkVerdict {
    /// The attacker got what the protocol should have kept.
    Broken,
    /// It did not.
    Refused,
}

/// A figure behind a verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What was counted.
    pub what: &'static str,
    /// How many.
    pub value: f64,
}

/// One attack, carried out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LinkOutcome {
    /// The attack.
    pub attack: Attack,
    /// What was attacked.
    pub against: Against,
    /// The suite; classic has none.
    #[serde(serialize_with = "suite_name")]
    pub suite: Option<Suite>,
    /// What the attacker did.
    pub did: String,
    /// The verdict.
    pub verdict: LinkVerdict,
    /// What the protocol promises.
    pub promised: LinkVerdict,
    /// What the attacker got, or who refused, and under which name it was counted.
    pub shows: String,
    /// The figures behind it.
    pub evidence: Vec<Figure>,
}

impl LinkOutcome {
    /// Whether node and gateway behaved as docs/protocol.md promises.
    pub fn is_as_promised(&self) -> bool {
        self.verdict == self.promised
    }

    /// What was counted under this name.
    pub fn figure(&self, what: &str) -> Option<f64> {
        let figure = self.evidence.iter().find(|figure| figure.what == what)?;
        Some(figure.value)
    }
}

fn suite_name<S: Serializer>(suite: &Option<Suite>, serializer: S) -> Result<S::Ok, S::Error> {
    suite.map(Suite::name).serialize(serializer)
}

/// A number as a figure.
pub(crate) fn figure(what: &'static str, value: impl TryInto<u64>) -> Figure {
    Figure {
        what,
        value: value.try_into().unwrap_or(u64::MAX) as f64,
    }
}
