//! ECB and CTR: any length, separate buffers and in place, and the counter.

use proptest::prelude::*;
use selo_sys::{
    Error, ctr, ctr_in_place, ecb_decrypt, ecb_decrypt_in_place, ecb_encrypt, ecb_encrypt_in_place,
};

use crate::ciphers::keyed;
use crate::harness::check;

#[test]
fn ecb_encrypts_whole_blocks_as_the_reference_and_back() {
    let blocks = prop::collection::vec(any::<[u8; 16]>(), 1..9);
    check(96, (keyed(), blocks), |((cipher, raw), blocks), tap| {
        let data = blocks.concat();
        let selo = cipher.variants(&raw);
        let expected = cipher.reference(&raw).ecb_encrypt(&data);
        for (variant, key) in &selo.encrypt {
            let mut out = vec![0xa5; data.len()];
            let mut in_place = data.clone();
            prop_assert_eq!(tap.result(ecb_encrypt(&**key, &mut out, &data)), Ok(()));
            prop_assert_eq!(
                tap.result(ecb_encrypt_in_place(&**key, &mut in_place)),
                Ok(())
            );
            tap.bytes(&mut out);
            tap.bytes(&mut in_place);
            prop_assert_eq!(&out, &expected, "{}", variant);
            prop_assert_eq!(&in_place, &expected, "{}", variant);
        }
        for (variant, key) in &selo.decrypt {
            let mut out = vec![0xa5; data.len()];
            let mut in_place = expected.clone();
            prop_assert_eq!(tap.result(ecb_decrypt(&**key, &mut out, &expected)), Ok(()));
            prop_assert_eq!(
                tap.result(ecb_decrypt_in_place(&**key, &mut in_place)),
                Ok(())
            );
            tap.bytes(&mut out);
            tap.bytes(&mut in_place);
            prop_assert_eq!(&out, &data, "{}", variant);
            prop_assert_eq!(&in_place, &data, "{}", variant);
        }
        Ok(())
    });
}

#[test]
fn ecb_refuses_every_other_length_and_zeroes() {
    let data = prop::collection::vec(any::<u8>(), 1..130)
        .prop_filter("no whole blocks", |data| data.len() % 16 != 0);
    check(64, (keyed(), data), |((cipher, raw), data), tap| {
        let selo = cipher.variants(&raw);
        let zeros = vec![0; data.len()];
        for (_, key) in &selo.encrypt {
            let mut out = vec![0xa5; data.len()];
            let mut in_place = data.clone();
            let result = ecb_encrypt(&**key, &mut out, &data);
            prop_assert_eq!(tap.result(result), Err(Error::Argument));
            let result = ecb_encrypt_in_place(&**key, &mut in_place);
            prop_assert_eq!(tap.result(result), Err(Error::Argument));
            tap.bytes(&mut out);
            tap.bytes(&mut in_place);
            prop_assert_eq!(&out, &zeros);
            prop_assert_eq!(&in_place, &zeros);
        }
        for (_, key) in &selo.decrypt {
            let mut out = vec![0xa5; data.len()];
            let result = ecb_decrypt(&**key, &mut out, &data);
            prop_assert_eq!(tap.result(result), Err(Error::Argument));
            tap.bytes(&mut out);
            prop_assert_eq!(&out, &zeros);
        }
        Ok(())
    });
}

/// Any counter, and counters that wrap within the message: at 2^128, and at the 8-, 32- and
/// 64-bit boundaries where a shorter counter would wrap.
fn counters() -> impl Strategy<Value = [u8; 16]> {
    let borders = prop::sample::select(vec![0u32, 120, 96, 64]).prop_flat_map(|leading| {
        (any::<u128>(), 0u128..9).prop_map(move |(high, below)| {
            let ones = u128::MAX >> leading;
            ((high & !ones) | (ones - below)).to_be_bytes()
        })
    });
    prop_oneof![any::<[u8; 16]>(), borders]
}

#[test]
fn ctr_encrypts_any_length_as_the_reference_and_advances() {
    let data = prop::collection::vec(any::<u8>(), 0..200);
    check(
        192,
        (keyed(), counters(), data),
        |((cipher, raw), counter, data), tap| {
            let expected = cipher.reference(&raw).ctr(counter, &data);
            let blocks = data.len().div_ceil(16) as u128;
            let advanced = u128::from_be_bytes(counter).wrapping_add(blocks);
            for (variant, key) in &cipher.variants(&raw).encrypt {
                let (mut a, mut b) = (counter, counter);
                let mut out = vec![0xa5; data.len()];
                let mut in_place = data.clone();
                ctr(&**key, &mut a, &mut out, &data);
                ctr_in_place(&**key, &mut b, &mut in_place);
                tap.bytes(&mut out);
                tap.bytes(&mut in_place);
                prop_assert_eq!(&out, &expected, "{}", variant);
                prop_assert_eq!(&in_place, &expected, "{}", variant);
                prop_assert_eq!(tap.array(a), advanced.to_be_bytes());
                prop_assert_eq!(tap.array(b), advanced.to_be_bytes());
            }
            Ok(())
        },
    );
}

#[test]
fn ctr_goes_on_where_it_stopped_at_a_block_border() {
    let data = prop::collection::vec(any::<u8>(), 48..200);
    check(
        64,
        (keyed(), counters(), data, 1usize..3),
        |((cipher, raw), counter, mut data, blocks), tap| {
            let expected = cipher.reference(&raw).ctr(counter, &data);
            let key = &cipher.variants(&raw).encrypt[0].1;
            let mut counter = counter;
            let (first, rest) = data.split_at_mut(blocks * 16);
            ctr_in_place(&**key, &mut counter, first);
            ctr_in_place(&**key, &mut counter, rest);
            tap.bytes(&mut data);
            prop_assert_eq!(data, expected);
            Ok(())
        },
    );
}
