//! Algorithms that a folder says to have, and that the lab cannot measure: the key encapsulations
//! and signatures of the names of NIST, SUPERCOP and PQClean. They are named by their constants.

use crate::scan::Scanned;

/// A scheme that is recognised, and why nothing is told about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Such as `ML-KEM-768`.
    pub name: String,
    pub why: &'static str,
}

/// Public keys of ML-KEM in bytes [FIPS203, table 3].
const KEMS: [(u32, &str); 3] = [
    (800, "ML-KEM-512"),
    (1184, "ML-KEM-768"),
    (1568, "ML-KEM-1024"),
];

/// Public keys of ML-DSA in bytes [FIPS204, table 2].
const SIGNATURES: [(u32, &str); 3] = [
    (1312, "ML-DSA-44"),
    (1952, "ML-DSA-65"),
    (2592, "ML-DSA-87"),
];

/// The schemes of a folder, by the functions that its headers declare. `has_kem` and `has_signature`:
/// the lab has tried to call them.
pub fn foreign(scanned: &Scanned, has_kem: bool, has_signature: bool) -> Vec<Foreign> {
    let declares = |part: &str| {
        let mut functions = scanned
            .functions
            .iter()
            .filter(|declared| declared.in_header);
        functions.any(|declared| declared.function.name.ends_with(part))
            || scanned.macros.contains_key(part)
    };
    let mut found = Vec::new();
    if !has_kem && declares("crypto_kem_keypair") && declares("crypto_kem_enc") {
        found.push(Foreign {
            name: name(scanned, &KEMS, "a key encapsulation"),
            why: "the lab found no way to call this key encapsulation",
        });
    }
    let set = by_size(scanned, &SIGNATURES);
    let declared = !has_signature && declares("crypto_sign_keypair");
    if let (true, Some(name)) = (declared, set) {
        found.push(Foreign {
            name: name.to_owned(),
            why: "the lab found no way to call this signature",
        });
    }
    found
}

/// The name of the set whose public key has the size that the folder's constants give.
fn by_size<'n>(scanned: &Scanned, sets: &[(u32, &'n str)]) -> Option<&'n str> {
    let sizes = scanned
        .macros
        .keys()
        .filter(|name| name.ends_with("CRYPTO_PUBLICKEYBYTES"))
        .filter_map(|name| scanned.number(name));
    let mut named = sizes.filter_map(|size| sets.iter().find(|(bytes, _)| *bytes == size));
    named.next().map(|(_, name)| *name)
}

fn name(scanned: &Scanned, sets: &[(u32, &str)], otherwise: &str) -> String {
    if let Some(name) = by_size(scanned, sets) {
        return name.to_owned();
    }
    let named = |name: &&String| name.ends_with("CRYPTO_ALGNAME");
    let macros = &scanned.macros;
    let text = macros.keys().find(named).and_then(|name| macros.get(name));
    // The size of the set may be chosen by a macro: the name alone is sure.
    let is_size = |c: char| c.is_ascii_digit() || c == '-';
    text.map(|text| {
        text.trim()
            .trim_matches('"')
            .trim_end_matches(is_size)
            .to_owned()
    })
    .filter(|text| !text.is_empty())
    .unwrap_or_else(|| otherwise.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::scan;

    #[test]
    fn a_key_encapsulation_is_named_by_its_sizes() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "
            #define LIB_CRYPTO_PUBLICKEYBYTES 1184
            int LIB_crypto_kem_keypair(unsigned char *pk, unsigned char *sk);
            int LIB_crypto_kem_enc(unsigned char *ct, unsigned char *ss, const unsigned char *pk);
        ";
        std::fs::write(folder.path().join("api.h"), text).expect("a header");
        let found = foreign(&scan(folder.path()).expect("a library"), false, false);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "ML-KEM-768");
        std::fs::write(folder.path().join("api.h"), text.replace("_kem_", "_box_"))
            .expect("a header");
        assert!(foreign(&scan(folder.path()).expect("a library"), false, false).is_empty());
    }
}
