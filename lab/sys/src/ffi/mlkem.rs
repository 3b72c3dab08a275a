//! ML-KEM [FIPS203]: keys, ciphertexts, and encapsulation in pieces.

use std::mem::size_of;
use std::slice;

use super::declarations::*;
use super::plain::Plain;
use crate::{Error, status};

/// The bytes of a struct that is an array of them.
macro_rules! bytes {
    ($($name:ident, $size:literal;)+) => {$(
        const _: () = assert!(size_of::<$name>() == $size);

        impl $name {
            /// Takes the bytes of the standard.
            #[must_use]
            pub fn from_bytes(bytes: &[u8; $size]) -> Self {
                let mut new = Self::zeroed();
                // SAFETY: the struct is these bytes, of which any are a value.
                unsafe { (&raw mut new).cast::<[u8; $size]>().write(*bytes) };
                new
            }

            /// The bytes of the standard.
            #[must_use]
            pub fn as_bytes(&self) -> &[u8] {
                // SAFETY: the struct is this number of bytes.
                unsafe { slice::from_raw_parts((&raw const *self).cast(), $size) }
            }
        }
    )+};
}

bytes! {
    MlKem512PublicKey, 800;
    MlKem512PrivateKey, 1632;
    MlKem512Ciphertext, 768;
    MlKem768PublicKey, 1184;
    MlKem768PrivateKey, 2400;
    MlKem768Ciphertext, 1088;
    MlKem1024PublicKey, 1568;
    MlKem1024PrivateKey, 3168;
    MlKem1024Ciphertext, 1568;
}

macro_rules! kem {
    ($keygen:ident = $c_keygen:ident, $public:ident: $encapsulate:ident, $private:ident: $decapsulate:ident
        $check:ident, $ciphertext:ident, $state:ident: $start:ident $key:ident $read:ident $finish:ident) => {
        /// A key pair from a seed of 64 random bytes.
        #[must_use]
        pub fn $keygen(seed: &[u8; 64]) -> ($public, $private) {
            let (mut public, mut private) = ($public::zeroed(), $private::zeroed());
            $c_keygen(&mut public, &mut private, seed);
            (public, private)
        }

        impl $public {
            /// A ciphertext for this key and the shared secret, from 32 random bytes;
            /// [`Error::Key`] if the key is out of range.
            pub fn encapsulate(&self, random: &[u8; 32]) -> Result<($ciphertext, [u8; 32]), Error> {
                let (mut ciphertext, mut secret) = ($ciphertext::zeroed(), [0; 32]);
                status($encapsulate(&mut ciphertext, &mut secret, self, random))?;
                Ok((ciphertext, secret))
            }
        }

        impl $private {
            /// The shared secret of a ciphertext.
            #[must_use]
            pub fn decapsulate(&self, ciphertext: &$ciphertext) -> [u8; 32] {
                let mut secret = [0; 32];
                $decapsulate(&mut secret, self, ciphertext);
                secret
            }

            /// [`Error::Key`] if the parts of the key do not belong together.
            pub fn check(&self) -> Result<(), Error> {
                status($check(self))
            }
        }

        impl $state {
            /// Begins an encapsulation with 32 random bytes.
            #[must_use]
            pub fn start(random: &[u8; 32]) -> Self {
                let mut state = Self::zeroed();
                $start(&mut state, random);
                state
            }

            /// Takes the next bytes of the public key.
            pub fn key(&mut self, piece: &[u8]) -> Result<(), Error> {
                // SAFETY: the state was started, and the slice covers its bytes.
                status(unsafe { $key(&raw mut *self, piece.as_ptr(), piece.len()) })
            }

            /// Writes the next bytes of the ciphertext.
            pub fn read(&mut self, out: &mut [u8]) -> Result<(), Error> {
                // SAFETY: as above.
                status(unsafe { $read(&raw mut *self, out.as_mut_ptr(), out.len()) })
            }

            /// The shared secret.
            pub fn finish(mut self) -> Result<[u8; 32], Error> {
                let mut secret = [0; 32];
                status($finish(&mut self, &mut secret))?;
                Ok(secret)
            }
        }
    };
}

kem! {
    mlkem512_keygen = selo_mlkem512_keygen, MlKem512PublicKey: selo_mlkem512_encapsulate,
    MlKem512PrivateKey: selo_mlkem512_decapsulate selo_mlkem512_check, MlKem512Ciphertext,
    MlKem512Encapsulation: selo_mlkem512_encapsulate_start selo_mlkem512_encapsulate_key
        selo_mlkem512_encapsulate_read selo_mlkem512_encapsulate_finish
}
kem! {
    mlkem768_keygen = selo_mlkem768_keygen, MlKem768PublicKey: selo_mlkem768_encapsulate,
    MlKem768PrivateKey: selo_mlkem768_decapsulate selo_mlkem768_check, MlKem768Ciphertext,
    MlKem768Encapsulation: selo_mlkem768_encapsulate_start selo_mlkem768_encapsulate_key
        selo_mlkem768_encapsulate_read selo_mlkem768_encapsulate_finish
}
kem! {
    mlkem1024_keygen = selo_mlkem1024_keygen, MlKem1024PublicKey: selo_mlkem1024_encapsulate,
    MlKem1024PrivateKey: selo_mlkem1024_decapsulate selo_mlkem1024_check, MlKem1024Ciphertext,
    MlKem1024Encapsulation: selo_mlkem1024_encapsulate_start selo_mlkem1024_encapsulate_key
        selo_mlkem1024_encapsulate_read selo_mlkem1024_encapsulate_finish
}
