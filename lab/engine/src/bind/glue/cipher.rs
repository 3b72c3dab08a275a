//! The operations of block ciphers and their modes.

use std::fmt::Write as _;

use super::text::{measure, out_size, unused};
use super::{NAMES, Names, Writer};
use crate::bind::call::Call;
use crate::bind::recipe::is_matrix;
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::declarations::Parameter;

impl Writer<'_, '_> {
    pub(super) fn key_setup(&self) -> String {
        let mut text = String::from(
            "static uint8_t run_key_setup(struct agent_call *call)\n{\n    if (call->in[0].size != AGENT_KEY_BYTES)\n        return AGENT_BAD_SIZE;\n",
        );
        let matrix = self.key_is_matrix();
        if matrix {
            text.push_str("    transpose(call->in[0].data);\n");
        }
        let mut calls = Vec::new();
        if let Some(prepare) = &self.recipe.prepare {
            let call = self.call(prepare, &NAMES, Purpose::Encrypt);
            let _ = match prepare.returns_output {
                true => writeln!(text, "    {} = {call};", self.state_name(Purpose::Encrypt)),
                false => writeln!(text, "    {call};"),
            };
        }
        if self.keeps_key() && (self.sets_key_with_iv() || self.recipe.set_key.is_empty()) {
            calls.push("memcpy(key, call->in[0].data, AGENT_KEY_BYTES)".to_owned());
        } else {
            if self.keeps_key() {
                text.push_str("    memcpy(key, call->in[0].data, AGENT_KEY_BYTES);\n");
            }
            text.push_str(match self.points_to_key() {
                true => "    uint8_t *raw = key;\n",
                false => "    uint8_t *raw = call->in[0].data;\n",
            });
            if self.recipe.set_key.iter().any(|call| call.has(Slot::Iv)) {
                text.push_str("    uint8_t zeros[BLOCK] = {0};\n");
            }
            let apart = self.recipe.apart.as_ref();
            let presets = apart.into_iter().flat_map(|apart| &apart.presets);
            calls.extend(presets.map(|preset| format!("{} = {}", preset.place, preset.value)));
            for set_key in &self.recipe.set_key {
                let names = Names {
                    key: "raw",
                    iv: "zeros",
                    ..NAMES
                };
                let purpose = set_key.direction.unwrap_or(Purpose::Encrypt);
                let call = self.call(set_key, &names, purpose);
                calls.push(match set_key.returns_output {
                    true => format!("{} = {call}", self.holder(set_key, purpose)),
                    false => call,
                });
                calls.extend(self.select_mode(purpose));
            }
        }
        text.push_str(&measure(&calls));
        if matrix {
            text.push_str("    transpose(call->in[0].data);\n");
        }
        text.push_str("    return 0;\n}\n\n");
        text
    }

    /// True if the key of 16 bytes is a matrix, too.
    fn key_is_matrix(&self) -> bool {
        let calls = self.recipe.calls().into_iter();
        let mut passed = calls.flat_map(|call| call.function().parameters.iter().zip(&call.slots));
        let is_key = |(parameter, slot): (&Parameter, &Slot)| {
            *slot == Slot::Key && is_matrix(self.scanned, parameter)
        };
        self.recipe.by_rows && self.recipe.algorithm.key_bytes == Some(16) && passed.any(is_key)
    }

    /// The function that turns rows into columns.
    pub(super) fn transposition(&self) -> &'static str {
        match self.recipe.by_rows {
            true => {
                "/* The library takes a block by rows. */\nstatic void transpose(uint8_t *block)\n{\n    for (uint8_t row = 0; row < 4; row++)\n        for (uint8_t column = 0; column < row; column++) {\n            uint8_t byte = block[4 * row + column];\n            block[4 * row + column] = block[4 * column + row];\n            block[4 * column + row] = byte;\n        }\n}\n\n"
            }
            false => "",
        }
    }

    /// The assignment that selects the mode in the state.
    fn select_mode(&self, purpose: Purpose) -> Option<String> {
        let (member, constant) = self.recipe.mode_field.as_ref()?;
        let access = if self.recipe.returns_state() {
            "->"
        } else {
            "."
        };
        Some(format!(
            "{}{access}{member} = {constant}",
            self.state_name(purpose)
        ))
    }

    pub(super) fn both(&self) -> Vec<(&'static str, &Call<'_>, Purpose)> {
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
    pub(super) fn blocks(&self) -> String {
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
                "static uint8_t run_{name}(struct agent_call *call)\n{{\n    agent_size size = call->in[0].size;\n    if ({bad})\n        return AGENT_BAD_SIZE;\n    uint8_t *in = call->in[0].data, *out = call->out;"
            );
            text.push_str(&unused(found, &["in", "out"]));
            let sets_iv = self.recipe.set_key.iter().any(|call| call.has(Slot::Iv));
            if found.has(Slot::Iv) || sets_iv && self.sets_key_with_iv() {
                text.push_str("    uint8_t iv[BLOCK] = {0};\n");
            }
            text.push_str(out_size(found));
            let each = |of: &str| {
                format!(
                    "    for (agent_size at = 0; at < size; at = (agent_size)(at + BLOCK))\n        transpose({of} + at);\n"
                )
            };
            let rows = self.recipe.by_rows;
            if rows {
                text.push_str(&each("in"));
            }
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
            if rows {
                text.push_str(&each("in"));
                text.push_str(&each("out"));
            }
            text.push_str("    call->out_size = size;\n    return 0;\n}\n\n");
        }
        text
    }

    /// The calls of one operation: a copy for a function that works in place, what is called
    /// before each message, and the function.
    pub(super) fn calls_of(
        &self,
        found: &Call<'_>,
        names: &Names,
        purpose: Purpose,
    ) -> Vec<String> {
        let mut calls = self.calls_before(found, names, purpose);
        if let Some(apart) = &self.recipe.apart {
            calls.push(self.call(&apart.load, names, purpose));
            calls.push(self.call(found, names, purpose));
            calls.push(self.call(&apart.fetch, names, purpose));
            return calls;
        }
        if self.recipe.sets_members() || self.is_block_of_chain(found) {
            calls.push(self.call_for_each(found, names, purpose));
            return calls;
        }
        let call = self.call(found, names, purpose);
        calls.push(match found.returns_output {
            // The library allocates the output, and its caller frees it.
            true if self.scanned.allocates(found.function()) => format!(
                "void *made = {call}; memcpy({}, made, {}); free(made)",
                names.output, names.size
            ),
            true => format!("memcpy({}, {call}, {})", names.output, names.size),
            false => call,
        });
        if found.makes_stream() {
            calls.push(format!(
                "for (agent_size at = 0; at < {size}; at++) {out}[at] ^= {input}[at]",
                size = names.size,
                out = names.output,
                input = names.input
            ));
        }
        calls
    }

    /// The call for each block, or for each byte.
    fn call_for_each(&self, found: &Call<'_>, names: &Names, purpose: Purpose) -> String {
        let each = Names {
            input: if names.input == "in" {
                "(in + at)"
            } else {
                "(out + at)"
            },
            output: "(out + at)",
            ..*names
        };
        let step = if self.recipe.each_byte { "1" } else { "BLOCK" };
        let call = self.call(found, &each, purpose);
        format!(
            "for (agent_size at = 0; at < {}; at = (agent_size)(at + {step})) {call}",
            names.size
        )
    }

    /// What is called before the function for each message.
    fn calls_before(&self, found: &Call<'_>, names: &Names, purpose: Purpose) -> Vec<String> {
        let mut calls = Vec::new();
        if found.has(Slot::Place) {
            calls.push("place = 0".to_owned());
        }
        if found.has(Slot::KeyCopy) {
            calls.push("memcpy(once, key, AGENT_KEY_BYTES)".to_owned());
        }
        if found.has(Slot::InPlace) && names.input != names.output {
            calls.push(format!(
                "memcpy({}, {}, {})",
                names.output, names.input, names.size
            ));
        }
        if let Some(construct) = self
            .recipe
            .construct
            .as_ref()
            .filter(|_| self.recipe.constructs_each())
        {
            let class = self.recipe.class.as_deref().unwrap_or_default();
            let arguments = self.arguments(construct, names, purpose);
            calls.push(format!("{class} object({arguments})"));
        }
        let placed = self.recipe.iv_place.as_ref();
        let placed = placed.map(|place| format!("memcpy({place}, {}, BLOCK)", names.iv));
        // A method that begins a message may take what the members hold.
        let before = placed.as_ref().filter(|_| self.recipe.sets_members());
        calls.extend(before.cloned());
        if self.sets_key_with_iv() {
            let sets = self.recipe.set_key.iter();
            calls.extend(sets.map(|call| self.call(call, names, purpose)));
            calls.extend(self.select_mode(purpose));
        }
        calls.extend(placed.filter(|_| !self.recipe.sets_members()));
        if let Some(set_iv) = &self.recipe.set_iv {
            calls.push(self.call(set_iv, names, purpose));
        }
        calls
    }

    /// True for a function of CBC that takes one block of a message at a time.
    fn is_block_of_chain(&self, found: &Call<'_>) -> bool {
        let sizes = [Slot::Bytes, Slot::Blocks, Slot::Bits, Slot::OutBytes];
        let sized = sizes.iter().any(|slot| found.has(*slot));
        self.recipe.algorithm.interface == Interface::ModeCbc
            && !(sized || found.returns_output || self.recipe.pads)
    }

    pub(super) fn has_iv(&self) -> bool {
        let takes = |call: &&Call<'_>| call.has(Slot::Iv);
        self.recipe.iv_place.is_some() || self.recipe.calls().iter().any(takes)
    }

    pub(super) fn cbc(&self) -> String {
        let mut text = String::new();
        for (name, found, purpose) in self.both() {
            text.push_str(&match name {
                "encrypt" => self.cbc_encrypt(found, purpose),
                _ => self.cbc_decrypt(found, purpose),
            });
        }
        text
    }

    pub(super) fn cbc_encrypt(&self, found: &Call<'_>, purpose: Purpose) -> String {
        let padding = match self.recipe.pads {
            true => "    /* The library pads the message. */\n    memcpy(out, in, size);\n",
            false => {
                "    /* The glue pads: PKCS #7 [RFC5652, 6.3]. */\n    memcpy(out, in, size);\n    memset(out + size, padded - size, (size_t)(padded - size));\n"
            }
        };
        let mut text = String::from(
            "/* in[0] is the IV that the random source gave. */\nstatic uint8_t run_encrypt(struct agent_call *call)\n{\n\
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

    pub(super) fn cbc_decrypt(&self, found: &Call<'_>, purpose: Purpose) -> String {
        let mut text = String::from(
            "static uint8_t run_decrypt(struct agent_call *call)\n{\n\
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
        if self.recipe.pads {
            text.push_str("    /* The library removes the padding and does not say how much is left, or what was wrong. */\n");
        }
        text.push_str(
            "    /* 3: the padding is malformed, and the output is zeros. */\n\
             \x20   uint8_t padding = out[size - 1], wrong = padding == 0 || padding > BLOCK;\n\
             \x20   for (uint8_t i = 1; !wrong && i <= padding; i++)\n        wrong |= out[size - i] != padding;\n\
             \x20   if (wrong)\n        memset(out, 0, size);\n\
             \x20   call->out_size = (agent_size)(wrong ? 0 : size - padding);\n    return wrong ? 3 : 0;\n}\n\n",
        );
        text
    }

    pub(super) fn ctr(&self) -> String {
        let Some(found) = &self.recipe.encrypt else {
            return String::new();
        };
        let mut text = String::from(
            "static uint8_t run_encrypt(struct agent_call *call)\n{\n\
             \x20   if (call->in[0].size != BLOCK || call->in[1].size > AGENT_IO_BYTES)\n        return AGENT_BAD_SIZE;\n\
             \x20   uint8_t *iv = call->in[0].data, *in = call->in[1].data, *out = call->out;\n\
             \x20   agent_size size = call->in[1].size;\n    uint8_t counter[BLOCK];\n",
        );
        text.push_str(&unused(found, &["in", "out"]));
        if found.makes_stream() {
            text.push_str("    /* The library writes the key stream, and the glue adds the message: whole blocks must fit. */\n    if ((size + BLOCK - 1) / BLOCK * BLOCK > AGENT_IO_BYTES)\n        return AGENT_BAD_SIZE;\n");
        }
        // A PC repeats the call, so the counter is put back each time.
        let mut calls = vec!["memcpy(counter, iv, BLOCK)".to_owned()];
        let names = Names {
            iv: "counter",
            ..NAMES
        };
        calls.extend(self.calls_of(found, &names, Purpose::Encrypt));
        text.push_str(&measure(&calls));
        text.push_str("    call->out_size = size;\n    return 0;\n}\n\n/* In CTR mode decryption is encryption. */\nstatic uint8_t run_decrypt(struct agent_call *call) { return run_encrypt(call); }\n\n");
        text
    }
}
