//! The purposes that a function can have, by its name and parameters.

use super::mode::{Mode, mode};
use super::name::{begins, says};
use super::{kem, public, steps};
use crate::bind::slot::Purpose;
use crate::bind::types::{Shape, shape};
use crate::scan::Scanned;
use crate::scan::declarations::{Function, Parameter};
use crate::scan::words::words;

/// The plausible purposes of a function, with their costs.
pub(super) fn purposes(
    function: &Function,
    scanned: &Scanned,
) -> Vec<(Purpose, Option<Purpose>, u32)> {
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
    let opens = decrypts || begins(&own, &["unlock", "unwrap", "read", "unprotect", "verif"]);
    let seals = encrypts || begins(&own, &["lock", "wrap", "write", "protect"]);
    if aead && opens {
        found.push((Purpose::Open, None, 0));
    } else if aead && seals {
        found.push((Purpose::Seal, None, 0));
    }
    // A name with both directions, such as `aes_enc_dec`, is of one function for both.
    let both_ways = encrypts && decrypts && takes_direction(function);
    if decrypts && !both_ways {
        found.push((Purpose::Decrypt, None, u32::from(sets)));
    } else if encrypts {
        found.push((Purpose::Encrypt, None, u32::from(sets)));
    } else if !sets
        && !hashes
        && mode(&all) != Mode::Other
        && (function.parameters.len() >= 3 || feeds && takes_block(function, scanned))
    {
        // Named after the cipher alone, such as `aes_cbc(key, iv, buffer, size)`, or the method of
        // a cipher's object that takes the next block.
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
    let buffers = function.parameters.iter().filter(|parameter| {
        matches!(
            shape(scanned, parameter),
            Shape::Bytes { .. } | Shape::Untyped
        )
    });
    if let Some((purpose, cost)) = kem::purpose(&whole, buffers.count()) {
        // A function of a key encapsulation is nothing else.
        return vec![(purpose, None, cost)];
    }
    let of_keys = public::purposes(function, scanned, &whole);
    found.extend(
        of_keys
            .into_iter()
            .map(|(purpose, cost)| (purpose, None, cost)),
    );
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
