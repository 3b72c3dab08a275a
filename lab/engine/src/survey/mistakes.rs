//! Finds the mistake behind a wrong cipher. Vectors only show that an output is wrong. This module
//! tries typical mistakes of AES implementers, one after another, in its own AES. It reports the
//! mistake that gives exactly the library's outputs. If none does, it reports nothing: a guess is
//! not a finding.

mod known;

use super::aes::{Block, Slip, encrypt, s_box};
use super::line::{Evidence, Finding};
use crate::agent::Agent;
use crate::error::Result;
use crate::interface::Interface;
use crate::library::Unit;
use known::{MISTAKES, Part};

/// The finding that a cipher gives back what it is given.
const NOTHING: &str = "does-nothing";

/// Blocks that are encrypted under each key.
const BLOCKS_A_KEY: u8 = 8;

/// Calls the cipher with three keys. Adds the finding that explains all its outputs, if
/// there is one.
pub(super) fn explain(
    unit: &Unit<'_>,
    start: &mut dyn FnMut() -> Result<Agent>,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    let Some(key_bytes) = unit.algorithm.key_bytes else {
        return Ok(());
    };
    let mut agent = start()?;
    let mut seen = Vec::new();
    for seed in [1u8, 77, 201] {
        let key: Vec<u8> = (0..key_bytes as usize)
            .map(|at| seed.wrapping_mul(at as u8 * 6 + 5) ^ at as u8)
            .collect();
        // A wrong entry of the S-box shows in half of the blocks.
        for number in 0..BLOCKS_A_KEY {
            let mut block = [number; 16];
            for (at, byte) in block.iter_mut().enumerate() {
                *byte ^= seed.wrapping_add(at as u8).wrapping_mul(29);
            }
            let Some(got) = one_block(unit, &mut agent, &key, block)? else {
                return Ok(());
            };
            seen.push((key.clone(), block, got));
        }
    }
    // Calls that were guessed and change nothing were refused: the library may want others first.
    let refused = |finding: &Finding| unit.implementation.unproven && finding.id == NOTHING;
    findings.extend(diagnose(&seen).filter(|finding| !refused(finding)));
    Ok(())
}

/// Encrypts one block with the library. `None` if the interface has no such call, or if the library
/// refuses.
fn one_block(
    unit: &Unit<'_>,
    agent: &mut Agent,
    key: &[u8],
    block: Block,
) -> Result<Option<Block>> {
    let zeros = [0u8; 16];
    let inputs: Vec<&[u8]> = match unit.algorithm.interface {
        Interface::BlockCipher | Interface::ModeEcb => vec![&block],
        Interface::ModeCbc => vec![&zeros, &block],
        Interface::ModeCtr => vec![&block, &zeros],
        _ => return Ok(None),
    };
    if !unit.offers("encrypt") || agent.run("key-setup", 1, false, &[key])?.reply.status != 0 {
        return Ok(None);
    }
    let reply = agent.run("encrypt", 1, false, &inputs)?.reply;
    let (from, chained) = match unit.algorithm.interface {
        // The encrypted block is the message's block XORed with the IV.
        Interface::ModeCbc => (16, reply.output.get(..16).is_some_and(|iv| *iv == zeros)),
        _ => (0, true),
    };
    let got = reply
        .output
        .get(from..from + 16)
        .filter(|_| chained && reply.status == 0);
    Ok(got.and_then(|bytes| bytes.try_into().ok()))
}

fn diagnose(seen: &[(Vec<u8>, Block, Block)]) -> Option<Finding> {
    let (key, block, got) = seen.first()?;
    let evidence = |expected: Option<Block>| {
        let mut evidence = vec![
            Evidence::new("key", hex::encode(key)),
            Evidence::new("block", hex::encode(block)),
        ];
        evidence.extend(expected.map(|block| Evidence::new("expected", hex::encode(block))));
        evidence.push(Evidence::new("got", hex::encode(got)));
        evidence
    };
    if seen.iter().all(|(_, block, got)| block == got) {
        return Some(Finding {
            evidence: evidence(None),
            ..Finding::fault(
                NOTHING,
                "The output equals the input: nothing is encrypted",
                "If the library encrypts in place, the glue must copy the block to the output first.",
            )
        });
    }
    // The outputs are correct AES: the fault is elsewhere, or the cipher is another one.
    let standard = |key: &[u8], block| encrypt(key, block, Slip::None);
    if seen
        .iter()
        .all(|(key, block, got)| standard(key, *block) == Some(*got))
    {
        return None;
    }
    let explains = |mistake: &&known::Mistake| {
        seen.iter().all(|(key, block, got)| {
            if mistake.slip == Slip::SwappedDirection {
                return standard(key, *got) == Some(*block);
            }
            encrypt(key, *block, mistake.slip) == Some(*got)
        })
    };
    let Some(mistake) = MISTAKES.iter().find(explains) else {
        return wrong_entry(seen);
    };
    let (id, part) = match mistake.part {
        Part::KeySchedule => ("wrong-key-schedule", "The key schedule is wrong"),
        Part::Rounds => ("wrong-rounds", "The rounds are wrong"),
        Part::Call => ("wrong-order", "Bytes or functions are swapped"),
    };
    Some(Finding {
        citation: Some(format!("FIPS 197 (2001), {}", mistake.section)),
        evidence: evidence(standard(key, *block)),
        ..Finding::fault(
            id,
            format!("{part}: {}", mistake.words),
            format!(
                "An AES with only this mistake gives the same outputs as the library, for {} blocks.",
                seen.len()
            ),
        )
    })
}

/// The finding if one wrong entry of the S-box explains all outputs.
fn wrong_entry(seen: &[(Vec<u8>, Block, Block)]) -> Option<Finding> {
    let standard = |key: &[u8], block| encrypt(key, block, Slip::None);
    // A wrong entry changes the blocks that look it up, and no others.
    let is_looked_up = |at: &u8| {
        let value = s_box()[usize::from(*at)] ^ 1;
        let slip = Slip::WrongEntry { at: *at, value };
        seen.iter().all(|(key, block, got)| {
            let right = standard(key, *block);
            (encrypt(key, *block, slip) != right) == (Some(*got) != right)
        })
    };
    let explains = |at: u8| {
        let value = (0..=255).find(|&value| {
            let slip = Slip::WrongEntry { at, value };
            let alike = |(key, block, got): &(Vec<u8>, Block, Block)| {
                encrypt(key, *block, slip) == Some(*got)
            };
            seen.iter().all(alike)
        })?;
        Some((at, value))
    };
    let (at, value) = (0..=255).filter(is_looked_up).find_map(explains)?;
    let right = s_box()[usize::from(at)];
    let (key, block, got) = seen
        .iter()
        .find(|(key, block, got)| standard(key, *block) != Some(*got))?;
    Some(Finding {
        citation: Some("FIPS 197 (2001), 5.1.1".to_owned()),
        evidence: vec![
            Evidence::new("key", hex::encode(key)),
            Evidence::new("block", hex::encode(block)),
            Evidence::new("expected", hex::encode(standard(key, *block)?)),
            Evidence::new("got", hex::encode(got)),
        ],
        ..Finding::fault(
            "wrong-s-box",
            format!(
                "An entry of the S-box is wrong: 0x{at:02x} becomes 0x{value:02x}, not 0x{right:02x}"
            ),
            format!(
                "An AES with only this mistake gives the same outputs as the library, for {} blocks.",
                seen.len()
            ),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        hex::decode(text).expect("hexadecimal")
    }

    fn block(text: &str) -> Block {
        bytes(text).try_into().expect("a block")
    }

    const PLAIN: &str = "00112233445566778899aabbccddeeff";
    const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    fn seen(size: usize, cipher: impl Fn(&[u8], Block) -> Block) -> Vec<(Vec<u8>, Block, Block)> {
        let keys = [bytes(KEY)[..size].to_vec(), vec![0x5a; size], vec![3; size]];
        let keys = keys.into_iter().cycle().take(12).enumerate();
        keys.map(|(at, mut key)| {
            key[1] = at as u8;
            let input = block(PLAIN).map(|byte| byte.wrapping_mul(2 * at as u8 + 1));
            let got = cipher(&key, input);
            (key, input, got)
        })
        .collect()
    }

    /// Each mistake is distinguished from every other one and from the standard for at least one
    /// key size. For some sizes, some mistakes change nothing.
    #[test]
    fn every_mistake_is_named_and_no_other() {
        for mistake in &MISTAKES {
            if mistake.slip == Slip::SwappedDirection {
                continue;
            }
            let titles: Vec<String> = [16, 24, 32]
                .into_iter()
                .filter_map(|size| {
                    let seen = seen(size, |key, block| {
                        encrypt(key, block, mistake.slip).expect("AES")
                    });
                    diagnose(&seen).map(|finding| finding.title)
                })
                .collect();
            assert!(!titles.is_empty(), "{}", mistake.words);
            for title in titles {
                assert!(title.ends_with(mistake.words), "{title}: {}", mistake.words);
            }
        }
    }

    #[test]
    fn a_wrong_entry_of_the_s_box_is_named_with_its_value() {
        for (at, value) in [(0x00, 0x00), (0x53, 0xec), (0xff, 0x17)] {
            let seen = seen(16, |key, block| {
                encrypt(key, block, Slip::WrongEntry { at, value }).expect("AES")
            });
            let finding = diagnose(&seen).expect("a finding");
            assert_eq!(finding.id, "wrong-s-box");
            let named = format!("0x{at:02x} becomes 0x{value:02x}");
            assert!(finding.title.contains(&named), "{}", finding.title);
        }
        // Two wrong entries are not one.
        let twice = seen(16, |key, block| {
            let one = encrypt(key, block, Slip::WrongEntry { at: 1, value: 0 }).expect("AES");
            encrypt(key, one, Slip::WrongEntry { at: 9, value: 0 }).expect("AES")
        });
        assert_eq!(diagnose(&twice), None);
    }

    #[test]
    fn exchanged_functions_and_copies_are_seen() {
        // Swap inputs and outputs: the library then decrypts when it should encrypt.
        let mut exchanged = seen(16, |key, block| {
            encrypt(key, block, Slip::None).expect("AES")
        });
        for (_, input, got) in &mut exchanged {
            std::mem::swap(input, got);
        }
        let finding = diagnose(&exchanged).expect("a finding");
        assert_eq!(finding.id, "wrong-order");
        let copied = seen(16, |_, block| block);
        assert_eq!(diagnose(&copied).expect("a finding").id, "does-nothing");
    }

    #[test]
    fn what_no_mistake_explains_is_not_guessed_at() {
        assert_eq!(
            diagnose(&seen(16, |_, block| block.map(|b| b ^ 0x55))),
            None
        );
        let right = seen(24, |key, block| {
            encrypt(key, block, Slip::None).expect("AES")
        });
        assert_eq!(diagnose(&right), None);
    }
}
