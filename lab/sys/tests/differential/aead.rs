//! Authenticated encryption: sealing like the reference, opening, alterations and refusals.

use ascon_aead::AsconAead128;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, XChaCha20Poly1305};
use proptest::prelude::*;
use selo_sys::{
    Encrypt, Error, ascon_aead128_open, ascon_aead128_open_in_place, ascon_aead128_seal,
    ascon_aead128_seal_in_place, ccm_open, ccm_open_in_place, ccm_seal, ccm_seal_in_place,
    chacha20_poly1305_open, chacha20_poly1305_open_in_place, chacha20_poly1305_seal,
    chacha20_poly1305_seal_in_place, gcm_open, gcm_open_in_place, gcm_seal, gcm_seal_in_place,
    xchacha20_poly1305_open, xchacha20_poly1305_open_in_place, xchacha20_poly1305_seal,
    xchacha20_poly1305_seal_in_place,
};

use crate::ciphers::keyed;
use crate::harness::{Tap, check};
use crate::reference::{self, GCM_NONCES, Sealed};

type Outcome = Result<(), Error>;

/// An algorithm of Selo with a key.
trait Aead {
    fn seal(&self, nonce: &[u8], ad: &[u8], out: &mut [u8], text: &[u8], tag: &mut [u8])
    -> Outcome;
    fn seal_in_place(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &mut [u8]) -> Outcome;
    fn open(&self, nonce: &[u8], ad: &[u8], out: &mut [u8], text: &[u8], tag: &[u8]) -> Outcome;
    fn open_in_place(&self, nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &[u8]) -> Outcome;
}

struct Gcm<'key>(&'key dyn Encrypt);
struct Ccm<'key>(&'key dyn Encrypt);
struct ChaCha20([u8; 32]);
struct XChaCha20([u8; 32]);
struct Ascon([u8; 16]);

macro_rules! aead {
    ($name:ty, |$self:ident, $nonce:ident| ($key:expr, $given:expr),
        $seal:ident, $seal_in_place:ident, $open:ident, $open_in_place:ident) => {
        impl Aead for $name {
            fn seal(&$self, $nonce: &[u8], ad: &[u8], out: &mut [u8], text: &[u8], tag: &mut [u8]) -> Outcome {
                $seal($key, $given, ad, out, text, tag)
            }
            fn seal_in_place(&$self, $nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &mut [u8]) -> Outcome {
                $seal_in_place($key, $given, ad, data, tag)
            }
            fn open(&$self, $nonce: &[u8], ad: &[u8], out: &mut [u8], text: &[u8], tag: &[u8]) -> Outcome {
                $open($key, $given, ad, out, text, tag)
            }
            fn open_in_place(&$self, $nonce: &[u8], ad: &[u8], data: &mut [u8], tag: &[u8]) -> Outcome {
                $open_in_place($key, $given, ad, data, tag)
            }
        }
    };
}

aead!(
    Gcm<'_>,
    |self, nonce| (self.0, nonce),
    gcm_seal,
    gcm_seal_in_place,
    gcm_open,
    gcm_open_in_place
);
aead!(
    Ccm<'_>,
    |self, nonce| (self.0, nonce),
    ccm_seal,
    ccm_seal_in_place,
    ccm_open,
    ccm_open_in_place
);
aead!(
    ChaCha20,
    |self, nonce| (&self.0, nonce.try_into().expect("12 bytes")),
    chacha20_poly1305_seal,
    chacha20_poly1305_seal_in_place,
    chacha20_poly1305_open,
    chacha20_poly1305_open_in_place
);
aead!(
    XChaCha20,
    |self, nonce| (&self.0, nonce.try_into().expect("24 bytes")),
    xchacha20_poly1305_seal,
    xchacha20_poly1305_seal_in_place,
    xchacha20_poly1305_open,
    xchacha20_poly1305_open_in_place
);
aead!(
    Ascon,
    |self, nonce| (&self.0, nonce.try_into().expect("16 bytes")),
    ascon_aead128_seal,
    ascon_aead128_seal_in_place,
    ascon_aead128_open,
    ascon_aead128_open_in_place
);

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == 0)
}

/// Inputs of one test: nonce, associated data, message, and the bit to alter afterwards.
#[derive(Clone, Debug)]
struct Input {
    nonce: Vec<u8>,
    ad: Vec<u8>,
    message: Vec<u8>,
    altered: prop::sample::Index,
}

/// Lengths around the boundaries of blocks of 16 and 64 bytes, including empty inputs.
fn inputs(nonce: impl Strategy<Value = usize>) -> impl Strategy<Value = Input> {
    let bytes = |size| prop::collection::vec(any::<u8>(), size);
    let length = || {
        prop_oneof![
            0usize..40,
            prop::sample::select(vec![0usize, 16, 32, 47, 48, 63, 64, 65, 112, 128, 129]),
            0usize..300,
        ]
    };
    let nonce = nonce.prop_flat_map(bytes);
    let ad = length().prop_flat_map(bytes);
    let message = length().prop_flat_map(bytes);
    (nonce, ad, message, any::<prop::sample::Index>()).prop_map(|(nonce, ad, message, altered)| {
        Input {
            nonce,
            ad,
            message,
            altered,
        }
    })
}

/// Sealing gives the reference's result, opening gives the message back, and no bit of nonce,
/// associated data, ciphertext or tag can be altered without detection.
fn holds(
    aead: &dyn Aead,
    input: &Input,
    expected: &Sealed,
    tap: &Tap,
) -> Result<(), TestCaseError> {
    let (nonce, ad, message) = (&input.nonce[..], &input.ad[..], &input.message[..]);
    let (ciphertext, tag) = expected;

    let (mut out, mut own_tag) = (vec![0xa5; message.len()], vec![0xa5; tag.len()]);
    let result = aead.seal(nonce, ad, &mut out, message, &mut own_tag);
    prop_assert_eq!(tap.result(result), Ok(()));
    tap.bytes(&mut out);
    tap.bytes(&mut own_tag);
    prop_assert_eq!((&out, &own_tag), (ciphertext, tag));

    let (mut data, mut own_tag) = (message.to_vec(), vec![0xa5; tag.len()]);
    let result = aead.seal_in_place(nonce, ad, &mut data, &mut own_tag);
    prop_assert_eq!(tap.result(result), Ok(()));
    tap.bytes(&mut data);
    tap.bytes(&mut own_tag);
    prop_assert_eq!((&data, &own_tag), (ciphertext, tag));

    let mut out = vec![0xa5; message.len()];
    let result = aead.open(nonce, ad, &mut out, ciphertext, tag);
    prop_assert_eq!(tap.result(result), Ok(()));
    tap.bytes(&mut out);
    prop_assert_eq!(&out, message);

    let mut data = ciphertext.clone();
    let result = aead.open_in_place(nonce, ad, &mut data, tag);
    prop_assert_eq!(tap.result(result), Ok(()));
    tap.bytes(&mut data);
    prop_assert_eq!(&data, message);

    let mut parts = [nonce.to_vec(), ad.to_vec(), ciphertext.clone(), tag.clone()];
    let mut bit = input
        .altered
        .index(parts.iter().map(|part| part.len() * 8).sum());
    for part in &mut parts {
        if bit < part.len() * 8 {
            part[bit / 8] ^= 1 << (bit % 8);
            break;
        }
        bit -= part.len() * 8;
    }
    let [nonce, ad, ciphertext, tag] = &parts;
    let mut out = vec![0xa5; message.len()];
    let result = aead.open(nonce, ad, &mut out, ciphertext, tag);
    prop_assert_eq!(tap.result(result), Err(Error::Tag));
    tap.bytes(&mut out);
    prop_assert!(is_zero(&out));
    let mut data = ciphertext.clone();
    let result = aead.open_in_place(nonce, ad, &mut data, tag);
    prop_assert_eq!(tap.result(result), Err(Error::Tag));
    tap.bytes(&mut data);
    prop_assert!(is_zero(&data));
    Ok(())
}

/// Unsupported sizes: nothing is sealed or opened, and every output is zero.
fn refuses(
    aead: &dyn Aead,
    input: &Input,
    tag_size: usize,
    tap: &Tap,
) -> Result<(), TestCaseError> {
    let Input {
        nonce, ad, message, ..
    } = input;
    let (mut out, mut tag) = (vec![0xa5; message.len()], vec![0xa5; tag_size]);
    let result = aead.seal(nonce, ad, &mut out, message, &mut tag);
    prop_assert_eq!(tap.result(result), Err(Error::Argument));
    tap.bytes(&mut out);
    tap.bytes(&mut tag);
    prop_assert!(is_zero(&out) && is_zero(&tag));

    let mut data = message.clone();
    let mut tag = vec![0xa5; tag_size];
    let result = aead.seal_in_place(nonce, ad, &mut data, &mut tag);
    prop_assert_eq!(tap.result(result), Err(Error::Argument));
    tap.bytes(&mut data);
    prop_assert!(is_zero(&data) && is_zero(&tag));

    let mut out = vec![0xa5; message.len()];
    let result = aead.open(nonce, ad, &mut out, message, &tag);
    prop_assert_eq!(tap.result(result), Err(Error::Argument));
    tap.bytes(&mut out);
    prop_assert!(is_zero(&out));
    Ok(())
}

fn tags(sizes: impl IntoIterator<Item = usize>) -> impl Strategy<Value = usize> {
    prop::sample::select(sizes.into_iter().collect::<Vec<_>>())
}

#[test]
fn gcm_over_any_cipher() {
    let nonces = prop_oneof![Just(12), prop::sample::select(&GCM_NONCES[..])];
    let inputs = (keyed(), inputs(nonces), tags([4, 8, 12, 13, 14, 15, 16]));
    check(256, inputs, |((cipher, raw), input, tag_size), tap| {
        let Input {
            nonce, ad, message, ..
        } = &input;
        let mut expected = reference::gcm(cipher.reference(&raw), nonce, ad, message);
        expected.1.truncate(tag_size);
        for (_, key) in &cipher.variants(&raw).encrypt {
            holds(&Gcm(&**key), &input, &expected, tap)?;
        }
        Ok(())
    });
}

#[test]
fn gcm_refuses_other_sizes() {
    let sizes = prop_oneof![
        (Just(0), tags([4, 12, 16])),
        (
            1usize..20,
            tags([0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 17, 18, 20, 100])
        ),
    ];
    let inputs =
        sizes.prop_flat_map(|(nonce, tag_size)| (keyed(), inputs(Just(nonce)), Just(tag_size)));
    check(128, inputs, |((cipher, raw), input, tag_size), tap| {
        let key = &cipher.variants(&raw).encrypt[0].1;
        refuses(&Gcm(&**key), &input, tag_size, tap)
    });
}

#[test]
fn ccm_over_any_cipher() {
    let inputs = (keyed(), inputs(7usize..14), tags([4, 6, 8, 10, 12, 14, 16]));
    check(256, inputs, |((cipher, raw), input, tag_size), tap| {
        let Input {
            nonce, ad, message, ..
        } = &input;
        let expected = reference::ccm(cipher.reference(&raw), nonce, ad, message, tag_size);
        for (_, key) in &cipher.variants(&raw).encrypt {
            holds(&Ccm(&**key), &input, &expected, tap)?;
        }
        Ok(())
    });
}

#[test]
fn ccm_refuses_other_sizes() {
    let sizes = prop_oneof![
        (tags((0..7).chain(14..20)), tags([4, 8, 16])),
        (
            7usize..14,
            tags((0..4).chain([5, 7, 9, 11, 13, 15, 17, 18, 100]))
        ),
    ];
    let inputs =
        sizes.prop_flat_map(|(nonce, tag_size)| (keyed(), inputs(Just(nonce)), Just(tag_size)));
    check(128, inputs, |((cipher, raw), input, tag_size), tap| {
        let key = &cipher.variants(&raw).encrypt[0].1;
        refuses(&Ccm(&**key), &input, tag_size, tap)
    });
}

/// The largest message whose size fits two bytes, and one byte more. A nonce of 12 bytes leaves
/// three bytes for the size of the message.
#[test]
fn ccm_knows_its_limits() {
    let key = selo_sys::Aes128Fast::new(&[0x42; 16]);
    let cipher = || crate::ciphers::Cipher::Aes128.reference(&[0x42; 16]);
    let cases = [
        (13, 3, 0xffff, true),
        (13, 3, 0x10000, false),
        (12, 3, 0x10000, true),
        (12, 3, 0xff_ffff, true),
        (12, 3, 0x100_0000, false),
        (13, 0xfeff, 3, true),
        (13, 0xff00, 3, false),
    ];
    for (nonce, ad, size, taken) in cases {
        let (nonce, ad, message) = (vec![7; nonce], vec![8; ad], vec![9; size]);
        let (mut out, mut tag) = (vec![0xa5; size], [0xa5; 8]);
        let result = ccm_seal(&key, &nonce, &ad, &mut out, &message, &mut tag);
        if taken {
            let expected = reference::ccm(cipher(), &nonce, &ad, &message, 8);
            assert_eq!(result, Ok(()), "{size}");
            assert!(out == expected.0 && tag[..] == expected.1);
            assert_eq!(ccm_open_in_place(&key, &nonce, &ad, &mut out, &tag), Ok(()));
            assert!(out == message);
        } else {
            assert_eq!(result, Err(Error::Argument), "{size}");
            assert!(is_zero(&out) && is_zero(&tag));
        }
    }
}

#[test]
fn chacha20_poly1305_of_any_sizes() {
    let inputs = (any::<[u8; 32]>(), inputs(Just(12)), 8usize..=16);
    check(512, inputs, |(key, input, tag_size), tap| {
        let reference = ChaCha20Poly1305::new(&key.into());
        let mut expected = reference::seal(&reference, &input.nonce, &input.ad, &input.message);
        expected.1.truncate(tag_size);
        holds(&ChaCha20(key), &input, &expected, tap)
    });
}

#[test]
fn chacha20_poly1305_refuses_other_tags() {
    let inputs = (
        any::<[u8; 32]>(),
        inputs(Just(12)),
        tags((0..8).chain([17, 18, 64])),
    );
    check(64, inputs, |(key, input, tag_size), tap| {
        refuses(&ChaCha20(key), &input, tag_size, tap)
    });
}

#[test]
fn xchacha20_poly1305_of_any_sizes() {
    let inputs = (any::<[u8; 32]>(), inputs(Just(24)), 8usize..=16);
    check(256, inputs, |(key, input, tag_size), tap| {
        let reference = XChaCha20Poly1305::new(&key.into());
        let mut expected = reference::seal(&reference, &input.nonce, &input.ad, &input.message);
        expected.1.truncate(tag_size);
        holds(&XChaCha20(key), &input, &expected, tap)
    });
}

#[test]
fn ascon_aead128_of_any_sizes() {
    let inputs = (any::<[u8; 16]>(), inputs(Just(16)), 4usize..=16);
    check(512, inputs, |(key, input, tag_size), tap| {
        let reference = AsconAead128::new(&key.into());
        let mut expected = reference::seal(&reference, &input.nonce, &input.ad, &input.message);
        expected.1.truncate(tag_size);
        holds(&Ascon(key), &input, &expected, tap)
    });
}

#[test]
fn ascon_aead128_refuses_other_tags() {
    let inputs = (
        any::<[u8; 16]>(),
        inputs(Just(16)),
        tags((0..4).chain([17, 18, 64])),
    );
    check(64, inputs, |(key, input, tag_size), tap| {
        refuses(&Ascon(key), &input, tag_size, tap)
    });
}
