//! What a case runs against: one operation at a time.

/// Why a call could not be carried out at all: the chip crashed, the line is dead,
/// the user interrupted. It ends a run; it is not a wrong answer.
pub type CallError = Box<dyn std::error::Error + Send + Sync>;

/// The answer of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutput {
    /// 0, or why the operation refused; see [`status`] for the codes that the cases know.
    pub status: u8,
    /// The operation's output; what is reported with a status other than 0 is checked too.
    pub output: Vec<u8>,
}

/// The status codes that a case may expect: those of `enum selo_status` in selo.h,
/// and one of the agent.
pub mod status {
    /// The operation succeeded.
    pub const OK: u8 = 0;
    /// A size that the operation does not take.
    pub const ARGUMENT: u8 = 1;
    /// A decrypted padding is malformed.
    pub const PADDING: u8 = 3;
    /// A peer's public key yields the all-zero secret [RFC7748, 6.1].
    pub const KEY: u8 = 5;
    /// A tag does not verify.
    pub const TAG: u8 = 6;
    /// A field of a size that the operation does not take: the agent's own code.
    pub const BAD_SIZE: u8 = 200;
}

/// An implementation of one algorithm, wherever it runs.
///
/// The operations and their inputs, in order, are those of the agent's interfaces:
///
/// | interface | operations |
/// |---|---|
/// | block-cipher | `key-setup {key}`, `encrypt {block}`, `decrypt {block}` |
/// | mode-ecb | `key-setup {key}`, `encrypt {data}`, `decrypt {data}` |
/// | mode-cbc | `key-setup {key}`, `encrypt {random16, message}` -> IV and ciphertext, `decrypt {IV and ciphertext}` |
/// | mode-ctr | `key-setup {key}`, `encrypt {counter16, data}`, `decrypt {counter16, data}` |
/// | hash | `hash {message}`, or `start {}`, `update {chunk}`, `finish {}` |
/// | mac | `mac {key, message}`, or `start {key}`, `update {chunk}`, `finish {}` |
/// | aead | `key-setup {key}`, `seal {nonce, ad, plaintext, tag size}` -> ciphertext and tag, `open {nonce, ad, ciphertext and tag, tag size}` -> plaintext; the tag size is 1 byte, absent it is 16 |
/// | kdf | `derive {salt, input key, info, size as 2 bytes, big-endian}` -> key |
/// | dh | `keygen {secret}`, `shared-secret {secret, peer}` |
/// | signature | `keygen {secret}`, `sign {secret, public key, message, random bytes}` -> signature, `verify {public key, message, signature}` |
///
/// State persists between calls: a case sets up its own key.
pub trait Implementation {
    /// Whether the operation exists. A case that needs a missing one is skipped.
    fn has(&self, operation: &str) -> bool;

    /// The largest sum of the inputs' bytes in one call, and the largest output. An
    /// adapter to a framed protocol subtracts what the frame itself takes.
    fn io_bytes(&self) -> usize;

    /// Whether a bad size is its way to say that it does not take every size that the
    /// algorithm has: such a case is skipped.
    fn refuses_sizes(&self) -> bool {
        false
    }

    /// Carries out one operation.
    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError>;
}
