//! A line of check.jsonl: one check with its result.

use serde::{Deserialize, Serialize};

/// Source of the lines that compare cycles over random secrets.
pub const CONSTANT_TIME: &str = "constant-time";

/// Source of the lines that compare counted instructions, in total and for each class. Such a line
/// misses time that differs with the same instructions: caches, wait states, multiplications and
/// divisions that end early.
pub const CONSTANT_INSTRUCTIONS: &str = "constant-instructions";

/// True if a line of this source compares the times of calls with different secrets.
pub fn is_about_time(source: &str) -> bool {
    [CONSTANT_TIME, CONSTANT_INSTRUCTIONS].contains(&source)
}

/// Source of the line for calls whose time depends on their public inputs, such as a counter or a
/// nonce. It accuses nobody: no call counts as failed.
pub const PUBLIC_TIME: &str = "public-time";

/// Source of the lines of public-key encryption, which has no official vectors: an encrypted
/// message must decrypt to itself, for three key pairs from different seeds.
pub const ROUND_TRIP: &str = "round-trip";

/// Source of the line for an image that exceeds the board's memory: no case ran.
pub const DOES_NOT_FIT: &str = "does-not-fit";

/// Source of the line for calls that ran out of stack or heap in the measured image, or for an
/// image that exceeds the board only because of the agent: the agent left no room. Such calls
/// count neither as passed nor as failed.
pub const NO_ROOM: &str = "no-room";

/// Source of the line for an image that stopped while its time was compared.
pub const CRASHED: &str = "crashed";

/// Source of the line for calls that reached a limit set by the user or by the algorithm. Such
/// calls count neither as passed nor as failed. At the default limit, a timeout is a failure,
/// because it is a hang.
pub const OVER_LIMIT: &str = "over-limit";

/// The result of one source for one algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CheckLine {
    /// Id of the vector set (lab/vectors/index.toml), or `constant-time`, `constant-instructions`,
    /// `round-trip`, `does-not-fit`, `no-room`, `over-limit`, `crashed`, `build` or `start`.
    pub source: String,
    pub algorithm: String,
    pub variant: String,
    pub library: String,
    pub board: String,
    /// The runner of the image.
    pub runner: String,
    /// Cases that ran.
    pub tried: u64,
    pub passed: u64,
    pub failed: u64,
    /// Cases of the source for the operations that the library offers. Greater than `tried` if only
    /// a sample ran.
    pub available: u64,
    /// The first failed case and its failure; or the reason why no case could run.
    pub first_failure: Option<String>,
}

impl CheckLine {
    /// True if the line is about official vectors.
    pub fn is_official(&self) -> bool {
        ![
            CONSTANT_TIME,
            CONSTANT_INSTRUCTIONS,
            PUBLIC_TIME,
            DOES_NOT_FIT,
            ROUND_TRIP,
            OVER_LIMIT,
        ]
        .contains(&self.source.as_str())
    }

    pub(super) fn note_failure(&mut self, what: String) {
        self.failed += 1;
        self.first_failure.get_or_insert(what);
    }
}
