//! What the trials on another board have shown. A call that passes there is tried first here, and
//! what had only wrong results there is tried a few times.

use std::collections::BTreeSet;

use crate::algorithm::Algorithm;
use crate::bind::bound::{Binding, Outcome};
use crate::bind::recipe::Recipe;

/// The results of another board.
#[derive(Debug, Default)]
pub struct Elsewhere<'l> {
    bound: Vec<Recipe<'l>>,
    /// Algorithms of which a call came to a result there, though to none that is right.
    wrong: BTreeSet<String>,
    other_sizes: Vec<String>,
    doubtful: Vec<String>,
}

impl<'l> Elsewhere<'l> {
    pub fn of(binding: &Binding<'l>) -> Elsewhere<'l> {
        let open = |name: &String| binding.open.contains(name);
        let ran = binding.trials.iter();
        let ran = ran.filter(|trial| matches!(trial.outcome, Outcome::Wrong { .. }));
        Elsewhere {
            bound: binding.bound.iter().map(|one| one.recipe.clone()).collect(),
            wrong: ran
                .map(|trial| trial.algorithm.clone())
                .filter(open)
                .collect(),
            other_sizes: binding.other_sizes.clone(),
            doubtful: binding.doubtful.clone(),
        }
    }

    /// The recipe that passes there.
    pub(super) fn recipe(&self, algorithm: &Algorithm) -> Option<&Recipe<'l>> {
        let mut bound = self.bound.iter();
        bound.find(|recipe| recipe.algorithm.name == algorithm.name)
    }

    /// True if nothing in the library speaks of the algorithm's key size, and it has another one.
    pub(super) fn is_another_size(&self, algorithm: &Algorithm) -> bool {
        self.other_sizes.contains(&algorithm.name)
    }

    /// True if only parts of other algorithms resemble it.
    pub(super) fn is_doubtful(&self, algorithm: &Algorithm) -> bool {
        self.doubtful.contains(&algorithm.name)
    }

    /// True if few trials tell all: one call passes there, or calls run there and none is right.
    pub(super) fn is_decided(&self, algorithm: &Algorithm) -> bool {
        self.recipe(algorithm).is_some() || self.wrong.contains(&algorithm.name)
    }
}
