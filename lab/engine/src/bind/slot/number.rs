//! The plausible slots of a number, by the words of its name and the purpose of its function.

use super::kind::{Purpose, Slot};
use super::name::{ADS, TAGS, holds, says};
use crate::scan::words::words;

use Slot::{
    AdBytes, Bits, BlockBits, BlockBytes, Blocks, Bytes, Chains, CounterBytes, Decrypts,
    DigestBits, DigestBytes, Encrypts, IvBytes, KeyBits, KeyBytes, KeyWords, LengthBytes, ModeName,
    OutBytes, Rounds, TagBytes, Zero,
};

const ROOM: [&str; 5] = ["max", "maxlen", "maxsize", "capacity", "room"];

/// True if a name speaks of the room of a buffer, not of the size of what is written to it.
pub fn speaks_of_room(name: &str) -> bool {
    says(&words(name), &ROOM)
}

/// Slots of a number.
pub(super) fn of_number(purpose: Purpose, name: &[String]) -> Vec<(Slot, u32)> {
    let said = Said::of(name);
    let of_cipher = [Purpose::SetKey, Purpose::Construct].contains(&purpose);
    if let Some(found) = said.of_cipher().filter(|_| of_cipher) {
        return found;
    }
    match purpose {
        Purpose::SetKey => said.set_key(),
        Purpose::Construct | Purpose::Prepare => said.construct(),
        Purpose::SetIv => said.set_iv(),
        Purpose::Encrypt | Purpose::Decrypt => said.encrypt(),
        Purpose::Start => said.start(),
        Purpose::Update => said.update(),
        Purpose::Finish => said.finish(),
        Purpose::Digest => said.digest(),
        Purpose::Seal | Purpose::Open => said.seal(),
        Purpose::Run | Purpose::RunBack => said.run(),
        Purpose::Load | Purpose::Fetch => vec![(BlockBytes, 1), (Zero, 3)],
        _ => Vec::new(),
    }
}

/// What a name says of its number.
struct Said<'n> {
    name: &'n [String],
    bits: bool,
    blocks: bool,
    key: bool,
    iv: bool,
    ad: bool,
    tag: bool,
    digest: bool,
    is_size: bool,
    direction: bool,
    decrypts: bool,
    rounds: bool,
    words: bool,
    counter: bool,
    part: bool,
}

fn if_says(says: bool, otherwise: u32) -> u32 {
    if says { 0 } else { otherwise }
}

fn unless(other: bool, cost: u32) -> u32 {
    if other { cost + 3 } else { cost }
}

impl<'n> Said<'n> {
    fn of(name: &'n [String]) -> Said<'n> {
        // `length_b` counts bits.
        let bits =
            holds(name, "bit") || name.len() > 1 && name.last().is_some_and(|word| word == "b");
        let blocks = holds(name, "block") || says(name, &["nb", "blocks"]);
        let key = holds(name, "key") || says(name, &["klen", "nk"]);
        let iv = says(name, &["iv", "ivlen", "nonce", "noncelen"]) || holds(name, "nonce");
        let ad =
            says(name, &ADS) || says(name, &["la"]) || holds(name, "adlen") || holds(name, "aad");
        let tag = says(name, &TAGS) || holds(name, "taglen") || holds(name, "maclen");
        let digest = ["digest", "hash", "out", "md"]
            .iter()
            .any(|part| holds(name, part));
        let is_size = ["len", "size", "bytes", "tam"]
            .iter()
            .any(|part| holds(name, part));
        let direction = says(
            name,
            &[
                "mode",
                "enc",
                "dir",
                "direction",
                "encrypt",
                "op",
                "operation",
                "forward",
            ],
        );
        let decrypts = says(name, &["decrypt", "inverse", "inv", "dec"]);
        let rounds = says(name, &["nr", "rounds", "rnds", "nrounds", "nrnds"]);
        let words = says(name, &["nk", "words", "keywords", "kw"]);
        let counter = says(name, &["counter", "ctr", "count"]);
        // The bytes before a counter, and the order of its bytes: nothing, and the usual one.
        let part = says(name, &["prefix", "endian", "little", "littleendian"]);
        Said {
            name,
            bits,
            blocks,
            key,
            iv,
            ad,
            tag,
            digest,
            is_size,
            direction,
            decrypts,
            rounds,
            words,
            counter,
            part,
        }
    }

    /// True for the room of an output.
    fn of_room(&self) -> bool {
        says(self.name, &ROOM) || holds(self.name, "outlen") || holds(self.name, "outsize")
    }

    /// A direction may be counted from either side.
    fn of_direction(&self, otherwise: u32) -> u32 {
        if self.direction { 1 } else { otherwise }
    }

    /// The slots of a number that is no size of a key: that of a block, or whether blocks are chained.
    fn of_cipher(&self) -> Option<Vec<(Slot, u32)>> {
        let sized = self.bits || holds(self.name, "size") || holds(self.name, "len");
        if self.blocks && !self.key && sized {
            return Some(vec![
                (BlockBits, if_says(self.bits, 3)),
                (BlockBytes, if self.bits { 4 } else { 0 }),
                (Zero, 6),
            ]);
        }
        let chains = says(self.name, &["cbc", "chain", "chaining"]);
        chains.then(|| vec![(Chains, 0), (Zero, 4)])
    }

    fn set_key(&self) -> Vec<(Slot, u32)> {
        vec![
            (ModeName, if_says(says(self.name, &["mode"]), 9)),
            (KeyBytes, if self.bits { 2 } else { if_says(self.key, 1) }),
            (KeyBits, if_says(self.bits, 2)),
            (KeyWords, if_says(self.words, 9)),
            (Rounds, if_says(self.rounds, 6)),
            (IvBytes, if_says(self.iv, 6)),
            (Encrypts, if_says(self.direction, 6)),
            (Decrypts, if_says(self.decrypts, self.of_direction(7))),
            (Zero, unless(self.key, 5)),
        ]
    }

    fn construct(&self) -> Vec<(Slot, u32)> {
        vec![
            (KeyBytes, if self.bits { 2 } else { if_says(self.key, 1) }),
            (KeyBits, if_says(self.bits, 2)),
            (KeyWords, if_says(self.words, 9)),
            (Encrypts, if_says(self.direction, 6)),
            (Decrypts, if_says(self.decrypts, self.of_direction(7))),
            (Zero, unless(self.key, 4)),
        ]
    }

    fn set_iv(&self) -> Vec<(Slot, u32)> {
        vec![
            (IvBytes, 1),
            (CounterBytes, if_says(self.counter, 9) + 2),
            (Zero, if_says(self.part, 4)),
        ]
    }

    fn encrypt(&self) -> Vec<(Slot, u32)> {
        vec![
            (ModeName, if_says(says(self.name, &["mode"]), 9)),
            (
                Bytes,
                unless(self.bits || self.blocks || self.key || self.direction, 0),
            ),
            (OutBytes, if_says(self.of_room(), 9)),
            (Blocks, if_says(self.blocks, 3)),
            (Bits, if self.bits && !self.key { 1 } else { 6 }),
            (KeyBytes, if self.bits { 3 } else { if_says(self.key, 4) }),
            (
                KeyBits,
                if self.bits {
                    0
                } else {
                    if_says(self.key, 4) + 1
                },
            ),
            (Rounds, if_says(self.rounds, 6)),
            (KeyWords, if_says(self.words, 9)),
            (IvBytes, if_says(self.iv, 6)),
            (Encrypts, if_says(self.direction, 5)),
            (
                Decrypts,
                if self.direction {
                    2
                } else {
                    if_says(self.decrypts, 6)
                },
            ),
            (Zero, 6),
        ]
    }

    fn run(&self) -> Vec<(Slot, u32)> {
        vec![
            (Encrypts, if_says(self.direction, 6)),
            (Decrypts, if_says(self.decrypts, self.of_direction(7))),
            (Rounds, if_says(self.rounds, 6)),
            (KeyBytes, if_says(self.key, 4)),
            (KeyBits, if_says(self.key && self.bits, 6)),
        ]
    }

    fn start(&self) -> Vec<(Slot, u32)> {
        vec![
            (DigestBytes, if self.bits { 3 } else { unless(self.key, 1) }),
            (DigestBits, if_says(self.bits, 2)),
            (KeyBytes, if self.bits { 3 } else { if_says(self.key, 4) }),
            (KeyBits, if self.key && self.bits { 0 } else { 7 }),
            (Zero, 3),
        ]
    }

    fn update(&self) -> Vec<(Slot, u32)> {
        vec![
            (Bytes, u32::from(self.bits)),
            (Bits, if_says(self.bits, 3)),
            (Zero, 5),
        ]
    }

    fn finish(&self) -> Vec<(Slot, u32)> {
        vec![
            (DigestBytes, if_says(self.digest || self.is_size, 1)),
            (KeyBytes, if_says(self.key, 4)),
            (DigestBits, if_says(self.bits, 2)),
            (Zero, if_says(says(self.name, &["shake", "xof"]), 4)),
        ]
    }

    fn digest(&self) -> Vec<(Slot, u32)> {
        vec![
            (Bytes, unless(self.digest || self.key, 0)),
            (
                Bits,
                if self.bits && !self.key && !self.digest {
                    0
                } else {
                    5
                },
            ),
            (DigestBytes, if_says(self.digest, 3)),
            (KeyBytes, if self.bits { 3 } else { if_says(self.key, 4) }),
            (KeyBits, if self.key && self.bits { 0 } else { 7 }),
            (Zero, 4),
        ]
    }

    fn seal(&self) -> Vec<(Slot, u32)> {
        vec![
            (Bytes, unless(self.ad || self.tag || self.iv || self.key, 0)),
            (AdBytes, if_says(self.ad, 2)),
            (TagBytes, if_says(self.tag || says(self.name, &["m"]), 3)),
            // The bytes of the message's size in a block: L [RFC3610, 2.1].
            (LengthBytes, if_says(says(self.name, &["l"]), 9)),
            (IvBytes, if_says(self.iv, 3)),
            (KeyBytes, if_says(self.key, 4)),
            (
                KeyBits,
                if self.key {
                    if self.bits { 0 } else { 2 }
                } else {
                    6
                },
            ),
            (Encrypts, if_says(self.direction, 7)),
            (
                Decrypts,
                if self.direction {
                    2
                } else {
                    if_says(self.decrypts, 7)
                },
            ),
            (Zero, 6),
        ]
    }
}
