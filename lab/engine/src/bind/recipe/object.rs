//! The objects whose methods a recipe calls: classes, instances of class templates, and their
//! constructors.

use std::collections::BTreeSet;

use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::scan::Scanned;
use crate::scan::words::words;

/// A class that can be used.
pub(super) struct Object {
    /// Its name as the glue writes it: `AES128`, `CBC<AES128>`.
    pub spelled: String,
    /// The class, and all that it is made from.
    pub ancestors: BTreeSet<String>,
    /// Only its static methods can be called.
    pub is_closed: bool,
}

/// Most instances of a class template for one algorithm.
const INSTANCES: usize = 4;

/// The classes that can be used for an algorithm.
pub(super) fn objects(scanned: &Scanned, algorithm: &Algorithm) -> Vec<Object> {
    let mut objects = Vec::new();
    for class in scanned.classes.keys().filter(|class| !class.is_empty()) {
        let ancestors = ancestors(scanned, class);
        if is_abstract(scanned, &ancestors) {
            continue;
        }
        for spelled in spellings(scanned, class, algorithm) {
            objects.push(Object {
                spelled,
                ancestors: ancestors.clone(),
                is_closed: scanned.closed.contains(class),
            });
        }
    }
    objects
}

fn ancestors(scanned: &Scanned, class: &str) -> BTreeSet<String> {
    let mut ancestors = BTreeSet::new();
    let mut open = vec![class.to_owned()];
    while let Some(next) = open.pop() {
        if ancestors.insert(next.clone()) {
            open.extend(scanned.classes.get(&next).into_iter().flatten().cloned());
        }
    }
    ancestors
}

/// True if a method is pure and nothing overrides it.
fn is_abstract(scanned: &Scanned, ancestors: &BTreeSet<String>) -> bool {
    let of_class = |of: &Option<String>| of.as_ref().is_some_and(|of| ancestors.contains(of));
    let methods: Vec<_> = scanned
        .functions
        .iter()
        .map(|declared| &declared.function)
        .filter(|function| of_class(&function.class))
        .collect();
    methods.iter().any(|pure| {
        let overrides = |other: &&&crate::scan::declarations::Function| {
            other.name == pure.name && !other.is_pure
        };
        pure.is_pure && methods.iter().find(overrides).is_none()
    })
}

/// The class itself, or the instances of a class template that fit the algorithm.
fn spellings(scanned: &Scanned, class: &str, algorithm: &Algorithm) -> Vec<String> {
    let Some(parameters) = scanned.templates.get(class) else {
        return vec![class.to_owned()];
    };
    let Some(first) = parameters.first() else {
        return Vec::new();
    };
    let bytes = algorithm.key_bytes.unwrap_or(16);
    let of_type = ["typename", "class"].contains(&first.base.as_str());
    if !of_type {
        return vec![
            format!("{class}<{}>", 8 * bytes),
            format!("{class}<{bytes}>"),
        ];
    }
    let bits = (8 * bytes).to_string();
    let fits = |name: &&String| {
        let words = words(name);
        let family = algorithm.family.to_lowercase();
        let other = ["128", "192", "256"]
            .iter()
            .any(|size| *size != bits && words.iter().any(|word| word == size));
        let open = scanned.closed.contains(*name) || scanned.templates.contains_key(*name);
        name.to_lowercase().contains(&family) && !other && !open
    };
    let mut names: Vec<&String> = scanned.classes.keys().filter(fits).collect();
    names.sort_by_key(|name| !name.contains(&bits));
    let instances = names.into_iter().take(INSTANCES);
    instances.map(|name| format!("{class}<{name}>")).collect()
}

/// The recipes with each way to construct their object.
pub(super) fn constructed<'l>(
    calls: &[Call<'l>],
    object: &Object,
    recipes: Vec<Recipe<'l>>,
) -> Vec<Recipe<'l>> {
    let plain = object.spelled.split('<').next().unwrap_or_default();
    let own: Vec<&Call<'l>> = calls
        .iter()
        .filter(|call| call.purpose == Purpose::Construct)
        .filter(|call| call.function().class.as_deref() == Some(plain))
        .collect();
    let sized = |call: &&&Call<'l>| {
        [Slot::KeyName, Slot::KeyBytes, Slot::KeyBits]
            .iter()
            .any(|slot| call.has(*slot))
    };
    let with_size = own.iter().any(|call| sized(&call));
    let has_default = own.is_empty() || own.iter().any(|call| call.slots.is_empty());
    let mut found = Vec::new();
    for recipe in recipes {
        if recipe.construct.is_some() || recipe.starts_by_constructor() {
            found.push(recipe);
            continue;
        }
        let keyless = own
            .iter()
            .filter(|call| !call.has(Slot::Key) && !call.slots.is_empty());
        for call in keyless.take(4) {
            let mut with = recipe.clone();
            with.cost += call.cost + u32::from(has_default && !sized(&call)) * 3;
            with.construct = Some((*call).clone());
            // A method cannot set up an object that only a message makes.
            if with.set_key.is_empty() || !with.constructs_each() {
                found.push(with);
            }
        }
        let mut plain = recipe;
        // A constructor may have a default for each argument.
        plain.cost += match (has_default, with_size) {
            (true, false) => 0,
            (true, true) => 2,
            (false, _) => 5,
        };
        found.push(plain);
    }
    found
}
