//! CBC: the random IV, the padding, and every failure.

use proptest::prelude::*;
use selo_sys::{
    Aes128Fast, Encrypt, Error, cbc_decrypt, cbc_decrypt_behind_iv, cbc_decrypt_in_place,
    cbc_encrypt, cbc_size,
};

use crate::ciphers::{Cipher, keyed};
use crate::harness::{Tap, check};

fn messages() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..100)
}

#[test]
fn it_encrypts_as_the_reference() {
    // The room behind the output keeps its content.
    let inputs = (keyed(), any::<[u8; 16]>(), messages(), 0usize..20);
    check(96, inputs, |((cipher, raw), iv, message, room), tap| {
        let expected = cipher.reference(&raw).cbc_encrypt(iv, &message);
        prop_assert_eq!(expected.len(), cbc_size(message.len()));
        for (variant, key) in &cipher.variants(&raw).encrypt {
            let mut out = vec![0xa5; expected.len() + room];
            let random = |out: &mut [u8]| {
                out.copy_from_slice(&iv);
                Ok(())
            };
            let size = tap.result(cbc_encrypt(&**key, random, &mut out, &message));
            tap.bytes(&mut out);
            prop_assert_eq!(size, Ok(expected.len()), "{}", variant);
            prop_assert_eq!(&out[..expected.len()], &expected[..], "{}", variant);
            prop_assert!(out[expected.len()..].iter().all(|&byte| byte == 0xa5));
        }
        Ok(())
    });
}

#[test]
fn it_decrypts_what_the_reference_encrypted() {
    let inputs = (keyed(), any::<[u8; 16]>(), messages());
    check(96, inputs, |((cipher, raw), iv, message), tap| {
        let sealed = cipher.reference(&raw).cbc_encrypt(iv, &message);
        for (_, key) in &cipher.variants(&raw).decrypt {
            let size = message.len();
            let mut apart = vec![0xa5; sealed.len() - 16];
            let result = cbc_decrypt(&**key, &mut apart, &sealed);
            prop_assert_eq!(tap.result(result), Ok(size));
            tap.bytes(&mut apart[..size]);
            prop_assert_eq!(&apart[..size], &message[..]);

            let mut in_place = sealed.clone();
            let result = cbc_decrypt_in_place(&**key, &mut in_place);
            prop_assert_eq!(tap.result(result), Ok(size));
            tap.bytes(&mut in_place[..size]);
            prop_assert_eq!(&in_place[..size], &message[..]);

            let mut behind = sealed.clone();
            let result = cbc_decrypt_behind_iv(&**key, &mut behind);
            prop_assert_eq!(tap.result(result), Ok(size));
            tap.bytes(&mut behind[16..16 + size]);
            prop_assert_eq!(&behind[16..16 + size], &message[..]);
        }
        Ok(())
    });
}

/// Decrypting `sealed` must give the reference's result, or an error that zeroes the output.
fn opens_like(
    expected: Option<&[u8]>,
    cipher: Cipher,
    raw: &[u8],
    sealed: &[u8],
    tap: &Tap,
) -> Result<(), TestCaseError> {
    for (variant, key) in &cipher.variants(raw).decrypt {
        let mut out = vec![0xa5; sealed.len() - 16];
        let mut in_place = sealed.to_vec();
        let mut behind = sealed.to_vec();
        let results = [
            tap.result(cbc_decrypt(&**key, &mut out, sealed)),
            tap.result(cbc_decrypt_in_place(&**key, &mut in_place)),
            tap.result(cbc_decrypt_behind_iv(&**key, &mut behind)),
        ];
        match expected {
            Some(message) => {
                tap.bytes(&mut out[..message.len()]);
                prop_assert_eq!(results, [Ok(message.len()); 3], "{}", variant);
                prop_assert_eq!(&out[..message.len()], message);
            }
            None => {
                tap.bytes(&mut out);
                tap.bytes(&mut in_place);
                tap.bytes(&mut behind[16..]);
                prop_assert_eq!(results, [Err(Error::Padding); 3], "{}", variant);
                prop_assert!(out.iter().all(|&byte| byte == 0));
                prop_assert!(in_place.iter().all(|&byte| byte == 0));
                prop_assert!(behind[16..].iter().all(|&byte| byte == 0));
            }
        }
    }
    Ok(())
}

/// A last block whose final bytes are, or nearly are, padding.
fn padding_like() -> impl Strategy<Value = [u8; 16]> {
    (any::<[u8; 16]>(), 0u8..=20, 0usize..=16).prop_map(|(mut block, value, count)| {
        block[16 - count..].fill(value);
        block
    })
}

#[test]
fn random_last_blocks_open_as_with_the_reference() {
    let inputs = (keyed(), any::<[u8; 16]>(), padding_like());
    check(256, inputs, |((cipher, raw), iv, last), tap| {
        let reference = cipher.reference(&raw);
        let mut sealed = iv.to_vec();
        for block in [[0x5a; 16], last] {
            let before = sealed.last_chunk::<16>().expect("an IV at least");
            let mixed = std::array::from_fn(|i| before[i] ^ block[i]);
            sealed.extend(reference.encrypt_block(mixed));
        }
        let expected = reference.cbc_decrypt(&sealed);
        opens_like(expected.as_deref(), cipher, &raw, &sealed, tap)
    });
}

/// All 16 paddings, with each byte replaced by each of the 255 other values.
#[test]
fn every_corrupted_padding_is_found_and_zeroed() {
    let raw = [0x42; 16];
    let key = Aes128Fast::new(&raw);
    let iv = [0x17; 16];
    let (mut refused, mut other_message) = (0, 0);
    for padding in 1..=16u8 {
        for place in 16 - usize::from(padding)..16 {
            for change in 1..=255u8 {
                let mut plain = [0x80; 16];
                plain[16 - usize::from(padding)..].fill(padding);
                plain[place] ^= change;
                let mut sealed = [iv, [0; 16]].concat();
                let mixed = std::array::from_fn(|i| iv[i] ^ plain[i]);
                let mut block = [0; 16];
                key.encrypt_block(&mut block, &mixed);
                sealed[16..].copy_from_slice(&block);

                // The rule of [RFC5652, 6.3], written out.
                let size = usize::from(plain[15]);
                let well_formed = (1..=16).contains(&size)
                    && plain[16 - size..]
                        .iter()
                        .all(|&byte| usize::from(byte) == size);
                let mut out = [0xa5; 16];
                let result = cbc_decrypt(&key, &mut out, &sealed);
                if well_formed {
                    other_message += 1;
                    assert_eq!(result, Ok(16 - size));
                } else {
                    refused += 1;
                    assert_eq!(result, Err(Error::Padding));
                    assert_eq!(out, [0; 16]);
                }
            }
        }
    }
    // An altered last byte may become 1, which is valid padding, unless it was 1 before. Nothing
    // else is well-formed: the bytes before the padding are 0x80.
    assert_eq!((refused, other_message), (136 * 255 - 15, 15));
}

/// A whole block of one value, for all 256 values: valid padding if the value is 1 to 16. The
/// value 17 is invalid, although all 16 bytes of the block equal it.
#[test]
fn a_padding_of_no_or_too_many_bytes_is_found() {
    let key = Aes128Fast::new(&[0x42; 16]);
    for value in 0..=255u8 {
        let mut sealed = [0; 32];
        let mut block = [value; 16];
        key.encrypt_block_in_place(&mut block);
        sealed[16..].copy_from_slice(&block);
        let mut out = [0xa5; 16];
        let result = cbc_decrypt(&key, &mut out, &sealed);
        if (1..=16).contains(&value) {
            assert_eq!(result, Ok(16 - usize::from(value)));
        } else {
            assert_eq!((result, out), (Err(Error::Padding), [0; 16]), "{value}");
        }
    }
}

#[test]
fn a_buffer_too_small_is_refused_and_zeroed() {
    let inputs = (keyed(), messages(), any::<prop::sample::Index>());
    check(64, inputs, |((cipher, raw), message, index), tap| {
        let selo = cipher.variants(&raw);
        let sealed = cipher.reference(&raw).cbc_encrypt([3; 16], &message);

        let mut out = vec![0xa5; index.index(sealed.len())];
        let random =
            |_: &mut [u8]| unreachable!("nothing is drawn for a message that does not fit");
        let result = cbc_encrypt(&*selo.encrypt[0].1, random, &mut out, &message);
        prop_assert_eq!(tap.result(result), Err(Error::Space));
        tap.bytes(&mut out);
        prop_assert!(out.iter().all(|&byte| byte == 0));

        let mut out = vec![0xa5; index.index(sealed.len() - 16)];
        let result = cbc_decrypt(&*selo.decrypt[0].1, &mut out, &sealed);
        prop_assert_eq!(tap.result(result), Err(Error::Space));
        tap.bytes(&mut out);
        prop_assert!(out.iter().all(|&byte| byte == 0));
        Ok(())
    });
}

#[test]
fn what_cannot_be_a_ciphertext_is_refused_and_zeroed() {
    let sealed = prop::collection::vec(any::<u8>(), 0..100)
        .prop_filter("not IV and blocks", |sealed| {
            sealed.len() < 32 || sealed.len() % 16 != 0
        });
    check(64, (keyed(), sealed), |((cipher, raw), sealed), tap| {
        for (_, key) in &cipher.variants(&raw).decrypt {
            let mut out = vec![0xa5; 100];
            let mut in_place = sealed.clone();
            let mut behind = sealed.clone();
            let result = cbc_decrypt(&**key, &mut out, &sealed);
            prop_assert_eq!(tap.result(result), Err(Error::Argument));
            let result = cbc_decrypt_in_place(&**key, &mut in_place);
            prop_assert_eq!(tap.result(result), Err(Error::Argument));
            let result = cbc_decrypt_behind_iv(&**key, &mut behind);
            prop_assert_eq!(tap.result(result), Err(Error::Argument));
            tap.bytes(&mut out);
            tap.bytes(&mut in_place);
            prop_assert!(out.iter().all(|&byte| byte == 0));
            prop_assert!(in_place.iter().all(|&byte| byte == 0));
            prop_assert!(behind.iter().skip(16).all(|&byte| byte == 0));
        }
        Ok(())
    });
}

#[test]
fn without_random_bytes_nothing_is_sealed() {
    let inputs = (keyed(), messages(), 0usize..20);
    check(64, inputs, |((cipher, raw), message, room), tap| {
        for (_, key) in &cipher.variants(&raw).encrypt {
            let mut out = vec![0xa5; cbc_size(message.len()) + room];
            // It fails after it has written some bytes, with an error code of its own.
            let random = |out: &mut [u8]| {
                out[..7].fill(0x99);
                Err(Error::Unknown(200))
            };
            let result = cbc_encrypt(&**key, random, &mut out, &message);
            prop_assert_eq!(tap.result(result), Err(Error::Random));
            tap.bytes(&mut out);
            prop_assert!(out.iter().all(|&byte| byte == 0));
        }
        Ok(())
    });
}
