//! Errors of codec files, payloads and values.

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

    /// A codec file is invalid.
    #[error("{file}, line {line}: {why}")]
    File {
        file: String,
        line: usize,
        why: String,
        hint: String,
    },

    #[error("there is no codec '{name}'; known codecs: {known}")]
    Unknown { name: String, known: String },

    /// A payload does not match the codec.
    #[error("{0}")]
    Payload(String),

    /// The codec cannot encode these values.
    #[error("{0}")]
    Encode(String),

    #[error("'{0}' is not a known language")]
    Language(String),
}

impl Error {
    /// A one-line suggestion for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::File { hint, .. } => Some(hint.clone()),
            Error::Unknown { .. } => Some(
                "`selo codec list` shows them; --codecs DIR adds your own (docs/operator/add-a-codec.md)"
                    .into(),
            ),
            Error::Language(_) => Some("the languages are en and pt-BR".into()),
            Error::Payload(_) => Some("`selo codec show NAME` describes the payload".into()),
            _ => None,
        }
    }

    /// Exit code of the command line for this error (see docs/reference.md).
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
