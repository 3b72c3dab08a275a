//! The ways to pass values to one function: a search over the plausible choices of each parameter.

use crate::bind::slot::{Purpose, Slot, choices, public as public_slots, steps as step_slots};
use crate::bind::types::{Shape, shape};
use crate::scan::Scanned;
use crate::scan::declarations::Function;

/// Most ways to call one function.
const WAYS: usize = 12;

/// Most choices that are looked at for one function.
const LOOKED_AT: usize = 20_000;

/// The best ways to pass values to a function for a purpose.
pub(super) fn ways(scanned: &Scanned, function: &Function, purpose: Purpose) -> Vec<(Vec<Slot>, bool, u32)> {
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
        .map(|(parameter, shape)| choices(purpose, parameter, shape, is_named))
        .collect();
    let returns_bytes = function.result.contains('*');
    let mut search = Search {
        choices: &choices,
        purpose,
        of_class: function.class.is_some() && !function.is_static,
        returns_bytes,
        left: LOOKED_AT,
        found: Vec::new(),
    };
    search.go(&mut Vec::new(), 0);
    let mut found = search.found;
    found.sort_by_key(|(_, returns, cost)| (*cost, *returns));
    found.truncate(WAYS);
    found
}

/// A search over the choices of all parameters.
struct Search<'c> {
    choices: &'c [Vec<(Slot, u32)>],
    purpose: Purpose,
    of_class: bool,
    returns_bytes: bool,
    left: usize,
    found: Vec<(Vec<Slot>, bool, u32)>,
}

impl Search<'_> {
    fn go(&mut self, slots: &mut Vec<Slot>, cost: u32) {
        if self.left == 0 || cost > 24 {
            return;
        }
        self.left -= 1;
        let Some(choices) = self.choices.get(slots.len()) else {
            for returns in [false, true] {
                if (!returns || self.returns_bytes) && is_whole(self.purpose, slots, returns) {
                    let order = match self.purpose.is_public_key() {
                        true => public_slots::order_cost(self.purpose, slots),
                        false => order_cost(slots),
                    };
                    let stream = self.purpose == Purpose::Encrypt && is_stream(slots);
                    let cost = cost + order + u32::from(returns) + 3 * u32::from(stream);
                    self.found.push((slots.clone(), returns, cost));
                }
            }
            return;
        };
        for &(slot, more) in choices {
            if slots.contains(&slot) && !slot.repeats() {
                continue;
            }
            // An object keeps its state itself; a few classes leave the round keys to the caller.
            let unusual = self.of_class && slot == Slot::State;
            let more = more + 3 * u32::from(unusual);
            slots.push(slot);
            self.go(slots, cost + more);
            slots.pop();
        }
    }
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
    let one_key = [Slot::KeyBytes, Slot::KeyBits]
        .iter()
        .filter(|slot| has(**slot))
        .count()
        <= 1
        && !(has(Key) && has(Slot::KeyCopy));
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
            Purpose::SetIv => has(Iv) && !returns,
            Purpose::Construct => !returns,
            Purpose::Prepare => !(returns && has(Slot::State)),
            Purpose::Encrypt => data || is_stream(slots) && !returns && !has(InPlace),
            Purpose::Decrypt => data,
            Purpose::Start => !returns,
            Purpose::Update => (has(In) && sized || has(Slot::InByte)) && !returns,
            Purpose::Finish => has(Out) != returns,
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
