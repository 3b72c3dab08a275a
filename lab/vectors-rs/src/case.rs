//! A case: the task of one published vector, and the result.

use crate::{Aead, Algorithm, Hash, Interface, LargeSignature};

/// Steps of the inner loop of every NIST Monte Carlo test [AESAVS, 6.4] [SHAVS, 6.4]
/// [SHA3VS, 6.2.3].
pub(crate) const MONTE_CARLO_STEPS: usize = 1000;

/// One published vector, or one published checkpoint of a chain of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Case {
    /// Its place: `ECBMMT128.rsp:12`, or `x25519_test.json:tcId 7`.
    pub id: String,
    /// The stratum for sampling: file and section, or the vector's flags.
    pub class: String,
    /// Approximate cost in calls of the primitive: block operations, compressions,
    /// permutations, scalar multiplications. At least 1.
    pub weight: u32,
    /// The algorithm under test.
    pub algorithm: Algorithm,
    /// The task.
    pub kind: CaseKind,
}

/// Direction of a cipher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

impl Direction {
    /// Name of the operation.
    pub fn operation(self) -> &'static str {
        match self {
            Direction::Encrypt => "encrypt",
            Direction::Decrypt => "decrypt",
        }
    }
}

/// The task of a case. Every `input` and `output` is in the direction of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields carry the names of the vectors' documents
pub enum CaseKind {
    /// Whole blocks, each on its own: ECB, or the block cipher called once per block.
    Blocks {
        direction: Direction,
        key: Vec<u8>,
        input: Vec<u8>,
        output: Vec<u8>,
    },
    /// One checkpoint of [AESAVS, 6.4.1]: 1,000 chained blocks. `next_key` is the key of the
    /// next checkpoint, which follows from the last two blocks.
    BlockMonteCarlo {
        direction: Direction,
        key: Vec<u8>,
        input: [u8; 16],
        output: [u8; 16],
        next_key: Option<Vec<u8>>,
    },
    /// CBC over whole blocks without padding, as in NIST's vectors.
    CbcUnpadded {
        direction: Direction,
        key: Vec<u8>,
        iv: [u8; 16],
        input: Vec<u8>,
        output: Vec<u8>,
    },
    /// CBC with PKCS #7 padding. The ciphertext includes the block of padding.
    CbcPadded {
        direction: Direction,
        key: Vec<u8>,
        iv: [u8; 16],
        input: Vec<u8>,
        output: Vec<u8>,
    },
    /// A ciphertext that must be refused. Whole blocks must give `status::PADDING` and no
    /// output; other sizes may give any status.
    CbcRefused {
        key: Vec<u8>,
        iv: [u8; 16],
        ciphertext: Vec<u8>,
    },
    /// One checkpoint of [AESAVS, 6.4.2]. `next` is key, IV and input of the next one.
    CbcMonteCarlo {
        direction: Direction,
        key: Vec<u8>,
        iv: [u8; 16],
        input: [u8; 16],
        output: [u8; 16],
        next: Option<CbcNext>,
    },
    /// The IV must come from the random source [SP800-38A, appendix C].
    CbcIv {
        first: [u8; 16],
        second: [u8; 16],
        message: Vec<u8>,
    },
    /// CTR from a whole counter block.
    Ctr {
        direction: Direction,
        key: Vec<u8>,
        counter: [u8; 16],
        input: Vec<u8>,
        output: Vec<u8>,
    },
    /// The digest of `message` repeated `repeat` times.
    Hash {
        hash: Hash,
        message: Vec<u8>,
        repeat: usize,
        digest: Vec<u8>,
    },
    /// One checkpoint of [SHAVS, 6.4] or [SHA3VS, 6.2.3]: 1,000 chained digests.
    HashMonteCarlo {
        hash: Hash,
        seed: Vec<u8>,
        digest: Vec<u8>,
    },
    /// A tag, compared in all bytes that the vector prints. If it is not `valid`, it must
    /// differ.
    Mac {
        hash: Hash,
        key: Vec<u8>,
        message: Vec<u8>,
        tag: Vec<u8>,
        valid: bool,
    },
    /// Sealing must give the published ciphertext and tag.
    AeadSeal { aead: Aead, message: AeadMessage },
    /// Opening must give the published plaintext. With one bit of the nonce, the associated
    /// data, the ciphertext or the tag changed, it must give `status::TAG` and only zeros.
    AeadOpen { aead: Aead, message: AeadMessage },
    /// An altered message: it must be refused with `status::TAG` and only zeros. If its sizes
    /// are invalid for the algorithm, sealing and opening must be refused with any status.
    AeadRefused { aead: Aead, message: AeadMessage },
    /// A derived key with the length of `okm`.
    Kdf {
        hash: Hash,
        salt: Vec<u8>,
        ikm: Vec<u8>,
        info: Vec<u8>,
        okm: Vec<u8>,
    },
    /// A key of `bytes` bytes, more than the algorithm allows: refused with any status and
    /// only zeros.
    KdfRefused {
        hash: Hash,
        salt: Vec<u8>,
        ikm: Vec<u8>,
        info: Vec<u8>,
        bytes: u16,
    },
    /// X25519 of a secret and a peer's public key. An all-zero `shared` must be refused
    /// with `status::KEY` and an all-zero output [RFC7748, 6.1].
    SharedSecret {
        secret: [u8; 32],
        peer: [u8; 32],
        shared: [u8; 32],
    },
    /// The iterated test of [RFC7748, 5.2].
    SharedSecretIterated {
        secret: [u8; 32],
        peer: [u8; 32],
        iterations: u32,
        shared: [u8; 32],
    },
    /// X25519 of a secret and the base point.
    PublicKey { secret: [u8; 32], public: [u8; 32] },
    /// The shared secret of a key agreement.
    Agreement {
        secret: [u8; 32],
        peer: Vec<u8>,
        shared: [u8; 32],
    },
    /// An invalid public key, for example a point that is not on the curve: refused with any
    /// status and only zeros.
    AgreementRefused { secret: [u8; 32], peer: Vec<u8> },
    /// The public key of a secret.
    KeyPair { secret: [u8; 32], public: Vec<u8> },
    /// Signing must give the published signature. If the signer may choose a random number,
    /// the implementation's own verification must accept the signature instead; `Verify`
    /// cases test that verification.
    Sign {
        secret: [u8; 32],
        public: Vec<u8>,
        message: Vec<u8>,
        signature: Vec<u8>,
        random: bool,
    },
    /// A signature that must be accepted if `valid`, and else refused with any status.
    Verify {
        public: Vec<u8>,
        message: Vec<u8>,
        signature: Vec<u8>,
        valid: bool,
    },
    /// The key pair of a seed.
    KemKeyPair {
        seed: Vec<u8>,
        public: Vec<u8>,
        private: Vec<u8>,
    },
    /// An encapsulation with given random bytes.
    Encapsulate {
        public: Vec<u8>,
        random: Vec<u8>,
        ciphertext: Vec<u8>,
        secret: Vec<u8>,
    },
    /// A decapsulation. An altered ciphertext has a secret too [FIPS203, algorithm 18].
    Decapsulate {
        private: Vec<u8>,
        ciphertext: Vec<u8>,
        secret: Vec<u8>,
    },
    /// A decapsulation with the private key of a seed.
    DecapsulateSeed {
        seed: Vec<u8>,
        ciphertext: Vec<u8>,
        secret: Vec<u8>,
    },
    /// An invalid public key: refused with any status [FIPS203, 7.2].
    EncapsulateRefused { public: Vec<u8>, random: Vec<u8> },
    /// An invalid private key: `check` refuses it with any status [FIPS203, 7.3].
    PrivateRefused { private: Vec<u8> },
    /// The key pair of a seed, of a signature scheme with large keys.
    LargeKeyPair {
        seed: Vec<u8>,
        public: Vec<u8>,
        private: Vec<u8>,
    },
    /// Signing with these random bytes must give the published signature, and the implementation's
    /// own verification must accept it. A signer that has random numbers of its own need only pass
    /// the second; `LargeVerify` cases test that verification.
    LargeSign {
        key: LargeKey,
        public: Vec<u8>,
        message: Vec<u8>,
        context: Vec<u8>,
        random: Vec<u8>,
        signature: Vec<u8>,
    },
    /// A signature that must be accepted if `valid`, and else refused with any status.
    LargeVerify {
        public: Vec<u8>,
        message: Vec<u8>,
        context: Vec<u8>,
        signature: Vec<u8>,
        valid: bool,
    },
}

/// The key of a signature: private, or the seed from which it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum LargeKey {
    Private(Vec<u8>),
    Seed(Vec<u8>),
}

/// A message of an authenticated cipher, as plaintext and as ciphertext.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct AeadMessage {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub ad: Vec<u8>,
    /// Unknown for a message that must be refused.
    pub plaintext: Vec<u8>,
    pub ciphertext: Vec<u8>,
    pub tag: Vec<u8>,
}

impl AeadMessage {
    /// Variants of the message with one bit changed, one per part that is not empty. The bit
    /// depends on the message, so that a set covers many bits.
    pub(crate) fn alterations(&self) -> impl Iterator<Item = (&'static str, AeadMessage)> + '_ {
        type Part = fn(&mut AeadMessage) -> &mut Vec<u8>;
        const PARTS: [(&str, Part); 4] = [
            ("nonce", |message| &mut message.nonce),
            ("associated data", |message| &mut message.ad),
            ("ciphertext", |message| &mut message.ciphertext),
            ("tag", |message| &mut message.tag),
        ];
        let any = self
            .tag
            .iter()
            .fold(0, |sum, byte| 3 * sum + usize::from(*byte))
            % 1024;
        PARTS.into_iter().filter_map(move |(name, part)| {
            let mut altered = self.clone();
            let bytes = part(&mut altered);
            let bit = any % (8 * bytes.len()).max(1);
            *bytes.get_mut(bit / 8)? ^= 1 << (bit % 8);
            Some((name, altered))
        })
    }

    /// Cost of one call, relative to a call with one block of everything.
    fn weight(&self) -> usize {
        let blocks = |bytes: &[u8]| bytes.len().div_ceil(16);
        (blocks(&self.nonce) + blocks(&self.ad) + blocks(&self.ciphertext)).div_ceil(3)
    }
}

/// Start values of the next checkpoint of a CBC Monte Carlo chain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct CbcNext {
    pub key: Vec<u8>,
    pub iv: [u8; 16],
    pub input: [u8; 16],
}

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CaseResult {
    /// The implementation answered as published.
    Pass,
    /// The answer differs from the published one.
    Fail {
        /// The published answer: hexadecimal, or a status.
        expected: String,
        /// The answer of the implementation.
        got: String,
        /// The place: the operation, the step of a chain, the first byte that differs.
        detail: String,
    },
    /// The implementation cannot run the case, because it lacks an operation or its buffers
    /// are too small. Does not count as tried.
    Skipped {
        /// The reason.
        reason: String,
    },
}

impl Case {
    pub(crate) fn new(algorithm: Algorithm, id: String, class: String, kind: CaseKind) -> Case {
        let weight = match (algorithm.interface(), &kind) {
            (Interface::LargeSignature(LargeSignature { weights, .. }), kind) => match kind {
                CaseKind::LargeKeyPair { .. } => weights[0],
                CaseKind::LargeSign { .. } => weights[1],
                _ => weights[2],
            },
            _ => u32::try_from(kind.weight().max(1)).unwrap_or(u32::MAX),
        };
        Case {
            id,
            class,
            weight,
            algorithm,
            kind,
        }
    }
}

impl CaseKind {
    fn weight(&self) -> usize {
        match self {
            CaseKind::Blocks { input, .. } => input.len() / 16,
            CaseKind::BlockMonteCarlo { .. } => MONTE_CARLO_STEPS,
            // The padding adds a block. Decryption also needs an encryption to make that block.
            CaseKind::CbcUnpadded {
                direction, input, ..
            } => match direction {
                Direction::Encrypt => input.len() / 16 + 1,
                Direction::Decrypt => input.len() / 16 + 2,
            },
            CaseKind::CbcPadded { input, .. } => input.len() / 16 + 1,
            CaseKind::CbcRefused { ciphertext, .. } => ciphertext.len() / 16,
            CaseKind::CbcMonteCarlo {
                direction: Direction::Encrypt,
                ..
            } => 2 * MONTE_CARLO_STEPS,
            CaseKind::CbcMonteCarlo {
                direction: Direction::Decrypt,
                ..
            } => 3 * MONTE_CARLO_STEPS,
            CaseKind::CbcIv { message, .. } => 2 * (message.len() / 16 + 1),
            CaseKind::Ctr { input, .. } => input.len().div_ceil(16),
            CaseKind::Hash {
                hash,
                message,
                repeat,
                ..
            } => hash.blocks(message.len() * repeat),
            CaseKind::HashMonteCarlo { hash, .. } => {
                let message = if hash.is_sha3() {
                    hash.digest_bytes()
                } else {
                    3 * hash.digest_bytes()
                };
                MONTE_CARLO_STEPS * hash.blocks(message)
            }
            // Three more: the inner and outer key blocks, and the outer digest.
            CaseKind::Mac { hash, message, .. } => hash.blocks(message.len()) + 3,
            CaseKind::AeadSeal { message, .. } | CaseKind::AeadRefused { message, .. } => {
                message.weight()
            }
            CaseKind::AeadOpen { message, .. } => {
                message.weight() * (1 + message.alterations().count())
            }
            // Extraction and 32 bytes of key are two HMACs, which count as one.
            CaseKind::Kdf { hash, okm, .. } => okm.len().div_ceil(hash.digest_bytes()).div_ceil(2),
            CaseKind::SharedSecret { .. }
            | CaseKind::PublicKey { .. }
            | CaseKind::Agreement { .. }
            | CaseKind::AgreementRefused { .. }
            | CaseKind::KeyPair { .. }
            | CaseKind::Sign { .. }
            | CaseKind::Verify { .. }
            | CaseKind::KemKeyPair { .. }
            | CaseKind::Encapsulate { .. }
            | CaseKind::Decapsulate { .. }
            | CaseKind::EncapsulateRefused { .. }
            | CaseKind::PrivateRefused { .. }
            | CaseKind::KdfRefused { .. }
            | CaseKind::LargeKeyPair { .. }
            | CaseKind::LargeVerify { .. } => 1,
            CaseKind::DecapsulateSeed { .. } | CaseKind::LargeSign { .. } => 2,
            CaseKind::SharedSecretIterated { iterations, .. } => *iterations as usize,
        }
    }
}
