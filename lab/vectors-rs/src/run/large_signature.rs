//! Signatures with large keys. The implementation keeps the keys and the signature.

use super::parts::{Part, fetch, load, two};
use super::session::{Session, Stop, expect, fail};
use crate::{LargeKey, status};

/// Bytes of the output of `sign`: the size of the signature, and the number of random bytes that it
/// took.
const SIGNED: usize = 3;

/// The inputs of a signature.
pub(super) struct Signing<'a> {
    pub key: &'a LargeKey,
    pub public: &'a [u8],
    pub message: &'a [u8],
    pub context: &'a [u8],
    pub random: &'a [u8],
}

pub(super) fn sign(
    session: &mut Session<'_>,
    signing: &Signing<'_>,
    signature: &[u8],
) -> Result<(), Stop> {
    session.needs("sign", SIGNED)?;
    match signing.key {
        LargeKey::Private(private) => {
            load(session, Part::Private, private)?;
            load(session, Part::Public, signing.public)?;
        }
        LargeKey::Seed(seed) => {
            session.output("keygen", &[seed], 0)?;
            let got = fetch(session, Part::Public, signing.public.len())?;
            expect("public key", signing.public, &got)?;
        }
    }
    let (first, drawn) = made(session, signing)?;
    // The vector's random bytes decide about a signer that takes them, and about one that takes none
    // and is deterministic. Another number of random bytes is another way to randomise.
    let decides = match drawn {
        0 if signing.random.iter().any(|byte| *byte != 0) => false,
        0 => first == signature || made(session, signing)?.0 == first,
        drawn => drawn == signing.random.len(),
    };
    if decides {
        expect("signature", signature, &first)?;
    }
    verdict(
        session,
        [signing.message, signing.context],
        first.len(),
        true,
    )
}

/// The signature, and the number of random bytes that it took.
fn made(session: &mut Session<'_>, signing: &Signing<'_>) -> Result<(Vec<u8>, usize), Stop> {
    let inputs = [signing.message, signing.context, signing.random];
    let signed = session.output("sign", &inputs, SIGNED)?;
    let [high, low, drawn] = [0, 1, 2].map(|index| signed.get(index).copied().unwrap_or(0));
    let size = usize::from(u16::from_be_bytes([high, low]));
    Ok((fetch(session, Part::Made, size)?, usize::from(drawn)))
}

/// `inputs` are message and context.
pub(super) fn verify(
    session: &mut Session<'_>,
    public: &[u8],
    inputs: [&[u8]; 2],
    signature: &[u8],
    valid: bool,
) -> Result<(), Stop> {
    session.needs("verify", 0)?;
    load(session, Part::Public, public)?;
    load(session, Part::Made, signature)?;
    verdict(session, inputs, signature.len(), valid)
}

/// Verifies the signature that the implementation keeps.
fn verdict(
    session: &mut Session<'_>,
    [message, context]: [&[u8]; 2],
    size: usize,
    valid: bool,
) -> Result<(), Stop> {
    if !session.has("verify") {
        return Ok(());
    }
    let outcome = session.call("verify", &[message, context, &two(size)?])?;
    if (outcome.status == status::OK) == valid {
        return Ok(());
    }
    let (expected, detail) = match valid {
        true => ("status 0", "a valid signature"),
        false => ("a refusal", "a signature that is not valid"),
    };
    Err(fail(
        expected.into(),
        format!("status {}", outcome.status),
        detail.into(),
    ))
}
