//! The operations of authenticated ciphers.

use std::fmt::Write as _;

use super::text::measure;
use super::{NAMES, Names, Writer};
use crate::bind::slot::{Purpose, Slot};

impl Writer<'_, '_> {
    pub(super) fn aead(&self) -> String {
        if let Some(steps) = &self.recipe.steps {
            return self.stepwise(steps);
        }
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
            measured.push(format!("failed = (int)({last})"));
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
}
