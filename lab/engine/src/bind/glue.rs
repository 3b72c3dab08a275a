//! The text of the glue for a recipe: the library's calls behind the operations of an interface
//! (docs/contributor/agent-protocol.md).

mod aead;
mod argument;
mod cipher;
mod digest;
mod headers;
mod kem;
mod large_signature;
mod public;
mod state;
mod steps;
mod text;

use self::text::comment;
use super::call::Call;
use super::recipe::Recipe;
use super::slot::Slot;
use crate::algorithm::Algorithm;
use crate::data::is_cpp;
use crate::interface::Interface;
use crate::scan::declarations::Parameter;
use crate::scan::{Scanned, is_sketch};

/// True if the glue must be C++: it calls methods, or functions that only C++ sources define.
pub fn is_cpp_glue(scanned: &Scanned, recipe: &Recipe<'_>) -> bool {
    recipe.class.is_some()
        || recipe
            .calls()
            .iter()
            .any(|call| !call.function().namespace.is_empty())
        || recipe.calls().iter().any(|call| {
            let function = call.function();
            let defined = scanned.definition(function);
            defined.is_some_and(|file| is_cpp(file))
                || call
                    .declared
                    .file
                    .extension()
                    .is_some_and(|e| e == "hpp" || e == "hh")
                || is_sketch(&call.declared.file)
                || function
                    .parameters
                    .iter()
                    .any(|parameter| parameter.is_odd || parameter.is_reference)
        })
}

/// The text of the glue.
pub fn text(scanned: &Scanned, recipe: &Recipe<'_>) -> String {
    let writer = Writer {
        scanned,
        recipe,
        cpp: is_cpp_glue(scanned, recipe),
    };
    let mut text = writer.heading();
    text.push_str(&writer.includes());
    text.push_str(&writer.state());
    match recipe.algorithm.interface {
        Interface::Hash | Interface::Mac => text.push_str(&writer.digests()),
        Interface::Dh | Interface::Signature => {
            let keys = recipe.keys.iter();
            text.extend(keys.map(|keys| writer.public_key(keys)));
        }
        Interface::LargeSignature => {
            let keys = recipe.keys.iter();
            text.extend(keys.map(|keys| writer.large_signature(keys)));
        }
        Interface::Kem => {
            let keys = recipe.keys.iter();
            text.extend(keys.map(|keys| writer.encapsulation(keys)));
        }
        Interface::Aead => {
            text.push_str(&writer.key_setup());
            text.push_str(&writer.aead());
        }
        Interface::ModeCbc => {
            text.push_str(&writer.key_setup());
            text.push_str(&writer.cbc());
        }
        Interface::ModeCtr => {
            text.push_str(&writer.key_setup());
            text.push_str(&writer.ctr());
        }
        _ => {
            text.push_str(writer.transposition());
            text.push_str(&writer.key_setup());
            text.push_str(&writer.blocks());
        }
    }
    text.push_str(&writer.operations());
    text
}

struct Writer<'a, 'l> {
    scanned: &'a Scanned,
    recipe: &'a Recipe<'l>,
    cpp: bool,
}

/// The C expressions behind the slots of one operation.
#[derive(Clone, Copy)]
struct Names {
    key: &'static str,
    iv: &'static str,
    input: &'static str,
    output: &'static str,
    size: &'static str,
    public_key: &'static str,
}

const NAMES: Names = Names {
    key: "key",
    iv: "iv",
    input: "in",
    output: "out",
    size: "size",
    public_key: "public_key",
};

impl Writer<'_, '_> {
    fn heading(&self) -> String {
        let folder = self
            .scanned
            .folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        format!(
            "/*\n * {}: {}.\n *\n * AGENT_MEASURE encloses the library's calls and nothing else; they are what is timed.\n \
             * Written by selo lab new-library.\n */\n#include \"agent.h\"\n\n",
            comment(&folder),
            self.recipe.algorithm.title
        )
    }

    /// True if the key must outlive the set-up, because a later call takes it.
    fn keeps_key(&self) -> bool {
        let recipe = self.recipe;
        let construct = &recipe.construct;
        let later = [&recipe.encrypt, &recipe.decrypt, &recipe.set_iv, construct];
        let mut steps = recipe.steps.iter().flat_map(|steps| steps.calls());
        later.into_iter().flatten().any(Call::takes_key)
            || steps.any(|call| call.has(Slot::Key))
            || self.sets_key_with_iv()
            || self.points_to_key()
    }

    /// True if the state or object may only point to the key that it was given: the key must then
    /// outlive the set-up.
    fn points_to_key(&self) -> bool {
        let state = self.states().into_iter().map(|(_, of)| of.base.clone());
        let owners = self.recipe.class.clone().into_iter().chain(state);
        let names = owners.map(|of| of.trim_start_matches("struct ").trim().to_owned());
        let members = names.filter_map(|of| self.scanned.members.get(&of));
        let is_key = |member: &Parameter| {
            let name = member.name.to_lowercase();
            let says = ["key", "chave", "clave"]
                .iter()
                .any(|part| name.contains(part));
            let of_bytes = member.is_of_bytes() || member.base == "void";
            says && of_bytes && member.pointers == 1 && member.array.is_none()
        };
        members.flatten().any(is_key)
    }

    /// True if the set-up is called for every message: it takes the IV, or tells an object its
    /// direction.
    fn sets_key_with_iv(&self) -> bool {
        let modes = [Interface::ModeCbc, Interface::ModeCtr, Interface::Aead];
        let sets = |slot: Slot| self.recipe.set_key.iter().any(|call| call.has(slot));
        let directed = sets(Slot::Encrypts) || sets(Slot::Decrypts);
        modes.contains(&self.recipe.algorithm.interface) && sets(Slot::Iv)
            || directed && self.recipe.class.is_some()
            || self.recipe.sets_members()
    }

    fn operations(&self) -> String {
        let entries: Vec<String> = self
            .recipe
            .operations()
            .iter()
            .map(|name| {
                let function = name.replace('-', "_");
                // A library may have functions and objects with the names of operations.
                format!(
                    "    AGENT_OPERATION({}, \"{name}\", run_{function})",
                    function.to_uppercase()
                )
            })
            .collect();
        format!("AGENT_OPERATIONS(\n{})\n", entries.join("\n"))
    }
}

/// Bytes of a digest: the number at the end of the name, in bits; BLAKE2s has 32 bytes.
pub fn digest_bytes(algorithm: &Algorithm) -> u32 {
    let digits = algorithm
        .name
        .trim_end_matches(|c: char| c.is_ascii_digit());
    algorithm.name[digits.len()..]
        .parse()
        .map_or(32, |bits: u32| bits / 8)
}
