//! HKDF: any salt, any length of key, and lengths over the limit.

use hkdf::SimpleHkdf;
use proptest::prelude::*;
use selo_sys::{Error, hkdf_ascon_hash256, hkdf_blake2s, hkdf_sha3_256, hkdf_sha256};

use crate::harness::check;
use crate::reference::AsconBlock32;

/// Lengths around multiples of the digest, where another HMAC begins, and all other lengths up
/// to the limit.
fn lengths() -> impl Strategy<Value = usize> {
    prop_oneof![
        1usize..200,
        (1usize..=255, 0usize..2).prop_map(|(digests, below)| digests * 32 - below),
    ]
}

macro_rules! hkdf_tests {
    ($($test:ident: $selo:ident, $reference:ty;)+) => {$(
        #[test]
        fn $test() {
            let bytes = |below| prop::collection::vec(any::<u8>(), 0..below);
            check(96, (bytes(150), bytes(150), bytes(150), lengths()), |(salt, ikm, info, size), tap| {
                let mut expected = vec![0; size];
                SimpleHkdf::<$reference>::new(Some(&salt), &ikm)
                    .expand(&info, &mut expected)
                    .expect("at most 255 digests");
                let mut out = vec![0xa5; size];
                prop_assert_eq!(tap.result($selo(&mut out, &salt, &ikm, &info)), Ok(()));
                tap.bytes(&mut out);
                prop_assert_eq!(out, expected);

                let mut out = vec![0xa5; 255 * 32 + size];
                let result = $selo(&mut out, &salt, &ikm, &info);
                prop_assert_eq!(tap.result(result), Err(Error::Argument));
                tap.bytes(&mut out);
                prop_assert!(out.iter().all(|&byte| byte == 0));
                Ok(())
            });
        }
    )+};
}

hkdf_tests! {
    hkdf_sha_256_of_any_length: hkdf_sha256, sha2::Sha256;
    hkdf_sha3_256_of_any_length: hkdf_sha3_256, sha3::Sha3_256;
    hkdf_blake2s_of_any_length: hkdf_blake2s, blake2::Blake2s256;
    hkdf_ascon_hash256_of_any_length: hkdf_ascon_hash256, AsconBlock32;
}
