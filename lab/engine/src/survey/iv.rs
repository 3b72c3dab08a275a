//! Examines the IVs of a CBC implementation. An IV must be unpredictable for every message
//! [SP800-38A, appendix C]. If a library uses a fixed IV, a counter or the last ciphertext block, a
//! listener can see that a message is sent again.
//!
//! The glue passes 16 bytes from the random source to the library. The module sends three messages
//! of equal blocks under one key, before and after a restart, and compares their IVs with the
//! random bytes. A library may send its IV in front of the ciphertext, keep it, or return it
//! elsewhere: where the cipher is right, the IV that was used follows from the ciphertext.

use super::aes::{self, Slip};
use super::line::{Evidence, Finding, Weight};
use crate::agent::Agent;
use crate::error::Result;
use crate::library::Unit;

const BLOCK: usize = 16;

/// The document and section of every finding here.
const APPENDIX: &str = "NIST SP 800-38A (2001), appendix C";

/// Blocks of the message. All are equal, so that missing chaining shows.
const BLOCKS: usize = 3;
const MESSAGE: [u8; BLOCK * BLOCKS] = [0x6d; BLOCK * BLOCKS];

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

/// One message, encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sent {
    /// The bytes from the random source.
    random: [u8; BLOCK],
    /// The IV that was used, if the cipher is right; else the IV that was sent.
    iv: Vec<u8>,
    /// True if the cipher is right with this IV.
    is_right: bool,
    ciphertext: Vec<u8>,
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
    let found = diagnose(&key, &first, &again);
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

/// The findings from the messages before and after the restart.
fn diagnose(key: &[u8], first: &[Sent], again: &[Sent]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let blocks = |sent: &Sent| -> Vec<Vec<u8>> {
        sent.ciphertext
            .chunks(BLOCK)
            .take(BLOCKS)
            .map(<[u8]>::to_vec)
            .collect()
    };
    let (one, two, three) = (&first[0], &first[1], &first[2]);
    let head = |sent: &Sent| sent.ciphertext[..BLOCK].to_vec();

    let chained = blocks(one);
    let is_ecb = chained.windows(2).all(|pair| pair[0] == pair[1]);
    if is_ecb {
        findings.push(finding(
            "ecb-called-cbc",
            "This CBC is really ECB: equal blocks of a message encrypt to equal blocks",
            "CBC must XOR each block with the previous ciphertext block before it encrypts it. This code chains nothing.",
            Some("NIST SP 800-38A (2001), 6.2"),
            shown(key, &[one]),
        ));
    }
    let uses_random = |sent: &Sent| sent.iv == sent.random;
    let repeats = head(one) == head(two);
    if first.iter().chain(again).all(uses_random) {
        if repeats && !is_ecb {
            findings.push(finding(
                "unused-iv",
                "The IV that is sent is not the IV that is used",
                "IVs differ, and yet the same message under the same key gives the same first \
                 block: the IV does not enter the encryption.",
                Some(APPENDIX),
                shown(key, &[one, two]),
            ));
        }
        return findings;
    }
    if one.iv == two.iv {
        let zero = one.iv.iter().all(|&byte| byte == 0);
        let (id, title) = if zero {
            ("zero-iv", "The IV is always zero")
        } else {
            ("fixed-iv", "The IV is fixed")
        };
        findings.push(finding(
            id,
            title,
            "Two messages under one key have the same IV. An eavesdropper sees when a message, or its beginning, is sent again. Draw 16 random bytes for every message.",
            Some(APPENDIX),
            shown(key, &[one, two]),
        ));
        return findings;
    }
    let after = |sent: &Sent| {
        let whole = sent.ciphertext.len() / BLOCK * BLOCK;
        sent.ciphertext[whole - BLOCK..whole].to_vec()
    };
    // The last block of the padded message, or of the message without padding.
    let chained_on = |before: &Sent, next: &Sent| {
        next.iv == after(before) || next.iv == blocks(before)[BLOCKS - 1]
    };
    if chained_on(one, two) && chained_on(two, three) {
        findings.push(finding(
            "chained-iv",
            "The IV is the last block of the previous message",
            "An eavesdropper knows the next IV before the next message is chosen, and can test guesses of its first block. Do not keep the state of one message as the IV of the next.",
            Some(APPENDIX),
            shown(key, &[one, two]),
        ));
        return findings;
    }
    if let Some(step) = counted(&one.iv, &two.iv, &three.iv) {
        findings.push(finding(
            "counter-iv",
            "The IV is a counter",
            &format!(
                "It grows by {step} with every message, so it can be predicted. Encrypt the counter, or draw the IV at random."
            ),
            Some(APPENDIX),
            shown(key, &[one, two, three]),
        ));
        return findings;
    }
    if one.iv == again[0].iv && two.iv == again[1].iv {
        findings.push(finding(
            "repeated-iv",
            "The IVs are the same after every start",
            "They differ from message to message, but every restart gives the same sequence. They come from a generator without a seed, not from the random source.",
            Some(APPENDIX),
            [shown(key, &[one, two]), shown(key, &[&again[0]])].concat(),
        ));
        return findings;
    }
    let drawn: Vec<usize> = (0..BLOCK)
        .filter(|&at| {
            first
                .iter()
                .chain(again)
                .all(|sent| sent.iv[at] == sent.random[at])
        })
        .collect();
    let constant = (0..BLOCK)
        .filter(|at| {
            first
                .iter()
                .chain(again)
                .all(|sent| sent.iv[*at] == one.iv[*at])
        })
        .count();
    if !drawn.is_empty() || constant > 0 {
        findings.push(finding(
            "partly-fixed-iv",
            &format!("Only part of the IV is random: {constant} of {BLOCK} bytes never change"),
            "All 16 bytes must be unpredictable.",
            Some(APPENDIX),
            shown(key, &[one, two]),
        ));
        return findings;
    }
    findings.push(Finding {
        weight: Weight::Gap,
        ..finding(
            "foreign-iv",
            "The lab cannot tell where the IV comes from",
            "It changes with every message and every start, but it is not what the lab's random source gave. The library may draw it elsewhere, from the operating system or the clock, or make it from the random bytes. Read how it does, and whether it can be predicted.",
            Some(APPENDIX),
            shown(key, &[one, two]),
        )
    });
    findings
}

fn finding(
    id: &str,
    title: &str,
    text: &str,
    citation: Option<&str>,
    evidence: Vec<Evidence>,
) -> Finding {
    Finding {
        citation: citation.map(str::to_owned),
        evidence,
        ..Finding::fault(id, title, text)
    }
}

fn shown(key: &[u8], messages: &[&Sent]) -> Vec<Evidence> {
    let mut evidence = vec![
        Evidence::new("key", hex::encode(key)),
        Evidence::new("message", hex::encode(MESSAGE)),
    ];
    for sent in messages {
        evidence.extend([
            Evidence::new("random source gave", hex::encode(sent.random)),
            Evidence::new("IV", hex::encode(&sent.iv)),
            Evidence::new("ciphertext", hex::encode(&sent.ciphertext)),
        ]);
    }
    evidence
}

/// The step by which three IVs grow, as numbers of either byte order. `None` if the two steps
/// differ or are too large.
fn counted(one: &[u8], two: &[u8], three: &[u8]) -> Option<u64> {
    let number = |bytes: &[u8], little: bool| {
        let mut array = [0; BLOCK];
        array.copy_from_slice(bytes.get(..BLOCK)?);
        Some(if little {
            u128::from_le_bytes(array)
        } else {
            u128::from_be_bytes(array)
        })
    };
    [false, true].into_iter().find_map(|little| {
        let (a, b, c) = (
            number(one, little)?,
            number(two, little)?,
            number(three, little)?,
        );
        let step = b.wrapping_sub(a);
        let same = c.wrapping_sub(b) == step;
        // The position of the counter within the IV does not matter.
        let shifted = step.checked_shr(step.trailing_zeros() / 8 * 8)?;
        (same && step != 0 && shifted < 1 << 16).then_some(shifted as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(seed: u8, iv: [u8; BLOCK], first: u8) -> Sent {
        let ciphertext = (0..BLOCK * (BLOCKS + 1))
            .map(|at| (at as u8) ^ first)
            .collect();
        Sent {
            random: [seed; BLOCK],
            iv: iv.to_vec(),
            is_right: false,
            ciphertext,
        }
    }

    fn ids(first: &[Sent], again: &[Sent]) -> Vec<String> {
        let found = diagnose(&[0; 16], first, again);
        found.into_iter().map(|finding| finding.id).collect()
    }

    fn numbered(value: u128) -> [u8; BLOCK] {
        value.to_be_bytes()
    }

    #[test]
    fn what_the_random_source_gave_is_fresh() {
        let run = |base: u8| -> Vec<Sent> {
            (0..3)
                .map(|n| message(base + n, [base + n; BLOCK], base + 9 * n))
                .collect()
        };
        assert!(ids(&run(10), &run(40)).is_empty());
        let mut unused = run(10);
        unused[1].ciphertext = unused[0].ciphertext.clone();
        assert_eq!(ids(&unused, &run(40)), ["unused-iv"]);
    }

    #[test]
    fn each_fault_has_its_name() {
        let of = |ivs: [[u8; BLOCK]; 3], seed: u8| -> Vec<Sent> {
            (0..3)
                .map(|n| message(seed + n as u8, ivs[n], 17 * n as u8))
                .collect()
        };
        let pairs = [
            ("fixed-iv", of([[7; 16]; 3], 1), of([[7; 16]; 3], 9)),
            ("zero-iv", of([[0; 16]; 3], 1), of([[0; 16]; 3], 9)),
            (
                "counter-iv",
                of([numbered(5), numbered(6), numbered(7)], 1),
                of([numbered(5), numbered(6), numbered(7)], 9),
            ),
            (
                "counter-iv",
                of([numbered(5 << 64), numbered(7 << 64), numbered(9 << 64)], 1),
                of([numbered(1), numbered(2), numbered(3)], 9),
            ),
            (
                "repeated-iv",
                of([[3; 16], [90; 16], [14; 16]], 1),
                of([[3; 16], [90; 16], [14; 16]], 9),
            ),
            (
                "foreign-iv",
                of([[3; 16], [90; 16], [14; 16]], 1),
                of([[44; 16], [200; 16], [61; 16]], 9),
            ),
        ];
        for (id, first, again) in pairs {
            assert_eq!(ids(&first, &again), [id]);
        }
        let mut half = of([[1; 16], [2; 16], [3; 16]], 1);
        let mut half_again = of([[9; 16], [10; 16], [11; 16]], 9);
        for sent in half.iter_mut().chain(&mut half_again) {
            sent.iv[8..].fill(0);
        }
        assert_eq!(ids(&half, &half_again), ["partly-fixed-iv"]);
    }

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

    #[test]
    fn a_chain_over_messages_is_seen() {
        let mut first: Vec<Sent> = Vec::new();
        for n in 0..3u8 {
            let iv = first.last().map_or([1; 16], |sent| {
                let mut iv = [0; 16];
                iv.copy_from_slice(&sent.ciphertext[48..]);
                iv
            });
            first.push(message(60 + n, iv, 31 * n));
        }
        assert_eq!(ids(&first, &first.clone()), ["chained-iv"]);
    }

    #[test]
    fn ecb_is_told_from_cbc() {
        let run = |base: u8| -> Vec<Sent> {
            let mut sent: Vec<Sent> = (0..3)
                .map(|n| message(base + n, [base + n; BLOCK], 0))
                .collect();
            for one in &mut sent {
                one.ciphertext = [0xee; BLOCK * 4].to_vec();
            }
            sent
        };
        assert_eq!(ids(&run(1), &run(5)), ["ecb-called-cbc"]);
    }
}
