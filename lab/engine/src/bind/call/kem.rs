//! The purposes of functions of key encapsulations, by their names: those of NIST's interface
//! (`crypto_kem_enc`), with a prefix as in PQClean, and `encaps`.

use crate::bind::slot::Purpose;

/// The plausible purpose of a function. `whole` is the name of class and function in lower case,
/// without separators, `buffers` the number of its buffers.
pub(super) fn purpose(whole: &str, buffers: usize) -> Option<(Purpose, u32)> {
    let says = |parts: &[&str]| parts.iter().any(|part| whole.contains(part));
    // What a key encapsulation is made of is none itself.
    if !says(&["kem", "kyber"]) || says(&["indcpa", "cpapke", "kpke", "poly", "ntt", "frodopke"]) {
        return None;
    }
    // The other name of a function has the coins as a parameter, and belongs to no header of users.
    let derand = u32::from(says(&["derand", "internal"]));
    if says(&["keypair", "keygen", "genkey", "generate"]) {
        return (2..=3)
            .contains(&buffers)
            .then_some((Purpose::KemPair, derand));
    }
    let end = whole
        .trim_end_matches("derand")
        .trim_end_matches("internal");
    if says(&["encaps", "encapsulate"]) || end.ends_with("enc") {
        return (3..=4)
            .contains(&buffers)
            .then_some((Purpose::Encapsulate, derand));
    }
    let opens = says(&["decaps", "decapsulate"]) || end.ends_with("dec");
    (opens && buffers == 3).then_some((Purpose::Decapsulate, derand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_nist_and_pqclean_say_the_purpose() {
        let cases = [
            ("cryptokemkeypair", 2, Some((Purpose::KemPair, 0))),
            (
                "pqcleanmlkem512cleancryptokemenc",
                3,
                Some((Purpose::Encapsulate, 0)),
            ),
            (
                "pqcrystalskyber768refdec",
                3,
                Some((Purpose::Decapsulate, 0)),
            ),
            ("cryptokemencderand", 4, Some((Purpose::Encapsulate, 1))),
            ("cryptokemkeypairderand", 3, Some((Purpose::KemPair, 1))),
            ("mlkemdecapsulate", 3, Some((Purpose::Decapsulate, 0))),
            ("pqcleanmlkem512cleanindcpaenc", 4, None),
            ("pqcrystalskyber768refpolyvecntt", 1, None),
            ("cryptoaeadencrypt", 4, None),
        ];
        for (name, buffers, wanted) in cases {
            assert_eq!(purpose(name, buffers), wanted, "{name}");
        }
    }
}
