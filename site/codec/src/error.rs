//! What can go wrong: a codec's file, a payload, a value.

use std::path::PathBuf;

use thiserror::Error;

/// The result of an operation of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },

    /// A codec's file does not say what it should.
    #[error("{file}, line {line}: {why}")]
    File {
        file: String,
        line: usize,
        why: String,
        hint: String,
    },

    #[error("there is no codec '{name}'; there are: {known}")]
    Unknown { name: String, known: String },

    /// A payload that is not of this codec.
    #[error("{0}")]
    Payload(String),

    /// Values that the codec cannot write.
    #[error("{0}")]
    Encode(String),
}

impl Error {
    /// What the user can do about it, in one line, if there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::File { hint, .. } => Some(hint.clone()),
            Error::Unknown { .. } => Some(
                "`selo codec list` shows them; --codecs DIR adds your own (docs/howto/add-a-codec.md)"
                    .into(),
            ),
            Error::Payload(_) => Some("`selo codec show NAME` says what it expects".into()),
            _ => None,
        }
    }

    /// Exit code of the command line for this error (docs/reference.md).
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Read { .. } => 4,
            _ => 2,
        }
    }
}

impl selo_base::report::Failure for Error {
    fn hint(&self) -> Option<String> {
        Error::hint(self)
    }

    fn exit_code(&self) -> u8 {
        Error::exit_code(self)
    }
}
