//! The variables that the glue keeps between calls: the state, the object, the key.

use std::fmt::Write as _;

use super::{NAMES, Writer, digest_bytes};
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::bind::types::{Shape, product, shape, written};
use crate::interface::Interface;
use crate::scan::declarations::Parameter;

/// Bytes of an expanded key of AES-256, and of one that has both directions.
const SCHEDULE_BYTES: u32 = 2 * 240;

/// Bytes for a context that the library declares as `void *`.
const UNTYPED_BYTES: u32 = 512;

/// Bytes for an array without a size at the end of a state: the largest rate of a sponge.
const OPEN_BYTES: u32 = 256;

impl Writer<'_, '_> {
    /// The names of the states: one, or one for each direction.
    pub(super) fn states(&self) -> Vec<(&'static str, &Parameter)> {
        let mut calls = self.recipe.calls();
        if self.recipe.is_over_cipher() {
            calls.retain(|call| call.purpose != Purpose::SetKey);
        }
        let both = self.recipe.set_key.len() == 2 && !self.recipe.is_over_cipher();
        let Some(parameter) = calls.iter().find_map(|call| call.state()) else {
            return Vec::new();
        };
        if both && self.recipe.set_key.iter().all(|call| call.has(Slot::State)) {
            vec![("encrypt_state", parameter), ("decrypt_state", parameter)]
        } else {
            vec![("state", parameter)]
        }
    }

    /// The variable for the state that a call takes: that of a mode's block cipher is another.
    pub(super) fn holder(&self, found: &Call<'_>, purpose: Purpose) -> &'static str {
        match self.recipe.is_over_cipher() && found.purpose == Purpose::SetKey {
            true => "cipher",
            false => self.state_name(purpose),
        }
    }

    /// True if the library makes the state that a call takes, and the glue has a pointer to it.
    pub(super) fn is_made(&self, found: &Call<'_>) -> bool {
        match self.recipe.is_over_cipher() && found.purpose == Purpose::SetKey {
            true => self.recipe.returns_cipher(),
            false => self.recipe.returns_state(),
        }
    }

    /// The state of the block cipher as the mode takes it.
    pub(super) fn cipher(&self, found: &Call<'_>, parameter: &Parameter) -> String {
        let base = match found.by_handle {
            true => "void",
            false => parameter.base.as_str(),
        };
        let at = if self.recipe.returns_cipher() {
            ""
        } else {
            "&"
        };
        format!("({base} *){at}cipher")
    }

    /// The variable for the state of a mode's block cipher.
    fn cipher_variable(&self) -> Option<String> {
        let recipe = self.recipe;
        let set_key = recipe.set_key.first().filter(|_| recipe.is_over_cipher())?;
        if recipe.returns_cipher() && set_key.by_handle {
            return Some("void *cipher".to_owned());
        }
        let is_state = |slot: &Slot| [Slot::State, Slot::StateOut].contains(slot);
        let at = set_key.slots.iter().position(is_state);
        let parameter = at.and_then(|at| set_key.function().parameters.get(at));
        Some(match parameter {
            Some(parameter) => self.variable("cipher", parameter, recipe.returns_cipher()),
            None => format!("{} cipher", set_key.function().result),
        })
    }

    pub(super) fn state_name(&self, purpose: Purpose) -> &'static str {
        match (self.states().len(), purpose) {
            (2, Purpose::Decrypt) => "decrypt_state",
            (2, _) => "encrypt_state",
            _ => "state",
        }
    }

    pub(super) fn state(&self) -> String {
        let mut text = self.sizes();
        text.push_str(&self.object());
        if let Some(variable) = self.cipher_variable() {
            let _ = writeln!(text, "static {variable};");
        }
        for (name, parameter) in self.states() {
            text.push_str(&self.state_variable(name, parameter));
        }
        let steps = self.recipe.steps.as_ref();
        if let Some(message) = steps.and_then(|steps| steps.message()) {
            let variable = self.variable("message", message, self.recipe.returns_state());
            let _ = writeln!(text, "static {variable};");
        }
        text.push_str(&self.places());
        text.push('\n');
        text
    }

    /// The constants of the interface.
    fn sizes(&self) -> String {
        let algorithm = self.recipe.algorithm;
        match algorithm.interface {
            Interface::Hash | Interface::Mac => {
                format!("enum {{ DIGEST = {} }};\n\n", digest_bytes(algorithm))
            }
            Interface::Aead => {
                let tag = self.scanned.number("CRYPTO_ABYTES").unwrap_or(16);
                let nonce = algorithm.nonce_bytes.unwrap_or(12);
                format!("enum {{ NONCE = {nonce}, TAG = {tag}, FORGED = 6 }};\n\n")
            }
            Interface::Dh | Interface::Signature | Interface::LargeSignature => String::new(),
            _ => "enum { BLOCK = 16 };\n\n".to_owned(),
        }
    }

    /// The object whose methods are called, or the place where each message has a new one.
    fn object(&self) -> String {
        let recipe = self.recipe;
        let Some(class) = &recipe.class else {
            return String::new();
        };
        if recipe.starts_by_constructor() {
            return format!(
                "/* Each message has a new object. */\n\
                 struct agent_place {{ }};\n\
                 inline void *operator new(size_t, agent_place, void *at) noexcept {{ return at; }}\n\
                 alignas({class}) static uint8_t place_of_object[sizeof({class})];\n\
                 #define object (*({class} *)place_of_object)\n\n"
            );
        }
        let is_method = |call: &&Call<'_>| {
            let function = call.function();
            function.class.is_some() && !function.is_static && call.purpose != Purpose::Construct
        };
        if recipe.constructs_each() || !recipe.calls().iter().any(is_method) {
            return String::new();
        }
        let arguments = recipe
            .construct
            .iter()
            .map(|call| format!("({})", self.arguments(call, &NAMES, Purpose::Encrypt)));
        format!("static {class} object{};\n", arguments.collect::<String>())
    }

    fn state_variable(&self, name: &str, parameter: &Parameter) -> String {
        let recipe = self.recipe;
        let by_handle = recipe.set_iv.as_ref().is_some_and(|call| call.by_handle);
        let variable = match by_handle {
            true => format!("void *{name}"),
            false => self.variable(name, parameter, recipe.returns_state()),
        };
        match self.has_open_end(parameter) && !recipe.returns_state() {
            true => format!(
                "/* The state ends in an array without a size. */\n\
                 static struct {{ {variable}; uint8_t room[{OPEN_BYTES}]; }} with_room;\n#define {name} with_room.{name}\n"
            ),
            false if recipe.iv_first => {
                format!("static {variable} __attribute__((aligned(BLOCK)));\n")
            }
            false => format!("static {variable};\n"),
        }
    }

    /// What some functions want beside a state: places, copies, and a function that counts.
    fn places(&self) -> String {
        let has = |slot: Slot| self.recipe.calls().iter().any(|call| call.has(slot));
        let mut text = String::new();
        if has(Slot::Place) {
            text.push_str("static unsigned long long place;\n");
        }
        if has(Slot::Scratch) {
            text.push_str("static uint8_t scratch[64];\n");
        }
        if has(Slot::KeyCopy) {
            text.push_str("/* The library overwrites the key that it is given. */\nstatic uint8_t once[AGENT_KEY_BYTES];\n");
        }
        if has(Slot::Increment) {
            text.push_str(
                "/* The library asks for the increment of the counter block [SP800-38A, B.1]. */\n\
                 static void increment(uint8_t *counter)\n{\n    for (int i = BLOCK - 1; i >= 0 && ++counter[i] == 0; i--)\n        ;\n}\n",
            );
        }
        if self.keeps_key() {
            text.push_str("static uint8_t key[AGENT_KEY_BYTES];\n");
        }
        if self.keeps_mac_key() {
            text.push_str("static uint8_t kept[AGENT_IO_BYTES];\nstatic agent_size kept_size;\n");
        }
        text
    }

    /// True if the structure of the state ends in an array of no size.
    fn has_open_end(&self, parameter: &Parameter) -> bool {
        let tag = parameter.base.trim_start_matches("struct ").trim();
        let members = self.scanned.members.get(tag);
        let last = members.and_then(|members| members.last());
        last.is_some_and(|member| member.array.as_deref() == Some("0"))
            && matches!(
                shape(self.scanned, parameter),
                Shape::Structure { by_value: false }
            )
    }

    /// The declaration of the variable behind a parameter with the state.
    pub(super) fn variable(&self, name: &str, parameter: &Parameter, made: bool) -> String {
        let base = written(self.scanned, parameter);
        match shape(self.scanned, parameter) {
            Shape::Untyped if made => format!("void *{name}"),
            Shape::Untyped => format!("uint32_t {name}[{}]", UNTYPED_BYTES / 4),
            // A matrix, such as the round keys in rows.
            Shape::Bytes { .. } if parameter.pointers == 2 => {
                format!("{base} {name}[{SCHEDULE_BYTES}]")
            }
            Shape::Bytes { size } => {
                let declared = size.or_else(|| {
                    parameter
                        .array
                        .as_deref()
                        .and_then(|text| product(self.scanned, text))
                });
                format!(
                    "{base} {name}[{}]",
                    declared.unwrap_or(SCHEDULE_BYTES).max(16)
                )
            }
            Shape::Words => format!("{base} {name}[{}]", SCHEDULE_BYTES / 4),
            Shape::Structure { by_value: false } if parameter.pointers == 0 => {
                match made {
                    true => format!("{base} {name}"),
                    // The name of the type is that of a pointer.
                    false => format!("__typeof__(*({base})0) {name}"),
                }
            }
            _ if made => format!("{base} *{name}"),
            _ => format!("{base} {name}"),
        }
    }
}
