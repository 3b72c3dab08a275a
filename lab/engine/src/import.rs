//! The schemes of a tree in the form of pqm4 and PQClean: `crypto_kem/SCHEME/IMPLEMENTATION` and
//! `crypto_sign/SCHEME/IMPLEMENTATION`, also below `mupq` and `pqclean`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::data::sorted_entries;
use crate::error::{Error, Result};

/// The folders of schemes.
const KINDS: [&str; 2] = ["crypto_kem", "crypto_sign"];

/// The places of a tree in which the folders of schemes may be. Of two implementations of one name,
/// that of the first place counts, as in pqm4.
const PLACES: [&str; 4] = ["", "mupq", "mupq/pqclean", "pqclean"];

/// Implementations for machines that the lab has no board of.
const FOREIGN: [&str; 6] = ["avx2", "avx", "sse2", "neon", "aarch64", "vec"];

/// Most implementations of a tree.
const MOST: usize = 2_000;

/// One implementation of one scheme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// `crypto_kem` or `crypto_sign`.
    pub kind: &'static str,
    /// Such as `ml-kem-512`.
    pub name: String,
    /// Such as `clean` or `m4fspeed`.
    pub implementation: String,
    pub folder: PathBuf,
}

impl Scheme {
    /// The name of its library.
    pub fn library(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name = format!("pqm4-{}-{}", self.name, self.implementation);
        name.to_lowercase().chars().map(plain).collect()
    }

    /// True if it is written for a Cortex-M4.
    pub fn is_for_m4(&self) -> bool {
        self.implementation.starts_with("m4")
    }
}

/// The implementations of a tree that a board of the lab may run. Links to folders are not followed.
pub fn schemes(tree: &Path) -> Result<Vec<Scheme>> {
    let mut found: Vec<Scheme> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for place in PLACES {
        for kind in KINDS {
            for scheme in folders(&tree.join(place).join(kind))? {
                for folder in folders(&scheme)? {
                    let one = Scheme {
                        kind,
                        name: name_of(&scheme),
                        implementation: name_of(&folder),
                        folder,
                    };
                    let foreign = FOREIGN.contains(&one.implementation.as_str());
                    let has_api = one.folder.join("api.h").is_file();
                    if foreign || !has_api || !seen.insert(format!("{kind}/{}", one.library())) {
                        continue;
                    }
                    if found.len() == MOST {
                        return Err(no_tree(
                            tree,
                            format!("has more than {MOST} implementations"),
                        ));
                    }
                    found.push(one);
                }
            }
        }
    }
    if found.is_empty() {
        let message = "has no crypto_kem/SCHEME/IMPLEMENTATION/api.h, and no crypto_sign";
        return Err(no_tree(tree, message.to_owned()));
    }
    Ok(found)
}

fn no_tree(tree: &Path, message: String) -> Error {
    Error::NoLibrary {
        folder: tree.to_owned(),
        message,
    }
}

/// The folders in a folder; none if it does not exist.
fn folders(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() || folder.is_symlink() {
        return Ok(Vec::new());
    }
    let mut entries = sorted_entries(folder)?;
    entries.retain(|path| path.is_dir() && !path.is_symlink());
    Ok(entries)
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_has_its_own_implementations_before_those_of_its_parts() {
        let tree = tempfile::tempdir().expect("a folder");
        let add = |path: &str| {
            let folder = tree.path().join(path);
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("api.h"), "").expect("a file");
        };
        assert!(schemes(tree.path()).is_err());
        add("crypto_kem/ml-kem-512/m4fspeed");
        add("crypto_kem/ml-kem-512/clean");
        add("mupq/pqclean/crypto_kem/ml-kem-512/clean");
        add("mupq/pqclean/crypto_kem/ml-kem-512/avx2");
        add("mupq/crypto_sign/haetae2/ref");
        std::fs::create_dir_all(tree.path().join("crypto_kem/ml-kem-512/empty")).expect("a folder");
        let found = schemes(tree.path()).expect("schemes");
        let names: Vec<String> = found.iter().map(Scheme::library).collect();
        assert_eq!(
            names,
            [
                "pqm4-ml-kem-512-clean",
                "pqm4-ml-kem-512-m4fspeed",
                "pqm4-haetae2-ref"
            ]
        );
        assert!(found[0].folder.starts_with(tree.path().join("crypto_kem")));
        assert!(found[1].is_for_m4() && !found[0].is_for_m4());
    }
}
