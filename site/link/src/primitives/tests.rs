//! Compares the assembled primitives with the AEAD crates, the `hmac` crate and Wycheproof.

use aes_gcm::aead::{AeadInOut, KeyInit};
use proptest::collection::vec;
use proptest::prelude::*;
use sha2::Digest;
use sha2::digest::common::BlockSizeUser;
use zeroize::Zeroizing;

use super::{hash, hkdf, open, seal};
use crate::Suite;

fn suites() -> impl Strategy<Value = Suite> {
    proptest::sample::select(Suite::ALL.to_vec())
}

/// Ciphertext and tag as computed by the suite's AEAD crate.
fn seal_with_crate(suite: Suite, key: &[u8; 32], n: u64, ad: &[u8], text: &[u8]) -> Vec<u8> {
    let mut nonce = [0; 12];
    let mut sealed = text.to_vec();
    match suite {
        Suite::AesGcmSha3 | Suite::AesGcmSha256 => {
            nonce[4..].copy_from_slice(&n.to_be_bytes());
            let cipher = aes_gcm::Aes256Gcm::new(key.into());
            cipher
                .encrypt_in_place(&nonce.into(), ad, &mut sealed)
                .expect("it is short");
        }
        Suite::ChaChaPolyBlake2s => {
            nonce[4..].copy_from_slice(&n.to_le_bytes());
            let cipher = chacha20poly1305::ChaCha20Poly1305::new(key.into());
            cipher
                .encrypt_in_place(&nonce.into(), ad, &mut sealed)
                .expect("it is short");
        }
        Suite::Ascon => {
            let (key, mask) = key.split_first_chunk::<16>().expect("32 bytes");
            let mut nonce = [0; 16];
            nonce[..8].copy_from_slice(&n.to_le_bytes());
            nonce
                .iter_mut()
                .zip(mask)
                .for_each(|(nonce, mask)| *nonce ^= mask);
            let cipher = ascon_aead::AsconAead128::new(key.into());
            cipher
                .encrypt_in_place(&nonce.into(), ad, &mut sealed)
                .expect("it is short");
        }
    }
    sealed
}

/// HKDF as defined in [RFC5869], built on the `hmac` crate.
fn hkdf_with_crate<H: Digest + BlockSizeUser + Clone>(
    salt: &[u8; 32],
    ikm: &[u8],
) -> [[u8; 32]; 3] {
    use hmac::{Mac, SimpleHmac};
    let mac = |key: &[u8], parts: &[&[u8]]| -> [u8; 32] {
        let mut hmac = <SimpleHmac<H> as KeyInit>::new_from_slice(key).expect("any size");
        parts.iter().for_each(|part| hmac.update(part));
        hmac.finalize().into_bytes()[..]
            .try_into()
            .expect("32 bytes")
    };
    let prk = mac(salt, &[ikm]);
    let first = mac(&prk, &[&[1]]);
    let second = mac(&prk, &[&first, &[2]]);
    [first, second, mac(&prk, &[&second, &[3]])]
}

proptest! {
    #[test]
    fn seals_as_the_crates_do(
        suite in suites(),
        key: [u8; 32],
        n: u64,
        ad in vec(any::<u8>(), 0..80),
        text in vec(any::<u8>(), 0..400),
    ) {
        let mut sealed = text.clone();
        let tag = seal(suite, &key, n, &ad, &mut sealed);
        sealed.extend(tag);
        prop_assert_eq!(&sealed, &seal_with_crate(suite, &key, n, &ad, &text));

        for tag_bytes in [8, 16] {
            let mut opened = sealed[..text.len()].to_vec();
            prop_assert!(open(suite, &key, n, &ad, &mut opened, &tag[..tag_bytes]));
            prop_assert_eq!(&opened, &text);
        }
    }

    #[test]
    fn a_changed_bit_opens_nothing(
        suite in suites(),
        key: [u8; 32],
        n: u64,
        ad in vec(any::<u8>(), 1..20),
        text in vec(any::<u8>(), 1..60),
        long_tag: bool,
        bit: prop::sample::Index,
    ) {
        let mut sealed = text.clone();
        let tag = seal(suite, &key, n, &ad, &mut sealed);
        let tag = &tag[..if long_tag { 16 } else { 8 }];
        let mut all = [&ad[..], &sealed, tag].concat();
        let bit = bit.index(8 * all.len());
        all[bit / 8] ^= 1 << (bit % 8);
        let (ad, rest) = all.split_at(ad.len());
        let (sealed, tag) = rest.split_at(text.len());
        let mut opened = sealed.to_vec();
        prop_assert!(!open(suite, &key, n, ad, &mut opened, tag));
        prop_assert_eq!(opened, vec![0; text.len()], "what was not opened is not shown");
    }

    #[test]
    fn hkdf_is_that_of_the_hmac_crate(salt: [u8; 32], ikm in vec(any::<u8>(), 0..70)) {
        let ours = |suite| *hkdf::<3>(suite, &salt, &ikm);
        prop_assert_eq!(ours(Suite::AesGcmSha3), hkdf_with_crate::<sha3::Sha3_256>(&salt, &ikm));
        prop_assert_eq!(ours(Suite::AesGcmSha256), hkdf_with_crate::<sha2::Sha256>(&salt, &ikm));
        prop_assert_eq!(
            ours(Suite::ChaChaPolyBlake2s),
            hkdf_with_crate::<blake2::Blake2s256>(&salt, &ikm)
        );
    }

    /// HMAC [FIPS198-1, 4] written out, because the `hmac` crate uses another block size for
    /// Ascon.
    #[test]
    fn hmac_pads_to_the_block(salt: [u8; 32], ikm in vec(any::<u8>(), 0..70)) {
        for (suite, block) in [
            (Suite::AesGcmSha3, 136),
            (Suite::ChaChaPolyBlake2s, 64),
            (Suite::AesGcmSha256, 64),
            (Suite::Ascon, 32),
        ] {
            let mac = |key: &[u8; 32], text: &[u8]| {
                let padded = |pad: u8| {
                    let mut block = vec![pad; block];
                    block.iter_mut().zip(key).for_each(|(block, key)| *block ^= key);
                    block
                };
                let inner = hash(suite, &[&padded(0x36), text]);
                hash(suite, &[&padded(0x5c), &inner])
            };
            let prk = mac(&salt, &ikm);
            let first = mac(&prk, &[1]);
            let second = mac(&prk, &[&first[..], &[2]].concat());
            prop_assert_eq!(*hkdf::<2>(suite, &salt, &ikm), [first, second]);
        }
    }
}

/// Both X25519 implementations on Wycheproof's edge cases.
#[test]
fn x25519_passes_wycheproof() {
    let text = include_str!("../../../../lab/vectors/wycheproof/x25519_test.json");
    let file: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
    let bytes = |case: &serde_json::Value, field: &str| -> [u8; 32] {
        let text = case[field].as_str().expect("a string");
        hex::decode(text)
            .expect("hexadecimal")
            .try_into()
            .expect("32 bytes")
    };
    let groups = file["testGroups"].as_array().expect("groups");
    let cases: Vec<_> = groups
        .iter()
        .flat_map(|group| group["tests"].as_array().expect("cases"))
        .collect();
    assert_eq!(cases.len() as u64, file["numberOfTests"]);
    for case in cases {
        let [secret, public, shared] =
            ["private", "public", "shared"].map(|field| bytes(case, field));
        let expected = (shared != [0; 32]).then(|| Zeroizing::new(shared));
        assert_eq!(
            crate::x25519::shared_secret(&secret, &public),
            expected,
            "{case}"
        );
        assert_eq!(
            crate::x25519::portable::multiply(&secret, &public),
            shared,
            "{case}"
        );
    }
}

proptest! {
    #[test]
    fn both_implementations_make_the_same_public_key(secret: [u8; 32]) {
        let public = crate::x25519::public_key(&secret);
        prop_assert_eq!(public, crate::x25519::portable::public_key(&secret));
        let mut base = [0; 32];
        base[0] = 9;
        prop_assert_eq!(public, crate::x25519::portable::multiply(&secret, &base));
    }
}
