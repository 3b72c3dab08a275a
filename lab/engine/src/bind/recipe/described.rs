//! Constant objects of a library that describe an algorithm, such as `aes128_desc`, for functions
//! that are told it.

use std::path::PathBuf;

use super::parts::Recipe;
use super::plain::plain;
use crate::algorithm::Algorithm;
use crate::bind::call::{Call, Mode};
use crate::bind::slot::Slot;
use crate::scan::Scanned;
use crate::scan::declarations::Parameter;

/// The object of a parameter's type that describes the algorithm or its cipher.
pub(in crate::bind) fn described<'s>(
    scanned: &'s Scanned,
    parameter: &Parameter,
    algorithm: &Algorithm,
) -> Option<&'s (Parameter, PathBuf, bool)> {
    let of_type =
        |object: &&(Parameter, PathBuf, bool)| tag(&object.0.base) == tag(&parameter.base);
    // This is asked for every parameter of a library, and few types have objects.
    scanned.objects.iter().find(of_type)?;
    let whole = plain(&algorithm.name);
    let bits = 8 * algorithm.key_bytes.unwrap_or(0);
    let cipher = plain(&format!("{}{bits}", algorithm.family));
    let objects = || scanned.objects.iter().filter(of_type);
    let says = |part: &str| objects().find(|object| plain(&object.0.name).contains(part));
    let family = plain(&algorithm.family);
    let only = |object: &&(Parameter, PathBuf, bool)| {
        let name = plain(&object.0.name);
        name.contains(&family) && !["128", "192", "256"].iter().any(|size| name.contains(size))
    };
    says(&whole)
        .or_else(|| says(&cipher))
        .or_else(|| objects().find(only))
}

fn tag(base: &str) -> &str {
    base.trim_start_matches("struct ").trim()
}

/// True unless a function is told an algorithm for which the library has no object.
pub(super) fn is_complete(scanned: &Scanned, recipe: &Recipe<'_>) -> bool {
    let calls = recipe.calls();
    let mut passed = calls
        .iter()
        .flat_map(|call| call.function().parameters.iter().zip(&call.slots));
    passed.all(|(parameter, slot)| {
        *slot != Slot::Described || described(scanned, parameter, recipe.algorithm).is_some()
    })
}

/// True if the state of a mode's function is set up by a function that is told this algorithm.
pub(super) fn is_told(scanned: &Scanned, call: &Call<'_>, algorithm: &Algorithm) -> bool {
    let at = call.slots.iter().position(|slot| *slot == Slot::State);
    let state = at.and_then(|at| call.function().parameters.get(at));
    let Some(state) = state.filter(|_| call.mode != Mode::Plain && !scanned.objects.is_empty())
    else {
        return call.has(Slot::Described);
    };
    let told: Vec<&str> = types_told(scanned, algorithm);
    if told.is_empty() {
        return false;
    }
    let functions = scanned.functions.iter().map(|declared| &declared.function);
    let mut sets_up = functions.filter(|function| {
        let parameters = &function.parameters;
        parameters
            .iter()
            .any(|parameter| parameter.base == state.base)
    });
    sets_up.any(|function| {
        let mut others = function.parameters.iter();
        others.any(|parameter| {
            parameter.is_const && parameter.pointers == 1 && told.contains(&tag(&parameter.base))
        })
    })
}

/// The types of which an object describes the algorithm.
fn types_told<'s>(scanned: &'s Scanned, algorithm: &Algorithm) -> Vec<&'s str> {
    let objects = scanned.objects.iter().map(|(object, ..)| object);
    objects
        .filter(|object| described(scanned, object, algorithm).is_some())
        .map(|object| tag(&object.base))
        .collect()
}
