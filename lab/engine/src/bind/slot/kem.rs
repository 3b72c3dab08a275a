//! The plausible slots of the parameters of key encapsulations.

use super::kind::{Purpose, Slot};
use super::name::{by_name, holds, says};
use crate::bind::types::Shape;
use crate::scan::declarations::Parameter;

/// The words of a buffer's name, and whether the function writes it.
type Buffer = (Slot, &'static [&'static str], bool);

const CAPSULE: &[&str] = &["ct", "c", "ciphertext", "capsule", "cipher"];
const SHARED: &[&str] = &["ss", "k", "key", "shared", "secret", "out"];
const PUBLIC: &[&str] = &["pk", "ek", "public", "pub"];
const PRIVATE: &[&str] = &["sk", "dk", "private", "priv", "secret"];
const COINS: &[&str] = &["coins", "seed", "random", "randomness", "d", "m", "entropy"];

/// The buffers that a function of the purpose has, in their usual order.
fn buffers(purpose: Purpose) -> &'static [Buffer] {
    match purpose {
        Purpose::KemPair => &[
            (Slot::Public, PUBLIC, true),
            (Slot::Secret, PRIVATE, true),
            (Slot::Seed, COINS, false),
        ],
        Purpose::Encapsulate => &[
            (Slot::Capsule, CAPSULE, true),
            (Slot::Out, SHARED, true),
            (Slot::Public, PUBLIC, false),
            (Slot::Seed, COINS, false),
        ],
        Purpose::Decapsulate => &[
            (Slot::Out, SHARED, true),
            (Slot::Capsule, CAPSULE, false),
            (Slot::Secret, PRIVATE, false),
        ],
        _ => &[],
    }
}

/// The plausible slots of a parameter, each with its cost.
pub(super) fn choices(
    purpose: Purpose,
    parameter: &Parameter,
    shape: &Shape,
    name: &[String],
) -> Vec<(Slot, u32)> {
    if !matches!(shape, Shape::Bytes { .. } | Shape::Untyped) {
        return vec![(Slot::Null, 9)];
    }
    let fits = |words: &[&str]| {
        let long = words.iter().filter(|word| word.len() > 3);
        says(name, words) || long.into_iter().any(|word| holds(name, word))
    };
    let known = buffers(purpose).iter().any(|(_, words, _)| fits(words));
    let costs = buffers(purpose).iter().map(|&(slot, words, written)| {
        let by_const = match (written, parameter.is_const) {
            (true, true) => 9,
            (false, false) => 1,
            _ => 0,
        };
        (slot, by_name(fits(words), known) + by_const)
    });
    costs.collect()
}

/// The usual order of the buffers of a purpose.
pub(super) fn usual(purpose: Purpose) -> Vec<Slot> {
    buffers(purpose).iter().map(|(slot, ..)| *slot).collect()
}

/// True if the slots make a whole call for the purpose.
pub fn is_whole(purpose: Purpose, slots: &[Slot]) -> bool {
    let mut wanted = usual(purpose);
    wanted.retain(|slot| *slot != Slot::Seed);
    wanted.iter().all(|slot| slots.contains(slot))
}
