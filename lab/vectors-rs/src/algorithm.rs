//! Algorithm names: what a name says about the interface, the key and the block.

use crate::Error;

/// An algorithm, parsed from its name: `aes-128`, `speck128/256-cbc`, `sha3-512`,
/// `hmac-sha-256`, `aes-128-gcm`, `hkdf-sha-256`, `x25519`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm {
    name: &'static str,
    interface: Interface,
}

/// The operations that an algorithm answers to, see [`crate::Implementation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interface {
    /// A 128-bit block cipher, one block a call.
    BlockCipher {
        /// Bytes of the key.
        key_bytes: usize,
    },
    /// ECB over such a cipher.
    Ecb {
        /// Bytes of the key.
        key_bytes: usize,
    },
    /// CBC with PKCS #7 padding and an IV drawn from a random source.
    Cbc {
        /// Bytes of the key.
        key_bytes: usize,
    },
    /// CTR with a 128-bit big-endian counter.
    Ctr {
        /// Bytes of the key.
        key_bytes: usize,
    },
    /// A hash function.
    Hash(Hash),
    /// HMAC over a hash function.
    Mac(Hash),
    /// An authenticated cipher.
    Aead(Aead),
    /// HKDF over a hash function.
    Kdf(Hash),
    /// X25519.
    DiffieHellman,
    /// A key agreement on a curve of which a peer's public key must be a point.
    Agreement {
        /// Bytes of a public key.
        public_bytes: usize,
    },
    /// A signature scheme.
    Signature {
        /// Bytes of a public key.
        public_bytes: usize,
        /// What is signed is the SHA-256 digest of the message, and not the message.
        of_digest: bool,
    },
}

/// The sizes of an authenticated cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aead {
    /// Bytes of the key.
    pub key_bytes: usize,
    /// Which nonces and tags it has.
    pub sizes: AeadSizes,
}

/// Which nonces and tags an authenticated cipher has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AeadSizes {
    /// Those of [SP800-38D, 5.2.1].
    Gcm,
    /// Those of [SP800-38C, A.1].
    Ccm,
    /// Nonces of one size, tags of 16 bytes.
    Fixed {
        /// Bytes of the nonce.
        nonce_bytes: usize,
    },
}

/// Whether an implementation takes a message of certain sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Support {
    /// It must.
    Required,
    /// It may refuse the sizes.
    Optional,
    /// It must refuse the sizes: the algorithm is not defined for them.
    Refused,
}

/// From here on the size of associated data needs an encoding of its own in CCM
/// [SP800-38C, A.2.2], which small devices leave out.
const CCM_LONG_AD: usize = 0xff00;

impl Aead {
    /// What to expect of an implementation for such a message, sizes in bytes.
    pub(crate) fn support(self, nonce: usize, ad: usize, tag: usize) -> Support {
        let (defined, common) = match self.sizes {
            AeadSizes::Gcm => (nonce >= 1 && matches!(tag, 4 | 8 | 12..=16), true),
            AeadSizes::Ccm => (
                (7..=13).contains(&nonce) && (4..=16).contains(&tag) && tag.is_multiple_of(2),
                ad < CCM_LONG_AD,
            ),
            AeadSizes::Fixed { nonce_bytes } => {
                (nonce == nonce_bytes && (4..=16).contains(&tag), tag == 16)
            }
        };
        match (defined, common) {
            (true, true) => Support::Required,
            (true, false) => Support::Optional,
            (false, _) => Support::Refused,
        }
    }
}

/// A hash function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // the names say it all
pub enum Hash {
    Sha256,
    Sha512,
    Sha3_256,
    Sha3_512,
    Blake2s,
    AsconHash256,
}

impl Hash {
    /// Bytes of the digest.
    pub fn digest_bytes(self) -> usize {
        match self {
            Hash::Sha256 | Hash::Sha3_256 | Hash::Blake2s | Hash::AsconHash256 => 32,
            Hash::Sha512 | Hash::Sha3_512 => 64,
        }
    }

    /// Bytes absorbed by one call of the compression function or permutation.
    pub fn block_bytes(self) -> usize {
        match self {
            Hash::Sha256 | Hash::Blake2s => 64,
            Hash::Sha512 => 128,
            Hash::Sha3_256 => 136,
            Hash::Sha3_512 => 72,
            Hash::AsconHash256 => 8,
        }
    }

    /// Whether the Monte Carlo test chains as SHA3VS says, and not as SHAVS does.
    pub(crate) fn is_sha3(self) -> bool {
        matches!(self, Hash::Sha3_256 | Hash::Sha3_512)
    }

    /// Calls of the compression function or permutation for a message, at least 1.
    pub(crate) fn blocks(self, message_bytes: usize) -> usize {
        let padding = match self {
            Hash::Sha256 => 9,                    // 0x80 and a 64-bit length
            Hash::Sha512 => 17,                   // 0x80 and a 128-bit length
            Hash::Sha3_256 | Hash::Sha3_512 => 1, // the domain bits and the final 1 share a byte
            Hash::Blake2s => 0,
            // Initialisation, and four blocks squeezed out. A short message takes nine
            // permutations, which is what one call costs: nine count as one.
            Hash::AsconHash256 => return (message_bytes / 8 + 5).div_ceil(9),
        };
        (message_bytes + padding)
            .div_ceil(self.block_bytes())
            .max(1)
    }
}

/// The names that the cases know by themselves; [`Algorithm::cipher_of`] makes others.
const ALGORITHMS: &[Algorithm] = &{
    use AeadSizes::{Ccm, Fixed, Gcm};
    use Hash::{AsconHash256, Blake2s, Sha3_256, Sha3_512, Sha256, Sha512};
    use Interface::{Agreement, BlockCipher, Cbc, Ctr, DiffieHellman, Ecb, Kdf, Mac, Signature};
    const fn a(name: &'static str, interface: Interface) -> Algorithm {
        Algorithm { name, interface }
    }
    const fn aead(name: &'static str, key_bytes: usize, sizes: AeadSizes) -> Algorithm {
        a(name, Interface::Aead(Aead { key_bytes, sizes }))
    }
    [
        a("aes-128", BlockCipher { key_bytes: 16 }),
        a("aes-192", BlockCipher { key_bytes: 24 }),
        a("aes-256", BlockCipher { key_bytes: 32 }),
        a("speck128/128", BlockCipher { key_bytes: 16 }),
        a("speck128/192", BlockCipher { key_bytes: 24 }),
        a("speck128/256", BlockCipher { key_bytes: 32 }),
        a("aes-128-ecb", Ecb { key_bytes: 16 }),
        a("aes-192-ecb", Ecb { key_bytes: 24 }),
        a("aes-256-ecb", Ecb { key_bytes: 32 }),
        a("speck128/128-ecb", Ecb { key_bytes: 16 }),
        a("speck128/192-ecb", Ecb { key_bytes: 24 }),
        a("speck128/256-ecb", Ecb { key_bytes: 32 }),
        a("aes-128-cbc", Cbc { key_bytes: 16 }),
        a("aes-192-cbc", Cbc { key_bytes: 24 }),
        a("aes-256-cbc", Cbc { key_bytes: 32 }),
        a("speck128/128-cbc", Cbc { key_bytes: 16 }),
        a("speck128/192-cbc", Cbc { key_bytes: 24 }),
        a("speck128/256-cbc", Cbc { key_bytes: 32 }),
        a("aes-128-ctr", Ctr { key_bytes: 16 }),
        a("aes-192-ctr", Ctr { key_bytes: 24 }),
        a("aes-256-ctr", Ctr { key_bytes: 32 }),
        a("speck128/128-ctr", Ctr { key_bytes: 16 }),
        a("speck128/192-ctr", Ctr { key_bytes: 24 }),
        a("speck128/256-ctr", Ctr { key_bytes: 32 }),
        aead("aes-128-gcm", 16, Gcm),
        aead("aes-192-gcm", 24, Gcm),
        aead("aes-256-gcm", 32, Gcm),
        aead("aes-128-ccm", 16, Ccm),
        aead("aes-192-ccm", 24, Ccm),
        aead("aes-256-ccm", 32, Ccm),
        aead("chacha20-poly1305", 32, Fixed { nonce_bytes: 12 }),
        aead("ascon-aead128", 16, Fixed { nonce_bytes: 16 }),
        a("sha-256", Interface::Hash(Sha256)),
        a("sha-512", Interface::Hash(Sha512)),
        a("sha3-256", Interface::Hash(Sha3_256)),
        a("sha3-512", Interface::Hash(Sha3_512)),
        a("blake2s", Interface::Hash(Blake2s)),
        a("ascon-hash256", Interface::Hash(AsconHash256)),
        a("hmac-sha-256", Mac(Sha256)),
        a("hmac-sha-512", Mac(Sha512)),
        a("hmac-sha3-256", Mac(Sha3_256)),
        a("hmac-sha3-512", Mac(Sha3_512)),
        a("hmac-blake2s", Mac(Blake2s)),
        a("hkdf-sha-256", Kdf(Sha256)),
        a("hkdf-sha3-256", Kdf(Sha3_256)),
        a("hkdf-blake2s", Kdf(Blake2s)),
        a("x25519", DiffieHellman),
        a("ecdh-p-256", Agreement { public_bytes: 64 }),
        a(
            "ecdsa-p-256",
            Signature {
                public_bytes: 64,
                of_digest: true,
            },
        ),
        a(
            "ed25519",
            Signature {
                public_bytes: 32,
                of_digest: false,
            },
        ),
    ]
};

impl Algorithm {
    /// A cipher, alone, in a mode or authenticated, that only data files know.
    pub fn cipher_of(name: &str, interface: Interface) -> Algorithm {
        // A run reads the data files once and keeps what they say to its end.
        Algorithm {
            name: Box::leak(name.into()),
            interface,
        }
    }

    /// The algorithm of this name.
    pub fn named(name: &str) -> Result<Algorithm, Error> {
        (ALGORITHMS
            .iter()
            .find(|algorithm| algorithm.name == name)
            .copied())
        .ok_or_else(|| Error::UnknownAlgorithm {
            name: name.to_owned(),
        })
    }

    /// Every algorithm that the cases know.
    pub fn all() -> impl Iterator<Item = Algorithm> {
        ALGORITHMS.iter().copied()
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Its operations.
    pub fn interface(self) -> Interface {
        self.interface
    }

    /// The cipher under the mode: `aes-128` for `aes-128-cbc` and for `aes-128`.
    pub(crate) fn cipher(self) -> &'static str {
        ["-ecb", "-cbc", "-ctr"]
            .iter()
            .find_map(|mode| self.name.strip_suffix(mode))
            .unwrap_or(self.name)
    }
}
