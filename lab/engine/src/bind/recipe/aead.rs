//! Recipes of authenticated ciphers.

use super::combine::{EACH, of, same_unit, share, tells_direction};
use super::named::{constants_fit, named};
use super::parts::{Fails, Recipe};
use super::setup::with_keys;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::scan::words::words;
use crate::scan::{Declared, Scanned};

pub(super) fn sealers<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let mut found = Vec::new();
    let opens = of(calls, Purpose::Open);
    for seal in of(calls, Purpose::Seal).into_iter().take(EACH * 4) {
        let generic = seal.function().name.starts_with("crypto_aead_");
        let cost = match named(scanned, seal, algorithm, class) {
            Some(cost) => cost,
            // The interface of NIST's competitions names no algorithm: constants decide.
            None if is_of_one(scanned, seal, algorithm) => 4,
            None if generic && constants_fit(scanned, algorithm) => 2,
            None => continue,
        };
        // Without a nonce of its own, the call relies on the set-up's.
        let wants_iv = !seal.has(Slot::Iv);
        // An opening that returns nothing cannot refuse a forged message by itself: another function
        // checks the tag. The lab does not bind it, because each forged vector would look like a
        // fault of the library.
        let belongs = |open: &&&Call<'l>| {
            (open.function().result.trim() != "void" || open.has(Slot::Checked))
                && share(open, seal)
                && same_unit(open, seal)
                && open.has(Slot::Tag) == seal.has(Slot::Tag)
                && open.has(Slot::Key) == seal.has(Slot::Key)
                && open.has(Slot::Iv) == seal.has(Slot::Iv)
                && open.declared.file == seal.declared.file
        };
        let mut alike: Vec<&&Call<'l>> = opens.iter().filter(belongs).take(4).collect();
        if tells_direction(seal) {
            alike = vec![&seal];
        }
        for open in &alike {
            for (fails, unlikely) in failures(open) {
                let mut base = Recipe::empty(algorithm, class.cloned());
                base.encrypt = Some(seal.clone());
                base.decrypt = Some((**open).clone());
                base.fails = fails;
                base.cost = cost + seal.cost + open.cost + unlikely;
                found.extend(with_keys(calls, &base, wants_iv, scanned));
            }
        }
        if !alike.is_empty() {
            continue;
        }
        let mut base = Recipe::empty(algorithm, class.cloned());
        base.encrypt = Some(seal.clone());
        base.cost = cost + seal.cost + 4;
        found.extend(with_keys(calls, &base, wants_iv, scanned));
    }
    found
}

/// The ways in which a function that opens may refuse, with their costs.
fn failures(open: &Call<'_>) -> Vec<(Fails, u32)> {
    match open.function().result.trim() {
        _ if open.has(Slot::Checked) => vec![(Fails::NotZero, 0)],
        "bool" => vec![(Fails::Zero, 0)],
        _ => vec![(Fails::NotZero, 0), (Fails::Negative, 2), (Fails::Zero, 3)],
    }
}

/// True if a name speaks of an authenticated cipher of no name, such as `crypto_aead_lock`: of a
/// library that has one such cipher, it is that.
fn is_of_one(scanned: &Scanned, call: &Call<'_>, algorithm: &Algorithm) -> bool {
    let name = words(&call.function().name);
    let says = |word: &str| name.iter().any(|known| known == word);
    let others = ["aes", "gcm", "ccm", "ascon", "ocb", "eax", "aegis", "gift"];
    let stem = algorithm.family.to_lowercase();
    let has = |declared: &Declared| declared.function.name.to_lowercase().contains(&stem);
    stem.contains("chacha")
        && says("aead")
        && !others.iter().any(|other| says(other))
        && scanned.functions.iter().any(has)
}
