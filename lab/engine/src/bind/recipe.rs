//! Recipes: calls of a library that together make the operations of one algorithm.

mod aead;
mod apart;
mod cipher;
mod combine;
mod described;
mod digest;
mod kem;
mod keys;
mod large_signature;
mod members;
mod message;
mod named;
mod object;
mod over;
mod parts;
mod plain;
mod public;
mod setup;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use super::call::Call;
use super::slot::{Purpose, Slot};
use crate::algorithm::Algorithm;
use crate::interface::Interface;
use crate::scan::Scanned;

pub(in crate::bind) use cipher::is_matrix;
pub(in crate::bind) use described::described;
pub(in crate::bind) use kem::parameter_flags;
pub use keys::{KeyCalls, KeyForm};
pub use message::Steps;
pub use parts::{Fails, Recipe};

/// Most recipes of one algorithm.
const RECIPES: usize = 160;

/// The same of those that include a source, if the library shows others.
const HIDDEN: usize = 12;

/// Ways to call the same functions that are tried before other functions.
const FIRST_WAYS: usize = 4;

/// A recipe of a higher cost is not tried.
const IMPLAUSIBLE: u32 = 34;

/// The recipes for an algorithm, the most plausible first.
pub fn recipes<'l>(
    scanned: &'l Scanned,
    calls: &[Call<'l>],
    algorithm: &'l Algorithm,
) -> Vec<Recipe<'l>> {
    let free: Vec<&Call<'l>> = calls
        .iter()
        .filter(|call| call.function().class.is_none())
        .collect();
    let mut found = of_calls(scanned, &free, algorithm, None);
    for object in &object::objects(scanned, algorithm) {
        let methods: Vec<&Call<'l>> = calls
            .iter()
            .filter(|call| {
                let of = call.function().class.as_ref();
                of.is_some_and(|of| object.ancestors.contains(of))
                    && !call.function().is_pure
                    && (!object.is_closed || call.function().is_static)
                    && call.purpose != Purpose::Construct
                    || call.purpose == Purpose::Construct && !object.is_closed
            })
            .collect();
        let of_class = of_calls(scanned, &methods, algorithm, Some(&object.spelled));
        found.extend(object::constructed(calls, object, of_class));
    }
    for recipe in &mut found {
        if recipe.mixes_units() {
            recipe.cost += 8;
        }
    }
    found.retain(|recipe| described::is_complete(scanned, recipe));
    // What a library hides in a source is a guess only after what it shows.
    let shows = found.iter().any(|recipe| !recipe.includes_source());
    let blocks = algorithm.interface == Interface::ModeEcb;
    found.retain(|recipe| !recipe.includes_source() || blocks || !recipe.guesses_mode());
    found.retain(|recipe| recipe.cost <= IMPLAUSIBLE && !recipe.mixes_sources());
    found.sort_by_key(|recipe| recipe.cost);
    // Other functions are a better guess than the tenth way to call the same ones.
    let mut ways: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    found.sort_by_cached_key(|recipe| {
        let way = ways.entry(recipe.names()).or_default();
        *way += 1;
        (
            shows && recipe.includes_source(),
            *way > FIRST_WAYS,
            recipe.cost,
        )
    });
    distinct(found, shows)
}

/// The first of recipes that are alike, with those last that include a source if others are shown.
fn distinct(found: Vec<Recipe<'_>>, shows: bool) -> Vec<Recipe<'_>> {
    let mut kept: Vec<Recipe<'_>> = Vec::new();
    let mut seen = BTreeSet::new();
    for recipe in found {
        let key: Vec<(String, Vec<Slot>, bool)> = recipe
            .calls()
            .iter()
            .map(|call| {
                (
                    call.label().to_owned(),
                    call.slots.clone(),
                    call.returns_output,
                )
            })
            .collect();
        let keys = recipe
            .keys
            .as_ref()
            .map(|keys| (keys.zero_fails, keys.clamps, keys.masks, keys.form as u8));
        if seen.insert((
            recipe.class.clone(),
            key,
            (recipe.pads, recipe.fixed_nonce, recipe.each_byte),
            recipe.by_rows,
            (recipe.iv_place.clone(), recipe.rate_field.clone()),
            keys,
            recipe.fails,
        )) {
            kept.push(recipe);
        }
    }
    // Those that a source hides come last and have a share.
    let hidden = kept.iter().filter(|recipe| recipe.includes_source());
    let share = hidden.count().min(HIDDEN);
    let first = kept.iter().position(Recipe::includes_source);
    if let Some(at) = first.filter(|at| shows && *at > RECIPES - share) {
        kept.drain(RECIPES - share..at);
    }
    kept.truncate(RECIPES);
    kept
}

fn of_calls<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    if calls.is_empty() {
        return Vec::new();
    }
    match algorithm.interface {
        Interface::BlockCipher | Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr => {
            let mut found = cipher::ciphers(scanned, calls, algorithm, class);
            found.extend(over::over_ciphers(scanned, calls, algorithm, class));
            found.extend(apart::apart(scanned, calls, algorithm, class));
            found.extend(members::by_members(scanned, calls, algorithm, class));
            found
        }
        Interface::Hash | Interface::Mac => digest::digests(scanned, calls, algorithm, class),
        Interface::Dh | Interface::Signature => public::recipes(scanned, calls, algorithm, class),
        Interface::Kem => kem::recipes(scanned, calls, algorithm),
        Interface::LargeSignature => large_signature::recipes(scanned, calls, algorithm),
        Interface::Aead => {
            let mut found = aead::sealers(scanned, calls, algorithm, class);
            found.extend(steps::stepwise(scanned, calls, algorithm, class));
            let fixed = found.iter().filter_map(Recipe::with_fixed_nonce);
            let fixed: Vec<_> = fixed.collect();
            found.extend(fixed);
            found
        }
        _ => Vec::new(),
    }
}
