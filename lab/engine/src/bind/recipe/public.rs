//! Recipes of key agreements and signatures.

use super::combine::{EACH, of};
use super::keys::{KeyCalls, KeyForm};
use super::parts::Recipe;
use crate::algorithm::Algorithm;
use crate::bind::call::Call;
use crate::bind::slot::{Purpose, Slot};
use crate::interface::Interface;
use crate::scan::{Declared, Scanned};

/// What a library of X25519 may leave to its caller: fixing the bits of a secret, and clearing the
/// highest bit of a public value.
const LEFT: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];

/// The cost of an algorithm for a call by names; `None` if nothing speaks of it.
fn named(
    scanned: &Scanned,
    call: &Call<'_>,
    algorithm: &Algorithm,
    class: Option<&String>,
) -> Option<u32> {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|c| c.to_ascii_lowercase()).collect()
    };
    let words: &[&str] = match algorithm.family.as_str() {
        "x25519" => &["x25519", "curve25519", "25519"],
        "ed25519" => &["ed25519", "25519"],
        _ => &["p256", "secp256r1", "prime256", "uecc", "ecdh", "ecdsa"],
    };
    // The other curve of the same numbers, and other hashes.
    let others: &[&str] = match algorithm.family.as_str() {
        "x25519" => &["ed25519", "448"],
        "ed25519" => &["x25519", "curve25519", "sha3", "keccak", "blake", "448"],
        _ => &["256k1", "25519", "384", "521"],
    };
    let says = |text: &str, of: &[&str]| of.iter().any(|word| text.contains(word));
    let function = call.function();
    let near = plain(&function.name) + &plain(class.map_or("", String::as_str));
    let definition = scanned
        .definition(function)
        .map(|path| path.to_string_lossy());
    let folder = scanned.folder.to_string_lossy();
    let parent: Vec<&str> = folder.rsplit('/').take(2).collect();
    let far = plain(&call.declared.file.to_string_lossy())
        + &plain(&definition.unwrap_or_default())
        + &plain(&parent.concat());
    if says(&near, &["kem"]) {
        return None;
    }
    let against = u32::from(says(&near, others)) * 4;
    // Names of SUPERCOP do not name the algorithm.
    let generic = near.contains("cryptosign") || near.contains("scalarmult");
    if says(&near, words) {
        Some(against)
    } else if says(&far, words) {
        Some(1 + against)
    } else if generic && algorithm.family != "p-256" {
        Some(4 + against)
    } else {
        None
    }
}

pub(super) fn recipes<'l>(
    scanned: &'l Scanned,
    calls: &[&Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&String>,
) -> Vec<Recipe<'l>> {
    let search = Search {
        scanned,
        calls,
        algorithm,
        class,
    };
    let found = match algorithm.interface {
        Interface::Dh => search.agreements(),
        _ => search.signatures(),
    };
    found
        .into_iter()
        .map(|(keys, cost)| {
            let mut recipe = Recipe::empty(algorithm, class.cloned());
            recipe.cost = cost;
            recipe.keys = Some(search.surroundings(keys));
            recipe
        })
        .collect()
}

struct Search<'s, 'l> {
    scanned: &'l Scanned,
    calls: &'s [&'s Call<'l>],
    algorithm: &'l Algorithm,
    class: Option<&'s String>,
}

impl<'l> Search<'_, 'l> {
    /// The calls of a purpose with their costs, those of the algorithm only, the best first.
    fn of(&self, purpose: Purpose) -> Vec<(Call<'l>, u32)> {
        let calls = of(self.calls, purpose).into_iter();
        let mut found: Vec<(Call<'l>, u32)> = calls
            .filter_map(|call| {
                let cost = named(self.scanned, call, self.algorithm, self.class)?;
                let curve = call.has(Slot::Curve);
                let fits = !curve || self.curve(call).is_some();
                fits.then(|| (call.clone(), cost + call.cost))
            })
            .collect();
        found.sort_by_key(|(_, cost)| *cost);
        found.truncate(EACH);
        found
    }

    /// The best call of each of the first functions of a purpose that belong to `to`.
    fn beside(&self, purpose: Purpose, to: &Call<'l>, functions: usize) -> Vec<(Call<'l>, u32)> {
        let mut found: Vec<(Call<'l>, u32)> = self
            .of(purpose)
            .into_iter()
            .map(|(call, cost)| {
                let far = call.declared.file != to.declared.file;
                let (a, b) = (&call.function().name, &to.function().name);
                let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
                let unlike = common * 2 < a.len().min(b.len());
                (call, cost + u32::from(far) * 2 + u32::from(unlike))
            })
            .collect();
        found.sort_by_key(|(_, cost)| *cost);
        let mut names: Vec<String> = Vec::new();
        found.retain(|(call, _)| {
            let name = &call.function().name;
            let is_new = !names.contains(name);
            names.push(name.clone());
            is_new && *name != to.function().name
        });
        found.truncate(functions);
        found
    }

    fn agreements(&self) -> Vec<(KeyCalls<'l>, u32)> {
        let mut found = Vec::new();
        for (agree, cost) in self.of(Purpose::Agree) {
            let has_base = self.algorithm.family == "x25519";
            let mut publics: Vec<(Option<Call<'l>>, u32)> = self
                .beside(Purpose::PublicOf, &agree, 2)
                .into_iter()
                .map(|(call, cost)| (Some(call), cost))
                .collect();
            if has_base {
                publics.push((None, if publics.is_empty() { 0 } else { 3 }));
            }
            let valid = self.beside(Purpose::Valid, &agree, 1).pop();
            for (public_of, more) in publics {
                // Some leave to their caller what RFC 7748, 5 does to a secret and to a public value.
                let left = if has_base { &LEFT[..] } else { &LEFT[..1] };
                let ways = self.polarities(&agree).into_iter();
                let ways = ways.flat_map(|zero| left.iter().map(move |left| (zero, *left)));
                for (zero_fails, (clamps, masks)) in ways {
                    let keys = KeyCalls {
                        clamps,
                        masks,
                        agree: Some(agree.clone()),
                        public_of: public_of.clone(),
                        valid: valid.as_ref().map(|(call, _)| call.clone()),
                        zero_fails,
                        ..KeyCalls::default()
                    };
                    let left = u32::from(clamps) + u32::from(masks);
                    let unlikely = u32::from(zero_fails) + 2 * left;
                    found.push((keys, cost + more + unlikely));
                }
            }
        }
        found
    }

    /// X25519 does not fail but for a zero secret, which the glue finds itself.
    fn polarities(&self, call: &Call<'_>) -> Vec<bool> {
        let result = call.function().result.trim();
        if result == "bool" {
            vec![true]
        } else if result == "void" || self.algorithm.family == "x25519" {
            vec![false]
        } else {
            vec![false, true]
        }
    }

    fn signatures(&self) -> Vec<(KeyCalls<'l>, u32)> {
        let mut found = Vec::new();
        for (of_sign, of_check) in [
            (Purpose::Sign, Purpose::Check),
            (Purpose::Envelope, Purpose::Unwrap),
        ] {
            for (sign, cost) in self.of(of_sign) {
                for (check, more) in self.beside(of_check, &sign, 2) {
                    for zero_fails in self.polarities(&check) {
                        let base = KeyCalls {
                            sign: Some(sign.clone()),
                            check: Some(check.clone()),
                            zero_fails,
                            valid: self.beside(Purpose::Valid, &sign, 1).pop().map(|(c, _)| c),
                            ..KeyCalls::default()
                        };
                        let cost = cost + more + u32::from(zero_fails);
                        found.extend(self.with_keys(&sign, &base, cost));
                    }
                }
            }
        }
        found
    }

    /// A recipe for each form of the secret key, and each way to make the public key.
    fn with_keys(
        &self,
        sign: &Call<'l>,
        base: &KeyCalls<'l>,
        cost: u32,
    ) -> Vec<(KeyCalls<'l>, u32)> {
        let mut found = Vec::new();
        for (pair, more) in self.beside(Purpose::Pair, sign, 2) {
            let keys = KeyCalls {
                pair: Some(pair),
                form: KeyForm::Made,
                ..base.clone()
            };
            found.push((keys, cost + more));
        }
        for (public_of, more) in self.beside(Purpose::PublicOf, sign, 2) {
            for (form, unlikely) in [(KeyForm::Secret, 1), (KeyForm::SecretAndPublic, 2)] {
                if form == KeyForm::SecretAndPublic && self.algorithm.family != "ed25519" {
                    continue;
                }
                let keys = KeyCalls {
                    public_of: Some(public_of.clone()),
                    form,
                    ..base.clone()
                };
                found.push((keys, cost + more + unlikely));
            }
        }
        found
    }

    /// The object of P-256 that a function with a curve takes: the result of a function without
    /// parameters.
    fn curve(&self, call: &Call<'_>) -> Option<String> {
        let at = call.slots.iter().position(|slot| *slot == Slot::Curve)?;
        let base = &call.function().parameters[at].base;
        let plain = |text: &str| {
            let words = text.replace(['*', '&'], " ");
            let words: Vec<&str> = words
                .split_whitespace()
                .filter(|word| *word != "const")
                .collect();
            words.join(" ")
        };
        let names_it = |name: &str| {
            let name = name.to_lowercase();
            ["256r1", "p256", "prime256", "p_256"]
                .iter()
                .any(|part| name.contains(part))
        };
        let found = self.scanned.functions.iter().find(|declared| {
            let function = &declared.function;
            function.parameters.is_empty()
                && plain(&function.result) == plain(base)
                && names_it(&function.name)
        })?;
        Some(format!("{}()", found.function.name))
    }

    /// Adds what the calls need: the curve, and the source of random numbers.
    fn surroundings(&self, mut keys: KeyCalls<'l>) -> KeyCalls<'l> {
        let curve = keys.calls().find_map(|call| self.curve(call));
        keys.curve = curve;
        let functions = || self.scanned.functions.iter();
        let lower = |declared: &Declared| declared.function.name.to_lowercase();
        keys.set_random = functions().find(|declared| {
            let name = lower(declared);
            declared.function.parameters.len() == 1
                && name.contains("set")
                && (name.contains("rng") || name.contains("random"))
        });
        let draws = self.algorithm.interface == Interface::Signature;
        keys.random = functions().filter(|_| draws).find(|declared| {
            let name = lower(declared);
            let is_source = name.contains("randombytes") || name == "arc4random_buf";
            is_source && declared.function.parameters.len() == 2
        });
        keys
    }
}
