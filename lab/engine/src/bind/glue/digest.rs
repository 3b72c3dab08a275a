//! The operations of hashes and MACs.

use std::fmt::Write as _;

use super::text::measure;
use super::{NAMES, Names, Writer};
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;

impl Writer<'_, '_> {
    pub(super) fn digests(&self) -> String {
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
            let keys = recipe.set_key.iter();
            let first: Vec<&Call<'_>> = keys.chain([start]).collect();
            let all: Vec<&Call<'_>> = first.iter().copied().chain([update, finish]).collect();
            text.push_str(&self.digest_operation(whole, &all, keyed));
            text.push_str(&self.digest_operation("start", &first, keyed));
            text.push_str(&self.digest_operation("update", &[update], 0));
            text.push_str(&self.digest_operation("finish", &[finish], 0));
        }
        text
    }

    /// True if the library asks for the key again at the end of a message.
    pub(super) fn keeps_mac_key(&self) -> bool {
        let finish = self.recipe.finish.as_ref();
        finish.is_some_and(|call| call.has(Slot::Key))
    }

    pub(super) fn whole_name(&self) -> &'static str {
        match self.recipe.algorithm.interface {
            Interface::Mac => "mac",
            _ => "hash",
        }
    }

    pub(super) fn digest_operation(&self, name: &str, calls: &[&Call<'_>], at: usize) -> String {
        let recipe = self.recipe;
        let any = |slot: Slot| calls.iter().any(|call| call.has(slot));
        let message = any(Slot::In) || any(Slot::InByte);
        let output = any(Slot::Out) || calls.iter().any(|call| call.returns_output);
        let mut text = format!("static uint8_t run_{name}(struct agent_call *call)\n{{\n");
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
                let mut call = self.call(found, &names, Purpose::Digest);
                if let (Some(member), Purpose::Start) = (&recipe.rate_field, found.purpose) {
                    let access = if recipe.returns_state() { "->" } else { "." };
                    let _ = write!(call, "; state{access}{member} = 200 - 2 * DIGEST");
                }
                match found.returns_output {
                    true => format!("memcpy(out, {call}, DIGEST)"),
                    false if found.has(Slot::InByte) => {
                        format!("for (agent_size at = 0; at < size; at++) {call}")
                    }
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
}
