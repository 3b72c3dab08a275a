//! The set-ups of key and IV that may stand before an encryption.

use super::combine::{EACH, of, share, state_type, tells_direction};
use super::named::{is_of_cipher, named};
use super::parts::Recipe;
use crate::bind::call::{Call, Mode};
use crate::bind::slot::{Purpose, Slot};
use crate::bind::types::product;
use crate::interface::Interface;
use crate::scan::Scanned;
use crate::scan::declarations::Parameter;
use crate::scan::words::words;

/// Recipes in which the constructor takes the key.
fn by_constructor<'l>(
    calls: &[&Call<'l>],
    base: &Recipe<'l>,
    wants_iv: bool,
    set_ivs: &[&Call<'l>],
) -> Vec<Recipe<'l>> {
    let (Some(class), Some(encrypt)) = (&base.class, &base.encrypt) else {
        return Vec::new();
    };
    let plain = class.split('<').next();
    let mut found = Vec::new();
    for construct in of(calls, Purpose::Construct) {
        let is_own = construct.function().class.as_deref() == plain;
        let has_iv = construct.has(Slot::Iv) || encrypt.has(Slot::Iv);
        if !is_own || !construct.has(Slot::Key) || encrypt.takes_key() || has_iv && !wants_iv {
            continue;
        }
        let mut recipe = base.clone();
        recipe.cost += construct.cost;
        recipe.construct = Some(construct.clone());
        if !has_iv && wants_iv {
            // A method of the new object takes the IV.
            found.extend(set_ivs.iter().map(|set_iv| Recipe {
                cost: recipe.cost + set_iv.cost,
                set_iv: Some((*set_iv).clone()),
                ..recipe.clone()
            }));
            continue;
        }
        if tells_direction(construct) {
            let only_forwards = Recipe {
                cost: recipe.cost + 4,
                ..recipe.clone()
            };
            found.push(only_forwards);
            recipe.decrypt = Some(encrypt.clone());
        }
        found.push(recipe);
    }
    found
}

/// Where a caller writes the IV of a function that takes none: a member of the state, or an array
/// that the function's header declares.
fn iv_places(scanned: &Scanned, encrypt: &Call<'_>) -> Vec<String> {
    const IVS: [&str; 6] = ["iv", "ivec", "nonce", "counter", "ctr", "vector"];
    let is_iv = |parameter: &Parameter| {
        let bytes = parameter.array.as_ref();
        let bytes = bytes.and_then(|text| product(scanned, text));
        let named = words(&parameter.name)
            .iter()
            .any(|word| IVS.contains(&word.as_str()));
        named && bytes == Some(16)
    };
    let tag = encrypt
        .state()
        .map(|state| state.base.trim_start_matches("struct ").trim());
    let members = tag
        .and_then(|tag| scanned.members.get(tag))
        .into_iter()
        .flatten();
    let members = members.filter(|member| is_iv(member));
    let members = members.map(|member| format!("state.{}", member.name));
    let arrays = scanned.arrays.iter();
    let arrays = arrays.filter(|(array, file)| *file == encrypt.declared.file && is_iv(array));
    members
        .chain(arrays.map(|(array, _)| array.name.clone()))
        .collect()
}

/// True if the state of a mode is that of its cipher after an IV, as `ivAes` and `aes` say.
fn keeps_iv_first(set_key: &Call<'_>, encrypt: &Call<'_>) -> bool {
    let name = |call: &Call<'_>| Some(words(&call.state()?.name).concat());
    match (name(set_key), name(encrypt)) {
        (Some(keys), Some(all)) => !keys.is_empty() && all == format!("iv{keys}"),
        _ => false,
    }
}

/// A recipe with each plausible set-up of key and IV.
pub(super) fn with_keys<'l>(
    calls: &[&Call<'l>],
    base: &Recipe<'l>,
    wants_iv: bool,
    scanned: &Scanned,
) -> Vec<Recipe<'l>> {
    let Some(encrypt) = &base.encrypt else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let lacks_iv = wants_iv && encrypt.mode == Mode::Plain && !encrypt.has(Slot::Iv);
    if encrypt.takes_key() && !lacks_iv {
        found.push(base.clone());
    }
    let set_keys = set_keys(calls, base, encrypt, scanned);
    let set_ivs: Vec<&Call<'l>> = of(calls, Purpose::SetIv)
        .into_iter()
        .filter(|call| {
            share(call, encrypt) && state_type(call).is_some() == state_type(encrypt).is_some()
        })
        .take(EACH)
        .collect();
    found.extend(by_constructor(calls, base, wants_iv, &set_ivs));
    for set_key in &set_keys {
        let untold = set_key.has(Slot::ModeName) && base.mode_name.is_none();
        if set_key.direction == Some(Purpose::Decrypt) || untold {
            continue;
        }
        let recipe = with_key(base, (encrypt, set_key), &set_keys, wants_iv, scanned);
        if !wants_iv || encrypt.has(Slot::Iv) || set_key.has(Slot::Iv) {
            found.push(recipe);
        } else {
            found.extend(with_ivs(recipe, (encrypt, set_key), &set_ivs, scanned));
        }
    }
    if wants_iv && base.algorithm.interface == Interface::ModeCbc {
        let padded = found.clone().into_iter().map(|mut recipe| {
            recipe.pads = true;
            // Who asks for the room of the output writes more than it is given.
            match encrypt.has(Slot::OutBytes) {
                true => recipe.cost = recipe.cost.saturating_sub(1),
                false => recipe.cost += 4,
            }
            recipe
        });
        found.extend(padded.collect::<Vec<_>>());
    }
    found
}

/// The set-ups of a key that can belong to an encryption.
fn set_keys<'c, 'l>(
    calls: &[&'c Call<'l>],
    base: &Recipe<'l>,
    encrypt: &Call<'l>,
    scanned: &Scanned,
) -> Vec<&'c Call<'l>> {
    let same_mode = |call: &&Call<'l>| call.mode == Mode::Plain || call.mode == encrypt.mode;
    let belongs = |call: &&Call<'l>| {
        share(call, encrypt)
            && (state_type(call).is_some() == state_type(encrypt).is_some())
            && (named(scanned, call, base.algorithm, base.class.as_ref()).is_some()
                || call.has(Slot::Held)
                || state_type(call).is_some() && is_of_cipher(scanned, call, base.algorithm)
                || state_type(call).is_some() && call.declared.file == encrypt.declared.file)
    };
    let all = of(calls, Purpose::SetKey).into_iter();
    all.filter(same_mode).filter(belongs).take(EACH).collect()
}

/// The recipe with this set-up of the key, and with that of the other direction if there is one.
fn with_key<'l>(
    base: &Recipe<'l>,
    (encrypt, set_key): (&Call<'l>, &Call<'l>),
    set_keys: &[&Call<'l>],
    wants_iv: bool,
    scanned: &Scanned,
) -> Recipe<'l> {
    let mut recipe = base.clone();
    recipe.cost += set_key.cost + u32::from(set_key.has(Slot::Iv) && !wants_iv);
    // Its name may speak of another key size.
    let of_algorithm = named(scanned, set_key, base.algorithm, base.class.as_ref());
    let of_other = of_algorithm.is_none() && !is_of_cipher(scanned, set_key, base.algorithm);
    recipe.cost += 2 * u32::from(of_other && !set_key.has(Slot::Held));
    recipe.iv_first = wants_iv && keeps_iv_first(set_key, encrypt);
    recipe.set_key.push(set_key.clone());
    if encrypt.takes_key() {
        recipe.cost += 4;
    }
    let is_back =
        |call: &&&Call<'l>| call.direction == Some(Purpose::Decrypt) && call.slots == set_key.slots;
    let back = set_keys.iter().find(is_back);
    let told = set_key.has(Slot::Encrypts) || set_key.has(Slot::Decrypts);
    if told && base.class.is_none() && recipe.decrypt.is_some() {
        // One function, told the direction, sets up a state for each.
        let mut back = set_key.clone();
        back.direction = Some(Purpose::Decrypt);
        recipe.set_key.push(back);
    } else if let Some(back) = back.filter(|_| recipe.decrypt.is_some()) {
        recipe.set_key.push((*back).clone());
    }
    recipe
}

/// The recipe with each way to give it an IV.
fn with_ivs<'l>(
    mut recipe: Recipe<'l>,
    (encrypt, set_key): (&Call<'l>, &Call<'l>),
    set_ivs: &[&Call<'l>],
    scanned: &Scanned,
) -> Vec<Recipe<'l>> {
    let mut found = Vec::new();
    for set_iv in set_ivs {
        if set_iv.function().name != set_key.function().name {
            let mut with_iv = recipe.clone();
            with_iv.cost += set_iv.cost;
            with_iv.set_iv = Some((*set_iv).clone());
            found.push(with_iv);
        }
    }
    // Without an IV only the name speaks of the mode.
    if encrypt.mode == Mode::Plain {
        return found;
    }
    // A function that sets the IV is the library's own way.
    let after = set_ivs.iter().map(|call| call.cost + 1).max().unwrap_or(1);
    for place in iv_places(scanned, encrypt) {
        let mut placed = recipe.clone();
        placed.cost += after;
        placed.iv_place = Some(place);
        found.push(placed);
    }
    recipe.cost += 3;
    found.push(recipe);
    found
}
