//! The secret vector of an ML-KEM key pair and its transform [FIPS203, 4.3], for the search of a
//! wrong constant.

use sha3::digest::ExtendableOutput as _;
use sha3::{Digest as _, Sha3_512, Shake256};

const Q: u32 = 3329;

/// The 256th root of unity of the transform.
const ZETA: u32 = 17;

/// Coefficients of a polynomial.
const N: usize = 256;

/// A constant of the transform with another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Twist {
    pub number: usize,
    pub value: u32,
    pub right: u32,
}

/// The constant whose other value explains the transformed secret vector of a private key, of the
/// seed d. `None` if the vector is right, or if no single constant explains it.
pub(super) fn twisted(d: &[u8], rank: usize, got: &[u8]) -> Option<Twist> {
    let secret = secret(d, rank);
    let constants = constants();
    let got: Vec<Vec<u32>> = got.chunks_exact(384).map(decoded).collect();
    if got.len() != rank {
        return None;
    }
    let wrong: Vec<usize> = secret
        .iter()
        .zip(&got)
        .flat_map(|(own, got)| {
            let right = transformed(own, &constants);
            (0..N)
                .filter(move |at| right[*at] != got[*at])
                .collect::<Vec<_>>()
        })
        .collect();
    let (first, last) = (*wrong.iter().min()?, *wrong.iter().max()?);
    // A constant is used in one block of a layer; of those that hold all that is wrong, the
    // smallest.
    let number = (1..N / 2).rev().find(|number| {
        let block = N / (1 << number.ilog2());
        let start = block * (number - (1 << number.ilog2()));
        (start..start + block).contains(&first) && (start..start + block).contains(&last)
    })?;
    let explains = |value: &u32| {
        let mut constants = constants;
        constants[number] = *value;
        secret
            .iter()
            .zip(&got)
            .all(|(own, got)| transformed(own, &constants) == *got)
    };
    let value = (0..Q).find(explains)?;
    Some(Twist {
        number,
        value,
        right: constants[number],
    })
}

/// The secret vector before its transform [FIPS203, algorithm 13].
fn secret(d: &[u8], rank: usize) -> Vec<Vec<u32>> {
    let message = [d, &[rank as u8]].concat();
    let sigma = &Sha3_512::digest(&message)[32..];
    let eta = if rank == 2 { 3 } else { 2 };
    let noise = |number: usize| {
        let mut bytes = [0; 64 * 3];
        Shake256::digest_xof([sigma, &[number as u8]].concat(), &mut bytes[..64 * eta]);
        let bit = |at: usize| u32::from(bytes[at / 8] >> (at % 8) & 1);
        let sum = |from: usize| (from..from + eta).map(bit).sum::<u32>();
        let coefficient = |at: usize| (Q + sum(2 * at * eta) - sum((2 * at + 1) * eta)) % Q;
        (0..N).map(coefficient).collect()
    };
    (0..rank).map(noise).collect()
}

/// The constants of the transform: powers of zeta, by their bits in reverse order.
fn constants() -> [u32; 128] {
    std::array::from_fn(|number| {
        let power = (number as u8).reverse_bits() >> 1;
        (0..power).fold(1, |product, _| product * ZETA % Q)
    })
}

/// The transform with given constants [FIPS203, algorithm 9].
fn transformed(polynomial: &[u32], constants: &[u32; 128]) -> Vec<u32> {
    let mut of = polynomial.to_vec();
    let mut number = 1;
    let mut half = N / 2;
    while half >= 2 {
        for start in (0..N).step_by(2 * half) {
            for at in start..start + half {
                let product = constants[number] * of[at + half] % Q;
                of[at + half] = (of[at] + Q - product) % Q;
                of[at] = (of[at] + product) % Q;
            }
            number += 1;
        }
        half /= 2;
    }
    of
}

/// The coefficients of 12 bits of a polynomial [FIPS203, algorithm 6].
fn decoded(bytes: &[u8]) -> Vec<u32> {
    let two = |three: &[u8]| {
        let all = u32::from(three[0]) | u32::from(three[1]) << 8 | u32::from(three[2]) << 16;
        [all & 0xfff, all >> 12]
    };
    bytes.chunks_exact(3).flat_map(two).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(polynomial: &[u32]) -> Vec<u8> {
        let three = |pair: &[u32]| (pair[0] | pair[1] << 12).to_le_bytes()[..3].to_vec();
        polynomial.chunks_exact(2).flat_map(three).collect()
    }

    /// The secret vector of a private key, with one constant of another value.
    fn key(d: &[u8], rank: usize, twist: Option<(usize, u32)>) -> Vec<u8> {
        let mut constants = constants();
        if let Some((number, value)) = twist {
            constants[number] = value;
        }
        let secret = secret(d, rank);
        let own = secret
            .iter()
            .map(|own| encoded(&transformed(own, &constants)));
        own.collect::<Vec<_>>().concat()
    }

    #[test]
    fn a_single_wrong_constant_is_named() {
        let d = [7; 32];
        assert_eq!(twisted(&d, 2, &key(&d, 2, None)), None);
        for (number, value) in [(1, 5), (2, 1000), (3, 17), (40, 3328), (127, 1)] {
            let found = twisted(&d, 3, &key(&d, 3, Some((number, value))));
            let found = found.map(|twist| (twist.number, twist.value));
            assert_eq!(found, Some((number, value)));
        }
        // The secret of another seed is no transform of this one.
        assert_eq!(twisted(&d, 2, &key(&[8; 32], 2, None)), None);
    }
}
