//! Recipes of block ciphers and their modes.

use std::collections::BTreeSet;
use std::path::Path;

use super::combine::{EACH, of, same_unit, share, tells_direction};
use super::named::{is_of_cipher, named};
use super::parts::Recipe;
use super::setup::with_keys;
use crate::algorithm::Algorithm;
use crate::bind::call::{Call, Mode};
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::Scanned;
use crate::scan::declarations::Parameter;
use crate::scan::words::words;

pub(super) fn ciphers<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let modes: &[Mode] = match algorithm.interface {
        Interface::ModeCbc => &[Mode::Cbc, Mode::Plain],
        Interface::ModeCtr => &[Mode::Ctr, Mode::Plain],
        Interface::ModeEcb => &[Mode::Ecb, Mode::Plain],
        _ => &[Mode::Plain, Mode::Ecb],
    };
    let fits = |call: &&&Call<'l>| modes.contains(&call.mode);
    let encrypts = of(calls, Purpose::Encrypt);
    let mut decrypts = of(calls, Purpose::Decrypt);
    let mut found = Vec::new();
    // A large folder has many ciphers: only calls of this one count. Their names are compared once,
    // because a folder has thousands of calls and each encryption is combined with all.
    let cost_of = |call: &Call<'l>| named(scanned, call, algorithm, class);
    let of_algorithm = |call: &&&Call<'l>| cost_of(call).is_some();
    decrypts.retain(|call| cost_of(call).is_some());
    let encrypts = encrypts.iter().filter(fits).filter(of_algorithm);
    let encrypts: Vec<&Call<'l>> = encrypts.take(EACH * 4).copied().collect();
    let calls = &of_cipher(scanned, calls, &encrypts, algorithm, class)[..];
    let wants_iv = matches!(algorithm.interface, Interface::ModeCbc | Interface::ModeCtr);
    for encrypt in encrypts {
        let Some(mut base) = encryption(scanned, encrypt, algorithm, class) else {
            continue;
        };
        base.decrypt = decryption(encrypt, &decrypts, algorithm, class, scanned);
        base.cost += base.decrypt.as_ref().map_or(3, |call| call.cost);
        found.extend(with_keys(calls, &base, wants_iv, scanned));
        if base.decrypt.take().is_some() {
            // The library may declare a decryption that it does not have.
            base.cost += 4;
            found.extend(with_keys(calls, &base, wants_iv, scanned));
        }
    }
    let more = prepared(calls, &found, scanned);
    found.extend(more);
    let matrices: Vec<Recipe<'l>> = found
        .iter()
        .filter(|recipe| !wants_size(recipe) && takes_matrix(scanned, recipe))
        .map(|recipe| Recipe {
            by_rows: true,
            cost: recipe.cost + 1,
            ..recipe.clone()
        })
        .collect();
    found.extend(matrices);
    found
}

/// The calls without the set-ups of keys that belong to none of the encryptions.
fn of_cipher<'c, 'l>(
    scanned: &Scanned,
    calls: &[&'c Call<'l>],
    encrypts: &[&Call<'l>],
    algorithm: &Algorithm,
    class: Option<&String>,
) -> Vec<&'c Call<'l>> {
    let files: BTreeSet<&Path> = encrypts
        .iter()
        .map(|call| call.declared.file.as_path())
        .collect();
    let belongs = |call: &&&'c Call<'l>| {
        call.purpose != Purpose::SetKey
            || call.has(Slot::Held)
            || call.state_type.is_some() && files.contains(call.declared.file.as_path())
            || named(scanned, call, algorithm, class).is_some()
            || call.state_type.is_some() && is_of_cipher(scanned, call, algorithm)
    };
    calls.iter().filter(belongs).copied().collect()
}

/// A recipe of this encryption alone, if it can be that of the algorithm.
fn encryption<'l>(
    scanned: &Scanned,
    encrypt: &Call<'l>,
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Option<Recipe<'l>> {
    let interface = algorithm.interface;
    let mut cost = named(scanned, encrypt, algorithm, class)? + encrypt.cost;
    let field = mode_field(scanned, encrypt, algorithm);
    let mode_name = mode_name(scanned, algorithm);
    let is_told = encrypt.has(Slot::ModeName);
    let wants_iv = matches!(interface, Interface::ModeCbc | Interface::ModeCtr);
    let other_iv = encrypt.has(Slot::Iv) && !wants_iv && field.is_none() && !is_told;
    let other_mode = encrypt.has(Slot::OutWithIv) && interface != Interface::ModeCbc
        || encrypt.makes_stream() && interface != Interface::ModeCtr;
    if other_iv || other_mode || is_told && mode_name.is_none() {
        return None;
    }
    let says_mode = encrypt.mode != Mode::Plain || field.is_some() || is_told;
    if !says_mode && interface != Interface::BlockCipher {
        // The name does not speak of the mode: an IV must, or a library without modes.
        cost += 4;
    }
    let takes_size = encrypt.has(Slot::Bytes) || encrypt.has(Slot::Blocks);
    if interface == Interface::ModeEcb && !takes_size {
        cost += 3;
    }
    let mut recipe = Recipe::empty(algorithm, class.cloned());
    recipe.encrypt = Some(encrypt.clone());
    recipe.mode_field = field;
    recipe.mode_name = mode_name;
    recipe.cost = cost;
    Some(recipe)
}

/// The constant that names the algorithm's mode: of an enumeration, or a macro that is a number.
fn mode_name(scanned: &Scanned, algorithm: &Algorithm) -> Option<String> {
    let part = mode_word(algorithm.interface)?;
    let says = |name: &&String| words(name).iter().any(|word| word == part);
    let mut constants = scanned.enums.values().flatten();
    let numbers = |name: &&String| scanned.number(name).is_some();
    let macros = scanned.macros.keys();
    constants
        .find(says)
        .or_else(|| macros.filter(says).find(numbers))
        .cloned()
}

/// The word of an interface's mode; a block cipher is ECB of one block.
fn mode_word(interface: Interface) -> Option<&'static str> {
    Some(match interface {
        Interface::ModeCbc => "cbc",
        Interface::ModeCtr => "ctr",
        Interface::ModeEcb | Interface::BlockCipher => "ecb",
        _ => return None,
    })
}

/// True for a function of messages, which no matrix holds.
fn wants_size(recipe: &Recipe<'_>) -> bool {
    let single = [Interface::BlockCipher, Interface::ModeEcb];
    !single.contains(&recipe.algorithm.interface)
}

/// True if a block is passed as four rows of four bytes.
fn takes_matrix(scanned: &Scanned, recipe: &Recipe<'_>) -> bool {
    let blocks = [Slot::In, Slot::Out, Slot::InPlace];
    let encrypt = recipe.encrypt.iter();
    let mut passed = encrypt.flat_map(|call| call.function().parameters.iter().zip(&call.slots));
    passed.any(|(parameter, slot)| blocks.contains(slot) && is_matrix(scanned, parameter))
}

/// True for `state[4][4]`.
pub(in crate::bind) fn is_matrix(scanned: &Scanned, parameter: &Parameter) -> bool {
    let columns = parameter.array.as_ref();
    let columns = columns.and_then(|text| scanned.number(text));
    parameter.pointers == 2 && columns == Some(4)
}

/// The member of the state that holds the mode, and the constant for the algorithm's mode.
fn mode_field(
    scanned: &Scanned,
    encrypt: &Call<'_>,
    algorithm: &Algorithm,
) -> Option<(String, String)> {
    let part = mode_word(algorithm.interface)?;
    if encrypt.mode != Mode::Plain {
        return None;
    }
    let state = encrypt.state()?;
    let tag = state.base.trim_start_matches("struct ").trim();
    let is_mode = |name: &str| words(name).iter().any(|word| word == "mode");
    let member = scanned.members.get(tag)?.iter();
    let member = member
        .filter(|member| member.pointers == 0)
        .find(|member| is_mode(&member.name))?;
    let of_mode = |name: &&String| words(name).iter().any(|word| word == part);
    let constants = scanned
        .enums
        .get(member.base.trim_start_matches("enum ").trim());
    let mut names = scanned.macros.keys().filter(|name| is_mode(name));
    let constant = constants
        .and_then(|names| names.iter().find(of_mode))
        .or_else(|| names.find(of_mode))?;
    Some((member.name.clone(), constant.clone()))
}

/// The likeliest recipes, with a call before any key: one that makes tables, or that makes the
/// state.
fn prepared<'l>(calls: &[&Call<'l>], recipes: &[Recipe<'l>], scanned: &Scanned) -> Vec<Recipe<'l>> {
    let mut likeliest: Vec<&Recipe<'l>> = recipes.iter().collect();
    likeliest.sort_by_key(|recipe| recipe.cost);
    let prepares = of(calls, Purpose::Prepare);
    let mut found = Vec::new();
    for recipe in likeliest.into_iter().take(PREPARED) {
        let Some(encrypt) = &recipe.encrypt else {
            continue;
        };
        let belongs = |call: &&&Call<'l>| {
            share(call, encrypt)
                && named(scanned, call, recipe.algorithm, recipe.class.as_ref()).is_some()
                && !recipe.names().contains(&call.function().name)
        };
        for prepare in prepares.iter().filter(belongs).take(4) {
            let mut with = recipe.clone();
            with.cost += 3 + prepare.cost;
            with.prepare = Some((*prepare).clone());
            found.push(with);
        }
    }
    found
}

/// Recipes that are also tried with a call before any key.
const PREPARED: usize = 8;

/// The decryption that belongs to an encryption: of the same mode, class and state, and named
/// alike; in CTR the encryption itself.
fn decryption<'l>(
    encrypt: &Call<'l>,
    decrypts: &[&Call<'l>],
    algorithm: &Algorithm,
    class: Option<&String>,
    scanned: &Scanned,
) -> Option<Call<'l>> {
    if algorithm.interface == Interface::ModeCtr {
        return Some(encrypt.clone());
    }
    if tells_direction(encrypt) {
        return Some(encrypt.clone());
    }
    let slots_of = |call: &Call<'_>| {
        let mut slots = call.slots.clone();
        slots.sort();
        slots
    };
    let alike = |call: &&&Call<'l>| {
        let same_size = call.has(Slot::Bytes) == encrypt.has(Slot::Bytes)
            && call.has(Slot::Blocks) == encrypt.has(Slot::Blocks);
        let plain = [Mode::Plain, Mode::Ecb];
        let blocks = algorithm.interface == Interface::BlockCipher && plain.contains(&call.mode);
        (call.mode == encrypt.mode || blocks)
            && share(call, encrypt)
            && same_unit(call, encrypt)
            && call.takes_key() == encrypt.takes_key()
            && same_size
            && call.has(Slot::Iv) == encrypt.has(Slot::Iv)
            && named(scanned, call, algorithm, class).is_some()
    };
    let likeness = |call: &&&Call<'l>| {
        let (a, b) = (&call.function().name, &encrypt.function().name);
        let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
        let tail = a
            .chars()
            .rev()
            .zip(b.chars().rev())
            .take_while(|(a, b)| a == b)
            .count();
        let file = u32::from(call.declared.file != encrypt.declared.file);
        let slots = u32::from(call.slots.len() != encrypt.slots.len())
            + u32::from(slots_of(call) != slots_of(encrypt));
        // One returns its output as the other does.
        let returns = 4 * u32::from(call.returns_output != encrypt.returns_output);
        call.cost * 8 + (file + slots + returns) * 8 + 40u32.saturating_sub((common + tail) as u32)
    };
    decrypts
        .iter()
        .filter(alike)
        .min_by_key(likeness)
        .map(|call| (*call).clone())
}
