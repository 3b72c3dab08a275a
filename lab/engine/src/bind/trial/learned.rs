//! What the trials of an algorithm have shown, so that those that cannot pass are left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::bind::bound::Outcome;
use crate::bind::recipe::Recipe;
use crate::bind::slot::Slot;

/// Functions that hung, crashed or did not compile so often are not tried with other arguments.
const STOPS: usize = 2;

/// One of so many trials is for functions that a source hides, where a library shows others.
const HIDDEN_SHARE: usize = 4;

/// The knowledge of the trials of one algorithm.
pub(super) struct Learned {
    /// Trials without flags that are left, and those of them for what a source hides.
    left: usize,
    share: usize,
    /// How often functions failed that seldom stop failing with other arguments: nothing defines
    /// them, or they hang or crash.
    hopeless: BTreeMap<Vec<String>, usize>,
    /// Functions that no source defines, with the flags with which that is so.
    undefined: BTreeSet<(Vec<String>, String)>,
    /// Encryptions that are wrong: another decryption makes none right.
    wrong: BTreeSet<String>,
    /// Only the library makes a state.
    opaque: bool,
    /// A call of functions that the library shows has hung or crashed. Those that a source hides
    /// might work, but a user of the library meets the others.
    stopped: bool,
}

impl Learned {
    pub(super) fn new(candidates: &[Recipe<'_>], most: usize) -> Learned {
        let hidden = candidates.iter().filter(|recipe| recipe.includes_source());
        Learned {
            left: most,
            share: hidden.count().min(most / HIDDEN_SHARE),
            hopeless: BTreeMap::new(),
            undefined: BTreeSet::new(),
            wrong: BTreeSet::new(),
            opaque: false,
            stopped: false,
        }
    }

    /// True if a recipe may pass and is among those that are tried; it then counts as tried.
    pub(super) fn is_worth_trying(&mut self, recipe: &Recipe<'_>) -> bool {
        let hidden = recipe.includes_source();
        let failures = self.hopeless.get(&functions(recipe));
        let lacks = |name: String| {
            let with = (recipe.flags.clone(), name);
            self.undefined.contains(&with)
        };
        if self.stopped && hidden
            || self.opaque && !recipe.returns_state() && !hidden
            || recipe.names().into_iter().any(lacks)
            || failures.is_some_and(|count| *count >= STOPS)
        {
            return false;
        }
        // Flags change what the sources do, and have a number of their own.
        if !recipe.flags.is_empty() {
            return true;
        }
        let kept = if hidden { 0 } else { self.share };
        if self.left <= kept || self.wrong.contains(&recipe.forwards()) {
            return false;
        }
        self.left -= 1;
        true
    }

    pub(super) fn note(&mut self, recipe: &Recipe<'_>, outcome: &Outcome) {
        let stops = matches!(outcome, Outcome::Stopped { .. });
        self.stopped |= stops && !recipe.includes_source();
        let failures = self.hopeless.entry(functions(recipe)).or_default();
        if outcome.lacks_a_definition() {
            *failures = STOPS;
        } else if stops || outcome.fails_in_library() {
            *failures += 1;
        }
        if let Outcome::DoesNotBuild { message } = outcome {
            let names = recipe.names().into_iter();
            let undefined = names
                .filter(|name| message.contains(&format!("undefined reference to `{name}'")))
                .map(|name| (recipe.flags.clone(), name));
            self.undefined.extend(undefined);
        }
        self.opaque |= outcome.says_opaque();
        if matches!(outcome, Outcome::Wrong { forwards: true, .. }) {
            self.wrong.insert(recipe.forwards());
        }
    }
}

/// The functions of a recipe, its flags, and whether it counts the key in bits.
fn functions(recipe: &Recipe<'_>) -> Vec<String> {
    let bits = recipe.calls().iter().any(|call| call.has(Slot::KeyBits));
    [recipe.names(), recipe.flags.clone(), vec![bits.to_string()]].concat()
}
