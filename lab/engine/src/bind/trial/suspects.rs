//! Recipes that do not pass and that may say something about the library.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::bind::bound::{Bound, Outcome};
use crate::bind::recipe::Recipe;

/// Only a recipe of at most this cost is clear enough to be a suspect.
const CLEAR: u32 = 12;

/// Recipes of one algorithm that do not pass, of which the likeliest is kept.
#[derive(Default)]
pub(super) struct Suspects<'l> {
    ran: Option<Bound<'l>>,
    not_run: Option<Bound<'l>>,
    /// The sources of the recipes that did not run.
    sources: BTreeSet<Vec<PathBuf>>,
    /// The library shows functions for the algorithm, so that what a source hides is not what it offers.
    shows: bool,
}

impl<'l> Suspects<'l> {
    pub(super) fn of(candidates: &[Recipe<'_>]) -> Suspects<'l> {
        Suspects {
            shows: !candidates.iter().all(Recipe::includes_source),
            ..Suspects::default()
        }
    }

    pub(super) fn note(&mut self, bound: Bound<'l>, outcome: &Outcome) {
        let is_hidden = self.shows && bound.recipe.includes_source();
        if is_hidden || outcome.is_of_our_flags() || bound.recipe.cost > CLEAR {
            return;
        }
        if matches!(outcome, Outcome::Wrong { .. }) {
            self.ran.get_or_insert(bound);
        } else {
            self.sources.insert(bound.sources.clone());
            self.not_run.get_or_insert(bound);
        }
    }

    /// What ran tells more than what did not. What did not run says something about the library
    /// only if all of it is in one source: of a library with a source for each machine, those of
    /// other machines never compile.
    pub(super) fn likeliest(self) -> Option<Bound<'l>> {
        let one = self.sources.len() == 1;
        self.ran.or(self.not_run.filter(|_| one))
    }
}
