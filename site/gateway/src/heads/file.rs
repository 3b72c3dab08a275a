//! The file that a head is started with.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::identity::{Identity, certificate};
use super::json::{self, wrote};
use crate::error::{Error, Result};
use crate::state::replace_private;

/// Schema of the file.
pub const SCHEMA: &str = "selo.head/1";

/// Maximum gateways of a head.
pub const GATEWAYS_MAX: usize = 16;

/// A gateway, as the file of a head names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// HOST:PORT of the gateway's `--heads`.
    pub address: String,
    pub certificate: String,
    /// What the head knocks with there.
    pub knock: String,
}

/// The file that a head is started with. It holds the head's key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct HeadFile {
    pub schema: String,
    pub name: String,
    #[serde(flatten)]
    pub identity: Identity,
    pub gateways: Vec<Place>,
}

impl HeadFile {
    /// Reads a file, which only its owner may read.
    pub fn read(path: &Path) -> Result<HeadFile> {
        let file: HeadFile = json::read(path)?;
        let wrong = |why: &str| Error::Invalid(format!("{}: {why}", path.display()));
        if file.schema != SCHEMA {
            return Err(wrong(&format!(
                "its schema is '{}', and this program reads {SCHEMA}",
                file.schema.chars().take(40).collect::<String>()
            )));
        }
        check_name(&file.name)?;
        if file.gateways.is_empty() || file.gateways.len() > GATEWAYS_MAX {
            return Err(wrong(&format!(
                "it names no gateway, or more than {GATEWAYS_MAX}"
            )));
        }
        let whole = file.identity.parts().is_some()
            && file
                .gateways
                .iter()
                .all(|place| certificate(&place.certificate).is_some());
        match whole {
            true => Ok(file),
            false => Err(wrong("a key or certificate in it is damaged")),
        }
    }

    /// Writes the file with mode 0600, in one step.
    pub fn write(&self, path: &Path) -> Result<()> {
        json::text(self)
            .and_then(|text| replace_private(path, &text))
            .map_err(wrote(path))
    }
}

/// Checks the name of a head, which is also the name of a file.
pub fn check_name(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match name.chars().all(plain) && (1..=32).contains(&name.len()) && !name.starts_with('-') {
        true => Ok(()),
        false => Err(Error::Invalid(format!(
            "'{}' is not a name for a head: 1 to 32 letters a-z, digits and hyphens",
            name.chars()
                .filter(|c| !c.is_control())
                .take(40)
                .collect::<String>()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn a_file_of_a_head_is_checked_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("north.head");
        let identity = Identity::new().expect("a key");
        let good = HeadFile {
            schema: SCHEMA.into(),
            name: "north".into(),
            gateways: vec![Place {
                address: "gateway.example:7357".into(),
                certificate: identity.certificate().into(),
                knock: "00".repeat(16),
            }],
            identity,
        };
        good.write(&path).expect("writes");
        let read = HeadFile::read(&path).expect("reads");
        assert_eq!(
            (read.name, read.gateways),
            (good.name.clone(), good.gateways.clone())
        );
        let mode = fs::metadata(&path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        assert!(
            !format!("{good:?}").contains(&*good.identity.key),
            "a log would have the key"
        );
        type Spoil = fn(&mut HeadFile);
        let broken: [(&str, Spoil); 5] = [
            ("schema", |file| file.schema = "selo.head/2".into()),
            ("not a name", |file| file.name = "../north".into()),
            ("no gateway", |file| file.gateways.clear()),
            ("damaged", |file| file.gateways[0].certificate = "?".into()),
            ("damaged", |file| file.identity.certificate = "?".into()),
        ];
        for (why, spoil) in broken {
            let mut file = good.clone();
            spoil(&mut file);
            file.write(&path).expect("writes");
            let error = HeadFile::read(&path).expect_err("refused").to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
