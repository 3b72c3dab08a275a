//! The symmetric part of the Noise framework [NOISE, 5], with the tokens of interactive
//! patterns without static keys: `e`, `ee` and `psk`.
//!
//! A handshake calls these functions in the order of its pattern. [`crate::join`] implements
//! `NNpsk0`.

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::primitives;
use crate::suite::Suite;

/// A handshake pattern, as far as names and rules of Noise depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// Its part of a Noise protocol name, such as `NNpsk0`.
    pub name: &'static str,
    /// True if the pattern has a `psk` token. Then `e` is also mixed into the key [NOISE, 9.2].
    pub psk: bool,
}

/// The pattern of the join: `-> psk, e` and `<- e, ee`.
pub const NNPSK0: Pattern = Pattern {
    name: "NNpsk0",
    psk: true,
};

impl Pattern {
    /// The full protocol name, such as `Noise_NNpsk0_25519_AESGCM_SHA256`.
    pub fn protocol_name(&self, suite: Suite) -> String {
        format!("Noise_{}_25519_{}", self.name, suite.noise_functions())
    }
}

impl Suite {
    /// The Noise protocol name of the join, such as `Noise_NNpsk0_25519_AESGCM_SHA256`.
    pub fn noise_name(self) -> String {
        crate::noise::NNPSK0.protocol_name(self)
    }
}

/// A key and the next number to use with it [NOISE, 5.1], with tags of 16 bytes.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct CipherState {
    #[zeroize(skip)]
    suite: Suite,
    key: [u8; 32],
    n: u64,
}

/// The state of a handshake [NOISE, 5.2].
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct SymmetricState {
    #[zeroize(skip)]
    suite: Suite,
    #[zeroize(skip)]
    psk: bool,
    chaining_key: [u8; 32],
    hash: [u8; 32],
    cipher: Option<CipherState>,
}

/// Error: a tag is wrong. The state must not be used further.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the tag of a Noise message is wrong")]
pub struct WrongTag;

impl CipherState {
    /// Starts with nonce 0.
    pub const fn new(suite: Suite, key: [u8; 32]) -> Self {
        CipherState { suite, key, n: 0 }
    }

    /// The key, for a transport that manages its own nonces.
    pub(crate) const fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// Encrypts `text` in place and returns the tag.
    pub fn seal(&mut self, ad: &[u8], text: &mut [u8]) -> [u8; 16] {
        let tag = primitives::seal(self.suite, &self.key, self.n, ad, text);
        self.n += 1;
        tag
    }

    /// Decrypts `text` in place. Zeroes it if the tag is wrong.
    pub fn open(&mut self, ad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> Result<(), WrongTag> {
        if !primitives::open(self.suite, &self.key, self.n, ad, text, tag) {
            return Err(WrongTag);
        }
        self.n += 1;
        Ok(())
    }
}

impl SymmetricState {
    /// Starts a handshake: Initialize(protocol_name), MixHash(prologue) [NOISE, 5.3].
    pub fn new(suite: Suite, pattern: Pattern, prologue: &[u8]) -> Self {
        let name = pattern.protocol_name(suite);
        let mut hash = [0; 32];
        match hash.get_mut(..name.len()) {
            Some(start) => start.copy_from_slice(name.as_bytes()),
            None => hash = primitives::hash(suite, &[name.as_bytes()]),
        }
        let mut state = SymmetricState {
            suite,
            psk: pattern.psk,
            chaining_key: hash,
            hash,
            cipher: None,
        };
        state.mix_hash(prologue);
        state
    }

    /// The current handshake hash.
    pub const fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// The current chaining key, for test vectors.
    #[doc(hidden)]
    pub const fn chaining_key(&self) -> &[u8; 32] {
        &self.chaining_key
    }

    /// Processes the token `psk` [NOISE, 9.2].
    pub fn token_psk(&mut self, psk: &[u8; 32]) {
        let outputs = primitives::hkdf(self.suite, &self.chaining_key, psk);
        let [chaining_key, hash, key] = &*outputs;
        self.chaining_key = *chaining_key;
        self.mix_hash(hash);
        self.cipher = Some(CipherState::new(self.suite, *key));
    }

    /// Processes the token `e`, sent or received. `public` is not encrypted [NOISE, 5.3].
    pub fn token_e(&mut self, public: &[u8; 32]) {
        self.mix_hash(public);
        if self.psk {
            self.mix_key(public);
        }
    }

    /// Processes the token `ee` with the shared secret of the two ephemeral keys.
    pub fn token_ee(&mut self, shared: &[u8; 32]) {
        self.mix_key(shared);
    }

    /// EncryptAndHash: encrypts a payload in place. Returns no tag before a key is set.
    pub fn encrypt_and_hash(&mut self, text: &mut [u8]) -> Option<[u8; 16]> {
        let tag = self
            .cipher
            .as_mut()
            .map(|cipher| cipher.seal(&self.hash, text));
        self.hash = match &tag {
            Some(tag) => primitives::hash(self.suite, &[&self.hash, text, tag]),
            None => primitives::hash(self.suite, &[&self.hash, text]),
        };
        tag
    }

    /// DecryptAndHash: decrypts a payload in place. `tag` must be empty before a key is set.
    pub fn decrypt_and_hash(&mut self, text: &mut [u8], tag: &[u8]) -> Result<(), WrongTag> {
        let hash = primitives::hash(self.suite, &[&self.hash, text, tag]);
        match &mut self.cipher {
            Some(cipher) => {
                cipher.open(&self.hash, text, tag.try_into().map_err(|_| WrongTag)?)?;
            }
            None if tag.is_empty() => (),
            None => return Err(WrongTag),
        }
        self.hash = hash;
        Ok(())
    }

    /// Split: returns the initiator's sending key and the responder's.
    pub fn split(&self) -> [CipherState; 2] {
        let outputs = primitives::hkdf::<2>(self.suite, &self.chaining_key, &[]);
        outputs.map(|key| CipherState::new(self.suite, key))
    }

    fn mix_hash(&mut self, data: &[u8]) {
        self.hash = primitives::hash(self.suite, &[&self.hash, data]);
    }

    fn mix_key(&mut self, ikm: &[u8]) {
        let outputs = primitives::hkdf(self.suite, &self.chaining_key, ikm);
        let [chaining_key, key] = &*outputs;
        self.chaining_key = *chaining_key;
        self.cipher = Some(CipherState::new(self.suite, *key));
    }
}

impl std::fmt::Debug for CipherState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "CipherState({}, n {})", self.suite, self.n)
    }
}

impl std::fmt::Debug for SymmetricState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "SymmetricState({})", self.suite)
    }
}
