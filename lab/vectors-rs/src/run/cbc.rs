//! CBC, with operations that always pad and always draw the IV.
//!
//! NIST's vectors have no padding and a given IV. Encryption still reproduces them: the "random"
//! bytes are the vector's IV, and the block of padding is dropped. Decryption needs a ciphertext
//! with valid padding at its end. The block that provides it is E(last ^ 10..10), where `last`
//! is the ciphertext's last block. Encrypting the empty message with `last` as the drawn IV
//! gives this block.
//!
//! A message larger than the buffers is cut into pieces, each chained to the one before.

use super::session::{Session, Stop, block, expect, expect_zeros, fail, next_key, skip};
use crate::case::MONTE_CARLO_STEPS;
use crate::{CallOutput, CbcNext, Direction, status};

pub(super) fn unpadded(
    session: &mut Session<'_>,
    direction: Direction,
    key: &[u8],
    iv: &[u8; 16],
    input: &[u8],
    output: &[u8],
) -> Result<(), Stop> {
    session.needs(direction.operation(), 0)?;
    session.key(key)?;
    let got = match direction {
        Direction::Encrypt => {
            let mut got = encrypt(session, iv, input)?;
            got.truncate(input.len());
            got
        }
        Direction::Decrypt => decrypt_blocks(session, iv, input)?,
    };
    expect(direction.operation(), output, &got)
}

pub(super) fn padded(
    session: &mut Session<'_>,
    direction: Direction,
    key: &[u8],
    iv: &[u8; 16],
    input: &[u8],
    output: &[u8],
) -> Result<(), Stop> {
    session.needs(direction.operation(), 0)?;
    session.key(key)?;
    let got = match direction {
        Direction::Encrypt => encrypt(session, iv, input)?,
        Direction::Decrypt => {
            let outcome = decrypt(session, iv, input)?;
            if outcome.status != status::OK {
                return Err(fail(
                    "status 0".into(),
                    format!("status {}", outcome.status),
                    "`decrypt` refused".into(),
                ));
            }
            outcome.output
        }
    };
    expect(direction.operation(), output, &got)
}

pub(super) fn refused(
    session: &mut Session<'_>,
    key: &[u8],
    iv: &[u8; 16],
    ciphertext: &[u8],
) -> Result<(), Stop> {
    session.needs("decrypt", 0)?;
    session.key(key)?;
    let outcome = decrypt(session, iv, ciphertext)?;
    let whole_blocks = !ciphertext.is_empty() && ciphertext.len().is_multiple_of(16);
    let refused = if whole_blocks {
        outcome.status == status::PADDING
    } else {
        outcome.status != status::OK
    };
    if !refused {
        let expected = if whole_blocks {
            format!("status {}", status::PADDING)
        } else {
            "a refusal".into()
        };
        return Err(fail(
            expected,
            format!("status {}", outcome.status),
            "`decrypt` of a malformed ciphertext".into(),
        ));
    }
    expect_zeros("output of a refused `decrypt`", &outcome.output)
}

/// [AESAVS, 6.4.2]: the second input is the IV, and every later input is the output before the
/// last; the ciphertext side chains.
pub(super) fn monte_carlo(
    session: &mut Session<'_>,
    direction: Direction,
    key: &[u8],
    iv: &[u8; 16],
    input: &[u8; 16],
    output: &[u8; 16],
    after: Option<&CbcNext>,
) -> Result<(), Stop> {
    session.needs(direction.operation(), 0)?;
    session.key(key)?;
    let mut chain = *iv;
    let mut input = *input;
    // The input of step j + 1 is the output of step j - 1; before the first, it is the IV.
    let (mut last_but_one, mut last) = ([0; 16], *iv);
    for _ in 0..MONTE_CARLO_STEPS {
        let got = match direction {
            Direction::Encrypt => block(&encrypt(session, &chain, &input)?),
            Direction::Decrypt => block(&decrypt_blocks(session, &chain, &input)?),
        };
        chain = match direction {
            Direction::Encrypt => got,
            Direction::Decrypt => input,
        };
        input = last;
        (last_but_one, last) = (last, got);
    }
    expect("after 1,000 steps", output, &last)?;
    if let Some(next) = after {
        expect(
            "key of the next checkpoint",
            &next.key,
            &next_key(key, &last_but_one, &last),
        )?;
        expect("IV of the next checkpoint", &next.iv, &last)?;
        expect("input of the next checkpoint", &next.input, &last_but_one)?;
    }
    Ok(())
}

/// [SP800-38A, appendix C]: the IV is the drawn one, and the first ciphertext block depends on
/// it. Any key will do.
pub(super) fn iv(
    session: &mut Session<'_>,
    key_bytes: usize,
    first: &[u8; 16],
    second: &[u8; 16],
    message: &[u8],
) -> Result<(), Stop> {
    let bytes = 16 + (message.len() / 16 + 1) * 16;
    session.needs("encrypt", bytes)?;
    let key: Vec<u8> = (1..=key_bytes).map(|byte| byte as u8).collect();
    session.key(&key)?;
    let one = session.output("encrypt", &[first, message], bytes)?;
    let two = session.output("encrypt", &[second, message], bytes)?;
    expect("IV of the first message", first, &one[..16])?;
    expect("IV of the second message", second, &two[..16])?;
    if one[16..32] == two[16..32] {
        return Err(fail(
            "two different blocks".into(),
            hex::encode(&one[16..32]),
            "first ciphertext block of one message under two IVs".into(),
        ));
    }
    Ok(())
}

/// Encrypts a message and checks the IV. Returns the padded ciphertext without the IV.
fn encrypt(session: &mut Session<'_>, iv: &[u8; 16], message: &[u8]) -> Result<Vec<u8>, Stop> {
    // The output holds the IV, the piece and the block of padding.
    let piece = session.io_bytes().saturating_sub(32) / 16 * 16;
    if piece == 0 {
        return Err(skip(format!(
            "`encrypt` needs buffers of 48 bytes; there are {}",
            session.io_bytes()
        )));
    }
    let mut ciphertext = Vec::new();
    let mut chain = *iv;
    let mut rest = message;
    loop {
        let is_last = rest.len() <= piece;
        let (now, later) = rest.split_at(rest.len().min(piece));
        let mut got = session.output("encrypt", &[&chain, now], 16 + (now.len() / 16 + 1) * 16)?;
        expect("IV", &chain, &got[..16])?;
        if is_last {
            ciphertext.extend_from_slice(&got[16..]);
            return Ok(ciphertext);
        }
        got.truncate(16 + now.len());
        chain = block(&got[now.len()..]);
        ciphertext.extend_from_slice(&got[16..]);
        rest = later;
    }
}

/// Decrypts whole blocks without padding.
fn decrypt_blocks(
    session: &mut Session<'_>,
    iv: &[u8; 16],
    ciphertext: &[u8],
) -> Result<Vec<u8>, Stop> {
    // The input holds the IV, the piece and the block of padding.
    let piece = session.io_bytes().saturating_sub(32) / 16 * 16;
    if piece == 0 {
        return Err(skip(format!(
            "`decrypt` needs buffers of 48 bytes; there are {}",
            session.io_bytes()
        )));
    }
    let mut message = Vec::new();
    let mut chain = *iv;
    for now in ciphertext.chunks(piece) {
        let last = block(&now[now.len().saturating_sub(16)..]);
        let padding = session.output("encrypt", &[&last, &[]], 32)?;
        let input = [&chain, now, &padding[16..]].concat();
        message.extend(session.output("decrypt", &[&input], now.len())?);
        chain = last;
    }
    Ok(message)
}

/// Decrypts a padded ciphertext. The last piece keeps its own padding; the pieces before it are
/// decrypted as blocks.
fn decrypt(
    session: &mut Session<'_>,
    iv: &[u8; 16],
    ciphertext: &[u8],
) -> Result<CallOutput, Stop> {
    let piece = session.io_bytes().saturating_sub(16) / 16 * 16;
    if ciphertext.len() <= piece {
        return session.call("decrypt", &[&[iv.as_slice(), ciphertext].concat()]);
    }
    if piece == 0 {
        return Err(skip(format!(
            "`decrypt` needs buffers of 32 bytes; there are {}",
            session.io_bytes()
        )));
    }
    let (first, last) = ciphertext.split_at((ciphertext.len() - 1) / piece * piece);
    let mut message = decrypt_blocks(session, iv, first)?;
    let chain = block(&first[first.len() - 16..]);
    let mut outcome = session.call("decrypt", &[&[chain.as_slice(), last].concat()])?;
    if outcome.status == status::OK {
        message.extend(outcome.output);
        outcome.output = message;
    }
    Ok(outcome)
}
