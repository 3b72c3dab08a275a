//! Hashes: any message, in one piece or several.

use proptest::prelude::*;
use selo_sys::{AsconHash256, Blake2s, Sha3_256, Sha3_512, Sha256, Sha384, Sha512};
use sha2::Digest as _;

use crate::harness::check;

/// A message of up to a few blocks of any hash, and the sizes of its pieces. Lengths around a
/// block and around the position of the length field are frequent.
fn cut_messages() -> impl Strategy<Value = (Vec<u8>, Vec<usize>)> {
    let length = prop_oneof![
        0usize..600,
        (
            1usize..4,
            prop::sample::select(vec![64usize, 72, 128, 136]),
            0usize..20
        )
            .prop_map(|(blocks, block, below)| (blocks * block + 1).saturating_sub(below)),
    ];
    let message = length.prop_flat_map(|length| prop::collection::vec(any::<u8>(), length));
    let pieces = prop::collection::vec(prop_oneof![Just(0usize), 1usize..5, 1usize..200], 0..12);
    (message, pieces)
}

/// Cuts the data into pieces of the given sizes; the rest is the last piece.
pub fn pieces<'a>(message: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = message;
    let mut pieces = Vec::new();
    for &size in sizes {
        let (piece, after) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

macro_rules! hash_tests {
    ($($test:ident: $selo:ident, $reference:ty;)+) => {$(
        #[test]
        fn $test() {
            check(256, cut_messages(), |(message, sizes), tap| {
                let expected: Vec<u8> = <$reference>::digest(&message).to_vec();
                let mut hash = $selo::new();
                for piece in pieces(&message, &sizes) {
                    hash.update(piece);
                }
                prop_assert_eq!(tap.array(hash.finish()).to_vec(), &expected[..]);
                prop_assert_eq!(tap.array($selo::digest(&message)).to_vec(), expected);
                Ok(())
            });
        }
    )+};
}

hash_tests! {
    sha_256_of_any_pieces: Sha256, sha2::Sha256;
    sha_512_of_any_pieces: Sha512, sha2::Sha512;
    sha_384_of_any_pieces: Sha384, sha2::Sha384;
    sha3_256_of_any_pieces: Sha3_256, sha3::Sha3_256;
    sha3_512_of_any_pieces: Sha3_512, sha3::Sha3_512;
    blake2s_of_any_pieces: Blake2s, blake2::Blake2s256;
    ascon_hash256_of_any_pieces: AsconHash256, ascon_hash::AsconHash256;
}

/// The first bytes that NIST publishes for the empty message [FIPS202].
#[test]
fn shake_of_an_empty_message() {
    let (mut of_128, mut of_256) = ([0; 200], [0; 8]);
    selo_sys::shake128(b"", &mut of_128);
    selo_sys::shake256(b"", &mut of_256);
    assert_eq!(hex::encode(&of_128[..8]), "7f9c2ba4e88f827d");
    assert_eq!(hex::encode(of_256), "46b9dd2b0ba88d13");
}
