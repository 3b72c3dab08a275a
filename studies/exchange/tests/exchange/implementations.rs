//! Compares the implementations with each other: the built-in ones, and libraries of the lab that
//! are built and loaded. One of them is the library of an operating system; one is small and uses
//! glue of the lab's common shape.

use std::path::Path;

use selo_engine::project::Project;
use selo_exchange::cipher::{BuiltIn, Cipher};
use selo_exchange::implementation::{Implementation, names, offered};

fn project() -> Project {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Project::load(&root.canonicalize().expect("it is there")).expect("the project's data")
}

fn named(spec: &str) -> Implementation {
    Implementation::named(spec, &Cipher::ALL, || Ok(project()), |_| {}).expect(spec)
}

/// Sizes around block boundaries, and one that exceeds 16 bits.
const SIZES: [usize; 8] = [0, 1, 15, 16, 17, 1215, 65_536, 70_001];

/// Every implementation opens what every other sealed, and none opens an altered message.
fn agree(all: &[Implementation]) {
    let key: Vec<u8> = (0..32).collect();
    for cipher in Cipher::ALL {
        let key = &key[..cipher.key_size()];
        let offering = || all.iter().filter(|who| who.offers(cipher));
        for sealer in offering() {
            for size in SIZES {
                let message: Vec<u8> = (0..size).map(|n| (n * 7 % 251) as u8).collect();
                let sealed = sealer.seal(cipher, key, b"ad", &message).expect("seals");
                assert_eq!(sealed.len(), cipher.sealed_size(size));
                for opener in offering() {
                    let who = format!("{} {} {cipher:?} {size}", sealer.name(), opener.name());
                    let opened = opener.open(cipher, key, b"ad", &sealed).expect("offers");
                    assert!(opened.as_deref() == Some(&message[..]), "{who}");
                    let mut bad = sealed.clone();
                    *bad.last_mut().expect("not empty") ^= 1;
                    let opened = opener.open(cipher, key, b"ad", &bad).expect("offers");
                    assert!(opened.as_deref() != Some(&message[..]), "{who}");
                    if cipher.authenticated() {
                        assert_eq!(opened, None, "{who}");
                        let other = opener.open(cipher, key, b"other", &sealed);
                        assert_eq!(other.expect("offers"), None, "{who}");
                    }
                    for short in 0..sealed.len().min(40) {
                        let _ = opener.open(cipher, key, b"ad", &sealed[..short]);
                    }
                }
                let again = sealer.seal(cipher, key, b"ad", &message).expect("seals");
                assert_ne!(again[..12], sealed[..12], "a nonce is used once");
            }
        }
        assert_eq!(Cipher::by_name(cipher.name()), Some(cipher));
        assert_eq!(Cipher::by_code(cipher as u8), Some(cipher));
    }
}

fn built_in() -> Vec<Implementation> {
    BuiltIn::ALL.iter().map(|one| (*one).into()).collect()
}

#[test]
fn those_of_the_program_agree() {
    agree(&built_in());
    assert!(!BuiltIn::Ring.offers(Cipher::Aes128Cbc));
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn libraries_agree_with_them() {
    let mut all = vec![named("rustcrypto"), named("openssl"), named("mbedtls")];
    assert!(all[1].name().starts_with("openssl 3"), "{}", all[1].name());
    for library in &all[1..] {
        // All ciphers but Ascon, which these libraries lack.
        let lacks = Cipher::ALL.into_iter().filter(|c| !library.offers(*c));
        assert_eq!(lacks.collect::<Vec<_>>(), [Cipher::AsconAead128]);
    }
    // The same library again, with a key of its own; and another variant.
    all.extend([named("openssl"), named("mbedtls:small")]);
    assert!(all[4].name().ends_with(" small"), "{}", all[4].name());
    agree(&all);
}

/// A library keeps the key between calls, so threads take turns. A second copy, loaded from the
/// same files, has independent keys.
#[test]
fn threads_take_turns_on_one_and_two_do_not_meet() {
    let both = [named("openssl"), named("openssl")];
    std::thread::scope(|scope| {
        for number in 0..4u8 {
            let openssl = &both[usize::from(number % 2)];
            scope.spawn(move || {
                let key = [number; 16];
                for _ in 0..200 {
                    let sealed = openssl
                        .seal(Cipher::Aes128Gcm, &key, b"", &[number; 100])
                        .expect("seals");
                    let rustcrypto = Implementation::from(BuiltIn::RustCrypto);
                    let opened = rustcrypto.open(Cipher::Aes128Gcm, &key, b"", &sealed);
                    assert_eq!(opened.expect("offers"), Some(vec![number; 100]));
                }
            });
        }
    });
}

#[test]
fn who_is_named_and_who_is_not() {
    let names = names(&project());
    for name in ["openssl", "mbedtls", "wolfcrypt", "bearssl", "monocypher"] {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
    // Built in already, or a library that tests the instrument.
    assert!(!names.iter().any(|n| n == "selo" || n.starts_with("test-")));
    let only = offered(&project(), "monocypher").expect("known");
    assert_eq!(only, [Cipher::ChaCha20Poly1305]);
    for (spec, message) in [
        (
            "opensssl",
            "unknown implementation 'opensssl'; did you mean 'openssl'?",
        ),
        ("mbedtls:tiny", "unknown variant 'tiny'"),
        ("micro-ecc", "unknown implementation"),
    ] {
        let error = Implementation::named(spec, &Cipher::ALL, || Ok(project()), |_| {});
        let error = error.expect_err("there is none").to_string();
        assert!(error.starts_with(message), "{error}");
    }
}
