//! An AES for comparison, which can also make the mistakes of implementers.

use std::sync::OnceLock;

pub(super) type Block = [u8; 16];

/// A deviation of an AES from the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    /// No deviation.
    None,
    NoRotation,
    RotateRight,
    NoRoundConstant,
    /// The round constant is doubled without reduction: 0 follows 0x80.
    UnreducedConstant,
    /// The round constants begin with this one, not with 1.
    ConstantsFrom(u8),
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
    /// Row 1 is shifted by 2 bytes and row 2 by 1.
    ExchangedRows,
    NoMixColumns,
    MixInLast,
    NoWhitening,
    InverseBox,
    SwappedDirection,
    /// One entry of the S-box is wrong.
    WrongEntry {
        at: u8,
        value: u8,
    },
}

/// Encrypts with AES [FIPS197] and the given deviation. `None` for a key of another size than
/// AES's.
pub(super) fn encrypt(key: &[u8], mut block: Block, slip: Slip) -> Option<Block> {
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
    let substitute = |byte: u8| match slip {
        Slip::InverseBox => inverse_sub_byte(byte),
        _ => sub_byte(byte, slip),
    };
    if slip != Slip::NoWhitening {
        add(&mut block, &round_keys[0]);
    }
    for round in 1..=rounds {
        block = block.map(substitute);
        block = match slip {
            Slip::NoShiftRows => block,
            Slip::ShiftRowsRight => shift_rows(block, [0, 3, 2, 1]),
            Slip::ExchangedRows => shift_rows(block, [0, 2, 1, 3]),
            _ => shift_rows(block, [0, 1, 2, 3]),
        };
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
    let mut constant = match slip {
        Slip::ConstantsFrom(first) => first,
        _ => 1,
    };
    let mut count = 0;
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
                word = word.map(|byte| sub_byte(byte, slip));
            }
            if slip != Slip::NoRoundConstant {
                word[0] ^= constant;
            }
            if slip == Slip::WrongLastConstant && count == last {
                word[0] ^= 1;
            }
            constant = match constant {
                0 if slip == Slip::ConstantsFrom(0) => 1,
                _ if slip == Slip::UnreducedConstant => constant << 1,
                _ => double(constant),
            };
        } else if at % words_of_key == 4
            && (words_of_key == 8 || slip == Slip::MiddleSubstitutionAlways)
            && slip != Slip::NoMiddleSubstitution
        {
            word = word.map(|byte| sub_byte(byte, slip));
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

/// Shifts each row to the left by the given number of bytes.
fn shift_rows(block: Block, by: [usize; 4]) -> Block {
    std::array::from_fn(|at| {
        let (row, column) = (at % 4, at / 4);
        block[(column + by[row]) % 4 * 4 + row]
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

/// The S-box of a cipher with the given deviation. Not constant time: it handles no secrets.
fn sub_byte(byte: u8, slip: Slip) -> u8 {
    match slip {
        Slip::WrongEntry { at, value } if at == byte => value,
        _ => s_box()[usize::from(byte)],
    }
}

fn inverse_sub_byte(byte: u8) -> u8 {
    let at = s_box().iter().position(|&value| value == byte);
    at.unwrap_or(0) as u8
}

/// The S-box, computed from its definition [FIPS197, 5.1.1].
pub(super) fn s_box() -> &'static [u8; 256] {
    static BOX: OnceLock<[u8; 256]> = OnceLock::new();
    BOX.get_or_init(|| {
        std::array::from_fn(|byte| {
            // The inverse of a byte is its 254th power.
            let inverse = (0..254).fold(1, |power, _| multiply(power, byte as u8));
            (0..5).fold(0x63, |sum, turn| sum ^ inverse.rotate_left(turn))
        })
    })
}

/// Decrypts with AES [FIPS197, 5.3]. `None` for a key of another size than AES's.
pub(super) fn decrypt(key: &[u8], mut block: Block) -> Option<Block> {
    let rounds = key.len() / 4 + 6;
    let round_keys = schedule(key, rounds, Slip::None)?;
    for round in (1..=rounds).rev() {
        add(&mut block, round_keys.get(round)?);
        if round < rounds {
            // MixColumns is its own inverse after three more applications.
            block = mix_columns(mix_columns(mix_columns(block)));
        }
        block = shift_rows(block, [0, 3, 2, 1]).map(inverse_sub_byte);
    }
    add(&mut block, &round_keys[0]);
    Some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// [FIPS197, appendix C].
    #[test]
    fn without_a_mistake_it_is_the_standard() {
        let key: Vec<u8> = (0..32).collect();
        let plain: Block = std::array::from_fn(|at| 0x11 * at as u8);
        for (size, cipher) in [
            (16, "69c4e0d86a7b0430d8cdb78070b4c55a"),
            (24, "dda97ca4864cdfe06eaf70a0ec0d7191"),
            (32, "8ea2b7ca516745bfeafc49904b496089"),
        ] {
            let got = encrypt(&key[..size], plain, Slip::None).expect("AES");
            assert_eq!(hex::encode(got), cipher);
            assert_eq!(decrypt(&key[..size], got), Some(plain));
        }
        assert_eq!(encrypt(&[0; 20], [0; 16], Slip::None), None);
        assert_eq!(decrypt(&[0; 20], [0; 16]), None);
    }
}
