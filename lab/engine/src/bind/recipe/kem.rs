//! Recipes of key encapsulations. Three functions belong together if they have the same prefix. The
//! parameter set follows from the sizes and names that the folder gives, or from a macro.

use super::keys::{KeyCalls, random_source};
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::scan::Scanned;

/// The numbers of the parameter sets.
const SETS: [&str; 3] = ["512", "768", "1024"];

/// Most recipes: names and sizes say nearly everything.
const MOST: usize = 12;

/// The recipes for an algorithm, those of the functions that a user calls first.
pub(super) fn recipes<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
) -> Vec<Recipe<'l>> {
    let of = |purpose: Purpose| calls.iter().filter(move |call| call.purpose == purpose);
    let source = random_source(scanned);
    let mut found = Vec::new();
    for pair in of(Purpose::KemPair) {
        let Some(of_set) = cost_of_set(scanned, &pair.function().name, algorithm) else {
            continue;
        };
        for encapsulate in of(Purpose::Encapsulate) {
            for decapsulate in of(Purpose::Decapsulate) {
                let all = [*pair, *encapsulate, *decapsulate];
                let prefixes = all.map(|call| prefix(&call.function().name));
                let draws = all[..2].iter().any(|call| !call.has(Slot::Seed));
                if prefixes.iter().any(|other| *other != prefixes[0]) || draws && source.is_none() {
                    continue;
                }
                let mut recipe = Recipe::empty(algorithm, None);
                recipe.cost = of_set + all.iter().map(|call| call.cost).sum::<u32>();
                recipe.keys = Some(KeyCalls {
                    pair: Some((*pair).clone()),
                    encapsulate: Some((*encapsulate).clone()),
                    decapsulate: Some((*decapsulate).clone()),
                    random: source.filter(|_| draws),
                    ..KeyCalls::default()
                });
                found.push(recipe);
            }
        }
    }
    found.sort_by_key(|recipe| recipe.cost);
    found.truncate(MOST);
    found
}

/// What a name has before the words of the function.
fn prefix(name: &str) -> &str {
    const WORDS: [&str; 6] = ["keypair", "keygen", "encaps", "decaps", "enc", "dec"];
    let lower = name.to_lowercase();
    let ends = WORDS.iter().filter_map(|word| lower.rfind(word));
    ends.max().and_then(|at| name.get(..at)).unwrap_or(name)
}

/// The cost of the algorithm for functions of a name; `None` if they are another set's. The size of
/// the public key says the most, then the name of the algorithm, then those of function and folder.
fn cost_of_set(scanned: &Scanned, function: &str, algorithm: &Algorithm) -> Option<u32> {
    let says = |text: &str| SETS.into_iter().find(|set| text.contains(set));
    // A folder may declare the functions of all sets, each with its number.
    if let Some(set) = says(function) {
        return algorithm.name.ends_with(set).then_some(0);
    }
    // A macro with several values is the user's to choose.
    let chosen = !parameter_flags(scanned, algorithm).is_empty();
    let before = function.split("crypto_kem").next().unwrap_or_default();
    let of_macro = |end: &str| {
        let own = format!("{before}{end}");
        let names = scanned.macros.keys();
        let mut named = names.filter(|name| **name == own || name.ends_with(end));
        named.next().cloned()
    };
    if let Some(bytes) = of_macro("CRYPTO_PUBLICKEYBYTES").and_then(|name| scanned.number(&name)) {
        let same = Some(bytes) == algorithm.public_bytes;
        return if same { Some(0) } else { chosen.then_some(3) };
    }
    let text = of_macro("CRYPTO_ALGNAME").and_then(|name| scanned.macros.get(&name));
    let folder = scanned.folder.to_string_lossy();
    let last: Vec<&str> = folder.rsplit('/').take(2).collect();
    let texts = [
        text.map(String::as_str),
        last.first().copied(),
        last.get(1).copied(),
    ];
    for said in texts.into_iter().flatten() {
        if let Some(set) = says(said) {
            let same = algorithm.name.ends_with(set);
            return if same { Some(1) } else { chosen.then_some(4) };
        }
    }
    Some(2)
}

/// Flags that choose the parameter set: the rank as `KYBER_K` or the like, or the set's number.
pub(in crate::bind) fn parameter_flags(
    scanned: &Scanned,
    algorithm: &Algorithm,
) -> Vec<Vec<String>> {
    let number = algorithm.name.rsplit('-').next().unwrap_or_default();
    let rank = algorithm.public_bytes.map_or(0, |bytes| bytes / 384);
    let flag = |name: &String| {
        let upper = name.to_uppercase();
        let about = ["KYBER", "MLKEM", "MLK"]
            .iter()
            .any(|start| upper.starts_with(start));
        match about {
            true if upper.ends_with("_K") => Some(vec![format!("-D{name}={rank}")]),
            true if upper.ends_with("PARAMETER_SET") => Some(vec![format!("-D{name}={number}")]),
            _ => None,
        }
    };
    scanned.tested.iter().filter_map(flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind::call::calls;
    use crate::scan::scan;

    fn algorithm(name: &str, public_bytes: u32) -> Algorithm {
        let text = format!(
            "name = \"{name}\"\ntitle = \"K\"\ninterface = \"kem\"\nfamily = \"ml-kem\"\npublic_bytes = {public_bytes}"
        );
        toml::from_str(&text).expect("an algorithm")
    }

    const API: &str = "
        #define LIB_CRYPTO_PUBLICKEYBYTES 800
        int LIB_crypto_kem_keypair(uint8_t *pk, uint8_t *sk);
        int LIB_crypto_kem_enc(uint8_t *ct, uint8_t *ss, const uint8_t *pk);
        int LIB_crypto_kem_dec(uint8_t *ss, const uint8_t *ct, const uint8_t *sk);
        int randombytes(uint8_t *out, size_t size);
    ";

    /// The slots of the calls of each recipe for a set.
    fn slots(text: &str, name: &str, public_bytes: u32) -> Vec<Vec<Vec<Slot>>> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("api.h"), text).expect("a header");
        let scanned = scan(folder.path()).expect("a library");
        let (calls, algorithm) = (calls(&scanned), algorithm(name, public_bytes));
        let calls: Vec<&Call<'_>> = calls.iter().collect();
        let mut found = recipes(&scanned, &calls, &algorithm);
        found.sort_by_key(|recipe| recipe.cost);
        let slots = |recipe: &Recipe<'_>| {
            recipe
                .calls()
                .iter()
                .map(|call| call.slots.clone())
                .collect()
        };
        found.iter().map(slots).collect()
    }

    #[test]
    fn the_size_of_the_public_key_says_the_set() {
        use Slot::{Capsule, Out, Public, Secret};
        let first = slots(API, "ml-kem-512", 800).into_iter().next();
        let wanted = [
            vec![Public, Secret],
            vec![Capsule, Out, Public],
            vec![Out, Capsule, Secret],
        ];
        assert_eq!(first, Some(wanted.to_vec()));
        assert!(slots(API, "ml-kem-768", 1184).is_empty());
        // Without a source of random numbers, nothing can be compared with a vector.
        assert!(slots(&API.replace("randombytes", "noise"), "ml-kem-512", 800).is_empty());
        let named = API.replace("CRYPTO_PUBLICKEYBYTES 800", "CRYPTO_ALGNAME \"Kyber768\"");
        assert!(slots(&named, "ml-kem-512", 800).is_empty());
        assert!(!slots(&named, "ml-kem-768", 1184).is_empty());
    }

    #[test]
    fn a_function_with_a_number_is_that_sets() {
        let all = ["512", "1024"].map(|set| {
            API.replace("LIB_", &format!("kyber{set}_"))
                .replace("CRYPTO_PUBLICKEYBYTES", "SIZE")
        });
        let text = all.concat();
        assert!(slots(&text, "ml-kem-768", 1184).is_empty());
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("api.h"), text).expect("a header");
        let scanned = scan(folder.path()).expect("a library");
        let (calls, algorithm) = (calls(&scanned), algorithm("ml-kem-1024", 1568));
        let calls: Vec<&Call<'_>> = calls.iter().collect();
        for recipe in recipes(&scanned, &calls, &algorithm) {
            assert!(recipe.names().iter().all(|name| name.contains("1024")));
        }
    }

    #[test]
    fn functions_that_take_the_coins_need_no_source() {
        let text = "
            int crypto_kem_keypair_derand(unsigned char *x, unsigned char *y, const unsigned char *z);
            int crypto_kem_enc_derand(unsigned char *x, unsigned char *y, const unsigned char *z, const unsigned char *w);
            int crypto_kem_dec(unsigned char *x, const unsigned char *y, const unsigned char *z);
        ";
        use Slot::{Capsule, Out, Public, Secret, Seed};
        let wanted = [
            vec![Public, Secret, Seed],
            vec![Capsule, Out, Public, Seed],
            vec![Out, Capsule, Secret],
        ];
        assert_eq!(
            slots(text, "ml-kem-512", 800).first(),
            Some(&wanted.to_vec())
        );
    }
}
