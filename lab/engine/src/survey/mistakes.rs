//! Finds the mistake behind a wrong cipher. Vectors only show that an output is wrong. This module
//! tries typical mistakes of AES implementers, one after another, in its own AES. It reports the
//! mistake that gives exactly the library's outputs. If none does, it reports nothing: a guess is
//! not a finding.

use super::line::{Evidence, Finding};
use crate::agent::Agent;
use crate::error::Result;
use crate::interface::Interface;
use crate::library::Unit;

type Block = [u8; 16];

/// The part of the cipher with the mistake: the key schedule, the rounds, or the way bytes are
/// passed. It decides the finding's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    KeySchedule,
    Rounds,
    Call,
}

/// A mistake, with a description for the title.
struct Mistake {
    part: Part,
    words: &'static str,
    /// The section of [FIPS197] with the correct definition.
    section: &'static str,
    slip: Slip,
}

/// A deviation of an AES from the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    /// No deviation.
    None,
    NoRotation,
    RotateRight,
    NoRoundConstant,
    /// The round constant is doubled without reduction: 0 follows 0x80.
    UnreducedConstant,
    /// The last round constant is wrong in its lowest bit.
    WrongLastConstant,
    NoSubstitutionInSchedule,
    /// The additional substitution of 256-bit keys is missing.
    NoMiddleSubstitution,
    /// The additional substitution of 256-bit keys is applied to all key sizes.
    MiddleSubstitutionAlways,
    KeyReversed,
    KeyTransposed,
    BlockReversed,
    BlockTransposed,
    TenRounds,
    OneRoundLess,
    NoShiftRows,
    ShiftRowsRight,
    NoMixColumns,
    MixInLast,
    NoWhitening,
    InverseBox,
    SwappedDirection,
}

const fn mistake(part: Part, section: &'static str, slip: Slip, words: &'static str) -> Mistake {
    Mistake {
        part,
        words,
        section,
        slip,
    }
}

const MISTAKES: [Mistake; 21] = [
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoMiddleSubstitution,
        "the substitution in the middle of each 256-bit round of the schedule is missing",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::MiddleSubstitutionAlways,
        "the extra substitution of 256-bit keys is also done for this key",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoRotation,
        "the word is not rotated",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::RotateRight,
        "the word is rotated the wrong way",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoRoundConstant,
        "the round constant is missing",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::UnreducedConstant,
        "the round constant after 0x80 is not reduced to 0x1b",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::WrongLastConstant,
        "the last round constant is wrong by one bit",
    ),
    mistake(
        Part::KeySchedule,
        "5.2",
        Slip::NoSubstitutionInSchedule,
        "the substitution of the rotated word is missing",
    ),
    mistake(
        Part::Rounds,
        "5, Figure 4",
        Slip::TenRounds,
        "ten rounds for every key size",
    ),
    mistake(
        Part::Rounds,
        "5, Figure 4",
        Slip::OneRoundLess,
        "one round is missing",
    ),
    mistake(
        Part::Rounds,
        "5.1.2",
        Slip::NoShiftRows,
        "ShiftRows is missing",
    ),
    mistake(
        Part::Rounds,
        "5.1.2",
        Slip::ShiftRowsRight,
        "ShiftRows goes the wrong way",
    ),
    mistake(
        Part::Rounds,
        "5.1.3",
        Slip::NoMixColumns,
        "MixColumns is missing",
    ),
    mistake(
        Part::Rounds,
        "5.1.3",
        Slip::MixInLast,
        "MixColumns is also done in the last round",
    ),
    mistake(
        Part::Rounds,
        "5.1.4",
        Slip::NoWhitening,
        "the first round key is not added",
    ),
    mistake(
        Part::Rounds,
        "5.1.1",
        Slip::InverseBox,
        "the inverse S-box is used",
    ),
    mistake(
        Part::Call,
        "3.4",
        Slip::BlockReversed,
        "the bytes of the block are in reverse order",
    ),
    mistake(
        Part::Call,
        "3.4",
        Slip::BlockTransposed,
        "the block is filled by rows, not by columns",
    ),
    mistake(
        Part::Call,
        "3.4",
        Slip::KeyReversed,
        "the bytes of the key are in reverse order",
    ),
    mistake(
        Part::Call,
        "5.2",
        Slip::KeyTransposed,
        "the key is filled by rows, not by columns",
    ),
    mistake(
        Part::Call,
        "5.1",
        Slip::SwappedDirection,
        "encryption and decryption are swapped",
    ),
];

/// Calls the cipher with three keys and blocks. Adds the finding that explains all its outputs, if
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
        let mut block = [0; 16];
        for (at, byte) in block.iter_mut().enumerate() {
            *byte = seed.wrapping_add(at as u8).wrapping_mul(29);
        }
        let Some(got) = one_block(unit, &mut agent, &key, block)? else {
            return Ok(());
        };
        seen.push((key, block, got));
    }
    findings.extend(diagnose(&seen));
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
                "does-nothing",
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
    let explains = |mistake: &&Mistake| {
        seen.iter().all(|(key, block, got)| {
            if mistake.slip == Slip::SwappedDirection {
                return standard(key, *got) == Some(*block);
            }
            encrypt(key, *block, mistake.slip) == Some(*got)
        })
    };
    let mistake = MISTAKES.iter().find(explains)?;
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
                "An AES with only this mistake gives the same outputs as the library, for {} keys.",
                seen.len()
            ),
        )
    })
}

/// Encrypts with AES [FIPS197] and the given deviation. `None` for a key of another size than
/// AES's.
fn encrypt(key: &[u8], mut block: Block, slip: Slip) -> Option<Block> {
    let mut key = key.to_vec();
    if slip == Slip::KeyReversed {
        key.reverse();
    }
    if slip == Slip::KeyTransposed {
        let columns = key.len() / 4;
        key = (0..key.len())
            .map(|at| key[at % 4 * columns + at / 4])
            .collect();
    }
    if slip == Slip::BlockReversed {
        block.reverse();
    }
    if slip == Slip::BlockTransposed {
        block = transposed(block);
    }
    let mut rounds = key.len() / 4 + 6;
    let round_keys = schedule(&key, rounds, slip)?;
    if slip == Slip::TenRounds {
        rounds = rounds.min(10);
    }
    if slip == Slip::OneRoundLess {
        rounds -= 1;
    }
    let substitute = |byte: u8| {
        if slip == Slip::InverseBox {
            (0..=255).find(|&at| sub_byte(at) == byte).unwrap_or(0)
        } else {
            sub_byte(byte)
        }
    };
    if slip != Slip::NoWhitening {
        add(&mut block, &round_keys[0]);
    }
    for round in 1..=rounds {
        block = block.map(substitute);
        if slip != Slip::NoShiftRows {
            block = shift_rows(block, slip == Slip::ShiftRowsRight);
        }
        if slip != Slip::NoMixColumns && (round < rounds || slip == Slip::MixInLast) {
            block = mix_columns(block);
        }
        add(&mut block, round_keys.get(round)?);
    }
    if slip == Slip::BlockReversed {
        block.reverse();
    }
    if slip == Slip::BlockTransposed {
        block = transposed(block);
    }
    Some(block)
}

fn schedule(key: &[u8], rounds: usize, slip: Slip) -> Option<Vec<Block>> {
    let words_of_key = key.len() / 4;
    if ![16, 24, 32].contains(&key.len()) {
        return None;
    }
    let mut words: Vec<[u8; 4]> = key
        .chunks(4)
        .filter_map(|word| word.try_into().ok())
        .collect();
    let (mut constant, mut count) = (1u8, 0);
    let last = (4 * (rounds + 1) - 1) / words_of_key;
    while words.len() < 4 * (rounds + 1) {
        let at = words.len();
        let mut word = *words.last()?;
        if at.is_multiple_of(words_of_key) {
            count += 1;
            if slip == Slip::RotateRight {
                word.rotate_right(1);
            } else if slip != Slip::NoRotation {
                word.rotate_left(1);
            }
            if slip != Slip::NoSubstitutionInSchedule {
                word = word.map(sub_byte);
            }
            if slip != Slip::NoRoundConstant {
                word[0] ^= constant;
            }
            if slip == Slip::WrongLastConstant && count == last {
                word[0] ^= 1;
            }
            constant = if slip == Slip::UnreducedConstant {
                constant << 1
            } else {
                double(constant)
            };
        } else if at % words_of_key == 4
            && (words_of_key == 8 || slip == Slip::MiddleSubstitutionAlways)
            && slip != Slip::NoMiddleSubstitution
        {
            word = word.map(sub_byte);
        }
        for (byte, before) in word.iter_mut().zip(words[at - words_of_key]) {
            *byte ^= before;
        }
        words.push(word);
    }
    let blocks = words.chunks_exact(4).map(|words| {
        let mut block = [0; 16];
        for (to, from) in block.iter_mut().zip(words.iter().flatten()) {
            *to = *from;
        }
        block
    });
    Some(blocks.collect())
}

fn add(block: &mut Block, key: &Block) {
    for (byte, key) in block.iter_mut().zip(key) {
        *byte ^= key;
    }
}

fn transposed(block: Block) -> Block {
    std::array::from_fn(|at| block[at % 4 * 4 + at / 4])
}

fn shift_rows(block: Block, right: bool) -> Block {
    std::array::from_fn(|at| {
        let (row, column) = (at % 4, at / 4);
        let from = if right {
            column + 4 - row
        } else {
            column + row
        };
        block[from % 4 * 4 + row]
    })
}

fn mix_columns(block: Block) -> Block {
    std::array::from_fn(|at| {
        let column = at / 4 * 4;
        let of = |offset: usize| block[column + (at + offset) % 4];
        double(of(0)) ^ double(of(1)) ^ of(1) ^ of(2) ^ of(3)
    })
}

fn double(byte: u8) -> u8 {
    byte << 1 ^ if byte & 0x80 != 0 { 0x1b } else { 0 }
}

fn multiply(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b != 0 {
        if b & 1 != 0 {
            product ^= a;
        }
        a = double(a);
        b >>= 1;
    }
    product
}

/// The S-box, computed from its definition [FIPS197, 5.1.1]. Not constant time: it handles no
/// secrets.
fn sub_byte(byte: u8) -> u8 {
    // The inverse of a byte is its 254th power.
    let mut inverse = 1;
    for _ in 0..254 {
        inverse = multiply(inverse, byte);
    }
    (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
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

    /// [FIPS197, appendix C].
    #[test]
    fn without_a_mistake_it_is_the_standard() {
        for (size, cipher) in [
            (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
            (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
            (32, "8ea2b7ca516745bfeafc49904b496089"),
        ] {
            let got = encrypt(&bytes(KEY)[..size], block(PLAIN), Slip::None);
            assert_eq!(got, Some(block(cipher)));
        }
        assert_eq!(encrypt(&[0; 20], [0; 16], Slip::None), None);
    }

    fn seen(size: usize, cipher: impl Fn(&[u8], Block) -> Block) -> Vec<(Vec<u8>, Block, Block)> {
        let keys = [bytes(KEY)[..size].to_vec(), vec![0x5a; size], vec![3; size]];
        let keys = keys.into_iter().enumerate();
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
