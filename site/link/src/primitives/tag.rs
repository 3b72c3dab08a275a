//! The tag of an AEAD.

/// Maximum tag size, bytes.
pub const TAG_MAX: usize = 16;
