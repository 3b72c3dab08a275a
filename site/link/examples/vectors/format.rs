//! Format of the files in `lab/vectors/link/`. Bytes are hexadecimal; numbers are decimal.

use serde::{Deserialize, Serialize};

/// One file: the life of a node with one suite.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteFile {
    pub suite: String,
    pub code: u8,
    pub noise_name: String,
    pub randomness: Randomness,
    pub pair: Pair,
    pub join: Vec<Join>,
}

/// The node starts without a record and draws random values in this order.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Randomness {
    pub entropy: Hex,
    pub draw: Vec<Draw>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draw {
    pub purpose: String,
    /// All 32 bytes. Shorter values use the first ones.
    pub output: Hex,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    pub device: String,
    pub node_secret: Hex,
    pub node_public: Hex,
    pub r: Hex,
    pub gateway_secret: Hex,
    pub gateway_public: Hex,
    pub commitment: Hex,
    pub pair_commit: Hex,
    pub pair_key: Hex,
    pub pair_reveal: Hex,
    pub transcript: Hex,
    pub shared: Hex,
    pub device_key: Hex,
    pub result_key: Hex,
    pub digest: Hex,
    pub digits: String,
    pub pair_result_confirmed: Hex,
    pub pair_result_rejected: Hex,
}

/// One file: hybrid pairings with one suite.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HybridFile {
    pub suite: String,
    pub code: u8,
    pub pairing: Vec<HybridPairing>,
}

/// A hybrid pairing of a node that starts without a record.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HybridPairing {
    pub kem: String,
    pub randomness: Randomness,
    /// d and z of the gateway.
    pub seed: Hex,
    pub encapsulation_key: Hex,
    pub m: Hex,
    pub ciphertext: Hex,
    pub secret: Hex,
    pub pair_open: Hex,
    /// The steps, from 0 on. PAIR-OPEN is the node's frame of step 0.
    pub step: Vec<HybridStep>,
    pub pair: Pair,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HybridStep {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair_step: Option<Hex>,
    pub pair_piece: Hex,
    /// h after both frames.
    pub h: Hex,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    pub counter: u32,
    /// The option byte of the request.
    pub request_options: u8,
    pub session: u32,
    /// The option byte of the accept.
    pub accept_options: u8,
    pub node_secret: Hex,
    pub node_public: Hex,
    pub gateway_secret: Hex,
    pub gateway_public: Hex,
    pub prologue: Hex,
    pub join_request: Hex,
    /// A COOKIE that answers the request, and the node's reaction.
    pub cookie: Hex,
    pub cookie_echo: Hex,
    pub shared: Hex,
    pub check: Hex,
    pub join_accept: Hex,
    pub up_key: Hex,
    pub down_key: Hex,
    pub step: Vec<Step>,
    pub packet: Vec<Packet>,
}

/// The state of the handshake after a token or a payload.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub after: String,
    pub h: Hex,
    pub ck: Hex,
}

/// A packet, in order of sealing.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packet {
    /// `up` or `down`.
    pub direction: String,
    pub counter: u64,
    pub ack_request: bool,
    /// The low 16 bits of the acknowledged counter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ack: Option<u16>,
    /// The start nonce of a DOWN-RESUMED.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Hex>,
    pub payload: Hex,
    pub frame: Hex,
}

/// Bytes, written as hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl<T: AsRef<[u8]>> From<T> for Hex {
    fn from(bytes: T) -> Self {
        Hex(bytes.as_ref().to_vec())
    }
}

impl Serialize for Hex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        hex::decode(text).map(Hex).map_err(serde::de::Error::custom)
    }
}
