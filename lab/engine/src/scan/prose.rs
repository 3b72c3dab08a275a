//! The words of a small library's comments and manual, for one whose names speak of no algorithm:
//! a class `SecureNode` with AES in it. Only names count elsewhere, since a comment often mentions
//! what a library does not have.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::kind::{LARGEST, kind};
use super::words::words;

/// Parts of names that speak of an algorithm.
const ALGORITHMS: [&str; 14] = [
    "aes", "rijndael", "sha", "keccak", "blake", "chacha", "poly1305", "ascon", "speck", "25519",
    "p256", "hmac", "gimli", "salsa",
];

/// The words of files.
pub(super) fn said(files: &[PathBuf]) -> BTreeSet<String> {
    files
        .iter()
        .filter(|path| is_text(path))
        .flat_map(of_file)
        .collect()
}

/// True if a name speaks of an algorithm.
pub fn speaks(name: &str) -> bool {
    let name = name.to_lowercase();
    ALGORITHMS.iter().any(|part| name.contains(part))
}

/// Sources, headers, and what describes the library.
fn is_text(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_lowercase();
    let describes = ["library.properties", "library.json", "keywords.txt"];
    kind(path).is_some() || name.starts_with("readme") || describes.contains(&name.as_str())
}

fn of_file(path: &PathBuf) -> Vec<String> {
    let small = path.metadata().is_ok_and(|data| data.len() <= LARGEST);
    let bytes = if small {
        std::fs::read(path).unwrap_or_default()
    } else {
        Vec::new()
    };
    let text = String::from_utf8_lossy(&bytes);
    let apart = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    text.split(apart).flat_map(words).collect()
}

#[cfg(test)]
mod tests {
    use crate::scan::scan;

    #[test]
    fn comments_count_where_names_say_nothing() {
        let place = tempfile::tempdir().expect("a folder");
        // The folder's name counts, and a random one may speak of an algorithm: `.tmpAEs3Qx`.
        let folder = place.path().join("node");
        std::fs::create_dir(&folder).expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).expect("a file");
        };
        write(
            "node.h",
            "// Seals with AES-128.\nvoid encrypt(unsigned char *block);\n",
        );
        let said = scan(&folder).expect("a library").said;
        assert!(said.contains("aes"), "{said:?}");
        write("sha1.h", "void sha1(unsigned char *block);\n");
        let said = scan(&folder).expect("a library").said;
        assert!(said.is_empty(), "{said:?}");
    }
}
