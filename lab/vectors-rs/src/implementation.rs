//! The implementation that runs a case, one operation at a time.

/// A call that could not be carried out: the chip crashed, the connection is lost, or the user
/// interrupted. It ends a run and is not a wrong answer.
pub type CallError = Box<dyn std::error::Error + Send + Sync>;

/// The answer of one operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallOutput {
    /// 0, or the reason of a refusal; see [`status`] for the codes that the cases know.
    pub status: u8,
    /// The operation's output. It is also checked if the status is not 0.
    pub output: Vec<u8>,
}

/// The status codes that a case may expect: those of `enum selo_status` in selo.h, and one of
/// the agent.
pub mod status {
    /// The operation succeeded.
    pub const OK: u8 = 0;
    /// The operation does not accept a size.
    pub const ARGUMENT: u8 = 1;
    /// A decrypted padding is malformed.
    pub const PADDING: u8 = 3;
    /// A peer's public key yields the all-zero secret [RFC7748, 6.1].
    pub const KEY: u8 = 5;
    /// A tag does not verify.
    pub const TAG: u8 = 6;
    /// A field has a size that the operation does not accept; the agent's own code.
    pub const BAD_SIZE: u8 = 200;
}

/// An implementation of one algorithm, on any machine.
///
/// The operations and the order of their inputs are those of the agent's interfaces:
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
/// | kem | `load {part, offset, bytes}`, `fetch {part, offset, size}` -> bytes, `keygen {seed}`, `encapsulate {random bytes}` -> secret, `decapsulate {}` -> secret, `check {}`; or `start {random bytes}`, `update {piece of the public key}`, `read {size}` -> piece of the ciphertext, `finish {}` -> secret |
///
/// A kem keeps its keys and its ciphertext. Part 0 is the public key, 1 the private key, 2 the
/// ciphertext; offsets and sizes have 2 bytes, big-endian. In pieces, the public key passes twice.
///
/// State persists between calls: each case sets up its own key.
pub trait Implementation {
    /// True if the operation exists. Cases that need a missing operation are skipped.
    fn has(&self, operation: &str) -> bool;

    /// The maximum total size of the inputs of one call, and the maximum output, in bytes. An
    /// adapter to a framed protocol subtracts the overhead of its frames.
    fn io_bytes(&self) -> usize;

    /// True if a bad-size answer means that it does not support all sizes of the algorithm. Such
    /// cases are skipped.
    fn refuses_sizes(&self) -> bool {
        false
    }

    /// Carries out one operation.
    fn call(&mut self, operation: &str, inputs: &[&[u8]]) -> Result<CallOutput, CallError>;
}
