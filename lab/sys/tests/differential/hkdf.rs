//! HKDF: any salt, any length of key, and lengths over the limit. PBKDF2.

use hkdf::SimpleHkdf;
use hmac::{KeyInit, Mac, SimpleHmac};
use proptest::prelude::*;
use selo_sys::{
    Error, hkdf_ascon_hash256, hkdf_blake2s, hkdf_sha3_256, hkdf_sha256, pbkdf2_sha256,
};

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

/// The blocks of [RFC8018, 5.2], written out with the reference's HMAC.
fn pbkdf2(password: &[u8], salt: &[u8], iterations: u32, size: usize) -> Vec<u8> {
    let hmac = |parts: [&[u8]; 2]| -> [u8; 32] {
        let mut mac = SimpleHmac::<sha2::Sha256>::new_from_slice(password).expect("any key");
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    };
    let block = |number: u32| {
        let mut last = hmac([salt, &number.to_be_bytes()]);
        let mut sum = last;
        for _ in 1..iterations {
            last = hmac([&last, &[]]);
            sum.iter_mut()
                .zip(last)
                .for_each(|(sum, byte)| *sum ^= byte);
        }
        sum
    };
    (1..).flat_map(block).take(size).collect()
}

#[test]
fn pbkdf2_of_any_length() {
    let bytes = || prop::collection::vec(any::<u8>(), 0..150);
    let inputs = (bytes(), bytes(), 1u32..20, 1usize..200);
    check(96, inputs, |(password, salt, iterations, size), tap| {
        let mut out = vec![0xa5; size];
        let result = pbkdf2_sha256(&mut out, &password, &salt, iterations);
        prop_assert_eq!(tap.result(result), Ok(()));
        tap.bytes(&mut out);
        prop_assert_eq!(out, pbkdf2(&password, &salt, iterations, size));
        Ok(())
    });
}
