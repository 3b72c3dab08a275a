//! An algorithm: its name, sizes and the interface through which it is called,
//! described by an entry in `lab/algorithms/*.toml`.

use serde::Deserialize;

use crate::interface::Interface;

/// One file of `lab/algorithms/`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlgorithmFile {
    pub algorithm: Vec<Algorithm>,
}

/// One algorithm.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Algorithm {
    /// The name on the command line and in rows, such as `aes-128-cbc`.
    pub name: String,
    /// The name that people read.
    pub title: String,
    pub interface: Interface,
    /// What tables group by: `aes`, `speck`, `sha-2`, ...
    pub family: String,
    /// Size of the key in bytes, where the algorithm has one.
    #[serde(default)]
    pub key_bytes: Option<u32>,
    /// Size of the nonce in bytes that is measured, of an authenticated cipher.
    #[serde(default)]
    pub nonce_bytes: Option<u32>,
    /// Size of a public key in bytes, of a signature scheme and of a key agreement in which a
    /// peer's must be a point of the curve and not any bytes.
    #[serde(default)]
    pub public_bytes: Option<u32>,
    /// Message sizes that are measured, in bytes; the first is the one that reports show.
    #[serde(default)]
    pub bytes: Vec<u32>,
    /// Millions of cycles, or of instructions, that one call may take on a chip, where more
    /// than the usual (`CYCLE_LIMIT` of `measure.rs`) is no sign of a hang.
    #[serde(default)]
    pub limit: Option<u64>,
}
