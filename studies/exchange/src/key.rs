//! The pre-shared key.
//!
//! It is stored in a file that only its owner can read; it never appears on a command line or in a
//! log. Ciphers use keys derived from it, a different one for each cipher and direction. A leak
//! through one cipher (CBC without a tag leaks much) therefore reveals nothing about the others.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use zeroize::Zeroizing;

use crate::cipher::Cipher;
use crate::error::{Error, Result};

/// Bytes of a key's name.
pub const ID: usize = 8;

/// Prefix of the only line of a key file.
const PREFIX: &str = "selo-exchange-key-1 ";

/// A pre-shared key of 32 bytes.
pub struct Key(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Key({})", hex::encode(self.id()))
    }
}

/// The end that seals with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sealer {
    Client,
    Server,
}

fn file(path: &Path, why: impl Into<String>, hint: impl Into<String>) -> Error {
    Error::File {
        path: path.to_owned(),
        why: why.into(),
        hint: hint.into(),
    }
}

/// Writes a new file that only its owner can read, even if the folder would allow more.
pub(crate) fn write_secret(path: &Path, bytes: &[u8]) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    Ok(file)
}

impl Key {
    /// Makes a new key.
    pub fn generate() -> Result<Key> {
        let mut raw = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *raw).map_err(Error::Random)?;
        Ok(Key(raw))
    }

    /// Writes the key to a new file of mode 0600. Fails if the file exists.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut text = Zeroizing::new(String::from(PREFIX));
        text.push_str(&Zeroizing::new(hex::encode(&self.0[..])));
        text.push('\n');
        write_secret(path, text.as_bytes())
            .and_then(|file| file.sync_all())
            .map_err(|error| {
                file(
                    path,
                    error.to_string(),
                    "give a new file in a folder that you own",
                )
            })
    }

    /// Reads the key. Fails if others can read the file.
    pub fn read(path: &Path) -> Result<Key> {
        let make = "create a key with: selo exchange key FILE";
        let open = || -> std::io::Result<(u32, Zeroizing<String>)> {
            let opened = File::open(path)?;
            let mode = opened.metadata()?.mode();
            let mut text = Zeroizing::new(String::new());
            opened.take(200).read_to_string(&mut text)?;
            Ok((mode, text))
        };
        let (mode, text) = open().map_err(|error| file(path, error.to_string(), make))?;
        if mode & 0o077 != 0 {
            return Err(file(
                path,
                "other users can read this key",
                format!("chmod 600 {}", path.display()),
            ));
        }
        let mut raw = Zeroizing::new([0; 32]);
        text.trim_end()
            .strip_prefix(PREFIX)
            .and_then(|digits| hex::decode_to_slice(digits, &mut *raw).ok())
            .ok_or_else(|| file(path, "the file is not a key of selo exchange", make))?;
        Ok(Key(raw))
    }

    /// A name by which two ends check that they have the same key.
    pub fn id(&self) -> [u8; ID] {
        let mut id = [0; ID];
        self.derive(&mut id, "id");
        id
    }

    /// The key of a cipher for messages that `sealer` seals.
    pub fn for_cipher(&self, cipher: Cipher, sealer: Sealer) -> Zeroizing<Vec<u8>> {
        let mut key = Zeroizing::new(vec![0; cipher.key_size()]);
        let sealer = match sealer {
            Sealer::Client => "client",
            Sealer::Server => "server",
        };
        self.derive(&mut key, &format!("{} {sealer}", cipher.name()));
        key
    }

    fn derive(&self, out: &mut [u8], label: &str) {
        let info = format!("selo exchange 1 {label}");
        // HKDF gives at most 255 hashes of 32 bytes. At most 32 bytes are requested.
        let derived = selo_sys::hkdf_sha256(out, b"", &*self.0, info.as_bytes());
        assert!(derived.is_ok(), "HKDF gives 8160 bytes");
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_key_comes_back_from_its_file_and_from_no_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let key = Key::generate().expect("randomness");
        key.write(&path).expect("written");
        let mode = std::fs::metadata(&path).expect("there").mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(Key::read(&path).expect("read").0, key.0);
        assert!(key.write(&path).is_err(), "it is not overwritten");
        // The displayed name is not the key.
        let text = std::fs::read_to_string(&path).expect("read");
        let digits = text.trim_end().strip_prefix(PREFIX).expect("its form");
        assert!(!format!("{key:?}").contains(&digits[..8]));

        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).expect("changed");
        let error = Key::read(&path).expect_err("others can read it");
        assert!(error.hint().expect("a hint").contains("chmod 600"));
        for bad in ["", "selo-exchange-key-1 00", "selo-exchange-key-1 zz", "x"] {
            let path = folder.path().join(format!("bad{}", bad.len()));
            std::fs::write(&path, bad).expect("written");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).expect("changed");
            assert!(Key::read(&path).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_cipher_and_direction_has_a_key_of_its_own() {
        let key = Key(Zeroizing::new([7; 32]));
        let mut seen = std::collections::HashSet::new();
        for cipher in Cipher::ALL {
            for sealer in [Sealer::Client, Sealer::Server] {
                assert!(seen.insert(key.for_cipher(cipher, sealer)[..16].to_vec()));
            }
        }
        assert_eq!(seen.len(), 2 * Cipher::ALL.len());
    }
}
