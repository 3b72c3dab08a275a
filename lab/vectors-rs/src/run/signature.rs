//! Signatures.

use super::session::{Session, Stop, expect, fail};
use crate::status;

/// Random bytes for a signer that needs them; any bytes will do here.
const RANDOM: [u8; 32] = *b"random bytes, the same each time";

/// `inputs` are secret, public key and message.
pub(super) fn sign(
    session: &mut Session<'_>,
    inputs: [&[u8]; 3],
    signature: &[u8],
    random: bool,
) -> Result<(), Stop> {
    let [secret, public, message] = inputs;
    let inputs = [secret, public, message, &RANDOM];
    let got = session.output("sign", &inputs, signature.len())?;
    if !random || got == signature || !session.has("verify") {
        return expect("signature", signature, &got);
    }
    verify(session, [public, message, &got], true)
}

/// `inputs` are public key, message and signature.
pub(super) fn verify(
    session: &mut Session<'_>,
    inputs: [&[u8]; 3],
    valid: bool,
) -> Result<(), Stop> {
    let outcome = session.call("verify", &inputs)?;
    if (outcome.status == status::OK) == valid {
        return Ok(());
    }
    let (expected, detail) = if valid {
        ("status 0", "a valid signature")
    } else {
        ("a refusal", "a signature that is not valid")
    };
    Err(fail(
        expected.into(),
        format!("status {}", outcome.status),
        detail.into(),
    ))
}
