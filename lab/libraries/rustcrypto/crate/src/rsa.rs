//! RSA-2048: OAEP with SHA-256.

use rsa::rand_core::{CryptoRng, Error, RngCore, impls};
use rsa::traits::PublicKeyParts;
use rsa::{Oaep, RsaPrivateKey, RsaPublicKey};
use sha2::Sha256;

use crate::{Slot, failed, input, output};

static PAIR: Slot<(RsaPrivateKey, RsaPublicKey)> = Slot::new();

unsafe extern "C" {
    /// The glue's: what the host has seeded.
    fn rc_random(out: *mut u8, size: usize);
}

struct Random;

impl RngCore for Random {
    fn next_u32(&mut self) -> u32 {
        impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, out: &mut [u8]) {
        // SAFETY: it writes as many bytes as it is told.
        unsafe { rc_random(out.as_mut_ptr(), out.len()) }
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Error> {
        self.fill_bytes(out);
        Ok(())
    }
}

impl CryptoRng for Random {}

#[unsafe(no_mangle)]
extern "C" fn rc_rsa_keygen(bits: u16) -> i32 {
    failed(RsaPrivateKey::new(&mut Random, bits.into()).map(|private| {
        let public = private.to_public_key();
        PAIR.set((private, public));
    }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rc_rsa_modulus(modulus: *mut u8, size: u16) {
    let bytes = PAIR.get().1.n().to_bytes_be();
    unsafe { output(modulus, size) }.copy_from_slice(&bytes);
}

#[unsafe(no_mangle)]
unsafe extern "C" fn rc_rsa_encrypt(
    out: *mut u8,
    out_size: u16,
    message: *const u8,
    size: u16,
) -> i32 {
    let (out, message) = unsafe { (output(out, out_size), input(message, size)) };
    let made = PAIR
        .get()
        .1
        .encrypt(&mut Random, Oaep::new::<Sha256>(), message);
    failed(made.map(|made| out.copy_from_slice(&made)))
}

/// With blinding, as the crate advises.
#[unsafe(no_mangle)]
unsafe extern "C" fn rc_rsa_decrypt(
    out: *mut u8,
    out_size: *mut u16,
    data: *const u8,
    size: u16,
) -> i32 {
    let data = unsafe { input(data, size) };
    let made = PAIR
        .get()
        .0
        .decrypt_blinded(&mut Random, Oaep::new::<Sha256>(), data);
    failed(made.map(|made| unsafe {
        output(out, made.len() as u16).copy_from_slice(&made);
        *out_size = made.len() as u16;
    }))
}
