//! Poly1305 [RFC8439, 2.5] with 64-bit words. A packet of the link has three or four blocks,
//! too few for vector code with powers of r to pay off.

use subtle::{Choice, ConditionallySelectable};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Size of a block and of the tag, bytes.
pub(super) const BLOCK: usize = 16;

#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Poly1305 {
    /// The accumulator modulo 2^130 - 5, partially reduced: its low 128 bits here, the rest in
    /// `high`, which is at most 4 between blocks.
    low: u128,
    high: u64,
    /// The clamped r, as words below 2^60.
    r: [u64; 2],
    s: u128,
}

impl Poly1305 {
    /// Starts with a one-time key: r, then s.
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let [r, s] = [0, BLOCK].map(|at| load(&key[at..at + BLOCK]));
        let r = r & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
        Poly1305 {
            low: 0,
            high: 0,
            r: [r as u64, (r >> 64) as u64],
            s,
        }
    }

    /// Absorbs bytes, zero-padded to whole blocks as in the AEAD [RFC8439, 2.8].
    #[inline]
    pub(super) fn update_padded(&mut self, bytes: &[u8]) {
        for block in bytes.chunks(BLOCK) {
            self.block(load(block));
        }
    }

    /// Absorbs one block.
    #[inline]
    pub(super) fn block(&mut self, block: u128) {
        // h += block + 2^128
        let (low, carry) = self.low.overflowing_add(block);
        let high = self.high + 1 + u64::from(carry);
        // h *= r. The high word r1 is a multiple of 4. A product at 2^128 times r1 is therefore
        // folded to 5/4 r1 at 2^0, because 2^130 = 5 modulo p.
        let [h0, h1, h2] = [low as u64, (low >> 64) as u64, high];
        let [r0, r1] = self.r;
        let folded = r1 + (r1 >> 2);
        // Sums stay below 2^126, because the words of r are below 2^60.
        let d0 = wide(h0, r0) + wide(h1, folded);
        let d1 = wide(h0, r1) + wide(h1, r0) + wide(h2, folded) + (d0 >> 64);
        // Below 2^64, because `high` is at most 6.
        let top = h2 * r0 + (d1 >> 64) as u64;
        // The part above 2^130 is folded back, times five.
        let back = (top & !3) + (top >> 2);
        let low = (d1 << 64) | (d0 & u128::from(u64::MAX));
        let (low, carry) = low.overflowing_add(back.into());
        self.low = low;
        self.high = (top & 3) + u64::from(carry);
    }

    pub(super) fn tag(&self) -> [u8; BLOCK] {
        // Computes h mod p in constant time: h + 5 without the bits above 2^130, if h >= p.
        let (less, carry) = self.low.overflowing_add(5);
        let not_below = Choice::from(((self.high + u64::from(carry)) >> 2) as u8 & 1);
        let reduced = u128::conditional_select(&self.low, &less, not_below);
        reduced.wrapping_add(self.s).to_le_bytes()
    }
}

/// Up to 16 bytes as a little-endian number.
#[inline]
fn load(bytes: &[u8]) -> u128 {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(block)
}

#[inline]
fn wide(a: u64, b: u64) -> u128 {
    u128::from(a) * u128::from(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use poly1305::universal_hash::KeyInit;
    use proptest::prelude::*;

    fn tag(key: &[u8; 32], bytes: &[u8]) -> [u8; BLOCK] {
        let mut poly1305 = Poly1305::new(key);
        poly1305.update_padded(bytes);
        poly1305.tag()
    }

    fn others_tag(key: &[u8; 32], bytes: &[u8]) -> [u8; BLOCK] {
        poly1305::Poly1305::new(key.into())
            .compute_unpadded(bytes)
            .into()
    }

    /// Words near carry boundaries are as likely as all others.
    fn words() -> impl Strategy<Value = u64> {
        prop_oneof![
            any::<u64>(),
            prop::sample::select(vec![0, 1, 2, 3, 4, 5, 6]),
            (0u64..8).prop_map(|less| u64::MAX - less),
        ]
    }

    fn bytes_of(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn it_is_that_of_another_implementation(
            key in prop::array::uniform4(words()),
            blocks in prop::collection::vec([words(), words()], 0..8),
        ) {
            let key: [u8; 32] = bytes_of(&key).try_into().expect("32 bytes");
            let bytes = bytes_of(blocks.as_flattened());
            prop_assert_eq!(tag(&key, &bytes), others_tag(&key, &bytes));
        }
    }

    /// Sums near the prime, which test the reduction [RFC8439, A.3], vectors 7 to 9.
    #[test]
    fn sums_about_the_prime_are_reduced() {
        let tag_of = |r: u8, blocks: &[[u8; BLOCK]]| {
            let mut key = [0; 32];
            key[0] = r;
            u128::from_le_bytes(tag(&key, blocks.as_flattened()))
        };
        let number = |low: u8, rest: u8| {
            let mut block = [rest; BLOCK];
            block[0] = low;
            block
        };
        let ones = number(0xff, 0xff);
        assert_eq!(tag_of(1, &[ones, number(0xf0, 0xff), number(0x11, 0)]), 5);
        assert_eq!(tag_of(1, &[ones, number(0xfb, 0xfe), number(1, 1)]), 0);
        assert_eq!(tag_of(2, &[number(0xfd, 0xff)]), u128::MAX - 5);
    }
}
