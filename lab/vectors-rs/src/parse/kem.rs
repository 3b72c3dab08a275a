//! Key encapsulations: a section for each task, and in it vectors of named fields, each after its
//! `count` and `result`.

use super::sections::{Vector, vectors};
use super::source::SourceText;
use crate::{Algorithm, Case, CaseKind, Error, Interface, Kem};

pub(super) fn cases(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::Kem(kem) = algorithm.interface() else {
        return Err(place.mismatch(algorithm));
    };
    let mut cases = Vec::new();
    for vector in vectors(place)? {
        let line = vector.line;
        let (section, count) = (vector.section.clone(), vector.count.clone());
        let of_result = if vector.valid { "" } else { " refused" };
        let kind = kind(kem, vector).map_err(|message| place.error(line, message))?;
        // A wrong size cannot be asked of an operation that takes a part at an offset.
        let Some(kind) = kind else { continue };
        let name = place.name();
        cases.push(Case::new(
            algorithm,
            format!("{name}:{section} {count}"),
            format!("{name} {section}{of_result}"),
            kind,
        ));
    }
    Ok(cases)
}

/// The task of a vector; `None` for an input of a wrong size.
fn kind(kem: Kem, mut vector: Vector) -> Result<Option<CaseKind>, String> {
    let valid = vector.valid;
    let mut sized = |name: &str, size: usize| match vector.fields.remove(name) {
        None => Err(format!("the vector has no {name}")),
        Some(bytes) if bytes.len() == size => Ok(Some(bytes)),
        Some(bytes) if valid => Err(format!("{name} has {} bytes", bytes.len())),
        Some(_) => Ok(None),
    };
    let kind = match vector.section.as_str() {
        "keyGen" => {
            let seed = match sized("seed", 64) {
                Err(_) => match (sized("d", 32)?, sized("z", 32)?) {
                    (Some(d), Some(z)) => Some([d, z].concat()),
                    _ => None,
                },
                seed => seed?,
            };
            let public = sized("ek", kem.public_bytes)?;
            let private = sized("dk", kem.private_bytes)?;
            let all = seed.zip(public).zip(private).filter(|_| valid);
            all.map(|((seed, public), private)| CaseKind::KemKeyPair {
                seed,
                public,
                private,
            })
        }
        "encapsulation" => {
            let inputs = sized("ek", kem.public_bytes)?.zip(sized("m", 32)?);
            match inputs {
                Some((public, random)) if valid => Some(CaseKind::Encapsulate {
                    public,
                    random,
                    ciphertext: sized("c", kem.ciphertext_bytes)?.unwrap_or_default(),
                    secret: sized("k", 32)?.unwrap_or_default(),
                }),
                Some((public, random)) => Some(CaseKind::EncapsulateRefused { public, random }),
                None => None,
            }
        }
        "decapsulation" => {
            let inputs = sized("dk", kem.private_bytes)?.zip(sized("c", kem.ciphertext_bytes)?);
            match inputs {
                Some((private, ciphertext)) if valid => Some(CaseKind::Decapsulate {
                    private,
                    ciphertext,
                    secret: sized("k", 32)?.unwrap_or_default(),
                }),
                Some((private, _)) => Some(CaseKind::PrivateRefused { private }),
                None => None,
            }
        }
        "seed" => {
            let inputs = sized("seed", 64)?.zip(sized("c", kem.ciphertext_bytes)?);
            match inputs {
                Some((seed, ciphertext)) if valid => Some(CaseKind::DecapsulateSeed {
                    seed,
                    ciphertext,
                    secret: sized("k", 32)?.unwrap_or_default(),
                }),
                Some(_) => return Err("an invalid vector of right sizes".to_owned()),
                None => None,
            }
        }
        other => return Err(format!("unknown section [{other}]")),
    };
    Ok(kind)
}
