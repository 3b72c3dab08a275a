//! A case: what one published vector asks of an implementation, and the verdict.

use crate::{Aead, Algorithm, CallError, Hash, Implementation, run};

/// One published vector, or one published checkpoint of a chain of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Case {
    /// Where it stands: `ECBMMT128.rsp:12`, or `x25519_test.json:tcId 7`.
    pub id: String,
    /// The stratum for sampling: file and section, or the vector's flags.
    pub class: String,
    /// Roughly how many calls of the primitive it costs: block operations,
    /// compressions, permutations, scalar multiplications. At least 1.
    pub weight: u32,
    /// The algorithm that it is for.
    pub algorithm: Algorithm,
    /// What it asks.
    pub kind: CaseKind,
}

/// Which way a cipher runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Plaintext to ciphertext.
    Encrypt,
    /// Ciphertext to plaintext.
    Decrypt,
}

impl Direction {
    /// The operation's name.
    pub fn operation(self) -> &'static str {
        match self {
            Direction::Encrypt => "encrypt",
            Direction::Decrypt => "decrypt",
        }
    }
}

/// What a case asks. Every `input` and `output` is in the direction of the case.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[allow(missing_docs)] // the fields carry the names of the vectors' documents
pub enum CaseKind {
    /// Whole blocks, each alone: ECB, or the block cipher called block by block.
    Blocks {
        direction: Direction,
        key: Vec<u8>,
        input: Vec<u8>,
        output: Vec<u8>,
    },
    /// One checkpoint of [AESAVS, 6.4.1]: 1,000 chained blocks. `next_key` is the key of
    /// the following checkpoint, which follows from the last two blocks.
    BlockMonteCarlo {
        direction: Direction,
        key: Vec<u8>,
        input: [u8; 16],
        output: [u8; 16],
        next_key: Option<Vec<u8>>,
    },
    /// CBC over whole blocks without padding, as NIST's vectors have it.
    CbcUnpadded {
        direction: Direction,
        key: Vec<u8>,
        iv: [u8; 16],
        input: Vec<u8>,
        output: Vec<u8>,
    },
    /// CBC with PKCS #7 padding. The ciphertext includes the padding's block.
    CbcPadded {
        direction: Direction,
        key: Vec<u8>,
        iv: [u8; 16],
        input: Vec<u8>,
        output: Vec<u8>,
    },
    /// A ciphertext that must be refused: with `status::PADDING` and no output where it is
    /// whole blocks, with any status where it is not.
    CbcRefused {
        key: Vec<u8>,
        iv: [u8; 16],
        ciphertext: Vec<u8>,
    },
    /// One checkpoint of [AESAVS, 6.4.2]. `next` is the following one's key, IV and input.
    CbcMonteCarlo {
        direction: Direction,
        key: Vec<u8>,
        iv: [u8; 16],
        input: [u8; 16],
        output: [u8; 16],
        next: Option<CbcNext>,
    },
    /// The IV must be what the random source gave [SP800-38A, appendix C].
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
    /// The digest of `message`, `repeat` times over.
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
    /// A tag, compared over as many bytes as the vector prints; one that is not `valid`
    /// must differ.
    Mac {
        hash: Hash,
        key: Vec<u8>,
        message: Vec<u8>,
        tag: Vec<u8>,
        valid: bool,
    },
    /// Sealing must give the published ciphertext and tag.
    AeadSeal { aead: Aead, message: AeadMessage },
    /// Opening must give the published plaintext; and with one bit of the nonce, the
    /// associated data, the ciphertext or the tag changed, `status::TAG` and nothing
    /// but zeros.
    AeadOpen { aead: Aead, message: AeadMessage },
    /// An altered message: it must be refused with `status::TAG` and nothing but zeros.
    /// Where its sizes are not those of the algorithm, sealing and opening must be
    /// refused with any status.
    AeadRefused { aead: Aead, message: AeadMessage },
    /// A key as long as `okm`.
    Kdf {
        hash: Hash,
        salt: Vec<u8>,
        ikm: Vec<u8>,
        info: Vec<u8>,
        okm: Vec<u8>,
    },
    /// A key of `bytes` bytes, which is longer than the algorithm gives: refused with any
    /// status and nothing but zeros.
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
    /// What is no point of the curve, or no public key at all: refused with any status and
    /// nothing but zeros.
    AgreementRefused { secret: [u8; 32], peer: Vec<u8> },
    /// The public key of a secret.
    KeyPair { secret: [u8; 32], public: Vec<u8> },
    /// Signing must give the published signature; or, where the scheme lets the signer choose
    /// a random number, one that the implementation's own verification takes. That
    /// verification is held to `Verify`.
    Sign {
        secret: [u8; 32],
        public: Vec<u8>,
        message: Vec<u8>,
        signature: Vec<u8>,
        random: bool,
    },
    /// A signature that must be accepted if it is `valid`, and else refused with any status.
    Verify {
        public: Vec<u8>,
        message: Vec<u8>,
        signature: Vec<u8>,
        valid: bool,
    },
}

/// A message of an authenticated cipher, in both forms.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct AeadMessage {
    pub key: Vec<u8>,
    pub nonce: Vec<u8>,
    pub ad: Vec<u8>,
    /// Not known of a message that must be refused.
    pub plaintext: Vec<u8>,
    pub ciphertext: Vec<u8>,
    pub tag: Vec<u8>,
}

impl AeadMessage {
    /// Cost of one call, in calls for one block of everything.
    fn weight(&self) -> usize {
        let blocks = |bytes: &[u8]| bytes.len().div_ceil(16);
        (blocks(&self.nonce) + blocks(&self.ad) + blocks(&self.ciphertext)).div_ceil(3)
    }
}

/// Where a CBC Monte Carlo chain goes on.
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
    /// It did not.
    Fail {
        /// What was published: hexadecimal, or a status.
        expected: String,
        /// What came instead.
        got: String,
        /// Where: the operation, the step of a chain, the first byte that differs.
        detail: String,
    },
    /// The implementation cannot run the case: an operation is missing, or its buffers
    /// are too small. Not to be counted as tried.
    Skipped {
        /// Why.
        reason: String,
    },
}

impl Case {
    pub(crate) fn new(algorithm: Algorithm, id: String, class: String, kind: CaseKind) -> Case {
        let weight = u32::try_from(kind.weight().max(1)).unwrap_or(u32::MAX);
        Case {
            id,
            class,
            weight,
            algorithm,
            kind,
        }
    }

    /// Runs the case. An error means that a call could not be carried out; the case then
    /// has no verdict. A long case makes many calls: an implementation that wants to
    /// show progress or to stop does so in [`Implementation::call`].
    pub fn run(&self, implementation: &mut dyn Implementation) -> Result<CaseResult, CallError> {
        run::run(self, implementation)
    }
}

impl CaseKind {
    fn weight(&self) -> usize {
        match self {
            CaseKind::Blocks { input, .. } => input.len() / 16,
            CaseKind::BlockMonteCarlo { .. } => run::MONTE_CARLO_STEPS,
            // The padding adds a block; a decryption needs one made for it as well.
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
            } => 2 * run::MONTE_CARLO_STEPS,
            CaseKind::CbcMonteCarlo {
                direction: Direction::Decrypt,
                ..
            } => 3 * run::MONTE_CARLO_STEPS,
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
                run::MONTE_CARLO_STEPS * hash.blocks(message)
            }
            // The inner and outer key blocks and the outer digest.
            CaseKind::Mac { hash, message, .. } => hash.blocks(message.len()) + 3,
            CaseKind::AeadSeal { message, .. } | CaseKind::AeadRefused { message, .. } => {
                message.weight()
            }
            CaseKind::AeadOpen { message, .. } => {
                message.weight() * (1 + run::alterations(message).count())
            }
            // Two HMACs, as extraction and 32 bytes of key are, count as one.
            CaseKind::Kdf { hash, okm, .. } => okm.len().div_ceil(hash.digest_bytes()).div_ceil(2),
            CaseKind::SharedSecret { .. }
            | CaseKind::PublicKey { .. }
            | CaseKind::Agreement { .. }
            | CaseKind::AgreementRefused { .. }
            | CaseKind::KeyPair { .. }
            | CaseKind::Sign { .. }
            | CaseKind::Verify { .. }
            | CaseKind::KdfRefused { .. } => 1,
            CaseKind::SharedSecretIterated { iterations, .. } => *iterations as usize,
        }
    }
}
