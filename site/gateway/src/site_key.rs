//! The site key, under which the registry seals device keys.
//!
//! XChaCha20-Poly1305 with a random nonce of 24 bytes for each sealing. The associated data name
//! the purpose and the device, so that nobody who can write to the database can give the key of
//! one device to another.
//!
//! The key comes from the systemd credential `selo-site-key`, or else from the file `site-key`
//! (mode 0600) in the state directory.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{Tag, XChaCha20Poly1305, XNonce};
use zeroize::{Zeroize, Zeroizing};

use crate::error::{Error, Result};
use crate::state::create_private;

/// Name of the systemd credential.
const CREDENTIAL: &str = "selo-site-key";
/// Nonce of the key's id. A random nonce equals it with probability 2^-192.
const ID_NONCE: [u8; NONCE_BYTES] = [0xff; NONCE_BYTES];
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;

/// Bytes that a seal adds: the nonce and the tag.
pub const SEAL_BYTES: usize = NONCE_BYTES + TAG_BYTES;

/// Identifies a site key without revealing it.
pub type SiteKeyId = [u8; 8];

/// See the [module](self).
#[derive(Clone)]
pub struct SiteKey {
    cipher: XChaCha20Poly1305,
    /// Where it was read, for messages.
    place: PathBuf,
}

impl std::fmt::Debug for SiteKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SiteKey({})", self.place.display())
    }
}

impl SiteKey {
    /// Reads the key. `None` if there is none yet.
    ///
    /// # Errors
    /// If the file is readable by others, or does not hold 64 hexadecimal digits.
    pub fn read(state: &Path) -> Result<Option<SiteKey>> {
        let credential = credential();
        let (place, private) = match &credential {
            // systemd has set the rights of a credential.
            Some(path) => (path.clone(), false),
            None => (file(state), true),
        };
        let read = |source| Error::Read {
            path: place.clone(),
            source,
        };
        let metadata = match std::fs::metadata(&place) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(read(error)),
        };
        if private && metadata.mode() & 0o077 != 0 {
            return Err(Error::SiteKeyMode {
                mode: metadata.mode() & 0o777,
                path: place,
            });
        }
        if metadata.len() > 1024 {
            return Err(Error::SiteKeyFile { path: place });
        }
        let text = Zeroizing::new(std::fs::read(&place).map_err(read)?);
        let mut bytes = Zeroizing::new([0; 32]);
        if hex::decode_to_slice(text.trim_ascii(), &mut bytes[..]).is_err() {
            return Err(Error::SiteKeyFile { path: place });
        }
        Ok(Some(SiteKey::new(&bytes, place)))
    }

    /// Reads the key, or draws one and writes it to the state directory.
    pub fn read_or_create(state: &Path) -> Result<SiteKey> {
        if let Some(key) = SiteKey::read(state)? {
            return Ok(key);
        }
        let bytes = selo_link::random_bytes::<32>().map(Zeroizing::new);
        let bytes = bytes.map_err(|error| Error::Random(error.to_string()))?;
        let place = file(state);
        match write_new(&place, &bytes) {
            // Another process was faster: its key counts.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                SiteKey::read(state)?.ok_or(Error::SiteKeyFile { path: place })
            }
            Err(source) => Err(Error::Write {
                path: place,
                source,
            }),
            Ok(()) => Ok(SiteKey::new(&bytes, place)),
        }
    }

    /// Reads the key that sealed the registry at `registry`.
    ///
    /// # Errors
    /// [`Error::NoSiteKey`] or [`Error::WrongSiteKey`].
    pub fn of_registry(state: &Path, known: SiteKeyId, registry: &str) -> Result<SiteKey> {
        let Some(key) = SiteKey::read(state)? else {
            return Err(Error::NoSiteKey {
                registry: registry.into(),
                path: file(state),
            });
        };
        if key.id() != known {
            return Err(Error::WrongSiteKey {
                registry: registry.into(),
                known: hex::encode(known),
                found: hex::encode(key.id()),
                path: key.place,
            });
        }
        Ok(key)
    }

    fn new(bytes: &[u8; 32], place: PathBuf) -> SiteKey {
        SiteKey {
            cipher: XChaCha20Poly1305::new(bytes.into()),
            place,
        }
    }

    /// A key for tests.
    #[cfg(test)]
    pub(crate) fn for_test(bytes: [u8; 32]) -> SiteKey {
        SiteKey::new(&bytes, "a test".into())
    }

    /// The key's id: the start of the tag of an empty message.
    pub fn id(&self) -> SiteKeyId {
        let (_, tag) = self.encrypt(&ID_NONCE, b"selo site key id", &mut []);
        let [a, b, c, d, e, f, g, h, ..] = tag;
        [a, b, c, d, e, f, g, h]
    }

    /// Encrypts `text` in place, and returns the seal: nonce and tag.
    ///
    /// # Errors
    /// [`Error::Random`] if the system has no random numbers.
    pub fn seal(&self, purpose: &[u8], text: &mut [u8]) -> Result<[u8; SEAL_BYTES]> {
        let nonce = selo_link::random_bytes::<NONCE_BYTES>();
        let nonce = nonce.map_err(|error| Error::Random(error.to_string()))?;
        let (nonce, tag) = self.encrypt(&nonce, purpose, text);
        let mut seal = [0; SEAL_BYTES];
        seal[..NONCE_BYTES].copy_from_slice(&nonce);
        seal[NONCE_BYTES..].copy_from_slice(&tag);
        Ok(seal)
    }

    fn encrypt(
        &self,
        nonce: &[u8; NONCE_BYTES],
        purpose: &[u8],
        text: &mut [u8],
    ) -> ([u8; NONCE_BYTES], [u8; TAG_BYTES]) {
        let sealed =
            self.cipher
                .encrypt_inout_detached(&XNonce::from(*nonce), purpose, text.into());
        // The cipher's limit is 256 GiB.
        let tag = sealed.expect("a short text");
        (*nonce, tag.into())
    }

    /// Decrypts `text` in place. Returns false, and zeroes `text`, if the seal is wrong.
    #[must_use]
    pub fn open(&self, purpose: &[u8], seal: &[u8], text: &mut [u8]) -> bool {
        let Ok(seal) = <&[u8; SEAL_BYTES]>::try_from(seal) else {
            text.zeroize();
            return false;
        };
        let (nonce, tag) = seal.split_at(NONCE_BYTES);
        let nonce = XNonce::try_from(nonce).ok();
        let tag = Tag::try_from(tag).ok();
        let opened = nonce.zip(tag).is_some_and(|(nonce, tag)| {
            self.cipher
                .decrypt_inout_detached(&nonce, purpose, (&mut *text).into(), &tag)
                .is_ok()
        });
        if !opened {
            text.zeroize();
        }
        opened
    }
}

/// File of the key in a state directory.
pub fn file(state: &Path) -> PathBuf {
    state.join("site-key")
}

/// The credential, if systemd has passed this one.
fn credential() -> Option<PathBuf> {
    let folder = std::env::var_os("CREDENTIALS_DIRECTORY")?;
    let path = PathBuf::from(folder).join(CREDENTIAL);
    path.exists().then_some(path)
}

/// The name must survive a power failure before a device key depends on it.
fn write_new(path: &Path, bytes: &[u8; 32]) -> io::Result<()> {
    let mut text = Zeroizing::new([b'\n'; 65]);
    // Two digits for each byte always fit.
    hex::encode_to_slice(bytes, &mut text[..64]).map_err(io::Error::other)?;
    create_private(path, &text[..])
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_seal_opens_only_as_it_was_made() {
        let key = SiteKey::for_test([7; 32]);
        let mut text = *b"thirty-two bytes of a device key";
        let seal = key.seal(b"device 1", &mut text).expect("random numbers");
        assert_ne!(&text, b"thirty-two bytes of a device key");
        let opens = |key: &SiteKey, purpose: &[u8], seal: &[u8], mut text: [u8; 32]| {
            let opened = key.open(purpose, seal, &mut text);
            assert_eq!(opened, &text == b"thirty-two bytes of a device key");
            assert!(opened || text == [0; 32], "a refused text is zeroed");
            opened
        };
        assert!(opens(&key, b"device 1", &seal, text));
        assert!(!opens(&key, b"device 2", &seal, text));
        assert!(!opens(
            &SiteKey::for_test([8; 32]),
            b"device 1",
            &seal,
            text
        ));
        for bit in 0..SEAL_BYTES * 8 {
            let mut wrong = seal;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(!opens(&key, b"device 1", &wrong, text), "bit {bit}");
        }
        assert!(!opens(&key, b"device 1", &seal[1..], text));
        assert!(!opens(&key, b"device 1", &[], text));
    }

    #[test]
    fn equal_texts_have_different_seals() {
        let key = SiteKey::for_test([7; 32]);
        let (mut one, mut two) = ([1; 32], [1; 32]);
        let seals = [
            key.seal(b"d", &mut one).expect("random numbers"),
            key.seal(b"d", &mut two).expect("random numbers"),
        ];
        assert_ne!(seals[0], seals[1]);
        assert_ne!(one, two);
    }

    #[test]
    fn it_is_made_once_private_and_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(SiteKey::read(folder.path()).expect("reads").is_none());
        let made = SiteKey::read_or_create(folder.path()).expect("makes");
        let again = SiteKey::read_or_create(folder.path()).expect("reads");
        assert_eq!(made.id(), again.id());
        let path = file(folder.path());
        let mode = std::fs::metadata(&path).expect("there").mode() & 0o777;
        assert_eq!(mode, 0o600);
        assert_eq!(
            std::fs::read_dir(folder.path()).expect("a folder").count(),
            1
        );
    }

    #[test]
    fn a_file_that_others_may_read_or_that_is_no_key_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = file(folder.path());
        let long = "a".repeat(2000);
        for text in [
            "",
            "12",
            &"x".repeat(64),
            &"a".repeat(63),
            &"a".repeat(66),
            &long,
        ] {
            std::fs::write(&path, text).expect("writes");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("sets");
            let error = SiteKey::read_or_create(folder.path()).expect_err("refused");
            assert!(
                matches!(error, Error::SiteKeyFile { .. }),
                "{text}: {error}"
            );
        }
        std::fs::write(&path, "a".repeat(64)).expect("writes");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("sets");
        let error = SiteKey::read(folder.path()).expect_err("refused");
        assert!(
            matches!(error, Error::SiteKeyMode { mode: 0o640, .. }),
            "{error}"
        );
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.starts_with("chmod 600"))
        );
    }
}
