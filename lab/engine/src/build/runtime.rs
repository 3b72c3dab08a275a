//! The functions that a board's toolchain brings: the C library and the compiler's own.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use object::read::archive::ArchiveFile;

use super::builder::Builder;

/// The archives, as the compiler finds them.
const ARCHIVES: [&str; 3] = ["libc.a", "libgcc.a", "libm.a"];

impl Builder<'_> {
    /// The symbols of the C library and of the compiler's run-time. Empty if their archives are not
    /// found: then nothing is known of them.
    pub(crate) fn runtime(&self) -> BTreeSet<String> {
        let archives = ARCHIVES.iter().filter_map(|name| self.archive_named(name));
        let mut symbols = BTreeSet::new();
        for path in archives {
            // Some are scripts of the linker.
            let data = std::fs::read(path).unwrap_or_default();
            let archive = ArchiveFile::parse(&*data).ok();
            let found = archive.and_then(|archive| archive.symbols().ok().flatten());
            let named = found.into_iter().flatten().flatten();
            symbols.extend(named.map(|symbol| String::from_utf8_lossy(symbol.name()).into_owned()));
        }
        symbols
    }

    /// The file that the compiler links for the name of an archive.
    fn archive_named(&self, name: &str) -> Option<PathBuf> {
        let toolchain = &self.board.toolchain;
        let output = Command::new(&toolchain.cc)
            .args(&toolchain.flags)
            .args(&self.port.flags)
            .arg(format!("-print-file-name={name}"))
            .current_dir(&self.project.root)
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        path.is_absolute().then_some(path)
    }
}
