//! The purposes that a function can have, by its name and parameters.

use super::mode::{Mode, mode};
use super::name::{begins, says};
use super::{apart, kem, large_signature, public, steps};
use crate::bind::slot::Purpose;
use crate::bind::types::{Shape, shape};
use crate::scan::Scanned;
use crate::scan::declarations::{Function, Parameter};
use crate::scan::words::words;

/// A plausible purpose, the direction of a set-up, and the cost.
type Found = (Purpose, Option<Purpose>, u32);

/// Parts of names that speak of hashes and MACs.
const OF_HASHES: [&str; 8] = [
    "sha", "hash", "blake", "keccak", "hmac", "digest", "md", "mac",
];
/// Parts of names that speak of authenticated encryption.
const OF_AEADS: [&str; 12] = [
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
];
// The words are English, Portuguese and Spanish.
const DECRYPTS: [&str; 9] = [
    "decifr",
    "descifr",
    "descriptogr",
    "decr",
    "decipher",
    "dec",
    "inv",
    "open",
    "unseal",
];
const ENCRYPTS: [&str; 9] = [
    "cifra", "criptogr", "encripta", "encr", "encipher", "enc", "cipher", "seal", "xcrypt",
];
const SETS: [&str; 13] = [
    "defin", "configur", "chave", "set", "init", "expan", "sched", "begin", "start", "prepare",
    "ini", "key", "load",
];
const ENDS: [&str; 10] = [
    "final", "finish", "result", "end", "done", "digest", "sum", "output", "get", "close",
];
const FEEDS: [&str; 8] = [
    "update", "write", "input", "absorb", "add", "append", "data", "process",
];

/// What a function's name and parameters say.
struct Says<'f> {
    function: &'f Function,
    scanned: &'f Scanned,
    /// The words of its own name.
    own: Vec<String>,
    /// Those of its class and its own, as one.
    whole: String,
    mode: Mode,
    decrypts: bool,
    encrypts: bool,
    sets: bool,
    ends: bool,
    feeds: bool,
    hashes: bool,
    aead: bool,
    has_bytes: bool,
}

impl<'f> Says<'f> {
    fn of(function: &'f Function, scanned: &'f Scanned) -> Says<'f> {
        let own = words(&function.name);
        let class = function.class.as_deref().map(words).unwrap_or_default();
        let all: Vec<String> = class.iter().chain(&own).cloned().collect();
        let whole = all.concat();
        let has_bytes = function.parameters.iter().any(|parameter| {
            matches!(
                shape(scanned, parameter),
                Shape::Bytes { .. } | Shape::Untyped | Shape::Words
            )
        });
        Says {
            function,
            scanned,
            mode: mode(&all),
            decrypts: begins(&own, &DECRYPTS),
            encrypts: begins(&own, &ENCRYPTS)
                || says(&own, &["crypt", "crypto", "xor", "process", "encode"]),
            sets: begins(&own, &SETS),
            ends: begins(&own, &ENDS) || says(&own, &["out"]),
            feeds: begins(&own, &FEEDS),
            hashes: OF_HASHES.iter().any(|part| whole.contains(part)),
            aead: OF_AEADS.iter().any(|part| whole.contains(part)),
            has_bytes,
            own,
            whole,
        }
    }

    fn parameters(&self) -> usize {
        self.function.parameters.len()
    }

    /// Set-ups of a key or an IV.
    fn set_ups(&self, found: &mut Vec<Found>) {
        if self.sets && self.has_bytes {
            let direction = match (self.encrypts, self.decrypts) {
                (_, true) => Some(Purpose::Decrypt),
                (true, false) => Some(Purpose::Encrypt),
                _ => None,
            };
            let both = self.encrypts || self.decrypts;
            let only_iv =
                says(&self.own, &["iv", "nonce", "counter", "ctr"]) && !self.whole.contains("key");
            let cost = u32::from(both) + u32::from(only_iv) * 5;
            found.push((Purpose::SetKey, direction, cost));
            found.push((Purpose::SetIv, None, 2));
        }
        let makes = says(&self.own, &["open", "new", "create"]);
        if makes && self.has_bytes && self.parameters() <= 4 {
            found.push((Purpose::SetKey, None, 2));
        }
    }

    /// Sealing, opening, encryption and decryption.
    fn ciphers(&self, found: &mut Vec<Found>) {
        let own = &self.own;
        let opens =
            self.decrypts || begins(own, &["unlock", "unwrap", "read", "unprotect", "verif"]);
        let seals = self.encrypts || begins(own, &["lock", "wrap", "write", "protect"]);
        if self.aead && opens {
            found.push((Purpose::Open, None, 0));
        } else if self.aead && seals {
            found.push((Purpose::Seal, None, 0));
        }
        // A name with both directions, such as `aes_enc_dec`, is of one function for both.
        let both_ways = self.encrypts && self.decrypts && takes_direction(self.function);
        if self.decrypts && !both_ways {
            found.push((Purpose::Decrypt, None, u32::from(self.sets)));
        } else if self.encrypts {
            found.push((Purpose::Encrypt, None, u32::from(self.sets)));
        } else if !self.sets
            && !self.hashes
            && self.mode != Mode::Other
            && (self.parameters() >= 3 || self.feeds && takes_block(self.function, self.scanned))
        {
            // Named after the cipher alone, such as `aes_cbc(key, iv, buffer, size)`, or the
            // method of a cipher's object that takes the next block.
            found.push((Purpose::Encrypt, None, 3));
        }
    }

    /// A hash at once and in pieces.
    fn hashes(&self, found: &mut Vec<Found>) {
        let starts = ["init", "start", "begin", "reset", "setup", "set", "create"];
        if begins(&self.own, &starts) {
            found.push((Purpose::Start, None, 0));
        }
        if self.feeds {
            found.push((Purpose::Update, None, 0));
        }
        if self.ends {
            found.push((Purpose::Finish, None, 0));
        }
        let of_pieces = self.feeds || self.ends;
        if !of_pieces && self.has_bytes && self.parameters() == 3 {
            // Named after the hash alone, such as `sph_sha256(context, data, size)`.
            found.push((Purpose::Update, None, 3));
        }
        if self.has_bytes {
            found.push((Purpose::Digest, None, if of_pieces { 2 } else { 0 }));
        }
    }

    /// True for a function that begins work and takes no buffer.
    fn prepares(&self) -> bool {
        let begins_work = self.sets
            || begins(
                &self.own,
                &["new", "create", "open", "gen", "make", "alloc", "reset"],
            );
        let no_buffer = self.function.parameters.iter().all(|parameter| {
            matches!(
                shape(self.scanned, parameter),
                Shape::Number
                    | Shape::Choice { .. }
                    | Shape::Structure { .. }
                    | Shape::StructureOut
                    | Shape::Untyped
            )
        });
        begins_work && no_buffer && self.parameters() <= 3 && !self.hashes
    }
}

/// The plausible purposes of a function, with their costs.
pub(super) fn purposes(function: &Function, scanned: &Scanned) -> Vec<Found> {
    let name = Says::of(function, scanned);
    let buffers = function.parameters.iter().filter(|parameter| {
        matches!(
            shape(scanned, parameter),
            Shape::Bytes { .. } | Shape::Untyped
        )
    });
    let buffers = buffers.count();
    if let Some((purpose, cost)) = kem::purpose(&name.whole, buffers) {
        // A function of a key encapsulation is nothing else.
        return vec![(purpose, None, cost)];
    }
    let large = large_signature::purpose(&name.whole, buffers);
    let large = large.map(|(purpose, cost)| (purpose, None, cost));
    if let Some(found) = large.filter(|_| large_signature::names_scheme(&name.whole)) {
        return vec![found];
    }
    let mut found: Vec<Found> = large.into_iter().collect();
    name.set_ups(&mut found);
    name.ciphers(&mut found);
    if name.hashes {
        name.hashes(&mut found);
    }
    let with_cost = |(purpose, cost)| (purpose, None, cost);
    if name.aead {
        let of_steps = steps::purposes(&name.own, name.encrypts, name.decrypts);
        found.extend(of_steps.into_iter().map(with_cost));
    }
    if name.prepares() {
        found.push((Purpose::Prepare, None, 0));
    }
    if !name.hashes {
        let of_blocks =
            apart::purposes(&name.own, function, scanned, (name.encrypts, name.decrypts));
        found.extend(of_blocks.into_iter().map(with_cost));
    }
    let of_keys = public::purposes(function, scanned, &name.whole);
    found.extend(of_keys.into_iter().map(with_cost));
    found
}

/// True for a method that takes a block and a place for another, and nothing else.
fn takes_block(function: &Function, scanned: &Scanned) -> bool {
    let mut shapes = function.parameters.iter().map(|p| shape(scanned, p));
    let all = shapes.all(|shape| matches!(shape, Shape::Bytes { .. }));
    function.class.is_some() && function.parameters.len() == 2 && all
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
