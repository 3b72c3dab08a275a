//! One block: fast, small and tiny agree with each other and with the reference.

use proptest::prelude::*;

use crate::ciphers::CIPHERS;
use crate::harness::check;

#[test]
fn every_variant_agrees_with_the_reference() {
    for cipher in CIPHERS {
        let key = prop::collection::vec(any::<u8>(), cipher.key_bytes());
        check(64, (key, any::<[u8; 16]>()), |(raw, block), tap| {
            let selo = cipher.variants(&raw);
            let reference = cipher.reference(&raw);

            let expected = reference.encrypt_block(block);
            for (variant, key) in &selo.encrypt {
                let mut out = [0xa5; 16];
                key.encrypt_block(&mut out, &block);
                let mut in_place = block;
                key.encrypt_block_in_place(&mut in_place);
                prop_assert_eq!(tap.array(out), expected, "{:?} {}", cipher, variant);
                prop_assert_eq!(tap.array(in_place), expected, "{:?} {}", cipher, variant);
            }

            let expected = reference.decrypt_block(block);
            for (variant, key) in &selo.decrypt {
                let mut out = [0xa5; 16];
                key.decrypt_block(&mut out, &block);
                let mut in_place = block;
                key.decrypt_block_in_place(&mut in_place);
                prop_assert_eq!(tap.array(out), expected, "{:?} {}", cipher, variant);
                prop_assert_eq!(tap.array(in_place), expected, "{:?} {}", cipher, variant);
            }
            Ok(())
        });
    }
}
