//! The types of the rows.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::times::{Sealing, Stamps, TlsTimes};
use crate::error::Fault;

/// The schema of [`Row`]. It changes whenever a field changes its meaning.
pub const SCHEMA: &str = "selo.exchange/1";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// A message there and back with a symmetric cipher [ferreira2020].
    Symmetric,
    /// A reading sent to a web server by TLS 1.3 [ferreira2021].
    Tls,
    /// A reading sent to a gateway by the link. Its handshake is the join.
    Link,
}

/// The source of a time, and so its validity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// The clock of the named machine itself.
    WallClock,
    /// An end ran on an emulator. The row shows that the exchange works there, but its times are
    /// not those of the emulated machine.
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

/// A repeated measurement: the exchanges of one unit are samples of one figure.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unit {
    pub experiment: Experiment,
    /// The machines, in a word: `two-processes`, `pc-pi`, `pi-pi`.
    pub scenario: String,
    /// The client's implementation.
    pub implementation: String,
    /// The board that the client was built for, if any.
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
    /// The client: its implementation, and its board if it has one.
    pub fn who(&self) -> String {
        match &self.device {
            Some(device) => format!("{}@{device}", self.implementation),
            None => self.implementation.clone(),
        }
    }

    /// The cipher, and the properties that distinguish this unit from similar ones.
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
    /// Description of the network between the machines.
    pub link: String,
    /// The two machines, as they describe themselves.
    pub client: String,
    pub server: String,
    pub fidelity: Fidelity,
    /// True if the cipher detects an altered message.
    pub authenticated: bool,
    pub repetition: u32,
    /// Position in the order of the run.
    pub order: u32,
    /// A warm-up, which is not counted.
    pub warm_up: bool,
    /// Both ends received the message unchanged, byte for byte.
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
    /// The caution for its modelled cycles: the model and its error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

/// The counts of a server on an emulated board for one exchange. They are not in the client's row,
/// because the client cannot know them. There are no times of that board.
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
