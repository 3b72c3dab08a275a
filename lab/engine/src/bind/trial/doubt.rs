//! Algorithms that only parts of other algorithms resemble: a class that shows a mode hides its block
//! cipher, and its sources have functions of rounds.

use crate::algorithm::Algorithm;
use crate::bind::bound::{Binding, Bound, Outcome};
use crate::bind::recipe::Recipe;
use crate::interface::Interface;

/// An algorithm that could not be bound.
#[derive(Debug)]
pub(super) struct Doubt<'l> {
    algorithm: &'l Algorithm,
    /// A header or a class shows a function that was called.
    shown: bool,
    /// A trial was built and ran.
    ran: bool,
}

impl<'l> Doubt<'l> {
    pub(super) fn of(algorithm: &'l Algorithm, candidates: &[Recipe<'_>]) -> Doubt<'l> {
        let mut calls = candidates.iter().flat_map(Recipe::calls);
        Doubt {
            algorithm,
            shown: calls.any(|call| call.declared.in_header),
            ran: false,
        }
    }

    pub(super) fn note(&mut self, outcome: &Outcome) {
        let built = !matches!(outcome, Outcome::DoesNotBuild { .. });
        self.ran |= built || outcome.fails_in_library();
    }

    /// The doubt, if nothing speaks against it. A class hides the block cipher of a mode, so that calls of
    /// it do not compile. What does not compile of another algorithm may be the lab's failure.
    pub(super) fn if_any(self) -> Option<Doubt<'l>> {
        let hidden =
            [Interface::BlockCipher, Interface::ModeEcb].contains(&self.algorithm.interface);
        (!self.shown || hidden && !self.ran).then_some(self)
    }
}

/// Drops those in doubt if the library offers another algorithm of the family.
pub(super) fn resolve(doubts: &[Doubt<'_>], binding: &mut Binding<'_>) {
    let offered = |family: &str| {
        let mut bound = binding.bound.iter();
        bound.any(|one| one.recipe.algorithm.family == family && !one.recipe.includes_source())
    };
    let doubtful = doubts.iter().filter(|one| offered(&one.algorithm.family));
    let names: Vec<String> = doubtful.map(|one| one.algorithm.name.clone()).collect();
    binding.open.retain(|name| !names.contains(name));
    let is_left = |one: &Bound<'_>| !names.contains(&one.recipe.algorithm.name);
    binding.suspects.retain(is_left);
    binding.doubtful = names;
}
