//! Recipes of CTR for a class whose caller writes the key and the counter block to its members, and
//! whose method then takes the next byte or block of a message.

use super::apart::moved;
use super::combine::of;
use super::named::named;
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::{Call, Mode};
use crate::bind::slot::{Purpose, Slot};
use crate::bind::types::product;
use crate::interface::Interface;
use crate::scan::declarations::Parameter;
use crate::scan::words::words;
use crate::scan::{Held, Role, Scanned};

/// Most methods for each step.
const METHODS: usize = 3;

pub(super) fn by_members<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let Some(class) = class.filter(|_| algorithm.interface == Interface::ModeCtr) else {
        return Vec::new();
    };
    let Some(counter) = counter(scanned, class) else {
        return Vec::new();
    };
    let holds_key = |held: &&Held| {
        let fits = algorithm.key_bytes.is_some_and(|bytes| bytes <= held.bytes);
        held.role == Role::Key && held.owner.as_ref() == Some(class) && fits
    };
    let places: Vec<Call<'l>> = scanned
        .held
        .iter()
        .filter(holds_key)
        .map(|held| moved(held, Purpose::SetKey))
        .collect();
    let begins = of(calls, Purpose::Prepare).into_iter();
    let begins = begins.filter(|call| call.slots.is_empty()).take(METHODS);
    let begins: Vec<Option<&Call<'l>>> = begins.map(Some).chain([None]).collect();
    let takes = |call: &&&Call<'l>| {
        call.slots == [Slot::InPlace] && [Mode::Plain, Mode::Ctr].contains(&call.mode)
    };
    let mut found = Vec::new();
    for next in of(calls, Purpose::Encrypt)
        .iter()
        .filter(takes)
        .take(METHODS)
    {
        let Some(cost) = named(scanned, next, algorithm, Some(class)) else {
            continue;
        };
        for key in &places {
            for (begin, each_byte) in begins.iter().flat_map(|one| [(one, true), (one, false)]) {
                let mut recipe = Recipe::empty(algorithm, Some(class.clone()));
                recipe.cost = cost + next.cost + 2 * u32::from(begin.is_none()) + 4;
                recipe.set_key = [Some(key), *begin].into_iter().flatten().cloned().collect();
                recipe.encrypt = Some((*next).clone());
                recipe.decrypt = Some((*next).clone());
                recipe.iv_place = Some(format!("object.{counter}"));
                recipe.each_byte = each_byte;
                found.push(recipe);
            }
        }
    }
    found
}

/// The member for the counter block that a caller can write.
fn counter<'s>(scanned: &'s Scanned, class: &str) -> Option<&'s str> {
    let hidden = scanned.private_members.get(class);
    let is_open = |member: &&Parameter| hidden.is_none_or(|names| !names.contains(&member.name));
    let is_counter = |member: &&Parameter| {
        let bytes = member
            .array
            .as_ref()
            .and_then(|text| product(scanned, text));
        let names = ["counter", "ctr", "nonce", "iv"];
        bytes == Some(16)
            && words(&member.name)
                .iter()
                .any(|word| names.contains(&&**word))
    };
    let mut members = scanned.members.get(class)?.iter().filter(is_open);
    members.find(is_counter).map(|member| member.name.as_str())
}
