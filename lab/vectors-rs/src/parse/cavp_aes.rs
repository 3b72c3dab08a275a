//! AES response files [AESAVS]: `[ENCRYPT]` and `[DECRYPT]` sections of
//! COUNT, KEY, IV (not in ECB), PLAINTEXT, CIPHERTEXT.

use super::response::{Item, hexadecimal, lines, set};
use super::source::{SourceText, exactly};
use crate::{Algorithm, Case, CaseKind, CbcNext, Direction, Error, Interface};

/// Known answers and multi-block messages.
pub(super) fn messages(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let key_bytes = key_bytes(place, algorithm)?;
    let mut cases = Vec::new();
    for record in records(place)? {
        let line = record.line;
        let vector = record
            .check(key_bytes)
            .map_err(|message| place.error(line, message))?;
        let (direction, key, input, output) =
            (vector.direction, vector.key, vector.input, vector.output);
        let kind = match algorithm.interface() {
            Interface::Cbc { .. } => {
                let iv = vector
                    .iv
                    .ok_or_else(|| place.error(line, "a CBC vector has no IV"))?;
                CaseKind::CbcUnpadded {
                    direction,
                    key,
                    iv,
                    input,
                    output,
                }
            }
            _ if vector.iv.is_some() => return Err(place.error(line, "an ECB vector has an IV")),
            _ => CaseKind::Blocks {
                direction,
                key,
                input,
                output,
            },
        };
        cases.push(case(place, algorithm, line, direction, kind));
    }
    Ok(cases)
}

/// Monte Carlo checkpoints: each is a case of its own, and leads to the next.
pub(super) fn checkpoints(
    place: &SourceText<'_>,
    algorithm: Algorithm,
) -> Result<Vec<Case>, Error> {
    let vectors = monte_carlo_vectors(place, key_bytes(place, algorithm)?)?;
    let mut cases = Vec::new();
    for (index, (line, vector, input, output)) in vectors.iter().enumerate() {
        let (line, direction, key, input, output) =
            (*line, vector.direction, vector.key.clone(), *input, *output);
        let next = vectors
            .get(index + 1)
            .filter(|(_, next, _, _)| next.direction == direction);
        let kind = match algorithm.interface() {
            Interface::Cbc { .. } => {
                let iv = vector
                    .iv
                    .ok_or_else(|| place.error(line, "a CBC vector has no IV"))?;
                let next = next.and_then(|(_, next, input, _)| {
                    Some(CbcNext {
                        key: next.key.clone(),
                        iv: next.iv?,
                        input: *input,
                    })
                });
                CaseKind::CbcMonteCarlo {
                    direction,
                    key,
                    iv,
                    input,
                    output,
                    next,
                }
            }
            _ if vector.iv.is_some() => return Err(place.error(line, "an ECB vector has an IV")),
            _ => {
                let next_key = next.map(|(_, next, _, _)| next.key.clone());
                CaseKind::BlockMonteCarlo {
                    direction,
                    key,
                    input,
                    output,
                    next_key,
                }
            }
        };
        cases.push(case(place, algorithm, line, direction, kind));
    }
    Ok(cases)
}

/// Line, vector, input and output of each checkpoint.
type Checkpoint = (usize, Vector, [u8; 16], [u8; 16]);

fn monte_carlo_vectors(place: &SourceText<'_>, key_bytes: usize) -> Result<Vec<Checkpoint>, Error> {
    let mut vectors = Vec::new();
    for record in records(place)? {
        let line = record.line;
        let vector = record
            .check(key_bytes)
            .map_err(|message| place.error(line, message))?;
        let input: [u8; 16] =
            exactly("a Monte Carlo input", &vector.input).map_err(|m| place.error(line, m))?;
        let output: [u8; 16] =
            exactly("a Monte Carlo output", &vector.output).map_err(|m| place.error(line, m))?;
        vectors.push((line, vector, input, output));
    }
    Ok(vectors)
}

fn key_bytes(place: &SourceText<'_>, algorithm: Algorithm) -> Result<usize, Error> {
    match algorithm.interface() {
        Interface::BlockCipher { key_bytes }
        | Interface::Ecb { key_bytes }
        | Interface::Cbc { key_bytes } => Ok(key_bytes),
        _ => Err(place.mismatch(algorithm)),
    }
}

fn case(
    place: &SourceText<'_>,
    algorithm: Algorithm,
    line: usize,
    direction: Direction,
    kind: CaseKind,
) -> Case {
    let name = place.name();
    Case::new(
        algorithm,
        format!("{name}:{line}"),
        format!("{name} {}", direction.operation()),
        kind,
    )
}

/// The fields of one COUNT, as they stand in the file.
struct Record {
    line: usize,
    direction: Direction,
    key: Option<Vec<u8>>,
    iv: Option<Vec<u8>>,
    plaintext: Option<Vec<u8>>,
    ciphertext: Option<Vec<u8>>,
}

struct Vector {
    direction: Direction,
    key: Vec<u8>,
    iv: Option<[u8; 16]>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Record {
    fn check(self, key_bytes: usize) -> Result<Vector, String> {
        let key = self.key.ok_or("the vector has no KEY")?;
        let plaintext = self.plaintext.ok_or("the vector has no PLAINTEXT")?;
        let ciphertext = self.ciphertext.ok_or("the vector has no CIPHERTEXT")?;
        if key.len() != key_bytes {
            return Err(format!(
                "KEY has {} bytes instead of {key_bytes}",
                key.len()
            ));
        }
        if plaintext.len() != ciphertext.len() {
            return Err("PLAINTEXT and CIPHERTEXT differ in size".into());
        }
        if plaintext.is_empty() || plaintext.len() % 16 != 0 {
            return Err(format!("{} bytes are not whole blocks", plaintext.len()));
        }
        let iv = self.iv.map(|iv| exactly("IV", &iv)).transpose()?;
        let (input, output) = match self.direction {
            Direction::Encrypt => (plaintext, ciphertext),
            Direction::Decrypt => (ciphertext, plaintext),
        };
        Ok(Vector {
            direction: self.direction,
            key,
            iv,
            input,
            output,
        })
    }
}

fn records(place: &SourceText<'_>) -> Result<Vec<Record>, Error> {
    let mut records: Vec<Record> = Vec::new();
    let mut section = None;
    // A section's first pair must be a COUNT: fields never join the section before.
    let mut open = false;
    for line in lines(place) {
        let line = line?;
        let number = line.number;
        match line.item {
            Item::Section("ENCRYPT") => (section, open) = (Some(Direction::Encrypt), false),
            Item::Section("DECRYPT") => (section, open) = (Some(Direction::Decrypt), false),
            Item::Section(other) => {
                return Err(place.error(number, format!("unknown section [{other}]")));
            }
            Item::Pair("COUNT", _) => {
                let direction = section
                    .ok_or_else(|| place.error(number, "a vector before [ENCRYPT] or [DECRYPT]"))?;
                let (key, iv, plaintext, ciphertext) = (None, None, None, None);
                records.push(Record {
                    line: number,
                    direction,
                    key,
                    iv,
                    plaintext,
                    ciphertext,
                });
                open = true;
            }
            Item::Pair(name, value) => {
                let Some(record) = records.last_mut().filter(|_| open) else {
                    return Err(place.error(number, format!("{name} before COUNT")));
                };
                let field = match name {
                    "KEY" => &mut record.key,
                    "IV" => &mut record.iv,
                    "PLAINTEXT" => &mut record.plaintext,
                    "CIPHERTEXT" => &mut record.ciphertext,
                    _ => return Err(place.error(number, format!("unknown field {name}"))),
                };
                set(
                    place,
                    number,
                    name,
                    field,
                    hexadecimal(place, number, name, value)?,
                )?;
            }
        }
    }
    Ok(records)
}
