//! Types that only a source defines: another file can call a function with such a type only by
//! including the source.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::declarations::{Declarations, Function};

/// The files that define each type.
#[derive(Debug, Default)]
pub(super) struct Types {
    in_headers: BTreeSet<String>,
    in_sources: BTreeMap<String, BTreeSet<PathBuf>>,
}

impl Types {
    /// Notes the types that a file defines.
    pub(super) fn note(&mut self, found: &Declarations, file: &Path, header: bool) {
        let names = found.typedefs.keys().chain(found.members.keys());
        let names = names.chain(found.classes.keys()).chain(found.enums.keys());
        for name in names.filter(|name| !name.is_empty()) {
            if header {
                self.in_headers.insert(name.clone());
            } else {
                let files = self.in_sources.entry(name.clone()).or_default();
                files.insert(file.to_owned());
            }
        }
    }

    /// True if a parameter of a function has a type that no header defines.
    pub(super) fn are_private(&self, function: &Function, file: &Path) -> bool {
        function.class.is_none()
            && function.parameters.iter().any(|parameter| {
                let tag = parameter.base.trim_start_matches("struct ").trim();
                let here = self.in_sources.get(tag);
                !self.in_headers.contains(tag) && here.is_some_and(|files| files.contains(file))
            })
    }

    /// The names that several sources define and no header.
    pub(super) fn several(&self) -> BTreeSet<String> {
        let several = |(name, files): &(&String, &BTreeSet<PathBuf>)| {
            files.len() > 1 && !self.in_headers.contains(*name)
        };
        let found = self.in_sources.iter().filter(several);
        found.map(|(name, _)| name.clone()).collect()
    }
}
