//! The text of the glue for a recipe: the library's calls behind the operations of an interface
//! (docs/contributor/agent-protocol.md).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::call::Call;
use super::recipe::Recipe;
use super::slot::{Purpose, Slot};
use super::types::{Shape, product, shape};
use crate::algorithm::Algorithm;
use crate::data::is_cpp;
use crate::interface::Interface;
use crate::scan::Scanned;
use crate::scan::declarations::Parameter;

/// Bytes of an expanded key of AES-256, and of one that has both directions.
const SCHEDULE_BYTES: u32 = 2 * 240;

/// Bytes for a context that the library declares as `void *`.
const UNTYPED_BYTES: u32 = 512;

/// True if the glue must be C++: it calls methods, or functions that only C++ sources define.
pub fn is_cpp_glue(scanned: &Scanned, recipe: &Recipe<'_>) -> bool {
    recipe.class.is_some()
        || recipe.calls().iter().any(|call| {
            let function = call.function();
            let defined = scanned.definition(function);
            defined.is_some_and(|file| is_cpp(file))
                || call
                    .declared
                    .file
                    .extension()
                    .is_some_and(|e| e == "hpp" || e == "hh")
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
}

const NAMES: Names = Names {
    key: "key",
    iv: "iv",
    input: "in",
    output: "out",
    size: "size",
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
        for call in self.recipe.calls() {
            if !call.declared.in_header {
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
        if let Some(class) = &self.recipe.class
            && let Some(header) = self.header_of_class(class)
            && !headers.contains(&header)
        {
            headers.push(header);
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
            let c = self.cpp && !self.scanned.definition(function).is_some_and(|f| is_cpp(f));
            let linkage = if c { "extern \"C\" " } else { "" };
            let _ = writeln!(
                text,
                "/* No header declares it; from {}:{}. */\n{linkage}{};",
                comment(&call.declared.file.to_string_lossy()),
                function.line,
                declaration(call)
            );
        }
        text.push_str("\n#include <string.h>\n\n");
        text
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
            _ => text.push_str("enum { BLOCK = 16 };\n\n"),
        }
        if let Some(class) = &recipe.class {
            let _ = writeln!(text, "static {class} object;");
        }
        for (name, parameter) in self.states() {
            let _ = writeln!(text, "static {};", self.variable(name, parameter));
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

    /// The declaration of the variable behind a parameter with the state.
    fn variable(&self, name: &str, parameter: &Parameter) -> String {
        let base = &parameter.base;
        match shape(self.scanned, parameter) {
            Shape::Untyped => format!("uint32_t {name}[{}]", UNTYPED_BYTES / 4),
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
            _ if self.recipe.returns_state() => format!("{base} *{name}"),
            _ => format!("{base} {name}"),
        }
    }

    /// True if the key must outlive the set-up, because a later call takes it.
    fn keeps_key(&self) -> bool {
        let recipe = self.recipe;
        let later = [&recipe.encrypt, &recipe.decrypt, &recipe.set_iv];
        later.into_iter().flatten().any(|call| call.has(Slot::Key)) || self.sets_key_with_iv()
    }

    /// True if the set-up takes the IV, so that it is called for every message.
    fn sets_key_with_iv(&self) -> bool {
        let modes = [Interface::ModeCbc, Interface::ModeCtr, Interface::Aead];
        modes.contains(&self.recipe.algorithm.interface)
            && self.recipe.set_key.iter().any(|call| call.has(Slot::Iv))
    }

    fn key_setup(&self) -> String {
        let mut text = String::from(
            "static uint8_t key_setup(struct agent_call *call)\n{\n    if (call->in[0].size != AGENT_KEY_BYTES)\n        return AGENT_BAD_SIZE;\n",
        );
        let mut calls = Vec::new();
        if self.keeps_key() && (self.sets_key_with_iv() || self.recipe.set_key.is_empty()) {
            calls.push("memcpy(key, call->in[0].data, AGENT_KEY_BYTES)".to_owned());
        } else {
            if self.keeps_key() {
                text.push_str("    memcpy(key, call->in[0].data, AGENT_KEY_BYTES);\n");
            }
            text.push_str("    uint8_t *raw = call->in[0].data;\n");
            for set_key in &self.recipe.set_key {
                let names = Names {
                    key: "raw",
                    iv: "raw",
                    ..NAMES
                };
                let purpose = set_key.direction.unwrap_or(Purpose::Encrypt);
                let call = self.call(set_key, &names, purpose);
                calls.push(match set_key.returns_output {
                    true => format!("{} = {call}", self.state_name(purpose)),
                    false => call,
                });
            }
        }
        text.push_str(&measure(&calls));
        text.push_str("    return 0;\n}\n\n");
        text
    }

    fn both(&self) -> Vec<(&'static str, &Call<'_>, Purpose)> {
        let recipe = self.recipe;
        let encrypt = recipe
            .encrypt
            .iter()
            .map(|call| ("encrypt", call, Purpose::Encrypt));
        let decrypt = recipe
            .decrypt
            .iter()
            .map(|call| ("decrypt", call, Purpose::Decrypt));
        encrypt.chain(decrypt).collect()
    }

    /// Whole blocks: one, or as many as the input has.
    fn blocks(&self) -> String {
        let mut text = String::new();
        let many = self.recipe.algorithm.interface == Interface::ModeEcb;
        for (name, found, purpose) in self.both() {
            let sized = found.has(Slot::Bytes) || found.has(Slot::Blocks) || found.has(Slot::Bits);
            let bad = match many {
                true => "size == 0 || size % BLOCK != 0 || size > AGENT_IO_BYTES",
                false => "size != BLOCK",
            };
            let _ = writeln!(
                text,
                "static uint8_t {name}(struct agent_call *call)\n{{\n    agent_size size = call->in[0].size;\n    if ({bad})\n        return AGENT_BAD_SIZE;\n    uint8_t *in = call->in[0].data, *out = call->out;"
            );
            text.push_str(&unused(found, &["in", "out"]));
            text.push_str(out_size(found));
            if many && !sized {
                let names = Names {
                    input: "(in + at)",
                    output: "(out + at)",
                    size: "BLOCK",
                    ..NAMES
                };
                let call = self.calls_of(found, &names, purpose).join("; ");
                text.push_str(&measure(&[format!(
                    "for (agent_size at = 0; at < size; at = (agent_size)(at + BLOCK)) {{ {call}; }}"
                )]));
            } else {
                text.push_str(&measure(&self.calls_of(found, &NAMES, purpose)));
            }
            text.push_str("    call->out_size = size;\n    return 0;\n}\n\n");
        }
        text
    }

    /// The calls of one operation: a copy for a function that works in place, what is called
    /// before each message, and the function.
    fn calls_of(&self, found: &Call<'_>, names: &Names, purpose: Purpose) -> Vec<String> {
        let mut calls = Vec::new();
        if found.has(Slot::InPlace) && names.input != names.output {
            calls.push(format!(
                "memcpy({}, {}, {})",
                names.output, names.input, names.size
            ));
        }
        if self.sets_key_with_iv() {
            let sets = self.recipe.set_key.iter();
            calls.extend(sets.map(|call| self.call(call, names, purpose)));
        }
        if let Some(set_iv) = &self.recipe.set_iv {
            calls.push(self.call(set_iv, names, purpose));
        }
        let call = self.call(found, names, purpose);
        calls.push(match found.returns_output {
            true => format!("memcpy({}, {call}, {})", names.output, names.size),
            false => call,
        });
        calls
    }

    fn has_iv(&self) -> bool {
        self.recipe.calls().iter().any(|call| call.has(Slot::Iv))
    }

    fn cbc(&self) -> String {
        let mut text = String::new();
        for (name, found, purpose) in self.both() {
            text.push_str(&match name {
                "encrypt" => self.cbc_encrypt(found, purpose),
                _ => self.cbc_decrypt(found, purpose),
            });
        }
        text
    }

    fn cbc_encrypt(&self, found: &Call<'_>, purpose: Purpose) -> String {
        let padding = match self.recipe.pads {
            true => "    /* The library pads the message. */\n    memcpy(out, in, size);\n",
            false => {
                "    /* The glue pads: PKCS #7 [RFC5652, 6.3]. */\n    memcpy(out, in, size);\n    memset(out + size, padded - size, (size_t)(padded - size));\n"
            }
        };
        let mut text = String::from(
            "/* in[0] is the IV that the random source gave. */\nstatic uint8_t encrypt(struct agent_call *call)\n{\n\
             \x20   agent_size size = call->in[1].size;\n\
             \x20   agent_size padded = (agent_size)(size / BLOCK * BLOCK + BLOCK);\n\
             \x20   if (call->in[0].size != BLOCK || padded > AGENT_IO_BYTES - BLOCK)\n        return AGENT_BAD_SIZE;\n\
             \x20   uint8_t *in = call->in[1].data, *out = call->out + BLOCK;\n\
             \x20   uint8_t iv[BLOCK];\n    memcpy(iv, call->in[0].data, BLOCK);\n    memcpy(call->out, iv, BLOCK);\n",
        );
        if !self.has_iv() {
            text.push_str("    /* No function takes an IV: the library has one of its own. */\n    memset(call->out, 0, BLOCK);\n    (void)iv;\n");
        }
        text.push_str(padding);
        text.push_str("    (void)in;\n");
        text.push_str(out_size(found));
        let names = Names {
            input: "out",
            size: if self.recipe.pads { "size" } else { "padded" },
            ..NAMES
        };
        text.push_str(&measure(&self.calls_of(found, &names, purpose)));
        text.push_str("    call->out_size = (agent_size)(BLOCK + padded);\n    return 0;\n}\n\n");
        text
    }

    fn cbc_decrypt(&self, found: &Call<'_>, purpose: Purpose) -> String {
        let mut text = String::from(
            "static uint8_t decrypt(struct agent_call *call)\n{\n\
             \x20   agent_size size = call->in[0].size;\n\
             \x20   if (size < 2 * BLOCK || size % BLOCK != 0)\n        return 1;\n\
             \x20   size = (agent_size)(size - BLOCK);\n\
             \x20   uint8_t *in = call->in[0].data + BLOCK, *out = call->out;\n\
             \x20   uint8_t iv[BLOCK];\n    memcpy(iv, call->in[0].data, BLOCK);\n",
        );
        if !self.has_iv() {
            text.push_str("    (void)iv;\n");
        }
        text.push_str(out_size(found));
        let mut calls = Vec::new();
        if self.has_iv() {
            // A PC repeats the call, so the IV is put back each time.
            calls.push("memcpy(iv, call->in[0].data, BLOCK)".to_owned());
        }
        calls.extend(self.calls_of(found, &NAMES, purpose));
        text.push_str(&measure(&calls));
        text.push_str(if self.recipe.pads {
            "    /* The library removes the padding and does not say how much is left. */\n\
             \x20   uint8_t padding = out[size - 1];\n\
             \x20   call->out_size = (agent_size)(padding <= BLOCK ? size - padding : size);\n    return 0;\n}\n\n"
        } else {
            "    /* 3: the padding is malformed, and the output is zeros. */\n\
             \x20   uint8_t padding = out[size - 1], wrong = padding == 0 || padding > BLOCK;\n\
             \x20   for (uint8_t i = 1; !wrong && i <= padding; i++)\n        wrong |= out[size - i] != padding;\n\
             \x20   if (wrong)\n        memset(out, 0, size);\n\
             \x20   call->out_size = (agent_size)(wrong ? 0 : size - padding);\n    return wrong ? 3 : 0;\n}\n\n"
        });
        text
    }

    fn ctr(&self) -> String {
        let Some(found) = &self.recipe.encrypt else {
            return String::new();
        };
        let mut text = String::from(
            "static uint8_t encrypt(struct agent_call *call)\n{\n\
             \x20   if (call->in[0].size != BLOCK || call->in[1].size > AGENT_IO_BYTES)\n        return AGENT_BAD_SIZE;\n\
             \x20   uint8_t *iv = call->in[0].data, *in = call->in[1].data, *out = call->out;\n\
             \x20   agent_size size = call->in[1].size;\n    uint8_t counter[BLOCK];\n",
        );
        text.push_str(&unused(found, &["in", "out"]));
        // A PC repeats the call, so the counter is put back each time.
        let mut calls = vec!["memcpy(counter, iv, BLOCK)".to_owned()];
        let names = Names {
            iv: "counter",
            ..NAMES
        };
        calls.extend(self.calls_of(found, &names, Purpose::Encrypt));
        text.push_str(&measure(&calls));
        text.push_str("    call->out_size = size;\n    return 0;\n}\n\n/* In CTR mode decryption is encryption. */\nstatic uint8_t decrypt(struct agent_call *call) { return encrypt(call); }\n\n");
        text
    }

    fn aead(&self) -> String {
        let mut text = String::from(
            "/* Nonce, associated data, message, and a byte with the tag's size if it is not TAG. */\n\
             static uint8_t right_sizes(const struct agent_call *call)\n{\n    return call->in[0].size == NONCE &&\n\
             \x20          (call->in[3].size == 0 || (call->in[3].size == 1 && call->in[3].data[0] == TAG));\n}\n\n",
        );
        let fields = "    uint8_t *iv = call->in[0].data, *ad = call->in[1].data, *in = call->in[2].data;\n\
             \x20   uint8_t *out = call->out;\n    agent_size ad_size = call->in[1].size;\n";
        if let Some(seal) = &self.recipe.encrypt {
            let _ = write!(
                text,
                "static uint8_t seal(struct agent_call *call)\n{{\n    if (!right_sizes(call) || call->in[2].size > AGENT_IO_BYTES - TAG)\n        return AGENT_BAD_SIZE;\n{fields}\
                 \x20   agent_size size = call->in[2].size;\n    uint8_t *tag = out + size;\n    unsigned long long out_size = 0;\n    (void)ad, (void)ad_size, (void)tag, (void)out_size;\n{}\
                 \x20   call->out_size = (agent_size)(size + TAG);\n    return 0;\n}}\n\n",
                measure(&self.calls_of(seal, &NAMES, Purpose::Seal))
            );
        }
        if let Some(open) = &self.recipe.decrypt {
            // With the tag as an argument of its own, the size is that of the ciphertext.
            let whole = if open.has(Slot::Tag) {
                "size"
            } else {
                "(agent_size)(size + TAG)"
            };
            let names = Names {
                size: whole,
                ..NAMES
            };
            let calls = self.calls_of(open, &names, Purpose::Open);
            let (last, before) = calls
                .split_last()
                .map_or(("0", &[][..]), |(l, b)| (l.as_str(), b));
            let mut measured = before.to_vec();
            let fails = open.function().result.trim() != "void";
            measured.push(if fails {
                format!("failed = (int)({last})")
            } else {
                last.to_owned()
            });
            let _ = write!(
                text,
                "static uint8_t open(struct agent_call *call)\n{{\n    if (!right_sizes(call) || call->in[2].size < TAG)\n        return AGENT_BAD_SIZE;\n{fields}\
                 \x20   agent_size size = (agent_size)(call->in[2].size - TAG);\n    uint8_t *tag = in + size;\n    unsigned long long out_size = 0;\n    int failed = 0;\n    (void)ad, (void)ad_size, (void)tag, (void)out_size;\n{}\
                 {}    /* The plaintext of a forged message must not be seen. */\n    if (failed)\n        memset(out, 0, size);\n    call->out_size = size;\n    return failed ? FORGED : 0;\n}}\n\n",
                measure(&measured),
                if open.function().result.contains("bool") {
                    "    failed = !failed;\n"
                } else {
                    ""
                },
            );
        }
        text
    }

    fn digests(&self) -> String {
        let recipe = self.recipe;
        let whole = self.whole_name();
        let keyed = usize::from(recipe.algorithm.interface == Interface::Mac);
        let mut text = String::new();
        if let Some(digest) = &recipe.digest {
            text.push_str(&self.digest_operation(whole, &[digest], keyed));
        }
        if let (Some(start), Some(update), Some(finish)) =
            (&recipe.start, &recipe.update, &recipe.finish)
        {
            text.push_str(&self.digest_operation(whole, &[start, update, finish], keyed));
            text.push_str(&self.digest_operation("start", &[start], keyed));
            text.push_str(&self.digest_operation("update", &[update], 0));
            text.push_str(&self.digest_operation("finish", &[finish], 0));
        }
        text
    }

    /// True if the library asks for the key again at the end of a message.
    fn keeps_mac_key(&self) -> bool {
        let finish = self.recipe.finish.as_ref();
        finish.is_some_and(|call| call.has(Slot::Key))
    }

    fn whole_name(&self) -> &'static str {
        match self.recipe.algorithm.interface {
            Interface::Mac => "mac",
            _ => "hash",
        }
    }

    fn digest_operation(&self, name: &str, calls: &[&Call<'_>], at: usize) -> String {
        let any = |slot: Slot| calls.iter().any(|call| call.has(slot));
        let message = any(Slot::In);
        let output = any(Slot::Out) || calls.iter().any(|call| call.returns_output);
        let mut text = format!("static uint8_t {name}(struct agent_call *call)\n{{\n");
        let keeps = self.keeps_mac_key();
        if any(Slot::Key) {
            text.push_str(match name {
                "finish" => {
                    "    uint8_t *key = kept;\n    agent_size key_size = kept_size;\n    (void)key_size;\n"
                }
                _ => {
                    "    uint8_t *key = call->in[0].data;\n    agent_size key_size = call->in[0].size;\n    (void)key_size;\n"
                }
            });
        }
        if keeps && name == "start" {
            text.push_str("    memcpy(kept, key, key_size);\n    kept_size = key_size;\n");
        }
        if message {
            let _ = writeln!(
                text,
                "    uint8_t *in = call->in[{at}].data;\n    agent_size size = call->in[{at}].size;"
            );
        }
        if output {
            text.push_str("    uint8_t *out = call->out;\n");
        }
        if !message && !output && !any(Slot::Key) {
            text.push_str("    (void)call;\n");
        }
        let names = Names {
            size: "size",
            ..NAMES
        };
        let calls: Vec<String> = calls
            .iter()
            .map(|found| {
                let call = self.call(found, &names, Purpose::Digest);
                match found.returns_output {
                    true => format!("memcpy(out, {call}, DIGEST)"),
                    false => call,
                }
            })
            .collect();
        text.push_str(&measure(&calls));
        if output {
            text.push_str("    call->out_size = DIGEST;\n");
        }
        text.push_str("    return 0;\n}\n\n");
        text
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

    /// One call of the library, as an expression.
    fn call(&self, found: &Call<'_>, names: &Names, purpose: Purpose) -> String {
        let function = found.function();
        let arguments: Vec<String> = function
            .parameters
            .iter()
            .zip(&found.slots)
            .map(|(parameter, slot)| self.argument(parameter, *slot, names, purpose))
            .collect();
        let object = if function.class.is_some() {
            "object."
        } else {
            ""
        };
        format!("{object}{}({})", function.name, arguments.join(", "))
    }

    fn argument(
        &self,
        parameter: &Parameter,
        slot: Slot,
        names: &Names,
        purpose: Purpose,
    ) -> String {
        let of = shape(self.scanned, parameter);
        let digits = |text: &str| text.to_owned();
        let is_mac = self.recipe.algorithm.interface == Interface::Mac;
        match slot {
            Slot::State => {
                let name = self.state_name(purpose);
                match of {
                    Shape::Structure { by_value: false } if !self.recipe.returns_state() => {
                        format!("&{name}")
                    }
                    Shape::Untyped => format!("(void *){name}"),
                    _ => name.to_owned(),
                }
            }
            Slot::Key => self.buffer(parameter, &of, names.key),
            Slot::Iv => self.buffer(parameter, &of, names.iv),
            Slot::In => self.buffer(parameter, &of, names.input),
            Slot::Out | Slot::InPlace => self.buffer(parameter, &of, names.output),
            Slot::Ad => self.buffer(parameter, &of, "ad"),
            Slot::Tag => self.buffer(parameter, &of, "tag"),
            Slot::KeyBytes if is_mac => digits("key_size"),
            Slot::KeyBytes if self.recipe.algorithm.key_bytes.is_none() => digits("0"),
            Slot::KeyBytes => digits("AGENT_KEY_BYTES"),
            Slot::KeyBits => digits("8 * AGENT_KEY_BYTES"),
            Slot::Rounds => digits("AGENT_KEY_BYTES / 4 + 6"),
            Slot::IvBytes => digits(match self.recipe.algorithm.interface {
                Interface::Aead => "NONCE",
                _ => "BLOCK",
            }),
            Slot::Bytes => names.size.to_owned(),
            Slot::Blocks => format!("{} / BLOCK", names.size),
            Slot::Bits => format!("8 * {}", names.size),
            Slot::OutSize => format!("({} *)&out_size", parameter.base),
            Slot::DigestBytes => digits("DIGEST"),
            Slot::DigestBits => digits("8 * DIGEST"),
            Slot::AdBytes => digits("ad_size"),
            Slot::TagBytes => digits("TAG"),
            Slot::Encrypts => flag(purpose != Purpose::Decrypt),
            Slot::Decrypts => flag(purpose == Purpose::Decrypt),
            Slot::Zero => digits("0"),
            Slot::Null => digits(if self.cpp { "nullptr" } else { "NULL" }),
        }
    }

    /// A buffer as the type that the parameter has; `uint8_t` is `unsigned char`.
    fn buffer(&self, parameter: &Parameter, of: &Shape, name: &str) -> String {
        let same = ["uint8_t", "unsigned char", "void", "byte"];
        let plain = parameter.pointers == 1 && same.contains(&parameter.base.as_str());
        match of {
            _ if plain => name.to_owned(),
            // A matrix: the compiler accepts `void *` in C only.
            Shape::Bytes { .. } if parameter.pointers == 2 && !self.cpp => {
                format!("(void *){name}")
            }
            // The name of a type that is itself a pointer or an array.
            Shape::Bytes { .. } if parameter.pointers == 0 => format!("(void *){name}"),
            _ => format!("({} *){name}", parameter.base),
        }
    }
}

fn flag(yes: bool) -> String {
    u8::from(yes).to_string()
}

/// A variable for the size that a function reports.
fn out_size(found: &Call<'_>) -> &'static str {
    match found.has(Slot::OutSize) {
        true => "    unsigned long long out_size = AGENT_IO_BYTES;\n",
        false => "",
    }
}

/// Statements for buffers that a call may leave alone.
fn unused(found: &Call<'_>, names: &[&str]) -> String {
    let all = found.has(Slot::In) && found.has(Slot::Out);
    if all {
        return String::new();
    }
    let marks: Vec<String> = names.iter().map(|name| format!("(void){name};")).collect();
    format!("    {}\n", marks.join(" "))
}

fn measure(calls: &[String]) -> String {
    format!(
        "    AGENT_MEASURE({});\n",
        calls.join(";\n                  ")
    )
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

/// A function as it was declared.
pub fn declaration(call: &Call<'_>) -> String {
    let function = call.function();
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| {
            let constant = if parameter.is_const { "const " } else { "" };
            let stars = "*".repeat(parameter.pointers);
            format!("{constant}{} {stars}{}", parameter.base, parameter.name)
                .trim_end()
                .to_owned()
        })
        .collect();
    let inside = if parameters.is_empty() {
        "void".to_owned()
    } else {
        parameters.join(", ")
    };
    format!("{} {}({inside})", function.result, function.name)
}

/// A text that cannot end the comment in which it stands.
pub fn comment(text: &str) -> String {
    text.replace("*/", "* /")
        .replace("/*", "/ *")
        .replace(['\n', '\r'], " ")
}
