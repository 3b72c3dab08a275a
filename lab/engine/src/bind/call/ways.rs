//! The ways to pass values to one function: a search over the plausible choices of each parameter.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::bind::slot::{
    KEY_UNITS, Purpose, Slot, choices, kem as kem_slots, large_signature as large_slots,
    public as public_slots, steps as step_slots,
};
use crate::bind::types::{Shape, is_text, shape};
use crate::scan::Scanned;
use crate::scan::declarations::{Function, Parameter};

/// Most ways to call one function.
const WAYS: usize = 12;

/// Most partial calls that are looked at for one function.
const LOOKED_AT: usize = 20_000;

/// Most whole calls among them.
const WHOLE: usize = 4 * WAYS;

/// A call of a higher cost is not considered.
const IMPLAUSIBLE: u32 = 24;

/// The best ways to pass values to a function for a purpose.
pub(super) fn ways(
    scanned: &Scanned,
    function: &Function,
    purpose: Purpose,
) -> Vec<(Vec<Slot>, bool, u32)> {
    // The bytes of a vector are no text: they may have zeros.
    if function.parameters.iter().any(|p| is_text(&p.base)) {
        return Vec::new();
    }
    let shapes: Vec<Shape> = function
        .parameters
        .iter()
        .map(|p| shape(scanned, p))
        .collect();
    let is_named = function.parameters.iter().any(|p| !p.name.is_empty());
    let choices: Vec<Vec<(Slot, u32)>> = function
        .parameters
        .iter()
        .zip(&shapes)
        .map(|(parameter, shape)| {
            let mut found = choices(purpose, parameter, shape, is_named);
            if begins_work(purpose) && is_described(scanned, parameter, shape) {
                found = vec![(Slot::Described, 0), (Slot::State, 4)];
            }
            found
        })
        .collect();
    let returns_bytes = function.result.contains('*');
    let is_cipher = matches!(purpose, Purpose::Encrypt | Purpose::Decrypt);
    let allocates = is_cipher && returns_bytes && scanned.allocates(function);
    let of_class = function.class.is_some() && !function.is_static;
    let mut found = Vec::new();
    for (slots, cost) in assignments(&choices, of_class, purpose, returns_bytes) {
        for returns in [false, true] {
            // What a function allocates is its output.
            let possible = if returns { returns_bytes } else { !allocates };
            if possible && is_whole(purpose, &slots, returns) {
                let order = match purpose.is_public_key() {
                    true => public_slots::order_cost(purpose, &slots),
                    false => order_cost(&slots),
                };
                let stream = purpose == Purpose::Encrypt && is_stream(&slots);
                let cost = cost + order + u32::from(returns) + 3 * u32::from(stream);
                found.push((slots.clone(), returns, cost));
            }
        }
    }
    found.sort_by_key(|(_, returns, cost)| (*cost, *returns));
    let others = in_other_units(&found, &choices);
    found.truncate(WAYS);
    found.extend(
        others
            .into_iter()
            .filter(|way| !found.contains(way))
            .collect::<Vec<_>>(),
    );
    found
}

/// True for a function that may be told which algorithm it is for.
fn begins_work(purpose: Purpose) -> bool {
    use Purpose::{Construct, Prepare, SetKey, Start};
    matches!(purpose, Construct | Prepare | SetKey | Start)
}

/// True if the library has constant objects of a parameter's structure.
fn is_described(scanned: &Scanned, parameter: &Parameter, shape: &Shape) -> bool {
    let by_pointer = matches!(shape, Shape::Structure { by_value: false });
    let of_type = |object: &Parameter| {
        object.base.trim_start_matches("struct ") == parameter.base.trim_start_matches("struct ")
    };
    by_pointer && parameter.is_const && scanned.objects.iter().any(|(object, ..)| of_type(object))
}

/// The cheapest way with the size of the key in each other unit: of a function with many parameters
/// it may not be among the cheapest ways.
fn in_other_units(
    found: &[(Vec<Slot>, bool, u32)],
    choices: &[Vec<(Slot, u32)>],
) -> Vec<(Vec<Slot>, bool, u32)> {
    let Some((slots, returns, cost)) = found.first() else {
        return Vec::new();
    };
    let at = slots.iter().position(|slot| KEY_UNITS.contains(slot));
    let Some(at) = at else {
        return Vec::new();
    };
    let other = |slot: Slot| slot != slots[at] && KEY_UNITS.contains(&slot);
    let units = choices[at].iter().filter(|(slot, _)| other(*slot));
    let ways = units.map(|(slot, more)| {
        let mut slots = slots.clone();
        slots[at] = *slot;
        (slots, *returns, cost + more)
    });
    ways.filter(|(_, _, cost)| *cost <= IMPLAUSIBLE).collect()
}

/// The assignments of slots to parameters that make whole calls, the cheapest first.
fn assignments(
    choices: &[Vec<(Slot, u32)>],
    of_class: bool,
    purpose: Purpose,
    returns_bytes: bool,
) -> Vec<(Vec<Slot>, u32)> {
    let mut open = BinaryHeap::from([(Reverse(0u32), 0usize, Vec::new())]);
    let mut found = Vec::new();
    for _ in 0..LOOKED_AT {
        let Some((Reverse(cost), _, slots)) = open.pop() else {
            break;
        };
        let Some(next) = choices.get(slots.len()) else {
            let whole = |returns| is_whole(purpose, &slots, returns);
            if whole(false) || returns_bytes && whole(true) {
                found.push((slots, cost));
            }
            if found.len() == WHOLE {
                break;
            }
            continue;
        };
        for &(slot, more) in next {
            if slots.contains(&slot) && !slot.repeats() {
                continue;
            }
            // An object keeps its state itself; a few classes leave the round keys to the caller.
            let unusual = of_class && slot == Slot::State;
            let cost = cost + more + 3 * u32::from(unusual);
            if cost <= IMPLAUSIBLE {
                let longer: Vec<Slot> = slots.iter().copied().chain([slot]).collect();
                open.push((Reverse(cost), longer.len(), longer));
            }
        }
    }
    found
}

/// True if the slots are those of a key stream: an IV and an output of some size, but no message.
pub(super) fn is_stream(slots: &[Slot]) -> bool {
    let has = |slot: Slot| slots.contains(&slot);
    let sized = has(Slot::Bytes) || has(Slot::Blocks);
    has(Slot::Out) && has(Slot::Iv) && sized && !has(Slot::In)
}

/// True if the slots make a whole call for the purpose.
fn is_whole(purpose: Purpose, slots: &[Slot], returns: bool) -> bool {
    use Slot::{Bits, Bytes, In, InPlace, Iv, Key, Out};
    let has = |slot: Slot| slots.contains(&slot);
    let one_size = [Slot::Bytes, Slot::Blocks, Slot::Bits]
        .iter()
        .filter(|slot| has(**slot))
        .count()
        <= 1;
    let one_key = [Slot::KeyBytes, Slot::KeyBits, Slot::KeyWords]
        .iter()
        .filter(|slot| has(**slot))
        .count()
        <= 1
        && !(has(Key) && has(Slot::KeyCopy));
    let one_digest = !(has(Slot::DigestBytes) && has(Slot::DigestBits));
    // A function that writes the IV as well is told the room for both.
    let with_iv = has(Slot::OutWithIv);
    if with_iv && (has(Out) || !has(Iv) || !has(Slot::OutBytes) || purpose != Purpose::Encrypt) {
        return false;
    }
    let data = match (has(In), has(Out) || with_iv, has(InPlace)) {
        (true, true, false) => !returns,
        (true, false, false) => returns,
        (false, false, true) => !returns,
        _ => false,
    };
    let sized = has(Bytes) || has(Bits);
    one_size
        && one_key
        && match purpose {
            Purpose::SetKey => has(Key) && !(returns && has(Slot::State)),
            Purpose::SetIv => {
                // A mode over a cipher's state has one of its own.
                let own = has(Slot::State) || has(Slot::StateOut);
                let over = has(Slot::Cipher);
                has(Iv) && !returns && (!over || own) && (over || !has(Slot::StateOut))
            }
            Purpose::Construct => !returns,
            Purpose::Prepare => !(returns && has(Slot::State)),
            Purpose::Encrypt => data || is_stream(slots) && !returns && !has(InPlace),
            Purpose::Decrypt => data,
            Purpose::Start => !returns,
            Purpose::Load => has(In) && !returns,
            Purpose::Fetch => has(Out) && !returns,
            Purpose::Run | Purpose::RunBack => !returns,
            Purpose::Update => (has(In) && sized || has(Slot::InByte)) && !returns,
            Purpose::Finish => has(Out) != returns && one_digest,
            Purpose::Digest => has(In) && sized && has(Out) != returns,
            Purpose::Seal | Purpose::Open => {
                let in_place = has(InPlace) && !has(In) && !has(Out);
                // A state may hold the nonce.
                (has(Iv) || has(Slot::State) && !has(Key))
                    && (has(In) && has(Out) && !has(InPlace) || in_place)
                    && has(Bytes)
                    && !returns
            }
            _ if purpose.is_step() => !returns && step_slots::is_whole(purpose, slots),
            _ if purpose.is_kem() => !returns && kem_slots::is_whole(purpose, slots),
            _ if purpose.is_large_signature() => !returns && large_slots::is_whole(purpose, slots),
            _ => !returns && is_whole_of_keys(purpose, slots),
        }
}

/// The same for functions of key agreements and signatures.
fn is_whole_of_keys(purpose: Purpose, slots: &[Slot]) -> bool {
    use Slot::{Bytes, In, Out, Peer, Public, Secret, Signature};
    let wanted: &[Slot] = match purpose {
        Purpose::Agree => &[Out, Secret, Peer],
        Purpose::PublicOf | Purpose::Pair => &[Public, Secret],
        Purpose::Valid => &[Public],
        Purpose::Sign => &[Signature, In, Secret],
        Purpose::Check => &[Signature, In, Public],
        Purpose::Envelope => &[Out, In, Bytes, Secret],
        Purpose::Unwrap => &[Out, In, Bytes, Public],
        _ => return false,
    };
    let sized = matches!(
        purpose,
        Purpose::Sign | Purpose::Check | Purpose::Envelope | Purpose::Unwrap
    );
    let has_sizes = slots.contains(&Bytes) || slots.contains(&Slot::OutSize);
    (sized || !has_sizes) && wanted.iter().all(|slot| slots.contains(slot))
}

/// A size usually follows its buffer.
fn order_cost(slots: &[Slot]) -> u32 {
    let mut cost = 0;
    for (at, slot) in slots.iter().enumerate() {
        let Some(buffer) = slot.sized() else { continue };
        let stands = slots.iter().position(|other| *other == buffer);
        cost += match stands {
            Some(place) if place + 1 == at => 0,
            Some(_) => 1,
            None => 0,
        };
    }
    cost
}
