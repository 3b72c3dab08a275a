//! ML-KEM against the implementation of RustCrypto: key pairs, both ends, altered ciphertexts, and
//! encapsulation in pieces.

use ml_kem::kem::{Decapsulate, DecapsulationKey, EncapsulationKey};
use ml_kem::{
    B32, Ciphertext, EncapsulateDeterministic, EncodedSizeUser, KemCore, MlKem512, MlKem512Params,
    MlKem768, MlKem768Params,
};
use proptest::prelude::*;

use crate::harness::check;

macro_rules! sizes {
    ($($name:ident: $reference:ident, $params:ident, $keygen:ident, $ciphertext:ident, $state:ident, $part:literal;)+) => {$(
        mod $name {
            use super::*;
            use selo_sys::{$ciphertext, $keygen, $state};

            fn reference(seed: &[u8; 64]) -> (DecapsulationKey<$params>, EncapsulationKey<$params>) {
                let half = |range| B32::try_from(&seed[range]).expect("32 bytes");
                $reference::generate_deterministic(&half(0..32), &half(32..64))
            }

            #[test]
            fn key_pairs_are_those_of_the_reference() {
                check(12, any::<[u8; 64]>(), |seed, tap| {
                    let (public, private) = $keygen(&seed);
                    let (dk, ek) = reference(&seed);
                    let (mut public, mut private) = (public.as_bytes().to_vec(), private.as_bytes().to_vec());
                    tap.bytes(&mut public);
                    tap.bytes(&mut private);
                    prop_assert_eq!(&public[..], &ek.as_bytes()[..]);
                    prop_assert_eq!(&private[..], &dk.as_bytes()[..]);
                    Ok(())
                });
            }

            #[test]
            fn encapsulations_are_those_of_the_reference() {
                let inputs = (any::<[u8; 64]>(), any::<[u8; 32]>(), 1usize..300);
                check(12, inputs, |(seed, random, piece), tap| {
                    let (public, private) = $keygen(&seed);
                    let (_, ek) = reference(&seed);
                    let (expected, shared) = ek
                        .encapsulate_deterministic(&B32::from(random))
                        .expect("it cannot fail");
                    let (ciphertext, secret) = public.encapsulate(&random).expect("a good key");
                    let mut whole = ciphertext.as_bytes().to_vec();
                    tap.bytes(&mut whole);
                    prop_assert_eq!(&whole[..], &expected[..]);
                    prop_assert_eq!(&tap.array(secret)[..], &shared[..]);
                    prop_assert_eq!(&tap.array(private.decapsulate(&ciphertext))[..], &shared[..]);
                    prop_assert_eq!(tap.result(private.check()), Ok(()));

                    let mut state = $state::start(&random);
                    let mut pieces = vec![0; whole.len()];
                    for part in [0..$part, $part..whole.len()] {
                        for key in public.as_bytes().chunks(piece) {
                            state.key(key).expect("a good key");
                        }
                        for out in pieces[part].chunks_mut(piece) {
                            state.read(out).expect("it is its turn");
                        }
                    }
                    tap.bytes(&mut pieces);
                    prop_assert_eq!(&pieces[..], &expected[..]);
                    prop_assert_eq!(state.finish().map(|secret| tap.array(secret)), Ok(secret));
                    Ok(())
                });
            }

            /// The secret of an altered ciphertext is that of the reference too.
            #[test]
            fn rejections_are_those_of_the_reference() {
                let inputs = (any::<[u8; 64]>(), any::<[u8; 32]>(), any::<usize>());
                check(12, inputs, |(seed, random, bit), tap| {
                    let (public, private) = $keygen(&seed);
                    let (dk, _) = reference(&seed);
                    let (ciphertext, secret) = public.encapsulate(&random).expect("a good key");
                    let mut altered = ciphertext.as_bytes().to_vec();
                    let bit = bit % (8 * altered.len());
                    altered[bit / 8] ^= 1 << (bit % 8);
                    let expected = dk
                        .decapsulate(&Ciphertext::<$reference>::try_from(&altered[..]).expect("its size"))
                        .expect("it cannot fail");
                    let ours = $ciphertext::from_bytes(&altered.try_into().expect("its size"));
                    let got = tap.array(private.decapsulate(&ours));
                    prop_assert_eq!(&got[..], &expected[..]);
                    prop_assert_ne!(got, secret);
                    Ok(())
                });
            }
        }
    )+};
}

sizes! {
    mlkem512: MlKem512, MlKem512Params, mlkem512_keygen, MlKem512Ciphertext, MlKem512Encapsulation, 640;
    mlkem768: MlKem768, MlKem768Params, mlkem768_keygen, MlKem768Ciphertext, MlKem768Encapsulation, 960;
}
