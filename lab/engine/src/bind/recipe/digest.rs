//! Recipes of hashes and MACs.

use super::combine::{EACH, of, share, state_type};
use super::named::named;
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::Scanned;

pub(super) fn digests<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let is_mac = algorithm.interface == Interface::Mac;
    let cost_of = |call: &Call<'l>| named(scanned, call, algorithm, class);
    let keyed = |call: &Call<'l>| call.has(Slot::Key);
    let mut found = Vec::new();
    let of_algorithm = |call: &&Call<'l>| cost_of(call).is_some();
    let all = of(calls, Purpose::Digest).into_iter();
    for digest in all.filter(of_algorithm).take(EACH * 4) {
        let stateless = !digest.has(Slot::State) && class.is_none();
        if let (Some(cost), true) = (cost_of(digest), stateless && keyed(digest) == is_mac) {
            let mut recipe = Recipe::empty(algorithm, class.cloned());
            recipe.digest = Some(digest.clone());
            recipe.cost = cost + digest.cost;
            found.push(recipe);
        }
    }
    let updates = of(calls, Purpose::Update);
    let finishes = of(calls, Purpose::Finish);
    let all = of(calls, Purpose::Start).into_iter();
    for start in all.filter(of_algorithm).take(EACH * 2) {
        let Some(cost) = cost_of(start).filter(|_| keyed(start) == is_mac) else {
            continue;
        };
        let belongs = |call: &&&Call<'l>| {
            (class.is_some() || state_type(call).is_some())
                && share(call, start)
                && call.function().name != start.function().name
        };
        if class.is_none() && state_type(start).is_none() {
            continue;
        }
        for update in updates.iter().filter(belongs).take(8) {
            for finish in finishes.iter().filter(belongs).take(8) {
                if finish.function().name == update.function().name {
                    continue;
                }
                let mut recipe = Recipe::empty(algorithm, class.cloned());
                recipe.cost = cost + start.cost + update.cost + finish.cost;
                let bits = |call: &Call<'l>| call.has(Slot::DigestBits);
                let bytes = |call: &Call<'l>| call.has(Slot::DigestBytes);
                if bits(start) && bytes(finish) || bytes(start) && bits(finish) {
                    recipe.cost += 6;
                }
                // Steps of one hash begin alike: blake2s_init, blake2s_update.
                for step in [update, finish] {
                    let (a, b) = (&start.function().name, &step.function().name);
                    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
                    let far = start.declared.file != step.declared.file;
                    recipe.cost +=
                        u32::from(far) + u32::from(common < a.len().min(b.len()) / 2) * 2;
                }
                recipe.start = Some(start.clone());
                recipe.update = Some((*update).clone());
                recipe.finish = Some((*finish).clone());
                found.push(recipe);
            }
        }
    }
    found
}
