//! Ascon of version 1.2, the submission of 2021, which SP 800-232 changed: other initial values, and
//! words in the other byte order. What implements it is not wrong, unless it says that it is the standard.

use super::permutation::permute;
use crate::agent::Agent;
use crate::error::Result;
use crate::library::Unit;
use crate::survey::judge::OTHER_VERSION;
use crate::survey::line::{Evidence, Finding};

/// An AEAD of version 1.2: its name, the first word of its state, bytes in a block, rounds between blocks.
struct Aead {
    name: &'static str,
    first: u64,
    rate: usize,
    rounds: u8,
}

const AEADS: [Aead; 2] = [
    Aead {
        name: "Ascon-128",
        first: 0x8040_0c06_0000_0000,
        rate: 8,
        rounds: 6,
    },
    Aead {
        name: "Ascon-128a",
        first: 0x8080_0c08_0000_0000,
        rate: 16,
        rounds: 8,
    },
];

/// Bytes of associated data and of a message, for each call.
const SIZES: [(usize, usize); 4] = [(0, 0), (5, 3), (16, 16), (0, 32)];

fn bytes(count: usize, step: u8) -> Vec<u8> {
    let at = |at: usize| (at as u8).wrapping_mul(step).wrapping_add(step);
    (0..count).map(at).collect()
}

/// The finding if what is sealed is exactly that of version 1.2.
pub(super) fn explain(
    start: &mut dyn FnMut() -> Result<Agent>,
    says_standard: bool,
) -> Result<Option<Finding>> {
    let mut agent = start()?;
    let (key, nonce) = (bytes(16, 7), bytes(16, 3));
    let mut sealed = Vec::new();
    for (data, message) in SIZES {
        let (data, message) = (bytes(data, 5), bytes(message, 11));
        if agent.run("key-setup", 1, false, &[&key])?.reply.status != 0 {
            return Ok(None);
        }
        let reply = agent
            .run("seal", 1, false, &[&nonce, &data, &message])?
            .reply;
        if reply.status != 0 {
            return Ok(None);
        }
        sealed.push((data, message, reply.output));
    }
    let is_of = |aead: &&Aead| {
        let same = |(data, message, got): &(Vec<u8>, Vec<u8>, Vec<u8>)| {
            seal(aead, &key, &nonce, data, message) == *got
        };
        sealed.iter().all(same)
    };
    let words =
        |name: &str| format!("it is {name} of version 1.2, not Ascon-AEAD128 of SP 800-232");
    Ok(AEADS.iter().find(is_of).map(|aead| {
        let evidence = vec![
            Evidence::new("key", hex::encode(&key)),
            Evidence::new("nonce", hex::encode(&nonce)),
            Evidence::new("sealed, an empty message", hex::encode(&sealed[0].2)),
        ];
        finding(
            says_standard,
            &words(aead.name),
            "4",
            evidence,
            sealed.len(),
        )
    }))
}

/// The finding that outputs are those of version 1.2: a fault of what says that it is the standard.
pub(super) fn finding(
    says_standard: bool,
    words: &str,
    section: &str,
    evidence: Vec<Evidence>,
    outputs: usize,
) -> Finding {
    let title = format!("{}{}", words[..1].to_uppercase(), &words[1..]);
    let text = format!(
        "All {outputs} outputs are those of version 1.2, the submission that became the standard with \
         changes. Whoever speaks the standard does not understand it."
    );
    let finding = match says_standard {
        true => Finding::fault(OTHER_VERSION, title, text),
        false => Finding::gap(
            OTHER_VERSION,
            title,
            format!("{text} Nothing is wrong if the library promises that version."),
        ),
    };
    Finding {
        citation: Some(format!("NIST SP 800-232 (2025), {section}")),
        evidence,
        ..finding
    }
}

/// True if the library's sources name the standard, or one of its algorithms.
pub(super) fn says_standard(unit: &Unit<'_>) -> bool {
    let sources = unit.sources().unwrap_or_default();
    sources.iter().any(|source| {
        let name = source.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read(source).unwrap_or_default();
        names_standard(&format!("{name} {}", String::from_utf8_lossy(&text)))
    })
}

fn names_standard(text: &str) -> bool {
    const NAMES: [&str; 3] = ["hash256", "aead128", "sp800232"];
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_lowercase();
    NAMES.iter().any(|name| plain.contains(name))
}

/// Seals with an AEAD of version 1.2: the ciphertext and its tag of 16 bytes.
fn seal(aead: &Aead, key: &[u8], nonce: &[u8], data: &[u8], message: &[u8]) -> Vec<u8> {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    };
    let (k0, k1) = (word(&key[..8]), word(&key[8..]));
    let mut state = [aead.first, k0, k1, word(&nonce[..8]), word(&nonce[8..])];
    permute(&mut state, 12);
    state[3] ^= k0;
    state[4] ^= k1;
    // The words of the state that hold a block.
    let absorb = |state: &mut [u64; 5], block: &[u8]| {
        for (at, byte) in block.iter().enumerate() {
            state[at / 8] ^= u64::from(*byte) << (56 - 8 * (at % 8));
        }
    };
    let padded = |part: &[u8]| {
        let mut block = part.to_vec();
        block.push(0x80);
        block
    };
    if !data.is_empty() {
        let blocks = data.chunks_exact(aead.rate);
        let last = padded(blocks.remainder());
        for block in blocks {
            absorb(&mut state, block);
            permute(&mut state, aead.rounds);
        }
        absorb(&mut state, &last);
        permute(&mut state, aead.rounds);
    }
    state[4] ^= 1;
    let mut sealed = Vec::new();
    let squeeze = |state: &[u64; 5], count: usize| -> Vec<u8> {
        let all = [state[0].to_be_bytes(), state[1].to_be_bytes()].concat();
        all[..count].to_vec()
    };
    let blocks = message.chunks_exact(aead.rate);
    let rest = blocks.remainder();
    for block in blocks {
        absorb(&mut state, block);
        sealed.extend(squeeze(&state, block.len()));
        permute(&mut state, aead.rounds);
    }
    absorb(&mut state, &padded(rest));
    sealed.extend(squeeze(&state, rest.len()));
    state[aead.rate / 8] ^= k0;
    state[aead.rate / 8 + 1] ^= k1;
    permute(&mut state, 12);
    sealed.extend((state[3] ^ k0).to_be_bytes());
    sealed.extend((state[4] ^ k1).to_be_bytes());
    sealed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_standard_are_known() {
        for text in [
            "ascon_hash256.c",
            "Ascon-AEAD128",
            "NIST SP 800-232",
            "ASCON_HASH_256",
        ] {
            assert!(names_standard(text), "{text}");
        }
        for text in ["asconhashv12", "ascon128v12 ref", "crypto_aead", "sha256"] {
            assert!(!names_standard(text), "{text}");
        }
    }

    /// The first, the 34th and the last known answer of each, from the team's files of version 1.2. Key,
    /// nonce, data and message count up from 0.
    #[test]
    fn the_known_answers_of_version_1_2_come_out() {
        let up = |bytes: usize| -> Vec<u8> { (0..bytes).map(|at| at as u8).collect() };
        let answers = [
            [
                "e355159f292911f794cb1432a0103a8a",
                "bc18c3f4e39eca7222490d967c79bffc92",
                "b96c78651b6246b0c3b1a5d373b0d5168dca4a96734cf0ddf5f92f8d15e30270279bf6a6cc3f2fc9350b915c292bdb8d",
            ],
            [
                "7a834e6f09210957067b10fd831f0078",
                "6e652b55bfdc8cad2ec43815b1666b1a3a",
                "a55236ac020dbda74ce6ccd10c68c4d8514450a382bc87c68946d86a921dd88e2adddfbbe77d4112830e01960b9d38d5",
            ],
        ];
        for (aead, wanted) in AEADS.iter().zip(answers) {
            for ((data, message), wanted) in [(0, 0), (0, 1), (32, 32)].into_iter().zip(wanted) {
                let sealed = seal(aead, &up(16), &up(16), &up(data), &up(message));
                assert_eq!(hex::encode(&sealed), wanted, "{}", aead.name);
            }
        }
    }
}
