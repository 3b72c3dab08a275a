//! The recipes that are tried for an algorithm, and their order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::binder::Binder;
use super::flags::flags;
use crate::algorithm::Algorithm;
use crate::bind::bound::Bound;
use crate::bind::call::Call;
use crate::bind::recipe::{Recipe, recipes};
use crate::bind::slot::{KEY_UNITS, Slot};
use crate::interface::Interface;
use crate::scan::declarations::Parameter;

/// Most recipes that are tried for one algorithm.
const TRIALS: usize = 40;

/// The same for an algorithm of which another key size has been bound.
const TRIALS_OF_SIBLING: usize = 8;

/// Recipes that are tried before those with flags.
const BEFORE_FLAGS: usize = 12;

/// Most recipes for a mode of which no name speaks.
const GUESSES: usize = 6;

/// Most recipes for an algorithm of which another key size could not be bound.
const TRIALS_AFTER_FAILURE: usize = 6;

impl<'l> Binder<'_, 'l> {
    /// The recipes to try, in order: the likeliest, some of them with flags that may select the key
    /// size, and the others; and how many of those without flags.
    pub(super) fn candidates(&self, algorithm: &'l Algorithm) -> (Vec<Recipe<'l>>, usize) {
        let mut found = recipes(self.scanned, self.calls, algorithm);
        // What a source hides for other key sizes is not what the library offers.
        if self.offers_family(algorithm) {
            found.retain(|recipe| !recipe.includes_source());
        }
        let units = self.units();
        found.sort_by_key(|recipe| (contradicts(recipe, &units), self.is_undefined(recipe)));
        let sibling = self.sibling(algorithm);
        let mut likeliest = first_of_each(&found);
        // The functions of another size are seldom those of a hash.
        let same = |of: &Recipe<'l>| found.iter().any(|recipe| recipe.names() == of.names());
        let alike = sibling.as_ref().is_some_and(same);
        let ciphers = !matches!(algorithm.interface, Interface::Hash | Interface::Mac);
        if let Some(sibling) = sibling.as_ref().filter(|_| alike || ciphers) {
            // Otherwise the order of the recipes is kept.
            found.sort_by_cached_key(|recipe| unlike(recipe, sibling));
            likeliest.splice(0..0, found.first().cloned());
        }
        let flags = flags(self.scanned, algorithm);
        let mut with_flags = Vec::new();
        for recipe in likeliest.into_iter().take(3) {
            with_flags.extend(flags.iter().map(|flags| Recipe {
                flags: flags.clone(),
                ..recipe.clone()
            }));
        }
        let failed = self.failed.contains(&kin(algorithm));
        let has_sibling = sibling.is_some();
        let guesses = found.iter().all(Recipe::guesses_mode);
        let most = match (sibling, failed, guesses) {
            (Some(_), ..) if !alike => TRIALS / 2,
            (Some(_), ..) => TRIALS_OF_SIBLING,
            (None, true, true) => 0,
            (None, false, true) => GUESSES,
            (None, true, false) => TRIALS_AFTER_FAILURE,
            (None, false, false) => TRIALS,
        };
        // What does not work with any flags for one key size seldom does for another.
        if guesses || failed && !has_sibling {
            with_flags.clear();
        }
        let proven = self.elsewhere.recipe(algorithm);
        let most = match self.elsewhere.is_decided(algorithm) {
            true => most.clamp(usize::from(proven.is_some()), TRIALS_AFTER_FAILURE),
            false => most,
        };
        if most == 0 {
            return (Vec::new(), 0);
        }
        if proven.is_some() {
            with_flags.clear();
        }
        let at = found.len().min(BEFORE_FLAGS);
        let with_flags = with_flags.into_iter().take(TRIALS_OF_SIBLING);
        found.splice(at..at, with_flags);
        found.splice(0..0, proven.cloned());
        (found, most)
    }

    /// True if a header declares a called function, and no source seems to define it. A macro or a
    /// source in assembly may.
    fn is_undefined(&self, recipe: &Recipe<'l>) -> bool {
        let is_assembly =
            |source: &PathBuf| source.extension().is_some_and(|it| it == "S" || it == "s");
        let declared = |call: &&Call<'l>| {
            let function = call.function();
            !call.by_handle
                && !function.name.contains('.') // a member of a table
                && function.class.is_none()
                && !function.has_body
                && self.scanned.definition(function).is_none()
        };
        !self.scanned.sources.iter().any(is_assembly) && recipe.calls().iter().any(declared)
    }

    /// True if functions that the library shows are bound for another algorithm of the family.
    fn offers_family(&self, algorithm: &Algorithm) -> bool {
        let shown = |bound: &Bound<'_>| {
            bound.recipe.algorithm.family == algorithm.family && !bound.recipe.includes_source()
        };
        self.binding.bound.iter().any(shown)
    }

    /// The units in which the bound calls are told the size of a key, by the name of the parameter.
    fn units(&self) -> BTreeMap<&'l str, Slot> {
        let bound = self.binding.bound.iter();
        let calls: Vec<&Call<'l>> = bound.flat_map(|bound| bound.recipe.calls()).collect();
        let passed = calls
            .into_iter()
            .flat_map(|call| call.function().parameters.iter().zip(&call.slots));
        let units = passed.filter(|(_, slot)| KEY_UNITS.contains(slot));
        units
            .map(|(parameter, slot)| (parameter.name.as_str(), *slot))
            .collect()
    }

    /// The recipe of another key size of the same interface and family; for ECB also that of the
    /// block cipher.
    pub(super) fn sibling(&self, algorithm: &Algorithm) -> Option<Recipe<'l>> {
        let alike = |of: Interface| {
            of == algorithm.interface
                || (of == Interface::BlockCipher && algorithm.interface == Interface::ModeEcb)
        };
        let of = |bound: &&Bound<'_>| {
            alike(bound.recipe.algorithm.interface)
                && bound.recipe.algorithm.family == algorithm.family
        };
        let bound = || self.binding.bound.iter().rev().filter(of);
        let same_key = |bound: &&Bound<'_>| bound.recipe.algorithm.key_bytes == algorithm.key_bytes;
        let found = bound().find(same_key).or_else(|| bound().next());
        found.map(|bound| bound.recipe.clone())
    }
}

/// True if a recipe counts a key in another unit than bound calls with a parameter of that name.
fn contradicts(recipe: &Recipe<'_>, units: &BTreeMap<&str, Slot>) -> bool {
    let other = |parameter: &Parameter, slot: &Slot| {
        let unit = units.get(parameter.name.as_str());
        KEY_UNITS.contains(slot) && unit.is_some_and(|unit| unit != slot)
    };
    recipe.calls().iter().any(|call| {
        let mut passed = call.function().parameters.iter().zip(&call.slots);
        passed.any(|(parameter, slot)| other(parameter, slot))
    })
}

/// The first recipe of each set of functions.
fn first_of_each<'l>(found: &[Recipe<'l>]) -> Vec<Recipe<'l>> {
    let mut first: Vec<Recipe<'l>> = Vec::new();
    for recipe in found {
        if first.iter().all(|known| known.names() != recipe.names()) {
            first.push(recipe.clone());
        }
    }
    first
}

/// How unlike a recipe is to that of another key size: whether it lacks one of its functions, and
/// how many of them it calls in another way.
fn unlike(recipe: &Recipe<'_>, sibling: &Recipe<'_>) -> (bool, usize) {
    let calls = recipe.calls();
    let same = |of: &&Call<'_>| {
        let mut alike = calls.iter().filter(|call| call.function() == of.function());
        alike.any(|call| call.slots == of.slots)
    };
    let names = recipe.names();
    let lacks = sibling.names().iter().any(|name| !names.contains(name));
    let other = sibling.calls().iter().filter(|call| !same(call)).count();
    (lacks, other)
}

/// What the key sizes of an algorithm have in common.
pub(super) fn kin(algorithm: &Algorithm) -> (String, String) {
    (
        format!("{:?}", algorithm.interface),
        algorithm.family.clone(),
    )
}
