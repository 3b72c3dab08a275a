//! The plausible slots of the functions that seal a message in steps.

use super::kind::{Purpose, Slot};
use super::name::{ADS, IVS, KEYS, TAGS, holds, says};
use crate::bind::types::Shape;
use crate::scan::declarations::Parameter;
use crate::scan::words::words;

use Slot::{
    Ad, AdBytes, Bytes, In, InPlace, Iv, IvBytes, Key, KeyBytes, LengthBytes, Message, Out, State,
    Tag, TagBytes, Zero,
};

/// The slots of a parameter, each with its cost.
pub fn choices(
    purpose: Purpose,
    parameter: &Parameter,
    shape: &Shape,
    name: &[String],
) -> Vec<(Slot, u32)> {
    match shape {
        Shape::Structure { .. } => of_structure(parameter, name),
        Shape::Bytes { .. } | Shape::Untyped => of_bytes(purpose, parameter, name),
        Shape::Number => of_number(purpose, name),
        _ => Vec::new(),
    }
}

/// A structure holds the expanded key, or the state of one message.
fn of_structure(parameter: &Parameter, name: &[String]) -> Vec<(Slot, u32)> {
    let of_type = words(&parameter.base);
    let both: Vec<String> = of_type.iter().chain(name).cloned().collect();
    let of_mode = ["gcm", "ccm", "eax", "ocb", "poly", "aead", "auth"]
        .iter()
        .any(|part| both.concat().to_lowercase().contains(part));
    let of_key = says(&both, &["key", "keys", "schedule", "aes"]);
    match (of_mode, of_key) {
        (true, _) => vec![(Message, 0), (State, 4)],
        (false, true) => vec![(State, 0), (Message, 4)],
        (false, false) => vec![(Message, 1), (State, 2)],
    }
}

fn of_bytes(purpose: Purpose, parameter: &Parameter, name: &[String]) -> Vec<(Slot, u32)> {
    let if_says = |of: &[&str], otherwise: u32| if says(name, of) { 0 } else { otherwise };
    let written = if parameter.is_const { 8 } else { 0 };
    match purpose {
        Purpose::Begin => vec![(Key, if_says(&KEYS, 3)), (Iv, if_says(&IVS, 2))],
        Purpose::AddData => vec![(Ad, if_says(&ADS, 1))],
        Purpose::SealPart | Purpose::OpenPart => vec![
            (
                In,
                if says(name, &["in", "input", "src", "data"]) {
                    0
                } else {
                    1
                },
            ),
            (
                Out,
                written
                    + if says(name, &["out", "output", "dst"]) {
                        0
                    } else {
                        1
                    },
            ),
            (InPlace, written + 3),
        ],
        _ => vec![(Tag, written + if_says(&TAGS, 1))],
    }
}

fn of_number(purpose: Purpose, name: &[String]) -> Vec<(Slot, u32)> {
    let if_says = |says: bool, otherwise: u32| if says { 0 } else { otherwise };
    let message = [
        "msg", "message", "data", "plain", "text", "payload", "input",
    ];
    let ad = says(name, &ADS) || holds(name, "aad") || says(name, &["alen"]);
    let of_message = message.iter().any(|part| holds(name, part)) || says(name, &["plen"]);
    match purpose {
        Purpose::Begin => vec![
            (
                IvBytes,
                if_says(says(name, &IVS) || holds(name, "nonce"), 1),
            ),
            (
                Bytes,
                if_says(message.iter().any(|part| holds(name, part)), 4),
            ),
            (AdBytes, if_says(says(name, &ADS) || holds(name, "aad"), 5)),
            (
                TagBytes,
                if_says(
                    says(name, &TAGS) || says(name, &["m"]) || holds(name, "tag"),
                    4,
                ),
            ),
            // The bytes of the message's size in a block: L [RFC3610, 2.1].
            (LengthBytes, if_says(says(name, &["l"]), 6)),
            (KeyBytes, if_says(holds(name, "key"), 4)),
            (Zero, 6),
        ],
        Purpose::AddData => vec![(AdBytes, 0)],
        Purpose::SealPart | Purpose::OpenPart => vec![(Bytes, 0), (Zero, 6)],
        _ => vec![
            (TagBytes, if ad || of_message { 5 } else { 0 }),
            (AdBytes, if_says(ad, 5)),
            (Bytes, if_says(of_message, 5)),
            (Zero, 6),
        ],
    }
}

/// True if the slots make a whole call for the purpose.
pub fn is_whole(purpose: Purpose, slots: &[Slot]) -> bool {
    let has = |slot: Slot| slots.contains(&slot);
    match purpose {
        Purpose::Begin => has(Iv),
        Purpose::AddData => has(Ad) && has(AdBytes),
        Purpose::SealPart | Purpose::OpenPart => {
            has(Bytes) && (has(In) && has(Out)) != has(InPlace) && has(In) == has(Out)
        }
        Purpose::TagOut => has(Tag),
        _ => false,
    }
}
