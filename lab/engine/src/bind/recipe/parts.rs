//! A recipe and the calls that it has.

use std::path::Path;

use super::keys::KeyCalls;
use super::message::Steps;
use crate::algorithm::Algorithm;
use crate::bind::call::{Call, Mode};
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::is_sketch;

/// The result by which a function refuses a forged message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fails {
    #[default]
    NotZero,
    Negative,
    Zero,
}

/// True if a function makes the state and gives a pointer to it.
fn makes_state(call: &Call<'_>) -> bool {
    call.returns_output || call.has(Slot::StateOut)
}

/// The calls for blocks that stay in the library while its functions run.
#[derive(Clone, Debug)]
pub struct Apart<'l> {
    /// Puts a block into the library.
    pub load: Call<'l>,
    /// Gets the result.
    pub fetch: Call<'l>,
    pub presets: Vec<Preset>,
}

/// A number of the library that its caller sets before any key.
#[derive(Clone, Debug)]
pub struct Preset {
    pub place: String,
    /// The value as an expression of C.
    pub value: &'static str,
    /// The type and name, if no header declares it.
    pub declare: Option<String>,
}

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
    /// The calls for blocks that are not passed to the functions.
    pub apart: Option<Apart<'l>>,
    /// The calls of a key agreement or a signature.
    pub keys: Option<KeyCalls<'l>>,
    /// The result of a function that opens and refuses.
    pub fails: Fails,
    /// The constant that names the mode, for functions that are told the mode.
    pub mode_name: Option<String>,
    /// The member of the state that selects the mode, and its value.
    pub mode_field: Option<(String, String)>,
    /// Where the caller writes the IV, if no function takes it: a member of the state, or a global
    /// array, as an expression of C.
    pub iv_place: Option<String>,
    /// The state begins with the IV, and key set-ups take the place after it.
    pub iv_first: bool,
    /// The member of a sponge's state that the caller sets to the rate in bytes [FIPS202, 4].
    pub rate_field: Option<String>,
    /// Only nonces of the measured size are passed: the library takes no others.
    pub fixed_nonce: bool,
    /// The library pads a CBC message itself.
    pub pads: bool,
    /// The caller writes key and counter block to members of the object for each message, and a
    /// method takes the next byte; without it, the next block.
    pub each_byte: bool,
    /// A block is a matrix `state[row][column]` [FIPS197, 3.4], so the glue transposes it.
    pub by_rows: bool,
    /// The glue includes the headers that the sources of its functions include, in their order,
    /// because a header alone does not compile.
    pub as_source: bool,
    /// Compiler flags that select the algorithm, such as `-DAES256=1`.
    pub flags: Vec<String>,
    pub cost: u32,
}

impl<'l> Recipe<'l> {
    pub(super) fn empty(algorithm: &'l Algorithm, class: Option<String>) -> Recipe<'l> {
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
            apart: None,
            keys: None,
            fails: Fails::default(),
            mode_name: None,
            mode_field: None,
            iv_place: None,
            iv_first: false,
            rate_field: None,
            fixed_nonce: false,
            pads: false,
            each_byte: false,
            by_rows: false,
            as_source: false,
            flags: Vec::new(),
            cost: 0,
        }
    }

    /// True if the caller writes key and IV to members of the object, for each message anew.
    pub fn sets_members(&self) -> bool {
        let first = self.set_key.first();
        let held = first.is_some_and(|call| call.has(Slot::Held));
        self.class.is_some() && self.iv_place.is_some() && held
    }

    /// True if a call takes an IV that the algorithm does not have: the function is that of a mode.
    pub fn is_of_a_mode(&self) -> bool {
        let single = [Interface::BlockCipher, Interface::ModeEcb];
        let takes_iv = self.calls().iter().any(|call| call.has(Slot::Iv));
        let is_told = self.calls().iter().any(|call| call.has(Slot::ModeName));
        single.contains(&self.algorithm.interface)
            && takes_iv
            && self.mode_field.is_none()
            && !is_told
    }

    /// True if a mode has a state of its own, beside that of its block cipher.
    pub fn is_over_cipher(&self) -> bool {
        let set_iv = self.set_iv.as_ref();
        set_iv.is_some_and(|call| call.has(Slot::Cipher))
    }

    /// True if the set-up of a mode's block cipher returns a pointer to the expanded key.
    pub fn returns_cipher(&self) -> bool {
        let mut sets = self.set_key.iter();
        self.is_over_cipher() && sets.any(makes_state)
    }

    /// True if the set-up returns a pointer to the state.
    pub fn returns_state(&self) -> bool {
        if self.is_over_cipher() {
            return self.set_iv.iter().any(makes_state);
        }
        let others = self.prepare.iter().chain(&self.start);
        let mut sets = self.set_key.iter().chain(others);
        sets.any(makes_state)
    }

    /// True if the constructor takes what differs from message to message.
    pub fn constructs_each(&self) -> bool {
        let takes = [Slot::Key, Slot::Iv, Slot::Encrypts, Slot::Decrypts];
        let construct = self.construct.as_ref();
        construct.is_some_and(|call| takes.iter().any(|slot| call.has(*slot)))
    }

    /// True if each message of a hash has a new object.
    pub fn starts_by_constructor(&self) -> bool {
        let start = self.start.as_ref();
        start.is_some_and(|call| call.purpose == Purpose::Construct)
    }

    /// True if a function can be called only by including its source.
    pub fn includes_source(&self) -> bool {
        self.hidden_in().is_some()
    }

    /// The source that the glue includes, because it is the only file that can call a function.
    pub fn hidden_in(&self) -> Option<&Path> {
        let calls = self.calls();
        let mut hidden = calls.iter().filter(|call| call.by_inclusion());
        hidden.next().map(|call| call.declared.file.as_path())
    }

    /// True if the functions are hidden in several sources, which one glue cannot include together.
    pub(super) fn mixes_sources(&self) -> bool {
        let calls = self.calls();
        let mut files = calls
            .iter()
            .filter(|call| call.by_inclusion() && !is_sketch(&call.declared.file))
            .map(|call| &call.declared.file);
        let first = files.next();
        files.any(|file| Some(file) != first)
    }

    /// Implausible if one call takes the size of the key in bytes, and another in bits.
    pub(super) fn mixes_units(&self) -> bool {
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
            .chain(
                self.apart
                    .iter()
                    .flat_map(|apart| [&apart.load, &apart.fetch]),
            )
            .chain(self.steps.iter().flat_map(Steps::calls))
            .chain(self.keys.iter().flat_map(KeyCalls::calls))
            .collect()
    }

    /// All that an encryption depends on, as text.
    pub fn forwards(&self) -> String {
        let without = Recipe {
            decrypt: None,
            fails: Fails::default(),
            cost: 0,
            ..self.clone()
        };
        let calls = without.calls().into_iter();
        let calls: Vec<String> = calls
            .map(|call| {
                let function = call.function();
                format!("{}:{}{:?}", function.line, call.label(), call.slots)
            })
            .collect();
        let settings = (
            &without.class,
            &without.mode_name,
            &without.mode_field,
            (&without.iv_place, without.iv_first, &without.rate_field),
            &without.flags,
            (without.fixed_nonce, without.pads, without.by_rows),
            without.each_byte,
        );
        format!("{calls:?} {settings:?} {:?}", without.keys)
    }

    /// The names of the called functions, without repetition.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for call in self.calls() {
            let name = call.label().to_owned();
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
            && self.iv_place.is_none()
            && !self
                .calls()
                .iter()
                .any(|call| call.has(Slot::ModeName) || call.has(Slot::Chains))
            && encrypt.is_some_and(|call| call.mode == Mode::Plain)
    }

    /// True if an authenticated cipher is told the size of the nonce.
    pub fn tells_nonce(&self) -> bool {
        let tells = [Slot::IvBytes, Slot::LengthBytes];
        let told = |call: &&Call<'l>| tells.iter().any(|slot| call.has(*slot));
        self.calls().iter().any(told) && !self.fixed_nonce
    }

    /// True if an authenticated cipher is not told the size of the nonce or of the tag: the glue
    /// refuses other sizes. True if a signature has no context: the glue refuses one.
    pub fn refuses_sizes(&self) -> bool {
        if self.algorithm.interface == Interface::LargeSignature {
            return !self.calls().iter().any(|call| call.has(Slot::Ad));
        }
        let tells_tag = self.calls().iter().any(|call| call.has(Slot::TagBytes));
        self.algorithm.interface == Interface::Aead && !(self.tells_nonce() && tells_tag)
    }

    /// The recipe for a library that takes nonces of one size only, if it is told the size.
    pub(super) fn with_fixed_nonce(&self) -> Option<Recipe<'l>> {
        self.tells_nonce().then(|| Recipe {
            fixed_nonce: true,
            cost: self.cost + 1,
            ..self.clone()
        })
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
            Interface::LargeSignature => vec!["keygen", "sign", "verify", "load", "fetch"],
            Interface::Kem => vec!["keygen", "encapsulate", "decapsulate", "load", "fetch"],
            Interface::Aead if !self.opens() => vec!["key-setup", "seal"],
            Interface::Aead => vec!["key-setup", "seal", "open"],
            _ if self.decrypt.is_none() => vec!["key-setup", "encrypt"],
            _ => vec!["key-setup", "encrypt", "decrypt"],
        }
    }
}
