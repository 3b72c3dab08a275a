//! Wiping and comparing memory.

use proptest::prelude::*;
use selo_sys::{equal, wipe};

use crate::harness::check;

#[test]
fn equal_is_equality() {
    let bytes = prop::collection::vec(any::<u8>(), 1..80);
    check(
        256,
        (bytes, any::<prop::sample::Index>()),
        |(bytes, bit), tap| {
            let mut other = bytes.clone();
            prop_assert!(tap.answer(equal(&bytes, &other)));
            let bit = bit.index(bytes.len() * 8);
            other[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(!tap.answer(equal(&bytes, &other)));
            prop_assert!(!tap.answer(equal(&bytes, &bytes[1..])));
            Ok(())
        },
    );
    assert!(equal(&[], &[]));
}

#[test]
fn wipe_zeroes_all_and_only_what_it_is_given() {
    let bytes = prop::collection::vec(1u8.., 1..80);
    check(
        128,
        (bytes, any::<prop::sample::Index>()),
        |(bytes, at), tap| {
            let from = at.index(bytes.len());
            let mut wiped = bytes.clone();
            wipe(&mut wiped[from..]);
            tap.bytes(&mut wiped);
            prop_assert_eq!(&wiped[..from], &bytes[..from]);
            prop_assert!(wiped[from..].iter().all(|&byte| byte == 0));
            Ok(())
        },
    );
}
