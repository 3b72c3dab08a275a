//! The bindings agree with the header, and secrets do not outlive their owners.

use std::ffi::{CStr, c_char};
use std::mem::{ManuallyDrop, align_of, size_of};
use std::ptr;

use super::declarations::*;
use super::plain::Plain;
use super::{Sha3_256, SharedSecret, X25519Secret, cbc_size};
use crate::{Error, status};

const HEADER: &str = include_str!("../../../../src/selo.h");
const UNAUTHENTICATED: &str = include_str!("../../../../src/selo_unauthenticated.h");
const SPECK: &str = include_str!("../../../../src/selo_speck.h");
const MLKEM: &str = include_str!("../../../../src/selo_mlkem.h");
const ENCAPSULATION: &str = include_str!("../../../../src/selo/mlkem/encapsulation.h");
const DECLARATIONS: &str = include_str!("declarations.rs");

macro_rules! sizes {
    ($($name:ident = $function:ident)+) => {
        unsafe extern "C" {
            $(safe fn $function() -> usize;)+
        }

        /// The struct's name in selo.h, its size in C, its size in Rust.
        fn sizes() -> Vec<(&'static str, usize, usize)> {
            vec![$((
                &stringify!($function)["selo_sys_size_of_".len()..],
                $function(),
                size_of::<$name>(),
            )),+]
        }

        /// Every struct of the library is zero after its drop.
        #[test]
        fn dropping_wipes() {
            $(assert_wiped(stringify!($name), |value: *mut $name| {
                // SAFETY: the caller provides a place for it, and any bytes are a valid value.
                unsafe { ptr::write_bytes(value.cast::<u8>(), 0xa5, size_of::<$name>()) }
            });)+
            assert_wiped("X25519Secret", |value: *mut X25519Secret| {
                // SAFETY: as above.
                unsafe { value.write(X25519Secret::new([0xa5; 32])) }
            });
            assert_wiped("SharedSecret", |value: *mut SharedSecret| {
                // SAFETY: as above; its only field is an array of bytes.
                unsafe { ptr::write_bytes(value.cast::<u8>(), 0xa5, size_of::<SharedSecret>()) }
            });
        }
    };
}

sizes! {
    Aes128Fast = selo_sys_size_of_aes128_fast
    Aes192Fast = selo_sys_size_of_aes192_fast
    Aes256Fast = selo_sys_size_of_aes256_fast
    Aes128Small = selo_sys_size_of_aes128_small
    Aes192Small = selo_sys_size_of_aes192_small
    Aes256Small = selo_sys_size_of_aes256_small
    Aes128Tiny = selo_sys_size_of_aes128_tiny
    Aes192Tiny = selo_sys_size_of_aes192_tiny
    Aes256Tiny = selo_sys_size_of_aes256_tiny
    ChaCha20Poly1305Key = selo_sys_size_of_chacha20_poly1305_key
    XChaCha20Poly1305Key = selo_sys_size_of_xchacha20_poly1305_key
    AsconAead128Key = selo_sys_size_of_ascon_aead128_key
    ChaCha20Poly1305Sealing = selo_sys_size_of_chacha20_poly1305_sealing
    ChaCha20Poly1305Opening = selo_sys_size_of_chacha20_poly1305_opening
    AsconAead128Sealing = selo_sys_size_of_ascon_aead128_sealing
    AsconAead128Opening = selo_sys_size_of_ascon_aead128_opening
    GcmSealing = selo_sys_size_of_gcm_sealing
    GcmOpening = selo_sys_size_of_gcm_opening
    CcmSealing = selo_sys_size_of_ccm_sealing
    CcmOpening = selo_sys_size_of_ccm_opening
    Sha256 = selo_sys_size_of_sha256
    Sha512 = selo_sys_size_of_sha512
    Sha384 = selo_sys_size_of_sha384
    Sha3 = selo_sys_size_of_sha3
    Shake = selo_sys_size_of_shake
    Blake2s = selo_sys_size_of_blake2s
    AsconHash256 = selo_sys_size_of_ascon_hash256
    HmacSha256 = selo_sys_size_of_hmac_sha256
    HmacSha512 = selo_sys_size_of_hmac_sha512
    HmacSha3_256 = selo_sys_size_of_hmac_sha3_256
    HmacSha3_512 = selo_sys_size_of_hmac_sha3_512
    HmacBlake2s = selo_sys_size_of_hmac_blake2s
    HmacAsconHash256 = selo_sys_size_of_hmac_ascon_hash256
    Cmac = selo_sys_size_of_cmac
    Speck128Fast = selo_sys_size_of_speck128_fast
    Speck192Fast = selo_sys_size_of_speck192_fast
    Speck256Fast = selo_sys_size_of_speck256_fast
    Speck128Small = selo_sys_size_of_speck128_small
    Speck192Small = selo_sys_size_of_speck192_small
    Speck256Small = selo_sys_size_of_speck256_small
    Speck128Tiny = selo_sys_size_of_speck128_tiny
    Speck192Tiny = selo_sys_size_of_speck192_tiny
    Speck256Tiny = selo_sys_size_of_speck256_tiny
    MlKem512PublicKey = selo_sys_size_of_mlkem512_public_key
    MlKem512PrivateKey = selo_sys_size_of_mlkem512_private_key
    MlKem512Ciphertext = selo_sys_size_of_mlkem512_ciphertext
    MlKem768PublicKey = selo_sys_size_of_mlkem768_public_key
    MlKem768PrivateKey = selo_sys_size_of_mlkem768_private_key
    MlKem768Ciphertext = selo_sys_size_of_mlkem768_ciphertext
    MlKem1024PublicKey = selo_sys_size_of_mlkem1024_public_key
    MlKem1024PrivateKey = selo_sys_size_of_mlkem1024_private_key
    MlKem1024Ciphertext = selo_sys_size_of_mlkem1024_ciphertext
    MlKemEncapsulation = selo_sys_size_of_mlkem_encapsulation
    MlKem512Encapsulation = selo_sys_size_of_mlkem512_encapsulation
    MlKem768Encapsulation = selo_sys_size_of_mlkem768_encapsulation
    MlKem1024Encapsulation = selo_sys_size_of_mlkem1024_encapsulation
}

unsafe extern "C" {
    safe fn selo_sys_size_of_cipher() -> usize;
    safe fn selo_sys_size_of_inverse_cipher() -> usize;
    safe fn selo_sys_size_of_header() -> usize;
    safe fn selo_sys_size_of_aead() -> usize;
    safe fn selo_sys_size_of_aead_pieces() -> usize;
    safe fn selo_sys_size_of_aead_key() -> usize;
    safe fn selo_sys_size_of_aead_sealing() -> usize;
    safe fn selo_sys_size_of_aead_opening() -> usize;
    safe fn selo_sys_size_of_status() -> usize;
    safe fn selo_sys_number_of_OK() -> u32;
    safe fn selo_sys_number_of_ERROR_ARGUMENT() -> u32;
    safe fn selo_sys_number_of_ERROR_SPACE() -> u32;
    safe fn selo_sys_number_of_ERROR_PADDING() -> u32;
    safe fn selo_sys_number_of_ERROR_RANDOM() -> u32;
    safe fn selo_sys_number_of_ERROR_KEY() -> u32;
    safe fn selo_sys_number_of_ERROR_TAG() -> u32;
    safe fn selo_sys_number_of_ERROR_STATE() -> u32;
    safe fn selo_sys_number_of_ERROR_STORE() -> u32;
    safe fn selo_sys_number_of_ERROR_SEND() -> u32;
    safe fn selo_sys_cbc_size(size: usize) -> usize;
    safe fn selo_sys_version() -> *const c_char;
}

/// Fills a place, drops the value in it, and checks that all its bytes are zero.
fn assert_wiped<T>(name: &str, fill: impl Fn(*mut T)) {
    let mut place = ManuallyDrop::new(vec![0u64; size_of::<T>().div_ceil(8)]);
    assert!(align_of::<T>() <= 8);
    let value = place.as_mut_ptr().cast::<T>();
    fill(value);
    // SAFETY: all bytes of the place are initialised, before and after.
    let bytes = || unsafe { std::slice::from_raw_parts(value.cast::<u8>(), size_of::<T>()) };
    assert!(bytes().iter().any(|&byte| byte != 0), "{name} was filled");
    // SAFETY: fill() wrote a value there, and nothing uses it as a value afterwards.
    unsafe { ptr::drop_in_place(value) };
    assert!(
        bytes().iter().all(|&byte| byte == 0),
        "{name} was not wiped"
    );
    ManuallyDrop::into_inner(place);
}

#[test]
fn sizes_are_those_of_c() {
    for (name, c, rust) in sizes() {
        assert_eq!(c, rust, "struct selo_{name}");
    }
    assert_eq!(selo_sys_size_of_status(), size_of::<Status>());
    assert_eq!(selo_sys_size_of_cipher(), size_of::<Cipher>());
    assert_eq!(
        selo_sys_size_of_inverse_cipher(),
        size_of::<InverseCipher>()
    );
    assert_eq!(selo_sys_size_of_header(), size_of::<Header>());
    assert_eq!(selo_sys_size_of_aead(), size_of::<AeadTable>());
    assert_eq!(selo_sys_size_of_aead_pieces(), size_of::<AeadPieces>());
    assert_eq!(selo_sys_size_of_aead_key(), size_of::<AeadTableKey>());
    assert_eq!(
        selo_sys_size_of_aead_sealing(),
        size_of::<AeadTableSealing>()
    );
    assert_eq!(
        selo_sys_size_of_aead_opening(),
        size_of::<AeadTableOpening>()
    );
}

#[test]
fn no_struct_of_the_header_is_missing() {
    // These are arguments without secrets, tables, and parts of other structs.
    let others = [
        "cipher",
        "inverse_cipher",
        "header",
        "aead",
        "aead_key",
        "aead_pieces",
        "gcm",
    ];
    let text = primitives();
    let header: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("struct selo_")?.split_once(" {"))
        .map(|(name, _)| name)
        .filter(|name| !others.contains(name) && !name.ends_with("_message"))
        .collect();
    // A part of two structs, which has a header of its own.
    let part = "mlkem_encapsulation";
    assert!(ENCAPSULATION.contains(&format!("struct selo_{part} {{")));
    let here: Vec<&str> = sizes()
        .iter()
        .map(|&(name, _, _)| name)
        .filter(|&name| name != part)
        .collect();
    assert_eq!(here, header);
}

/// The headers without the link: its node is not a primitive, and other tests compare it with
/// the protocol. Macros and inline functions are left out, because no other language can call
/// them.
fn primitives() -> String {
    let (front, _) = HEADER
        .split_once("/* ---- The link")
        .expect("the part of the link");
    let mut text = String::new();
    let mut inside = false;
    for line in [front, UNAUTHENTICATED, SPECK, MLKEM]
        .into_iter()
        .flat_map(str::lines)
    {
        let starts = line.starts_with("static inline") || line.starts_with("#define");
        inside = inside || starts;
        if !inside {
            text.push_str(line);
            text.push('\n');
        }
        let ends =
            line == "}" || line.is_empty() || line.starts_with("#define") && !line.ends_with('\\');
        inside = inside && !ends;
    }
    text
}

/// Names that begin with selo_ and are followed by a parenthesis, a comma or a semicolon.
fn functions(text: &str) -> Vec<&str> {
    text.match_indices("selo_")
        .filter(|&(at, _)| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        .filter_map(|(at, _)| {
            let end = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_')? + at;
            text[end..]
                .starts_with(['(', ',', ';'])
                .then(|| &text[at..end])
        })
        .collect()
}

/// False for the tables of algorithms and the type of their keys.
fn is_function(name: &str) -> bool {
    let ends = ["_setup", "_start", "_update", "_finish"];
    ends.iter().any(|end| name.ends_with(end))
}

#[test]
fn every_function_of_the_header_is_declared_in_its_order() {
    let text = primitives();
    let mut code = String::new();
    for part in text.split("/*") {
        code.push_str(part.split_once("*/").map_or(part, |(_, after)| after));
    }
    let code: Vec<&str> = code
        .lines()
        .filter(|line| !line.starts_with("typedef") && !line.starts_with('#'))
        .collect();
    let code = code.join("\n");
    let header = functions(&code);
    let (_, externs) = DECLARATIONS
        .split_once("unsafe extern \"C\" {")
        .expect("the block of declarations");
    assert!(header.contains(&"selo_aes256_tiny_encrypt"));
    assert!(header.contains(&"selo_ctr") && header.contains(&"selo_speck256_tiny_encrypt"));
    let header: Vec<&str> = header
        .into_iter()
        // The tables of algorithms are variables.
        .filter(|name| !name.starts_with("selo_aead") || is_function(name))
        // The bindings take one block at a time.
        .filter(|name| !name.ends_with("crypt_two"))
        .collect();
    assert_eq!(functions(externs), header);
}

#[test]
fn statuses_have_the_numbers_of_c() {
    assert_eq!(status(selo_sys_number_of_OK()), Ok(()));
    for (number, error) in [
        (selo_sys_number_of_ERROR_ARGUMENT(), Error::Argument),
        (selo_sys_number_of_ERROR_SPACE(), Error::Space),
        (selo_sys_number_of_ERROR_PADDING(), Error::Padding),
        (selo_sys_number_of_ERROR_RANDOM(), Error::Random),
        (selo_sys_number_of_ERROR_KEY(), Error::Key),
        (selo_sys_number_of_ERROR_TAG(), Error::Tag),
        (selo_sys_number_of_ERROR_STATE(), Error::State),
        (selo_sys_number_of_ERROR_STORE(), Error::Store),
        (selo_sys_number_of_ERROR_SEND(), Error::Send),
        (77, Error::Unknown(77)),
    ] {
        assert_eq!(status(number), Err(error));
        assert_eq!(error.number(), number);
    }
    assert_eq!(HEADER.matches("    SELO_ERROR_").count(), 9);
}

#[test]
fn the_size_of_a_sealed_message_is_that_of_c() {
    for size in 0..100 {
        assert_eq!(cbc_size(size), selo_sys_cbc_size(size));
    }
}

#[test]
fn the_version_is_that_of_c() {
    // SAFETY: a string literal of C.
    let version = unsafe { CStr::from_ptr(selo_sys_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
}

/// The safe function zeroes its output on failure.
#[test]
fn a_refused_peer_leaves_zeros() {
    let mut shared = [0xa5; 32];
    let number = selo_x25519_shared_secret(&mut shared, &[7; 32], &[0; 32]);
    assert_eq!((status(number), shared), (Err(Error::Key), [0; 32]));
}

/// The C library wipes the state in `finish`: it is zero before Rust drops it.
#[test]
fn finish_wipes() {
    let mut hash = Sha256::zeroed();
    selo_sha256_start(&mut hash);
    let mut digest = [0; 32];
    // SAFETY: the state was started, and digest has the size of the hash.
    unsafe { selo_sha256_finish(&raw mut hash, &raw mut digest) };
    // SAFETY: any bytes are a valid value, so they can be read.
    let bytes: [u8; size_of::<Sha256>()] = unsafe { ptr::read((&raw const hash).cast()) };
    assert!(bytes.iter().all(|&byte| byte == 0));
}

#[test]
fn secrets_are_not_printed() {
    assert_eq!(format!("{:?}", Aes128Fast::new(&[1; 16])), "Aes128Fast(..)");
    assert_eq!(
        format!("{:?}", X25519Secret::new([1; 32])),
        "X25519Secret(..)"
    );
    assert_eq!(format!("{:?}", Sha3_256::new()), "Sha3_256(Sha3(..))");
}
