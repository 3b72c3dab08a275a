//! Packets: the parser and the encoders [docs/protocol.md, Words and bytes].
//!
//! [`Frame::parse`] accepts exactly the frames of the protocol and borrows from the packet. It
//! checks sizes and flags. It authenticates nothing.

use crate::session_id::SessionId;
use crate::{DeviceId, Suite};

/// Maximum frame size, bytes: the payload of one packet of an E32 LoRa module.
pub const FRAME_MAX: usize = 58;

/// First bytes. UP, DOWN and DOWN-RESUMED also carry flags in the low four bits.
mod first {
    pub const PAIR_COMMIT: u8 = 0x10;
    pub const PAIR_KEY: u8 = 0x20;
    pub const PAIR_REVEAL: u8 = 0x30;
    pub const PAIR_RESULT: u8 = 0x40;
    pub const JOIN_REQUEST: u8 = 0x50;
    pub const JOIN_ACCEPT: u8 = 0x60;
    pub const UP: u8 = 0x70;
    pub const DOWN: u8 = 0x80;
    pub const HINT: u8 = 0x90;
    pub const COOKIE: u8 = 0xa0;
    pub const COOKIE_ECHO: u8 = 0xb0;
    pub const CLASSIC: u8 = 0xc0;
    pub const DOWN_RESUMED: u8 = 0xd0;
}

/// Reason why a packet is not a frame, or its decrypted content does not follow the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// The packet has no bytes.
    #[error("the packet is empty")]
    Empty,
    /// The packet is longer than any frame.
    #[error("the packet has {bytes} bytes; the longest frame has {FRAME_MAX}")]
    TooLong {
        /// Size of the packet, bytes.
        bytes: usize,
    },
    /// The first byte belongs to no frame type.
    #[error("no frame begins with {first:02x}")]
    UnknownType {
        /// The packet's first byte.
        first: u8,
    },
    /// Flags that this frame type does not allow.
    #[error("a frame that begins with {first:02x} has forbidden flags")]
    Flags {
        /// The packet's first byte.
        first: u8,
    },
    /// A size that this frame type does not allow.
    #[error("a frame that begins with {first:02x} cannot have {bytes} bytes")]
    Size {
        /// The packet's first byte.
        first: u8,
        /// Size of the packet, bytes.
        bytes: usize,
    },
    /// The flag WIDE with a session id below 65,536.
    #[error("session id {session} is encoded in four bytes but fits two")]
    NotWide {
        /// The session id in the frame.
        session: SessionId,
    },
    /// An unknown suite code in PAIR-COMMIT.
    #[error("there is no suite with code {code}")]
    UnknownSuite {
        /// The code.
        code: u8,
    },
    /// Unknown option bits in a join.
    #[error("the join has unknown options {options:02x}")]
    Options {
        /// The decrypted option byte.
        options: u8,
    },
}

/// A packet of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// Node to gateway: requests pairing and commits to a key.
    PairCommit(PairCommit<'a>),
    /// Gateway to node: the gateway's ephemeral key.
    PairKey(PairKey<'a>),
    /// Node to gateway: opens the commitment.
    PairReveal(PairReveal<'a>),
    /// Gateway to node: the operator's decision.
    PairResult(PairResult<'a>),
    /// Node to gateway: the first message of a join.
    JoinRequest(JoinRequest<'a>),
    /// Gateway to node: the second message of a join.
    JoinAccept(JoinAccept<'a>),
    /// Node to gateway: a sealed packet.
    Up(Data<'a>),
    /// Gateway to node: a sealed packet, DOWN or DOWN-RESUMED.
    Down(Data<'a>),
    /// Gateway to node: the session is unknown here.
    Hint(SessionId),
    /// Gateway to node: demands a proof of the address.
    Cookie(Cookie<'a>),
    /// Node to gateway: proves the address.
    CookieEcho(CookieEcho<'a>),
    /// Either way: a whole frame of Algorithm 2 of [albarello2020]. Only a study speaks that
    /// protocol (`studies/classic`); everyone else refuses the frame by its name.
    Classic(&'a [u8]),
}

/// PAIR-COMMIT: `10 || id || suite || commitment`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairCommit<'a> {
    /// The whole frame, for the transcript hash.
    pub bytes: &'a [u8; PairCommit::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The node's suite.
    pub suite: Suite,
    /// HASH over the node's ephemeral key and `r`.
    pub commitment: &'a [u8; 32],
}

/// PAIR-KEY: `20 || id || e_g`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairKey<'a> {
    /// The whole frame, for the transcript hash.
    pub bytes: &'a [u8; PairKey::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The gateway's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
}

/// PAIR-REVEAL: `30 || id || e_n || r`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairReveal<'a> {
    /// The whole frame, for the transcript hash.
    pub bytes: &'a [u8; PairReveal::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The node's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
    /// The blinding value of the commitment.
    pub r: &'a [u8; 16],
}

/// PAIR-RESULT: `40 or 41 || id || tag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairResult<'a> {
    /// The bytes that the tag covers: the first byte and the id.
    pub header: &'a [u8; 5],
    /// The node's id.
    pub device: DeviceId,
    /// The decision in the frame. Trust it only after verifying the tag.
    pub confirmed: bool,
    /// The tag under the result key.
    pub tag: &'a [u8; 16],
}

/// JOIN-REQUEST: `50 || id || e || sealed payload`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinRequest<'a> {
    /// The whole frame, to recognise repetitions.
    pub bytes: &'a [u8; JoinRequest::BYTES],
    /// The node's id.
    pub device: DeviceId,
    /// The node's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
    /// Join counter and options, sealed under the device key, and the tag.
    pub sealed: &'a [u8; 21],
}

/// JOIN-ACCEPT: `60 || check || e || sealed payload`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinAccept<'a> {
    /// Four bytes that only the holder of the device key can compute.
    pub check: &'a [u8; 4],
    /// The gateway's ephemeral public key.
    pub ephemeral: &'a [u8; 32],
    /// Session id and options, sealed, and the tag.
    pub sealed: &'a [u8; 21],
}

/// COOKIE: `a0 || mark || cookie`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cookie<'a> {
    /// The [mark](JoinRequest::mark) of the JOIN-REQUEST that this frame answers.
    pub mark: &'a [u8; 4],
    /// The cookie for the address that the request came from.
    pub cookie: &'a [u8; 8],
}

/// COOKIE-ECHO: `b0 || id || cookie`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CookieEcho<'a> {
    /// The node's id.
    pub device: DeviceId,
    /// The cookie from the gateway, unchanged.
    pub cookie: &'a [u8; 8],
}

/// Direction of a sealed packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the node.
    Up,
    /// From the gateway.
    Down,
}

/// The flags of UP and DOWN [docs/protocol.md, Data].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    /// The session id has four bytes.
    pub wide: bool,
    /// The tag has 16 bytes.
    pub long_tag: bool,
    /// The receiver must acknowledge the packet.
    pub ack_request: bool,
    /// The plaintext begins with the counter of an acknowledged packet.
    pub ack: bool,
}

/// Size of a start nonce, bytes.
pub const START_BYTES: usize = 4;

/// UP or DOWN: `type and flags || session id || counter || ciphertext || tag`. DOWN-RESUMED has
/// the start nonce before the counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Data<'a> {
    /// The direction.
    pub direction: Direction,
    /// The flags.
    pub flags: Flags,
    /// The session.
    pub session: SessionId,
    /// The start nonce of DOWN-RESUMED.
    pub start: Option<&'a [u8; START_BYTES]>,
    /// The low 16 bits of the packet's counter.
    pub counter: u16,
    /// The associated data: all bytes before the ciphertext, 5 to 11 bytes.
    pub header: &'a [u8],
    /// As long as the plaintext. At least 2 bytes with [`Flags::ack`].
    pub ciphertext: &'a [u8],
    /// 8 bytes, or 16 with [`Flags::long_tag`].
    pub tag: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Parses a packet. Accepts any bytes.
    ///
    /// # Errors
    /// [`Malformed`] with the first violation found.
    pub fn parse(bytes: &'a [u8]) -> Result<Frame<'a>, Malformed> {
        let &first = bytes.first().ok_or(Malformed::Empty)?;
        if bytes.len() > FRAME_MAX {
            return Err(Malformed::TooLong { bytes: bytes.len() });
        }
        let flags = first & 0x0f;
        match first & 0xf0 {
            first::PAIR_COMMIT if flags == 0 => PairCommit::parse(bytes).map(Frame::PairCommit),
            first::PAIR_KEY if flags == 0 => PairKey::parse(bytes).map(Frame::PairKey),
            first::PAIR_REVEAL if flags == 0 => PairReveal::parse(bytes).map(Frame::PairReveal),
            first::PAIR_RESULT if flags <= 1 => PairResult::parse(bytes).map(Frame::PairResult),
            first::JOIN_REQUEST if flags == 0 => JoinRequest::parse(bytes).map(Frame::JoinRequest),
            first::JOIN_ACCEPT if flags == 0 => JoinAccept::parse(bytes).map(Frame::JoinAccept),
            first::UP => Data::parse(bytes, Direction::Up, false).map(Frame::Up),
            first::DOWN => Data::parse(bytes, Direction::Down, false).map(Frame::Down),
            first::DOWN_RESUMED => Data::parse(bytes, Direction::Down, true).map(Frame::Down),
            first::HINT if flags <= 1 => parse_hint(bytes).map(Frame::Hint),
            first::COOKIE if flags == 0 => Cookie::parse(bytes).map(Frame::Cookie),
            first::COOKIE_ECHO if flags == 0 => CookieEcho::parse(bytes).map(Frame::CookieEcho),
            first::CLASSIC if flags <= 3 => parse_classic(bytes).map(Frame::Classic),
            first::PAIR_COMMIT..=first::COOKIE_ECHO | first::CLASSIC => {
                Err(Malformed::Flags { first })
            }
            _ => Err(Malformed::UnknownType { first }),
        }
    }
}

impl<'a> PairCommit<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 38;

    /// The first byte, which the commitment also covers.
    pub(crate) const FIRST: u8 = first::PAIR_COMMIT;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            suite: fields.suite()?,
            commitment: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        device: DeviceId,
        suite: Suite,
        commitment: &[u8; 32],
    ) -> [u8; PairCommit::BYTES] {
        concat(&[
            &[first::PAIR_COMMIT],
            &device.to_bytes(),
            &[suite.code()],
            commitment,
        ])
    }
}

impl<'a> PairKey<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 37;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            ephemeral: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, ephemeral: &[u8; 32]) -> [u8; PairKey::BYTES] {
        concat(&[&[first::PAIR_KEY], &device.to_bytes(), ephemeral])
    }
}

impl<'a> PairReveal<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 53;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            ephemeral: fields.array()?,
            r: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, ephemeral: &[u8; 32], r: &[u8; 16]) -> [u8; PairReveal::BYTES] {
        concat(&[&[first::PAIR_REVEAL], &device.to_bytes(), ephemeral, r])
    }
}

impl<'a> PairResult<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 21;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let (header, _) = bytes.split_first_chunk().ok_or(fields.wrong_size())?;
        let frame = Self {
            header,
            device: fields.device()?,
            confirmed: bytes[0] == first::PAIR_RESULT,
            tag: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// The bytes that the tag of a PAIR-RESULT covers.
    pub fn header(device: DeviceId, confirmed: bool) -> [u8; 5] {
        concat(&[
            &[first::PAIR_RESULT | u8::from(!confirmed)],
            &device.to_bytes(),
        ])
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, confirmed: bool, tag: &[u8; 16]) -> [u8; PairResult::BYTES] {
        concat(&[&Self::header(device, confirmed), tag])
    }
}

impl<'a> JoinRequest<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 58;

    /// The first byte, which the prologue also covers.
    pub(crate) const FIRST: u8 = first::JOIN_REQUEST;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            bytes: fields.whole()?,
            device: fields.device()?,
            ephemeral: fields.array()?,
            sealed: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        device: DeviceId,
        ephemeral: &[u8; 32],
        sealed: &[u8; 21],
    ) -> [u8; JoinRequest::BYTES] {
        concat(&[
            &[first::JOIN_REQUEST],
            &device.to_bytes(),
            ephemeral,
            sealed,
        ])
    }
}

impl JoinRequest<'_> {
    /// The last four bytes of the frame, a part of its tag. A COOKIE refers to its request by
    /// them. They cannot be guessed without seeing the request.
    pub fn mark(&self) -> [u8; 4] {
        let [.., a, b, c, d] = *self.bytes;
        [a, b, c, d]
    }
}

impl<'a> Cookie<'a> {
    /// Size of the frame, bytes. Smaller than the JOIN-REQUEST that it answers, so it cannot
    /// amplify.
    pub const BYTES: usize = 13;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            mark: fields.array()?,
            cookie: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(mark: &[u8; 4], cookie: &[u8; 8]) -> [u8; Cookie::BYTES] {
        concat(&[&[first::COOKIE], mark, cookie])
    }
}

impl<'a> CookieEcho<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 13;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            device: fields.device()?,
            cookie: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(device: DeviceId, cookie: &[u8; 8]) -> [u8; CookieEcho::BYTES] {
        concat(&[&[first::COOKIE_ECHO], &device.to_bytes(), cookie])
    }
}

impl<'a> JoinAccept<'a> {
    /// Size of the frame, bytes.
    pub const BYTES: usize = 58;

    fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let frame = Self {
            check: fields.array()?,
            ephemeral: fields.array()?,
            sealed: fields.array()?,
        };
        fields.end().map(|()| frame)
    }

    /// Encodes the frame.
    pub fn encode(
        check: &[u8; 4],
        ephemeral: &[u8; 32],
        sealed: &[u8; 21],
    ) -> [u8; JoinAccept::BYTES] {
        concat(&[&[first::JOIN_ACCEPT], check, ephemeral, sealed])
    }
}

impl Direction {
    /// The first byte of UP or DOWN, without flags.
    pub(crate) const fn first(self) -> u8 {
        match self {
            Direction::Up => first::UP,
            Direction::Down => first::DOWN,
        }
    }

    /// The first byte of DOWN-RESUMED, without flags. Only the gateway resumes sessions.
    pub(crate) const RESUMED: u8 = first::DOWN_RESUMED;
}

impl Flags {
    const WIDE: u8 = 1;
    const LONG_TAG: u8 = 2;
    const ACK_REQUEST: u8 = 4;
    const ACK: u8 = 8;

    /// Decodes the low four bits of a first byte.
    pub const fn from_bits(first: u8) -> Self {
        Flags {
            wide: first & Flags::WIDE != 0,
            long_tag: first & Flags::LONG_TAG != 0,
            ack_request: first & Flags::ACK_REQUEST != 0,
            ack: first & Flags::ACK != 0,
        }
    }

    /// Encodes the flags as the low four bits of the first byte.
    pub const fn bits(self) -> u8 {
        (if self.wide { Flags::WIDE } else { 0 })
            | (if self.long_tag { Flags::LONG_TAG } else { 0 })
            | (if self.ack_request {
                Flags::ACK_REQUEST
            } else {
                0
            })
            | (if self.ack { Flags::ACK } else { 0 })
    }

    /// Size of the header of UP and DOWN, bytes.
    pub const fn header_bytes(self) -> usize {
        if self.wide { 7 } else { 5 }
    }

    /// Size of the tag, bytes.
    pub const fn tag_bytes(self) -> usize {
        if self.long_tag { 16 } else { 8 }
    }

    /// Maximum payload of an UP or DOWN with these flags, bytes.
    pub const fn payload_max(self) -> usize {
        FRAME_MAX - self.header_bytes() - self.tag_bytes() - self.ack_bytes()
    }

    /// Bytes before the payload in the plaintext: the acknowledged counter.
    pub(crate) const fn ack_bytes(self) -> usize {
        if self.ack { 2 } else { 0 }
    }
}

impl<'a> Data<'a> {
    fn parse(bytes: &'a [u8], direction: Direction, resumed: bool) -> Result<Self, Malformed> {
        let mut fields = Fields::of(bytes);
        let flags = Flags::from_bits(bytes[0]);
        let session = fields.session(flags.wide)?;
        let start = if resumed { Some(fields.array()?) } else { None };
        let counter = u16::from_le_bytes(*fields.array()?);
        let sealed = fields.rest;
        let ciphertext_bytes = sealed
            .len()
            .checked_sub(flags.tag_bytes())
            .filter(|&bytes| bytes >= flags.ack_bytes())
            .ok_or(fields.wrong_size())?;
        let (ciphertext, tag) = sealed.split_at(ciphertext_bytes);
        let header = &bytes[..bytes.len() - sealed.len()];
        Ok(Self {
            direction,
            flags,
            session,
            start,
            counter,
            header,
            ciphertext,
            tag,
        })
    }
}

/// The session id of a packet whose first byte is that of UP. Does not check the rest.
#[inline]
pub fn up_session(bytes: &[u8]) -> Option<SessionId> {
    let kind = bytes.first()? & 0xf0;
    if kind != first::UP {
        return None;
    }
    Fields::of(bytes).session(bytes[0] & Flags::WIDE != 0).ok()
}

fn parse_hint(bytes: &[u8]) -> Result<SessionId, Malformed> {
    let mut fields = Fields::of(bytes);
    let session = fields.session(bytes[0] & 1 == 1)?;
    fields.end().map(|()| session)
}

/// Encodes a HINT for this session: 3 or 5 bytes.
pub fn encode_hint(session: SessionId, buffer: &mut [u8; 5]) -> &[u8] {
    let [a, b, c, d] = session.0.to_le_bytes();
    if session.is_wide() {
        *buffer = [first::HINT | 1, a, b, c, d];
        buffer
    } else {
        *buffer = [first::HINT, a, b, 0, 0];
        &buffer[..3]
    }
}

/// Recognises a frame of the published protocol by its first byte and size: the request, a public
/// key of either side, or one to three blocks.
fn parse_classic(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let right = match bytes[0] & 3 {
        0 => bytes.len() == 1,
        1 | 2 => bytes.len() == 33,
        _ => matches!(bytes.len(), 17 | 33 | 49),
    };
    if right {
        Ok(bytes)
    } else {
        Err(Fields::of(bytes).wrong_size())
    }
}

/// Reads the fields of a packet in order, after its first byte.
struct Fields<'a> {
    bytes: &'a [u8],
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// `bytes` must not be empty.
    fn of(bytes: &'a [u8]) -> Self {
        Fields {
            bytes,
            rest: &bytes[1..],
        }
    }

    fn wrong_size(&self) -> Malformed {
        Malformed::Size {
            first: self.bytes[0],
            bytes: self.bytes.len(),
        }
    }

    fn whole<const N: usize>(&self) -> Result<&'a [u8; N], Malformed> {
        self.bytes.try_into().map_err(|_| self.wrong_size())
    }

    fn array<const N: usize>(&mut self) -> Result<&'a [u8; N], Malformed> {
        let (array, rest) = self.rest.split_first_chunk().ok_or(self.wrong_size())?;
        self.rest = rest;
        Ok(array)
    }

    fn device(&mut self) -> Result<DeviceId, Malformed> {
        self.array().copied().map(DeviceId::from_bytes)
    }

    fn suite(&mut self) -> Result<Suite, Malformed> {
        let &[code] = self.array()?;
        Suite::from_code(code).ok_or(Malformed::UnknownSuite { code })
    }

    fn session(&mut self, wide: bool) -> Result<SessionId, Malformed> {
        if !wide {
            return Ok(SessionId(u16::from_le_bytes(*self.array()?).into()));
        }
        let session = SessionId(u32::from_le_bytes(*self.array()?));
        if session.is_wide() {
            Ok(session)
        } else {
            Err(Malformed::NotWide { session })
        }
    }

    fn end(self) -> Result<(), Malformed> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(self.wrong_size())
        }
    }
}

/// Concatenates the parts, which must have `N` bytes in total.
fn concat<const N: usize>(parts: &[&[u8]]) -> [u8; N] {
    let mut frame = [0; N];
    let mut at = 0;
    for part in parts {
        frame[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    debug_assert_eq!(at, N);
    frame
}
