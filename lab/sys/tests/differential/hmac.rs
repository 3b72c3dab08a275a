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

/// CMAC of a message of whole blocks and of one that is padded, from the encryption of single blocks
/// [SP800-38B, 6.2].
#[test]
fn cmac_is_that_of_its_blocks() {
    let inputs = (
        any::<[u8; 16]>(),
        prop::collection::vec(any::<u8>(), 0..100),
    );
    check(128, inputs, |(raw, message), tap| {
        let key = selo_sys::Aes128Small::new(&raw);
        let encrypt = |block: u128| {
            let mut out = [0; 16];
            selo_sys::Encrypt::encrypt_block(&key, &mut out, &block.to_be_bytes());
            u128::from_be_bytes(out)
        };
        let twice = |number: u128| (number << 1) ^ ((number >> 127) * 0x87);
        let whole = !message.is_empty() && message.len() % 16 == 0;
        let mut padded = message.clone();
        if !whole {
            padded.push(0x80);
            padded.resize(message.len() / 16 * 16 + 16, 0);
        }
        let one = twice(encrypt(0));
        let last = if whole { one } else { twice(one) };
        let blocks = padded.chunks(16).enumerate();
        let expected = blocks.fold(0, |sum: u128, (number, block)| {
            let block = u128::from_be_bytes(block.try_into().expect("16 bytes"));
            let subkey = if 16 * (number + 1) == padded.len() {
                last
            } else {
                0
            };
            encrypt(sum ^ block ^ subkey)
        });
        prop_assert_eq!(
            tap.array(selo_sys::cmac(&key, &message)),
            expected.to_be_bytes()
        );
        Ok(())
    });
}
