//! The question and the answer: what a device must do, and what one implementation costs.

use schemars::JsonSchema;
use selo_engine::check::CheckLine;
use serde::Serialize;

/// What the device must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Need {
    Encrypt,
    Decrypt,
    Seal,
    Open,
    Hash,
    KeyExchange,
}

/// What counts among the implementations that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prefer {
    Time,
    Energy,
    Size,
}

/// A question.
#[derive(Clone, Debug)]
pub struct Request {
    pub board: String,
    /// Bytes that cryptography may take of each memory.
    pub flash: u64,
    pub ram: u64,
    pub needs: Vec<Need>,
    pub prefer: Prefer,
    /// Size of a message in bytes.
    pub bytes: u32,
    /// What must have been shown of an implementation on this board.
    pub conditions: Vec<Condition>,
}

/// Something that `selo lab check` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The same number of cycles whatever the secret.
    ConstantTime,
    /// Official test vectors ran, and none failed.
    Conformity,
}

/// What is known of implementations beside their rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Lines of `selo lab check`.
    pub checks: &'a [CheckLine],
    /// Libraries and their licences.
    pub licences: &'a [(String, String)],
}

/// Jobs that one implementation does: a cipher encrypts and decrypts, an authenticated
/// one seals and opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Job {
    Cipher,
    Aead,
    Hash,
    KeyExchange,
}

/// One implementation, fitting or not: one line of `selo lab recommend --json`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    pub job: Job,
    /// From 1, the best; null for what is excluded.
    pub rank: Option<usize>,
    /// Part of the best set that does all the jobs and fits as a whole.
    pub together: bool,
    pub board: String,
    pub library: String,
    pub algorithm: String,
    pub variant: String,
    /// SPDX expression of the library's licence.
    pub licence: Option<String>,
    /// Time of one message: all operations needed, key set-up left out.
    pub seconds: Option<f64>,
    /// Instructions of the same, on boards that count them and have no time.
    pub instructions: Option<f64>,
    /// Energy of the same, above idle.
    pub joules: Option<f64>,
    /// Flash in bytes.
    pub flash: Option<u64>,
    /// Total RAM in bytes: the next three together.
    pub ram: Option<u64>,
    pub static_ram: Option<u64>,
    pub stack: Option<u64>,
    /// What the caller holds: message, output, key.
    pub buffers: Option<u64>,
    /// Why it ranks where it does, or why it is excluded.
    pub reasons: Vec<String>,
    /// Whether its cycles were the same for all secrets tried; null if that was not checked.
    pub constant_time: Option<bool>,
    /// Cases of official vectors that passed, and that failed; null if none ran.
    pub conformity: Option<(u64, u64)>,
    /// What speaks against it beside its figures.
    pub cautions: Vec<String>,
    /// False if it is no standard.
    pub standard: bool,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug)]
pub struct Answer {
    /// By job; within a job by rank, then what is excluded.
    pub advice: Vec<Advice>,
    /// Flash and RAM of the set marked `together`, if there is more than one job.
    pub together: Option<(u64, u64)>,
    pub jobs: Vec<Job>,
}

impl Need {
    pub(super) fn job(self) -> Job {
        match self {
            Need::Encrypt | Need::Decrypt => Job::Cipher,
            Need::Seal | Need::Open => Job::Aead,
            Need::Hash => Job::Hash,
            Need::KeyExchange => Job::KeyExchange,
        }
    }
}
