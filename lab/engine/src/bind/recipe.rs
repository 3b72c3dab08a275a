//! Recipes: calls of a library that together make the operations of one algorithm.

mod aead;
mod cipher;
mod digest;
mod named;
mod object;
pub mod public;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use self::public::KeyCalls;
pub use self::steps::Steps;
use super::call::{Call, Mode};
use super::slot::{Purpose, Slot};
use crate::algorithm::Algorithm;
use crate::interface::Interface;
use crate::scan::Scanned;

/// Calls for the operations of an algorithm.
#[derive(Clone, Debug)]
pub struct Recipe<'l> {
    pub algorithm: &'l Algorithm,
    /// The class whose object the methods are called on.
    pub class: Option<String>,
    /// The constructor of the object, unless it has no arguments.
    pub construct: Option<Call<'l>>,
    /// What is called once, before any key.
    pub prepare: Option<Call<'l>>,
    pub set_key: Vec<Call<'l>>,
    pub set_iv: Option<Call<'l>>,
    pub encrypt: Option<Call<'l>>,
    pub decrypt: Option<Call<'l>>,
    pub start: Option<Call<'l>>,
    pub update: Option<Call<'l>>,
    pub finish: Option<Call<'l>>,
    pub digest: Option<Call<'l>>,
    /// The calls for a message that is sealed in steps.
    pub steps: Option<Steps<'l>>,
    /// The calls of a key agreement or a signature.
    pub keys: Option<KeyCalls<'l>>,
    /// The member of the state that selects the mode, and its value.
    pub mode_field: Option<(String, String)>,
    /// The library pads a CBC message itself.
    pub pads: bool,
    /// The glue includes the headers that the sources of its functions include, in their order,
    /// because a header alone does not compile.
    pub as_source: bool,
    /// Compiler flags that select the algorithm, such as `-DAES256=1`.
    pub flags: Vec<String>,
    pub cost: u32,
}

/// Most recipes of one algorithm.
const RECIPES: usize = 60;

/// Ways to call the same functions that are tried before other functions.
const FIRST_WAYS: usize = 4;

/// A recipe of a higher cost is not tried.
const IMPLAUSIBLE: u32 = 34;

/// Most calls of one purpose that are combined.
const EACH: usize = 24;

impl<'l> Recipe<'l> {
    fn empty(algorithm: &'l Algorithm, class: Option<String>) -> Recipe<'l> {
        Recipe {
            algorithm,
            class,
            construct: None,
            prepare: None,
            set_key: Vec::new(),
            set_iv: None,
            encrypt: None,
            decrypt: None,
            start: None,
            update: None,
            finish: None,
            digest: None,
            steps: None,
            keys: None,
            mode_field: None,
            pads: false,
            as_source: false,
            flags: Vec::new(),
            cost: 0,
        }
    }

    /// True if a call takes an IV that the algorithm does not have: the function is that of a mode.
    pub fn is_of_a_mode(&self) -> bool {
        let single = [Interface::BlockCipher, Interface::ModeEcb];
        let takes_iv = self.calls().iter().any(|call| call.has(Slot::Iv));
        single.contains(&self.algorithm.interface) && takes_iv && self.mode_field.is_none()
    }

    /// True if the set-up returns a pointer to the state.
    pub fn returns_state(&self) -> bool {
        let prepare = self.prepare.iter();
        let mut sets = self.set_key.iter().chain(prepare);
        sets.any(|call| call.returns_output)
    }

    /// True if the constructor takes what differs from message to message.
    pub fn constructs_each(&self) -> bool {
        let takes = [Slot::Key, Slot::Iv, Slot::Encrypts, Slot::Decrypts];
        let construct = self.construct.as_ref();
        construct.is_some_and(|call| takes.iter().any(|slot| call.has(*slot)))
    }

    /// True if a function can be called only by including its source.
    pub fn includes_source(&self) -> bool {
        self.calls().iter().any(|call| call.declared.by_inclusion)
    }

    /// Implausible if one call takes the size of the key in bytes, and another in bits.
    fn mixes_units(&self) -> bool {
        let has = |slot: Slot| self.calls().iter().any(|call| call.has(slot));
        has(Slot::KeyBytes) && has(Slot::KeyBits)
    }

    /// Every call, each once.
    pub fn calls(&self) -> Vec<&Call<'l>> {
        let single = [
            &self.prepare,
            &self.construct,
            &self.set_iv,
            &self.encrypt,
            &self.decrypt,
            &self.start,
            &self.update,
            &self.finish,
            &self.digest,
        ];
        self.set_key
            .iter()
            .chain(single.into_iter().flatten())
            .chain(self.steps.iter().flat_map(Steps::calls))
            .chain(self.keys.iter().flat_map(KeyCalls::calls))
            .collect()
    }

    /// The names of the called functions, without repetition.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for call in self.calls() {
            let name = call.function().name.clone();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// True if neither the name of the function nor anything else says that it has the mode.
    pub fn guesses_mode(&self) -> bool {
        let encrypt = self.encrypt.as_ref();
        let modes = [Interface::ModeEcb, Interface::ModeCbc, Interface::ModeCtr];
        modes.contains(&self.algorithm.interface)
            && self.mode_field.is_none()
            && encrypt.is_some_and(|call| call.mode == Mode::Plain)
    }

    /// True if an authenticated cipher also opens.
    fn opens(&self) -> bool {
        let in_steps = self.steps.as_ref().and_then(|steps| steps.open.as_ref());
        self.decrypt.is_some() || in_steps.is_some()
    }

    /// The operations that the glue offers.
    pub fn operations(&self) -> Vec<&'static str> {
        match self.algorithm.interface {
            Interface::Hash if self.digest.is_some() => vec!["hash"],
            Interface::Hash => vec!["hash", "start", "update", "finish"],
            Interface::Mac if self.digest.is_some() => vec!["mac"],
            Interface::Mac => vec!["mac", "start", "update", "finish"],
            Interface::Dh => vec!["keygen", "shared-secret"],
            Interface::Signature => vec!["keygen", "sign", "verify"],
            Interface::Aead if !self.opens() => vec!["key-setup", "seal"],
            Interface::Aead => vec!["key-setup", "seal", "open"],
            _ if self.decrypt.is_none() => vec!["key-setup", "encrypt"],
            _ => vec!["key-setup", "encrypt", "decrypt"],
        }
    }
}

/// The recipes for an algorithm, the most plausible first.
pub fn recipes<'l>(
    scanned: &'l Scanned,
    calls: &[Call<'l>],
    algorithm: &'l Algorithm,
) -> Vec<Recipe<'l>> {
    let free: Vec<&Call<'l>> = calls
        .iter()
        .filter(|call| call.function().class.is_none())
        .collect();
    let mut found = of_calls(scanned, &free, algorithm, None);
    for object in &object::objects(scanned, algorithm) {
        let methods: Vec<&Call<'l>> = calls
            .iter()
            .filter(|call| {
                let of = call.function().class.as_ref();
                of.is_some_and(|of| object.ancestors.contains(of))
                    && !call.function().is_pure
                    && (!object.is_closed || call.function().is_static)
                    && call.purpose != Purpose::Construct
                    || call.purpose == Purpose::Construct && !object.is_closed
            })
            .collect();
        let of_class = of_calls(scanned, &methods, algorithm, Some(&object.spelled));
        found.extend(object::constructed(calls, object, of_class));
    }
    for recipe in &mut found {
        if recipe.mixes_units() {
            recipe.cost += 8;
        }
    }
    // What a library hides in a source is a guess only where it shows nothing.
    let shows = found.iter().any(|recipe| !recipe.includes_source());
    found.retain(|recipe| !recipe.includes_source() || !shows && !recipe.guesses_mode());
    found.retain(|recipe| recipe.cost <= IMPLAUSIBLE);
    found.sort_by_key(|recipe| recipe.cost);
    // Other functions are a better guess than the tenth way to call the same ones.
    let mut ways: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    found.sort_by_cached_key(|recipe| {
        let way = ways.entry(recipe.names()).or_default();
        *way += 1;
        (*way > FIRST_WAYS, recipe.cost)
    });
    let mut kept: Vec<Recipe<'l>> = Vec::new();
    let mut seen = BTreeSet::new();
    for recipe in found {
        let key: Vec<(String, Vec<Slot>, bool)> = recipe
            .calls()
            .iter()
            .map(|call| {
                (
                    call.function().name.clone(),
                    call.slots.clone(),
                    call.returns_output,
                )
            })
            .collect();
        let keys = recipe
            .keys
            .as_ref()
            .map(|keys| (keys.zero_fails, keys.form as u8));
        if seen.insert((recipe.class.clone(), key, recipe.pads, keys)) {
            kept.push(recipe);
        }
        if kept.len() == RECIPES {
            break;
        }
    }
    kept
}

fn of_calls<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    if calls.is_empty() {
        return Vec::new();
    }
    match algorithm.interface {
        Interface::BlockCipher | Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr => {
            cipher::ciphers(scanned, calls, algorithm, class)
        }
        Interface::Hash | Interface::Mac => digest::digests(scanned, calls, algorithm, class),
        Interface::Dh | Interface::Signature => public::recipes(scanned, calls, algorithm, class),
        Interface::Aead => {
            let mut found = aead::sealers(scanned, calls, algorithm, class);
            found.extend(steps::stepwise(scanned, calls, algorithm, class));
            found
        }
        _ => Vec::new(),
    }
}

/// The type of the state that a call takes or returns, for comparison.
fn state_type(call: &Call<'_>) -> Option<String> {
    let plain = |base: &str| base.trim().trim_start_matches("struct ").trim().to_owned();
    if [Purpose::SetKey, Purpose::Prepare].contains(&call.purpose) && call.returns_output {
        return Some(plain(&call.function().result.replace('*', "")));
    }
    call.state().map(|parameter| plain(&parameter.base))
}

/// True if two calls can share one state.
fn share(a: &Call<'_>, b: &Call<'_>) -> bool {
    match (state_type(a), state_type(b)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

fn of<'c, 'l>(calls: &[&'c Call<'l>], purpose: Purpose) -> Vec<&'c Call<'l>> {
    let mut found: Vec<&Call<'l>> = calls
        .iter()
        .filter(|call| call.purpose == purpose)
        .copied()
        .collect();
    found.sort_by_key(|call| call.cost);
    found
}
