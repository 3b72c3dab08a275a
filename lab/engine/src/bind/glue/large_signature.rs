//! The operations of a signature scheme with large keys. The glue keeps the keys and the signature;
//! the host passes them in pieces (docs/contributor/agent-protocol.md).

use selo_vectors::{Algorithm, Interface as Kind, LargeSignature};

use super::kem::{EXIT, LOAD_AND_FETCH};
use super::text::measure;
use super::{NAMES, Names, Writer};
use crate::bind::call::Call;
use crate::bind::recipe::KeyCalls;
use crate::bind::slot::{Purpose, Slot};

/// The bytes of a message with its signature, as NIST's interface has them in one buffer: the
/// signature, then the message.
const ENVELOPES: &str = "\
static uint8_t envelope[AGENT_IO_BYTES + SIGNATURE];

static size_t taken_out(size_t bytes, size_t size)
{
    if (bytes < size || bytes - size > SIGNATURE)
        return 0;
    memcpy(signature, envelope, bytes - size);
    return bytes - size;
}

static size_t put_in(const uint8_t *in, size_t size, size_t bytes)
{
    memcpy(envelope, signature, bytes);
    memcpy(envelope + bytes, in, size);
    return bytes + size;
}

";

/// Falcon's: the size of the value, the nonce, the message, the value. A signature alone is the value's
/// first byte, which is larger by 16 there, the nonce, and the rest of the value.
const FALCON_ENVELOPES: &str = "\
enum { NONCE = 40 };
static uint8_t envelope[AGENT_IO_BYTES + SIGNATURE + 2];

static size_t taken_out(size_t bytes, size_t size)
{
    if (bytes < size + NONCE + 3 || bytes - size - 2 > SIGNATURE)
        return 0;
    const uint8_t *value = envelope + 2 + NONCE + size;
    signature[0] = (uint8_t)(value[0] + 0x10);
    memcpy(signature + 1, envelope + 2, NONCE);
    memcpy(signature + 1 + NONCE, value + 1, bytes - size - 3 - NONCE);
    return bytes - size - 2;
}

static size_t put_in(const uint8_t *in, size_t size, size_t bytes)
{
    if (bytes < NONCE + 1)
        return 0;
    uint8_t *value = envelope + 2 + NONCE + size;
    envelope[0] = (uint8_t)((bytes - NONCE) >> 8);
    envelope[1] = (uint8_t)(bytes - NONCE);
    memcpy(envelope + 2, signature + 1, NONCE);
    memcpy(envelope + 2 + NONCE, in, size);
    value[0] = (uint8_t)(signature[0] - 0x10);
    memcpy(value + 1, signature + 1 + NONCE, bytes - NONCE - 1);
    return bytes + size + 2;
}

";

impl Writer<'_, '_> {
    /// The operations of such a scheme.
    pub(super) fn large_signature(&self, keys: &KeyCalls<'_>) -> String {
        let kind = Algorithm::named(&self.recipe.algorithm.name).map(|known| known.interface());
        let Ok(Kind::LargeSignature(sizes)) = kind else {
            return String::new(); // no vectors, so no trial
        };
        let (Some(pair), Some(sign), Some(check)) = (&keys.pair, &keys.sign, &keys.check) else {
            return String::new();
        };
        let mut text = parts(&sizes);
        text.push_str(LOAD_AND_FETCH);
        text.push_str(&self.drawn(keys));
        text.push_str(EXIT);
        text.push_str(&self.pair_of_large(pair));
        if sign.purpose == Purpose::LargeEnvelope {
            let falcon = self.recipe.algorithm.family == "falcon";
            text.push_str(if falcon { FALCON_ENVELOPES } else { ENVELOPES });
        }
        text.push_str(&self.sign_large(sign));
        text.push_str(&self.check_large(check));
        text
    }

    /// A call that sets `failed`.
    fn failed(&self, call: &Call<'_>, names: &Names) -> String {
        let text = self.call(call, names, call.purpose);
        match call.function().result.trim() {
            "void" => format!("failed = 0, {text}"),
            "bool" => format!("failed = !{text}"),
            _ => format!("failed = {text} != 0"),
        }
    }

    fn pair_of_large(&self, pair: &Call<'_>) -> String {
        format!(
            "static uint8_t run_keygen(struct agent_call *call)\n{{\n    uint8_t *seed = call->in[0].data;\n    int failed;\n\
             \x20   if (call->in[0].size != SEED)\n        return AGENT_BAD_SIZE;\n    DRAWN(seed, SEED);\n{}    return failed ? BAD_KEY : 0;\n}}\n\n",
            measure(&[self.failed(pair, &NAMES)])
        )
    }

    fn sign_large(&self, sign: &Call<'_>) -> String {
        let (names, size) = match sign.purpose == Purpose::LargeEnvelope {
            true => (
                Names {
                    output: "envelope",
                    ..NAMES
                },
                "    const size_t signed_size = taken_out((size_t)out_size, size);\n",
            ),
            false => (NAMES, "    const size_t signed_size = (size_t)out_size;\n"),
        };
        format!(
            "static uint8_t run_sign(struct agent_call *call)\n{{\n{}    int failed;\n    {} out_size = 0;\n\
             \x20   if (call->in[2].size != RANDOM{})\n        return AGENT_BAD_SIZE;\n    DRAWN(call->in[2].data, RANDOM);\n{}{size}\
             \x20   call->out[0] = (uint8_t)(signed_size >> 8);\n    call->out[1] = (uint8_t)signed_size;\n\
             \x20   call->out[2] = (uint8_t)(DRAWN_BYTES < 255 ? DRAWN_BYTES : 255);\n    call->out_size = 3;\n    return failed ? BAD_KEY : 0;\n}}\n\n",
            message(sign),
            self.size_type(sign),
            refused(sign),
            measure(&[self.failed(sign, &names)])
        )
    }

    fn check_large(&self, check: &Call<'_>) -> String {
        let head = format!(
            "static uint8_t run_verify(struct agent_call *call)\n{{\n{}    int failed;\n    {} out_size = 0;\n\
             \x20   const size_t signature_size = call->in[2].size < 2 ? SIGNATURE + 1 : two(&call->in[2]);\n    (void)out_size;\n\
             \x20   if (signature_size > SIGNATURE{})\n        return AGENT_BAD_SIZE;\n",
            message(check),
            self.size_type(check),
            refused(check)
        );
        let body = match check.purpose == Purpose::LargeUnwrap {
            true => {
                let names = Names {
                    input: "envelope",
                    output: "opened",
                    size: "envelope_size",
                    ..NAMES
                };
                format!(
                    "    static uint8_t opened[sizeof envelope];\n\
                     \x20   const size_t envelope_size = put_in(in, size, signature_size);\n{}\
                     \x20   /* It opens to the message that was signed. */\n    failed |= out_size != size || memcmp(opened, in, size) != 0;\n",
                    measure(&[self.failed(check, &names)])
                )
            }
            false => measure(&[self.failed(check, &NAMES)]),
        };
        format!("{head}{body}    return failed ? FORGED : 0;\n}}\n\n")
    }

    /// The type of the size that a function reports, so that it writes no byte beside it.
    fn size_type(&self, call: &Call<'_>) -> String {
        let at = call.slots.iter().position(|slot| *slot == Slot::OutSize);
        let parameter = at.and_then(|at| call.function().parameters.get(at));
        parameter.map_or("size_t".to_owned(), |parameter| parameter.base.clone())
    }
}

/// The sizes, and the parts that the glue keeps.
fn parts(sizes: &LargeSignature) -> String {
    format!(
        "enum {{ PUBLIC = {}, PRIVATE = {}, SIGNATURE = {}, SEED = {}, RANDOM = {}, BAD_KEY = 5, FORGED = 6 }};\n\n\
         static uint8_t public_key[PUBLIC], private_key[PRIVATE], signature[SIGNATURE];\n\n\
         #define PARTS {{ public_key, private_key, signature }}\n#define PART_SIZES {{ PUBLIC, PRIVATE, SIGNATURE }}\n",
        sizes.public_bytes,
        sizes.private_bytes,
        sizes.signature_bytes,
        sizes.seed_bytes,
        sizes.random_bytes
    )
}

/// The variables of the message, and of its context if the call takes one.
fn message(call: &Call<'_>) -> String {
    let context = match call.has(Slot::Ad) {
        true => "    uint8_t *ad = call->in[1].data;\n    agent_size ad_size = call->in[1].size;\n",
        false => "",
    };
    format!(
        "    uint8_t *in = call->in[0].data;\n    agent_size size = call->in[0].size;\n{context}"
    )
}

/// The condition under which a call without contexts refuses one.
fn refused(call: &Call<'_>) -> &'static str {
    match call.has(Slot::Ad) {
        true => "",
        false => " || call->in[1].size != 0",
    }
}
