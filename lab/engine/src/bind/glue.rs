//! The text of the glue for a recipe: the library's calls behind the operations of an interface
//! (docs/contributor/agent-protocol.md).

mod aead;
mod argument;
mod cipher;
mod digest;
mod public;
mod steps;
mod text;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use self::text::{comment, declaration};
use super::call::Call;
use super::recipe::Recipe;
use super::slot::{Purpose, Slot};
use super::types::{Shape, product, shape, written};
use crate::algorithm::Algorithm;
use crate::data::is_cpp;
use crate::interface::Interface;
use crate::scan::declarations::Parameter;
use crate::scan::{Scanned, is_sketch};

/// Bytes of an expanded key of AES-256, and of one that has both directions.
const SCHEDULE_BYTES: u32 = 2 * 240;

/// Bytes for a context that the library declares as `void *`.
const UNTYPED_BYTES: u32 = 512;

/// Bytes for an array without a size at the end of a state: the largest rate of a sponge.
const OPEN_BYTES: u32 = 256;

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
                || function.parameters.iter().any(|parameter| parameter.is_odd)
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

    /// The headers that declare the called functions. A function that no header declares is
    /// declared here, after all headers, since its types stand in one of them.
    fn includes(&self) -> String {
        let mut text = String::new();
        let mut headers: Vec<&Path> = Vec::new();
        let mut bare: Vec<&Call<'_>> = Vec::new();
        let mut included: Vec<&Path> = Vec::new();
        for call in self.recipe.calls() {
            if call.declared.by_inclusion {
                let file = call.declared.file.as_path();
                if !included.contains(&file) {
                    included.push(file);
                }
            } else if !call.declared.in_header {
                if !bare
                    .iter()
                    .any(|other| other.function().name == call.function().name)
                {
                    bare.push(call);
                }
            } else if !headers.contains(&call.declared.file.as_path()) {
                headers.push(&call.declared.file);
            }
        }
        if self.recipe.as_source {
            headers.splice(0..0, self.headers_of_sources());
            headers.dedup();
        }
        for call in &bare {
            // The headers that its source includes have the types.
            let names = self.scanned.includes.get(&call.declared.file);
            for name in names.into_iter().flatten() {
                let ends = |header: &&PathBuf| header.ends_with(name.trim_start_matches("../"));
                let found = self.scanned.headers.iter().find(ends);
                headers.extend(
                    found
                        .filter(|header| !headers.contains(&header.as_path()))
                        .map(|header| header.as_path()),
                );
            }
        }
        let spelled = self.recipe.class.iter();
        // An instance of a class template names several classes.
        for class in spelled.flat_map(|class| class.split(['<', '>'])) {
            if let Some(header) = self.header_of_class(class)
                && !headers.contains(&header)
            {
                headers.push(header);
            }
        }
        for header in headers {
            let name = header.file_name().unwrap_or_default().to_string_lossy();
            let _ = if self.cpp && self.is_of_c(header) {
                writeln!(text, "extern \"C\" {{\n#include \"{name}\"\n}}")
            } else {
                writeln!(text, "#include \"{name}\"")
            };
        }
        for call in bare {
            let function = call.function();
            if let (Some(Slot::KeyPlace), Some(place)) =
                (call.slots.first(), function.parameters.first())
            {
                let c = if self.cpp { "extern \"C\" " } else { "extern " };
                let array = place.array.as_deref().unwrap_or_default();
                let _ = writeln!(
                    text,
                    "{c}{} {}[{array}];",
                    written(self.scanned, place),
                    place.name
                );
                continue;
            }
            let c = self.cpp && !self.scanned.definition(function).is_some_and(|f| is_cpp(f));
            let linkage = if c { "extern \"C\" " } else { "" };
            let _ = writeln!(
                text,
                "/* No header declares it; from {}:{}. */\n{linkage}{};",
                comment(&call.declared.file.to_string_lossy()),
                function.line,
                declaration(self.scanned, call)
            );
        }
        if included.iter().any(|file| is_sketch(file)) {
            text.push_str("#include <Arduino.h>\n");
        }
        for source in included {
            let _ = writeln!(
                text,
                "/* Its functions can be called in this source only. */\n#include \"{}\"",
                source.display()
            );
        }
        text.push_str("\n#include <string.h>\n\n");
        let is_matrix = |parameter: &Parameter| parameter.pointers == 2;
        let calls = self.recipe.calls();
        let mut parameters = calls.iter().flat_map(|call| &call.function().parameters);
        if self.cpp && parameters.any(is_matrix) {
            text.push_str(
                "/* A pointer that any parameter takes, such as one to rows of a matrix. */\n\
                 struct any_pointer {\n    void *at;\n    template <typename T> operator T *() const { return (T *)at; }\n};\n\n",
            );
        }
        for namespace in self.namespaces() {
            let _ = writeln!(text, "using namespace {namespace};\n");
        }
        text
    }

    /// The namespaces of the called functions.
    fn namespaces(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for call in self.recipe.calls() {
            let namespace = call.function().namespace.as_str();
            if !namespace.is_empty() && !found.contains(&namespace) {
                found.push(namespace);
            }
        }
        found
    }

    /// The library's headers that the sources of the called functions include, in their order.
    fn headers_of_sources(&self) -> Vec<&Path> {
        let mut headers: Vec<&Path> = Vec::new();
        for call in self.recipe.calls() {
            let source = self.scanned.definition(call.function());
            let includes = source.and_then(|source| self.scanned.includes.get(source));
            for include in includes.into_iter().flatten() {
                let ends = |header: &&PathBuf| header.ends_with(include.trim_start_matches("../"));
                let found = self.scanned.headers.iter().find(ends).map(PathBuf::as_path);
                headers.extend(found.filter(|header| !headers.contains(header)));
            }
        }
        headers
    }

    /// True if all functions that a header declares are defined in C.
    fn is_of_c(&self, header: &Path) -> bool {
        let here = |declared: &&crate::scan::Declared| declared.file == header;
        let mut functions = self.scanned.functions.iter().filter(here).peekable();
        functions.peek().is_some()
            && functions.all(|declared| {
                let function = &declared.function;
                let defined = self.scanned.definition(function);
                function.class.is_none() && defined.is_some_and(|file| !is_cpp(file))
            })
    }

    /// The header that has the methods of a class, or those of the class that it is made from.
    fn header_of_class(&self, class: &str) -> Option<&Path> {
        let of = |name: &str| {
            self.scanned
                .functions
                .iter()
                .find(|declared| {
                    declared.in_header && declared.function.class.as_deref() == Some(name)
                })
                .map(|declared| declared.file.as_path())
        };
        of(class).or_else(|| {
            self.scanned
                .class_files
                .get(class)
                .map(|file| file.as_path())
        })
    }

    /// The names of the states: one, or one for each direction.
    fn states(&self) -> Vec<(&'static str, &Parameter)> {
        let calls = self.recipe.calls();
        let both = self.recipe.set_key.len() == 2;
        let Some(parameter) = calls.iter().find_map(|call| call.state()) else {
            return Vec::new();
        };
        if both && self.recipe.set_key.iter().all(|call| call.has(Slot::State)) {
            vec![("encrypt_state", parameter), ("decrypt_state", parameter)]
        } else {
            vec![("state", parameter)]
        }
    }

    fn state_name(&self, purpose: Purpose) -> &'static str {
        match (self.states().len(), purpose) {
            (2, Purpose::Decrypt) => "decrypt_state",
            (2, _) => "encrypt_state",
            _ => "state",
        }
    }

    fn state(&self) -> String {
        let mut text = String::new();
        let recipe = self.recipe;
        match recipe.algorithm.interface {
            Interface::Hash | Interface::Mac => {
                let _ = writeln!(
                    text,
                    "enum {{ DIGEST = {} }};\n",
                    digest_bytes(recipe.algorithm)
                );
            }
            Interface::Aead => {
                let tag = self.scanned.number("CRYPTO_ABYTES").unwrap_or(16);
                let nonce = recipe.algorithm.nonce_bytes.unwrap_or(12);
                let _ = writeln!(
                    text,
                    "enum {{ NONCE = {nonce}, TAG = {tag}, FORGED = 6 }};\n"
                );
            }
            Interface::Dh | Interface::Signature => {}
            _ => text.push_str("enum { BLOCK = 16 };\n\n"),
        }
        let methods = recipe.calls().iter().any(|call| {
            let function = call.function();
            function.class.is_some() && !function.is_static && call.purpose != Purpose::Construct
        });
        if let Some(class) = recipe
            .class
            .as_ref()
            .filter(|_| recipe.starts_by_constructor())
        {
            let _ = writeln!(
                text,
                "/* Each message has a new object. */\n\
                 struct agent_place {{ }};\n\
                 inline void *operator new(size_t, agent_place, void *at) noexcept {{ return at; }}\n\
                 alignas({class}) static uint8_t place_of_object[sizeof({class})];\n\
                 #define object (*({class} *)place_of_object)\n"
            );
        } else if let Some(class) = recipe
            .class
            .as_ref()
            .filter(|_| methods && !recipe.constructs_each())
        {
            let arguments = recipe
                .construct
                .iter()
                .map(|call| self.arguments(call, &NAMES, Purpose::Encrypt));
            let arguments: Vec<String> = arguments.map(|text| format!("({text})")).collect();
            let _ = writeln!(text, "static {class} object{};", arguments.concat());
        }
        for (name, parameter) in self.states() {
            let variable = self.variable(name, parameter);
            let _ = match self.has_open_end(parameter) && !recipe.returns_state() {
                true => writeln!(
                    text,
                    "/* The state ends in an array without a size. */\n\
                     static struct {{ {variable}; uint8_t room[{OPEN_BYTES}]; }} with_room;\n#define {name} with_room.{name}"
                ),
                false => writeln!(text, "static {variable};"),
            };
        }
        if let Some(message) = recipe.steps.as_ref().and_then(|steps| steps.message()) {
            let _ = writeln!(text, "static {};", self.variable("message", message));
        }
        let has = |slot: Slot| recipe.calls().iter().any(|call| call.has(slot));
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
        text.push('\n');
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
    fn variable(&self, name: &str, parameter: &Parameter) -> String {
        let base = written(self.scanned, parameter);
        match shape(self.scanned, parameter) {
            Shape::Untyped if self.recipe.returns_state() => format!("void *{name}"),
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
                match self.recipe.returns_state() {
                    true => format!("{base} {name}"),
                    // The name of the type is that of a pointer.
                    false => format!("__typeof__(*({base})0) {name}"),
                }
            }
            _ if self.recipe.returns_state() => format!("{base} *{name}"),
            _ => format!("{base} {name}"),
        }
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
    }

    /// True if the set-up is called for every message: it takes the IV, or tells an object its
    /// direction.
    fn sets_key_with_iv(&self) -> bool {
        let modes = [Interface::ModeCbc, Interface::ModeCtr, Interface::Aead];
        let sets = |slot: Slot| self.recipe.set_key.iter().any(|call| call.has(slot));
        let directed = sets(Slot::Encrypts) || sets(Slot::Decrypts);
        modes.contains(&self.recipe.algorithm.interface) && sets(Slot::Iv)
            || directed && self.recipe.class.is_some()
    }

    fn operations(&self) -> String {
        let entries: Vec<String> = self
            .recipe
            .operations()
            .iter()
            .map(|name| {
                let function = name.replace('-', "_");
                format!(
                    "    AGENT_OPERATION({}, \"{name}\", {function})",
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
