//! Signatures with large keys: a section for each task and key.

use super::sections::{Vector, vectors};
use super::source::SourceText;
use crate::{Algorithm, Case, CaseKind, Error, Interface, LargeKey, LargeSignature};

/// Most bytes of a context [FIPS204, 5.2].
const CONTEXT: usize = 255;

pub(super) fn cases(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Vec<Case>, Error> {
    let Interface::LargeSignature(sizes) = algorithm.interface() else {
        return Err(place.mismatch(algorithm));
    };
    let mut cases = Vec::new();
    for vector in vectors(place)? {
        let line = vector.line;
        let name = place.name();
        let id = format!("{name}:{} {}", vector.section, vector.count);
        let of_result = if vector.valid { "" } else { " refused" };
        // Of what must be accepted, the task is the kind; of what must be refused, the fault.
        let of_flags = if vector.valid { "" } else { &vector.flags };
        let class = format!("{name} {}{of_result} {of_flags}", vector.section);
        let kind = kind(sizes, vector).map_err(|message| place.error(line, message))?;
        cases.push(Case::new(algorithm, id, class, kind));
    }
    Ok(cases)
}

fn kind(sizes: LargeSignature, mut vector: Vector) -> Result<CaseKind, String> {
    let section = std::mem::take(&mut vector.section);
    if !vector.valid && section != "verify" {
        return Err(format!("an invalid vector in [{section}]"));
    }
    let public = vector.sized("pk", sizes.public_bytes)?;
    if section == "keyGen" {
        return Ok(CaseKind::LargeKeyPair {
            seed: vector.sized("seed", sizes.seed_bytes)?,
            private: vector.sized("sk", sizes.private_bytes)?,
            public,
        });
    }
    let message = (vector.fields.remove("msg")).ok_or("the vector has no msg")?;
    let context = vector.optional("ctx");
    if context.len() > CONTEXT {
        return Err(format!("ctx has {} bytes", context.len()));
    }
    let signature = (vector.fields.remove("sig")).ok_or("the vector has no sig")?;
    if signature.len() > sizes.signature_bytes {
        return Err(format!("sig has {} bytes", signature.len()));
    }
    let key = match section.as_str() {
        "verify" => {
            return Ok(CaseKind::LargeVerify {
                public,
                message,
                context,
                signature,
                valid: vector.valid,
            });
        }
        "sign" => LargeKey::Private(vector.sized("sk", sizes.private_bytes)?),
        "seed" => LargeKey::Seed(vector.sized("seed", sizes.seed_bytes)?),
        other => return Err(format!("unknown section [{other}]")),
    };
    let random = match vector.fields.contains_key("rnd") {
        true => vector.sized("rnd", sizes.random_bytes)?,
        // The deterministic variant [FIPS204, 3.4].
        false => vec![0; sizes.random_bytes],
    };
    Ok(CaseKind::LargeSign {
        key,
        public,
        message,
        context,
        random,
        signature,
    })
}
