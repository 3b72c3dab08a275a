//! Runs the ciphers with the implementations that are part of this program.

use aes_gcm::AeadInOut;
use aes_gcm::aead::KeyInit;
use cbc::cipher::block_padding::Pkcs7;
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use selo_sys::{Decrypt, Encrypt};

use super::algorithm::{Cipher, TAG};
use crate::error::{Error, Result};

/// An implementation that is part of this program. [`crate::implementation`] has the libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BuiltIn {
    /// Selo's device library, in portable C.
    Selo,
    /// The crates of the RustCrypto project.
    RustCrypto,
    /// ring, which the TLS of this project also uses.
    Ring,
}

impl BuiltIn {
    pub const ALL: &[BuiltIn] = &[BuiltIn::Selo, BuiltIn::RustCrypto, BuiltIn::Ring];

    pub fn name(self) -> &'static str {
        match self {
            BuiltIn::Selo => "selo",
            BuiltIn::RustCrypto => "rustcrypto",
            BuiltIn::Ring => "ring",
        }
    }

    pub fn by_name(name: &str) -> Option<BuiltIn> {
        let mut all = BuiltIn::ALL.iter().copied();
        all.find(|implementation| implementation.name() == name)
    }

    pub fn offers(self, cipher: Cipher) -> bool {
        match self {
            BuiltIn::Selo | BuiltIn::RustCrypto => true,
            BuiltIn::Ring => ring_algorithm(cipher).is_some(),
        }
    }

    /// Seals `message`. Binds `ad` to it if the cipher authenticates.
    pub fn seal(self, cipher: Cipher, key: &[u8], ad: &[u8], message: &[u8]) -> Result<Vec<u8>> {
        self.check(cipher, key)?;
        let mut sealed = vec![0; cipher.sealed_size(message.len())];
        let (nonce, body) = sealed.split_at_mut(cipher.nonce_size());
        getrandom::fill(nonce).map_err(Error::Random)?;
        if cipher.authenticated() {
            let (data, tag) = body.split_at_mut(message.len());
            data.copy_from_slice(message);
            self.seal_aead(cipher, key, nonce, ad, data, tag)?;
        } else {
            self.seal_cbc(cipher, key, nonce, body, message)?;
        }
        Ok(sealed)
    }

    /// Opens a message that [`BuiltIn::seal`] sealed. Returns `None` if the tag or the padding is
    /// wrong.
    pub fn open(
        self,
        cipher: Cipher,
        key: &[u8],
        ad: &[u8],
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>> {
        self.check(cipher, key)?;
        let Some((nonce, body)) = sealed.split_at_checked(cipher.nonce_size()) else {
            return Ok(None);
        };
        if !cipher.authenticated() {
            return Ok(self.open_cbc(cipher, key, nonce, body));
        }
        let Some(size) = body.len().checked_sub(TAG) else {
            return Ok(None);
        };
        let (data, tag) = body.split_at(size);
        let mut data = data.to_vec();
        let opened = self.open_aead(cipher, key, nonce, ad, &mut data, tag);
        Ok(opened.then_some(data))
    }

    fn check(self, cipher: Cipher, key: &[u8]) -> Result<()> {
        if !self.offers(cipher) {
            let message = format!("{} does not offer {}", self.name(), cipher.name());
            return Err(Error::usage(
                message,
                "`selo exchange list` shows the ciphers of each implementation",
            ));
        }
        assert_eq!(key.len(), cipher.key_size(), "derived for this cipher");
        Ok(())
    }

    fn seal_cbc(
        self,
        cipher: Cipher,
        key: &[u8],
        iv: &[u8],
        out: &mut [u8],
        message: &[u8],
    ) -> Result<()> {
        match self {
            BuiltIn::Selo => {
                // The library draws the IV itself and writes it before the ciphertext.
                let key = selo_key(key);
                let mut whole = vec![0; iv.len() + out.len()];
                let given = |slot: &mut [u8]| {
                    slot.copy_from_slice(iv);
                    Ok(())
                };
                selo_sys::cbc_encrypt(key.encrypt(), given, &mut whole, message)
                    .map_err(unexpected)?;
                out.copy_from_slice(&whole[iv.len()..]);
            }
            _ => {
                out[..message.len()].copy_from_slice(message);
                let size = message.len();
                let done = match cipher {
                    Cipher::Aes128Cbc => encrypt_padded::<aes::Aes128>(key, iv, out, size),
                    Cipher::Aes192Cbc => encrypt_padded::<aes::Aes192>(key, iv, out, size),
                    _ => encrypt_padded::<aes::Aes256>(key, iv, out, size),
                };
                assert!(done, "there is room for the padding");
            }
        }
        Ok(())
    }

    fn open_cbc(self, cipher: Cipher, key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>> {
        match self {
            BuiltIn::Selo => {
                let key = selo_key(key);
                let sealed = [iv, data].concat();
                let mut out = vec![0; data.len()];
                let size = selo_sys::cbc_decrypt(key.decrypt(), &mut out, &sealed).ok()?;
                out.truncate(size);
                Some(out)
            }
            _ => match cipher {
                Cipher::Aes128Cbc => decrypt_padded::<aes::Aes128>(key, iv, data),
                Cipher::Aes192Cbc => decrypt_padded::<aes::Aes192>(key, iv, data),
                _ => decrypt_padded::<aes::Aes256>(key, iv, data),
            },
        }
    }

    fn seal_aead(
        self,
        cipher: Cipher,
        key: &[u8],
        nonce: &[u8],
        ad: &[u8],
        data: &mut [u8],
        tag: &mut [u8],
    ) -> Result<()> {
        match self {
            BuiltIn::Selo => {
                use selo_sys as s;
                match cipher {
                    Cipher::ChaCha20Poly1305 => s::chacha20_poly1305_seal_in_place(
                        &sized(key),
                        &sized(nonce),
                        ad,
                        data,
                        tag,
                    ),
                    Cipher::AsconAead128 => {
                        s::ascon_aead128_seal_in_place(&sized(key), &sized(nonce), ad, data, tag)
                    }
                    _ => s::gcm_seal_in_place(selo_key(key).encrypt(), nonce, ad, data, tag),
                }
                .map_err(unexpected)?;
            }
            BuiltIn::RustCrypto => match cipher {
                Cipher::Aes128Gcm => seal::<aes_gcm::Aes128Gcm>(key, nonce, ad, data, tag),
                Cipher::Aes256Gcm => seal::<aes_gcm::Aes256Gcm>(key, nonce, ad, data, tag),
                Cipher::ChaCha20Poly1305 => {
                    seal::<chacha20poly1305::ChaCha20Poly1305>(key, nonce, ad, data, tag);
                }
                _ => seal::<ascon_aead::AsconAead128>(key, nonce, ad, data, tag),
            },
            BuiltIn::Ring => {
                let made = ring_key(cipher, key)
                    .and_then(|key| {
                        let nonce = ring::aead::Nonce::assume_unique_for_key(sized(nonce));
                        let ad = ring::aead::Aad::from(ad);
                        key.seal_in_place_separate_tag(nonce, ad, data).ok()
                    })
                    .ok_or_else(|| too_large(data.len()))?;
                tag.copy_from_slice(made.as_ref());
            }
        }
        Ok(())
    }

    fn open_aead(
        self,
        cipher: Cipher,
        key: &[u8],
        nonce: &[u8],
        ad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> bool {
        match self {
            BuiltIn::Selo => {
                use selo_sys as s;
                match cipher {
                    Cipher::ChaCha20Poly1305 => s::chacha20_poly1305_open_in_place(
                        &sized(key),
                        &sized(nonce),
                        ad,
                        data,
                        tag,
                    ),
                    Cipher::AsconAead128 => {
                        s::ascon_aead128_open_in_place(&sized(key), &sized(nonce), ad, data, tag)
                    }
                    _ => s::gcm_open_in_place(selo_key(key).encrypt(), nonce, ad, data, tag),
                }
                .is_ok()
            }
            BuiltIn::RustCrypto => match cipher {
                Cipher::Aes128Gcm => open::<aes_gcm::Aes128Gcm>(key, nonce, ad, data, tag),
                Cipher::Aes256Gcm => open::<aes_gcm::Aes256Gcm>(key, nonce, ad, data, tag),
                Cipher::ChaCha20Poly1305 => {
                    open::<chacha20poly1305::ChaCha20Poly1305>(key, nonce, ad, data, tag)
                }
                _ => open::<ascon_aead::AsconAead128>(key, nonce, ad, data, tag),
            },
            BuiltIn::Ring => ring_key(cipher, key).is_some_and(|key| {
                let nonce = ring::aead::Nonce::assume_unique_for_key(sized(nonce));
                let tag = ring::aead::Tag::from(sized::<TAG>(tag));
                let ad = ring::aead::Aad::from(ad);
                key.open_in_place_separate_tag(nonce, ad, tag, data, 0..)
                    .is_ok()
            }),
        }
    }
}

fn unexpected(error: selo_sys::Error) -> Error {
    Error::Protocol(format!("the device library failed: {error}"))
}

fn too_large(size: usize) -> Error {
    Error::Protocol(format!("{size} bytes are too many for the cipher"))
}

/// Converts a slice to an array. The cipher's tables give its size.
fn sized<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("sizes are those of the cipher")
}

enum SeloKey {
    Aes128(selo_sys::Aes128Fast),
    Aes192(selo_sys::Aes192Fast),
    Aes256(selo_sys::Aes256Fast),
}

fn selo_key(raw: &[u8]) -> SeloKey {
    match raw.len() {
        16 => SeloKey::Aes128(selo_sys::Aes128Fast::new(&sized(raw))),
        24 => SeloKey::Aes192(selo_sys::Aes192Fast::new(&sized(raw))),
        _ => SeloKey::Aes256(selo_sys::Aes256Fast::new(&sized(raw))),
    }
}

impl SeloKey {
    fn encrypt(&self) -> &dyn Encrypt {
        match self {
            SeloKey::Aes128(key) => key,
            SeloKey::Aes192(key) => key,
            SeloKey::Aes256(key) => key,
        }
    }

    fn decrypt(&self) -> &dyn Decrypt {
        match self {
            SeloKey::Aes128(key) => key,
            SeloKey::Aes192(key) => key,
            SeloKey::Aes256(key) => key,
        }
    }
}

fn encrypt_padded<C>(key: &[u8], iv: &[u8], out: &mut [u8], size: usize) -> bool
where
    cbc::Encryptor<C>: KeyIvInit + BlockModeEncrypt,
    C: cbc::cipher::BlockCipherEncrypt,
{
    cbc::Encryptor::<C>::new_from_slices(key, iv)
        .is_ok_and(|mode| mode.encrypt_padded::<Pkcs7>(out, size).is_ok())
}

fn decrypt_padded<C>(key: &[u8], iv: &[u8], data: &[u8]) -> Option<Vec<u8>>
where
    cbc::Decryptor<C>: KeyIvInit + BlockModeDecrypt,
    C: cbc::cipher::BlockCipherDecrypt,
{
    let mode = cbc::Decryptor::<C>::new_from_slices(key, iv).ok()?;
    mode.decrypt_padded_vec::<Pkcs7>(data).ok()
}

fn seal<A: AeadInOut + KeyInit>(
    key: &[u8],
    nonce: &[u8],
    ad: &[u8],
    data: &mut [u8],
    tag: &mut [u8],
) {
    let aead = A::new_from_slice(key).expect("sizes are those of the cipher");
    let nonce = nonce.try_into().expect("sizes are those of the cipher");
    let made = aead
        .encrypt_inout_detached(nonce, ad, data.into())
        .expect("a payload is smaller than the cipher's limit");
    tag.copy_from_slice(&made);
}

fn open<A: AeadInOut + KeyInit>(
    key: &[u8],
    nonce: &[u8],
    ad: &[u8],
    data: &mut [u8],
    tag: &[u8],
) -> bool {
    let aead = A::new_from_slice(key).expect("sizes are those of the cipher");
    let nonce = nonce.try_into().expect("sizes are those of the cipher");
    let tag = tag.try_into().expect("sizes are those of the cipher");
    aead.decrypt_inout_detached(nonce, ad, data.into(), tag)
        .is_ok()
}

fn ring_algorithm(cipher: Cipher) -> Option<&'static ring::aead::Algorithm> {
    match cipher {
        Cipher::Aes128Gcm => Some(&ring::aead::AES_128_GCM),
        Cipher::Aes256Gcm => Some(&ring::aead::AES_256_GCM),
        Cipher::ChaCha20Poly1305 => Some(&ring::aead::CHACHA20_POLY1305),
        _ => None,
    }
}

fn ring_key(cipher: Cipher, key: &[u8]) -> Option<ring::aead::LessSafeKey> {
    let key = ring::aead::UnboundKey::new(ring_algorithm(cipher)?, key).ok()?;
    Some(ring::aead::LessSafeKey::new(key))
}
