//! The text under the parsers, its errors, and the checks that several formats share.

use std::path::Path;

use crate::{Aead, Algorithm, CaseKind, Error, Interface};

/// The cases of one vector, each with the suffix of its name: none if the vector is for another
/// algorithm. An error says what is wrong with the vector.
pub(super) type Cases = Result<Vec<(&'static str, CaseKind)>, String>;

/// A file under the parser's eyes: what an error needs.
pub(crate) struct SourceText<'a> {
    pub path: &'a Path,
    pub text: &'a str,
}

impl SourceText<'_> {
    /// The file's name, for ids and classes.
    pub(super) fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or(self.path.as_os_str())
            .to_string_lossy()
            .into_owned()
    }

    /// The line of a byte offset.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        1 + self
            .text
            .bytes()
            .take(offset)
            .filter(|byte| *byte == b'\n')
            .count()
    }

    /// An error in a line.
    pub(super) fn error(&self, line: usize, message: impl Into<String>) -> Error {
        Error::Parse {
            path: self.path.to_owned(),
            line,
            message: message.into(),
        }
    }

    /// An error at a byte offset.
    pub(crate) fn at(&self, offset: usize, message: impl Into<String>) -> Error {
        self.error(self.line_of(offset), message)
    }

    /// What the TOML parser found.
    pub(crate) fn toml(&self, error: &toml::de::Error) -> Error {
        self.at(
            error.span().map_or(0, |span| span.start),
            error.message().trim(),
        )
    }

    /// The file's format and the algorithm do not go together.
    pub(super) fn mismatch(&self, algorithm: Algorithm) -> Error {
        self.error(
            1,
            format!("this format holds nothing for {}", algorithm.name()),
        )
    }
}

/// The sizes of an authenticated cipher.
pub(super) fn aead(place: &SourceText<'_>, algorithm: Algorithm) -> Result<Aead, Error> {
    match algorithm.interface() {
        Interface::Aead(aead) => Ok(aead),
        _ => Err(place.mismatch(algorithm)),
    }
}

/// Bytes of a fixed number, or what is wrong.
pub(super) fn exactly<const N: usize>(what: &str, bytes: &[u8]) -> Result<[u8; N], String> {
    bytes
        .try_into()
        .map_err(|_| format!("{what} has {} bytes instead of {N}", bytes.len()))
}

/// What is signed of a message.
pub(super) fn signed(message: Vec<u8>, of_digest: bool) -> Vec<u8> {
    use sha2::Digest as _;
    if of_digest {
        sha2::Sha256::digest(&message).to_vec()
    } else {
        message
    }
}
