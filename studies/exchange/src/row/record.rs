//! The rows themselves.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::times::{Sealing, Stamps, TlsTimes};
use crate::error::Fault;

/// The schema that [`Row`] follows; changes whenever a field changes meaning.
pub const SCHEMA: &str = "selo.exchange/1";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// A message there and back by a symmetric cipher [ferreira2020].
    Symmetric,
    /// A reading to a web server by TLS 1.3 [ferreira2021].
    Tls,
    /// A reading to a gateway by the link; its handshake is the join.
    Link,
}

/// What a time is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// Read from the clock of the machine that is meant.
    WallClock,
    /// One of the ends ran on an emulator: it shows that the exchange works there, and its
    /// times are not the times of the machine that is emulated.
    Emulated,
}

impl fmt::Display for Fidelity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fidelity::WallClock => "wall-clock",
            Fidelity::Emulated => "emulated",
        })
    }
}

/// What is repeated: exchanges of one unit are samples of one figure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unit {
    pub experiment: Experiment,
    /// Which machines, in a word: `two-processes`, `pc-pi`, `pi-pi`.
    pub scenario: String,
    /// The client's.
    pub implementation: String,
    /// The board that the client was built for, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Cipher, or suite of TLS.
    pub cipher: String,
    /// Key exchange of TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// `full` or `resumed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handshake: Option<String>,
    pub payload: String,
    pub bytes: u64,
}

impl Unit {
    /// Who asks: the implementation, and the board that it was built for.
    pub fn who(&self) -> String {
        match &self.device {
            Some(device) => format!("{}@{device}", self.implementation),
            None => self.implementation.clone(),
        }
    }

    /// Its cipher, and what else tells it from its neighbours.
    pub fn label(&self) -> String {
        let parts = [
            Some(&self.cipher),
            self.group.as_ref(),
            self.handshake.as_ref(),
        ];
        let words: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
        words.join(", ")
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub schema: String,
    #[serde(flatten)]
    pub unit: Unit,
    /// What is between the machines, in words.
    pub link: String,
    /// The two machines, as they say.
    pub client: String,
    pub server: String,
    pub fidelity: Fidelity,
    /// Whether the cipher notices an altered message.
    pub authenticated: bool,
    pub repetition: u32,
    /// Its place in the order of the run.
    pub order: u32,
    /// Not counted.
    pub warm_up: bool,
    /// Both ends had what was sent, byte by byte.
    pub verified: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Bytes that the client sent and received.
    pub sent: u64,
    pub received: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamps: Option<Stamps>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsTimes>,
    /// What a reader of its modelled cycles must know: the model, and its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// What a server on an emulated board counted of one exchange: it has no times of that board, and
/// the client, whose row it is, cannot know these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    pub schema: String,
    pub device: String,
    pub machine: String,
    pub implementation: String,
    pub cipher: String,
    pub bytes: u64,
    pub instructions: Sealing,
}

/// The schema of [`Served`].
pub const SERVED: &str = "selo.exchange.served/1";

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sample(cipher: &str, repetition: u32, t1: u64) -> Row {
        Row {
            schema: SCHEMA.into(),
            unit: Unit {
                experiment: Experiment::Symmetric,
                scenario: "two-processes".into(),
                implementation: "selo".into(),
                device: None,
                cipher: cipher.into(),
                group: None,
                handshake: None,
                payload: "string".into(),
                bytes: 1215,
            },
            link: "loopback".into(),
            client: "Linux x86_64".into(),
            server: "selo Linux x86_64".into(),
            fidelity: Fidelity::WallClock,
            authenticated: false,
            repetition,
            order: repetition,
            warm_up: false,
            verified: true,
            fault: None,
            reason: None,
            sent: 1300,
            received: 1300,
            stamps: Some(Stamps {
                connect: 50,
                t1,
                t6: t1 + 800,
                t7: t1 + 920,
                t3_less_t2: 90,
                t4_less_t2: 100,
                t5_less_t2: 200,
                instructions: None,
            }),
            tls: None,
            caution: None,
        }
    }
}
