//! Recipes of signature schemes with large keys. Three functions belong together if they have the same
//! prefix. The parameter set follows from the sizes that the folder gives, or from names.

use super::keys::{KeyCalls, random_source};
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::scan::Scanned;

/// Most recipes: names and sizes say nearly everything.
const MOST: usize = 8;

/// The ways to sign and verify, detached signatures first.
const WAYS: [(Purpose, Purpose); 2] = [
    (Purpose::LargeSign, Purpose::LargeCheck),
    (Purpose::LargeEnvelope, Purpose::LargeUnwrap),
];

/// The cost of a set of which only the sizes speak.
const ONLY_SIZES: u32 = 1;

/// The recipes for an algorithm, those of the functions that a user calls first.
pub(super) fn recipes<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
) -> Vec<Recipe<'l>> {
    let of = |purpose: Purpose| calls.iter().filter(move |call| call.purpose == purpose);
    let source = random_source(scanned);
    let mut found = Vec::new();
    for pair in of(Purpose::LargePair) {
        let Some(of_set) = cost_of_set(scanned, &pair.function().name, algorithm) else {
            continue;
        };
        for (of_sign, of_check) in WAYS {
            for sign in of(of_sign) {
                for check in of(of_check) {
                    let all = [*pair, *sign, *check];
                    let prefixes = all.map(|call| prefix(&call.function().name));
                    let same = prefixes.iter().all(|other| *other == prefixes[0]);
                    let context = sign.has(Slot::Ad) == check.has(Slot::Ad);
                    let draws = !pair.has(Slot::Seed);
                    if !same || !context || draws && source.is_none() {
                        continue;
                    }
                    let mut recipe = Recipe::empty(algorithm, None);
                    // An envelope is a copy of the message more, and one without contexts tells less.
                    let more = u32::from(of_sign == Purpose::LargeEnvelope)
                        + u32::from(!sign.has(Slot::Ad));
                    recipe.cost = of_set + more + all.iter().map(|call| call.cost).sum::<u32>();
                    recipe.keys = Some(KeyCalls {
                        pair: Some((*pair).clone()),
                        sign: Some((*sign).clone()),
                        check: Some((*check).clone()),
                        random: source,
                        nameless: of_set == ONLY_SIZES,
                        ..KeyCalls::default()
                    });
                    found.push(recipe);
                }
            }
        }
    }
    found.sort_by_key(|recipe| recipe.cost);
    found.truncate(MOST);
    found
}

/// What a name has before the words of the function.
fn prefix(name: &str) -> &str {
    const WORDS: [&str; 6] = ["crypto_sign", "keypair", "keygen", "verify", "sign", "open"];
    let lower = name.to_lowercase();
    let at = WORDS.iter().find_map(|word| lower.find(word));
    at.and_then(|at| name.get(..at)).unwrap_or(name)
}

/// The cost of the algorithm for functions of a name; `None` if they are another set's, or if nothing
/// says that they are this one's. Sizes of keys and signatures that a header gives must be right: an
/// earlier draft has others.
fn cost_of_set(scanned: &Scanned, function: &str, algorithm: &Algorithm) -> Option<u32> {
    let before = function.split("crypto_sign").next().unwrap_or_default();
    let of_macro = |end: &str| {
        let own = format!("{before}{end}");
        let ends = || scanned.macros.keys().filter(|name| name.ends_with(end));
        let named = ends().find(|name| **name == own).or_else(|| ends().next());
        named.and_then(|name| scanned.number(name))
    };
    let sizes = [
        ("CRYPTO_PUBLICKEYBYTES", algorithm.public_bytes),
        ("CRYPTO_SECRETKEYBYTES", algorithm.private_bytes),
        ("CRYPTO_BYTES", algorithm.signature_bytes),
    ];
    let sizes = sizes.map(|(name, wanted)| of_macro(name).map(|bytes| Some(bytes) == wanted));
    if sizes.contains(&Some(false)) {
        return None;
    }
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let wanted = plain(&algorithm.name);
    let folder = scanned.folder.to_string_lossy();
    let parents: Vec<&str> = folder.rsplit('/').take(2).collect();
    let title = scanned
        .macros
        .iter()
        .find(|(name, _)| name.ends_with("CRYPTO_ALGNAME"));
    let texts = [
        function,
        &parents.concat(),
        title.map_or("", |(_, text)| text),
    ];
    let named = texts.iter().any(|text| plain(text).contains(&wanted));
    match (sizes[0], named) {
        (Some(true), true) => Some(0),
        (Some(true), false) => Some(ONLY_SIZES),
        (_, true) => Some(2),
        (_, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::call::calls;
    use crate::scan::scan;

    fn algorithm() -> Algorithm {
        let text = "name = \"ml-dsa-44\"\ntitle = \"S\"\ninterface = \"large-signature\"\nfamily = \"ml-dsa\"\n\
                    public_bytes = 1312\nprivate_bytes = 2560\nsignature_bytes = 2420";
        toml::from_str(text).expect("an algorithm")
    }

    /// The slots of the calls of the first recipe.
    fn first(text: &str) -> Option<Vec<Vec<Slot>>> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("api.h"), text).expect("a header");
        let scanned = scan(folder.path()).expect("a library");
        let (calls, algorithm) = (calls(&scanned), algorithm());
        let calls: Vec<&Call<'_>> = calls.iter().collect();
        let recipe = recipes(&scanned, &calls, &algorithm).into_iter().next()?;
        let slots = recipe
            .calls()
            .iter()
            .map(|call| call.slots.clone())
            .collect();
        Some(slots)
    }

    const SIZES: &str = "
        #define CRYPTO_PUBLICKEYBYTES 1312
        #define CRYPTO_SECRETKEYBYTES 2560
        #define CRYPTO_BYTES 2420
        int randombytes(unsigned char *out, size_t size);
        int crypto_sign_keypair(unsigned char *pk, unsigned char *sk);
    ";

    #[test]
    fn envelopes_of_nist_and_detached_signatures_are_whole_calls() {
        use Slot::{Ad, AdBytes, Bytes};
        use Slot::{In, Out, OutSize, Public, Secret, Signature, SignatureBytes};
        let nist = "
            int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                            unsigned long long mlen, const unsigned char *sk);
            int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                                 unsigned long long smlen, const unsigned char *pk);
        ";
        let wanted = [
            vec![Public, Secret],
            vec![Out, OutSize, In, Bytes, Secret],
            vec![Out, OutSize, In, Bytes, Public],
        ];
        assert_eq!(first(&format!("{SIZES}{nist}")), Some(wanted.to_vec()));
        let detached = "
            int crypto_sign_signature_ctx(uint8_t *sig, size_t *siglen, const uint8_t *m, size_t mlen,
                                          const uint8_t *ctx, size_t ctxlen, const uint8_t *sk);
            int crypto_sign_verify_ctx(const uint8_t *sig, size_t siglen, const uint8_t *m, size_t mlen,
                                       const uint8_t *ctx, size_t ctxlen, const uint8_t *pk);
        ";
        let wanted = [
            vec![Public, Secret],
            vec![Signature, OutSize, In, Bytes, Ad, AdBytes, Secret],
            vec![Signature, SignatureBytes, In, Bytes, Ad, AdBytes, Public],
        ];
        assert_eq!(
            first(&format!("{SIZES}{detached}{nist}")),
            Some(wanted.to_vec())
        );
        // The third round's Dilithium has the same public keys and other private ones.
        let older = SIZES.replace("2560", "2528");
        assert_eq!(first(&format!("{older}{detached}")), None);
        // Nothing says whose functions these are.
        let nameless = SIZES
            .replace("CRYPTO_", "OTHER_")
            .replace("KEYBYTES", "KEY")
            .replace("_BYTES", "");
        assert_eq!(first(&format!("{nameless}{detached}")), None);
    }
}
