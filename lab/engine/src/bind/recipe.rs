//! Recipes: calls of a library that together make the operations of one algorithm.

use std::collections::{BTreeMap, BTreeSet};

use super::call::{Call, Mode};
use super::slot::{Purpose, Slot};
use crate::algorithm::Algorithm;
use crate::interface::Interface;
use crate::scan::Scanned;
use crate::scan::words::words;

/// Calls for the operations of an algorithm.
#[derive(Clone, Debug)]
pub struct Recipe<'l> {
    pub algorithm: &'l Algorithm,
    /// The class whose object the methods are called on.
    pub class: Option<String>,
    pub set_key: Vec<Call<'l>>,
    pub set_iv: Option<Call<'l>>,
    pub encrypt: Option<Call<'l>>,
    pub decrypt: Option<Call<'l>>,
    pub start: Option<Call<'l>>,
    pub update: Option<Call<'l>>,
    pub finish: Option<Call<'l>>,
    pub digest: Option<Call<'l>>,
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
            set_key: Vec::new(),
            set_iv: None,
            encrypt: None,
            decrypt: None,
            start: None,
            update: None,
            finish: None,
            digest: None,
            pads: false,
            as_source: false,
            flags: Vec::new(),
            cost: 0,
        }
    }

    /// True if the set-up returns a pointer to the state.
    pub fn returns_state(&self) -> bool {
        self.set_key.iter().any(|call| call.returns_output)
    }

    /// True if the opening of an authenticated cipher returns nothing.
    pub fn opens_without_result(&self) -> bool {
        let opens = self.algorithm.interface == Interface::Aead;
        let open = self.decrypt.as_ref().filter(|_| opens);
        open.is_some_and(|call| call.function().result.trim() == "void")
    }

    /// Every call, each once.
    pub fn calls(&self) -> Vec<&Call<'l>> {
        let single = [
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

    /// The operations that the glue offers.
    pub fn operations(&self) -> Vec<&'static str> {
        match self.algorithm.interface {
            Interface::Hash if self.digest.is_some() => vec!["hash"],
            Interface::Hash => vec!["hash", "start", "update", "finish"],
            Interface::Mac if self.digest.is_some() => vec!["mac"],
            Interface::Mac => vec!["mac", "start", "update", "finish"],
            Interface::Aead if self.decrypt.is_none() => vec!["key-setup", "seal"],
            Interface::Aead => vec!["key-setup", "seal", "open"],
            _ if self.decrypt.is_none() => vec!["key-setup", "encrypt"],
            _ => vec!["key-setup", "encrypt", "decrypt"],
        }
    }
}

/// The recipes for an algorithm, the most plausible first.
pub fn recipes<'l>(
    scanned: &Scanned,
    calls: &[Call<'l>],
    algorithm: &'l Algorithm,
) -> Vec<Recipe<'l>> {
    let objects = objects(scanned);
    let free: Vec<&Call<'l>> = calls
        .iter()
        .filter(|call| call.function().class.is_none())
        .collect();
    let mut found = of_calls(scanned, &free, algorithm, None);
    for (class, ancestors) in &objects {
        let methods: Vec<&Call<'l>> = calls
            .iter()
            .filter(|call| {
                let of = call.function().class.as_ref();
                of.is_some_and(|of| ancestors.contains(of)) && !call.function().is_pure
            })
            .collect();
        found.extend(of_calls(scanned, &methods, algorithm, Some(class)));
    }
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
        if seen.insert((recipe.class.clone(), key, recipe.pads)) {
            kept.push(recipe);
        }
        if kept.len() == RECIPES {
            break;
        }
    }
    kept
}

/// Classes that can be instantiated, each with itself and all that it is made from.
fn objects(scanned: &Scanned) -> Vec<(String, BTreeSet<String>)> {
    let mut objects = Vec::new();
    for class in scanned.classes.keys().filter(|class| !class.is_empty()) {
        let mut ancestors = BTreeSet::new();
        let mut open = vec![class.clone()];
        while let Some(next) = open.pop() {
            if ancestors.insert(next.clone()) {
                open.extend(scanned.classes.get(&next).into_iter().flatten().cloned());
            }
        }
        let has = |name: &str, of: &dyn Fn(bool) -> bool| {
            scanned.functions.iter().any(|declared| {
                let function = &declared.function;
                function.name == name
                    && of(function.is_pure)
                    && function
                        .class
                        .as_ref()
                        .is_some_and(|of| ancestors.contains(of))
            })
        };
        let is_abstract = scanned.functions.iter().any(|declared| {
            let function = &declared.function;
            function.is_pure
                && function
                    .class
                    .as_ref()
                    .is_some_and(|of| ancestors.contains(of))
                && !has(&function.name, &|pure| !pure)
        });
        if !is_abstract {
            objects.push((class.clone(), ancestors));
        }
    }
    objects
}

fn of_calls<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    if calls.is_empty() {
        return Vec::new();
    }
    match algorithm.interface {
        Interface::BlockCipher | Interface::ModeEcb | Interface::ModeCbc | Interface::ModeCtr => {
            ciphers(scanned, calls, algorithm, class)
        }
        Interface::Hash | Interface::Mac => digests(scanned, calls, algorithm, class),
        Interface::Aead => sealers(scanned, calls, algorithm, class),
        _ => Vec::new(),
    }
}

/// The cost of an algorithm for a call, by its names; `None` if it cannot be of it.
fn named(
    scanned: &Scanned,
    call: &Call<'_>,
    algorithm: &Algorithm,
    class: Option<&String>,
) -> Option<u32> {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        let text: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        text.replace("rijndael", "aes").replace("keccak", "sha3")
    };
    let function = &call.declared.function;
    let near = [
        function.name.as_str(),
        class.map_or("", String::as_str),
        function.class.as_deref().unwrap_or_default(),
    ]
    .map(plain)
    .concat();
    let folder = scanned
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let path = call.declared.file.to_string_lossy();
    let far = format!("{}{}", plain(&path), plain(&folder));
    let name = plain(&algorithm.name);
    let (letters, digits) = split(&algorithm.name);
    if near.contains(&name) {
        return Some(0);
    }
    // Another size or kind in the function's own name speaks against it.
    let other = words(&near).iter().any(|word| {
        ["128", "192", "256", "384", "512", "224"].contains(&word.as_str())
            && !digits.contains(word)
    });
    let is_sha2 = letters.iter().any(|word| word == "sha");
    if other || is_sha2 && near.contains("sha3") {
        return None;
    }
    let says = |text: &str| letters.iter().all(|word| text.contains(word.as_str()));
    if says(&near) || far.contains(&name) {
        Some(1)
    } else if says(&format!("{near}{far}")) {
        Some(2)
    } else {
        None
    }
}

/// The words of an algorithm's name that a library must say, and its numbers. Modes and the words
/// of an interface are not in the list: the calls say them.
fn split(name: &str) -> (Vec<String>, Vec<String>) {
    const BY_CALLS: [&str; 5] = ["cbc", "ctr", "ecb", "aead128", "hash256"];
    let is_number = |part: &&str| part.chars().all(|c| c.is_ascii_digit());
    let parts: Vec<&str> = name.split(['-', '/']).collect();
    let numbers = parts
        .iter()
        .copied()
        .filter(is_number)
        .map(str::to_owned)
        .collect();
    let said = parts
        .iter()
        .copied()
        .filter(|part| !is_number(part) && !BY_CALLS.contains(part));
    // Of `chacha20` and `speck128` the number is often left out; of `sha3` it is the name.
    let stem = |part: &str| match part {
        "sha3" | "blake2s" => part.to_owned(),
        _ => part
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned(),
    };
    (said.map(stem).collect(), numbers)
}

/// The type of the state that a call takes or returns, for comparison.
fn state_type(call: &Call<'_>) -> Option<String> {
    let plain = |base: &str| base.trim().trim_start_matches("struct ").trim().to_owned();
    if call.purpose == Purpose::SetKey && call.returns_output {
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

fn ciphers<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let modes: &[Mode] = match algorithm.interface {
        Interface::ModeCbc => &[Mode::Cbc],
        Interface::ModeCtr => &[Mode::Ctr],
        Interface::ModeEcb => &[Mode::Ecb],
        _ => &[Mode::Plain, Mode::Ecb],
    };
    let fits = |call: &&&Call<'l>| modes.contains(&call.mode);
    let encrypts = of(calls, Purpose::Encrypt);
    let decrypts = of(calls, Purpose::Decrypt);
    let mut found = Vec::new();
    for encrypt in encrypts.iter().filter(fits).take(EACH * 4) {
        let Some(cost) = named(scanned, encrypt, algorithm, class) else {
            continue;
        };
        let takes_iv = encrypt.has(Slot::Iv);
        let wants_iv = matches!(algorithm.interface, Interface::ModeCbc | Interface::ModeCtr);
        if takes_iv && !wants_iv {
            continue;
        }
        let mut cost = cost + encrypt.cost;
        if algorithm.interface == Interface::ModeEcb
            && !encrypt.has(Slot::Bytes)
            && !encrypt.has(Slot::Blocks)
        {
            cost += 3;
        }
        let mut base = Recipe::empty(algorithm, class.cloned());
        base.encrypt = Some((*encrypt).clone());
        base.decrypt = decryption(encrypt, &decrypts, algorithm, class, scanned);
        base.cost = cost + base.decrypt.as_ref().map_or(3, |call| call.cost);
        found.extend(with_keys(calls, &base, wants_iv, scanned));
        if base.decrypt.take().is_some() {
            // The library may declare a decryption that it does not have.
            base.cost += 4;
            found.extend(with_keys(calls, &base, wants_iv, scanned));
        }
    }
    found
}

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
    if let Some(at) = encrypt
        .slots
        .iter()
        .position(|s| [Slot::Encrypts, Slot::Decrypts].contains(s))
    {
        // The same function both ways, by an argument.
        let mut decrypt = encrypt.clone();
        decrypt.slots[at] = match encrypt.slots[at] {
            Slot::Encrypts => Slot::Decrypts,
            _ => Slot::Encrypts,
        };
        return Some(decrypt);
    }
    let alike = |call: &&&Call<'l>| {
        let same_size = call.has(Slot::Bytes) == encrypt.has(Slot::Bytes)
            && call.has(Slot::Blocks) == encrypt.has(Slot::Blocks);
        let plain = [Mode::Plain, Mode::Ecb];
        let blocks = algorithm.interface == Interface::BlockCipher && plain.contains(&call.mode);
        (call.mode == encrypt.mode || blocks)
            && share(call, encrypt)
            && call.has(Slot::Key) == encrypt.has(Slot::Key)
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
        let slots = u32::from(call.slots.len() != encrypt.slots.len());
        call.cost * 8 + file * 8 + slots * 8 + 40u32.saturating_sub((common + tail) as u32)
    };
    decrypts
        .iter()
        .filter(alike)
        .min_by_key(likeness)
        .map(|call| (*call).clone())
}

/// A recipe with each plausible set-up of key and IV.
fn with_keys<'l>(
    calls: &[&Call<'l>],
    base: &Recipe<'l>,
    wants_iv: bool,
    scanned: &Scanned,
) -> Vec<Recipe<'l>> {
    let Some(encrypt) = &base.encrypt else {
        return Vec::new();
    };
    let mut found = Vec::new();
    if encrypt.has(Slot::Key) {
        found.push(base.clone());
    }
    let same_mode = |call: &&&Call<'l>| call.mode == Mode::Plain || call.mode == encrypt.mode;
    let belongs = |call: &&&Call<'l>| {
        share(call, encrypt)
            && (state_type(call).is_some() == state_type(encrypt).is_some())
            && named(scanned, call, base.algorithm, base.class.as_ref()).is_some()
    };
    let set_keys = of(calls, Purpose::SetKey);
    let set_keys: Vec<&&Call<'l>> = set_keys
        .iter()
        .filter(same_mode)
        .filter(belongs)
        .take(EACH)
        .collect();
    let set_ivs = of(calls, Purpose::SetIv);
    let set_ivs: Vec<&&Call<'l>> = set_ivs
        .iter()
        .filter(|call| {
            share(call, encrypt) && state_type(call).is_some() == state_type(encrypt).is_some()
        })
        .take(EACH)
        .collect();
    for set_key in &set_keys {
        if set_key.direction == Some(Purpose::Decrypt) {
            continue;
        }
        let mut recipe = base.clone();
        recipe.cost += set_key.cost + u32::from(set_key.has(Slot::Iv) && !wants_iv);
        recipe.set_key.push((**set_key).clone());
        if encrypt.has(Slot::Key) {
            recipe.cost += 4;
        }
        let back = set_keys
            .iter()
            .find(|call| call.direction == Some(Purpose::Decrypt) && call.slots == set_key.slots);
        if let Some(back) = back.filter(|_| recipe.decrypt.is_some()) {
            recipe.set_key.push((**back).clone());
        }
        if !wants_iv || encrypt.has(Slot::Iv) || set_key.has(Slot::Iv) {
            found.push(recipe);
            continue;
        }
        for set_iv in &set_ivs {
            if set_iv.function().name != set_key.function().name {
                let mut with_iv = recipe.clone();
                with_iv.cost += set_iv.cost;
                with_iv.set_iv = Some((**set_iv).clone());
                found.push(with_iv);
            }
        }
        recipe.cost += 6;
        found.push(recipe);
    }
    if wants_iv && base.algorithm.interface == Interface::ModeCbc {
        let padded = found.clone().into_iter().map(|mut recipe| {
            recipe.pads = true;
            recipe.cost += 4;
            recipe
        });
        found.extend(padded.collect::<Vec<_>>());
    }
    found
}

fn digests<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let is_mac = algorithm.interface == Interface::Mac;
    let cost_of = |call: &Call<'l>| named(scanned, call, algorithm, class);
    let keyed = |call: &Call<'l>| call.has(Slot::Key);
    let mut found = Vec::new();
    for digest in of(calls, Purpose::Digest).into_iter().take(EACH * 4) {
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
    for start in of(calls, Purpose::Start).into_iter().take(EACH * 2) {
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

fn sealers<'l>(
    scanned: &Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let mut found = Vec::new();
    let opens = of(calls, Purpose::Open);
    for seal in of(calls, Purpose::Seal).into_iter().take(EACH * 4) {
        let generic = seal.function().name.starts_with("crypto_aead_");
        let cost = match named(scanned, seal, algorithm, class) {
            Some(cost) => cost,
            // The interface of NIST's competitions names no algorithm: constants decide.
            None if generic && constants_fit(scanned, algorithm) => 2,
            None => continue,
        };
        let belongs = |open: &&&Call<'l>| {
            share(open, seal)
                && open.has(Slot::Tag) == seal.has(Slot::Tag)
                && open.has(Slot::Key) == seal.has(Slot::Key)
                && open.declared.file == seal.declared.file
        };
        let alike: Vec<&&Call<'l>> = opens.iter().filter(belongs).take(4).collect();
        for open in &alike {
            let mut base = Recipe::empty(algorithm, class.cloned());
            base.encrypt = Some(seal.clone());
            base.decrypt = Some((**open).clone());
            base.cost = cost + seal.cost + open.cost;
            found.extend(with_keys(calls, &base, false, scanned));
        }
        if !alike.is_empty() {
            continue;
        }
        let mut base = Recipe::empty(algorithm, class.cloned());
        base.encrypt = Some(seal.clone());
        base.cost = cost + seal.cost + 4;
        found.extend(with_keys(calls, &base, false, scanned));
    }
    found
}

/// True if the constants of `api.h` are those of the algorithm.
fn constants_fit(scanned: &Scanned, algorithm: &Algorithm) -> bool {
    let fits = |name: &str, bytes: Option<u32>| {
        let constant = scanned.number(name);
        constant.is_some() && constant == bytes
    };
    fits("CRYPTO_KEYBYTES", algorithm.key_bytes) && fits("CRYPTO_NPUBBYTES", algorithm.nonce_bytes)
}
