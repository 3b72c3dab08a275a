//! An Ascon-Hash256 for comparison [SP800-232], which can also make the mistakes of implementers,
//! and the search for the one behind a wrong digest.

mod old;
mod permutation;

use self::permutation::permute;
use super::line::{Evidence, Finding};
use crate::agent::Agent;
use crate::error::Result;
use crate::library::Unit;

/// A deviation of an Ascon-Hash256 from the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slip {
    None,
    /// The byte after the message is 0x80.
    PadsWith80,
    NoPadding,
    /// A message that ends with a block gets no block of padding.
    NoBlockOfPadding,
    /// A digest's words are in big-endian order, and so are the message's.
    BigEndian,
    /// Ascon-Hash of version 1.2: another initial value, big-endian words, and 0x80 behind the
    /// message.
    Version12,
    EightRounds,
}

const MISTAKES: [(Slip, &str); 6] = [
    (
        Slip::Version12,
        "it is Ascon-Hash of version 1.2, not Ascon-Hash256 of SP 800-232",
    ),
    (
        Slip::PadsWith80,
        "the padding is wrong: the byte after the message is 0x80, not 0x01",
    ),
    (
        Slip::NoPadding,
        "the padding is missing: no byte 0x01 after the message",
    ),
    (
        Slip::NoBlockOfPadding,
        "the padding is missing after a message of whole blocks",
    ),
    (Slip::BigEndian, "bytes of a word are in reverse order"),
    (
        Slip::EightRounds,
        "the permutation has 8 rounds between blocks, not 12",
    ),
];

/// Sizes of the messages: an empty one, whole blocks, and parts of a block.
const SIZES: [usize; 5] = [0, 3, 8, 13, 32];

/// Adds the mistake that gives exactly the library's digests, if there is one.
pub(super) fn explain(
    unit: &Unit<'_>,
    start: &mut dyn FnMut() -> Result<Agent>,
    findings: &mut Vec<Finding>,
) -> Result<()> {
    if unit.algorithm.name == "ascon-aead128" && unit.offers("seal") {
        findings.extend(old::explain(start, old::says_standard(unit))?);
    }
    if unit.algorithm.name != "ascon-hash256" || !unit.offers("hash") {
        return Ok(());
    }
    let mut agent = start()?;
    let mut seen = Vec::new();
    for size in SIZES {
        let message: Vec<u8> = (0..size).map(|at| (at * 11 + 5) as u8).collect();
        let reply = agent.run("hash", 1, false, &[&message])?.reply;
        if reply.status != 0 {
            return Ok(());
        }
        seen.push((message, reply.output));
    }
    findings.extend(diagnose(&seen, old::says_standard(unit)));
    Ok(())
}

fn diagnose(seen: &[(Vec<u8>, Vec<u8>)], says_standard: bool) -> Option<Finding> {
    let explains = |slip: Slip| {
        seen.iter()
            .all(|(message, got)| hash(message, slip) == got[..])
    };
    if explains(Slip::None) {
        return None;
    }
    let (slip, words) = MISTAKES.iter().find(|(slip, _)| explains(*slip))?;
    let differs = |(message, got): &&(Vec<u8>, Vec<u8>)| hash(message, Slip::None) != got[..];
    let (message, got) = seen.iter().find(differs)?;
    let id = match slip {
        Slip::PadsWith80 | Slip::NoPadding | Slip::NoBlockOfPadding => "wrong-padding",
        _ => "wrong-rounds",
    };
    let evidence = vec![
        Evidence::new("message", hex::encode(message)),
        Evidence::new("expected", hex::encode(hash(message, Slip::None))),
        Evidence::new("got", hex::encode(got)),
    ];
    if *slip == Slip::Version12 {
        return Some(old::finding(
            says_standard,
            words,
            "5.1",
            evidence,
            seen.len(),
        ));
    }
    Some(Finding {
        citation: Some("NIST SP 800-232 (2025), 5.1".to_owned()),
        evidence,
        ..Finding::fault(
            id,
            format!("Ascon-Hash256 is wrong: {words}"),
            format!(
                "An Ascon-Hash256 with only this mistake gives the same digests, for {} messages.",
                seen.len()
            ),
        )
    })
}

/// Hashes with Ascon-Hash256 and the given deviation [SP800-232, 5.1].
fn hash(message: &[u8], slip: Slip) -> [u8; 32] {
    let big = [Slip::BigEndian, Slip::Version12].contains(&slip);
    let word = |block: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..block.len()].copy_from_slice(block);
        if big {
            u64::from_be_bytes(bytes)
        } else {
            u64::from_le_bytes(bytes)
        }
    };
    let mut state = [0; 5];
    state[0] = match slip {
        Slip::Version12 => 0x0040_0c00_0000_0100,
        _ => 0x0000_0801_00cc_0002,
    };
    permute(&mut state, 12);
    let rounds = if slip == Slip::EightRounds { 8 } else { 12 };
    let blocks = message.chunks_exact(8);
    let mut last = blocks.remainder().to_vec();
    for block in blocks {
        state[0] ^= word(block);
        permute(&mut state, rounds);
    }
    let pads = match slip {
        Slip::NoPadding => false,
        Slip::NoBlockOfPadding => !last.is_empty() || message.is_empty(),
        _ => true,
    };
    if pads {
        let is_80 = [Slip::PadsWith80, Slip::Version12].contains(&slip);
        last.push(if is_80 { 0x80 } else { 0x01 });
    }
    state[0] ^= word(&last);
    let mut digest = [0; 32];
    for (number, out) in digest.chunks_mut(8).enumerate() {
        permute(&mut state, if number == 0 { 12 } else { rounds });
        let bytes = if big {
            state[0].to_be_bytes()
        } else {
            state[0].to_le_bytes()
        };
        out.copy_from_slice(&bytes);
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::survey::line::Weight;

    /// The first vector of NIST's file: the empty message.
    #[test]
    fn without_a_mistake_it_is_the_standard() {
        let empty = hex::encode(hash(&[], Slip::None));
        assert_eq!(
            empty,
            "0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2"
        );
    }

    #[test]
    fn every_mistake_is_named_and_no_other() {
        let seen = |slip: Slip| -> Vec<(Vec<u8>, Vec<u8>)> {
            let message = |size: usize| -> Vec<u8> { (0..size).map(|at| at as u8).collect() };
            SIZES
                .map(|size| (message(size), hash(&message(size), slip).to_vec()))
                .to_vec()
        };
        for (slip, words) in MISTAKES {
            for says_standard in [true, false] {
                let finding = diagnose(&seen(slip), says_standard).expect("a finding");
                // A sentence of its own begins with a capital.
                assert!(finding.title.ends_with(&words[1..]), "{}", finding.title);
                let is_fault = finding.weight == Weight::Fault;
                assert_eq!(
                    is_fault,
                    says_standard || slip != Slip::Version12,
                    "{words}"
                );
            }
        }
        assert_eq!(diagnose(&seen(Slip::None), true), None);
        let mut other = seen(Slip::NoPadding);
        other[2].1[9] ^= 1;
        assert_eq!(diagnose(&other, true), None);
    }
}
