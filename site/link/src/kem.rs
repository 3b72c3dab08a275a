//! ML-KEM [FIPS203] of a hybrid pairing.

use std::fmt;

use ml_kem::kem::Decapsulate;
use ml_kem::{B32, EncodedSizeUser, KemCore, MlKem512, MlKem768};
use zeroize::{Zeroize, Zeroizing};

/// A key encapsulation mechanism, under its code in frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kem {
    /// ML-KEM-512.
    MlKem512 = 1,
    /// ML-KEM-768.
    MlKem768 = 2,
}

impl Kem {
    /// All of them, in the order of their codes.
    pub const ALL: [Kem; 2] = [Kem::MlKem512, Kem::MlKem768];

    /// The code in frames.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The mechanism with a code.
    pub fn from_code(code: u8) -> Option<Kem> {
        Kem::ALL.into_iter().find(|kem| kem.code() == code)
    }

    /// The name, as algorithms are named everywhere.
    pub const fn name(self) -> &'static str {
        match self {
            Kem::MlKem512 => "ml-kem-512",
            Kem::MlKem768 => "ml-kem-768",
        }
    }

    const fn ranks(self) -> usize {
        match self {
            Kem::MlKem512 => 2,
            Kem::MlKem768 => 3,
        }
    }

    /// Bytes of t, the encapsulation key without its last 32 bytes.
    pub(crate) const fn t_bytes(self) -> usize {
        384 * self.ranks()
    }

    /// Bytes of u, the first part of a ciphertext.
    pub(crate) const fn u_bytes(self) -> usize {
        320 * self.ranks()
    }

    /// Bytes of v, the second part.
    pub(crate) const V_BYTES: usize = 128;
}

impl fmt::Display for Kem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

/// A key pair, used once. The crate wipes it on drop.
pub(crate) enum KeyPair {
    MlKem512(Box<<MlKem512 as KemCore>::DecapsulationKey>),
    MlKem768(Box<<MlKem768 as KemCore>::DecapsulationKey>),
}

impl KeyPair {
    /// Makes a key pair from d and z [FIPS203, algorithm 16]. Also returns the encapsulation key.
    pub(crate) fn new(kem: Kem, seed: &[u8; 64]) -> (KeyPair, Vec<u8>) {
        let mut d = B32::try_from(&seed[..32]).expect("32 bytes");
        let mut z = B32::try_from(&seed[32..]).expect("32 bytes");
        let made = match kem {
            Kem::MlKem512 => {
                let (private, public) = MlKem512::generate_deterministic(&d, &z);
                let private = KeyPair::MlKem512(Box::new(private));
                (private, public.as_bytes().to_vec())
            }
            Kem::MlKem768 => {
                let (private, public) = MlKem768::generate_deterministic(&d, &z);
                let private = KeyPair::MlKem768(Box::new(private));
                (private, public.as_bytes().to_vec())
            }
        };
        d.as_mut_slice().zeroize();
        z.as_mut_slice().zeroize();
        made
    }

    /// The secret of a ciphertext. An altered one gives a secret that nobody else has. `None` if
    /// it has a wrong size.
    pub(crate) fn decapsulate(&self, ciphertext: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
        let mut secret = match self {
            KeyPair::MlKem512(key) => key.decapsulate(&ciphertext.try_into().ok()?).ok()?,
            KeyPair::MlKem768(key) => key.decapsulate(&ciphertext.try_into().ok()?).ok()?,
        };
        let copy = Zeroizing::new(secret.into());
        secret.as_mut_slice().zeroize();
        Some(copy)
    }
}
