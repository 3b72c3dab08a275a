//! Hashes and HMAC: in one call if the message fits the buffers, and in pieces.

use super::session::{Session, Stop, expect, fail, skip};
use crate::case::MONTE_CARLO_STEPS;
use crate::{Hash, status};

/// Sizes of the pieces in turn, besides the largest possible. They are close to the block sizes
/// of the hashes, to cover every way of filling a partial block.
const PIECES: [usize; 7] = [1, 63, 64, 65, 127, 72, 136];

pub(super) fn hash(
    session: &mut Session<'_>,
    hash: Hash,
    message: &[u8],
    repeat: usize,
    digest: &[u8],
) -> Result<(), Stop> {
    let message = message.repeat(repeat);
    check(session, "hash", &[], hash, &message, |what, got| {
        expect(what, digest, got)
    })
}

pub(super) fn mac(
    session: &mut Session<'_>,
    hash: Hash,
    key: &[u8],
    message: &[u8],
    tag: &[u8],
    valid: bool,
) -> Result<(), Stop> {
    check(session, "mac", &[key], hash, message, |what, got| {
        let got = &got[..tag.len().min(got.len())];
        if valid {
            return expect(what, tag, got);
        }
        if got == tag {
            return Err(fail(
                "another tag".into(),
                hex::encode(got),
                format!("{what}: an altered tag"),
            ));
        }
        Ok(())
    })
}

/// [SHAVS, 6.4]: each message is the last three digests. [SHA3VS, 6.2.3]: the last digest.
pub(super) fn monte_carlo(
    session: &mut Session<'_>,
    hash: Hash,
    seed: &[u8],
    digest: &[u8],
) -> Result<(), Stop> {
    let mut last = [seed.to_vec(), seed.to_vec(), seed.to_vec()];
    for _ in 0..MONTE_CARLO_STEPS {
        let message = if hash.is_sha3() {
            last[2].clone()
        } else {
            last.concat()
        };
        let next = if fits(session, "hash", message.len()) {
            session.output("hash", &[&message], hash.digest_bytes())?
        } else {
            in_pieces(session, "hash", &[], hash, &message)?
        };
        last.rotate_left(1);
        last[2] = next;
    }
    expect("after 1,000 steps", digest, &last[2])
}

/// True if the one-call operation exists and takes that many bytes.
fn fits(session: &Session<'_>, operation: &str, bytes: usize) -> bool {
    session.has(operation) && bytes <= session.io_bytes()
}

/// Runs the operation in one call if the message fits. It also runs in pieces if the message
/// does not fit, or if it is longer than a block.
fn check(
    session: &mut Session<'_>,
    operation: &str,
    key: &[&[u8]],
    hash: Hash,
    message: &[u8],
    compare: impl Fn(&str, &[u8]) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let key_bytes: usize = key.iter().map(|key| key.len()).sum();
    let at_once = fits(session, operation, key_bytes + message.len());
    if at_once {
        let inputs = [key, &[message]].concat();
        let got = session.output(operation, &inputs, hash.digest_bytes())?;
        compare("at once", &got)?;
    }
    let streams = session.has("start") && session.has("update") && session.has("finish");
    if !at_once || (streams && message.len() > hash.block_bytes()) {
        let got = in_pieces(session, operation, key, hash, message)?;
        compare("in pieces", &got)?;
    }
    Ok(())
}

fn in_pieces(
    session: &mut Session<'_>,
    operation: &str,
    key: &[&[u8]],
    hash: Hash,
    message: &[u8],
) -> Result<Vec<u8>, Stop> {
    let largest = session.io_bytes();
    if !(session.has("start") && session.has("update") && session.has("finish")) || largest == 0 {
        return Err(skip(format!(
            "`{operation}` needs buffers of {} bytes; there are {largest}, and no `start`, `update`, `finish`",
            message.len() + key.iter().map(|key| key.len()).sum::<usize>(),
        )));
    }
    step(session, "start", key)?;
    let mut rest = message;
    let mut sizes = std::iter::once(largest).chain(PIECES).cycle();
    while !rest.is_empty() {
        let size = sizes.next().unwrap_or(largest).min(largest).min(rest.len());
        let (now, later) = rest.split_at(size);
        step(session, "update", &[now])?;
        rest = later;
    }
    session.output("finish", &[], hash.digest_bytes())
}

fn step(session: &mut Session<'_>, operation: &str, inputs: &[&[u8]]) -> Result<(), Stop> {
    let outcome = session.call(operation, inputs)?;
    if outcome.status != status::OK {
        return Err(fail(
            "status 0".into(),
            format!("status {}", outcome.status),
            format!("`{operation}` refused"),
        ));
    }
    Ok(())
}
