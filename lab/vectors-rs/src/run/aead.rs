//! Authenticated ciphers: sealing, opening, and refusing altered messages.

use super::session::{Session, Stop, expect, expect_zeros, fail, skip};
use crate::algorithm::Support;
use crate::{Aead, AeadMessage, CallOutput, status};

/// Default tag size of an operation in bytes.
const WHOLE_TAG: usize = 16;

pub(super) fn seal(
    session: &mut Session<'_>,
    aead: Aead,
    message: &AeadMessage,
) -> Result<(), Stop> {
    let sealed = [message.ciphertext.as_slice(), &message.tag].concat();
    session.needs("seal", sealed.len())?;
    session.key(&message.key)?;
    let outcome = call(session, "seal", message, &message.plaintext)?;
    let outcome = taken(aead, message, "seal", outcome)?;
    expect("ciphertext and tag", &sealed, &outcome.output)
}

pub(super) fn open(
    session: &mut Session<'_>,
    aead: Aead,
    message: &AeadMessage,
) -> Result<(), Stop> {
    session.needs("open", 0)?;
    session.key(&message.key)?;
    let outcome = open_once(session, message)?;
    let outcome = taken(aead, message, "open", outcome)?;
    expect("plaintext", &message.plaintext, &outcome.output)?;
    for (part, altered) in message.alterations() {
        let outcome = open_once(session, &altered)?;
        expect_tag_refused(
            &format!("`open` with one bit of the {part} changed"),
            &outcome,
        )?;
    }
    Ok(())
}

pub(super) fn refused(
    session: &mut Session<'_>,
    aead: Aead,
    message: &AeadMessage,
) -> Result<(), Stop> {
    session.needs("open", 0)?;
    session.key(&message.key)?;
    if support(aead, message) != Support::Refused {
        let outcome = open_once(session, message)?;
        let outcome = taken_or_refused(aead, message, outcome)?;
        return expect_tag_refused("`open` of an altered message", &outcome);
    }
    for operation in ["seal", "open"] {
        let outcome = match operation {
            // The sizes are invalid for any content.
            "seal" => call(session, operation, message, &message.ciphertext)?,
            _ => open_once(session, message)?,
        };
        let what = format!(
            "`{operation}` with a nonce of {} and a tag of {} bytes",
            message.nonce.len(),
            message.tag.len()
        );
        if outcome.status == status::OK {
            return Err(fail("a refusal".into(), "status 0".into(), what));
        }
        expect_zeros(&format!("output of {what}"), &outcome.output)?;
    }
    Ok(())
}

fn support(aead: Aead, message: &AeadMessage) -> Support {
    aead.support(message.nonce.len(), message.ad.len(), message.tag.len())
}

fn open_once(session: &mut Session<'_>, message: &AeadMessage) -> Result<CallOutput, Stop> {
    let data = [message.ciphertext.as_slice(), &message.tag].concat();
    call(session, "open", message, &data)
}

fn call(
    session: &mut Session<'_>,
    operation: &str,
    message: &AeadMessage,
    data: &[u8],
) -> Result<CallOutput, Stop> {
    let tag_size = u8::try_from(message.tag.len())
        .map_err(|_| skip(format!("there is no tag of {} bytes", message.tag.len())))?
        .to_be_bytes();
    let mut inputs: Vec<&[u8]> = vec![&message.nonce, &message.ad, data];
    if message.tag.len() != WHOLE_TAG {
        inputs.push(&tag_size);
    }
    session.call(operation, &inputs)
}

/// Skips sizes that the implementation may refuse and does refuse.
fn taken_or_refused(
    aead: Aead,
    message: &AeadMessage,
    outcome: CallOutput,
) -> Result<CallOutput, Stop> {
    let refused = [status::ARGUMENT, status::BAD_SIZE].contains(&outcome.status);
    if refused && support(aead, message) == Support::Optional {
        return Err(skip(format!(
            "it does not take {} bytes of associated data with a tag of {}",
            message.ad.len(),
            message.tag.len()
        )));
    }
    Ok(outcome)
}

/// Like [`taken_or_refused`], but any other refusal is a failure.
fn taken(
    aead: Aead,
    message: &AeadMessage,
    operation: &str,
    outcome: CallOutput,
) -> Result<CallOutput, Stop> {
    let outcome = taken_or_refused(aead, message, outcome)?;
    if outcome.status != status::OK {
        return Err(fail(
            "status 0".into(),
            format!("status {}", outcome.status),
            format!("`{operation}` refused"),
        ));
    }
    Ok(outcome)
}

fn expect_tag_refused(what: &str, outcome: &CallOutput) -> Result<(), Stop> {
    if outcome.status != status::TAG {
        return Err(fail(
            format!("status {}", status::TAG),
            format!("status {}", outcome.status),
            what.to_owned(),
        ));
    }
    expect_zeros(&format!("output of {what}"), &outcome.output)
}
