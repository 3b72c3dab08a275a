//! A secret of a channel. It is shown nowhere, and wiped when it is dropped.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

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
    }
}
