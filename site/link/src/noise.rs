//! The symmetric half of the Noise framework [NOISE, 5], with the tokens of interactive patterns
//! without static keys: `e`, `ee` and `psk`.
//!
//! A handshake is these calls in the order of its pattern; [`crate::join`] makes those of `NNpsk0`.

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::primitives;
use crate::suite::Suite;

/// A handshake pattern, by what the names and rules of Noise make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// The name within a Noise protocol name, such as `NNpsk0`.
    pub name: &'static str,
    /// Whether it has a `psk` token, so that `e` is mixed into the key too [NOISE, 9.2].
    pub psk: bool,
}

/// The pattern of the join: `-> psk, e` and `<- e, ee`.
pub const NNPSK0: Pattern = Pattern {
    name: "NNpsk0",
    psk: true,
};

impl Pattern {
    /// Such as `Noise_NNpsk0_25519_AESGCM_SHA256`.
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

/// What a handshake knows so far [NOISE, 5.2].
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

/// A tag is wrong; the state is of no more use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the tag of a Noise message is wrong")]
pub struct WrongTag;

impl CipherState {
    /// From number 0.
    pub const fn new(suite: Suite, key: [u8; 32]) -> Self {
        CipherState { suite, key, n: 0 }
    }

    /// The key, for a transport that counts by itself.
    pub(crate) const fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// Encrypts in place and returns the tag.
    pub fn seal(&mut self, ad: &[u8], text: &mut [u8]) -> [u8; 16] {
        let tag = primitives::seal(self.suite, &self.key, self.n, ad, text);
        self.n += 1;
        tag
    }

    /// Decrypts in place; zeroes the text if the tag is wrong.
    pub fn open(&mut self, ad: &[u8], text: &mut [u8], tag: &[u8; 16]) -> Result<(), WrongTag> {
        if !primitives::open(self.suite, &self.key, self.n, ad, text, tag) {
            return Err(WrongTag);
        }
        self.n += 1;
        Ok(())
    }
}

impl SymmetricState {
    /// The start of a handshake: Initialize(protocol_name), MixHash(prologue) [NOISE, 5.3].
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

    /// The handshake hash so far.
    pub const fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// The chaining key so far, for test vectors.
    #[doc(hidden)]
    pub const fn chaining_key(&self) -> &[u8; 32] {
        &self.chaining_key
    }

    /// The token `psk` [NOISE, 9.2].
    pub fn token_psk(&mut self, psk: &[u8; 32]) {
        let outputs = primitives::hkdf(self.suite, &self.chaining_key, psk);
        let [chaining_key, hash, key] = &*outputs;
        self.chaining_key = *chaining_key;
        self.mix_hash(hash);
        self.cipher = Some(CipherState::new(self.suite, *key));
    }

    /// The token `e`, written or read: `public` goes or went in the clear [NOISE, 5.3].
    pub fn token_e(&mut self, public: &[u8; 32]) {
        self.mix_hash(public);
        if self.psk {
            self.mix_key(public);
        }
    }

    /// The token `ee`, with the secret that the two ephemeral keys share.
    pub fn token_ee(&mut self, shared: &[u8; 32]) {
        self.mix_key(shared);
    }

    /// EncryptAndHash: encrypts a payload in place. No tag before there is a key.
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

    /// DecryptAndHash: decrypts a payload in place. The tag is empty before there is a key.
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

    /// Split: the initiator's sending key, and the responder's.
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
