//! The purposes of a library's functions, and the plausible ways to call each.

mod name;
mod public;
mod steps;

use self::name::{begins, says};
use super::slot::{Purpose, Slot, choices, public as public_slots, steps as step_slots};
use super::types::{Shape, resolved_tag, shape};
use crate::scan::declarations::{Function, Parameter};
use crate::scan::words::words;
use crate::scan::{Declared, Scanned};

/// The mode of operation that a function's name gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// None: single blocks, or whatever the interface takes.
    Plain,
    Ecb,
    Cbc,
    Ctr,
    /// A mode without an interface in the lab.
    Other,
}

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
    /// The type of the state that it takes or returns, with names of types resolved.
    pub state_type: Option<String>,
    /// Implausibility: 0 if names and types say everything.
    pub cost: u32,
}

/// Most ways to call one function.
const WAYS: usize = 12;

/// Most choices that are looked at for one function.
const LOOKED_AT: usize = 20_000;

impl<'l> Call<'l> {
    pub fn function(&self) -> &'l Function {
        &self.declared.function
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

    /// The parameter that takes the state, if any.
    pub fn state(&self) -> Option<&'l Parameter> {
        let at = self.slots.iter().position(|slot| *slot == Slot::State)?;
        self.function().parameters.get(at)
    }
}

/// The mode of a name.
fn mode(all: &[String]) -> Mode {
    let whole = all.concat();
    let holds = |part: &str| says(all, &[part]) || (part.len() >= 3 && whole.contains(part));
    if holds("cbc") {
        Mode::Cbc
    } else if holds("ctr") || says(all, &["counter"]) {
        Mode::Ctr
    } else if holds("ecb") {
        Mode::Ecb
    } else if [
        "cfb", "ofb", "eax", "xts", "wrap", "siv", "ocb", "pcbc", "ige",
    ]
    .iter()
    .any(|part| says(all, &[part]))
    {
        Mode::Other
    } else {
        Mode::Plain
    }
}

/// The plausible purposes of a function, with their costs.
fn purposes(function: &Function, scanned: &Scanned) -> Vec<(Purpose, Option<Purpose>, u32)> {
    let own = words(&function.name);
    let class = function.class.as_deref().map(words).unwrap_or_default();
    let all: Vec<String> = class.iter().chain(&own).cloned().collect();
    let whole = all.concat();
    let decrypts = begins(&own, &["decr", "decipher", "dec", "inv", "open", "unseal"]);
    let encrypts = begins(
        &own,
        &["encr", "encipher", "enc", "cipher", "seal", "xcrypt"],
    ) || says(&own, &["crypt", "crypto", "xor", "process", "encode"]);
    let sets = begins(
        &own,
        &[
            "set", "init", "expan", "sched", "begin", "start", "prepare", "ini", "key", "load",
        ],
    );
    let ends = begins(
        &own,
        &[
            "final", "finish", "result", "end", "done", "digest", "sum", "output", "get", "close",
        ],
    ) || says(&own, &["out"]);
    let feeds = begins(
        &own,
        &[
            "update", "write", "input", "absorb", "add", "append", "data", "process",
        ],
    );
    let hashes = [
        "sha", "hash", "blake", "keccak", "hmac", "digest", "md", "mac",
    ]
    .iter()
    .any(|part| whole.contains(part));
    let aead = [
        "aead",
        "gcm",
        "ccm",
        "poly1305",
        "rfc7539",
        "rfc8439",
        "chachapoly",
        "ascon",
        "seal",
        "ocb",
        "giftcofb",
        "auth",
    ]
    .iter()
    .any(|part| whole.contains(part));
    let has_bytes = function.parameters.iter().any(|parameter| {
        matches!(
            shape(scanned, parameter),
            Shape::Bytes { .. } | Shape::Untyped | Shape::Words
        )
    });
    let mut found = Vec::new();
    let direction = match (encrypts, decrypts) {
        (_, true) => Some(Purpose::Decrypt),
        (true, false) => Some(Purpose::Encrypt),
        _ => None,
    };
    if sets && has_bytes {
        let both = encrypts || decrypts;
        let only_iv = says(&own, &["iv", "nonce", "counter", "ctr"]) && !whole.contains("key");
        let cost = u32::from(both) + u32::from(only_iv) * 5;
        found.push((Purpose::SetKey, direction, cost));
        found.push((Purpose::SetIv, None, 2));
    }
    if says(&own, &["open", "new", "create"]) && has_bytes && function.parameters.len() <= 4 {
        found.push((Purpose::SetKey, None, 2));
    }
    if aead && (encrypts || decrypts) {
        let purpose = if decrypts {
            Purpose::Open
        } else {
            Purpose::Seal
        };
        found.push((purpose, None, 0));
    }
    // A name with both directions, such as `aes_enc_dec`, is of one function for both.
    let both_ways = encrypts && decrypts && takes_direction(function);
    if decrypts && !both_ways {
        found.push((Purpose::Decrypt, None, u32::from(sets)));
    } else if encrypts {
        found.push((Purpose::Encrypt, None, u32::from(sets)));
    } else if !sets && !hashes && mode(&all) != Mode::Other && function.parameters.len() >= 3 {
        // Named after the cipher alone, such as `aes_cbc(key, iv, buffer, size)`.
        found.push((Purpose::Encrypt, None, 3));
    }
    if hashes {
        if begins(
            &own,
            &["init", "start", "begin", "reset", "setup", "set", "create"],
        ) {
            found.push((Purpose::Start, None, 0));
        }
        if feeds {
            found.push((Purpose::Update, None, 0));
        }
        if ends {
            found.push((Purpose::Finish, None, 0));
        }
        if !feeds && !ends && has_bytes && function.parameters.len() == 3 {
            // Named after the hash alone, such as `sph_sha256(context, data, size)`.
            found.push((Purpose::Update, None, 3));
        }
        if has_bytes {
            found.push((Purpose::Digest, None, if feeds || ends { 2 } else { 0 }));
        }
    }
    if aead {
        let of_steps = steps::purposes(&own, encrypts, decrypts).into_iter();
        found.extend(of_steps.map(|(purpose, cost)| (purpose, None, cost)));
    }
    let no_buffer = function.parameters.iter().all(|parameter| {
        matches!(
            shape(scanned, parameter),
            Shape::Number
                | Shape::Choice { .. }
                | Shape::Structure { .. }
                | Shape::StructureOut
                | Shape::Untyped
        )
    });
    let begins_work = sets || begins(&own, &["new", "create", "open", "gen", "make", "alloc"]);
    if begins_work && no_buffer && function.parameters.len() <= 3 && !hashes {
        found.push((Purpose::Prepare, None, 0));
    }
    let of_keys = public::purposes(function, scanned, &whole);
    found.extend(
        of_keys
            .into_iter()
            .map(|(purpose, cost)| (purpose, None, cost)),
    );
    found
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
    function: &Function,
    purpose: Purpose,
    slots: &[Slot],
    returns_output: bool,
) -> Option<String> {
    let plain = |base: &str| {
        let base = base.replace('*', "");
        let base = base.trim().trim_start_matches("const ");
        let bare = base.trim_start_matches("struct ").trim();
        resolved_tag(scanned, bare)
    };
    if [Purpose::SetKey, Purpose::Prepare].contains(&purpose) && returns_output {
        return Some(plain(&function.result));
    }
    let is_state = |slot: &Slot| [Slot::State, Slot::StateOut].contains(slot);
    let at = slots.iter().position(is_state)?;
    let parameter = function.parameters.get(at)?;
    Some(plain(&parameter.base))
}

/// True if a parameter may tell a function its direction.
fn takes_direction(function: &Function) -> bool {
    const NAMES: [&str; 10] = [
        "dir",
        "direction",
        "mode",
        "op",
        "operation",
        "enc",
        "dec",
        "decrypt",
        "encrypt",
        "flag",
    ];
    let tells =
        |parameter: &Parameter| parameter.pointers == 0 && says(&words(&parameter.name), &NAMES);
    function.parameters.iter().any(tells)
}

/// Every plausible call of the library's functions, the most plausible of each function first.
pub fn calls(scanned: &Scanned) -> Vec<Call<'_>> {
    let mut found: Vec<Call<'_>> = Vec::new();
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
                state_type: state_type(scanned, function, purpose, &slots, returns_output),
                declared,
                purpose,
                mode,
                slots,
                returns_output,
                direction,
                cost: cost + base + u32::from(!declared.in_header),
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
                slots: vec![Slot::KeyPlace, Slot::Key, Slot::KeyBytes],
                returns_output: false,
                direction: None,
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
            state_type: None,
            cost,
        }));
    }
    found
}

/// The best ways to pass values to a function for a purpose.
fn ways(scanned: &Scanned, function: &Function, purpose: Purpose) -> Vec<(Vec<Slot>, bool, u32)> {
    let shapes: Vec<Shape> = function
        .parameters
        .iter()
        .map(|p| shape(scanned, p))
        .collect();
    let is_named = function.parameters.iter().any(|p| !p.name.is_empty());
    let choices: Vec<Vec<(Slot, u32)>> = function
        .parameters
        .iter()
        .zip(&shapes)
        .map(|(parameter, shape)| choices(purpose, parameter, shape, is_named))
        .collect();
    let returns_bytes = function.result.contains('*');
    let mut search = Search {
        choices: &choices,
        purpose,
        of_class: function.class.is_some() && !function.is_static,
        returns_bytes,
        left: LOOKED_AT,
        found: Vec::new(),
    };
    search.go(&mut Vec::new(), 0);
    let mut found = search.found;
    found.sort_by_key(|(_, returns, cost)| (*cost, *returns));
    found.truncate(WAYS);
    found
}

/// A search over the choices of all parameters.
struct Search<'c> {
    choices: &'c [Vec<(Slot, u32)>],
    purpose: Purpose,
    of_class: bool,
    returns_bytes: bool,
    left: usize,
    found: Vec<(Vec<Slot>, bool, u32)>,
}

impl Search<'_> {
    fn go(&mut self, slots: &mut Vec<Slot>, cost: u32) {
        if self.left == 0 || cost > 24 {
            return;
        }
        self.left -= 1;
        let Some(choices) = self.choices.get(slots.len()) else {
            for returns in [false, true] {
                if (!returns || self.returns_bytes) && is_whole(self.purpose, slots, returns) {
                    let order = match self.purpose.is_public_key() {
                        true => public_slots::order_cost(self.purpose, slots),
                        false => order_cost(slots),
                    };
                    let stream = self.purpose == Purpose::Encrypt && is_stream(slots);
                    let cost = cost + order + u32::from(returns) + 3 * u32::from(stream);
                    self.found.push((slots.clone(), returns, cost));
                }
            }
            return;
        };
        for &(slot, more) in choices {
            if slots.contains(&slot) && !slot.repeats() {
                continue;
            }
            // An object keeps its state itself; a few classes leave the round keys to the caller.
            let unusual = self.of_class && slot == Slot::State;
            let more = more + 3 * u32::from(unusual);
            slots.push(slot);
            self.go(slots, cost + more);
            slots.pop();
        }
    }
}

/// True if the slots are those of a key stream: an IV and an output of some size, but no message.
fn is_stream(slots: &[Slot]) -> bool {
    let has = |slot: Slot| slots.contains(&slot);
    let sized = has(Slot::Bytes) || has(Slot::Blocks);
    has(Slot::Out) && has(Slot::Iv) && sized && !has(Slot::In)
}

/// True if the slots make a whole call for the purpose.
fn is_whole(purpose: Purpose, slots: &[Slot], returns: bool) -> bool {
    use Slot::{Bits, Bytes, In, InPlace, Iv, Key, Out};
    let has = |slot: Slot| slots.contains(&slot);
    let one_size = [Slot::Bytes, Slot::Blocks, Slot::Bits]
        .iter()
        .filter(|slot| has(**slot))
        .count()
        <= 1;
    let one_key = [Slot::KeyBytes, Slot::KeyBits]
        .iter()
        .filter(|slot| has(**slot))
        .count()
        <= 1
        && !(has(Key) && has(Slot::KeyCopy));
    // A function that writes the IV as well is told the room for both.
    let with_iv = has(Slot::OutWithIv);
    if with_iv && (has(Out) || !has(Iv) || !has(Slot::OutBytes) || purpose != Purpose::Encrypt) {
        return false;
    }
    let data = match (has(In), has(Out) || with_iv, has(InPlace)) {
        (true, true, false) => !returns,
        (true, false, false) => returns,
        (false, false, true) => !returns,
        _ => false,
    };
    let sized = has(Bytes) || has(Bits);
    one_size
        && one_key
        && match purpose {
            Purpose::SetKey => has(Key) && !(returns && has(Slot::State)),
            Purpose::SetIv => has(Iv) && !returns,
            Purpose::Construct => !returns,
            Purpose::Prepare => !(returns && has(Slot::State)),
            Purpose::Encrypt => data || is_stream(slots) && !returns && !has(InPlace),
            Purpose::Decrypt => data,
            Purpose::Start => !returns,
            Purpose::Update => (has(In) && sized || has(Slot::InByte)) && !returns,
            Purpose::Finish => has(Out) != returns,
            Purpose::Digest => has(In) && sized && has(Out) != returns,
            Purpose::Seal | Purpose::Open => {
                let in_place = has(InPlace) && !has(In) && !has(Out);
                has(Iv)
                    && (has(In) && has(Out) && !has(InPlace) || in_place)
                    && has(Bytes)
                    && !returns
            }
            _ if purpose.is_step() => !returns && step_slots::is_whole(purpose, slots),
            _ => !returns && is_whole_of_keys(purpose, slots),
        }
}

/// The same for functions of key agreements and signatures.
fn is_whole_of_keys(purpose: Purpose, slots: &[Slot]) -> bool {
    use Slot::{Bytes, In, Out, Peer, Public, Secret, Signature};
    let wanted: &[Slot] = match purpose {
        Purpose::Agree => &[Out, Secret, Peer],
        Purpose::PublicOf | Purpose::Pair => &[Public, Secret],
        Purpose::Valid => &[Public],
        Purpose::Sign => &[Signature, In, Secret],
        Purpose::Check => &[Signature, In, Public],
        Purpose::Envelope => &[Out, In, Bytes, Secret],
        Purpose::Unwrap => &[Out, In, Bytes, Public],
        _ => return false,
    };
    let sized = matches!(
        purpose,
        Purpose::Sign | Purpose::Check | Purpose::Envelope | Purpose::Unwrap
    );
    let has_sizes = slots.contains(&Bytes) || slots.contains(&Slot::OutSize);
    (sized || !has_sizes) && wanted.iter().all(|slot| slots.contains(slot))
}

/// A size usually follows its buffer.
fn order_cost(slots: &[Slot]) -> u32 {
    let mut cost = 0;
    for (at, slot) in slots.iter().enumerate() {
        let Some(buffer) = slot.sized() else { continue };
        let stands = slots.iter().position(|other| *other == buffer);
        cost += match stands {
            Some(place) if place + 1 == at => 0,
            Some(_) => 1,
            None => 0,
        };
    }
    cost
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
