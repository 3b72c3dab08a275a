//! What the messages say of the IVs: one function for each fault, in the order in which they are
//! looked for.

use super::super::line::{Evidence, Finding, Weight};
use super::sent::{BLOCK, BLOCKS, MESSAGE, Sent};

/// The document and section of every finding of an IV.
const APPENDIX: &str = "NIST SP 800-38A (2001), appendix C";

/// The findings from the messages before and after the restart. There are three of each.
pub(super) fn diagnose(key: &[u8], first: &[Sent], again: &[Sent]) -> Vec<Finding> {
    let messages = Messages { key, first, again };
    let ecb = messages.ecb();
    let uses_random = |sent: &Sent| sent.iv == sent.random;
    let of_iv = match messages.all().all(uses_random) {
        true => messages.unused().filter(|_| ecb.is_none()),
        false => Some(messages.not_from_the_source()),
    };
    ecb.into_iter().chain(of_iv).collect()
}

struct Messages<'m> {
    key: &'m [u8],
    first: &'m [Sent],
    again: &'m [Sent],
}

impl Messages<'_> {
    fn all(&self) -> impl Iterator<Item = &Sent> + Clone {
        self.first.iter().chain(self.again)
    }

    /// The first fault of IVs that are not the random bytes.
    fn not_from_the_source(&self) -> Finding {
        let looked_for = [
            Self::same,
            Self::chained,
            Self::counter,
            Self::repeated,
            Self::partly_fixed,
        ];
        let mut found = looked_for.iter().filter_map(|look| look(self));
        found.next().unwrap_or_else(|| self.foreign())
    }

    /// A finding whose evidence is the messages with these numbers.
    fn finding(&self, id: &str, title: &str, text: &str, messages: &[&Sent]) -> Finding {
        Finding {
            citation: Some(APPENDIX.to_owned()),
            evidence: shown(self.key, messages),
            ..Finding::fault(id, title, text)
        }
    }

    fn ecb(&self) -> Option<Finding> {
        let chained: Vec<&[u8]> = blocks(&self.first[0]).collect();
        let is_ecb = chained.windows(2).all(|pair| pair[0] == pair[1]);
        is_ecb.then(|| Finding {
            citation: Some("NIST SP 800-38A (2001), 6.2".to_owned()),
            ..self.finding(
                "ecb-called-cbc",
                "This CBC is really ECB: equal blocks of a message encrypt to equal blocks",
                "CBC must XOR each block with the previous ciphertext block before it encrypts it. This code chains nothing.",
                &[&self.first[0]],
            )
        })
    }

    fn unused(&self) -> Option<Finding> {
        let (one, two) = (&self.first[0], &self.first[1]);
        let repeats = one.ciphertext[..BLOCK] == two.ciphertext[..BLOCK];
        repeats.then(|| {
            self.finding(
                "unused-iv",
                "The IV that is sent is not the IV that is used",
                "IVs differ, and yet the same message under the same key gives the same first \
                 block: the IV does not enter the encryption.",
                &[one, two],
            )
        })
    }

    fn same(&self) -> Option<Finding> {
        let (one, two) = (&self.first[0], &self.first[1]);
        let zero = one.iv.iter().all(|&byte| byte == 0);
        let (id, title) = if zero {
            ("zero-iv", "The IV is always zero")
        } else {
            ("fixed-iv", "The IV is fixed")
        };
        (one.iv == two.iv).then(|| {
            self.finding(
                id,
                title,
                "Two messages under one key have the same IV. An eavesdropper sees when a message, or its beginning, is sent again. Draw 16 random bytes for every message.",
                &[one, two],
            )
        })
    }

    fn chained(&self) -> Option<Finding> {
        let after = |sent: &Sent| {
            let whole = sent.ciphertext.len() / BLOCK * BLOCK;
            sent.ciphertext[whole - BLOCK..whole].to_vec()
        };
        // The last block of the padded message, or of the message without padding.
        let chained_on = |before: &Sent, next: &Sent| {
            next.iv == after(before) || blocks(before).nth(BLOCKS - 1) == Some(&next.iv[..])
        };
        let mut pairs = self.first.windows(2);
        pairs.all(|pair| chained_on(&pair[0], &pair[1])).then(|| {
            self.finding(
                "chained-iv",
                "The IV is the last block of the previous message",
                "An eavesdropper knows the next IV before the next message is chosen, and can test guesses of its first block. Do not keep the state of one message as the IV of the next.",
                &[&self.first[0], &self.first[1]],
            )
        })
    }

    fn counter(&self) -> Option<Finding> {
        let (one, two, three) = (&self.first[0], &self.first[1], &self.first[2]);
        let step = counted(&one.iv, &two.iv, &three.iv)?;
        Some(self.finding(
            "counter-iv",
            "The IV is a counter",
            &format!(
                "It grows by {step} with every message, so it can be predicted. Encrypt the counter, or draw the IV at random."
            ),
            &[one, two, three],
        ))
    }

    fn repeated(&self) -> Option<Finding> {
        let (one, two) = (&self.first[0], &self.first[1]);
        let repeats = one.iv == self.again[0].iv && two.iv == self.again[1].iv;
        repeats.then(|| {
            let mut finding = self.finding(
                "repeated-iv",
                "The IVs are the same after every start",
                "They differ from message to message, but every restart gives the same sequence. They come from a generator without a seed, not from the random source.",
                &[one, two],
            );
            finding.evidence.extend(shown(self.key, &[&self.again[0]]));
            finding
        })
    }

    fn partly_fixed(&self) -> Option<Finding> {
        let one = &self.first[0];
        let of_all = |holds: &dyn Fn(&Sent, usize) -> bool| {
            let bytes = (0..BLOCK).filter(|&at| self.all().all(|sent| holds(sent, at)));
            bytes.count()
        };
        let drawn = of_all(&|sent, at| sent.iv[at] == sent.random[at]);
        let constant = of_all(&|sent, at| sent.iv[at] == one.iv[at]);
        (drawn > 0 || constant > 0).then(|| {
            self.finding(
                "partly-fixed-iv",
                &format!("Only part of the IV is random: {constant} of {BLOCK} bytes never change"),
                "All 16 bytes must be unpredictable.",
                &[one, &self.first[1]],
            )
        })
    }

    fn foreign(&self) -> Finding {
        Finding {
            weight: Weight::Gap,
            ..self.finding(
                "foreign-iv",
                "The lab cannot tell where the IV comes from",
                "It changes with every message and every start, but it is not what the lab's random source gave. The library may draw it elsewhere, from the operating system or the clock, or make it from the random bytes. Read how it does, and whether it can be predicted.",
                &[&self.first[0], &self.first[1]],
            )
        }
    }
}

/// The blocks of the message, without padding.
fn blocks(sent: &Sent) -> impl Iterator<Item = &[u8]> {
    sent.ciphertext.chunks(BLOCK).take(BLOCKS)
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
