//! The operations of key agreements and signatures.

use std::fmt::Write as _;

use super::text::measure;
use super::{NAMES, Names, Writer};
use crate::bind::call::Call;
use crate::bind::recipe::{KeyCalls, KeyForm};
use crate::bind::slot::{Purpose, Slot};
use crate::bind::types::written;
use crate::interface::Interface;

/// The sizes and status codes of the interfaces.
const CONSTANTS: &str = "SECRET = 32, BAD_KEY = 5, FORGED = 6";

impl Writer<'_, '_> {
    /// The operations of a key agreement or a signature.
    pub(super) fn public_key(&self, keys: &KeyCalls<'_>) -> String {
        let mut text = self.surroundings(keys);
        text.push_str(&self.keygen(keys));
        if self.recipe.algorithm.interface == Interface::Dh {
            text.push_str(&self.agreement(keys));
        } else {
            text.push_str(&self.signing(keys));
            text.push_str(&self.verifying(keys));
        }
        text
    }

    fn public_bytes(&self) -> u32 {
        match self.recipe.algorithm.family.as_str() {
            "p-256" => 64,
            _ => 32,
        }
    }

    /// Constants, and the source of random numbers, which the host seeds.
    fn surroundings(&self, keys: &KeyCalls<'_>) -> String {
        let mut text = format!(
            "enum {{ PUBLIC = {}, SIGNATURE = 64, {CONSTANTS} }};\n\n",
            self.public_bytes()
        );
        if keys.set_random.is_none() && keys.random.is_none() {
            text.push_str("#define BEGIN(bytes, size) ((void)(bytes), (void)(size))\n\n");
            return text;
        }
        text.push_str(
            "/* The library's random numbers: first the given bytes, then a generator that they seed. */\n\
             static uint8_t given[SECRET];\nstatic agent_size given_at;\nstatic uint32_t random_state;\n\n\
             static void seed_random(const uint8_t *bytes, agent_size size)\n{\n\
             \x20   random_state = 0x9e3779b9u;\n    given_at = size == SECRET ? 0 : SECRET;\n\
             \x20   for (agent_size i = 0; i < size; i++) {\n\
             \x20       random_state = (random_state ^ bytes[i]) * 16777619u + 1;\n\
             \x20       if (size == SECRET)\n            given[i] = bytes[i];\n    }\n}\n\n\
             static void fill_random(uint8_t *out, size_t size)\n{\n\
             \x20   for (size_t i = 0; i < size; i++) {\n\
             \x20       random_state = random_state * 1664525u + 1013904223u;\n\
             \x20       out[i] = given_at < SECRET ? given[given_at++] : (uint8_t)(random_state >> 24);\n    }\n}\n\n",
        );
        let c = if self.cpp { "extern \"C\" " } else { "" };
        if let Some(source) = keys.random {
            let function = &source.function;
            let [buffer, size] = function.parameters.as_slice() else {
                return text;
            };
            let back = if function.result.trim() == "void" {
                ""
            } else {
                " return 0;"
            };
            let _ = writeln!(
                text,
                "{c}{} {}({} {}out, {} size) {{ fill_random((uint8_t *)out, (size_t)size);{back} }}\n",
                function.result,
                function.name,
                written(self.scanned, buffer),
                "*".repeat(buffer.pointers),
                written(self.scanned, size),
            );
        }
        let set = match keys.set_random {
            Some(set) => {
                text.push_str("static int draw(uint8_t *out, unsigned size)\n{\n    fill_random(out, size);\n    return 1;\n}\n\n");
                let of = set.function.parameters.first();
                let base = of.map_or("", |parameter| parameter.base.as_str());
                format!(", {}(({base})draw)", set.function.name)
            }
            None => String::new(),
        };
        let _ = writeln!(
            text,
            "#define BEGIN(bytes, size) (seed_random(bytes, size){set})\n"
        );
        text
    }

    /// A call that gives an expression of success or failure: `failed = ...`.
    fn failing(&self, found: &Call<'_>, keys: &KeyCalls<'_>, names: &Names) -> String {
        let call = self.call(found, names, found.purpose);
        let ignores = self.recipe.algorithm.family == "x25519";
        match (found.function().result.trim(), keys.zero_fails) {
            ("void", _) => call,
            _ if ignores => format!("(void){call}"),
            ("bool", _) | (_, true) => format!("failed = !{call}"),
            _ => format!("failed = {call} != 0"),
        }
    }

    /// The check of a public key, outside the marks: a program does it once.
    fn validity(&self, keys: &KeyCalls<'_>, name: &'static str) -> String {
        let Some(valid) = &keys.valid else {
            return String::new();
        };
        let names = Names {
            public_key: name,
            ..NAMES
        };
        let call = self.call(valid, &names, Purpose::Valid);
        let is = if keys.zero_fails { "!" } else { "" };
        let is = if valid.function().result.trim() == "bool" {
            "!"
        } else {
            is
        };
        format!("    if ({is}{call})\n        return BAD_KEY;\n")
    }

    /// The bits of a secret that RFC 7748, 5 fixes, if the library leaves them to its caller.
    fn clamp(keys: &KeyCalls<'_>, secret: &str) -> String {
        if !keys.clamps {
            return String::new();
        }
        format!(
            "    /* The library leaves this to its caller [RFC7748, 5]. */\n\
             \x20   {secret}[0] &= 248, {secret}[31] &= 127, {secret}[31] |= 64;\n"
        )
    }

    fn keygen(&self, keys: &KeyCalls<'_>) -> String {
        let mut text = String::from(
            "static uint8_t run_keygen(struct agent_call *call)\n{\n    if (call->in[0].size != SECRET)\n        return AGENT_BAD_SIZE;\n\
             \x20   uint8_t *public_key = call->out, *seed = call->in[0].data;\n    BEGIN(seed, SECRET);\n",
        );
        text.push_str(&Self::clamp(keys, "seed"));
        if let Some(pair) = &keys.pair {
            text.push_str("    uint8_t secret[2 * SECRET];\n    memcpy(secret, seed, SECRET);\n");
            text.push_str(&measure(&[self.call(pair, &NAMES, Purpose::Pair)]));
        } else if let Some(public_of) = &keys.public_of {
            text.push_str("    uint8_t *secret = seed;\n");
            text.push_str(&measure(&[self.call(public_of, &NAMES, Purpose::PublicOf)]));
        } else if let Some(agree) = &keys.agree {
            text.push_str("    uint8_t *secret = seed, peer[PUBLIC] = { 9 }, *out = public_key;\n");
            text.push_str(&measure(&[self.call(agree, &NAMES, Purpose::Agree)]));
        }
        text.push_str("    call->out_size = PUBLIC;\n    return 0;\n}\n\n");
        text
    }

    fn agreement(&self, keys: &KeyCalls<'_>) -> String {
        let Some(agree) = &keys.agree else {
            return String::new();
        };
        let mut text = String::from(
            "static uint8_t run_shared_secret(struct agent_call *call)\n{\n\
             \x20   if (call->in[0].size != SECRET || call->in[1].size != PUBLIC)\n        return AGENT_BAD_SIZE;\n\
             \x20   uint8_t *secret = call->in[0].data, *peer = call->in[1].data, *out = call->out;\n\
             \x20   uint8_t any = 0;\n    int failed = 0;\n    BEGIN(secret, SECRET);\n    memset(out, 0, SECRET);\n    call->out_size = SECRET;\n",
        );
        text.push_str(&self.validity(keys, "peer"));
        text.push_str(&Self::clamp(keys, "secret"));
        if keys.masks {
            text.push_str(
                "    /* The library leaves this to its caller [RFC7748, 5]. */\n    peer[31] &= 127;\n",
            );
        }
        text.push_str(&measure(&[self.failing(agree, keys, &NAMES)]));
        text.push_str("    for (uint8_t i = 0; i < SECRET; i++)\n        any |= out[i];\n");
        if self.recipe.algorithm.family == "x25519" {
            text.push_str(
                "    /* A zero secret is refused [RFC7748, 6.1]. */\n    failed |= any == 0;\n",
            );
        }
        text.push_str("    if (failed)\n        memset(out, 0, SECRET);\n    (void)any;\n    return failed ? BAD_KEY : 0;\n}\n\n");
        text
    }

    fn signing(&self, keys: &KeyCalls<'_>) -> String {
        let Some(sign) = &keys.sign else {
            return String::new();
        };
        let mut text = String::from(
            "static uint8_t run_sign(struct agent_call *call)\n{\n\
             \x20   if (call->in[0].size != SECRET || call->in[1].size != PUBLIC)\n        return AGENT_BAD_SIZE;\n\
             \x20   uint8_t *seed = call->in[0].data, *public_key = call->in[1].data, *in = call->in[2].data;\n\
             \x20   uint8_t *signature = call->out, secret[2 * SECRET];\n    agent_size size = call->in[2].size;\n\
             \x20   unsigned long long out_size = 0;\n    (void)public_key, (void)out_size, (void)size;\n    memcpy(secret, seed, SECRET);\n",
        );
        match (keys.form, &keys.pair) {
            (KeyForm::Made, Some(pair)) => {
                text.push_str("    uint8_t made[PUBLIC];\n    BEGIN(seed, SECRET);\n");
                let names = Names {
                    public_key: "made",
                    ..NAMES
                };
                let call = self.call(pair, &names, Purpose::Pair);
                let _ = writeln!(text, "    {call};");
            }
            (KeyForm::SecretAndPublic, _) => {
                text.push_str("    memcpy(secret + SECRET, public_key, SECRET);\n");
            }
            _ => {}
        }
        text.push_str("    BEGIN(call->in[3].data, call->in[3].size);\n");
        if sign.purpose == Purpose::Envelope {
            // The signature comes first in the envelope.
            text.push_str("    static uint8_t envelope[AGENT_IO_BYTES + SIGNATURE];\n");
            let names = Names {
                output: "envelope",
                ..NAMES
            };
            text.push_str(&measure(&[self.call(sign, &names, Purpose::Sign)]));
            text.push_str("    memcpy(signature, envelope, SIGNATURE);\n");
        } else {
            text.push_str(&measure(&[self.call(sign, &NAMES, Purpose::Sign)]));
        }
        text.push_str("    call->out_size = SIGNATURE;\n    return 0;\n}\n\n");
        text
    }

    fn verifying(&self, keys: &KeyCalls<'_>) -> String {
        let Some(check) = &keys.check else {
            return String::new();
        };
        let mut text = String::from(
            "static uint8_t run_verify(struct agent_call *call)\n{\n\
             \x20   if (call->in[0].size != PUBLIC || call->in[2].size != SIGNATURE)\n        return AGENT_BAD_SIZE;\n\
             \x20   uint8_t *public_key = call->in[0].data, *in = call->in[1].data, *signature = call->in[2].data;\n\
             \x20   agent_size size = call->in[1].size;\n    unsigned long long out_size = 0;\n    int failed = 0;\n    (void)out_size, (void)size;\n",
        );
        text.push_str(&self.validity(keys, "public_key"));
        if check.purpose == Purpose::Unwrap {
            text.push_str(
                "    static uint8_t envelope[AGENT_IO_BYTES + SIGNATURE], opened[AGENT_IO_BYTES + SIGNATURE];\n\
                 \x20   memcpy(envelope, signature, SIGNATURE);\n    memcpy(envelope + SIGNATURE, in, size);\n",
            );
            let names = Names {
                input: "envelope",
                output: "opened",
                size: "(agent_size)(size + SIGNATURE)",
                ..NAMES
            };
            text.push_str(&measure(&[self.failing(check, keys, &names)]));
        } else {
            text.push_str(&measure(&[self.failing(check, keys, &NAMES)]));
        }
        text.push_str("    return failed ? FORGED : 0;\n}\n\n");
        text
    }

    /// The values of the slots that only public-key functions have.
    pub(super) fn key_argument(&self, slot: Slot) -> Option<String> {
        let text = match slot {
            Slot::Secret if self.recipe.algorithm.interface.keeps_parts() => "private_key",
            Slot::Secret => "secret",
            Slot::Capsule => "ciphertext",
            Slot::Seed => "seed",
            Slot::Peer => "peer",
            Slot::Signature => "signature",
            Slot::Curve => self.recipe.keys.as_ref()?.curve.as_deref()?,
            _ => return None,
        };
        Some(text.to_owned())
    }
}
