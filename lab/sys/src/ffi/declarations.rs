//! `selo.h`, `selo_unauthenticated.h`, `selo_speck.h` and `selo_mlkem.h` in Rust, in their order: first
//! the structs, then the functions. Unit tests compare sizes, names and order with the C headers.
//!
//! A function is `safe` if its reference types express all its requirements. The others take
//! pointers because their buffers may be the same (`out == in`), have a separate size, or hold
//! a state that must have been started.

use std::ffi::{c_uint, c_void};
use std::fmt;

use super::plain::Plain;

/// `enum selo_status`; [`crate::Error`] has its numbers.
pub type Status = c_uint;

/// `selo_random_fn`.
pub type RandomFn = unsafe extern "C" fn(source: *mut c_void, out: *mut u8, size: usize) -> Status;

/// `selo_block_fn`; `key` points to the struct of the variant.
pub type BlockFn =
    unsafe extern "C" fn(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);

/// `selo_two_blocks_fn`: two blocks at once.
pub type TwoBlocksFn =
    unsafe extern "C" fn(key: *const c_void, out: *mut [u8; 32], input: *const [u8; 32]);

/// `struct selo_cipher`: a block function and its key. The key must outlive it.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Cipher {
    pub encrypt: BlockFn,
    pub key: *const c_void,
    /// The bindings leave it out.
    pub encrypt_two: Option<TwoBlocksFn>,
}

/// `struct selo_inverse_cipher`: the same for a decrypting function.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct InverseCipher {
    pub decrypt: BlockFn,
    pub key: *const c_void,
    /// The bindings leave it out.
    pub decrypt_two: Option<TwoBlocksFn>,
}

/// `struct selo_header`: a message without its text and its tag.
#[repr(C)]
pub struct Header {
    pub nonce: *const u8,
    pub nonce_size: usize,
    pub ad: *const c_void,
    pub ad_size: usize,
    pub tag_size: usize,
}

/// Structs of the library. They hold secrets: dropping wipes them, and they are neither printed
/// nor copied. Their fields are private to the bindings, because C trusts them.
macro_rules! structs {
    ($($(#[$attribute:meta])* $name:ident { $($field:ident: $type:ty),+ $(,)? })+) => {$(
        $(#[$attribute])*
        ///
        /// Wiped when dropped. A move may leave a copy in the old place, so box a key that moves
        /// after its set-up.
        #[repr(C)]
        pub struct $name {
            $(
                #[allow(dead_code, reason = "C reads and writes it")]
                $field: $type,
            )+
        }

        // SAFETY: it consists of integers, raw pointers, arrays of them and such structs. Any bytes,
        // also all zeros, are a valid value.
        unsafe impl Plain for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                wipe_struct(self);
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    )+};
}

/// Overwrites a value with zeros; the compiler cannot remove the write.
fn wipe_struct<T: Plain>(value: &mut T) {
    // SAFETY: the reference covers size_of::<T>() writable bytes, and zeros are a value.
    unsafe { selo_wipe((&raw mut *value).cast(), size_of::<T>()) }
}

structs! {
    /// `struct selo_aes128_fast`: AES-128 [FIPS197], round keys computed once.
    Aes128Fast { round_keys: [u8; 176] }
    /// `struct selo_aes192_fast`: AES-192 [FIPS197], round keys computed once.
    Aes192Fast { round_keys: [u8; 208] }
    /// `struct selo_aes256_fast`: AES-256 [FIPS197], round keys computed once.
    Aes256Fast { round_keys: [u8; 240] }
    /// `struct selo_aes128_small`: AES-128 [FIPS197], round keys computed on the fly.
    Aes128Small { first: [u8; 16], last: [u8; 16] }
    /// `struct selo_aes192_small`: AES-192 [FIPS197], round keys computed on the fly.
    Aes192Small { first: [u8; 24], last: [u8; 24] }
    /// `struct selo_aes256_small`: AES-256 [FIPS197], round keys computed on the fly.
    Aes256Small { first: [u8; 32], last: [u8; 32] }
    /// `struct selo_aes128_tiny`: AES-128 [FIPS197], round keys on the fly, encrypts only.
    Aes128Tiny { key: [u8; 16] }
    /// `struct selo_aes192_tiny`: AES-192 [FIPS197], round keys on the fly, encrypts only.
    Aes192Tiny { key: [u8; 24] }
    /// `struct selo_aes256_tiny`: AES-256 [FIPS197], round keys on the fly, encrypts only.
    Aes256Tiny { key: [u8; 32] }
    /// `struct selo_chacha20_poly1305_key` [RFC8439].
    ChaCha20Poly1305Key { bytes: [u8; 32] }
    /// `struct selo_xchacha20_poly1305_key` [XCHACHA].
    XChaCha20Poly1305Key { bytes: [u8; 32] }
    /// `struct selo_ascon_aead128_key` [SP800-232].
    AsconAead128Key { bytes: [u8; 16] }
    /// `struct selo_chacha20_poly1305_sealing` [RFC8439]: a message in pieces.
    ChaCha20Poly1305Sealing { words: [u32; 53], tag_size: u8 }
    /// `struct selo_chacha20_poly1305_opening` [RFC8439]: a message in pieces.
    ChaCha20Poly1305Opening { words: [u32; 53], tag_size: u8 }
    /// `struct selo_ascon_aead128_sealing` [SP800-232]: a message in pieces.
    AsconAead128Sealing { state: [u64; 5], key: *const AsconAead128Key, at: u8, tag_size: u8 }
    /// `struct selo_ascon_aead128_opening` [SP800-232]: a message in pieces.
    AsconAead128Opening { state: [u64; 5], key: *const AsconAead128Key, at: u8, tag_size: u8 }
    /// `struct selo_gcm_sealing` [SP800-38D]: a message in pieces.
    GcmSealing { cipher: [*const c_void; 3], blocks: [[u8; 16]; 5], sizes: [u32; 2], tag_size: u8 }
    /// `struct selo_gcm_opening` [SP800-38D]: a message in pieces.
    GcmOpening { cipher: [*const c_void; 3], blocks: [[u8; 16]; 5], sizes: [u32; 2], tag_size: u8 }
    /// `struct selo_ccm_sealing` [SP800-38C]: a message in pieces.
    CcmSealing { cipher: [*const c_void; 3], blocks: [[u8; 16]; 3], left: u32, at: u8, tag_size: u8 }
    /// `struct selo_ccm_opening` [SP800-38C]: a message in pieces.
    CcmOpening { cipher: [*const c_void; 3], blocks: [[u8; 16]; 3], left: u32, at: u8, tag_size: u8 }
    /// `struct selo_sha256`: SHA-256 [FIPS180-4].
    Sha256 { state: [u32; 8], block: [u32; 16], size: u32 }
    /// `struct selo_sha512`: SHA-512 [FIPS180-4].
    Sha512 { state: [u64; 8], block: [u64; 16], size: u32 }
    /// `struct selo_sha384`: SHA-384 [FIPS180-4].
    Sha384 { of: Sha512 }
    /// `struct selo_sha3`: the sponge of both SHA-3 functions.
    Sha3 { lanes: [u64; 25], position: u8, rate: u8 }
    /// `struct selo_shake`: SHAKE128 or SHAKE256 [FIPS202].
    Shake { sponge: Sha3, reading: u8 }
    /// `struct selo_blake2s`: BLAKE2s with a 32-byte digest [RFC7693].
    Blake2s { state: [u32; 8], block: [u8; 64], size: u32 }
    /// `struct selo_ascon_hash256`: Ascon-Hash256 [SP800-232].
    AsconHash256 { state: [u64; 5], position: u8 }
    /// `struct selo_hmac_sha256`: HMAC-SHA-256 [FIPS198-1].
    HmacSha256 { hash: Sha256, outer_key: [u8; 64] }
    /// `struct selo_hmac_sha512`: HMAC-SHA-512 [FIPS198-1].
    HmacSha512 { hash: Sha512, outer_key: [u8; 128] }
    /// `struct selo_hmac_sha3_256`: HMAC-SHA3-256 [FIPS198-1].
    HmacSha3_256 { hash: Sha3, outer_key: [u8; 136] }
    /// `struct selo_hmac_sha3_512`: HMAC-SHA3-512 [FIPS198-1].
    HmacSha3_512 { hash: Sha3, outer_key: [u8; 72] }
    /// `struct selo_hmac_blake2s`: HMAC-BLAKE2s [FIPS198-1].
    HmacBlake2s { hash: Blake2s, outer_key: [u8; 64] }
    /// `struct selo_hmac_ascon_hash256`: HMAC [FIPS198-1] over Ascon-Hash256 with a block of
    /// 32 bytes. No standard describes it.
    HmacAsconHash256 { hash: AsconHash256, outer_key: [u8; 32] }
    /// `struct selo_cmac`: CMAC [SP800-38B] over any cipher.
    Cmac { cipher: [*const c_void; 3], mac: [u8; 16], at: u8 }
    /// `struct selo_speck128_fast`: Speck128/128 [SPECK2013], round keys computed once.
    Speck128Fast { round_keys: [u8; 32 * 8] }
    /// `struct selo_speck192_fast`: Speck128/192 [SPECK2013], round keys computed once.
    Speck192Fast { round_keys: [u8; 33 * 8] }
    /// `struct selo_speck256_fast`: Speck128/256 [SPECK2013], round keys computed once.
    Speck256Fast { round_keys: [u8; 34 * 8] }
    /// `struct selo_speck128_small`: Speck128/128 [SPECK2013], round keys computed on the fly.
    Speck128Small { first: [u8; 16], last: [u8; 16] }
    /// `struct selo_speck192_small`: Speck128/192 [SPECK2013], round keys computed on the fly.
    Speck192Small { first: [u8; 24], last: [u8; 24] }
    /// `struct selo_speck256_small`: Speck128/256 [SPECK2013], round keys computed on the fly.
    Speck256Small { first: [u8; 32], last: [u8; 32] }
    /// `struct selo_speck128_tiny`: Speck128/128 [SPECK2013], round keys on the fly, encrypts only.
    Speck128Tiny { key: [u8; 16] }
    /// `struct selo_speck192_tiny`: Speck128/192 [SPECK2013], round keys on the fly, encrypts only.
    Speck192Tiny { key: [u8; 24] }
    /// `struct selo_speck256_tiny`: Speck128/256 [SPECK2013], round keys on the fly, encrypts only.
    Speck256Tiny { key: [u8; 32] }
    /// `struct selo_mlkem512_public_key`: an encapsulation key of ML-KEM-512 [FIPS203].
    MlKem512PublicKey { bytes: [u8; 800] }
    /// `struct selo_mlkem512_private_key`: a decapsulation key of ML-KEM-512 [FIPS203].
    MlKem512PrivateKey { bytes: [u8; 1632] }
    /// `struct selo_mlkem512_ciphertext`: a ciphertext of ML-KEM-512 [FIPS203].
    MlKem512Ciphertext { bytes: [u8; 768] }
    /// `struct selo_mlkem768_public_key`: an encapsulation key of ML-KEM-768 [FIPS203].
    MlKem768PublicKey { bytes: [u8; 1184] }
    /// `struct selo_mlkem768_private_key`: a decapsulation key of ML-KEM-768 [FIPS203].
    MlKem768PrivateKey { bytes: [u8; 2400] }
    /// `struct selo_mlkem768_ciphertext`: a ciphertext of ML-KEM-768 [FIPS203].
    MlKem768Ciphertext { bytes: [u8; 1088] }
    /// `struct selo_mlkem1024_public_key`: an encapsulation key of ML-KEM-1024 [FIPS203].
    MlKem1024PublicKey { bytes: [u8; 1568] }
    /// `struct selo_mlkem1024_private_key`: a decapsulation key of ML-KEM-1024 [FIPS203].
    MlKem1024PrivateKey { bytes: [u8; 3168] }
    /// `struct selo_mlkem1024_ciphertext`: a ciphertext of ML-KEM-1024 [FIPS203].
    MlKem1024Ciphertext { bytes: [u8; 1568] }
    /// `struct selo_mlkem_encapsulation`: the state of either size, without its sponge.
    MlKemEncapsulation {
        area: [i16; 448],
        keys: [[u8; 32]; 4],
        bytes: [u8; 6],
        quad: u8,
        at: u16,
        rank: u8,
        step: u8,
    }
    /// `struct selo_mlkem512_encapsulation`: an encapsulation in pieces.
    MlKem512Encapsulation { of: MlKemEncapsulation, sponge: Shake }
    /// `struct selo_mlkem768_encapsulation`: an encapsulation in pieces.
    MlKem768Encapsulation { of: MlKemEncapsulation, sponge: Shake }
    /// `struct selo_mlkem1024_encapsulation`: an encapsulation in pieces.
    MlKem1024Encapsulation { of: MlKemEncapsulation, sponge: Shake }
}

structs! {
    /// `struct selo_aead_key`: a key with its algorithm, which is chosen at run time.
    AeadTableKey { aead: *const AeadTable, of: [u8; 256] }
    /// `struct selo_aead_sealing`: a message in pieces.
    AeadTableSealing { pieces: *const AeadPieces, left: u32, tag_size: u8, of: [u64; 27] }
    /// `struct selo_aead_opening`: a message in pieces.
    AeadTableOpening { pieces: *const AeadPieces, left: u32, tag_size: u8, of: [u64; 27] }
}

/// `struct selo_aead`: the functions and sizes of an algorithm.
#[repr(C)]
pub struct AeadTable {
    pub key_size: u8,
    pub nonce_size: u8,
    pub tag_size: u8,
    setup: unsafe extern "C" fn(key: *mut AeadTableKey, raw: *const u8),
    pub seal: unsafe extern "C" fn(
        key: *const AeadTableKey,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> Status,
    pub open: unsafe extern "C" fn(
        key: *const AeadTableKey,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *const u8,
    ) -> Status,
}

/// `struct selo_aead_pieces`: the functions of an algorithm for a message in pieces. Only C calls
/// them.
#[repr(C)]
pub struct AeadPieces {
    aead: &'static AeadTable,
    functions: [unsafe extern "C" fn(); 6],
}

// SAFETY: these are the prototypes of selo.h. Each `safe fn` only reads and writes the memory
// of its references, and accepts every value in it.
unsafe extern "C" {
    pub fn selo_wipe(data: *mut c_void, size: usize);
    pub fn selo_equal(a: *const c_void, b: *const c_void, size: usize) -> u8;

    pub safe fn selo_aes128_fast_setup(key: &mut Aes128Fast, raw: &[u8; 16]);
    pub safe fn selo_aes192_fast_setup(key: &mut Aes192Fast, raw: &[u8; 24]);
    pub safe fn selo_aes256_fast_setup(key: &mut Aes256Fast, raw: &[u8; 32]);
    pub fn selo_aes128_fast_encrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);
    pub fn selo_aes128_fast_decrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);
    pub fn selo_aes192_fast_encrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);
    pub fn selo_aes192_fast_decrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);
    pub fn selo_aes256_fast_encrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);
    pub fn selo_aes256_fast_decrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);

    pub safe fn selo_aes128_small_setup(key: &mut Aes128Small, raw: &[u8; 16]);
    pub safe fn selo_aes192_small_setup(key: &mut Aes192Small, raw: &[u8; 24]);
    pub safe fn selo_aes256_small_setup(key: &mut Aes256Small, raw: &[u8; 32]);
    pub fn selo_aes128_small_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_aes128_small_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_aes192_small_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_aes192_small_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_aes256_small_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_aes256_small_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );

    pub safe fn selo_aes128_tiny_setup(key: &mut Aes128Tiny, raw: &[u8; 16]);
    pub safe fn selo_aes192_tiny_setup(key: &mut Aes192Tiny, raw: &[u8; 24]);
    pub safe fn selo_aes256_tiny_setup(key: &mut Aes256Tiny, raw: &[u8; 32]);
    pub fn selo_aes128_tiny_encrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);
    pub fn selo_aes192_tiny_encrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);
    pub fn selo_aes256_tiny_encrypt(key: *const c_void, out: *mut [u8; 16], input: *const [u8; 16]);

    #[allow(dead_code, reason = "the key struct of C is the bytes of a raw key")]
    pub safe fn selo_chacha20_poly1305_setup(key: &mut ChaCha20Poly1305Key, raw: &[u8; 32]);
    pub fn selo_chacha20_poly1305_seal(
        key: *const ChaCha20Poly1305Key,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> Status;
    pub fn selo_chacha20_poly1305_open(
        key: *const ChaCha20Poly1305Key,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *const u8,
    ) -> Status;

    #[allow(dead_code, reason = "the key struct of C is the bytes of a raw key")]
    pub safe fn selo_xchacha20_poly1305_setup(key: &mut XChaCha20Poly1305Key, raw: &[u8; 32]);
    pub fn selo_xchacha20_poly1305_seal(
        key: *const XChaCha20Poly1305Key,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> Status;
    pub fn selo_xchacha20_poly1305_open(
        key: *const XChaCha20Poly1305Key,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *const u8,
    ) -> Status;

    pub safe fn selo_ascon_aead128_setup(key: &mut AsconAead128Key, raw: &[u8; 16]);
    pub fn selo_ascon_aead128_seal(
        key: *const AsconAead128Key,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> Status;
    pub fn selo_ascon_aead128_open(
        key: *const AsconAead128Key,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *const u8,
    ) -> Status;

    pub fn selo_gcm_seal(
        cipher: Cipher,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> Status;
    pub fn selo_gcm_open(
        cipher: Cipher,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *const u8,
    ) -> Status;

    #[allow(dead_code, reason = "the tables of AES-GCM call it")]
    pub fn selo_gcm_hash_key(cipher: Cipher, hash_key: *mut u8);
    #[allow(dead_code, reason = "the tables of AES-GCM call it")]
    pub fn selo_gcm_keyed_seal(
        cipher: Cipher,
        hash_key: *const u8,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> Status;
    #[allow(dead_code, reason = "the tables of AES-GCM call it")]
    pub fn selo_gcm_keyed_open(
        cipher: Cipher,
        hash_key: *const u8,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *const u8,
    ) -> Status;

    pub fn selo_ccm_seal(
        cipher: Cipher,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *mut u8,
    ) -> Status;
    pub fn selo_ccm_open(
        cipher: Cipher,
        header: *const Header,
        out: *mut u8,
        input: *const u8,
        size: usize,
        tag: *const u8,
    ) -> Status;

    pub fn selo_aead_setup(
        key: *mut AeadTableKey,
        aead: *const AeadTable,
        raw: *const u8,
        raw_size: usize,
    ) -> Status;
    pub safe static selo_aead_aes128_gcm: AeadTable;
    pub safe static selo_aead_aes192_gcm: AeadTable;
    pub safe static selo_aead_aes256_gcm: AeadTable;
    pub safe static selo_aead_aes128_ccm: AeadTable;
    pub safe static selo_aead_aes192_ccm: AeadTable;
    pub safe static selo_aead_aes256_ccm: AeadTable;
    pub safe static selo_aead_chacha20_poly1305: AeadTable;
    pub safe static selo_aead_ascon_aead128: AeadTable;

    pub fn selo_chacha20_poly1305_seal_start(
        state: *mut ChaCha20Poly1305Sealing,
        key: *const ChaCha20Poly1305Key,
        header: *const Header,
    ) -> Status;
    pub fn selo_chacha20_poly1305_seal_update(
        state: *mut ChaCha20Poly1305Sealing,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_chacha20_poly1305_seal_finish(
        state: *mut ChaCha20Poly1305Sealing,
        tag: *mut u8,
    ) -> Status;
    pub fn selo_chacha20_poly1305_open_start(
        state: *mut ChaCha20Poly1305Opening,
        key: *const ChaCha20Poly1305Key,
        header: *const Header,
    ) -> Status;
    pub fn selo_chacha20_poly1305_open_update(
        state: *mut ChaCha20Poly1305Opening,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_chacha20_poly1305_open_finish(
        state: *mut ChaCha20Poly1305Opening,
        tag: *const u8,
    ) -> Status;
    pub fn selo_ascon_aead128_seal_start(
        state: *mut AsconAead128Sealing,
        key: *const AsconAead128Key,
        header: *const Header,
    ) -> Status;
    pub fn selo_ascon_aead128_seal_update(
        state: *mut AsconAead128Sealing,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_ascon_aead128_seal_finish(state: *mut AsconAead128Sealing, tag: *mut u8) -> Status;
    pub fn selo_ascon_aead128_open_start(
        state: *mut AsconAead128Opening,
        key: *const AsconAead128Key,
        header: *const Header,
    ) -> Status;
    pub fn selo_ascon_aead128_open_update(
        state: *mut AsconAead128Opening,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_ascon_aead128_open_finish(
        state: *mut AsconAead128Opening,
        tag: *const u8,
    ) -> Status;
    pub fn selo_gcm_seal_start(
        state: *mut GcmSealing,
        cipher: Cipher,
        header: *const Header,
    ) -> Status;
    pub fn selo_gcm_seal_update(
        state: *mut GcmSealing,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_gcm_seal_finish(state: *mut GcmSealing, tag: *mut u8) -> Status;
    pub fn selo_gcm_open_start(
        state: *mut GcmOpening,
        cipher: Cipher,
        header: *const Header,
    ) -> Status;
    pub fn selo_gcm_open_update(
        state: *mut GcmOpening,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_gcm_open_finish(state: *mut GcmOpening, tag: *const u8) -> Status;
    pub fn selo_ccm_seal_start(
        state: *mut CcmSealing,
        cipher: Cipher,
        header: *const Header,
        size: u32,
    ) -> Status;
    pub fn selo_ccm_seal_update(
        state: *mut CcmSealing,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_ccm_seal_finish(state: *mut CcmSealing, tag: *mut u8) -> Status;
    pub fn selo_ccm_open_start(
        state: *mut CcmOpening,
        cipher: Cipher,
        header: *const Header,
        size: u32,
    ) -> Status;
    pub fn selo_ccm_open_update(
        state: *mut CcmOpening,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_ccm_open_finish(state: *mut CcmOpening, tag: *const u8) -> Status;
    pub safe static selo_aead_aes128_gcm_pieces: AeadPieces;
    pub safe static selo_aead_aes192_gcm_pieces: AeadPieces;
    pub safe static selo_aead_aes256_gcm_pieces: AeadPieces;
    pub safe static selo_aead_aes128_ccm_pieces: AeadPieces;
    pub safe static selo_aead_aes192_ccm_pieces: AeadPieces;
    pub safe static selo_aead_aes256_ccm_pieces: AeadPieces;
    pub safe static selo_aead_chacha20_poly1305_pieces: AeadPieces;
    pub safe static selo_aead_ascon_aead128_pieces: AeadPieces;
    pub fn selo_aead_seal_start(
        state: *mut AeadTableSealing,
        pieces: *const AeadPieces,
        key: *const AeadTableKey,
        header: *const Header,
        size: u32,
    ) -> Status;
    pub fn selo_aead_seal_update(
        state: *mut AeadTableSealing,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_aead_seal_finish(state: *mut AeadTableSealing, tag: *mut u8) -> Status;
    pub fn selo_aead_open_start(
        state: *mut AeadTableOpening,
        pieces: *const AeadPieces,
        key: *const AeadTableKey,
        header: *const Header,
        size: u32,
    ) -> Status;
    pub fn selo_aead_open_update(
        state: *mut AeadTableOpening,
        out: *mut u8,
        input: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_aead_open_finish(state: *mut AeadTableOpening, tag: *const u8) -> Status;

    pub safe fn selo_sha256_start(hash: &mut Sha256);
    pub fn selo_sha256_update(hash: *mut Sha256, data: *const c_void, size: usize);
    pub fn selo_sha256_finish(hash: *mut Sha256, digest: *mut [u8; 32]);

    pub safe fn selo_sha512_start(hash: &mut Sha512);
    pub fn selo_sha512_update(hash: *mut Sha512, data: *const c_void, size: usize);
    pub fn selo_sha512_finish(hash: *mut Sha512, digest: *mut [u8; 64]);

    pub safe fn selo_sha384_start(hash: &mut Sha384);
    pub fn selo_sha384_update(hash: *mut Sha384, data: *const c_void, size: usize);
    pub fn selo_sha384_finish(hash: *mut Sha384, digest: *mut [u8; 48]);

    pub safe fn selo_sha3_256_start(hash: &mut Sha3);
    pub safe fn selo_sha3_512_start(hash: &mut Sha3);
    pub fn selo_sha3_update(hash: *mut Sha3, data: *const c_void, size: usize);
    pub fn selo_sha3_finish(hash: *mut Sha3, digest: *mut u8);

    pub safe fn selo_shake128_start(xof: &mut Shake);
    pub safe fn selo_shake256_start(xof: &mut Shake);
    pub fn selo_shake_update(xof: *mut Shake, data: *const c_void, size: usize) -> Status;
    pub fn selo_shake_read(xof: *mut Shake, out: *mut u8, size: usize) -> Status;

    pub safe fn selo_blake2s_start(hash: &mut Blake2s);
    pub fn selo_blake2s_update(hash: *mut Blake2s, data: *const c_void, size: usize);
    pub fn selo_blake2s_finish(hash: *mut Blake2s, digest: *mut [u8; 32]);

    pub safe fn selo_ascon_hash256_start(hash: &mut AsconHash256);
    pub fn selo_ascon_hash256_update(hash: *mut AsconHash256, data: *const c_void, size: usize);
    pub fn selo_ascon_hash256_finish(hash: *mut AsconHash256, digest: *mut [u8; 32]);

    pub fn selo_hmac_sha256_start(mac: *mut HmacSha256, key: *const u8, key_size: usize);
    pub fn selo_hmac_sha256_update(mac: *mut HmacSha256, data: *const c_void, size: usize);
    pub fn selo_hmac_sha256_finish(mac: *mut HmacSha256, tag: *mut [u8; 32]);

    pub fn selo_hmac_sha512_start(mac: *mut HmacSha512, key: *const u8, key_size: usize);
    pub fn selo_hmac_sha512_update(mac: *mut HmacSha512, data: *const c_void, size: usize);
    pub fn selo_hmac_sha512_finish(mac: *mut HmacSha512, tag: *mut [u8; 64]);

    pub fn selo_hmac_sha3_256_start(mac: *mut HmacSha3_256, key: *const u8, key_size: usize);
    pub fn selo_hmac_sha3_256_update(mac: *mut HmacSha3_256, data: *const c_void, size: usize);
    pub fn selo_hmac_sha3_256_finish(mac: *mut HmacSha3_256, tag: *mut [u8; 32]);

    pub fn selo_hmac_sha3_512_start(mac: *mut HmacSha3_512, key: *const u8, key_size: usize);
    pub fn selo_hmac_sha3_512_update(mac: *mut HmacSha3_512, data: *const c_void, size: usize);
    pub fn selo_hmac_sha3_512_finish(mac: *mut HmacSha3_512, tag: *mut [u8; 64]);

    pub fn selo_hmac_blake2s_start(mac: *mut HmacBlake2s, key: *const u8, key_size: usize);
    pub fn selo_hmac_blake2s_update(mac: *mut HmacBlake2s, data: *const c_void, size: usize);
    pub fn selo_hmac_blake2s_finish(mac: *mut HmacBlake2s, tag: *mut [u8; 32]);

    pub fn selo_hmac_ascon_hash256_start(
        mac: *mut HmacAsconHash256,
        key: *const u8,
        key_size: usize,
    );
    pub fn selo_hmac_ascon_hash256_update(
        mac: *mut HmacAsconHash256,
        data: *const c_void,
        size: usize,
    );
    pub fn selo_hmac_ascon_hash256_finish(mac: *mut HmacAsconHash256, tag: *mut [u8; 32]);

    pub fn selo_cmac_start(mac: *mut Cmac, cipher: Cipher);
    pub fn selo_cmac_update(mac: *mut Cmac, data: *const c_void, size: usize);
    pub fn selo_cmac_finish(mac: *mut Cmac, tag: *mut [u8; 16]);

    pub fn selo_hkdf_sha256(
        out: *mut u8,
        out_size: usize,
        salt: *const u8,
        salt_size: usize,
        ikm: *const u8,
        ikm_size: usize,
        info: *const u8,
        info_size: usize,
    ) -> Status;
    pub fn selo_hkdf_sha3_256(
        out: *mut u8,
        out_size: usize,
        salt: *const u8,
        salt_size: usize,
        ikm: *const u8,
        ikm_size: usize,
        info: *const u8,
        info_size: usize,
    ) -> Status;
    pub fn selo_hkdf_blake2s(
        out: *mut u8,
        out_size: usize,
        salt: *const u8,
        salt_size: usize,
        ikm: *const u8,
        ikm_size: usize,
        info: *const u8,
        info_size: usize,
    ) -> Status;
    pub fn selo_hkdf_ascon_hash256(
        out: *mut u8,
        out_size: usize,
        salt: *const u8,
        salt_size: usize,
        ikm: *const u8,
        ikm_size: usize,
        info: *const u8,
        info_size: usize,
    ) -> Status;

    pub fn selo_pbkdf2_sha256(
        out: *mut u8,
        out_size: usize,
        password: *const u8,
        password_size: usize,
        salt: *const u8,
        salt_size: usize,
        iterations: u32,
    ) -> Status;

    pub safe fn selo_x25519_keygen(public_key: &mut [u8; 32], secret: &[u8; 32]);
    pub safe fn selo_x25519_shared_secret(
        shared: &mut [u8; 32],
        secret: &[u8; 32],
        peer_public_key: &[u8; 32],
    ) -> Status;

    pub fn selo_ecb_encrypt(cipher: Cipher, out: *mut u8, input: *const u8, size: usize) -> Status;
    pub fn selo_cbc_encrypt(
        cipher: Cipher,
        random: RandomFn,
        random_source: *mut c_void,
        out: *mut u8,
        out_capacity: usize,
        out_size: *mut usize,
        input: *const u8,
        in_size: usize,
    ) -> Status;
    pub fn selo_cbc_decrypt(
        cipher: InverseCipher,
        out: *mut u8,
        out_capacity: usize,
        out_size: *mut usize,
        input: *const u8,
        in_size: usize,
    ) -> Status;
    pub fn selo_ctr(
        cipher: Cipher,
        counter: *mut [u8; 16],
        out: *mut u8,
        input: *const u8,
        size: usize,
    );

    pub safe fn selo_speck128_fast_setup(key: &mut Speck128Fast, raw: &[u8; 16]);
    pub safe fn selo_speck192_fast_setup(key: &mut Speck192Fast, raw: &[u8; 24]);
    pub safe fn selo_speck256_fast_setup(key: &mut Speck256Fast, raw: &[u8; 32]);
    pub fn selo_speck128_fast_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck128_fast_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck192_fast_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck192_fast_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck256_fast_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck256_fast_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );

    pub safe fn selo_speck128_small_setup(key: &mut Speck128Small, raw: &[u8; 16]);
    pub safe fn selo_speck192_small_setup(key: &mut Speck192Small, raw: &[u8; 24]);
    pub safe fn selo_speck256_small_setup(key: &mut Speck256Small, raw: &[u8; 32]);
    pub fn selo_speck128_small_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck128_small_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck192_small_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck192_small_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck256_small_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck256_small_decrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );

    pub safe fn selo_speck128_tiny_setup(key: &mut Speck128Tiny, raw: &[u8; 16]);
    pub safe fn selo_speck192_tiny_setup(key: &mut Speck192Tiny, raw: &[u8; 24]);
    pub safe fn selo_speck256_tiny_setup(key: &mut Speck256Tiny, raw: &[u8; 32]);
    pub fn selo_speck128_tiny_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck192_tiny_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );
    pub fn selo_speck256_tiny_encrypt(
        key: *const c_void,
        out: *mut [u8; 16],
        input: *const [u8; 16],
    );

    pub safe fn selo_mlkem512_keygen(
        public_key: &mut MlKem512PublicKey,
        private_key: &mut MlKem512PrivateKey,
        seed: &[u8; 64],
    );
    pub safe fn selo_mlkem512_encapsulate(
        ciphertext: &mut MlKem512Ciphertext,
        secret: &mut [u8; 32],
        public_key: &MlKem512PublicKey,
        random: &[u8; 32],
    ) -> Status;
    pub safe fn selo_mlkem512_decapsulate(
        secret: &mut [u8; 32],
        private_key: &MlKem512PrivateKey,
        ciphertext: &MlKem512Ciphertext,
    );
    pub safe fn selo_mlkem512_check(private_key: &MlKem512PrivateKey) -> Status;

    pub safe fn selo_mlkem768_keygen(
        public_key: &mut MlKem768PublicKey,
        private_key: &mut MlKem768PrivateKey,
        seed: &[u8; 64],
    );
    pub safe fn selo_mlkem768_encapsulate(
        ciphertext: &mut MlKem768Ciphertext,
        secret: &mut [u8; 32],
        public_key: &MlKem768PublicKey,
        random: &[u8; 32],
    ) -> Status;
    pub safe fn selo_mlkem768_decapsulate(
        secret: &mut [u8; 32],
        private_key: &MlKem768PrivateKey,
        ciphertext: &MlKem768Ciphertext,
    );
    pub safe fn selo_mlkem768_check(private_key: &MlKem768PrivateKey) -> Status;
    pub safe fn selo_mlkem1024_keygen(
        public_key: &mut MlKem1024PublicKey,
        private_key: &mut MlKem1024PrivateKey,
        seed: &[u8; 64],
    );
    pub safe fn selo_mlkem1024_encapsulate(
        ciphertext: &mut MlKem1024Ciphertext,
        secret: &mut [u8; 32],
        public_key: &MlKem1024PublicKey,
        random: &[u8; 32],
    ) -> Status;
    pub safe fn selo_mlkem1024_decapsulate(
        secret: &mut [u8; 32],
        private_key: &MlKem1024PrivateKey,
        ciphertext: &MlKem1024Ciphertext,
    );
    pub safe fn selo_mlkem1024_check(private_key: &MlKem1024PrivateKey) -> Status;

    pub safe fn selo_mlkem512_encapsulate_start(
        state: &mut MlKem512Encapsulation,
        random: &[u8; 32],
    );
    pub fn selo_mlkem512_encapsulate_key(
        state: *mut MlKem512Encapsulation,
        piece: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_mlkem512_encapsulate_read(
        state: *mut MlKem512Encapsulation,
        out: *mut u8,
        size: usize,
    ) -> Status;
    pub safe fn selo_mlkem512_encapsulate_finish(
        state: &mut MlKem512Encapsulation,
        secret: &mut [u8; 32],
    ) -> Status;

    pub safe fn selo_mlkem768_encapsulate_start(
        state: &mut MlKem768Encapsulation,
        random: &[u8; 32],
    );
    pub fn selo_mlkem768_encapsulate_key(
        state: *mut MlKem768Encapsulation,
        piece: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_mlkem768_encapsulate_read(
        state: *mut MlKem768Encapsulation,
        out: *mut u8,
        size: usize,
    ) -> Status;
    pub safe fn selo_mlkem768_encapsulate_finish(
        state: &mut MlKem768Encapsulation,
        secret: &mut [u8; 32],
    ) -> Status;
    pub safe fn selo_mlkem1024_encapsulate_start(
        state: &mut MlKem1024Encapsulation,
        random: &[u8; 32],
    );
    pub fn selo_mlkem1024_encapsulate_key(
        state: *mut MlKem1024Encapsulation,
        piece: *const u8,
        size: usize,
    ) -> Status;
    pub fn selo_mlkem1024_encapsulate_read(
        state: *mut MlKem1024Encapsulation,
        out: *mut u8,
        size: usize,
    ) -> Status;
    pub safe fn selo_mlkem1024_encapsulate_finish(
        state: &mut MlKem1024Encapsulation,
        secret: &mut [u8; 32],
    ) -> Status;
}
