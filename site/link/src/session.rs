//! Sealed packets [docs/protocol.md, Data]: the keys, counters and replay window of a session.
//!
//! A [`Session`] is a small, plain value. A gateway can hold a million of them, store them and
//! restore them. Its keys, [`KEY_BYTES`] bytes, are stored once. Its changing state,
//! [`STATE_BYTES`] bytes, contains no secret. Expanded keys are not stored, because expanding a
//! key is faster than loading its expansion from memory.

mod packet;
mod role;
mod stored;
mod window;

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::frame::{Data, Direction, FRAME_MAX, Flags, START_BYTES};
use crate::keys::SessionKeys;
pub use crate::session_id::SessionId;
use crate::{Suite, primitives};

use window::{Window, WindowPosition};

pub use packet::{OpenError, Opened, SealError, SealOptions, Sealed};
pub use role::Role;
pub use stored::{KEY_BYTES, STATE_BYTES};
pub use window::COUNTER_LIMIT;

/// One side of a session.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Session {
    seal_key: [u8; 32],
    open_key: [u8; 32],
    #[zeroize(skip)]
    next_sent: u64,
    #[zeroize(skip)]
    received: Window,
    #[zeroize(skip)]
    id: SessionId,
    #[zeroize(skip)]
    forgeries: u32,
    /// The start nonce that `seal_key` was derived with; zeros if not resumed.
    #[zeroize(skip)]
    start: [u8; START_BYTES],
    #[zeroize(skip)]
    suite: Suite,
    #[zeroize(skip)]
    role: Role,
    #[zeroize(skip)]
    long_tags: bool,
}

impl SessionKeys {
    /// The session as the gateway holds it: opens UP, seals DOWN.
    pub fn gateway_session(&self) -> Session {
        Session::gateway(self)
    }

    /// The session as the node holds it: seals UP, opens DOWN.
    pub fn node_session(&self) -> Session {
        Session::node(self)
    }
}

impl Session {
    pub(crate) fn gateway(keys: &SessionKeys) -> Self {
        Session::new(keys, Role::Gateway, &keys.down, &keys.up)
    }

    pub(crate) fn node(keys: &SessionKeys) -> Self {
        Session::new(keys, Role::Node, &keys.up, &keys.down)
    }

    fn new(keys: &SessionKeys, role: Role, seal_key: &[u8; 32], open_key: &[u8; 32]) -> Self {
        Session {
            seal_key: *seal_key,
            open_key: *open_key,
            next_sent: 0,
            received: Window::default(),
            id: keys.session,
            forgeries: 0,
            start: NOT_RESUMED,
            suite: keys.suite,
            role,
            long_tags: keys.long_tags,
        }
    }

    /// The session's id.
    pub const fn id(&self) -> SessionId {
        self.id
    }

    /// The suite.
    pub const fn suite(&self) -> Suite {
        self.suite
    }

    /// The side that this value represents.
    pub const fn role(&self) -> Role {
        self.role
    }

    /// True for 16-byte tags.
    pub const fn long_tags(&self) -> bool {
        self.long_tags
    }

    /// The counter of the next packet to send, which is also the number of counters used.
    pub const fn next_sent(&self) -> u64 {
        self.next_sent
    }

    /// One more than the highest counter accepted; 0 before the first.
    pub const fn next_received(&self) -> u64 {
        self.received.next
    }

    /// Number of wrong tags so far.
    pub const fn forgeries(&self) -> u32 {
        self.forgeries
    }

    /// True if the forgery limit is reached: nothing can be sent or accepted.
    pub const fn has_ended(&self) -> bool {
        self.forgeries >= self.role.forgery_limit()
    }

    /// True after [`resume`](Self::resume).
    pub fn is_resumed(&self) -> bool {
        self.start != NOT_RESUMED
    }

    /// Resumes the gateway's side after a restart. It then seals under a key derived from
    /// `start`, a random nonce of this start. Packets sealed by other copies of the same stored
    /// session therefore always use another key. `start` must not be zero. Call it at most
    /// once.
    pub fn resume(&mut self, start: [u8; START_BYTES]) {
        debug_assert!(self.role == Role::Gateway && !self.is_resumed() && start != NOT_RESUMED);
        self.seal_key = resumed_key(self.suite, &self.seal_key, &start);
        self.start = start;
    }

    /// Maximum payload of a packet with these options, bytes.
    pub fn payload_max(&self, options: SealOptions) -> usize {
        self.flags(options).payload_max() - self.start_bytes()
    }

    fn start_bytes(&self) -> usize {
        if self.is_resumed() { START_BYTES } else { 0 }
    }

    const fn flags(&self, options: SealOptions) -> Flags {
        Flags {
            wide: self.id.is_wide(),
            long_tag: self.long_tags,
            ack_request: options.ack_request,
            ack: options.ack.is_some(),
        }
    }

    /// Prefetches the memory that [`open`](Self::open) will read.
    #[inline]
    pub fn foresee(&self) {
        let ends = (self.open_key[0], self.open_key[31], self.forgeries);
        std::hint::black_box((ends, self.next_sent, self.received.seen[1]));
    }

    /// Seals a payload under the next counter. The packet is a part of `out`.
    ///
    /// A caller that stores sessions must store the use of the counter before sending the
    /// packet.
    ///
    /// # Errors
    /// See [`SealError`].
    pub fn seal<'o>(
        &mut self,
        payload: &[u8],
        options: SealOptions,
        out: &'o mut [u8; FRAME_MAX],
    ) -> Result<Sealed<'o>, SealError> {
        let counter = self.next_sent;
        let flags = self.flags(options);
        if counter >= COUNTER_LIMIT || self.has_ended() {
            return Err(SealError::Ended);
        }
        let max = self.payload_max(options);
        if payload.len() > max {
            return Err(SealError::TooLong {
                bytes: payload.len(),
                max,
            });
        }
        self.next_sent += 1;

        let frame = out;
        let start_bytes = self.start_bytes();
        let header_bytes = flags.header_bytes() + start_bytes;
        let text_bytes = flags.ack_bytes() + payload.len();
        let bytes = header_bytes + text_bytes + flags.tag_bytes();
        let first = if start_bytes == 0 {
            self.role.sends().first()
        } else {
            Direction::RESUMED
        };
        frame[0] = first | flags.bits();
        // A wide session id fills all four bytes. Later fields overwrite the high half of a
        // narrow one.
        frame[1..5].copy_from_slice(&self.id.0.to_le_bytes());
        frame[header_bytes - 2 - start_bytes..header_bytes - 2]
            .copy_from_slice(&self.start[..start_bytes]);
        frame[header_bytes - 2..header_bytes].copy_from_slice(&(counter as u16).to_le_bytes());
        let (header, rest) = frame[..bytes].split_at_mut(header_bytes);
        let (text, tag) = rest.split_at_mut(text_bytes);
        let (ack, body) = text.split_at_mut(flags.ack_bytes());
        if let Some(low) = options.ack {
            ack.copy_from_slice(&low.to_le_bytes());
        }
        body.copy_from_slice(payload);
        let full_tag = primitives::seal(self.suite, &self.seal_key, counter, header, text);
        tag.copy_from_slice(&full_tag[..flags.tag_bytes()]);
        Ok(Sealed {
            counter,
            frame: &frame[..bytes],
        })
    }

    /// Opens a packet. The payload is a part of `out`.
    ///
    /// The window moves only if the tag is right. A caller that stores sessions must store the
    /// accepted counter before it delivers the payload.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open<'o>(
        &mut self,
        data: &Data<'_>,
        out: &'o mut [u8; FRAME_MAX],
    ) -> Result<Opened<'o>, OpenError> {
        if data.session != self.id || data.direction == self.role.sends() {
            return Err(OpenError::UnknownSession);
        }
        if data.flags.long_tag != self.long_tags {
            return Err(OpenError::TagLength);
        }
        if self.has_ended() {
            return Err(OpenError::Ended);
        }
        let counter = self
            .received
            .complete(data.counter)
            .ok_or(OpenError::OutsideWindow)?;
        let place = self.received.place(counter, self.role.window());
        if place == WindowPosition::Below {
            return Err(OpenError::OutsideWindow);
        }

        let text = &mut out[..data.ciphertext.len()];
        text.copy_from_slice(data.ciphertext);
        let resumed = data
            .start
            .map(|start| Zeroizing::new(resumed_key(self.suite, &self.open_key, start)));
        let key = resumed.as_deref().unwrap_or(&self.open_key);
        if !primitives::open(self.suite, key, counter, data.header, text, data.tag) {
            self.forgeries += 1;
            return Err(OpenError::Forged);
        }
        let ack_request = data.flags.ack_request;
        if place == WindowPosition::Seen {
            return Err(OpenError::Again {
                counter,
                ack_request,
            });
        }
        self.received.accept(counter);
        let (ack, payload) = text.split_at(data.flags.ack_bytes());
        let ack = ack.first_chunk().map(|low| u16::from_le_bytes(*low));
        Ok(Opened {
            counter,
            payload,
            ack_request,
            ack,
            newest: place == WindowPosition::Newest,
        })
    }

    /// The counter of the sent packet that an acknowledgement names: the newest one with these
    /// low 16 bits. `None` if there is none.
    pub const fn acknowledged(&self, low: u16) -> Option<u64> {
        let Some(last) = self.next_sent.checked_sub(1) else {
            return None;
        };
        last.checked_sub((last as u16).wrapping_sub(low) as u64)
    }

    /// Marks all counters below `next` as used, for a gateway that restarts after reserving
    /// counters in blocks. Never moves back. From [`COUNTER_LIMIT`] on, nothing can be sent.
    pub fn skip_sent(&mut self, next: u64) {
        self.next_sent = self.next_sent.max(next.min(COUNTER_LIMIT));
    }

    /// Marks a counter as accepted, for a gateway that reads its journal. Returns false if it
    /// was accepted before or is below the window.
    pub fn replay_accepted(&mut self, counter: u64) -> bool {
        let place = self.received.place(counter, self.role.window());
        let fresh = matches!(place, WindowPosition::Newest | WindowPosition::Within)
            && counter < COUNTER_LIMIT;
        if fresh {
            self.received.accept(counter);
        }
        fresh
    }
}

/// The start nonce of a session that has not resumed.
const NOT_RESUMED: [u8; START_BYTES] = [0; START_BYTES];

/// The key of DOWN-RESUMED [docs/protocol.md, A gateway that starts again].
fn resumed_key(suite: Suite, down: &[u8; 32], start: &[u8; START_BYTES]) -> [u8; 32] {
    primitives::hash(suite, &[down, start])
}

impl fmt::Debug for Session {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Session({:?} {}, {}, sent {}, received below {}, ..)",
            self.role, self.id, self.suite, self.next_sent, self.received.next
        )
    }
}
