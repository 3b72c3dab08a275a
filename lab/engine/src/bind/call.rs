//! The purposes of a library's functions, and the plausible ways to call each.

mod apart;
mod kem;
mod large_signature;
mod mode;
mod name;
mod public;
mod purpose;
mod steps;
mod ways;

pub use self::mode::Mode;
use self::mode::mode;
use self::purpose::purposes;
use self::ways::{is_stream, ways};
use super::slot::{Purpose, Slot};
use super::types::{Shape, resolved_tag, shape};
use crate::scan::declarations::{Function, Parameter};
use crate::scan::words::words;
use crate::scan::{Declared, Scanned};

/// One way to call a function.
#[derive(Clone, Debug)]
pub struct Call<'l> {
    pub declared: &'l Declared,
    pub purpose: Purpose,
    pub mode: Mode,
    /// The slot of each parameter.
    pub slots: Vec<Slot>,
    /// The function returns a pointer to its output; a key set-up, to the state.
    pub returns_output: bool,
    /// The purpose of a key set-up: its name speaks of one direction.
    pub direction: Option<Purpose>,
    /// The glue declares it with `void *` for structures that only its own source knows.
    pub by_handle: bool,
    /// The type of the state that it takes or returns, with names of types resolved.
    pub state_type: Option<String>,
    /// Implausibility: 0 if names and types say everything.
    pub cost: u32,
}

impl<'l> Call<'l> {
    pub fn function(&self) -> &'l Function {
        &self.declared.function
    }

    /// Its name; of an assignment, the place that it writes or reads.
    pub fn label(&self) -> &'l str {
        let held = self.slots.iter().position(|slot| *slot == Slot::Held);
        let place = held.and_then(|at| self.declared.function.parameters.get(at));
        match place {
            Some(place) => &place.name,
            None => &self.declared.function.name,
        }
    }

    pub fn has(&self, slot: Slot) -> bool {
        self.slots.contains(&slot)
    }

    /// True if the function writes a key stream, which the caller adds to the message.
    pub fn makes_stream(&self) -> bool {
        self.purpose == Purpose::Encrypt && is_stream(&self.slots)
    }

    /// True if the function takes the key itself.
    pub fn takes_key(&self) -> bool {
        self.has(Slot::Key) || self.has(Slot::KeyCopy)
    }

    /// True if the glue can call the function only by including its source.
    pub fn by_inclusion(&self) -> bool {
        self.declared.by_inclusion && !self.by_handle
    }

    /// The same call, of which the glue needs no type that only the source knows; `None` if nothing
    /// but the source can call it.
    pub fn as_handle(&self) -> Option<Call<'l>> {
        let function = self.function();
        let is_private = self.declared.by_inclusion;
        let callable = !function.is_static && !function.name.contains('.');
        (!is_private || callable).then(|| Call {
            by_handle: is_private,
            ..self.clone()
        })
    }

    /// The parameter that takes the state, if any.
    pub fn state(&self) -> Option<&'l Parameter> {
        let at = self.slots.iter().position(|slot| *slot == Slot::State)?;
        self.function().parameters.get(at)
    }
}

/// True if an array has the size of a key.
fn fits_key(scanned: &Scanned, key: &Declared) -> bool {
    let buffer = key.function.parameters.first();
    let shape = buffer.map(|buffer| shape(scanned, buffer));
    matches!(
        shape,
        Some(Shape::Bytes {
            size: Some(16 | 24 | 32)
        })
    )
}

/// The type of the state that a call takes or returns, for comparison.
fn state_type(
    scanned: &Scanned,
    declared: &Declared,
    purpose: Purpose,
    slots: &[Slot],
    returns_output: bool,
) -> Option<String> {
    let function = &declared.function;
    // Each of several sources may have a structure of its own of that name.
    let own = |name: String| match scanned.several.contains(&name) && !declared.in_header {
        true => format!("{name} of {}", declared.file.display()),
        false => name,
    };
    let plain = |base: &str| {
        let base = base.replace('*', "");
        let base = base.trim().trim_start_matches("const ");
        let bare = base.trim_start_matches("struct ").trim();
        resolved_tag(scanned, bare)
    };
    if [Purpose::SetKey, Purpose::Prepare].contains(&purpose) && returns_output {
        return Some(own(plain(&function.result)));
    }
    let is_state = |slot: &Slot| [Slot::State, Slot::StateOut].contains(slot);
    let at = slots.iter().position(is_state)?;
    let parameter = function.parameters.get(at)?;
    Some(own(plain(&parameter.base)))
}

/// The cost of a function that no header shows, if headers show others.
const HIDDEN: u32 = 4;

/// Every plausible call of the library's functions, the most plausible of each function first.
pub fn calls(scanned: &Scanned) -> Vec<Call<'_>> {
    let mut found: Vec<Call<'_>> = Vec::new();
    // Where headers show functions, those that they do not show are mostly parts of these.
    let shows = scanned.functions.iter().any(|declared| declared.in_header);
    let hidden = if shows { HIDDEN } else { 1 };
    for declared in &scanned.functions {
        let function = &declared.function;
        let own = words(&function.name);
        let class = function.class.as_deref().map(words).unwrap_or_default();
        let all: Vec<String> = class.iter().chain(&own).cloned().collect();
        let mode = mode(&all);
        if function.name == "main" || function.parameters.len() > 14 {
            continue;
        }
        for (purpose, direction, base) in purposes(function, scanned) {
            let ways = ways(scanned, function, purpose);
            found.extend(ways.into_iter().map(|(slots, returns_output, cost)| Call {
                state_type: state_type(scanned, declared, purpose, &slots, returns_output),
                declared,
                purpose,
                mode,
                slots,
                returns_output,
                direction,
                by_handle: false,
                cost: cost + base + if declared.in_header { 0 } else { hidden },
            }));
        }
    }
    // An array outside of any header or sketch may be another's.
    let keys = scanned.keys.iter();
    found.extend(
        keys.filter(|key| fits_key(scanned, key))
            .map(|declared| Call {
                declared,
                purpose: Purpose::SetKey,
                mode: Mode::Plain,
                slots: vec![Slot::Held, Slot::Key, Slot::KeyBytes],
                returns_output: false,
                direction: None,
                by_handle: false,
                state_type: None,
                cost: 6,
            }),
    );
    for declared in &scanned.constructors {
        let ways = ways(scanned, &declared.function, Purpose::Construct);
        found.extend(ways.into_iter().map(|(slots, returns_output, cost)| Call {
            declared,
            purpose: Purpose::Construct,
            mode: Mode::Plain,
            slots,
            returns_output,
            direction: None,
            by_handle: false,
            state_type: None,
            cost,
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::declarations::read;

    fn best(text: &str, purpose: Purpose) -> Vec<Slot> {
        let found = read(text.as_bytes());
        let scanned = Scanned {
            functions: found
                .functions
                .into_iter()
                .map(|function| Declared {
                    function,
                    file: "a.h".into(),
                    in_header: true,
                    by_inclusion: false,
                })
                .collect(),
            typedefs: found.typedefs,
            ..Scanned::default()
        };
        let calls = calls(&scanned);
        let mut of = calls.iter().filter(|call| call.purpose == purpose);
        of.next().map(|call| call.slots.clone()).unwrap_or_default()
    }

    #[test]
    fn clear_declarations_have_one_best_call() {
        use Slot::*;
        let cases: &[(&str, Purpose, &[Slot])] = &[
            (
                "void AES_CBC_encrypt_buffer(struct AES_ctx* ctx, uint8_t* buf, uint32_t length);",
                Purpose::Encrypt,
                &[State, InPlace, Bytes],
            ),
            (
                "int rijndaelKeySetupEnc(uint32_t *rk, const uint8_t *key, int keyBits);",
                Purpose::SetKey,
                &[State, Key, KeyBits],
            ),
            (
                "typedef unsigned char u8; void aes_encrypt(const u8 *in, u8 *out, const u8 *key);",
                Purpose::Encrypt,
                &[In, Out, Key],
            ),
            (
                "void aes256_exp_key(const uint8_t key[32], uint8_t ek[]);",
                Purpose::SetKey,
                &[Key, State],
            ),
            (
                "void aes256_encrypt_ecb(const uint8_t ek[], uint8_t v[16]);",
                Purpose::Encrypt,
                &[State, InPlace],
            ),
            (
                "void aes_decrypt(aes_t *a, uint8_t *plain, uint8_t *cipher);",
                Purpose::Decrypt,
                &[State, Out, In],
            ),
            (
                "int crypto_aead_encrypt(unsigned char *c, unsigned long long *clen, const unsigned char *m, \
                 unsigned long long mlen, const unsigned char *ad, unsigned long long adlen, \
                 const unsigned char *nsec, const unsigned char *npub, const unsigned char *k);",
                Purpose::Seal,
                &[Out, OutSize, In, Bytes, Ad, AdBytes, Null, Iv, Key],
            ),
            (
                "int crypto_hash_sha256(unsigned char *out, const unsigned char *in, unsigned long long inlen);",
                Purpose::Digest,
                &[Out, In, Bytes],
            ),
            (
                "long ccm_decrypt_message(rijndael_ctx *ctx, size_t M, size_t L, const unsigned char nonce[16], \
                 unsigned char *msg, size_t lm, const unsigned char *aad, size_t la);",
                Purpose::Open,
                &[
                    State,
                    TagBytes,
                    LengthBytes,
                    Iv,
                    InPlace,
                    Bytes,
                    Ad,
                    AdBytes,
                ],
            ),
            (
                "int ccm_crypt(ccm_ctx *ctx, const void *nonce, const void *ad, int ad_len, void *input, \
                 int input_len, void *output, void *tag, int tag_len, int encrypt);",
                Purpose::Seal,
                &[
                    State, Iv, Ad, AdBytes, In, Bytes, Out, Tag, TagBytes, Encrypts,
                ],
            ),
            (
                "void aes_cbc(int encrypt, const uint8_t *key, int keybits, const uint8_t *iv, \
                 const uint8_t *input, uint8_t *output, size_t length);",
                Purpose::Encrypt,
                &[Encrypts, Key, KeyBits, Iv, In, Out, Bytes],
            ),
        ];
        for (text, purpose, slots) in cases {
            assert_eq!(best(text, *purpose), *slots, "{text}");
        }
    }
}
