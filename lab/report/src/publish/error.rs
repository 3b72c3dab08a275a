//! Failures of a publication. Each says what happened, where, and what to do.

use std::path::PathBuf;

use selo_base::report::exit;
use thiserror::Error;

pub type Result<T> = std::result::Result<T, PublishError>;

/// Failure to publish. The published site is as it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PublishError {
    /// cannot write {path}: {source}
    #[error("cannot write {}: {source}", path.display())]
    Write {
        path: PathBuf,
        source: std::io::Error,
    },
    /// A published run has the name and other rows.
    #[error("the run '{name}' in {} has been published with other rows", path.display())]
    Taken { name: String, path: PathBuf },
    /// A folder of a run has the name, and it cannot be read.
    #[error("the run '{name}' in {} cannot be read: {reason}", path.display())]
    Damaged {
        name: String,
        path: PathBuf,
        reason: String,
    },
    #[error("'{name}' cannot be the name of a run")]
    BadName { name: String },
    #[error("another selo lab publish is writing to {}", path.display())]
    Busy { path: PathBuf },
    #[error("{} is not a page of selo lab publish", path.display())]
    NotOurs { path: PathBuf },
}

impl selo_base::report::Failure for PublishError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            PublishError::Write { .. } => {
                "nothing was published; make the folder writable, or free some space, and repeat the command".to_owned()
            }
            PublishError::Taken { name, .. } => {
                format!("a published run stays as it is; give this one another name: --name {name}-2")
            }
            PublishError::Damaged { name, path, .. } => format!(
                "give another name, such as --name {name}-2, or delete {} to publish the run again",
                path.display()
            ),
            PublishError::BadName { .. } => {
                "use letters, digits, points, hyphens and underscores, at most 64, and begin with a letter or a digit".to_owned()
            }
            PublishError::Busy { .. } => "wait until it has ended, and repeat the command".to_owned(),
            PublishError::NotOurs { .. } => {
                "choose an empty folder, or one that selo lab publish has made".to_owned()
            }
        })
    }

    fn exit_code(&self) -> u8 {
        match self {
            PublishError::Write { .. } => exit::MACHINE,
            _ => exit::USAGE,
        }
    }
}
