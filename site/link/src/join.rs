//! Join: two messages from a device key to a session [docs/protocol.md, Join].
//!
//! [`JoinOpened`] is the gateway's side, [`JoinAttempt`] the node's. The caller must enforce
//! the rules that need stored state: the join counter increases, a repeated request gets the
//! same answer, and a pending session replaces the live one at its first UP.

use crate::frame::{JoinAccept, JoinRequest, Malformed};
pub use crate::keys::SessionKeys;
use crate::noise::{NNPSK0, SymmetricState};
use crate::session_id::SessionId;
use crate::{DeviceId, DeviceKey, EphemeralSecret, Refusal, Suite};

/// Option bit that requests or grants 16-byte tags.
const LONG_TAGS: u8 = 1;

/// A JOIN-REQUEST whose tag is right. Opening it needs no scalar multiplication.
#[derive(Debug)]
pub struct JoinOpened {
    suite: Suite,
    state: SymmetricState,
    node_ephemeral: [u8; 32],
    counter: u32,
    wishes_long_tags: bool,
}

impl JoinOpened {
    /// Opens a request with the key of the device that it names.
    ///
    /// # Errors
    /// [`Refusal::ForgedJoin`] if the tag is wrong; [`Refusal::Malformed`] if the tag is right
    /// and the options are unknown.
    pub fn open(suite: Suite, key: &DeviceKey, request: &JoinRequest<'_>) -> Result<Self, Refusal> {
        let mut state = start(suite, request.device, key, request.ephemeral);
        let payload = open_payload(&mut state, request.sealed)?;
        let [a, b, c, d, options] = payload;
        Ok(JoinOpened {
            suite,
            state,
            node_ephemeral: *request.ephemeral,
            counter: u32::from_le_bytes([a, b, c, d]),
            wishes_long_tags: long_tags(options)?,
        })
    }

    /// The join counter. Continue only if it is above the highest accepted one, and store it
    /// before calling [`accept`](Self::accept).
    pub const fn counter(&self) -> u32 {
        self.counter
    }

    /// True if the node requests 16-byte tags.
    pub const fn wishes_long_tags(&self) -> bool {
        self.wishes_long_tags
    }

    /// Makes the JOIN-ACCEPT and the keys of the session, which is then pending. Costs two
    /// scalar multiplications.
    ///
    /// # Errors
    /// [`Refusal::Key`] if the node's ephemeral key gives an all-zero secret.
    pub fn accept(
        self,
        ephemeral: &EphemeralSecret,
        session: SessionId,
        long_tags: bool,
    ) -> Result<([u8; JoinAccept::BYTES], SessionKeys), Refusal> {
        let mut state = self.state;
        let public = ephemeral.public_key();
        state.token_e(&public);
        let check = check(&state);
        let shared = ephemeral
            .shared_secret(&self.node_ephemeral)
            .ok_or(Refusal::Key)?;
        state.token_ee(&shared);
        let sealed = seal_payload(&mut state, session.0, long_tags);
        let keys = SessionKeys::split(self.suite, &state, session, long_tags);
        Ok((JoinAccept::encode(&check, &public, &sealed), keys))
    }
}

/// The state of a node between JOIN-REQUEST and JOIN-ACCEPT.
#[derive(Debug)]
pub struct JoinAttempt {
    suite: Suite,
    state: SymmetricState,
    ephemeral: EphemeralSecret,
    /// The first ephemeral key with a right check, and the state after it. No other key is
    /// multiplied with.
    committed: Option<([u8; 32], SymmetricState)>,
}

impl JoinAttempt {
    /// Starts a join: returns the attempt and the JOIN-REQUEST, which may be repeated
    /// unchanged. Costs one scalar multiplication.
    ///
    /// `counter` must never have been used before with this key.
    pub fn start(
        suite: Suite,
        device: DeviceId,
        key: &DeviceKey,
        counter: u32,
        wish_long_tags: bool,
        ephemeral: &EphemeralSecret,
    ) -> (Self, [u8; JoinRequest::BYTES]) {
        let public = ephemeral.public_key();
        let mut state = start(suite, device, key, &public);
        let sealed = seal_payload(&mut state, counter, wish_long_tags);
        let request = JoinRequest::encode(device, &public, &sealed);
        let attempt = JoinAttempt {
            suite,
            state,
            ephemeral: ephemeral.clone(),
            committed: None,
        };
        (attempt, request)
    }

    /// Processes the gateway's answer and returns the keys of the new session.
    ///
    /// Only the first answer with a right check costs a scalar multiplication.
    ///
    /// # Errors
    /// After [`Refusal::WrongCheck`], [`Refusal::ForgedJoin`] and [`Refusal::Malformed`] the
    /// attempt continues to wait for the genuine answer. [`Refusal::Key`] ends it.
    pub fn finish(&mut self, accept: &JoinAccept<'_>) -> Result<SessionKeys, Refusal> {
        let mut state = match &self.committed {
            Some((ephemeral, state)) if ephemeral == accept.ephemeral => state.clone(),
            Some(_) => return Err(Refusal::WrongCheck),
            None => {
                let mut state = self.state.clone();
                state.token_e(accept.ephemeral);
                state
            }
        };
        if check(&state) != *accept.check {
            return Err(Refusal::WrongCheck);
        }
        if self.committed.is_none() {
            let shared = self
                .ephemeral
                .shared_secret(accept.ephemeral)
                .ok_or(Refusal::Key)?;
            state.token_ee(&shared);
            self.committed = Some((*accept.ephemeral, state.clone()));
        }
        let [a, b, c, d, options] = open_payload(&mut state, accept.sealed)?;
        let session = SessionId(u32::from_le_bytes([a, b, c, d]));
        Ok(SessionKeys::split(
            self.suite,
            &state,
            session,
            long_tags(options)?,
        ))
    }
}

/// The handshake after `-> psk, e`.
fn start(
    suite: Suite,
    device: DeviceId,
    key: &DeviceKey,
    node_ephemeral: &[u8; 32],
) -> SymmetricState {
    let mut prologue = *b"Selo link 1\0\0\0\0\0";
    prologue[11] = JoinRequest::FIRST;
    prologue[12..].copy_from_slice(&device.to_bytes());
    let mut state = SymmetricState::new(suite, NNPSK0, &prologue);
    state.token_psk(key.expose());
    state.token_e(node_ephemeral);
    state
}

/// The check: the first 4 bytes of h.
fn check(state: &SymmetricState) -> [u8; 4] {
    let &[a, b, c, d, ..] = state.hash();
    [a, b, c, d]
}

fn seal_payload(state: &mut SymmetricState, number: u32, long_tags: bool) -> [u8; 21] {
    let mut sealed = [0; 21];
    let (payload, tag) = sealed.split_at_mut(5);
    payload[..4].copy_from_slice(&number.to_le_bytes());
    payload[4] = if long_tags { LONG_TAGS } else { 0 };
    let made = state
        .encrypt_and_hash(payload)
        .expect("there is a key since the token psk");
    tag.copy_from_slice(&made);
    sealed
}

fn open_payload(state: &mut SymmetricState, sealed: &[u8; 21]) -> Result<[u8; 5], Refusal> {
    let [a, b, c, d, e, tag @ ..] = sealed;
    let mut payload = [*a, *b, *c, *d, *e];
    state
        .decrypt_and_hash(&mut payload, tag)
        .map_err(|_| Refusal::ForgedJoin)?;
    Ok(payload)
}

fn long_tags(options: u8) -> Result<bool, Malformed> {
    match options {
        0 => Ok(false),
        LONG_TAGS => Ok(true),
        _ => Err(Malformed::Options { options }),
    }
}
