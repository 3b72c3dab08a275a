//! Recipes of authenticated ciphers that take a message in steps.

use super::combine::{EACH, of, state_type};
use super::message::{Steps, message};
use super::named::named;
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::scan::Scanned;

/// Most calls of one step that are combined.
const WAYS: usize = 4;

pub(super) fn stepwise<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let mut found = Vec::new();
    let set_keys = of(calls, Purpose::SetKey);
    for begin in of(calls, Purpose::Begin).into_iter().take(EACH) {
        let Some(cost) = named(scanned, begin, algorithm, class) else {
            continue;
        };
        if class.is_none() && message(begin).is_none() {
            continue;
        }
        for (steps, more) in of_begin(calls, begin) {
            let mut base = Recipe::empty(algorithm, class.cloned());
            base.cost = cost + more;
            base.steps = Some(steps);
            if begin.has(Slot::Key) {
                found.push(base);
                continue;
            }
            let fits = |call: &&&Call<'l>| {
                let same = state_type(call) == state_type(begin);
                same && (class.is_some() || state_type(call).is_some()) && !call.has(Slot::Iv)
            };
            for set_key in set_keys.iter().filter(fits).take(WAYS) {
                let mut recipe = base.clone();
                recipe.cost += set_key.cost;
                recipe.set_key.push((*set_key).clone());
                found.push(recipe);
            }
        }
    }
    found
}

/// The other steps that belong to a beginning: of the same file and types.
fn of_begin<'l>(calls: &[&Call<'l>], begin: &Call<'l>) -> Vec<(Steps<'l>, u32)> {
    let base = |call: &Call<'l>| message(call).map(|parameter| parameter.base.clone());
    let belongs = |call: &&&Call<'l>| {
        let state = state_type(call);
        base(call) == base(begin)
            && (state.is_none() || state == state_type(begin))
            && call.declared.file.parent() == begin.declared.file.parent()
    };
    let step = |purpose: Purpose| -> Vec<Call<'l>> {
        let all = of(calls, purpose);
        all.iter()
            .filter(belongs)
            .take(WAYS)
            .map(|call| (*call).clone())
            .collect()
    };
    let (adds, seals, opens, tags) = (
        step(Purpose::AddData),
        step(Purpose::SealPart),
        step(Purpose::OpenPart),
        step(Purpose::TagOut),
    );
    let mut found = Vec::new();
    for add in &adds {
        for seal in &seals {
            for tag in &tags {
                let alike = |open: &&Call<'l>| open.slots == seal.slots;
                let open = opens.iter().find(alike).cloned();
                let lacks = if open.is_some() { 0 } else { 4 };
                let cost = begin.cost + add.cost + seal.cost + tag.cost + lacks;
                let steps = Steps {
                    begin: begin.clone(),
                    add: add.clone(),
                    seal: seal.clone(),
                    open,
                    tag: tag.clone(),
                };
                found.push((steps, cost));
            }
        }
    }
    found.sort_by_key(|(_, cost)| *cost);
    found.truncate(2 * WAYS);
    found
}
