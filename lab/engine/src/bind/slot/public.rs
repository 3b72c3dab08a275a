//! The plausible slots of the parameters of key agreements and signatures.

use super::kind::{Purpose, Slot};
use super::name::{by_name, holds, says};
use crate::bind::types::Shape;
use crate::scan::declarations::Parameter;

/// What a buffer of a public-key function is known by.
struct Buffer {
    slot: Slot,
    words: &'static [&'static str],
    /// Parts of names that run together.
    parts: &'static [&'static str],
    written: bool,
    sizes: &'static [u32],
}

const SECRET_WORDS: &[&str] = &[
    "secret", "sk", "private", "priv", "scalar", "n", "e", "d", "s", "key", "mysecret",
];
const PUBLIC_WORDS: &[&str] = &[
    "public", "pk", "pub", "point", "peer", "their", "theirs", "q", "a", "verify",
];

const fn secret(written: bool) -> Buffer {
    Buffer {
        slot: Slot::Secret,
        words: SECRET_WORDS,
        parts: &["secret", "priv"],
        written,
        sizes: &[32, 64],
    }
}

const fn public(written: bool) -> Buffer {
    Buffer {
        slot: Slot::Public,
        words: PUBLIC_WORDS,
        parts: &["public", "pubkey"],
        written,
        sizes: &[32, 64],
    }
}

const fn message(slot: Slot, written: bool) -> Buffer {
    Buffer {
        slot,
        words: &[
            "m", "msg", "message", "data", "in", "digest", "hash", "sm", "out",
        ],
        parts: &["message", "hash"],
        written,
        sizes: &[32],
    }
}

const fn signature(written: bool) -> Buffer {
    Buffer {
        slot: Slot::Signature,
        words: &["sig", "signature", "rs", "out", "output"],
        parts: &["sig"],
        written,
        sizes: &[64],
    }
}

const SEED: Buffer = Buffer {
    slot: Slot::Seed,
    words: &["seed", "secret", "random", "entropy", "sk"],
    parts: &["seed"],
    written: false,
    sizes: &[32],
};

const SHARED: Buffer = Buffer {
    slot: Slot::Out,
    words: &[
        "out", "shared", "result", "q", "r", "res", "mypublic", "output", "k", "ss",
    ],
    parts: &["shared"],
    written: true,
    sizes: &[32],
};

const PEER: Buffer = Buffer {
    slot: Slot::Peer,
    words: &[
        "p",
        "u",
        "x",
        "basepoint",
        "base",
        "point",
        "peer",
        "public",
        "pk",
        "pub",
        "their",
    ],
    parts: &["public", "point", "their", "peer"],
    written: false,
    sizes: &[32, 64],
};

/// The buffers that a function of the purpose has, in their usual order.
fn buffers(purpose: Purpose) -> Vec<Buffer> {
    match purpose {
        Purpose::Agree => vec![SHARED, secret(false), PEER],
        Purpose::PublicOf => vec![public(true), secret(false)],
        Purpose::Pair => vec![public(true), secret(true), SEED],
        Purpose::Valid => vec![public(false)],
        Purpose::Sign => vec![
            signature(true),
            message(Slot::In, false),
            public(false),
            secret(false),
        ],
        Purpose::Check => vec![signature(false), message(Slot::In, false), public(false)],
        Purpose::Envelope => vec![
            message(Slot::Out, true),
            message(Slot::In, false),
            secret(false),
        ],
        Purpose::Unwrap => vec![
            message(Slot::Out, true),
            message(Slot::In, false),
            public(false),
        ],
        _ => Vec::new(),
    }
}

/// The plausible slots of a parameter, each with its cost.
pub(super) fn choices(
    purpose: Purpose,
    parameter: &Parameter,
    shape: &Shape,
    name: &[String],
) -> Vec<(Slot, u32)> {
    match shape {
        Shape::Bytes { size } => of_buffer(purpose, parameter, name, *size),
        Shape::Untyped => of_buffer(purpose, parameter, name, None),
        Shape::Structure { .. } => vec![(Slot::Curve, 0)],
        Shape::StructureOut => vec![(Slot::Null, 6)],
        Shape::Odd => vec![(Slot::Curve, 2), (Slot::Null, 3)],
        Shape::Number => vec![(Slot::Bytes, 0), (Slot::Zero, 6)],
        Shape::Choice { .. } => vec![(Slot::Zero, 6)],
        Shape::Words => vec![(Slot::OutSize, 1), (Slot::Null, 5)],
        Shape::NumberOut => vec![(Slot::OutSize, 0), (Slot::Null, 4)],
    }
}

fn of_buffer(
    purpose: Purpose,
    parameter: &Parameter,
    name: &[String],
    size: Option<u32>,
) -> Vec<(Slot, u32)> {
    let buffers = buffers(purpose);
    let fits = |buffer: &Buffer| {
        says(name, buffer.words) || buffer.parts.iter().any(|part| holds(name, part))
    };
    let known = buffers.iter().any(fits);
    let mut found: Vec<(Slot, u32)> = buffers
        .iter()
        .map(|buffer| {
            let by_const = match (buffer.written, parameter.is_const) {
                (true, true) => 8,
                (false, false) => 1,
                _ => 0,
            };
            let by_size = match size {
                Some(size) if !buffer.sizes.contains(&size) => 6,
                _ => 0,
            };
            (
                buffer.slot,
                by_name(fits(buffer), known) + by_const + by_size,
            )
        })
        .collect();
    found.push((Slot::Null, 9));
    found
}

/// The cost of an unusual order of the buffers.
pub fn order_cost(purpose: Purpose, slots: &[Slot]) -> u32 {
    let usual: Vec<Slot> = match purpose {
        _ if purpose.is_kem() => super::kem::usual(purpose),
        _ if purpose.is_large_signature() => super::large_signature::usual(purpose),
        _ => buffers(purpose).iter().map(|buffer| buffer.slot).collect(),
    };
    let places: Vec<usize> = slots
        .iter()
        .filter_map(|slot| usual.iter().position(|usual| usual == slot))
        .collect();
    let pairs = places
        .iter()
        .enumerate()
        .flat_map(|(at, place)| places[at + 1..].iter().map(move |later| (place, later)));
    pairs.filter(|(place, later)| place > later).count() as u32
}
