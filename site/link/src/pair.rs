//! Pair: from no shared key to a device key. A person compares six digits [docs/protocol.md,
//! Pair].
//!
//! ```text
//! node                                     gateway
//! NodePairing::start     -- PAIR-COMMIT -> GatewayPairing::start
//! NodePairing::key      <-- PAIR-KEY    --
//!                        -- PAIR-REVEAL -> GatewayPairing::reveal
//! Compared::digits     a person compares   Compared::digits
//! Compared::verdict     <-- PAIR-RESULT -- Compared::result
//! ```
//!
//! The caller manages windows, attempts, repetitions and time-outs.

use std::fmt;

use subtle::ConstantTimeEq;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::frame::{HybridCommit, PairCommit, PairKey, PairResult, PairReveal};
use crate::{DeviceId, DeviceKey, EphemeralSecret, Kem, Refusal, Suite, primitives};

/// The six digits that both sides show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digits(u32);

impl Digits {
    /// The digits as a number, 0 to 999,999.
    pub const fn value(self) -> u32 {
        self.0
    }

    /// True if these digits were typed. Compares in constant time.
    pub fn are(self, typed: u32) -> bool {
        self.0.ct_eq(&typed).into()
    }
}

impl fmt::Display for Digits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:06}", self.0)
    }
}

/// What the exchange by ML-KEM gives to a hybrid pairing.
pub(crate) struct Second {
    pub kem: Kem,
    pub h: [u8; 32],
    pub secret: Zeroizing<[u8; 32]>,
}

impl fmt::Debug for Second {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Second({}, ..)", self.kem)
    }
}

/// The gateway's state after sending PAIR-KEY.
#[derive(Debug)]
pub struct GatewayPairing {
    ephemeral: EphemeralSecret,
    /// The PAIR-COMMIT, 38 bytes, or 58 in a hybrid pairing.
    commit: Vec<u8>,
    key: [u8; PairKey::BYTES],
    device: DeviceId,
    suite: Suite,
    commitment: [u8; 32],
    second: Option<Second>,
}

impl GatewayPairing {
    /// Answers a PAIR-COMMIT: returns the attempt and the PAIR-KEY. Costs one scalar
    /// multiplication.
    pub fn start(
        commit: &PairCommit<'_>,
        ephemeral: EphemeralSecret,
    ) -> (Self, [u8; PairKey::BYTES]) {
        let key = PairKey::encode(commit.device, &ephemeral.public_key());
        let pairing = GatewayPairing {
            ephemeral,
            commit: commit.bytes.to_vec(),
            key,
            device: commit.device,
            suite: commit.suite,
            commitment: *commit.commitment,
            second: None,
        };
        (pairing, key)
    }

    /// The same after the first part of a hybrid pairing.
    pub(crate) fn start_hybrid(
        commit: &HybridCommit<'_>,
        ephemeral: EphemeralSecret,
        second: Second,
    ) -> (Self, [u8; PairKey::BYTES]) {
        let key = PairKey::encode(commit.device, &ephemeral.public_key());
        let pairing = GatewayPairing {
            ephemeral,
            commit: commit.bytes.to_vec(),
            key,
            device: commit.device,
            suite: commit.suite,
            commitment: *commit.commitment,
            second: Some(second),
        };
        (pairing, key)
    }

    /// The PAIR-COMMIT of this attempt. A repetition of the same bytes gets the same PAIR-KEY.
    pub fn commit(&self) -> &[u8] {
        &self.commit
    }

    /// The PAIR-KEY that was sent.
    pub const fn key(&self) -> &[u8; PairKey::BYTES] {
        &self.key
    }

    /// The node's id.
    pub const fn device(&self) -> DeviceId {
        self.device
    }

    /// The node's suite.
    pub const fn suite(&self) -> Suite {
        self.suite
    }

    /// Processes the PAIR-REVEAL and derives the digits. Costs one scalar multiplication.
    ///
    /// # Errors
    /// [`Refusal::NotPairing`] if it belongs to another node; the attempt continues.
    /// [`Refusal::Commitment`] and [`Refusal::Key`] end the attempt.
    pub fn reveal(&self, reveal: &PairReveal<'_>) -> Result<Compared, Refusal> {
        if reveal.device != self.device {
            return Err(Refusal::NotPairing);
        }
        let h = self.second.as_ref().map(|second| (second.kem, &second.h));
        let opened = commitment(self.suite, self.device, reveal.ephemeral, reveal.r, h);
        if !bool::from(opened.ct_eq(&self.commitment)) {
            return Err(Refusal::Commitment);
        }
        let frames = Transcript {
            commit: &self.commit,
            key: &self.key,
            reveal: reveal.bytes,
            second: self.second.as_ref(),
        };
        Compared::derive(
            self.suite,
            self.device,
            &self.ephemeral,
            reveal.ephemeral,
            &frames,
        )
    }
}

/// The node's state after sending PAIR-COMMIT.
#[derive(Debug)]
pub struct NodePairing {
    ephemeral: EphemeralSecret,
    public: [u8; 32],
    r: [u8; 16],
    commit: [u8; PairCommit::BYTES],
    device: DeviceId,
    suite: Suite,
}

impl NodePairing {
    /// Starts a pairing: returns the attempt and the PAIR-COMMIT. `r` must be random. Costs one
    /// scalar multiplication.
    pub fn start(
        suite: Suite,
        device: DeviceId,
        ephemeral: EphemeralSecret,
        r: [u8; 16],
    ) -> (Self, [u8; PairCommit::BYTES]) {
        let public = ephemeral.public_key();
        let commit =
            PairCommit::encode(device, suite, &commitment(suite, device, &public, &r, None));
        (
            NodePairing {
                ephemeral,
                public,
                r,
                commit,
                device,
                suite,
            },
            commit,
        )
    }

    /// Processes the PAIR-KEY: derives the digits and returns the PAIR-REVEAL. Costs one scalar
    /// multiplication.
    ///
    /// Call it only for the first PAIR-KEY of an attempt, because the answer reveals the node's
    /// secrets.
    ///
    /// # Errors
    /// [`Refusal::NotPairing`] if it is for another node; the attempt continues.
    /// [`Refusal::Key`] ends the attempt.
    #[allow(
        clippy::result_large_err,
        reason = "a stray packet must not cost the attempt"
    )]
    pub fn key(
        self,
        key: &PairKey<'_>,
    ) -> Result<(Compared, [u8; PairReveal::BYTES]), (Self, Refusal)> {
        if key.device != self.device {
            return Err((self, Refusal::NotPairing));
        }
        let reveal = PairReveal::encode(self.device, &self.public, &self.r);
        let frames = Transcript {
            commit: &self.commit,
            key: key.bytes,
            reveal: &reveal,
            second: None,
        };
        match Compared::derive(
            self.suite,
            self.device,
            &self.ephemeral,
            key.ephemeral,
            &frames,
        ) {
            Ok(compared) => Ok((compared, reveal)),
            Err(refusal) => Err((self, refusal)),
        }
    }
}

/// Either side after deriving the keys, while it waits for a person.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Compared {
    #[zeroize(skip)]
    suite: Suite,
    #[zeroize(skip)]
    device: DeviceId,
    device_key: DeviceKey,
    result_key: [u8; 32],
    digits: u32,
    #[zeroize(skip)]
    kem: Option<Kem>,
}

impl Compared {
    fn derive(
        suite: Suite,
        device: DeviceId,
        ephemeral: &EphemeralSecret,
        peer: &[u8; 32],
        frames: &Transcript<'_>,
    ) -> Result<Self, Refusal> {
        let shared = ephemeral.shared_secret(peer).ok_or(Refusal::Key)?;
        let transcript = frames.hash(suite);
        let mut secrets = Zeroizing::new([0; 64]);
        let (x25519, ml_kem) = secrets.split_at_mut(32);
        x25519.copy_from_slice(&*shared);
        let secrets: &[u8] = match frames.second {
            None => &secrets[..32],
            Some(second) => {
                ml_kem.copy_from_slice(&*second.secret);
                &*secrets
            }
        };
        let keys = primitives::hkdf(suite, &transcript, secrets);
        let [device_key, result_key, [a, b, c, d, ..]] = &*keys;
        Ok(Compared {
            suite,
            device,
            device_key: DeviceKey::new(*device_key),
            result_key: *result_key,
            digits: u32::from_le_bytes([*a, *b, *c, *d]) % 1_000_000,
            kem: frames.second.map(|second| second.kem),
        })
    }

    /// The key encapsulation of a hybrid pairing; `None` if the key depends on X25519 alone.
    pub const fn kem(&self) -> Option<Kem> {
        self.kem
    }

    /// The node's suite.
    pub const fn suite(&self) -> Suite {
        self.suite
    }

    /// The node's id.
    pub const fn device(&self) -> DeviceId {
        self.device
    }

    /// The digits that the person compares.
    pub const fn digits(&self) -> Digits {
        Digits(self.digits)
    }

    /// The device key. Store it only after the confirmation.
    pub const fn device_key(&self) -> &DeviceKey {
        &self.device_key
    }

    /// Gateway: makes the PAIR-RESULT that tells the node the operator's decision.
    pub fn result(&self, confirmed: bool) -> [u8; PairResult::BYTES] {
        PairResult::encode(self.device, confirmed, &self.result_tag(confirmed))
    }

    /// Node: verifies the operator's decision. Returns true if the pairing is confirmed.
    ///
    /// # Errors
    /// After [`Refusal::NotPairing`] and [`Refusal::Forged`] the node continues to wait.
    pub fn verdict(&self, result: &PairResult<'_>) -> Result<bool, Refusal> {
        if result.device != self.device {
            return Err(Refusal::NotPairing);
        }
        let tag = self.result_tag(result.confirmed);
        if bool::from(tag.ct_eq(result.tag)) {
            Ok(result.confirmed)
        } else {
            Err(Refusal::Forged)
        }
    }

    /// SEAL(result key, 0 or 1, the frame's first 5 bytes, empty plaintext).
    fn result_tag(&self, confirmed: bool) -> [u8; 16] {
        let header = PairResult::header(self.device, confirmed);
        primitives::seal(
            self.suite,
            &self.result_key,
            u64::from(!confirmed),
            &header,
            &mut [],
        )
    }
}

impl fmt::Debug for Compared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Compared({}, {}, ..)", self.device, self.suite)
    }
}

/// The three frames of a pairing as sent, and what precedes them in a hybrid pairing.
struct Transcript<'a> {
    second: Option<&'a Second>,
    commit: &'a [u8],
    key: &'a [u8; PairKey::BYTES],
    reveal: &'a [u8; PairReveal::BYTES],
}

impl Transcript<'_> {
    fn hash(&self, suite: Suite) -> [u8; 32] {
        primitives::hash(suite, &[self.commit, self.key, self.reveal])
    }
}

/// HASH("Selo pair 1" || 10 || id || suite || e_n || r), in a hybrid pairing with 1k and || h.
fn commitment(
    suite: Suite,
    device: DeviceId,
    ephemeral: &[u8; 32],
    r: &[u8; 16],
    hybrid: Option<(Kem, &[u8; 32])>,
) -> [u8; 32] {
    let first = hybrid.map_or(PairCommit::FIRST, |(kem, _)| HybridCommit::first(kem));
    let parts: [&[u8]; 7] = [
        b"Selo pair 1",
        &[first],
        &device.to_bytes(),
        &[suite.code()],
        ephemeral,
        r,
        hybrid.map_or(&[], |(_, h)| h),
    ];
    primitives::hash(suite, &parts)
}
