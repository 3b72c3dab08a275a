//! AES in its modes, ChaCha20-Poly1305 and Ascon-AEAD128.

use aes::cipher::generic_array::typenum::{U8, U12, U13, U16};
use aes::cipher::{
    Block, BlockDecrypt, BlockDecryptMut, BlockEncrypt, BlockEncryptMut, InnerIvInit, KeyInit,
    StreamCipher,
};
use aes::{
    Aes128, Aes128Dec, Aes128Enc, Aes192, Aes192Dec, Aes192Enc, Aes256, Aes256Dec, Aes256Enc,
};
use aes_gcm::AesGcm;
use aes_gcm::aead::{AeadInPlace, Nonce, Tag};
use ascon_aead::AsconAead128;
use ccm::Ccm;
use chacha20poly1305::ChaCha20Poly1305;

use crate::{Slot, failed, input, output};

/// One message of an authenticated cipher, as lab/libraries/common/glue_aead.h has it.
#[repr(C)]
pub struct Message {
    nonce: *const u8,
    ad: *const u8,
    data: *const u8,
    nonce_size: u16,
    ad_size: u16,
    size: u16,
    tag_size: u8,
}

/// Whole blocks.
///
/// # Safety
/// `data` is valid for `size` bytes.
unsafe fn blocks<'a>(data: *mut u8, size: u16) -> &'a mut [Block<Aes128>] {
    if size < 16 {
        return &mut [];
    }
    // SAFETY: the caller's; a block is 16 bytes without alignment.
    unsafe { core::slice::from_raw_parts_mut(data.cast(), usize::from(size) / 16) }
}

macro_rules! aes {
    ($name:ident, $enc:ty, $dec:ty, $size:literal, $set_encrypt:ident, $set_decrypt:ident,
     $encrypt:ident, $decrypt:ident, $ecb_encrypt:ident, $ecb_decrypt:ident, $cbc_encrypt:ident,
     $cbc_decrypt:ident, $ctr:ident) => {
        mod $name {
            use super::*;

            static ENCRYPTS: Slot<$enc> = Slot::new();
            static DECRYPTS: Slot<$dec> = Slot::new();

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $set_encrypt(raw: *const u8) {
                let raw = unsafe { crate::array::<$size>(raw) };
                ENCRYPTS.set(<$enc>::new(&raw.into()));
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $set_decrypt(raw: *const u8) {
                let raw = unsafe { crate::array::<$size>(raw) };
                DECRYPTS.set(<$dec>::new(&raw.into()));
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $encrypt(out: *mut u8, data: *const u8) {
                let (data, out) = unsafe { (crate::array::<16>(data), output(out, 16)) };
                ENCRYPTS.get().encrypt_block_b2b(&data.into(), out.into());
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $decrypt(out: *mut u8, data: *const u8) {
                let (data, out) = unsafe { (crate::array::<16>(data), output(out, 16)) };
                DECRYPTS.get().decrypt_block_b2b(&data.into(), out.into());
            }

            /// In place.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $ecb_encrypt(data: *mut u8, size: u16) {
                ENCRYPTS.get().encrypt_blocks(unsafe { blocks(data, size) });
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $ecb_decrypt(data: *mut u8, size: u16) {
                DECRYPTS.get().decrypt_blocks(unsafe { blocks(data, size) });
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $cbc_encrypt(iv: *const u8, data: *mut u8, size: u16) {
                let iv = unsafe { crate::array::<16>(iv) };
                cbc::Encryptor::inner_iv_init(&*ENCRYPTS.get(), &iv.into())
                    .encrypt_blocks_mut(unsafe { blocks(data, size) });
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $cbc_decrypt(iv: *const u8, data: *mut u8, size: u16) {
                let iv = unsafe { crate::array::<16>(iv) };
                cbc::Decryptor::inner_iv_init(&*DECRYPTS.get(), &iv.into())
                    .decrypt_blocks_mut(unsafe { blocks(data, size) });
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $ctr(counter: *const u8, data: *mut u8, size: u16) {
                let counter = unsafe { crate::array::<16>(counter) };
                let key = &*ENCRYPTS.get();
                let inner =
                    ctr::CtrCore::<_, ctr::flavors::Ctr128BE>::inner_iv_init(key, &counter.into());
                let mut stream = aes::cipher::StreamCipherCoreWrapper::from_core(inner);
                stream.apply_keystream(unsafe { output(data, size) });
            }
        }
    };
}

aes!(
    aes128,
    Aes128Enc,
    Aes128Dec,
    16,
    rc_aes128_set_encrypt,
    rc_aes128_set_decrypt,
    rc_aes128_encrypt,
    rc_aes128_decrypt,
    rc_aes128_ecb_encrypt,
    rc_aes128_ecb_decrypt,
    rc_aes128_cbc_encrypt,
    rc_aes128_cbc_decrypt,
    rc_aes128_ctr
);
aes!(
    aes192,
    Aes192Enc,
    Aes192Dec,
    24,
    rc_aes192_set_encrypt,
    rc_aes192_set_decrypt,
    rc_aes192_encrypt,
    rc_aes192_decrypt,
    rc_aes192_ecb_encrypt,
    rc_aes192_ecb_decrypt,
    rc_aes192_cbc_encrypt,
    rc_aes192_cbc_decrypt,
    rc_aes192_ctr
);
aes!(
    aes256,
    Aes256Enc,
    Aes256Dec,
    32,
    rc_aes256_set_encrypt,
    rc_aes256_set_decrypt,
    rc_aes256_encrypt,
    rc_aes256_decrypt,
    rc_aes256_ecb_encrypt,
    rc_aes256_ecb_decrypt,
    rc_aes256_cbc_encrypt,
    rc_aes256_cbc_decrypt,
    rc_aes256_ctr
);

/// The text is in `out` already, and its nonce and tag have the type's sizes.
///
/// # Safety
/// The pointers are valid for the sizes beside them.
unsafe fn seal<C: AeadInPlace>(key: &C, m: &Message, out: *mut u8, tag: *mut u8) -> i32 {
    let (nonce, ad) = unsafe { (input(m.nonce, m.nonce_size), input(m.ad, m.ad_size)) };
    let (text, tag) = unsafe { (output(out, m.size), output(tag, m.tag_size.into())) };
    let result = key.encrypt_in_place_detached(Nonce::<C>::from_slice(nonce), ad, text);
    failed(result.map(|made| tag.copy_from_slice(&made)))
}

/// # Safety
/// As of `seal`.
unsafe fn open<C: AeadInPlace>(key: &C, m: &Message, out: *mut u8, tag: *const u8) -> i32 {
    let (nonce, ad) = unsafe { (input(m.nonce, m.nonce_size), input(m.ad, m.ad_size)) };
    let (text, tag) = unsafe { (output(out, m.size), input(tag, m.tag_size.into())) };
    let (nonce, tag) = (Nonce::<C>::from_slice(nonce), Tag::<C>::from_slice(tag));
    failed(key.decrypt_in_place_detached(nonce, ad, text, tag))
}

macro_rules! aead {
    ($name:ident, $type:ty, $size:literal, $set_up:ident, $seal:ident, $open:ident) => {
        mod $name {
            use super::*;

            static KEY: Slot<$type> = Slot::new();

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $set_up(raw: *const u8) {
                let raw = unsafe { crate::array::<$size>(raw) };
                KEY.set(<$type>::new(&raw.into()));
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $seal(m: &Message, out: *mut u8, tag: *mut u8) -> i32 {
                unsafe { seal(&*KEY.get(), m, out, tag) }
            }

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $open(m: &Message, out: *mut u8, tag: *const u8) -> i32 {
                unsafe { open(&*KEY.get(), m, out, tag) }
            }
        }
    };
}

aead!(gcm128, AesGcm<Aes128, U12>, 16, rc_gcm128_set_up, rc_gcm128_seal, rc_gcm128_open);
aead!(gcm192, AesGcm<Aes192, U12>, 24, rc_gcm192_set_up, rc_gcm192_seal, rc_gcm192_open);
aead!(gcm256, AesGcm<Aes256, U12>, 32, rc_gcm256_set_up, rc_gcm256_seal, rc_gcm256_open);
aead!(
    chacha20_poly1305,
    ChaCha20Poly1305,
    32,
    rc_chacha20_poly1305_set_up,
    rc_chacha20_poly1305_seal,
    rc_chacha20_poly1305_open
);
aead!(
    ascon_aead128,
    AsconAead128,
    16,
    rc_ascon_aead128_set_up,
    rc_ascon_aead128_seal,
    rc_ascon_aead128_open
);

/// CCM's sizes are types. A program has one pair of them, so each has functions of its own.
macro_rules! ccm {
    ($name:ident, $aes:ty, $size:literal, $set_up:ident, $($nonce:ty, $tag:ty, $seal:ident, $open:ident;)+) => {
        mod $name {
            use super::*;

            static KEY: Slot<$aes> = Slot::new();

            #[unsafe(no_mangle)]
            unsafe extern "C" fn $set_up(raw: *const u8) {
                let raw = unsafe { crate::array::<$size>(raw) };
                KEY.set(<$aes>::new(&raw.into()));
            }

            $(
                #[unsafe(no_mangle)]
                unsafe extern "C" fn $seal(m: &Message, out: *mut u8, tag: *mut u8) -> i32 {
                    let key = Ccm::<$aes, $tag, $nonce>::from(KEY.get().clone());
                    unsafe { seal(&key, m, out, tag) }
                }

                #[unsafe(no_mangle)]
                unsafe extern "C" fn $open(m: &Message, out: *mut u8, tag: *const u8) -> i32 {
                    let key = Ccm::<$aes, $tag, $nonce>::from(KEY.get().clone());
                    unsafe { open(&key, m, out, tag) }
                }
            )+
        }
    };
}

ccm!(ccm128, Aes128, 16, rc_ccm128_set_up,
    U12, U16, rc_ccm128_12_16_seal, rc_ccm128_12_16_open;
    U13, U16, rc_ccm128_13_16_seal, rc_ccm128_13_16_open;
    U13, U8, rc_ccm128_13_8_seal, rc_ccm128_13_8_open;);
ccm!(ccm192, Aes192, 24, rc_ccm192_set_up,
    U12, U16, rc_ccm192_12_16_seal, rc_ccm192_12_16_open;
    U13, U16, rc_ccm192_13_16_seal, rc_ccm192_13_16_open;
    U13, U8, rc_ccm192_13_8_seal, rc_ccm192_13_8_open;);
ccm!(ccm256, Aes256, 32, rc_ccm256_set_up,
    U12, U16, rc_ccm256_12_16_seal, rc_ccm256_12_16_open;
    U13, U16, rc_ccm256_13_16_seal, rc_ccm256_13_16_open;
    U13, U8, rc_ccm256_13_8_seal, rc_ccm256_13_8_open;);
