//! Key sizes of which a library does not speak.

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

/// True if the calls of another key size are bound, these take no size, and nothing names this one.
pub(super) fn is_another(scanned: &Scanned, binding: &Binding<'_>, algorithm: &Algorithm) -> bool {
    let of_family = |one: &&Bound<'_>| one.recipe.algorithm.family == algorithm.family;
    let shown = |one: &&Bound<'_>| !one.recipe.includes_source();
    let shows = binding
        .bound
        .iter()
        .filter(of_family)
        .any(|one| shown(&one));
    // What a source hides is not what the library offers, if it shows something.
    let family = || {
        let bound = binding.bound.iter().filter(of_family);
        bound.filter(move |one| !shows || shown(one))
    };
    let sized = |one: &&Bound<'_>| one.recipe.algorithm.key_bytes.is_some();
    let same = |one: &Bound<'_>| one.recipe.algorithm.key_bytes == algorithm.key_bytes;
    let takes_size = |one: &Bound<'_>| {
        let calls = one.recipe.calls();
        // The glue itself copies a key to where the library holds it.
        let mut own = calls.iter().filter(|call| !call.has(Slot::Held));
        // A class template may have the size as its parameter.
        let is_instance = one.recipe.class.iter().any(|class| class.contains('<'));
        is_instance || own.any(|call| KEY_UNITS.iter().any(|unit| call.has(*unit)))
    };
    let of_cipher = |name: &String| {
        let mut bound = family().map(|one| &one.recipe.algorithm.key_bytes);
        // The block cipher, whose name is the family's and the size.
        let bits = 8 * algorithm.key_bytes.unwrap_or_default();
        *name == format!("{}-{bits}", algorithm.family)
            && bound.all(|bytes| *bytes != algorithm.key_bytes)
    };
    if binding.other_sizes.iter().any(of_cipher) {
        return true;
    }
    family().any(|one| sized(&one))
        && !family().any(|one| same(one) || takes_size(one) || !one.recipe.flags.is_empty())
        && !are_named(scanned, algorithm)
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
