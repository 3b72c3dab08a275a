//! Algorithms by name, with their interface, key and sizes.

use crate::Error;

/// An algorithm, parsed from its name: `aes-128`, `speck128/256-cbc`, `sha3-512`,
/// `hmac-sha-256`, `aes-128-gcm`, `hkdf-sha-256`, `x25519`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm {
    name: &'static str,
    interface: Interface,
}

/// The operations of an algorithm, see [`crate::Implementation`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Interface {
    /// A 128-bit block cipher; one block per call.
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
    /// A key agreement on a curve. A peer's public key must be a point of the curve.
    Agreement {
        /// Bytes of a public key.
        public_bytes: usize,
    },
    /// A signature scheme.
    Signature {
        /// Bytes of a public key.
        public_bytes: usize,
        /// True if the input is the SHA-256 digest of the message instead of the message.
        of_digest: bool,
    },
    /// A key encapsulation.
    Kem(Kem),
    /// A signature scheme with large keys, which the implementation keeps.
    LargeSignature(LargeSignature),
}

/// The sizes of a signature scheme with large keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LargeSignature {
    /// Bytes of the seed of a key pair.
    pub seed_bytes: usize,
    /// Random bytes that a signature may take.
    pub random_bytes: usize,
    /// Bytes of a public key.
    pub public_bytes: usize,
    /// Bytes of a private key.
    pub private_bytes: usize,
    /// Bytes of a signature, the most.
    pub signature_bytes: usize,
    /// Cost of a key pair, of a signature and of a verification, as in [`crate::Case::weight`].
    pub weights: [u32; 3],
}

/// The sizes of a key encapsulation. A seed has 64 bytes, a shared secret 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kem {
    /// Bytes of a public key.
    pub public_bytes: usize,
    /// Bytes of a private key.
    pub private_bytes: usize,
    /// Bytes of a ciphertext.
    pub ciphertext_bytes: usize,
}

/// The sizes of an authenticated cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Aead {
    /// Bytes of the key.
    pub key_bytes: usize,
    /// The nonce and tag sizes that it accepts.
    pub sizes: AeadSizes,
}

/// Nonce and tag sizes of an authenticated cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AeadSizes {
    /// The sizes of [SP800-38D, 5.2.1].
    Gcm,
    /// The sizes of [SP800-38C, A.1].
    Ccm,
    /// Nonces of one size, tags of 16 bytes.
    Fixed {
        /// Bytes of the nonce.
        nonce_bytes: usize,
    },
}

/// Requirement on an implementation for given sizes of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Support {
    /// It must accept the sizes.
    Required,
    /// It may refuse the sizes.
    Optional,
    /// It must refuse the sizes, because the algorithm is not defined for them.
    Refused,
}

/// From this size in bytes, CCM encodes the size of the associated data differently
/// [SP800-38C, A.2.2]. Small devices leave that encoding out.
const CCM_LONG_AD: usize = 0xff00;

impl Aead {
    /// The requirement for a message with these sizes in bytes.
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

    /// True if the Monte Carlo test chains by SHA3VS instead of SHAVS.
    pub(crate) fn is_sha3(self) -> bool {
        matches!(self, Hash::Sha3_256 | Hash::Sha3_512)
    }

    /// Number of calls of the compression function or permutation for a message, at least 1.
    pub(crate) fn blocks(self, message_bytes: usize) -> usize {
        let padding = match self {
            Hash::Sha256 => 9,                    // 0x80 and a 64-bit length
            Hash::Sha512 => 17,                   // 0x80 and a 128-bit length
            Hash::Sha3_256 | Hash::Sha3_512 => 1, // the domain bits and the final 1 share a byte
            Hash::Blake2s => 0,
            // One permutation initialises, and four squeeze out the digest. A short message takes
            // about nine permutations, which count as one call.
            Hash::AsconHash256 => return (message_bytes / 8 + 5).div_ceil(9),
        };
        (message_bytes + padding)
            .div_ceil(self.block_bytes())
            .max(1)
    }
}

/// The weights of SLH-DSA's small signatures, and of its fast ones. A signature is the unit. Two
/// million hashes make a small one, so no quick check makes it.
const SMALL_TREES: [u32; 3] = [33, 33, 1];
const FAST_TREES: [u32; 3] = [1, 2, 1];

/// The algorithms known by name; [`Algorithm::cipher_of`] makes others.
const ALGORITHMS: &[Algorithm] = &{
    use AeadSizes::{Ccm, Fixed, Gcm};
    use Hash::{AsconHash256, Blake2s, Sha3_256, Sha3_512, Sha256, Sha512};
    use Interface::{Agreement, BlockCipher, Cbc, Ctr, DiffieHellman, Ecb, Kdf, Mac, Signature};
    const fn a(name: &'static str, interface: Interface) -> Algorithm {
        Algorithm { name, interface }
    }
    const fn kem(name: &'static str, sizes: [usize; 3]) -> Algorithm {
        let [public_bytes, private_bytes, ciphertext_bytes] = sizes;
        a(
            name,
            Interface::Kem(Kem {
                public_bytes,
                private_bytes,
                ciphertext_bytes,
            }),
        )
    }
    const fn large_signature(
        name: &'static str,
        sizes: [usize; 5],
        weights: [u32; 3],
    ) -> Algorithm {
        let [
            seed_bytes,
            random_bytes,
            public_bytes,
            private_bytes,
            signature_bytes,
        ] = sizes;
        a(
            name,
            Interface::LargeSignature(LargeSignature {
                seed_bytes,
                random_bytes,
                public_bytes,
                private_bytes,
                signature_bytes,
                weights,
            }),
        )
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
        kem("ml-kem-512", [800, 1632, 768]),
        kem("ml-kem-768", [1184, 2400, 1088]),
        kem("ml-kem-1024", [1568, 3168, 1568]),
        large_signature("ml-dsa-44", [32, 32, 1312, 2560, 2420], [1, 2, 1]),
        large_signature("ml-dsa-65", [32, 32, 1952, 4032, 3309], [1, 2, 1]),
        large_signature("ml-dsa-87", [32, 32, 2592, 4896, 4627], [1, 2, 1]),
        // The hashes of the trees [FIPS205, table 2].
        large_signature("slh-dsa-sha2-128s", [48, 16, 32, 64, 7856], SMALL_TREES),
        large_signature("slh-dsa-sha2-128f", [48, 16, 32, 64, 17_088], FAST_TREES),
        large_signature("slh-dsa-shake-128s", [48, 16, 32, 64, 7856], SMALL_TREES),
        large_signature("slh-dsa-shake-128f", [48, 16, 32, 64, 17_088], FAST_TREES),
        large_signature(
            "hash-ml-dsa-44-sha-512",
            [32, 32, 1312, 2560, 2420],
            [1, 2, 1],
        ),
        large_signature(
            "hash-ml-dsa-65-sha-512",
            [32, 32, 1952, 4032, 3309],
            [1, 2, 1],
        ),
        large_signature(
            "hash-ml-dsa-87-sha-512",
            [32, 32, 2592, 4896, 4627],
            [1, 2, 1],
        ),
        large_signature(
            "hash-slh-dsa-sha2-128s-sha-256",
            [48, 16, 32, 64, 7856],
            SMALL_TREES,
        ),
        large_signature(
            "hash-slh-dsa-sha2-128f-sha-256",
            [48, 16, 32, 64, 17_088],
            FAST_TREES,
        ),
        large_signature("falcon-512", [48, 88, 897, 1281, 752], [1, 2, 1]),
        large_signature("falcon-1024", [48, 88, 1793, 2305, 1462], [1, 2, 1]),
        large_signature(
            "sphincs-sha2-128f-simple",
            [48, 16, 32, 64, 17_088],
            FAST_TREES,
        ),
        large_signature(
            "sphincs-shake-128f-simple",
            [48, 16, 32, 64, 17_088],
            FAST_TREES,
        ),
        large_signature("mayo-1", [24, 24, 1420, 24, 454], [1, 2, 1]),
        large_signature("mayo-2", [24, 24, 4912, 24, 186], [1, 2, 1]),
        large_signature("mayo-3", [32, 32, 2986, 32, 681], [1, 2, 1]),
        large_signature("mayo-5", [40, 40, 5554, 40, 964], [1, 2, 1]),
        large_signature("cross-rsdp-128-fast", [32, 48, 77, 32, 18_432], [1, 2, 1]),
        large_signature(
            "cross-rsdp-128-balanced",
            [32, 48, 77, 32, 13_152],
            [1, 2, 1],
        ),
        large_signature("cross-rsdp-128-small", [32, 48, 77, 32, 12_432], [1, 2, 1]),
        large_signature("cross-rsdpg-128-fast", [32, 48, 54, 32, 11_980], [1, 2, 1]),
        large_signature(
            "cross-rsdpg-128-balanced",
            [32, 48, 54, 32, 9120],
            [1, 2, 1],
        ),
        large_signature("cross-rsdpg-128-small", [32, 48, 54, 32, 8960], [1, 2, 1]),
        large_signature("cross-rsdp-192-fast", [48, 72, 115, 48, 41_406], [1, 2, 1]),
        large_signature(
            "cross-rsdp-192-balanced",
            [48, 72, 115, 48, 29_853],
            [1, 2, 1],
        ),
        large_signature("cross-rsdp-192-small", [48, 72, 115, 48, 28_391], [1, 2, 1]),
        large_signature(
            "cross-rsdp-256-balanced",
            [64, 96, 153, 64, 53_527],
            [1, 2, 1],
        ),
        large_signature("cross-rsdp-256-fast", [64, 96, 153, 64, 74_590], [1, 2, 1]),
        large_signature("cross-rsdp-256-small", [64, 96, 153, 64, 50_818], [1, 2, 1]),
        large_signature("cross-rsdpg-192-fast", [48, 72, 83, 48, 26_772], [1, 2, 1]),
        large_signature(
            "cross-rsdpg-192-balanced",
            [48, 72, 83, 48, 22_464],
            [1, 2, 1],
        ),
        large_signature("cross-rsdpg-192-small", [48, 72, 83, 48, 20_452], [1, 2, 1]),
        large_signature("cross-rsdpg-256-fast", [64, 96, 106, 64, 48_102], [1, 2, 1]),
        large_signature(
            "cross-rsdpg-256-balanced",
            [64, 96, 106, 64, 40_100],
            [1, 2, 1],
        ),
        large_signature(
            "cross-rsdpg-256-small",
            [64, 96, 106, 64, 36_454],
            [1, 2, 1],
        ),
        large_signature("uov-is-pkc-skc", [32, 16, 66_576, 32, 96], [1, 2, 1]),
        large_signature("uov-ip-pkc-skc", [32, 16, 43_576, 32, 128], [1, 2, 1]),
        // Signers with a state are not called: only their public keys and signatures have sizes.
        large_signature("lms-sha256-h10-w4", [0, 0, 60, 0, 2512], [1, 2, 1]),
        large_signature("hss-sha256-h5-w8-x2", [0, 0, 60, 0, 2644], [1, 2, 1]),
        large_signature("xmss-sha2-10-256", [0, 0, 68, 0, 2500], [1, 2, 1]),
    ]
};

impl Algorithm {
    /// A cipher that only data files define: alone, in a mode or authenticated.
    pub fn cipher_of(name: &str, interface: Interface) -> Algorithm {
        // A program reads the data files once and needs the names until it ends.
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

    /// Every algorithm known by name.
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

    /// The cipher behind the mode: `aes-128` for `aes-128-cbc` and for `aes-128`.
    pub(crate) fn cipher(self) -> &'static str {
        ["-ecb", "-cbc", "-ctr"]
            .iter()
            .find_map(|mode| self.name.strip_suffix(mode))
            .unwrap_or(self.name)
    }
}
