//! What comes of binding a library: the recipes that pass, and every trial with its result.

use std::path::PathBuf;

use super::foreign::Foreign;
use super::recipe::Recipe;
use super::remedy::Remedies;

/// The result of one trial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All tried vectors pass.
    Passed {
        cases: usize,
    },
    /// It answered, but not as published.
    Wrong {
        case: String,
        detail: String,
        /// It was wrong in encrypting, sealing or hashing.
        forwards: bool,
    },
    /// It crashed, hung or broke the agent's memory.
    Stopped {
        reason: String,
    },
    DoesNotBuild {
        message: String,
    },
    /// The agent image is larger than the board.
    NoRoom,
    /// No vector could be run.
    NoVector,
}

/// One trial, for the report.
#[derive(Clone, Debug)]
pub struct Trial {
    pub algorithm: String,
    /// The calls of the recipe as text.
    pub calls: Vec<String>,
    pub flags: Vec<String>,
    pub outcome: Outcome,
}

/// An algorithm with a recipe that passes.
#[derive(Clone, Debug)]
pub struct Bound<'l> {
    pub recipe: Recipe<'l>,
    /// Sources, relative to the library's folder.
    pub sources: Vec<PathBuf>,
    pub glue: String,
    /// What the library needs in addition.
    pub remedies: Remedies,
    /// A key encapsulation that does not refuse a public key that is none.
    pub caller_checks_keys: bool,
    /// The board on which official vectors pass; `None` if they do not.
    pub proven_on: Option<String>,
}

/// All that came of binding a library.
#[derive(Debug, Default)]
pub struct Binding<'l> {
    pub bound: Vec<Bound<'l>>,
    /// The likeliest recipes of algorithms for which none passes, and that ran or failed in the
    /// library's own source. A survey looks for a known mistake.
    pub suspects: Vec<Bound<'l>>,
    pub trials: Vec<Trial>,
    /// What the library has and the lab cannot measure.
    pub foreign: Vec<Foreign>,
    /// What a person must call in the glue, each with the reason.
    pub uncalled: Vec<String>,
    /// What the sources need on the board, also for what could not be bound there.
    pub remedies: Remedies,
    /// Algorithms that the library seems to have, and for which no recipe passed.
    pub open: Vec<String>,
    /// Algorithms with key sizes of which nothing in the library speaks. They are not tried.
    pub other_sizes: Vec<String>,
    /// Algorithms that only parts of other algorithms of the library resemble.
    pub doubtful: Vec<String>,
    /// Algorithms that the library seems to have, and whose trials ended because time was over.
    pub untried: Vec<String>,
}

impl Outcome {
    /// True if the compiler does not know the structure of the state: only the library makes one.
    pub fn says_opaque(&self) -> bool {
        let says = |message: &str| {
            message.contains("storage size of") || message.contains("incomplete type")
        };
        matches!(self, Outcome::DoesNotBuild { message } if says(message))
    }

    /// True if a file of the library does not compile, whatever the glue passes.
    pub fn fails_in_library(&self) -> bool {
        let Outcome::DoesNotBuild { message } = self else {
            return false;
        };
        let mut lines = message.lines();
        let first = lines.find(|line| line.contains("error: "));
        let file = first.and_then(|line| line.split(": error").next());
        file.is_some_and(|file| !file.contains("glue.c"))
    }

    /// File, line and column of the first complaint about a file of the library. A header that needs
    /// another one before it ends in errors of the glue.
    pub fn place_in_library(&self) -> Option<String> {
        let Outcome::DoesNotBuild { message } = self else {
            return None;
        };
        let mut places = message.lines().filter_map(|line| {
            let at = line
                .find(": warning: ")
                .or_else(|| line.find(": error: "))?;
            Some(&line[..at])
        });
        let place = places.find(|place| !place.contains("glue.c"))?;
        Some(place.to_owned())
    }

    /// True if the lab's own flags leave out what a source needs, so that its failure says nothing
    /// about the library.
    pub fn is_of_our_flags(&self) -> bool {
        const SIGNS: [&str; 2] = ["exception handling disabled", "with ‘-fno-rtti’"];
        let says = |message: &str| SIGNS.iter().any(|sign| message.contains(sign));
        matches!(self, Outcome::DoesNotBuild { message } if says(message))
    }

    /// True if the linker found no definition of a called function.
    pub fn lacks_a_definition(&self) -> bool {
        matches!(self, Outcome::DoesNotBuild { message } if message.contains("undefined reference"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_our_flags_leave_out_is_told_apart() {
        let of = |message: &str| Outcome::DoesNotBuild {
            message: message.to_owned(),
        };
        let throws =
            "pad.cc:56:34: error: exception handling disabled, use ‘-fexceptions’ to enable";
        assert!(of(throws).is_of_our_flags());
        assert!(!of("pad.cc:56:34: error: unknown type name ‘u8’").is_of_our_flags());
        assert!(!Outcome::NoRoom.is_of_our_flags());
    }
}
