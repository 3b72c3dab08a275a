//! A variant of a library for one algorithm, with its files and flags.

use std::path::{Path, PathBuf};

use selo_vectors::{Case, CaseKind};

use super::Library;
use super::implementation::{Deviation, Implementation};
use crate::algorithm::Algorithm;
use crate::data::matching;
use crate::error::Result;
use crate::interface::Plan;

/// One algorithm and variant of one library: the contents of one image.
#[derive(Clone, Debug)]
pub struct Unit<'a> {
    pub library: &'a Library,
    pub implementation: &'a Implementation,
    pub algorithm: &'a Algorithm,
    pub variant: &'a str,
}

impl Unit<'_> {
    /// `library algorithm variant`, for messages.
    pub fn label(&self) -> String {
        format!(
            "{} {} {}",
            self.library.name, self.algorithm.name, self.variant
        )
    }

    /// The deviation that lists the case, if any.
    pub fn deviation(&self, case: &str) -> Option<&Deviation> {
        self.library.deviations.iter().find(|deviation| {
            deviation.algorithm == self.algorithm.name
                && deviation.cases.iter().any(|known| known == case)
        })
    }

    /// True if a case asks for a check that the library leaves to its caller.
    pub fn leaves_to_caller(&self, case: &Case) -> bool {
        let refuses = matches!(case.kind, CaseKind::EncapsulateRefused { .. });
        refuses && self.implementation.caller_checks_keys
    }

    /// Path of the glue file.
    pub fn glue(&self) -> PathBuf {
        self.path(&self.implementation.glue)
    }

    /// Path of the list of a whole firmware's sources, if the unit is one.
    pub fn program(&self) -> Option<PathBuf> {
        let program = self.implementation.program.as_ref();
        program.map(|program| self.path(program))
    }

    /// Paths of the library's sources, with patterns expanded. Fails if a pattern matches no file.
    pub fn sources(&self) -> Result<Vec<PathBuf>> {
        let mut sources = Vec::new();
        for source in &self.implementation.sources {
            let manifest = self.library.manifest();
            sources.extend(matching(&self.path(source), &manifest)?);
        }
        Ok(sources)
    }

    /// Paths of the include folders: the implementation's, then the library's.
    pub fn include(&self) -> Vec<PathBuf> {
        let own = self.implementation.include.iter();
        own.chain(&self.library.include)
            .map(|folder| self.path(folder))
            .collect()
    }

    /// Flags for library and glue on a port: the library's, then the implementation's.
    pub fn flags(&self, port: &str) -> Vec<String> {
        let own = &self.implementation;
        let for_port = own.port_flags.get(port).into_iter().flatten();
        let mut flags: Vec<String> = self
            .library
            .flags
            .iter()
            .chain(&own.flags)
            .chain(for_port)
            .cloned()
            .collect();
        flags.extend(
            self.implementation
                .defines
                .iter()
                .map(|d| format!("-D{}", self.fill(d))),
        );
        flags
    }

    /// Flags for the sources in a whole firmware's list, which sets its own optimisation: the
    /// library's flags and the implementation's definitions, those for glue too.
    pub fn program_flags(&self) -> Vec<String> {
        let own = &self.implementation;
        let defines = own.defines.iter().chain(&own.glue_defines);
        let defines = defines.map(|define| format!("-D{}", self.fill(define)));
        self.library.flags.iter().cloned().chain(defines).collect()
    }

    /// Macros that give the glue its library, algorithm and variant, and the implementation's own
    /// (docs/contributor/agent-protocol.md).
    pub fn glue_defines(&self) -> Vec<String> {
        let string = |name: &str, value: &str| format!("-D{name}=\"{value}\"");
        let mut defines = vec![
            string("AGENT_LIBRARY", &self.library.name),
            string("AGENT_VERSION", &self.library.version),
            string("AGENT_ALGORITHM", &self.algorithm.name),
            string("AGENT_VARIANT", self.variant),
            format!("-DAGENT_ALGORITHM_{}=1", macro_name(&self.algorithm.name)),
            format!("-DAGENT_VARIANT_{}=1", macro_name(self.variant)),
        ];
        if let Some(bytes) = self.algorithm.key_bytes {
            defines.push(format!("-DAGENT_KEY_BYTES={bytes}"));
        }
        let own = self.implementation.glue_defines.iter();
        defines.extend(own.map(|define| format!("-D{}", self.fill(define))));
        defines
    }

    /// True if the glue offers `operation`.
    pub fn offers(&self, operation: &str) -> bool {
        self.implementation
            .operations
            .iter()
            .any(|offered| offered == operation)
    }

    /// The calls that measure `operation` on a message of `bytes` bytes: those of the interface, or
    /// those in pieces if only these are offered. `None` if the interface lacks the operation.
    pub fn plan(&self, operation: &str, bytes: u32) -> Option<Plan> {
        let interface = self.algorithm.interface;
        let in_pieces = || interface.plan_in_pieces(self.algorithm, operation);
        match self.offers(operation) {
            true => interface.plan(self.algorithm, operation, bytes),
            false => in_pieces().filter(|plan| self.offers_all(plan)),
        }
    }

    /// True if the glue offers the operation, at once or in pieces.
    pub fn performs(&self, operation: &str) -> bool {
        self.offers(operation) || self.plan(operation, 0).is_some()
    }

    /// True if the glue offers every call of a plan.
    pub fn offers_all(&self, plan: &Plan) -> bool {
        plan.iter().all(|call| self.offers(call.operation))
    }

    fn path(&self, relative: &str) -> PathBuf {
        let relative = self.fill(relative);
        for (placeholder, folder) in self.library.placeholders() {
            if let Some(rest) = relative.strip_prefix(&placeholder) {
                return normalise(&folder.join(rest.trim_start_matches('/')));
            }
        }
        normalise(&self.library.folder.join(relative))
    }

    fn fill(&self, text: &str) -> String {
        let key_bits = self
            .algorithm
            .key_bytes
            .map_or(String::new(), |b| (b * 8).to_string());
        // Also replace the placeholders of the previous release.
        text.replace("{strategy}", self.variant)
            .replace("{STRATEGY}", &macro_name(self.variant))
            .replace("{variant}", self.variant)
            .replace("{VARIANT}", &macro_name(self.variant))
            .replace("{identifier}", &macro_name(self.variant).to_lowercase())
            .replace("{key_bits}", &key_bits)
    }
}

/// The name as part of a macro: `aes-128-cbc` -> `AES_128_CBC`.
pub fn macro_name(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect()
}

/// Removes `.` and `..`, so that paths in messages are readable: `a/b/../c` -> `a/c`.
pub(super) fn normalise(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            std::path::Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macro_names_are_identifiers() {
        assert_eq!(macro_name("speck128/256-ctr"), "SPECK128_256_CTR");
    }

    #[test]
    fn paths_are_normalised() {
        assert_eq!(normalise(Path::new("/a/b/../../c/./d")), Path::new("/c/d"));
    }
}
