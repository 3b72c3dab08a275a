//! Recipes of modes that have a state of their own, made from that of a block cipher.

use super::combine::{EACH, of, share, state_type};
use super::named::named;
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::{Call, Mode};
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::Scanned;

/// Most key set-ups that are combined with one mode.
const KEYS: usize = 6;

/// The recipes of a mode whose set-up takes the state of a block cipher and an IV. The names of the
/// mode's functions need not speak of the cipher, which may be any.
pub(super) fn over_ciphers<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let mode = match algorithm.interface {
        Interface::ModeCbc => Mode::Cbc,
        Interface::ModeCtr => Mode::Ctr,
        _ => return Vec::new(),
    };
    let set_keys = keys_of_cipher(scanned, calls, algorithm);
    let starts = of(calls, Purpose::SetIv).into_iter();
    let starts: Vec<&Call<'l>> = starts.filter(|call| call.has(Slot::Cipher)).collect();
    let mut found = Vec::new();
    if class.is_some() || set_keys.is_empty() {
        return found;
    }
    let decrypts = of(calls, Purpose::Decrypt);
    let takes_message = |call: &&&Call<'l>| {
        call.mode == mode && call.has(Slot::State) && !call.takes_key() && !call.has(Slot::Iv)
    };
    let encrypts = of(calls, Purpose::Encrypt);
    for encrypt in encrypts.iter().filter(takes_message).take(EACH) {
        let belongs = |call: &&&Call<'l>| {
            share(call, encrypt) && call.mode == mode && call.declared.file == encrypt.declared.file
        };
        for start in starts.iter().filter(belongs).take(KEYS) {
            for set_key in &set_keys {
                let mut recipe = Recipe::empty(algorithm, None);
                recipe.encrypt = handle(encrypt, start);
                recipe.set_iv = handle(start, start);
                recipe.set_key.push((*set_key).clone());
                recipe.decrypt = match algorithm.interface {
                    Interface::ModeCtr => recipe.encrypt.clone(),
                    _ => back(encrypt, &decrypts).and_then(|call| handle(call, start)),
                };
                let back = recipe.decrypt.as_ref().map_or(3, |call| call.cost);
                recipe.cost = 3 + encrypt.cost + start.cost + set_key.cost + back;
                if recipe.encrypt.is_some() && recipe.set_iv.is_some() {
                    found.push(recipe);
                }
            }
        }
    }
    found
}

/// A call of a mode; if the mode makes its own state, without the types that only its source knows.
fn handle<'l>(call: &Call<'l>, start: &Call<'l>) -> Option<Call<'l>> {
    match start.has(Slot::StateOut) {
        true => call.as_handle(),
        false => Some(call.clone()),
    }
}

/// The key set-ups of the algorithm's block cipher.
fn keys_of_cipher<'c, 'l>(
    scanned: &Scanned,
    calls: &[&'c Call<'l>],
    algorithm: &Algorithm,
) -> Vec<&'c Call<'l>> {
    let bits = 8 * algorithm.key_bytes.unwrap_or(0);
    let block = Algorithm {
        name: format!("{}-{bits}", algorithm.family),
        interface: Interface::BlockCipher,
        ..algorithm.clone()
    };
    let plain = [Mode::Plain, Mode::Ecb];
    let mut found = of(calls, Purpose::SetKey);
    found.retain(|call| {
        plain.contains(&call.mode)
            && state_type(call).is_some()
            && !call.has(Slot::Iv)
            && call.direction != Some(Purpose::Decrypt)
            && named(scanned, call, &block, None).is_some()
    });
    // A mode calls the cipher by an object, which the cipher makes.
    found.sort_by_key(|call| (!call.has(Slot::StateOut), call.cost));
    found.truncate(KEYS);
    found
}

/// The decryption of a mode: of the same state and arguments.
fn back<'c, 'l>(encrypt: &Call<'l>, decrypts: &[&'c Call<'l>]) -> Option<&'c Call<'l>> {
    let alike = |call: &&&Call<'l>| {
        call.mode == encrypt.mode && share(call, encrypt) && call.slots.len() == encrypt.slots.len()
    };
    let same = |call: &&&Call<'l>| (call.slots != encrypt.slots, call.cost);
    let found = decrypts.iter().filter(alike).min_by_key(same);
    found.copied()
}
