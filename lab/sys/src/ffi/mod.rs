//! All unsafe code: the declarations of the C library, and calls that meet its requirements.
//!
//! One file per part of the C headers. Nothing outside this module is unsafe, and no pointer
//! leaves it.
#![allow(
    unsafe_code,
    reason = "calling C is unsafe; each call says why it is sound"
)]

mod aead;
mod aead_table;
mod block;
mod declarations;
mod hash;
mod hkdf;
mod mac;
mod memory;
mod mlkem;
mod mode;
pub mod node;
mod pieces;
mod plain;
#[cfg(test)]
mod tests;
mod x25519;

pub use aead::{
    ascon_aead128_open, ascon_aead128_open_in_place, ascon_aead128_seal,
    ascon_aead128_seal_in_place, ccm_open, ccm_open_in_place, ccm_seal, ccm_seal_in_place,
    chacha20_poly1305_open, chacha20_poly1305_open_in_place, chacha20_poly1305_seal,
    chacha20_poly1305_seal_in_place, gcm_open, gcm_open_in_place, gcm_seal, gcm_seal_in_place,
    xchacha20_poly1305_open, xchacha20_poly1305_open_in_place, xchacha20_poly1305_seal,
    xchacha20_poly1305_seal_in_place,
};
pub use aead_table::{Aead, AeadKey};
pub use block::{Decrypt, Decryption, Encrypt, Encryption};
pub use declarations::{
    Aes128Fast, Aes128Small, Aes128Tiny, Aes192Fast, Aes192Small, Aes192Tiny, Aes256Fast,
    Aes256Small, Aes256Tiny, AsconAead128Key, AsconHash256, Blake2s, ChaCha20Poly1305Key,
    HmacAsconHash256, HmacBlake2s, HmacSha3_256, HmacSha3_512, HmacSha256, HmacSha512,
    MlKem512Ciphertext, MlKem512Encapsulation, MlKem512PrivateKey, MlKem512PublicKey,
    MlKem768Ciphertext, MlKem768Encapsulation, MlKem768PrivateKey, MlKem768PublicKey,
    MlKem1024Ciphertext, MlKem1024Encapsulation, MlKem1024PrivateKey, MlKem1024PublicKey, Sha256,
    Sha384, Sha512, Speck128Fast, Speck128Small, Speck128Tiny, Speck192Fast, Speck192Small,
    Speck192Tiny, Speck256Fast, Speck256Small, Speck256Tiny, XChaCha20Poly1305Key,
};
pub use hash::{Sha3_256, Sha3_512, shake128, shake256};
pub use hkdf::{hkdf_ascon_hash256, hkdf_blake2s, hkdf_sha3_256, hkdf_sha256, pbkdf2_sha256};
pub use mac::cmac;
pub use memory::{equal, wipe};
pub use mlkem::{mlkem512_keygen, mlkem768_keygen, mlkem1024_keygen};
pub use mode::{
    cbc_decrypt, cbc_decrypt_behind_iv, cbc_decrypt_in_place, cbc_encrypt, cbc_size, ctr,
    ctr_in_place, ecb_decrypt, ecb_decrypt_in_place, ecb_encrypt, ecb_encrypt_in_place,
};
pub use pieces::{
    AeadOpening, AeadSealing, AsconAead128Opening, AsconAead128Sealing, CcmOpening, CcmSealing,
    ChaCha20Poly1305Opening, ChaCha20Poly1305Sealing, GcmOpening, GcmSealing,
};
pub use x25519::{SharedSecret, X25519Secret};
