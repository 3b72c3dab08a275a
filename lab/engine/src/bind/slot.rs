//! The values that a call can pass, and the plausible choices for each parameter.

pub mod kem;
mod kind;
pub mod large_signature;
mod name;
mod number;
pub mod public;
pub mod steps;

use self::name::{ADS, CIPHER, INS, IVS, KEYS, OUTS, PLAIN, SCHEDULES, TAGS, holds, says};
use self::number::of_number;
pub use self::number::speaks_of_room;
use super::types::{Shape, speaks_of_place};
use crate::scan::declarations::Parameter;
use crate::scan::words::words;

pub use kind::{KEY_UNITS, Purpose, Slot};

use Slot::{
    Ad, AdBytes, Bits, Blocks, Bytes, Capacity, Checked, Cipher, DigestBits, DigestBytes, Encrypts,
    In, InByte, InPlace, Increment, Iv, IvBytes, Key, KeyBits, KeyBytes, KeyCopy, KeyName,
    ModeName, Null, Out, OutSize, OutWithIv, Place, Rate, RateBytes, Scratch, State, StateOut,
    Suffix, Tag, TagBytes, Zero,
};

/// The plausible slots of a parameter, each with its cost: 0 for what name and type say.
pub fn choices(
    purpose: Purpose,
    parameter: &Parameter,
    shape: &Shape,
    is_named: bool,
) -> Vec<(Slot, u32)> {
    let name = words(&parameter.name);
    let mut found = match shape {
        _ if purpose.is_step() => steps::choices(purpose, parameter, shape, &name),
        _ if purpose.is_kem() => kem::choices(purpose, parameter, shape, &name),
        _ if purpose.is_large_signature() => {
            large_signature::choices(purpose, parameter, shape, &name)
        }
        _ if purpose.is_public_key() => public::choices(purpose, parameter, shape, &name),
        Shape::Structure { by_value: true } if is_increment(purpose, parameter) => {
            vec![(Increment, 0)]
        }
        Shape::Structure { by_value: false } if purpose == Purpose::SetIv => {
            let cipher = says(&name, &["cipher", "block", "base", "aes", "key"]);
            vec![(State, u32::from(cipher)), (Cipher, u32::from(!cipher) * 2)]
        }
        Shape::Structure { .. } => vec![(State, 0)],
        Shape::StructureOut if makes_state(purpose) => vec![(StateOut, 0)],
        Shape::StructureOut => vec![(Null, 3)],
        Shape::Untyped => of_untyped(purpose, parameter, &name, is_named),
        Shape::Bytes { size } => of_array(purpose, parameter, &name, is_named, *size),
        Shape::Words | Shape::NumberOut
            if purpose == Purpose::Open && says(&name, &["auth", "valid", "ok", "verified"]) =>
        {
            vec![(Checked, 0)]
        }
        Shape::Words => of_words(purpose, parameter, &name),
        Shape::NumberOut if speaks_of_place(&parameter.name) => vec![(Place, 0), (Null, 4)],
        Shape::NumberOut => vec![(OutSize, 0), (Null, 4)],
        Shape::Choice {
            sizes,
            directions,
            modes,
        } => of_constant(*sizes, *directions, *modes),
        Shape::Number if purpose == Purpose::Update && parameter.is_of_bytes() => vec![(InByte, 2)],
        Shape::Number => match of_sponge(purpose, &name) {
            Some(slot) => vec![(slot, 0)],
            None => of_number(purpose, &name),
        },
        Shape::Odd if is_increment(purpose, parameter) => vec![(Increment, 0)],
        Shape::Odd => vec![(Null, 3)],
    };
    found.sort_by_key(|(slot, cost)| (*cost, *slot));
    found.dedup_by_key(|(slot, _)| *slot);
    found
}

/// True if a function of the purpose may return a state that it made.
fn makes_state(purpose: Purpose) -> bool {
    use Purpose::{Prepare, SetIv, SetKey, Start};
    matches!(purpose, SetKey | SetIv | Start | Prepare)
}

/// Slots of a `void *`.
fn of_untyped(
    purpose: Purpose,
    parameter: &Parameter,
    name: &[String],
    is_named: bool,
) -> Vec<(Slot, u32)> {
    let context = says(name, &["ctx", "context", "state", "handle", "self", "this"]);
    let mut found = of_bytes(purpose, parameter, name, is_named);
    found.push((State, if context { 0 } else { 4 }));
    found.push((Null, 4));
    found
}

/// Slots of a pointer to bytes, or of an array of `size` bytes. A large one holds a state.
fn of_array(
    purpose: Purpose,
    parameter: &Parameter,
    name: &[String],
    is_named: bool,
    size: Option<u32>,
) -> Vec<(Slot, u32)> {
    let mut found = of_bytes(purpose, parameter, name, is_named);
    let large = size.is_some_and(|bytes| bytes > 64);
    let schedule = large || says(name, &SCHEDULES) || holds(name, "roundkey");
    let sets = purpose == Purpose::SetKey && !parameter.is_const;
    if schedule || sets {
        found.push((State, if schedule { 0 } else { 2 }));
    }
    if large {
        found.retain(|(slot, _)| *slot == State);
    }
    found
}

/// Slots of a constant of an enumeration.
fn of_constant(sizes: bool, directions: bool, modes: bool) -> Vec<(Slot, u32)> {
    let mut found = vec![(Zero, 4)];
    if modes {
        found.push((ModeName, 0));
    }
    if sizes {
        found.push((KeyName, 0));
    }
    if directions {
        found.push((Encrypts, 0));
    }
    found
}

/// The costs of slots of a pointer to bytes, by its name and whether it is const.
struct Costs<'n> {
    name: &'n [String],
    is_const: bool,
    is_named: bool,
    key: bool,
    iv: bool,
    tag: bool,
    ad: bool,
    input: bool,
    output: bool,
}

impl<'n> Costs<'n> {
    fn of(
        purpose: Purpose,
        parameter: &Parameter,
        name: &'n [String],
        is_named: bool,
    ) -> Costs<'n> {
        let (from, to): (&[&str], &[&str]) = match purpose {
            Purpose::Decrypt | Purpose::Open => (&CIPHER, &PLAIN),
            _ => (&PLAIN, &CIPHER),
        };
        Costs {
            name,
            is_const: parameter.is_const,
            is_named,
            key: says(name, &KEYS) || holds(name, "key"),
            iv: says(name, &IVS) || holds(name, "nonce") || says(name, &["cbc"]),
            tag: says(name, &TAGS),
            ad: says(name, &ADS),
            input: says(name, &INS) || says(name, from),
            output: says(name, &OUTS) || says(name, to),
        }
    }

    /// A name that says another thing makes a choice unlikely; no name leaves all open.
    fn cost(&self, says: bool) -> u32 {
        let known = self.key || self.iv || self.input || self.output || self.tag || self.ad;
        match (says, known || !self.is_named) {
            (true, _) => 0,
            (false, true) => 5,
            (false, false) => 2,
        }
    }

    /// What the function writes cannot be const.
    fn written(&self, base: u32) -> u32 {
        if self.is_const { base + 8 } else { base }
    }

    /// What the function only reads should be const.
    fn read(&self, base: u32) -> u32 {
        if self.is_const { base } else { base + 1 }
    }

    /// A slot that few functions have: cheap if the name says so.
    fn rare(&self, words: &[&str], cheap: u32, dear: u32) -> u32 {
        if says(self.name, words) { cheap } else { dear }
    }

    /// A key that may be empty.
    fn no_key(&self) -> u32 {
        if self.key { 2 } else { 9 }
    }

    fn key(&self) -> (Slot, u32) {
        (Key, self.read(self.cost(self.key)))
    }

    fn input(&self) -> (Slot, u32) {
        (In, self.read(self.cost(self.input)))
    }

    fn output(&self) -> (Slot, u32) {
        (Out, self.written(self.cost(self.output)))
    }

    fn in_place(&self) -> (Slot, u32) {
        let either = self.input || self.output;
        (InPlace, self.written(self.cost(either) + 1))
    }
}

/// Slots of a pointer to bytes.
fn of_bytes(
    purpose: Purpose,
    parameter: &Parameter,
    name: &[String],
    is_named: bool,
) -> Vec<(Slot, u32)> {
    let costs = Costs::of(purpose, parameter, name, is_named);
    let iv = costs.cost(costs.iv);
    match purpose {
        Purpose::SetKey => vec![costs.key(), (Iv, costs.read(iv + 1))],
        Purpose::SetIv => vec![(Iv, iv)],
        Purpose::Construct => vec![costs.key(), (Iv, costs.read(iv))],
        Purpose::Encrypt | Purpose::Decrypt => vec![
            (
                Scratch,
                costs.rare(&["stream", "scratch", "temp", "tmp", "work"], 0, 12),
            ),
            (Place, costs.rare(&["state", "pos", "offset", "num"], 2, 14)),
            costs.key(),
            (
                KeyCopy,
                costs.written(costs.read(costs.cost(costs.key)) + 2),
            ),
            (Iv, iv + 1),
            costs.input(),
            costs.output(),
            (OutWithIv, costs.written(costs.cost(costs.output) + 4)),
            costs.in_place(),
        ],
        // A hash may ask for a key that is empty.
        Purpose::Start => vec![costs.key(), (Null, costs.no_key())],
        Purpose::Update | Purpose::Load => vec![costs.input()],
        Purpose::Fetch => vec![costs.output()],
        Purpose::Finish => vec![costs.output(), (Key, costs.read(costs.cost(costs.key) + 1))],
        Purpose::Digest => vec![
            costs.input(),
            costs.output(),
            costs.key(),
            (Null, costs.no_key()),
        ],
        Purpose::Seal | Purpose::Open => {
            let tag = costs.cost(costs.tag);
            let written = purpose == Purpose::Seal;
            vec![
                costs.key(),
                (Iv, costs.read(iv)),
                costs.input(),
                costs.output(),
                costs.in_place(),
                (Ad, costs.read(costs.cost(costs.ad))),
                (Tag, if written { costs.written(tag) } else { tag }),
                // The secret number of NIST's interface, which no candidate has.
                (Null, costs.rare(&["nsec"], 0, 9)),
            ]
        }
        _ => Vec::new(),
    }
}

/// Slots of a pointer to words: round keys, the state of a hash, or data.
fn of_words(purpose: Purpose, parameter: &Parameter, name: &[String]) -> Vec<(Slot, u32)> {
    let schedule = says(name, &SCHEDULES) || holds(name, "key");
    let mut found = vec![(State, u32::from(!schedule))];
    let written = if parameter.is_const { 8 } else { 0 };
    match purpose {
        Purpose::SetKey if says(name, &KEYS) => found.push((Key, 1)),
        Purpose::SetKey => found.push((Key, 3)),
        Purpose::Encrypt | Purpose::Decrypt => {
            found.extend([
                (In, 3),
                (Out, 3 + written),
                (InPlace, 3 + written),
                (Key, 4),
            ]);
        }
        _ => {}
    }
    found
}

/// True if a parameter is the function that increments the counter.
fn is_increment(purpose: Purpose, parameter: &Parameter) -> bool {
    let names = [words(&parameter.name), words(&parameter.base)].concat();
    purpose == Purpose::Encrypt && says(&names, &["inc", "increment"])
}

/// The parameter of a sponge that a name gives.
fn of_sponge(purpose: Purpose, name: &[String]) -> Option<Slot> {
    if ![Purpose::Start, Purpose::Digest].contains(&purpose) {
        return None;
    }
    let slot = if says(name, &["rate"]) || holds(name, "bitrate") {
        match says(name, &["bytes", "byte"]) {
            true => RateBytes,
            false => Rate,
        }
    } else if says(name, &["capacity"]) {
        Capacity
    } else if says(name, &["suffix", "delimiter", "domain", "delimitedsuffix"]) {
        Suffix
    } else {
        return None;
    };
    Some(slot)
}

impl Slot {
    /// The buffer whose size the slot is, if it is a size.
    pub fn sized(self) -> Option<Slot> {
        match self {
            KeyBytes | KeyBits | Slot::KeyWords => Some(Key),
            IvBytes => Some(Iv),
            Bytes | Blocks | Bits => Some(In),
            DigestBytes | DigestBits => Some(Out),
            AdBytes => Some(Ad),
            TagBytes => Some(Tag),
            _ => None,
        }
    }

    /// True if a call may have the slot several times.
    pub fn repeats(self) -> bool {
        matches!(self, Zero | Null)
    }
}
