//! X25519: public keys, shared secrets, and special points.

use proptest::prelude::*;
use selo_sys::{Error, SharedSecret, X25519Secret};

use crate::harness::check;

fn reference(secret: [u8; 32], point: [u8; 32]) -> [u8; 32] {
    x25519_dalek::x25519(secret, point)
}

fn bytes(shared: Result<SharedSecret, Error>) -> Result<[u8; 32], Error> {
    shared.map(|shared| *shared.as_bytes())
}

#[test]
fn public_keys_are_those_of_the_reference() {
    check(24, any::<[u8; 32]>(), |secret, tap| {
        let expected = reference(secret, x25519_dalek::X25519_BASEPOINT_BYTES);
        prop_assert_eq!(tap.array(X25519Secret::new(secret).public_key()), expected);
        Ok(())
    });
}

/// Any 32 bytes are a point of the curve or of its twist; the top bit is ignored.
#[test]
fn shared_secrets_are_those_of_the_reference() {
    let inputs = (any::<[u8; 32]>(), any::<[u8; 32]>());
    check(32, inputs, |(secret, peer), tap| {
        let shared = bytes(X25519Secret::new(secret).shared_secret(&peer));
        prop_assert_eq!(shared.map(|it| tap.array(it)), Ok(reference(secret, peer)));
        Ok(())
    });
}

#[test]
fn both_parties_get_the_same() {
    let inputs = (any::<[u8; 32]>(), any::<[u8; 32]>());
    check(16, inputs, |(a, b), tap| {
        let (a, b) = (X25519Secret::new(a), X25519Secret::new(b));
        let (public_a, public_b) = (tap.array(a.public_key()), tap.array(b.public_key()));
        let from_a = bytes(a.shared_secret(&public_b)).map(|it| tap.array(it));
        let from_b = bytes(b.shared_secret(&public_a)).map(|it| tap.array(it));
        prop_assert!(from_a.is_ok());
        prop_assert_eq!(from_a, from_b);
        Ok(())
    });
}

/// The five bits that clamping sets do not matter.
#[test]
fn secrets_are_clamped() {
    check(
        12,
        (any::<[u8; 32]>(), 0usize..5),
        |(secret, which), tap| {
            let mut other = secret;
            let bit = [0, 1, 2, 254, 255][which];
            other[bit / 8] ^= 1 << (bit % 8);
            let public = |secret| X25519Secret::new(secret).public_key();
            prop_assert_eq!(tap.array(public(secret)), public(other));
            Ok(())
        },
    );
}

/// The encoding of `p + p_plus`, little-endian, where p = 2^255 - 19.
fn just_above(p_plus: u8) -> [u8; 32] {
    let mut u = [0xff; 32];
    u[0] = 0xed + p_plus;
    u[31] = 0x7f;
    u
}

/// All 19 encodings of 255 bits that are at least p, with and without the ignored bit. Those of
/// 0 and 1 are of low order; the others give the same result as their value below p.
#[test]
fn coordinates_that_are_not_canonical_are_reduced() {
    for value in 0..19u8 {
        let mut canonical = [0; 32];
        canonical[0] = value;
        check(3, any::<([u8; 32], bool)>(), |(secret, top_bit), tap| {
            let mut peer = just_above(value);
            peer[31] |= u8::from(top_bit) << 7;
            let shared = bytes(X25519Secret::new(secret).shared_secret(&peer));
            let expected = match value {
                0 | 1 => Err(Error::Key),
                _ => Ok(reference(secret, canonical)),
            };
            prop_assert_eq!(reference(secret, peer), expected.unwrap_or_default());
            prop_assert_eq!(tap.result(shared), expected, "p + {}", value);
            Ok(())
        });
    }
}

/// The points that the cofactor 8 maps to the neutral element: 0, 1, -1 and the two of order 8,
/// in every encoding of 256 bits. Their shared secret is zero with every secret.
#[test]
fn points_of_low_order_are_refused() {
    let order_8 = [
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ];
    let mut points: Vec<[u8; 32]> = vec![[0; 32], just_above(0), just_above(1)];
    points.push(std::array::from_fn(|i| u8::from(i == 0)));
    let mut minus_one = just_above(0);
    minus_one[0] -= 1;
    points.push(minus_one);
    for digits in order_8 {
        points.push(std::array::from_fn(|i| {
            u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hexadecimal digits")
        }));
    }
    for point in points {
        for top_bit in [0, 0x80] {
            let mut peer = point;
            peer[31] |= top_bit;
            check(2, any::<[u8; 32]>(), |secret, tap| {
                prop_assert_eq!(reference(secret, peer), [0; 32], "it is of low order");
                let shared = bytes(X25519Secret::new(secret).shared_secret(&peer));
                prop_assert_eq!(tap.result(shared), Err(Error::Key));
                Ok(())
            });
        }
    }
}
