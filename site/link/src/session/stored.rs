//! The stored form of a session: its state and its keys.

use crate::session_id::SessionId;

use zeroize::Zeroizing;

use super::role::Role;
use super::window::{COUNTER_LIMIT, Window};
use super::{NOT_RESUMED, Session};
use crate::Suite;

/// Size of the stored state without keys, bytes.
pub const STATE_BYTES: usize = 1 + 1 + 1 + 4 + 3 * 8 + 8 + 4;

/// Size of the stored keys, bytes.
pub const KEY_BYTES: usize = 2 * 32;

/// Version of the stored state, its first byte.
const STORED_VERSION: u8 = 2;

impl Session {
    /// The state without keys, for a journal that is written often.
    pub fn state(&self) -> [u8; STATE_BYTES] {
        let mut bytes = [0; STATE_BYTES];
        let mut rest = &mut bytes[..];
        let mut put = |field: &[u8]| {
            let (start, end) = std::mem::take(&mut rest).split_at_mut(field.len());
            start.copy_from_slice(field);
            rest = end;
        };
        put(&[STORED_VERSION, self.suite.code()]);
        put(&[u8::from(self.role == Role::Node) | u8::from(self.long_tags) << 1]);
        put(&self.id.0.to_le_bytes());
        put(&self.next_sent.to_le_bytes());
        put(&self.received.next.to_le_bytes());
        put(&self.received.seen().to_le_bytes());
        put(&self.forgeries.to_le_bytes());
        bytes
    }

    /// The keys that the join agreed on. Store them in a file of mode 0600, and erase them when
    /// the session ends. `None` once the session has resumed, because its sealing key then
    /// belongs to this start only.
    pub fn keys(&self) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
        if self.is_resumed() {
            return None;
        }
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        bytes[..32].copy_from_slice(&self.seal_key);
        bytes[32..].copy_from_slice(&self.open_key);
        Some(bytes)
    }

    /// Restores a session from [`state`](Self::state) and [`keys`](Self::keys), not resumed.
    /// `None` if the bytes are invalid.
    pub fn from_stored(state: &[u8; STATE_BYTES], keys: &[u8; KEY_BYTES]) -> Option<Self> {
        let mut rest = &state[..];
        let [version, suite, flags] = take(&mut rest)?;
        let id = SessionId(u32::from_le_bytes(take(&mut rest)?));
        let next_sent = u64::from_le_bytes(take(&mut rest)?);
        let next = u64::from_le_bytes(take(&mut rest)?);
        let seen = u128::from_le_bytes(take(&mut rest)?);
        let forgeries = u32::from_le_bytes(take(&mut rest)?);
        if version != STORED_VERSION || flags > 3 || next_sent.max(next) > COUNTER_LIMIT {
            return None;
        }
        let mut keys = &keys[..];
        Some(Session {
            seal_key: take(&mut keys)?,
            open_key: take(&mut keys)?,
            next_sent,
            received: Window::new(next, seen),
            id,
            forgeries,
            start: NOT_RESUMED,
            suite: Suite::from_code(suite)?,
            role: if flags & 1 == 1 {
                Role::Node
            } else {
                Role::Gateway
            },
            long_tags: flags & 2 == 2,
        })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (field, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*field)
}
