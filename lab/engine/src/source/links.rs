//! Which links a copy of a folder follows.

use std::path::Path;

/// The links that a copy follows: those to files of a tree, if one is named.
#[derive(Clone, Copy)]
pub(super) struct Links<'a>(pub(super) Option<&'a Path>);

impl<'a> Links<'a> {
    pub(super) fn tree(self) -> Option<&'a Path> {
        self.0
    }

    /// True for a file, and for a link to a file that is followed. A folder on the way to it may be
    /// a link too.
    pub(super) fn may_take(self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else {
            return false;
        };
        let is_followed = match self.0 {
            Some(tree) => real.starts_with(tree),
            None => real == path,
        };
        is_followed && real.is_file()
    }
}
