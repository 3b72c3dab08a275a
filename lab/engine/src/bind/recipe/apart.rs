//! Recipes of block ciphers whose functions take no block: it stands in a place of the library, such
//! as a global array or a member of the state, or other functions put it there and give it back.

use super::combine::{of, share, tells_direction};
use super::named::named;
use super::parts::{Apart, Preset, Recipe};
use crate::algorithm::Algorithm;
use crate::bind::call::{Call, Mode};
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::{Held, Role, Scanned};

/// Most functions that run a cipher, and most places for each side of it.
const RUNS: usize = 6;
const PLACES: usize = 3;

pub(super) fn apart<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let single = [Interface::BlockCipher, Interface::ModeEcb];
    if !single.contains(&algorithm.interface) {
        return Vec::new();
    }
    let plain = |call: &&&Call<'l>| [Mode::Plain, Mode::Ecb].contains(&call.mode);
    let is_named = |call: &Call<'l>| named(scanned, call, algorithm, class);
    let runs = of(calls, Purpose::Run);
    let backs = of(calls, Purpose::RunBack);
    let mut found = Vec::new();
    let of_algorithm = |call: &&&Call<'l>| is_named(call).is_some();
    let cheap = runs.iter().filter(plain).filter(of_algorithm);
    for run in cheap.take(RUNS) {
        let owner = owner(run, class);
        let loads = sides(scanned, calls, run, (Purpose::Load, Role::In), &owner);
        let fetches = sides(scanned, calls, run, (Purpose::Fetch, Role::Out), &owner);
        let alike = |call: &&&Call<'l>| share(call, run) && call.slots == run.slots;
        let decrypt = match tells_direction(run) {
            true => Some((*run).clone()),
            false => backs.iter().find(alike).map(|call| (*call).clone()),
        };
        for set_key in set_ups(scanned, calls, run, algorithm, &owner) {
            for load in &loads {
                for fetch in &fetches {
                    let mut recipe = Recipe::empty(algorithm, class.cloned());
                    recipe.cost = 3
                        + is_named(run).unwrap_or(0)
                        + run.cost
                        + load.cost
                        + fetch.cost
                        + set_key.iter().map(|call| call.cost).sum::<u32>();
                    recipe.cost += 3 * u32::from(algorithm.interface == Interface::ModeEcb);
                    recipe.encrypt = Some((*run).clone());
                    recipe.decrypt.clone_from(&decrypt);
                    recipe.set_key.clone_from(&set_key);
                    recipe.apart = Some(Apart {
                        load: load.clone(),
                        fetch: fetch.clone(),
                        presets: presets(scanned, &owner),
                    });
                    found.extend(with_rows(scanned, recipe));
                }
            }
        }
    }
    found
}

/// The class or structure whose members a function works on; `None` for global arrays.
fn owner(run: &Call<'_>, class: Option<&String>) -> Option<String> {
    class.cloned().or_else(|| run.state_type.clone())
}

/// The ways to put a block into the library, or to get it back.
fn sides<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    run: &Call<'l>,
    (purpose, role): (Purpose, Role),
    owner: &Option<String>,
) -> Vec<Call<'l>> {
    let functions = of(calls, purpose).into_iter();
    let functions = functions.filter(|call| share(call, run)).take(PLACES);
    let mut found: Vec<Call<'l>> = functions.cloned().collect();
    let places = scanned.held.iter().filter(|held| held.owner == *owner);
    let places = places.filter(|held| [role, Role::Both].contains(&held.role));
    let places = places.take(PLACES);
    found.extend(places.map(|held| moved(held, purpose)));
    found
}

/// The call that copies a key or block to a place, or a block from it.
pub(super) fn moved<'l>(held: &'l Held, purpose: Purpose) -> Call<'l> {
    let (declared, slots) = match purpose {
        Purpose::SetKey => (&held.put, vec![Slot::Held, Slot::Key, Slot::KeyBytes]),
        Purpose::Load => (&held.put, vec![Slot::Held, Slot::In, Slot::BlockBytes]),
        _ => (&held.get, vec![Slot::Out, Slot::Held, Slot::BlockBytes]),
    };
    Call {
        declared,
        purpose,
        mode: Mode::Plain,
        slots,
        returns_output: false,
        direction: None,
        by_handle: false,
        state_type: None,
        cost: u32::from(held.role == Role::Both),
    }
}

/// The ways to set the key: a function that takes it, or a place for it, with a function after it
/// that expands it.
fn set_ups<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    run: &Call<'l>,
    algorithm: &Algorithm,
    owner: &Option<String>,
) -> Vec<Vec<Call<'l>>> {
    let functions = of(calls, Purpose::SetKey).into_iter();
    let forwards = functions.filter(|call| {
        share(call, run) && call.direction != Some(Purpose::Decrypt) && !call.has(Slot::Iv)
    });
    let mut found: Vec<Vec<Call<'l>>> = forwards.take(4).map(|call| vec![call.clone()]).collect();
    let expands: Vec<&Call<'l>> = of(calls, Purpose::Prepare)
        .into_iter()
        .filter(|call| share(call, run) && call.slots.iter().all(|slot| *slot == Slot::State))
        .take(PLACES)
        .collect();
    let fits = |held: &&Held| {
        held.role == Role::Key
            && held.owner == *owner
            && algorithm.key_bytes.is_some_and(|bytes| bytes <= held.bytes)
    };
    for held in scanned.held.iter().filter(fits).take(PLACES) {
        let put = moved(held, Purpose::SetKey);
        for expand in &expands {
            found.push(vec![put.clone(), (*expand).clone()]);
        }
        found.push(vec![put]);
    }
    found
}

/// The numbers beside the places that the caller sets: `Nk` and `Nr`, or the size of the key.
fn presets(scanned: &Scanned, owner: &Option<String>) -> Vec<Preset> {
    let numbers = scanned.sizes.iter().filter(|size| size.owner == *owner);
    let numbers = numbers.filter_map(|size| {
        let name = size.parameter.name.to_lowercase();
        let value = match name.as_str() {
            "nk" => "AGENT_KEY_BYTES / 4",
            "nr" => "AGENT_KEY_BYTES / 4 + 6",
            _ if name.contains("bits") => "8 * AGENT_KEY_BYTES",
            _ if name.contains("key") => "AGENT_KEY_BYTES",
            _ => return None,
        };
        let declared = size.owner.is_none() && !size.in_header;
        Some(Preset {
            place: size.place.clone(),
            value,
            declare: declared.then(|| format!("{} {}", size.parameter.base, size.place)),
        })
    });
    numbers.collect()
}

/// The recipe, and one that passes a block by rows if its place is a matrix.
fn with_rows<'l>(scanned: &Scanned, recipe: Recipe<'l>) -> Vec<Recipe<'l>> {
    let is_matrix = |call: &Call<'_>| {
        let parameters = call.function().parameters.iter();
        let mut placed = parameters.zip(&call.slots);
        placed.any(|(parameter, slot)| *slot == Slot::Held && super::is_matrix(scanned, parameter))
    };
    let both = recipe
        .apart
        .as_ref()
        .is_some_and(|apart| is_matrix(&apart.load) && is_matrix(&apart.fetch));
    let by_rows = both.then(|| Recipe {
        by_rows: true,
        cost: recipe.cost + 1,
        ..recipe.clone()
    });
    [recipe].into_iter().chain(by_rows).collect()
}
