//! The addresses of a published site. An address depends on the names in a row alone, never on
//! the other rows, so it stays the same from run to run.
//!
//! A name keeps its small letters, digits, hyphens and inner points; a slash becomes `_`. A name
//! with any other character, or a long one, ends with eight hexadecimal digits made of the name,
//! so that two names do not share an address.

use crate::gate::Key;

/// The longest slug of a name, which leaves room for a path on every file system.
const LONGEST: usize = 60;

/// A name as a part of a path.
pub fn slug(name: &str) -> String {
    let kept = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    let ends = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let plain = name.len() <= LONGEST
        && name.starts_with(ends)
        && name.ends_with(ends)
        && name.chars().all(|c| kept(c) || c == '/');
    if plain {
        return name.replace('/', "_");
    }
    let words = crate::document::slug(name);
    let words = words.get(..LONGEST).unwrap_or(&words);
    format!("{}-{:08x}", words.trim_matches('-'), mark(name))
        .trim_start_matches('-')
        .to_owned()
}

/// The FNV-1a hash of a name. It need not resist an attacker: of two rows with the same address
/// the later one counts.
fn mark(name: &str) -> u32 {
    let step = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    name.bytes().fold(0x811c_9dc5, step)
}

/// A page of figures: board, library, algorithm, variant, as slugs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Unit {
    pub board: String,
    pub library: String,
    pub algorithm: String,
    /// The variant, and the point of a sweep after `..`.
    pub variant: String,
}

impl Unit {
    pub fn of(row: &Key) -> Unit {
        let variant = slug(&row.variant);
        Unit {
            board: slug(&row.board),
            library: slug(&row.library),
            algorithm: slug(&row.algorithm),
            variant: match &row.sweep {
                Some(point) => format!("{variant}..{}", slug(point)),
                None => variant,
            },
        }
    }

    /// The folder of the library's algorithm on the board.
    pub fn choice(&self) -> String {
        format!("figures/{}/{}/{}", self.board, self.library, self.algorithm)
    }

    /// The page that has the variants side by side.
    pub fn choice_page(&self) -> String {
        format!("{}/index.html", self.choice())
    }

    /// The folder of the page.
    pub fn folder(&self) -> String {
        format!("{}/{}", self.choice(), self.variant)
    }

    /// The page.
    pub fn page(&self) -> String {
        format!("{}/index.html", self.folder())
    }
}

/// The anchor of a figure on its page: operation, size of the message, metric.
pub fn anchor(row: &Key) -> String {
    let operation = slug(&row.operation);
    let metric = row.metric.name();
    match row.bytes {
        Some(bytes) => format!("{operation}-{bytes}-{metric}"),
        None => format!("{operation}-{metric}"),
    }
}

/// The address of a figure in a view.
pub fn figure(key: &Key) -> String {
    format!("{}#{}", Unit::of(key).page(), anchor(key))
}

/// The page of a board, a library or an algorithm.
pub fn list(kind: &str, slug: &str) -> String {
    format!("{kind}/{slug}/index.html")
}

/// The way from a page to the folder that its path starts from: `../../`.
pub fn up(page: &str) -> String {
    "../".repeat(page.matches('/').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_readable_and_differ() {
        assert_eq!(slug("aes-128"), "aes-128");
        assert_eq!(slug("speck128/128"), "speck128_128");
        assert_eq!(slug("pqm4-ml-kem-512-m4fspeed"), "pqm4-ml-kem-512-m4fspeed");
        let odd = [
            "clang -O2",
            "clang -o2",
            "clang_-O2",
            "",
            "-",
            "é",
            "ü",
            "AES",
        ];
        let slugs: std::collections::BTreeSet<String> = odd.iter().map(|name| slug(name)).collect();
        assert_eq!(slugs.len(), odd.len(), "{slugs:?}");
        assert!(slug("clang -O2").starts_with("clang-o2-"));
    }

    #[test]
    fn no_name_leaves_its_folder() {
        let long = "x".repeat(10_000);
        for name in [
            "..",
            ".",
            "../../etc/passwd",
            "a/../b",
            "/etc",
            "a\0b",
            "<b>",
            &long,
            ".git",
        ] {
            let slug = slug(name);
            assert!(slug.len() <= LONGEST + 9, "{slug}");
            assert!(
                !slug.is_empty() && !slug.starts_with('.') && !slug.contains('/'),
                "{slug}"
            );
            assert!(
                slug.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-._".contains(&b)),
                "{slug}"
            );
        }
    }
}
