//! A secret of a channel. It is shown nowhere, and wiped when it is dropped.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// Longest text of a server that is shown or logged.
const SHOWN_MAX: usize = 200;
/// A shorter part of a URL's path is no key.
const PART_MIN: usize = 6;

/// A secret text. Its serialisation, for the private file, is the only one that contains it.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(Zeroizing<String>);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret(Zeroizing::new(text))
    }
}

impl Secret {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Scheme and host of a URL; everything else may be a key.
    pub fn host(&self) -> String {
        let Some((scheme, rest)) = self.0.split_once("://") else {
            return String::new();
        };
        let host = rest.split(['/', '?', '#']).next().unwrap_or("");
        let host = host.rsplit('@').next().unwrap_or("");
        format!("{scheme}://{host}")
    }

    /// A short name that tells two secrets apart and does not reveal them.
    pub fn tag(&self) -> String {
        hex::encode(&Sha256::digest(self.0.as_bytes())[..8])
    }

    /// The texts that must not be shown: the secret, and the parts of a URL after its host.
    fn parts(&self) -> Vec<&str> {
        let whole: &str = &self.0;
        let path = match whole.split_once("://") {
            Some((_, rest)) => rest
                .split_once(['/', '?', '#'])
                .map_or("", |(_, path)| path),
            None => "",
        };
        let pieces = path.split(['/', '?', '#', '&', '=']);
        let pieces = [path].into_iter().chain(pieces);
        [whole]
            .into_iter()
            .filter(|text| !text.is_empty())
            .chain(pieces.filter(|text| text.len() >= PART_MIN))
            .collect()
    }
}

/// Removes secrets from a server's text, because a server may repeat what it was sent. `user` may
/// stand before a secret in the base64 of a login.
pub fn without_secrets(text: &str, secrets: &[&Secret], user: &str) -> String {
    // Control characters go first: one of them within a secret would hide it.
    let mut text: String = text.chars().filter(|c| !c.is_control()).collect();
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        for part in secret.parts() {
            text = text.replace(part, "***");
        }
        let login = Zeroizing::new(format!("\0{user}\0{}", secret.reveal()));
        for plain in [login.as_str(), secret.reveal()] {
            text = text.replace(&STANDARD.encode(plain), "***");
        }
    }
    text.chars().take(SHOWN_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_shown_nowhere() {
        let secret =
            Secret::from("https://me:pw@hooks.example.org/services/T0/key?x=1".to_string());
        assert_eq!(format!("{secret:?}"), "***");
        assert_eq!(secret.host(), "https://hooks.example.org");
        assert_eq!(Secret::default().host(), "");
        assert_eq!(secret.tag().len(), 16);
        assert_ne!(secret.tag(), Secret::default().tag());
    }

    #[test]
    fn a_repeated_secret_is_removed_in_each_of_its_forms() {
        let url = Secret::from("https://hooks.example.org/services/T0/k-secret?x=1".to_string());
        let key = Secret::from("pa\"ss".to_string());
        let all = [&url, &key];
        for told in [
            "no https://hooks.example.org/services/T0/k-secret?x=1",
            "no /services/T0/k-secret?x=1",
            "no k-secret",
            "no k-se\ncret pa\u{7}\"ss",
            "no cGEic3M= AGRlc2sAcGEic3M=",
        ] {
            let shown = without_secrets(told, &all, "desk");
            assert!(shown.starts_with("no "), "{shown}");
            for secret in ["k-secret", "pa\"ss", "cGEic3M=", "AGRl"] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
        assert_eq!(without_secrets("T0 is fine", &all, "desk"), "T0 is fine");
        assert_eq!(without_secrets(&"x".repeat(999), &all, "").len(), SHOWN_MAX);
    }
}
