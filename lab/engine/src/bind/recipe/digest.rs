//! Recipes of hashes and MACs.

use super::combine::{EACH, of, share, state_type};
use super::named::named;
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::Scanned;
use crate::scan::declarations::Parameter;
use crate::scan::words::words;

/// Most steps that are combined with one start.
const NEAREST: usize = 8;

pub(super) fn digests<'c, 'l>(
    scanned: &Scanned,
    calls: &[&'c Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let is_mac = algorithm.interface == Interface::Mac;
    let cost_of = |call: &Call<'l>| named(scanned, call, algorithm, class);
    let keyed = |call: &Call<'l>| call.has(Slot::Key);
    let of_algorithm = |call: &&Call<'l>| cost_of(call).is_some();
    let mut found = Vec::new();
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
    let starts = [of(calls, Purpose::Start), own_constructors(calls, class)].concat();
    let all = starts.into_iter();
    for start in all.filter(of_algorithm).take(EACH * 2) {
        let Some(cost) = cost_of(start).filter(|_| is_mac || !keyed(start)) else {
            continue;
        };
        let mut base = Recipe::empty(algorithm, class.cloned());
        base.cost = cost + start.cost + 2 * u32::from(start.purpose == Purpose::Construct);
        if is_mac && !keyed(start) {
            let Some(set_key) = separate_key(calls, start) else {
                continue;
            };
            base.cost += set_key.cost + 1;
            base.set_key.push(set_key);
        }
        if class.is_some() || state_type(start).is_some() {
            found.extend(in_pieces(scanned, calls, start, &base));
        }
    }
    found
}

/// The recipes of a hash in pieces that begin with this start.
fn in_pieces<'c, 'l>(
    scanned: &Scanned,
    calls: &[&'c Call<'l>],
    start: &'c Call<'l>,
    base: &Recipe<'l>,
) -> Vec<Recipe<'l>> {
    let nearest = |purpose: Purpose| -> Vec<&'c Call<'l>> {
        let belongs = |call: &&Call<'l>| {
            (base.class.is_some() || state_type(call).is_some())
                && share(call, start)
                && call.function().name != start.function().name
        };
        let mut found: Vec<&Call<'l>> = of(calls, purpose).into_iter().filter(belongs).collect();
        found.sort_by_key(|step| step.cost + distance(start, step));
        found.truncate(NEAREST);
        found
    };
    let finishes = nearest(Purpose::Finish);
    let mut found = Vec::new();
    for update in nearest(Purpose::Update) {
        for finish in &finishes {
            if finish.function().name == update.function().name {
                continue;
            }
            let mut recipe = base.clone();
            recipe.cost += update.cost + finish.cost;
            let bits = |call: &Call<'l>| call.has(Slot::DigestBits);
            let bytes = |call: &Call<'l>| call.has(Slot::DigestBytes);
            if bits(start) && bytes(finish) || bytes(start) && bits(finish) {
                recipe.cost += 6;
            }
            recipe.cost += distance(start, update) + distance(start, finish);
            recipe.start = Some(start.clone());
            recipe.update = Some(update.clone());
            recipe.finish = Some((*finish).clone());
            found.extend(with_rate(scanned, &recipe));
            found.push(recipe);
        }
    }
    found
}

/// The recipe in which the caller sets the rate: of a sponge whose functions are not told it, and
/// whose state has a member for it.
fn with_rate<'l>(scanned: &Scanned, recipe: &Recipe<'l>) -> Option<Recipe<'l>> {
    const TELL: [Slot; 5] = [
        Slot::Rate,
        Slot::RateBytes,
        Slot::Capacity,
        Slot::DigestBytes,
        Slot::DigestBits,
    ];
    let start = recipe.start.as_ref()?;
    let is_told = TELL.iter().any(|slot| start.has(*slot));
    if is_told || !recipe.algorithm.name.starts_with("sha3-") {
        return None;
    }
    let tag = start.state_type.as_ref()?;
    let is_rate = |member: &&Parameter| {
        let name = words(&member.name).concat();
        member.pointers == 0 && ["rate", "blocksize", "ratebytes"].contains(&name.as_str())
    };
    let members = scanned.members.get(tag)?;
    let member = members.iter().find(is_rate)?;
    Some(Recipe {
        rate_field: Some(member.name.clone()),
        ..recipe.clone()
    })
}

/// How unlike a step is to the start of its hash: steps of one hash have the same words but one, as
/// blake2s_init and blake2s_update.
fn distance(start: &Call<'_>, step: &Call<'_>) -> u32 {
    if start.purpose == Purpose::Construct {
        return 0;
    }
    let (a, b) = (&start.function().name, &step.function().name);
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let far = start.declared.file != step.declared.file;
    let others = words(b);
    let lacks = words(a)
        .iter()
        .filter(|word| !others.contains(word))
        .count();
    u32::from(far)
        + u32::from(common < a.len().min(b.len()) / 2) * 2
        + 2 * u32::try_from(lacks.saturating_sub(1)).unwrap_or(0)
}

/// The constructors of a class: of a class without another start, each message has a new object.
fn own_constructors<'c, 'l>(calls: &[&'c Call<'l>], class: Option<&String>) -> Vec<&'c Call<'l>> {
    let plain = class.and_then(|class| class.split('<').next());
    let mut found = of(calls, Purpose::Construct);
    found.retain(|call| plain.is_some() && call.function().class.as_deref() == plain);
    found
}

/// The function that gives a MAC its key, where the start does not take it.
fn separate_key<'l>(calls: &[&Call<'l>], start: &Call<'l>) -> Option<Call<'l>> {
    let belongs = |call: &&&Call<'l>| {
        call.declared.file == start.declared.file
            && state_type(call) == state_type(start)
            && !call.has(Slot::Iv)
    };
    let all = of(calls, Purpose::SetKey);
    all.iter().find(belongs).map(|call| (*call).clone())
}
