//! The purposes of functions of signature schemes with large keys, by their names: those of NIST's
//! interface (`crypto_sign`, `crypto_sign_open`), with a prefix and detached as in PQClean
//! (`crypto_sign_signature`, `crypto_sign_verify`), and `sign` and `verify` of a named scheme.

use crate::bind::slot::Purpose;

/// Names of schemes, without separators.
const SCHEMES: [&str; 6] = [
    "mldsa",
    "dilithium",
    "falcon",
    "slhdsa",
    "sphincs",
    "haetae",
];

/// What such a scheme is made of, and its variants for other messages.
const PARTS: [&str; 12] = [
    "poly", "ntt", "pack", "internal", "extmu", "prehash", "wots", "fors", "merkle", "seed",
    "digest", "address",
];

/// True if the name is of such a scheme and of no other.
pub(super) fn names_scheme(whole: &str) -> bool {
    SCHEMES.iter().any(|scheme| whole.contains(scheme))
}

/// The plausible purpose of a function. `whole` is the name of class and function in lower case,
/// without separators, `buffers` the number of its buffers.
pub(super) fn purpose(whole: &str, buffers: usize) -> Option<(Purpose, u32)> {
    let says = |parts: &[&str]| parts.iter().any(|part| whole.contains(part));
    let of_nist = whole.contains("cryptosign");
    if !of_nist && !names_scheme(whole) || says(&PARTS) {
        return None;
    }
    // Without a name, the function may be another scheme's.
    let cost = u32::from(!names_scheme(whole));
    // With a context, the name may say so.
    let end = whole.trim_end_matches("ctx");
    if says(&["keypair", "keygen", "genkey", "generate"]) {
        return (2..=3)
            .contains(&buffers)
            .then_some((Purpose::LargePair, cost));
    }
    let purpose = if end.ends_with("verify") {
        Purpose::LargeCheck
    } else if end.ends_with("open") {
        Purpose::LargeUnwrap
    } else if end.ends_with("cryptosign") {
        Purpose::LargeEnvelope
    } else if end.ends_with("signature") || end.ends_with("sign") {
        Purpose::LargeSign
    } else {
        return None;
    };
    (3..=4).contains(&buffers).then_some((purpose, cost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_nist_and_pqclean_say_the_purpose() {
        use Purpose::{LargeCheck, LargeEnvelope, LargePair, LargeSign, LargeUnwrap};
        let cases = [
            ("cryptosignkeypair", 2, Some((LargePair, 1))),
            ("cryptosign", 3, Some((LargeEnvelope, 1))),
            ("cryptosignopen", 3, Some((LargeUnwrap, 1))),
            (
                "pqcleanmldsa44cleancryptosignkeypair",
                2,
                Some((LargePair, 0)),
            ),
            (
                "pqcleanmldsa44cleancryptosignsignature",
                3,
                Some((LargeSign, 0)),
            ),
            (
                "pqcleanmldsa44cleancryptosignsignaturectx",
                4,
                Some((LargeSign, 0)),
            ),
            (
                "pqcleanmldsa44cleancryptosignverifyctx",
                4,
                Some((LargeCheck, 0)),
            ),
            (
                "pqcleanfalcon512cleancryptosignopen",
                3,
                Some((LargeUnwrap, 0)),
            ),
            ("oqssigmldsa44sign", 3, Some((LargeSign, 0))),
            ("oqssigmldsa44verify", 3, Some((LargeCheck, 0))),
            ("mldsaverifyinternal", 4, None),
            ("pqcleanmldsa44cleanpolyntt", 1, None),
            ("ed25519sign", 4, None),
        ];
        for (name, buffers, wanted) in cases {
            assert_eq!(purpose(name, buffers), wanted, "{name}");
        }
    }
}
