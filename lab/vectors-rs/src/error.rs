//! Errors of reading vectors: each names the file, and the line where there is one.

use std::path::PathBuf;

/// Why the vectors could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file's content is not what its format says.
    #[error("{}:{line}: {message}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// No algorithm has this name.
    #[error("unknown algorithm `{name}`")]
    UnknownAlgorithm {
        /// The name given.
        name: String,
    },
}
