//! The purposes of functions of key agreements and signatures, by their names.

use crate::bind::slot::Purpose;
use crate::bind::types::{Shape, shape};
use crate::scan::Scanned;
use crate::scan::declarations::Function;

/// The plausible purposes, with their costs. `whole` is the name of class and function in lower
/// case, without separators.
pub(super) fn purposes(function: &Function, scanned: &Scanned, whole: &str) -> Vec<(Purpose, u32)> {
    let says = |parts: &[&str]| parts.iter().any(|part| whole.contains(part));
    let of = |wanted: &dyn Fn(&Shape) -> bool| {
        let shapes = function.parameters.iter().map(|p| shape(scanned, p));
        shapes.filter(|shape| wanted(shape)).count()
    };
    let buffers = of(&|shape| matches!(shape, Shape::Bytes { .. } | Shape::Untyped));
    let sizes_out = of(&|shape| matches!(shape, Shape::NumberOut | Shape::Words));
    let about_key = says(&[
        "pair",
        "keygen",
        "genkey",
        "makekey",
        "createkey",
        "generate",
    ]);
    let about_public = says(&["pub", "base", "derive"]);
    let mut found = Vec::new();
    if says(&["valid"]) && says(&["pub", "key", "point"]) && buffers >= 1 {
        found.push((Purpose::Valid, 0));
    }
    let agrees = says(&[
        "scalarmult",
        "x25519",
        "curve25519",
        "shared",
        "ecdh",
        "agree",
        "donna",
        "exchange",
        "dh",
    ]);
    if agrees && buffers == 3 {
        found.push((Purpose::Agree, u32::from(about_public) * 2));
    }
    if buffers == 2 && (about_public || agrees) {
        found.push((Purpose::PublicOf, u32::from(!about_public) * 2));
    }
    if (about_key || (about_public && buffers == 3)) && (2..=3).contains(&buffers) {
        found.push((Purpose::Pair, u32::from(!about_key)));
    }
    found.extend(signing(whole, buffers, sizes_out > 0, about_key));
    found
}

/// The purpose in a signature scheme. `sizes`: the function writes a size, so message and signature are
/// one.
fn signing(whole: &str, buffers: usize, sizes: bool, about_key: bool) -> Option<(Purpose, u32)> {
    let says = |parts: &[&str]| parts.iter().any(|part| whole.contains(part));
    let checks = says(&["verify", "open", "check"]);
    let signs =
        says(&["sign", "ed25519", "ecdsa"]) && !about_key && !says(&["publickey", "pubkey"]);
    let verifies = says(&["verify"]) && !says(&["hash", "mac", "auth"]);
    if buffers < 3 {
        return None;
    }
    let purpose = if signs && checks || verifies {
        if sizes {
            Purpose::Unwrap
        } else {
            Purpose::Check
        }
    } else if says(&["sign"]) && signs {
        if sizes {
            Purpose::Envelope
        } else {
            Purpose::Sign
        }
    } else {
        return None;
    };
    Some((purpose, 0))
}
