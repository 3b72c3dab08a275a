//! Packets: the parser and the encoders [docs/protocol.md, Words and bytes].
//!
//! [`Frame::parse`] accepts exactly the frames of the protocol and borrows from the packet. It
//! checks sizes and flags. It authenticates nothing.

mod data;
mod fields;
mod hybrid;
mod join;
mod malformed;
mod pairing;

use crate::session_id::SessionId;

use fields::{Fields, first};

pub use data::{Data, Direction, Flags, START_BYTES};
pub use hybrid::{HybridCommit, PIECE_MAX, PairOpen, PairPiece, PairStep};
pub use join::{Cookie, CookieEcho, JoinAccept, JoinRequest};
pub use malformed::{FRAME_MAX, Malformed};
pub use pairing::{PairCommit, PairKey, PairResult, PairReveal};

/// A packet of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Frame<'a> {
    /// Node to gateway: requests pairing and commits to a key.
    PairCommit(PairCommit<'a>),
    /// Node to gateway: the same in a hybrid pairing, after the exchange by ML-KEM.
    HybridCommit(HybridCommit<'a>),
    /// Node to gateway: requests a hybrid pairing.
    PairOpen(PairOpen<'a>),
    /// Node to gateway: a step of the exchange by ML-KEM.
    PairStep(PairStep<'a>),
    /// Gateway to node: its answer.
    PairPiece(PairPiece<'a>),
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
            first::PAIR_COMMIT if flags <= 2 => HybridCommit::parse(bytes).map(Frame::HybridCommit),
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
            first::PAIR_OPEN if flags == 0 => PairOpen::parse(bytes).map(Frame::PairOpen),
            first::PAIR_OPEN if flags == 1 => PairStep::parse(bytes).map(Frame::PairStep),
            first::PAIR_OPEN if flags == 2 => PairPiece::parse(bytes).map(Frame::PairPiece),
            first::PAIR_COMMIT..=first::COOKIE_ECHO | first::CLASSIC | first::PAIR_OPEN => {
                Err(Malformed::Flags { first })
            }
            _ => Err(Malformed::UnknownType { first }),
        }
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
