//! An algorithm: its name, sizes and calling interface, read from an entry in
//! `lab/algorithms/*.toml`.

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
    /// The title in tables and reports.
    pub title: String,
    pub interface: Interface,
    /// The group in tables: `aes`, `speck`, `sha-2`, ...
    pub family: String,
    /// Size of the key in bytes, where the algorithm has one.
    #[serde(default)]
    pub key_bytes: Option<u32>,
    /// Size in bytes of the measured nonce of an authenticated cipher.
    #[serde(default)]
    pub nonce_bytes: Option<u32>,
    /// Size in bytes of a public key. Set for signature schemes, and for key agreements whose
    /// public keys must be points of the curve (random bytes will not do).
    #[serde(default)]
    pub public_bytes: Option<u32>,
    /// Sizes of a signature scheme with large keys: of the seed of a key pair, of the random bytes
    /// that a signature takes, of a private key, and of the largest signature.
    #[serde(default)]
    pub seed_bytes: Option<u32>,
    #[serde(default)]
    pub random_bytes: Option<u32>,
    #[serde(default)]
    pub private_bytes: Option<u32>,
    #[serde(default)]
    pub signature_bytes: Option<u32>,
    /// Operations that try random numbers until one fits. Their time differs from seed to seed in
    /// any implementation. A signature of ML-DSA is such a search [FIPS204, algorithm 7].
    #[serde(default)]
    pub searches: Vec<String>,
    /// Measured message sizes, in bytes. Reports show the first one.
    #[serde(default)]
    pub bytes: Vec<u32>,
    /// Limit of one call on a chip, in millions of cycles or of instructions. Set only for
    /// algorithms that are slower than the default limit (`CYCLE_LIMIT` of `measure.rs`).
    #[serde(default)]
    pub limit: Option<u64>,
}

impl Algorithm {
    /// True if the operation is a search.
    pub fn is_search(&self, operation: &str) -> bool {
        self.searches.iter().any(|search| search == operation)
    }
}
