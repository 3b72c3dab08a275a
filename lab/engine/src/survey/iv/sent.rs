//! A message that was encrypted in CBC, with what was seen of it.

pub const BLOCK: usize = 16;

/// Blocks of the message. All are equal, so that missing chaining shows.
pub const BLOCKS: usize = 3;
pub const MESSAGE: [u8; BLOCK * BLOCKS] = [0x6d; BLOCK * BLOCKS];

/// One message, encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The bytes from the random source.
    pub random: [u8; BLOCK],
    /// The IV that was used, if the cipher is right; else the IV that was sent.
    pub iv: Vec<u8>,
    /// True if the cipher is right with this IV.
    pub is_right: bool,
    pub ciphertext: Vec<u8>,
}
