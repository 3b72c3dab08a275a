//! Glue for authenticated ciphers by the interface that the candidates of NIST's lightweight
//! competition share, and most code of Ascon has: `crypto_aead_encrypt`, `crypto_aead_decrypt`.

use std::fmt::Write as _;

use super::skeleton::{Glue, heading, includes, named};
use super::{Found, Scanned};
use crate::algorithm::Algorithm;
use crate::interface::Interface;

/// Parameters of both functions: output and its size, two more with theirs, nsec, nonce, key.
const PARAMETERS: usize = 9;

/// Glue for the authenticated cipher of the library, if it has that interface.
pub(super) fn glues(scanned: &Scanned, algorithms: &[Algorithm]) -> Vec<Glue> {
    let function = |name: &str| {
        scanned.entries.iter().find(|found| {
            let function = &found.entry.function;
            function.name == name && function.parameters.len() == PARAMETERS
        })
    };
    let (Some(seal), Some(open)) = (
        function("crypto_aead_encrypt"),
        function("crypto_aead_decrypt"),
    ) else {
        return Vec::new();
    };
    let key = scanned.number("CRYPTO_KEYBYTES");
    let nonce = scanned.number("CRYPTO_NPUBBYTES");
    let ciphers: Vec<&Algorithm> = algorithms
        .iter()
        .filter(|algorithm| {
            algorithm.interface == Interface::Aead
                && (key.is_none() || algorithm.key_bytes == key)
                && (nonce.is_none() || algorithm.nonce_bytes == nonce)
        })
        .collect();
    let (Some(algorithm), guessed) = named(scanned, seal, &ciphers) else {
        return Vec::new();
    };
    vec![Glue {
        kind: "aead",
        algorithms: vec![algorithm.name.clone()],
        operations: vec!["key-setup", "seal", "open"],
        text: text(scanned, algorithm, &[seal, open]),
        guessed,
        used: vec![
            seal.entry.function.name.clone(),
            open.entry.function.name.clone(),
        ],
        cpp: false,
    }]
}

fn text(scanned: &Scanned, algorithm: &Algorithm, used: &[&Found]) -> String {
    let tag = scanned.number("CRYPTO_ABYTES").unwrap_or(16);
    let nonce = algorithm.nonce_bytes.unwrap_or(16);
    let mut text = heading(scanned, std::slice::from_ref(&algorithm.name));
    includes(&mut text, scanned, used);
    let _ = write!(
        text,
        "
#include <string.h>

enum {{ NONCE = {nonce}, TAG = {tag}, FORGED = 6 }};

static uint8_t key[AGENT_KEY_BYTES];

static uint8_t key_setup(struct agent_call *call)
{{
    if (call->in[0].size != AGENT_KEY_BYTES)
        return AGENT_BAD_SIZE;
    /* The library has no key schedule to keep: each message begins with the key. */
    AGENT_MEASURE(memcpy(key, call->in[0].data, AGENT_KEY_BYTES));
    return 0;
}}

/* Nonce, associated data, message, and a byte with the size of the tag if it is another. */
static uint8_t right_sizes(const struct agent_call *call)
{{
    return call->in[0].size == NONCE &&
           (call->in[3].size == 0 || (call->in[3].size == 1 && call->in[3].data[0] == TAG));
}}

static uint8_t seal(struct agent_call *call)
{{
    if (!right_sizes(call) || call->in[2].size > AGENT_IO_BYTES - TAG)
        return AGENT_BAD_SIZE;
    uint8_t *nonce = call->in[0].data, *ad = call->in[1].data, *in = call->in[2].data;
    uint8_t *out = call->out;
    agent_size ad_size = call->in[1].size, size = call->in[2].size;
    unsigned long long sealed = 0;
    int failed;
    AGENT_MEASURE(failed = crypto_aead_encrypt(out, &sealed, in, size, ad, ad_size, NULL, nonce, key));
    call->out_size = (agent_size)sealed;
    return failed ? 1 : 0;
}}

static uint8_t open(struct agent_call *call)
{{
    if (!right_sizes(call) || call->in[2].size < TAG)
        return AGENT_BAD_SIZE;
    uint8_t *nonce = call->in[0].data, *ad = call->in[1].data, *in = call->in[2].data;
    uint8_t *out = call->out;
    agent_size ad_size = call->in[1].size, size = call->in[2].size;
    unsigned long long opened = 0;
    int failed;
    AGENT_MEASURE(failed = crypto_aead_decrypt(out, &opened, NULL, in, size, ad, ad_size, nonce, key));
    /* A forged message's plaintext is nobody's to see; whether the library wipes it, its tests
     * do not say, so it is wiped here, outside what is timed. */
    if (failed)
        memset(out, 0, size);
    call->out_size = (agent_size)(size - TAG);
    return failed ? FORGED : 0;
}}

AGENT_OPERATIONS(
    AGENT_OPERATION(KEY_SETUP, \"key-setup\", key_setup)
    AGENT_OPERATION(SEAL, \"seal\", seal)
    AGENT_OPERATION(OPEN, \"open\", open))
"
    );
    text
}
