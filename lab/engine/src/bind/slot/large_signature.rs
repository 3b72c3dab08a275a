//! The plausible slots of the parameters of signature schemes with large keys.

use super::kind::{Purpose, Slot};
use super::name::{by_name, holds, says};
use crate::bind::types::Shape;
use crate::scan::declarations::Parameter;

use Slot::{
    Ad, AdBytes, Bytes, In, Null, Out, OutSize, Public, Secret, Seed, Signature, SignatureBytes,
};

/// The words of a parameter's name, and whether the function writes it.
type Known = (Slot, &'static [&'static str], bool);

const SIGNATURE: &[&str] = &["sig", "signature"];
const ENVELOPE: &[&str] = &["sm", "signed", "envelope"];
const MESSAGE: &[&str] = &["m", "msg", "message"];
const CONTEXT: &[&str] = &["ctx", "context"];
const PUBLIC: &[&str] = &["pk", "public", "pub", "verkey"];
const PRIVATE: &[&str] = &["sk", "private", "priv", "secret"];
const COINS: &[&str] = &["seed", "coins", "random", "xi", "entropy"];

/// The parameters that a function of the purpose has, in their usual order.
fn known(purpose: Purpose) -> &'static [Known] {
    match purpose {
        Purpose::LargePair => &[
            (Public, PUBLIC, true),
            (Secret, PRIVATE, true),
            (Seed, COINS, false),
        ],
        Purpose::LargeSign => &[
            (Signature, SIGNATURE, true),
            (OutSize, SIGNATURE, true),
            (In, MESSAGE, false),
            (Bytes, MESSAGE, false),
            (Ad, CONTEXT, false),
            (AdBytes, CONTEXT, false),
            (Secret, PRIVATE, false),
        ],
        Purpose::LargeCheck => &[
            (Signature, SIGNATURE, false),
            (SignatureBytes, SIGNATURE, false),
            (In, MESSAGE, false),
            (Bytes, MESSAGE, false),
            (Ad, CONTEXT, false),
            (AdBytes, CONTEXT, false),
            (Public, PUBLIC, false),
        ],
        Purpose::LargeEnvelope => &[
            (Out, ENVELOPE, true),
            (OutSize, ENVELOPE, true),
            (In, MESSAGE, false),
            (Bytes, MESSAGE, false),
            (Ad, CONTEXT, false),
            (AdBytes, CONTEXT, false),
            (Secret, PRIVATE, false),
        ],
        Purpose::LargeUnwrap => &[
            (Out, MESSAGE, true),
            (OutSize, MESSAGE, true),
            (In, ENVELOPE, false),
            (Bytes, ENVELOPE, false),
            (Ad, CONTEXT, false),
            (AdBytes, CONTEXT, false),
            (Public, PUBLIC, false),
        ],
        _ => &[],
    }
}

fn is_number(slot: Slot) -> bool {
    [Bytes, AdBytes, SignatureBytes].contains(&slot)
}

/// The plausible slots of a parameter, each with its cost.
pub(super) fn choices(
    purpose: Purpose,
    parameter: &Parameter,
    shape: &Shape,
    name: &[String],
) -> Vec<(Slot, u32)> {
    let of_kind: fn(Slot) -> bool = match shape {
        Shape::Bytes { .. } | Shape::Untyped => |slot| !is_number(slot) && slot != OutSize,
        Shape::Number => is_number,
        Shape::Words | Shape::NumberOut => |slot| slot == OutSize,
        _ => return vec![(Null, 9)],
    };
    let fits = |words: &[&str]| {
        // The size of a buffer has its name: `siglen` or `sig_len`.
        let sizes = ["len", "bytes", "size"];
        let together = |word: &&str| {
            sizes
                .iter()
                .any(|size| says(name, &[&format!("{word}{size}")]))
        };
        let long = words.iter().filter(|word| word.len() > 3);
        says(name, words)
            || words.iter().any(together)
            || long.into_iter().any(|word| holds(name, word))
    };
    let candidates = || known(purpose).iter().filter(|(slot, ..)| of_kind(*slot));
    let is_known = candidates().any(|(_, words, _)| fits(words));
    let costs = candidates().map(|&(slot, words, written)| {
        let by_const = match (is_number(slot), written, parameter.is_const) {
            (false, true, true) => 9,
            (false, false, false) => 1,
            _ => 0,
        };
        (slot, by_name(fits(words), is_known) + by_const)
    });
    costs.collect()
}

/// The usual order of the parameters of a purpose.
pub(super) fn usual(purpose: Purpose) -> Vec<Slot> {
    known(purpose).iter().map(|(slot, ..)| *slot).collect()
}

/// True if the slots make a whole call for the purpose.
pub fn is_whole(purpose: Purpose, slots: &[Slot]) -> bool {
    let has = |slot: Slot| slots.contains(&slot);
    let mut wanted = usual(purpose);
    wanted.retain(|slot| ![Seed, Ad, AdBytes, SignatureBytes].contains(slot));
    wanted.into_iter().all(has) && has(Ad) == has(AdBytes)
}
