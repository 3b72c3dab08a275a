//! The operations of authenticated ciphers that take a message in steps.

use std::fmt::Write as _;

use super::text::measure;
use super::{NAMES, Writer};
use crate::bind::call::Call;
use crate::bind::recipe::Steps;
use crate::bind::slot::{Purpose, Slot};

impl Writer<'_, '_> {
    pub(super) fn stepwise(&self, steps: &Steps<'_>) -> String {
        let any_nonce = self.recipe.tells_nonce();
        // The last input is the size of the tag, if that is not TAG.
        let fields = format!(
            "{FIELDS}    if (call->in[3].size > 1 || nonce_size == 0 || tag_size == 0 || tag_size > TAG"
        );
        let fields = match any_nonce {
            true => format!("{fields})\n        return AGENT_BAD_SIZE;\n"),
            false => format!("{fields} || nonce_size != NONCE)\n        return AGENT_BAD_SIZE;\n"),
        };
        let mut text = self.seal_in_steps(steps, &fields);
        if let Some(open) = &steps.open {
            text.push_str(&self.open_in_steps(steps, open, &fields));
        }
        text
    }

    fn seal_in_steps(&self, steps: &Steps<'_>, fields: &str) -> String {
        let calls = self.steps(steps, &steps.seal, Purpose::Seal);
        format!(
            "static uint8_t run_seal(struct agent_call *call)\n{{\n{fields}\
             \x20   agent_size size = call->in[2].size;\n    if (size > AGENT_IO_BYTES - TAG)\n        return AGENT_BAD_SIZE;\n{}\
             \x20   memcpy(out + size, tag, tag_size);\n    call->out_size = (agent_size)(size + tag_size);\n    return 0;\n}}\n\n",
            measure(&calls)
        )
    }

    fn open_in_steps(&self, steps: &Steps<'_>, open: &Call<'_>, fields: &str) -> String {
        let calls = self.steps(steps, open, Purpose::Open);
        let mut text = String::from("/* The library gives the tag, and its user compares. */\n");
        let _ = write!(
            text,
            "static uint8_t run_open(struct agent_call *call)\n{{\n{fields}\
             \x20   if (call->in[2].size < tag_size)\n        return AGENT_BAD_SIZE;\n\
             \x20   agent_size size = (agent_size)(call->in[2].size - tag_size);\n    uint8_t failed = 0;\n{}\
             \x20   for (uint8_t i = 0; i < tag_size; i++)\n        failed |= (uint8_t)(in[size + i] ^ tag[i]);\n    /* The plaintext of a forged message must not be seen. */\n    if (failed)\n        memset(out, 0, size);\n    call->out_size = size;\n    return failed ? FORGED : 0;\n}}\n\n",
            measure(&calls)
        );
        text
    }

    /// The calls for one message.
    fn steps(&self, steps: &Steps<'_>, part: &Call<'_>, purpose: Purpose) -> Vec<String> {
        let call = |found: &Call<'_>| self.call(found, &NAMES, purpose);
        let mut calls = vec![call(&steps.begin)];
        // Some ciphers mark a message that has associated data by this call.
        calls.push(format!("if (ad_size) {}", call(&steps.add)));
        if part.has(Slot::InPlace) {
            calls.push("memcpy(out, in, size)".to_owned());
        }
        calls.extend([call(part), call(&steps.tag)]);
        calls
    }
}

/// The fields of a call, and the tag of the message.
const FIELDS: &str = "    uint8_t *iv = call->in[0].data, *ad = call->in[1].data, *in = call->in[2].data;\n\
    \x20   uint8_t *out = call->out, tag[TAG] = {0};\n    agent_size ad_size = call->in[1].size, nonce_size = call->in[0].size;\n\
    \x20   uint8_t tag_size = call->in[3].size ? call->in[3].data[0] : TAG;\n    (void)nonce_size;\n";
