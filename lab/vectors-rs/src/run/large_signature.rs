//! Signatures with large keys. The implementation keeps the keys and the signature.

use super::parts::{Part, fetch, load, place};
use super::session::{Session, Stop, expect, fail};
use crate::{LargeKey, status};

/// Bytes of the output of `sign` after the size of the signature: the number of random bytes that it took.
const DRAWN: usize = 1;

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
    session.needs("sign", place(signature.len()).len() + DRAWN)?;
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
    let width = place(signature.len()).len();
    let (first, drawn) = made(session, signing, width)?;
    // The vector's random bytes decide about a signer that takes them, and about one that takes none
    // and is deterministic. Another number of random bytes is another way to randomise.
    let decides = match drawn {
        0 if signing.random.iter().any(|byte| *byte != 0) => false,
        0 => first == signature || made(session, signing, width)?.0 == first,
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

/// The signature, and the number of random bytes that it took. Its size is told in `width` bytes.
fn made(
    session: &mut Session<'_>,
    signing: &Signing<'_>,
    width: usize,
) -> Result<(Vec<u8>, usize), Stop> {
    let inputs = [signing.message, signing.context, signing.random];
    let signed = session.output("sign", &inputs, width + DRAWN)?;
    let (size, drawn) = signed.split_at(width);
    let size = size
        .iter()
        .fold(0, |size, byte| size << 8 | usize::from(*byte));
    let drawn = drawn.first().copied().unwrap_or(0);
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
    let outcome = session.call("verify", &[message, context, &place(size)])?;
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
