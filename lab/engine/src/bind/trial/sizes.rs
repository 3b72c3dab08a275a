//! Key sizes of which a library does not speak.

use std::collections::BTreeSet;

use super::flags::flags;
use crate::algorithm::Algorithm;
use crate::bind::bound::{Binding, Bound};
use crate::bind::slot::{KEY_UNITS, Slot};
use crate::scan::words::words;
use crate::scan::{Role, Scanned};

/// Words of names in which a number is the size of a digest.
const DIGESTS: [&str; 4] = ["sha", "hash", "hmac", "digest"];

/// True if a function, class, constant or macro of the library names the algorithm's key size in bits, or
/// a macro may select it.
pub(super) fn are_named(scanned: &Scanned, algorithm: &Algorithm) -> bool {
    let Some(bytes) = algorithm.key_bytes else {
        return true;
    };
    let bits = (8 * bytes).to_string();
    let functions = scanned.functions.iter().map(|one| &one.function);
    let names = functions.flat_map(|one| std::iter::once(&one.name).chain(&one.class));
    let names = names
        .chain(scanned.macros.keys())
        .chain(&scanned.tested)
        .chain(scanned.members.keys())
        .chain(scanned.enums.values().flatten());
    let mut names = names.map(String::as_str);
    names.any(|name| names_size(name, &bits))
        || has_key_of(scanned, bytes)
        || !flags(scanned, algorithm).is_empty()
}

/// True if the library has a place for a key of this size.
fn has_key_of(scanned: &Scanned, bytes: u32) -> bool {
    let mut places = scanned.held.iter();
    places.any(|place| place.role == Role::Key && place.bytes == bytes)
}

/// True if the digits of a name are the number of bits, and the name is not one of a hash.
fn names_size(name: &str, bits: &str) -> bool {
    let has = name
        .split(|c: char| !c.is_ascii_digit())
        .any(|digits| digits == bits);
    has && !words(name)
        .iter()
        .any(|word| DIGESTS.contains(&word.as_str()))
}

/// The key sizes of a family that a library does not have.
pub(super) type Absent = BTreeSet<(String, Option<u32>)>;

/// True if the calls of another key size are bound, these take no size, and nothing names this one.
pub(super) fn is_another(scanned: &Scanned, binding: &Binding<'_>, algorithm: &Algorithm) -> bool {
    let bound = || {
        let bound = binding.bound.iter();
        bound.filter(|one| one.recipe.algorithm.family == algorithm.family)
    };
    // What a source hides is not what the library offers, if it shows something.
    let shows = bound().any(|one| !one.recipe.includes_source());
    let offered = || bound().filter(|one| !shows || !one.recipe.includes_source());
    let key_bytes = |one: &Bound<'_>| one.recipe.algorithm.key_bytes;
    offered().any(|one| key_bytes(one).is_some())
        && offered().all(|one| key_bytes(one) != algorithm.key_bytes && !may_choose(one))
        && !are_named(scanned, algorithm)
}

/// True if a bound recipe has something that may choose the key size: an argument, the parameter of a
/// class template, or a macro.
fn may_choose(bound: &Bound<'_>) -> bool {
    let recipe = &bound.recipe;
    let calls = recipe.calls();
    // The glue itself copies a key to where the library holds it.
    let mut own = calls.iter().filter(|call| !call.has(Slot::Held));
    !recipe.flags.is_empty()
        || recipe.class.iter().any(|class| class.contains('<'))
        || own.any(|call| KEY_UNITS.iter().any(|unit| call.has(*unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_a_name_is_a_key_size_unless_a_hash_has_it() {
        for name in ["aes256_init", "AES_256", "Nr_256", "aes_ctx_256", "AES256"] {
            assert!(names_size(name, "256"), "{name}");
        }
        for name in [
            "sha256_init",
            "SHA_256",
            "SHA256HMAC",
            "aes2560",
            "hmac_sha256",
            "hash_256",
        ] {
            assert!(!names_size(name, "256"), "{name}");
        }
    }
}
