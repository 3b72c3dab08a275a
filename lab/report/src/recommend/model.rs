//! The request and the answer: the jobs of a device, and the costs of an implementation.

use schemars::JsonSchema;
use selo_engine::check::CheckLine;
use selo_engine::interface::Interface;
use serde::Serialize;

/// A capability that the device needs.
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

/// The criterion that ranks the implementations that fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prefer {
    Time,
    Energy,
    Size,
}

/// A request.
#[derive(Clone, Debug)]
pub struct Request {
    pub board: String,
    /// Flash in bytes that cryptography may use.
    pub flash: u64,
    pub ram: u64,
    pub needs: Vec<Need>,
    pub prefer: Prefer,
    /// Size of a message in bytes.
    pub bytes: u32,
    /// Conditions that `selo lab check` must have shown for an implementation on this board.
    pub conditions: Vec<Condition>,
}

impl Request {
    /// True if an algorithm with this interface does one of the jobs.
    pub fn wants(&self, interface: Interface) -> bool {
        self.needs
            .iter()
            .any(|need| need.job().is_done_by(interface))
    }
}

/// A property that `selo lab check` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The cycle count does not depend on the secret.
    ConstantTime,
    /// Official test vectors ran, and none failed.
    Conformity,
}

/// Facts about implementations beyond their rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence<'a> {
    /// Lines of `selo lab check`.
    pub checks: &'a [CheckLine],
    /// Pairs of library and licence.
    pub licences: &'a [(String, String)],
    /// Implementations that the board can have: library, algorithm, variant. One without a row is
    /// listed as not measured.
    pub offered: &'a [(String, String, String)],
}

/// The reason of an implementation without a row on the board.
pub(super) const NOT_MEASURED: &str = "not measured yet";

/// A job of one implementation. A cipher encrypts and decrypts; an authenticated cipher seals
/// and opens.
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
    /// 1 is the best; null for an excluded implementation.
    pub rank: Option<usize>,
    /// True if it belongs to the best set that does all jobs and fits as a whole.
    pub together: bool,
    pub board: String,
    pub library: String,
    pub algorithm: String,
    pub variant: String,
    /// SPDX expression of the library's licence.
    pub licence: Option<String>,
    /// Time for one message: all operations needed, without the key set-up.
    pub seconds: Option<f64>,
    /// Instructions for one message, on boards that count them and have no time.
    pub instructions: Option<f64>,
    /// Energy for one message, above idle.
    pub joules: Option<f64>,
    /// Flash in bytes.
    pub flash: Option<u64>,
    /// Total RAM in bytes: the sum of the next three.
    pub ram: Option<u64>,
    pub static_ram: Option<u64>,
    pub stack: Option<u64>,
    /// Buffers of the caller in bytes: message, output, key.
    pub buffers: Option<u64>,
    /// The reasons for its rank or its exclusion.
    pub reasons: Vec<String>,
    /// True if its cycles were the same for all secrets tried; null if not checked.
    pub constant_time: Option<bool>,
    /// Cases of official vectors that passed and that failed; null if none ran.
    pub conformity: Option<(u64, u64)>,
    /// Cautions that do not follow from its figures.
    pub cautions: Vec<String>,
    /// False if it is not a standard.
    pub standard: bool,
}

/// The answer to a [`Request`].
#[derive(Clone, Debug)]
pub struct Answer {
    /// By job; within a job the ranked ones by rank, then the excluded ones.
    pub advice: Vec<Advice>,
    /// Flash and RAM in bytes of the set marked `together`; only with more than one job.
    pub together: Option<(u64, u64)>,
    pub jobs: Vec<Job>,
}

impl Job {
    /// True if an algorithm with this interface does the job.
    pub(super) fn is_done_by(self, interface: Interface) -> bool {
        match interface {
            Interface::BlockCipher
            | Interface::ModeEcb
            | Interface::ModeCbc
            | Interface::ModeCtr => self == Job::Cipher,
            Interface::Aead => self == Job::Aead,
            Interface::Hash => self == Job::Hash,
            Interface::Dh => self == Job::KeyExchange,
            _ => false,
        }
    }
}

impl Advice {
    /// True if nobody has measured the implementation on the board.
    pub fn is_unmeasured(&self) -> bool {
        self.reasons
            .first()
            .is_some_and(|reason| reason.starts_with(NOT_MEASURED))
    }
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
