//! `enum selo_status` as a `Result`.

/// An error of a library function. The function's outputs are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The function does not accept this size.
    #[error("a size that the function does not take")]
    Argument,
    /// The output buffer is too small.
    #[error("the output buffer is too small")]
    Space,
    /// Decrypted padding is malformed.
    #[error("decrypted padding is malformed: wrong key or altered data")]
    Padding,
    /// The random source failed.
    #[error("the random source failed")]
    Random,
    /// The peer's public key yields the all-zero secret [RFC7748, 6.1].
    #[error("the peer's public key yields the all-zero secret")]
    Key,
    /// The tag does not verify.
    #[error("the tag does not verify: altered data, wrong key, nonce or header")]
    Tag,
    /// The node is not in a state for this call.
    #[error("the node is not in a state for this call")]
    State,
    /// The record cannot be stored, or there is none.
    #[error("the record cannot be stored, or there is none")]
    Store,
    /// The transport did not take the frame.
    #[error("the transport did not take the frame")]
    Send,
    /// A status that these bindings do not know.
    #[error("status {0}, which these bindings do not know")]
    Unknown(u32),
}

impl Error {
    /// The number in `enum selo_status`.
    #[must_use]
    pub const fn number(self) -> u32 {
        match self {
            Self::Argument => 1,
            Self::Space => 2,
            Self::Padding => 3,
            Self::Random => 4,
            Self::Key => 5,
            Self::Tag => 6,
            Self::State => 7,
            Self::Store => 8,
            Self::Send => 9,
            Self::Unknown(number) => number,
        }
    }
}

/// Converts a returned status to a result.
pub(crate) fn status(number: u32) -> Result<(), Error> {
    match number {
        0 => Ok(()),
        1 => Err(Error::Argument),
        2 => Err(Error::Space),
        3 => Err(Error::Padding),
        4 => Err(Error::Random),
        5 => Err(Error::Key),
        6 => Err(Error::Tag),
        7 => Err(Error::State),
        8 => Err(Error::Store),
        9 => Err(Error::Send),
        _ => Err(Error::Unknown(number)),
    }
}
