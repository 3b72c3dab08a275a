//! Recipes of authenticated ciphers.

use super::cipher::with_keys;
use super::combine::{EACH, of, share};
use super::named::{constants_fit, named};
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::scan::Scanned;

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
            None if generic && constants_fit(scanned, algorithm) => 2,
            None => continue,
        };
        // An opening that returns nothing cannot refuse a forged message by itself: another function
        // checks the tag. The lab does not bind it, because each forged vector would look like a
        // fault of the library.
        let belongs = |open: &&&Call<'l>| {
            open.function().result.trim() != "void"
                && share(open, seal)
                && open.has(Slot::Tag) == seal.has(Slot::Tag)
                && open.has(Slot::Key) == seal.has(Slot::Key)
                && open.declared.file == seal.declared.file
        };
        let alike: Vec<&&Call<'l>> = opens.iter().filter(belongs).take(4).collect();
        for open in &alike {
            let mut base = Recipe::empty(algorithm, class.cloned());
            base.encrypt = Some(seal.clone());
            base.decrypt = Some((**open).clone());
            base.cost = cost + seal.cost + open.cost;
            found.extend(with_keys(calls, &base, false, scanned));
        }
        if !alike.is_empty() {
            continue;
        }
        let mut base = Recipe::empty(algorithm, class.cloned());
        base.encrypt = Some(seal.clone());
        base.cost = cost + seal.cost + 4;
        found.extend(with_keys(calls, &base, false, scanned));
    }
    found
}
