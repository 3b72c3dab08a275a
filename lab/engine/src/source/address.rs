//! The addresses and tags of git repositories that a manifest may name.

/// True if the text is an address that `git::fetch` accepts, and not a path.
pub fn is_address(text: &str) -> bool {
    ["https://", "ssh://", "file:///"]
        .iter()
        .any(|scheme| text.starts_with(scheme))
}

/// The reason why the address is refused, if it is.
pub(super) fn address_problem(address: &str) -> Option<String> {
    if !is_address(address) {
        return Some(format!(
            "git = \"{address}\" must begin with https://, ssh:// or file:///"
        ));
    }
    if address.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Some("the address of a git repository has no blanks".to_owned());
    }
    let host = address.split("://").nth(1).unwrap_or_default();
    let user = host.split('/').next().unwrap_or_default().rsplit_once('@');
    let secret = user.is_some_and(|(user, _)| user.contains(':'));
    secret.then(|| "the address of a git repository must not contain a password".to_owned())
}

/// The reason why the tag is refused, if it is.
pub(super) fn tag_problem(tag: &str) -> Option<String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+/".contains(c);
    let good = !tag.is_empty()
        && !tag.starts_with(['-', '.', '/'])
        && !tag.contains("..")
        && tag.chars().all(plain);
    (!good).then(|| format!("'{tag}' is not the name of a tag"))
}

/// The owner and name of a repository, as part of a file name.
pub fn name(address: &str) -> String {
    let path = address.split("://").nth(1).unwrap_or(address);
    let path = path.trim_end_matches('/').trim_end_matches(".git");
    let mut parts: Vec<&str> = path.rsplit('/').filter(|part| !part.is_empty()).collect();
    parts.truncate(2);
    parts.reverse();
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_';
    let name = parts.join("-").replace(|c: char| !plain(c), "-");
    name.trim_start_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses() {
        assert_eq!(name("https://example.org/owner/thing.git"), "owner-thing");
        assert_eq!(name("file:///tmp/a/../b"), "b");
        assert_eq!(address_problem("https://example.org/owner/thing"), None);
        for bad in [
            "http://example.org/a",
            "git://example.org/a",
            "ext::sh -c id",
            "--upload-pack=id",
            "/a/folder",
            "https://me:secret@example.org/a",
            "https://example.org/a b",
        ] {
            assert!(address_problem(bad).is_some(), "{bad}");
        }
        assert_eq!(tag_problem("v1.2/rc-1"), None);
        for bad in ["", "-d", "../x", "a..b", "a b", "a:b"] {
            assert!(tag_problem(bad).is_some(), "{bad}");
        }
    }
}
