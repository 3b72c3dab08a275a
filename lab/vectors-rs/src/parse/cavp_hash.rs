//! Hash response files [SHAVS] [SHA3VS]: `[L = digest size]`, then Len, Msg, MD, or
//! Seed and the COUNT, MD of each checkpoint. SHAVS gives L in bytes, SHA3VS in bits.

use super::response::{Item, decimal, hexadecimal, lines, set};
use super::source::SourceText;
use crate::{Algorithm, Case, CaseKind, Error, Hash, Interface};

/// Short and long messages.
pub(super) fn messages(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let hash = hash(place, algorithm)?;
    let mut cases = Vec::new();
    let mut length: Option<(usize, usize)> = None;
    let mut message = None;
    for line in lines(place) {
        let line = line?;
        let number = line.number;
        match line.item {
            Item::Section(section) => check_size(place, number, hash, section)?,
            Item::Pair("Len", value) => {
                let bits = decimal(place, number, "Len", value)?;
                set(place, number, "Len", &mut length, (number, bits))?;
            }
            Item::Pair("Msg", value) => {
                let bytes = hexadecimal(place, number, "Msg", value)?;
                set(place, number, "Msg", &mut message, bytes)?;
            }
            Item::Pair("MD", value) => {
                let digest = digest(place, number, hash, value)?;
                let (start, bits) = length
                    .take()
                    .ok_or_else(|| place.error(number, "MD before Len"))?;
                let message = message
                    .take()
                    .ok_or_else(|| place.error(number, "MD before Msg"))?;
                // The operations take whole bytes.
                if bits % 8 != 0 {
                    continue;
                }
                let kind = CaseKind::Hash {
                    hash,
                    message: of_length(place, number, message, bits)?,
                    repeat: 1,
                    digest,
                };
                let name = place.name();
                cases.push(Case::new(algorithm, format!("{name}:{start}"), name, kind));
            }
            Item::Pair(name, _) => return Err(place.error(number, format!("unknown field {name}"))),
        }
    }
    match length {
        Some((start, _)) => Err(place.error(start, "the vector has no MD")),
        None => Ok(cases),
    }
}

/// The message, checked against Len. The empty message is printed as one zero byte.
fn of_length(
    place: &SourceText<'_>,
    line: usize,
    mut message: Vec<u8>,
    bits: usize,
) -> Result<Vec<u8>, Error> {
    if bits == 0 {
        message.clear();
    }
    if message.len() == bits / 8 {
        return Ok(message);
    }
    let found = message.len();
    Err(place.error(line, format!("Msg has {found} bytes; Len says {bits} bits")))
}

/// Monte Carlo checkpoints: each starts from the digest of the one before.
pub(super) fn checkpoints(
    place: &SourceText<'_>,
    algorithm: Algorithm,
) -> Result<Vec<Case>, Error> {
    let hash = hash(place, algorithm)?;
    let mut cases = Vec::new();
    let mut seed = None;
    for line in lines(place) {
        let line = line?;
        let number = line.number;
        match line.item {
            Item::Section(section) => check_size(place, number, hash, section)?,
            Item::Pair("Seed", value) => {
                set(
                    place,
                    number,
                    "Seed",
                    &mut seed,
                    digest(place, number, hash, value)?,
                )?;
            }
            Item::Pair("COUNT", _) => {}
            Item::Pair("MD", value) => {
                let digest = digest(place, number, hash, value)?;
                let seed = seed
                    .replace(digest.clone())
                    .ok_or_else(|| place.error(number, "MD before Seed"))?;
                let kind = CaseKind::HashMonteCarlo { hash, seed, digest };
                let name = place.name();
                cases.push(Case::new(algorithm, format!("{name}:{number}"), name, kind));
            }
            Item::Pair(name, _) => return Err(place.error(number, format!("unknown field {name}"))),
        }
    }
    Ok(cases)
}

fn hash(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Hash, Error> {
    match algorithm.interface() {
        Interface::Hash(hash) => Ok(hash),
        _ => Err(place.mismatch(algorithm)),
    }
}

fn digest(place: &SourceText<'_>, line: usize, hash: Hash, value: &str) -> Result<Vec<u8>, Error> {
    let bytes = hexadecimal(place, line, "the digest", value)?;
    if bytes.len() == hash.digest_bytes() {
        return Ok(bytes);
    }
    Err(place.error(
        line,
        format!(
            "the digest has {} bytes instead of {}",
            bytes.len(),
            hash.digest_bytes()
        ),
    ))
}

fn check_size(place: &SourceText<'_>, line: usize, hash: Hash, section: &str) -> Result<(), Error> {
    let size = section
        .strip_prefix("L")
        .and_then(|rest| rest.trim_start().strip_prefix('='))
        .map(str::trim);
    let bytes = hash.digest_bytes();
    if size.is_some_and(|size| size == bytes.to_string() || size == (8 * bytes).to_string()) {
        return Ok(());
    }
    Err(place.error(
        line,
        format!("[{section}] is not the digest size of this hash, {bytes} bytes"),
    ))
}
