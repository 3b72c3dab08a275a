//! Fetches everything that a library needs: its archives, and the dependencies of its crate.

use crate::error::Result;
use crate::library::Library;
use crate::source::{Sources, Step};

impl Sources {
    /// Fetches every source of a library into the cache.
    pub fn fetch(&self, library: &Library, progress: &mut dyn FnMut(Step<'_>)) -> Result<()> {
        for source in library.all_sources() {
            self.fetch_one(source, progress)?;
        }
        library.fetch_crate(self.offline)
    }
}
