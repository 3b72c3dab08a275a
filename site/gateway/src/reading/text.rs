//! A buffer on the stack for the digits and names of a line.

use crate::peer::Peer;

/// Fixed-size text buffer. Copies of constant size are several times faster than appending to a
/// vector.
pub(super) struct Text {
    bytes: [u8; Text::ROOM],
    size: usize,
}

impl Text {
    /// All members except the name need at most 370 bytes: 223 for names, punctuation and
    /// numbers, 96 for the payload, 51 for an IPv6 address with scope and port.
    pub(super) const ROOM: usize = 512;

    pub(super) fn new() -> Text {
        Text {
            bytes: [0; Text::ROOM],
            size: 0,
        }
    }

    /// Drops bytes that do not fit. No reading reaches the limit; a test checks the longest
    /// one.
    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: &[u8; N]) {
        if let Some(room) = self.rest().first_chunk_mut() {
            *room = *bytes;
            self.size += N;
        }
    }

    #[inline]
    pub(super) fn put_all(&mut self, bytes: &[u8]) {
        if let Some(room) = self.rest().get_mut(..bytes.len()) {
            room.copy_from_slice(bytes);
            self.size += bytes.len();
        }
    }

    #[inline]
    fn rest(&mut self) -> &mut [u8] {
        &mut self.bytes[self.size..]
    }

    #[inline]
    pub(super) fn put_hex(&mut self, bytes: &[u8]) {
        if let Some(room) = self.rest().get_mut(..2 * bytes.len()) {
            for (room, byte) in room.chunks_exact_mut(2).zip(bytes) {
                room.copy_from_slice(&HEX[usize::from(*byte)]);
            }
            self.size += 2 * bytes.len();
        }
    }

    #[inline]
    pub(super) fn put_decimal(&mut self, mut number: u32) {
        let digits = 1 + number.checked_ilog10().unwrap_or(0) as usize;
        if let Some(room) = self.rest().get_mut(..digits) {
            for digit in room.iter_mut().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
            self.size += digits;
        }
    }

    pub(super) fn put_boolean(&mut self, value: bool) {
        if value {
            self.put(b"true");
        } else {
            self.put(b"false");
        }
    }

    #[inline]
    pub(super) fn put_source(&mut self, peer: Peer) {
        match peer {
            Peer::Nowhere => self.put(b"null"),
            Peer::Udp(std::net::SocketAddr::V4(address)) => {
                self.put(b"\"");
                for (octet, end) in address.ip().octets().into_iter().zip(*b"...:") {
                    self.put_decimal(octet.into());
                    self.put(&[end]);
                }
                self.put_decimal(address.port().into());
                self.put(b"\"");
            }
            peer => self.put_all(format!("\"{peer}\"").as_bytes()),
        }
    }

    /// Appends the text to `out` and clears the buffer.
    #[inline]
    pub(super) fn move_to(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.bytes[..self.size]);
        self.size = 0;
    }
}

/// The two hexadecimal digits of each byte.
const HEX: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut table = [[0; 2]; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    table
};
