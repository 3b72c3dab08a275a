//! The operations of authenticated ciphers.

use std::fmt::Write as _;

use super::text::measure;
use super::{NAMES, Names, Writer};
use crate::bind::call::Call;
use crate::bind::recipe::Fails;
use crate::bind::slot::{Purpose, Slot};

impl Writer<'_, '_> {
    pub(super) fn aead(&self) -> String {
        if let Some(steps) = &self.recipe.steps {
            return self.stepwise(steps);
        }
        let either = [&self.recipe.encrypt, &self.recipe.decrypt];
        let has = |slot: Slot| either.iter().copied().flatten().any(|call| call.has(slot));
        let nonce = match self.recipe.tells_nonce() {
            true => "call->in[0].size != 0",
            false => "call->in[0].size == NONCE",
        };
        let tag = match has(Slot::TagBytes) {
            true => "call->in[3].data[0] != 0 && call->in[3].data[0] <= TAG",
            false => "call->in[3].data[0] == TAG",
        };
        let mut text = format!(
            "/* Nonce, associated data, message, and a byte with the tag's size if it is not TAG. */\n\
             static uint8_t right_sizes(const struct agent_call *call)\n{{\n    return {nonce} &&\n\
             \x20          (call->in[3].size == 0 || (call->in[3].size == 1 && {tag}));\n}}\n\n"
        );
        if let Some(seal) = &self.recipe.encrypt {
            let _ = write!(
                text,
                "static uint8_t run_seal(struct agent_call *call)\n{{\n    if (!right_sizes(call) || call->in[2].size > AGENT_IO_BYTES - TAG)\n        return AGENT_BAD_SIZE;\n{FIELDS}\
                 \x20   agent_size size = call->in[2].size;\n    uint8_t *tag = out + size;\n    unsigned long long out_size = 0;\n{UNUSED}{}\
                 \x20   call->out_size = (agent_size)(size + tag_size);\n    return 0;\n}}\n\n",
                measure(&self.calls_of(seal, &NAMES, Purpose::Seal))
            );
        }
        if let Some(open) = &self.recipe.decrypt {
            text.push_str(&self.opening(open));
        }
        text
    }

    fn opening(&self, open: &Call<'_>) -> String {
        // With the tag as an argument of its own, the size is that of the ciphertext.
        let whole = match open.has(Slot::Tag) {
            true => "size",
            false => "(agent_size)(size + tag_size)",
        };
        let names = Names {
            size: whole,
            ..NAMES
        };
        let mut calls = self.calls_of(open, &names, Purpose::Open);
        let last = calls.pop().unwrap_or_default();
        let (declared, says) = match open.has(Slot::Checked) {
            true => ("    int checked = 0;\n", "    failed = !checked;\n"),
            false => match self.recipe.fails {
                Fails::NotZero => ("", ""),
                Fails::Negative => ("", "    failed = failed < 0;\n"),
                Fails::Zero => ("", "    failed = !failed;\n"),
            },
        };
        calls.push(match open.function().result.trim() {
            "void" => last,
            _ => format!("failed = (int)({last})"),
        });
        format!(
            "static uint8_t run_open(struct agent_call *call)\n{{\n{FIELDS}    if (!right_sizes(call) || call->in[2].size < tag_size)\n        return AGENT_BAD_SIZE;\n\
             \x20   agent_size size = (agent_size)(call->in[2].size - tag_size);\n    uint8_t *tag = in + size;\n    unsigned long long out_size = 0;\n    int failed = 0;\n{declared}{UNUSED}{}\
             {says}    /* The plaintext of a forged message must not be seen. */\n    if (failed)\n        memset(out, 0, size);\n    call->out_size = size;\n    return failed ? FORGED : 0;\n}}\n\n",
            measure(&calls),
        )
    }
}

/// The fields of a call.
const FIELDS: &str = "    uint8_t *iv = call->in[0].data, *ad = call->in[1].data, *in = call->in[2].data;\n\
    \x20   uint8_t *out = call->out;\n    agent_size ad_size = call->in[1].size, nonce_size = call->in[0].size;\n\
    \x20   uint8_t tag_size = call->in[3].size ? call->in[3].data[0] : TAG;\n";

/// Variables that a library's function may leave alone.
const UNUSED: &str = "    (void)in, (void)iv, (void)ad, (void)ad_size, (void)nonce_size, (void)tag, (void)out_size;\n";
