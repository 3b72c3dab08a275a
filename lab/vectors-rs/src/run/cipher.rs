//! Block ciphers, ECB and CTR.

use super::session::{Session, Stop, block, expect, next_key, skip};
use crate::Direction;
use crate::case::MONTE_CARLO_STEPS;

/// Whole blocks, at most `limit` per call.
pub(super) fn blocks(
    session: &mut Session<'_>,
    direction: Direction,
    key: &[u8],
    input: &[u8],
    output: &[u8],
    limit: usize,
) -> Result<(), Stop> {
    let operation = direction.operation();
    session.needs(operation, 16)?;
    session.key(key)?;
    let bytes = 16 * (session.io_bytes() / 16).min(limit);
    for (index, (input, expected)) in input.chunks(bytes).zip(output.chunks(bytes)).enumerate() {
        let got = session.output(operation, &[input], input.len())?;
        expect(
            &format!("`{operation}` from byte {}", index * bytes),
            expected,
            &got,
        )?;
    }
    Ok(())
}

/// [AESAVS, 6.4.1]: each output is the next input.
pub(super) fn monte_carlo(
    session: &mut Session<'_>,
    direction: Direction,
    key: &[u8],
    input: &[u8; 16],
    output: &[u8; 16],
    key_after: Option<&[u8]>,
) -> Result<(), Stop> {
    let operation = direction.operation();
    session.needs(operation, 16)?;
    session.key(key)?;
    let (mut last_but_one, mut last) = ([0; 16], *input);
    for _ in 0..MONTE_CARLO_STEPS {
        let next = session.output(operation, &[&last], 16)?;
        (last_but_one, last) = (last, block(&next));
    }
    expect("after 1,000 steps", output, &last)?;
    match key_after {
        Some(expected) => expect(
            "key of the next checkpoint",
            expected,
            &next_key(key, &last_but_one, &last),
        ),
        None => Ok(()),
    }
}

/// CTR, in pieces of whole blocks if the message is larger than the buffers.
pub(super) fn ctr(
    session: &mut Session<'_>,
    direction: Direction,
    key: &[u8],
    counter: &[u8; 16],
    input: &[u8],
    output: &[u8],
) -> Result<(), Stop> {
    let operation = direction.operation();
    session.needs(operation, 0)?;
    let bytes = session.io_bytes().saturating_sub(16) / 16 * 16;
    if bytes == 0 {
        return Err(skip(format!(
            "`{operation}` needs buffers of 32 bytes; there are {}",
            session.io_bytes()
        )));
    }
    session.key(key)?;
    let mut counter = u128::from_be_bytes(*counter);
    for (index, (input, expected)) in input.chunks(bytes).zip(output.chunks(bytes)).enumerate() {
        let got = session.output(operation, &[&counter.to_be_bytes(), input], input.len())?;
        expect(
            &format!("`{operation}` from byte {}", index * bytes),
            expected,
            &got,
        )?;
        counter = counter.wrapping_add((bytes / 16) as u128);
    }
    Ok(())
}
