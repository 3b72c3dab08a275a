//! Sealed packets [docs/protocol.md, Data]: the keys, counters and replay window of a session.
//!
//! A [`Session`] is a small, plain value. A gateway can hold a million of them, store them and
//! restore them. Its keys, [`KEY_BYTES`] bytes, are stored once. Its changing state,
//! [`STATE_BYTES`] bytes, contains no secret. Expanded keys are not stored, because expanding a
//! key is faster than loading its expansion from memory.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::frame::{Data, Direction, FRAME_MAX, Flags, START_BYTES};
use crate::keys::SessionKeys;
pub use crate::session_id::SessionId;
use crate::{Reason, Suite, primitives};

/// Exclusive upper bound of counters in each direction of a session.
pub const COUNTER_LIMIT: u64 = 1 << 32;

/// Size of the stored state without keys, bytes.
pub const STATE_BYTES: usize = 1 + 1 + 1 + 4 + 3 * 8 + 8 + 4;

/// Size of the stored keys, bytes.
pub const KEY_BYTES: usize = 2 * 32;

/// Which side of a session this is. It decides directions, the window and the forgery limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Seals DOWN, opens UP.
    Gateway,
    /// Seals UP, opens DOWN.
    Node,
}

impl Role {
    /// Direction of the packets that this side sends.
    pub const fn sends(self) -> Direction {
        match self {
            Role::Gateway => Direction::Down,
            Role::Node => Direction::Up,
        }
    }

    /// Size of the replay window: counters tracked below the highest accepted one.
    pub const fn window(self) -> u32 {
        match self {
            Role::Gateway => 128,
            Role::Node => 32,
        }
    }

    /// Number of wrong tags that ends the session. A gateway throttles forgeries long before
    /// this [docs/protocol.md, Forgeries]; the limit is the last line of defence.
    pub const fn forgery_limit(self) -> u32 {
        match self {
            Role::Gateway => 1 << 30,
            Role::Node => 1 << 15,
        }
    }
}

/// Options of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SealOptions {
    /// Request an acknowledgement of this packet.
    pub ack_request: bool,
    /// Acknowledge the packet whose counter has these low 16 bits.
    pub ack: Option<u16>,
}

/// A sealed packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sealed<'o> {
    /// Its counter.
    pub counter: u64,
    /// Its bytes.
    pub frame: &'o [u8],
}

/// Reason why a payload cannot be sealed. The session is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The payload does not fit one frame.
    #[error("the payload has {bytes} bytes; a packet of this session carries at most {max}")]
    TooLong {
        /// Size of the payload, bytes.
        bytes: usize,
        /// Maximum size, bytes.
        max: usize,
    },
    /// The session has used all counters, or has received too many forgeries.
    #[error("the session has ended\nhint: the node must join again")]
    Ended,
}

/// The content of an authenticated packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opened<'o> {
    /// Its full counter. (device, session, counter) identifies a reading.
    pub counter: u64,
    /// The payload, without the acknowledgement.
    pub payload: &'o [u8],
    /// True if the sender requests an acknowledgement; see [`Session::seal`].
    pub ack_request: bool,
    /// The acknowledgement in the packet; [`Session::acknowledged`] completes its counter.
    pub ack: Option<u16>,
    /// True if its counter is the highest so far. Only such a packet updates the peer's
    /// address.
    pub newest: bool,
}

impl Opened<'_> {
    /// True for an acknowledgement without a payload, which is not delivered.
    pub const fn only_acknowledges(&self) -> bool {
        self.ack.is_some() && self.payload.is_empty()
    }
}

/// Reason why a packet is not delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It belongs to another session, or has the wrong direction.
    #[error("the packet belongs to another session")]
    UnknownSession,
    /// Its tag length differs from the session's.
    #[error("the packet's tag length differs from its session's")]
    TagLength,
    /// Its tag is wrong.
    #[error("the packet's tag is wrong")]
    Forged,
    /// Its tag is right, but its counter was accepted before. If it requests an
    /// acknowledgement, the first one was lost: acknowledge it again, at most once a second per
    /// session.
    #[error("packet {counter} was received before")]
    Again {
        /// Its counter.
        counter: u64,
        /// True if it requests an acknowledgement.
        ack_request: bool,
    },
    /// Its counter is below the window or above the counter limit. The tag was not checked.
    #[error("the packet's counter is outside of the window")]
    OutsideWindow,
    /// The session has received too many forgeries.
    #[error("the session has ended\nhint: the node must join again")]
    Ended,
}

impl OpenError {
    /// The reason under which the gateway counts the packet.
    pub const fn reason(&self) -> Reason {
        match self {
            OpenError::UnknownSession | OpenError::Ended => Reason::UnknownSession,
            OpenError::TagLength => Reason::Malformed,
            OpenError::Forged => Reason::Forged,
            OpenError::Again { .. } | OpenError::OutsideWindow => Reason::Replayed,
        }
    }
}

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

/// The start nonce of a session that has not resumed.
const NOT_RESUMED: [u8; START_BYTES] = [0; START_BYTES];

/// The key of DOWN-RESUMED [docs/protocol.md, A gateway that starts again].
fn resumed_key(suite: Suite, down: &[u8; 32], start: &[u8; START_BYTES]) -> [u8; 32] {
    primitives::hash(suite, &[down, start])
}

/// Version of the stored state, its first byte.
const STORED_VERSION: u8 = 2;

fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (field, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*field)
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

/// The replay window: which counters were accepted [docs/protocol.md, Data].
#[derive(Clone, Copy, Default)]
struct Window {
    /// One more than the highest accepted counter; 0 before the first.
    next: u64,
    /// Bit i is set if counter `highest - 1 - i` was accepted. Stored as two halves, low first,
    /// which makes a session 16 bytes smaller than a `u128` would.
    seen: [u64; 2],
}

/// Position of a counter relative to the window.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WindowPosition {
    /// Above the highest.
    Newest,
    /// In the window and not accepted yet.
    Within,
    /// Accepted before.
    Seen,
    /// Below the window, so its history is unknown.
    Below,
}

impl Window {
    fn new(next: u64, seen: u128) -> Self {
        Window {
            next,
            seen: [seen as u64, (seen >> 64) as u64],
        }
    }

    fn seen(&self) -> u128 {
        u128::from(self.seen[1]) << 64 | u128::from(self.seen[0])
    }

    /// Reconstructs the full counter: the one nearest to `next` with these low 16 bits. `None`
    /// if it is out of range.
    fn complete(&self, low: u16) -> Option<u64> {
        let distance = low.wrapping_sub(self.next as u16) as i16;
        self.next
            .checked_add_signed(distance.into())
            .filter(|&counter| counter < COUNTER_LIMIT)
    }

    fn place(&self, counter: u64, window: u32) -> WindowPosition {
        if counter >= self.next {
            return WindowPosition::Newest;
        }
        match self.next - 1 - counter {
            0 => WindowPosition::Seen,
            back if back > window.into() => WindowPosition::Below,
            back if self.seen() >> (back - 1) & 1 == 1 => WindowPosition::Seen,
            _ => WindowPosition::Within,
        }
    }

    /// Accepts a counter that is `Newest` or `Within`.
    fn accept(&mut self, counter: u64) {
        let mut seen = self.seen();
        if counter < self.next {
            seen |= 1 << (self.next - 2 - counter);
            *self = Window::new(self.next, seen);
            return;
        }
        // The previous highest counter, if any, becomes the bit `steps` back.
        let steps = counter - self.next + 1;
        let shift = u32::try_from(steps).unwrap_or(u32::MAX);
        seen = seen.checked_shl(shift).unwrap_or(0);
        if self.next > 0 {
            seen |= 1u128.checked_shl(shift - 1).unwrap_or(0);
        }
        *self = Window::new(counter + 1, seen);
    }
}
