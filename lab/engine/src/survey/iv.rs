//! Examines the IVs of a CBC implementation. An IV must be unpredictable for every message
//! [SP800-38A, appendix C]. If a library uses a fixed IV, a counter or the last ciphertext block, a
//! listener can see that a message is sent again.
//!
//! The glue passes 16 bytes from the random source to the library. The module sends three messages
//! of equal blocks under one key, before and after a restart, and compares their IVs with the
//! random bytes. A library may send its IV in front of the ciphertext, keep it, or return it
//! elsewhere: where the cipher is right, the IV that was used follows from the ciphertext.

use super::aes::{self, Slip};
use super::line::{Finding, Weight};
use crate::agent::Agent;
use crate::error::Result;
use crate::library::Unit;

mod diagnosis;
mod sent;

use sent::{BLOCK, BLOCKS, MESSAGE, Sent};

/// The answer to the question whether a library's IVs are fresh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FreshIv {
    /// The algorithm is not CBC.
    DoesNotApply,
    /// The library draws each IV from the random source.
    Drawn,
    /// The caller passes the IV, so its freshness is the caller's task.
    OfCaller,
    /// A finding tells.
    Wrong,
    NotTold,
}

/// The IVs of a library, and its cipher.
pub(super) struct Examined {
    pub fresh: FreshIv,
    /// The library uses an IV of its own, and with it, its outputs are CBC: vectors that give the
    /// IV say nothing.
    pub own_iv: bool,
}

/// Encrypts the same message several times, and adds what is wrong with the IVs.
pub(super) fn examine(
    unit: &Unit<'_>,
    start: &mut dyn FnMut() -> Result<Agent>,
    findings: &mut Vec<Finding>,
) -> Result<Examined> {
    let not_told = Examined {
        fresh: FreshIv::NotTold,
        own_iv: false,
    };
    if !unit.offers("encrypt") {
        return Ok(not_told);
    }
    let key: Vec<u8> = (0..unit.algorithm.key_bytes.unwrap_or(16))
        .map(|byte| (byte * 7 + 1) as u8)
        .collect();
    let Some(first) = send(&mut start()?, &key, [0x3c, 0x59, 0xa6])? else {
        return Ok(not_told); // it refuses: the vectors say so
    };
    // Use other random bytes after the restart: IVs that stay the same were not random.
    let Some(again) = send(&mut start()?, &key, [0x91, 0xe2, 0x77])? else {
        return Ok(not_told);
    };
    let found = diagnosis::diagnose(&key, &first, &again);
    let all = || first.iter().chain(&again);
    // Where a guessed call gives no CBC of the message, what stands in place of the IV says nothing.
    let is_certain = all().all(|sent| sent.is_right || is_ecb_of(&key, &sent.ciphertext));
    if unit.implementation.unproven && !is_certain {
        return Ok(not_told);
    }
    let is_given = all().all(|sent| sent.iv == sent.random);
    let fresh = match (found.first().map(|finding| finding.weight), is_given) {
        (Some(Weight::Gap), _) => FreshIv::NotTold,
        (Some(_), _) => FreshIv::Wrong,
        (None, _) if unit.implementation.draws_iv => FreshIv::Drawn,
        (None, _) => FreshIv::OfCaller,
    };
    let own_iv = !is_given && all().all(|sent| sent.is_right);
    findings.extend(found);
    Ok(Examined { fresh, own_iv })
}

/// Sends three messages under one key. `None` if the library refuses, or if its output is too short
/// for an IV and the message.
fn send(agent: &mut Agent, key: &[u8], seeds: [u8; 3]) -> Result<Option<Vec<Sent>>> {
    if agent.run("key-setup", 1, false, &[key])?.reply.status != 0 {
        return Ok(None);
    }
    let mut sent = Vec::new();
    for seed in seeds {
        let mut random = [0; BLOCK];
        for (at, byte) in random.iter_mut().enumerate() {
            *byte = seed.wrapping_mul(at as u8 * 2 + 3) ^ (at as u8).rotate_left(3);
        }
        let reply = agent.run("encrypt", 1, false, &[&random, &MESSAGE])?.reply;
        if reply.status != 0 || reply.output.len() < BLOCK * (1 + BLOCKS) {
            return Ok(None);
        }
        let (iv, ciphertext) = reply.output.split_at(BLOCK);
        let used = used_iv(key, ciphertext);
        // ECB may have an IV in front, too.
        let (iv, ciphertext) = match ciphertext.split_at_checked(BLOCK) {
            Some((front, rest)) if is_ecb_of(key, rest) && !is_ecb_of(key, ciphertext) => {
                (front, rest)
            }
            _ => (iv, ciphertext),
        };
        sent.push(Sent {
            random,
            is_right: used.is_some(),
            iv: used.as_ref().map_or(iv, |(iv, _)| iv).to_vec(),
            ciphertext: used.map_or(ciphertext, |(_, rest)| rest).to_vec(),
        });
    }
    Ok(Some(sent))
}

/// The IV with which a ciphertext is that of the message in CBC, and the ciphertext from its first
/// block on. The library may have put an IV in front. `None` if there is none: the cipher is wrong,
/// or it is not AES.
fn used_iv<'c>(key: &[u8], output: &'c [u8]) -> Option<(Vec<u8>, &'c [u8])> {
    let xor = |a: &[u8], b: &[u8]| -> aes::Block { std::array::from_fn(|at| a[at] ^ b[at]) };
    // With an IV in front, the blocks chain from the IV on, too.
    [BLOCK, 0].into_iter().find_map(|at| {
        let ciphertext = output
            .get(at..)
            .filter(|rest| rest.len() >= MESSAGE.len())?;
        let block = |number: usize| &ciphertext[BLOCK * number..][..BLOCK];
        let chains = (1..BLOCKS).all(|number| {
            let input = xor(&MESSAGE[BLOCK * number..], block(number - 1));
            let right = aes::encrypt(key, input, Slip::None);
            right.is_some_and(|right| right == block(number))
        });
        let first = aes::decrypt(key, block(0).try_into().ok()?)?;
        chains.then(|| (xor(&first, &MESSAGE).to_vec(), ciphertext))
    })
}

/// True if the output is the message's blocks in ECB.
fn is_ecb_of(key: &[u8], ciphertext: &[u8]) -> bool {
    let block: aes::Block = [MESSAGE[0]; BLOCK];
    let right = aes::encrypt(key, block, Slip::None);
    let mut blocks = ciphertext.chunks(BLOCK).take(BLOCKS);
    ciphertext.len() >= MESSAGE.len() && right.is_some_and(|right| blocks.all(|one| one == right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_iv_that_was_used_follows_from_the_ciphertext() {
        let (key, iv) = ([7; 24], [0xd1; BLOCK]);
        let mut chain: aes::Block = iv;
        let mut ciphertext = Vec::new();
        for block in MESSAGE.chunks(BLOCK) {
            let input = std::array::from_fn(|at| block[at] ^ chain[at]);
            chain = aes::encrypt(&key, input, Slip::None).expect("AES");
            ciphertext.extend(chain);
        }
        let expected = Some((iv.to_vec(), &ciphertext[..]));
        assert_eq!(used_iv(&key, &ciphertext), expected);
        // Some libraries put the IV in front of the ciphertext.
        let in_front = [&iv[..], &ciphertext].concat();
        assert_eq!(used_iv(&key, &in_front), expected);
        ciphertext[20] ^= 1;
        assert_eq!(used_iv(&key, &ciphertext), None);
    }
}
