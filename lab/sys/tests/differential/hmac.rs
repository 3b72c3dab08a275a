//! HMAC: keys of any length, messages in any pieces, right and wrong tags.

use hmac::{KeyInit, Mac, SimpleHmac};
use proptest::prelude::*;
use selo_sys::{HmacAsconHash256, HmacBlake2s, HmacSha3_256, HmacSha3_512, HmacSha256, HmacSha512};

use crate::harness::check;
use crate::hashes::pieces;
use crate::reference::AsconBlock32;

/// Lengths around each hash's block (32, 64, 72, 128, 136 bytes), above which a key is hashed,
/// and all other lengths.
fn keys() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![
        0usize..300,
        prop::sample::select(vec![
            31usize, 32, 33, 63, 64, 65, 71, 72, 73, 127, 128, 129, 135, 136, 137
        ]),
    ];
    length.prop_flat_map(|length| prop::collection::vec(any::<u8>(), length))
}

macro_rules! hmac_tests {
    ($($test:ident: $selo:ident, $reference:ty;)+) => {$(
        #[test]
        fn $test() {
            let message = prop::collection::vec(any::<u8>(), 0..400);
            let sizes = prop::collection::vec(0usize..100, 0..6);
            let wrong_bit = any::<prop::sample::Index>();
            check(192, (keys(), message, sizes, wrong_bit), |(key, message, sizes, bit), tap| {
                let start = || {
                    let mut mac = $selo::new(&key);
                    for piece in pieces(&message, &sizes) {
                        mac.update(piece);
                    }
                    mac
                };
                let mut reference = <SimpleHmac<$reference>>::new_from_slice(&key).expect("any length");
                reference.update(&message);
                let expected = reference.finalize().into_bytes();
                let mut tag = start().finish();
                prop_assert_eq!(&tap.array(tag)[..], &expected[..]);

                prop_assert!(tap.answer(start().verify(&tag)));
                let bit = bit.index(tag.len() * 8);
                tag[bit / 8] ^= 1 << (bit % 8);
                prop_assert!(!tap.answer(start().verify(&tag)));
                Ok(())
            });
        }
    )+};
}

hmac_tests! {
    hmac_sha_256_under_any_key: HmacSha256, sha2::Sha256;
    hmac_sha_512_under_any_key: HmacSha512, sha2::Sha512;
    hmac_sha3_256_under_any_key: HmacSha3_256, sha3::Sha3_256;
    hmac_sha3_512_under_any_key: HmacSha3_512, sha3::Sha3_512;
    hmac_blake2s_under_any_key: HmacBlake2s, blake2::Blake2s256;
    hmac_ascon_hash256_under_any_key: HmacAsconHash256, AsconBlock32;
}
