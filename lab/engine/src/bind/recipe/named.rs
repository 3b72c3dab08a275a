//! Whether the names of a call speak of an algorithm.

use super::described::is_told;
use super::plain::plain;
use crate::algorithm::Algorithm;
use crate::bind::call::{Call, Mode};
use crate::interface::Interface;
use crate::scan::Scanned;
use crate::scan::words::words;

/// True if the sources that the call's file includes speak of the algorithm, and the call of the mode
/// or construction alone.
fn is_of_included(scanned: &Scanned, call: &Call<'_>, algorithm: &Algorithm, near: &str) -> bool {
    let included = plain(&included(scanned, call).concat());
    let (letters, _) = split(&algorithm.name);
    let name = plain(&algorithm.name);
    let of_mode =
        call.mode != Mode::Plain && letters.iter().all(|word| included.contains(word.as_str()));
    let of_hmac = algorithm.interface == Interface::Mac
        && near.contains("hmac")
        && included.contains(name.trim_start_matches("hmac"));
    of_mode || of_hmac
}

/// The cost of an algorithm for a call, by its names; `None` if it cannot be of it.
pub(super) fn named(
    scanned: &Scanned,
    call: &Call<'_>,
    algorithm: &Algorithm,
    class: Option<&String>,
) -> Option<u32> {
    let function = &call.declared.function;
    let names = [
        function.name.as_str(),
        class.map_or("", String::as_str),
        function.class.as_deref().unwrap_or_default(),
    ];
    // Some write sha2_256.
    let near = names.map(plain).concat();
    let near = near
        .replace("sha2256", "sha256")
        .replace("sha2512", "sha512");
    let folder = scanned
        .folder
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let path = call.declared.file.to_string_lossy();
    let far = format!("{}{}", plain(&path), plain(&folder));
    let name = plain(&algorithm.name);
    let (letters, digits) = split(&algorithm.name);
    if near.contains(&name) {
        return Some(0);
    }
    // Another size or kind in the function's own name speaks against it.
    let other = names.iter().flat_map(|name| words(name)).any(|word| {
        ["128", "192", "256", "384", "512", "224"].contains(&word.as_str())
            && !digits.contains(&word)
    });
    let is_sha2 = letters.iter().any(|word| word == "sha");
    if other || is_sha2 && near.contains("sha3") {
        return None;
    }
    let says = |text: &str| letters.iter().all(|word| has_word(text, word));
    if says(&near) || far.contains(&name) {
        Some(1)
    } else if says(&format!("{near}{far}")) {
        Some(2)
    } else if says(&format!("{near}{far}{}", plain(&types(call)))) {
        // Named after the mode alone, for a context of the cipher.
        Some(3)
    } else if is_of_included(scanned, call, algorithm, &near) {
        Some(3)
    } else if is_told(scanned, call, algorithm) {
        // A mode of any cipher, whose state is told which.
        Some(3)
    } else if letters.iter().all(|word| scanned.said.contains(word)) {
        // Only the comments or the manual say it.
        Some(4)
    } else {
        None
    }
}

/// True if a text of joined names has a word. A `hash` beside a name with an `s` is no `sha`.
fn has_word(text: &str, word: &str) -> bool {
    match word {
        "sha" => text.replace("hash", "_").contains(word),
        _ => text.contains(word),
    }
}

/// True if a key set-up is of the cipher of an authenticated mode: its names and types speak of the
/// family, and of no other size.
pub(super) fn is_of_cipher(scanned: &Scanned, call: &Call<'_>, algorithm: &Algorithm) -> bool {
    let block = Algorithm {
        name: format!(
            "{}-{}",
            algorithm.family,
            8 * algorithm.key_bytes.unwrap_or(0)
        ),
        interface: Interface::BlockCipher,
        ..algorithm.clone()
    };
    algorithm.interface == Interface::Aead && named(scanned, call, &block, None).is_some()
}

/// The names of the types of a call's parameters.
fn types(call: &Call<'_>) -> String {
    let parameters = call.function().parameters.iter();
    parameters
        .map(|parameter| parameter.base.as_str())
        .collect()
}

/// The headers that the file of a call and the source of its function include.
fn included(scanned: &Scanned, call: &Call<'_>) -> Vec<String> {
    let declared = &call.declared;
    let source = scanned.definition(&declared.function);
    let files = [Some(&declared.file), source].into_iter().flatten();
    files
        .filter_map(|file| scanned.includes.get(file))
        .flatten()
        .cloned()
        .collect()
}

/// The words of an algorithm's name that a library must say, and its numbers. Modes and the words
/// of an interface are not in the list: the calls say them.
fn split(name: &str) -> (Vec<String>, Vec<String>) {
    const BY_CALLS: [&str; 5] = ["cbc", "ctr", "ecb", "aead128", "hash256"];
    let is_number = |part: &&str| part.chars().all(|c| c.is_ascii_digit());
    let parts: Vec<&str> = name.split(['-', '/']).collect();
    let numbers = parts
        .iter()
        .copied()
        .filter(is_number)
        .map(str::to_owned)
        .collect();
    let said = parts
        .iter()
        .copied()
        .filter(|part| !is_number(part) && !BY_CALLS.contains(part));
    // Of `chacha20` and `speck128` the number is often left out; of `sha3` it is the name.
    let stem = |part: &str| match part {
        "sha3" | "blake2s" => part.to_owned(),
        _ => part
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .to_owned(),
    };
    (said.map(stem).collect(), numbers)
}

/// True if the constants of `api.h` are those of the algorithm.
pub(super) fn constants_fit(scanned: &Scanned, algorithm: &Algorithm) -> bool {
    let fits = |name: &str, bytes: Option<u32>| {
        let constant = scanned.number(name);
        constant.is_some() && constant == bytes
    };
    fits("CRYPTO_KEYBYTES", algorithm.key_bytes) && fits("CRYPTO_NPUBBYTES", algorithm.nonce_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_of_another_name_is_no_sha() {
        assert!(has_word("cryptohashsha256", "sha"));
        assert!(has_word("sha256init", "sha"));
        assert!(!has_word("cryptohashasconhashv12", "sha"));
        assert!(has_word("cryptohashasconhashv12", "hash"));
    }
}
