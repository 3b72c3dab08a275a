//! Errors of reading vectors. Each names the file, and the line if there is one.

use std::path::PathBuf;

/// A failure to read the vectors.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file's content does not match its format.
    #[error("{}:{line}: {message}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Description of the mistake.
        message: String,
    },
    /// No algorithm has this name.
    #[error("unknown algorithm `{name}`")]
    UnknownAlgorithm {
        /// The unknown name.
        name: String,
    },
}
