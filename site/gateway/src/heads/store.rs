//! The heads that a gateway knows, and the gateway's own key.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::file::check_name;
use super::identity::{Identity, certificate};
use super::json::{self, wrote};
use crate::error::{Error, Result};
use crate::state::{StateDir, create_private, private_file, replace_private};

/// Maximum heads of a gateway.
pub const HEADS_MAX: usize = 1000;

/// A head that a gateway knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The number that peers are named by. It stays.
    pub number: u16,
    pub certificate: String,
    /// What its first bytes have: random, and only the head and this gateway have it. It keeps a place
    /// during the handshake; the certificate proves the rest.
    pub knock: String,
    /// RFC 3339.
    pub added: String,
}

/// What [`Store::all`] found.
#[derive(Debug, Default)]
pub struct All {
    pub heads: Vec<(String, Head)>,
    /// Files that cannot be read as a head.
    pub damaged: Vec<Error>,
}

/// The time of the last change of the heads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Version(SystemTime);

impl Version {
    /// True if a change that comes now gets another time.
    pub(super) fn is_settled(self) -> bool {
        self.0
            .elapsed()
            .is_ok_and(|age| age > Duration::from_secs(2))
    }
}

/// The heads of a gateway: a folder in the state directory with a file for each.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    identity: PathBuf,
}

impl Store {
    pub fn new(state: &StateDir) -> Store {
        Store {
            folder: state.path().join("heads"),
            identity: state.path().join("heads-key"),
        }
    }

    /// The gateway's own key, which is drawn when it is first needed.
    pub fn identity(&self) -> Result<Identity> {
        if self.identity.symlink_metadata().is_err() {
            let text = json::text(&Identity::new()?).map_err(wrote(&self.identity))?;
            match create_private(&self.identity, &text) {
                // Another process was faster: its key counts.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                written => written.map_err(wrote(&self.identity))?,
            }
        }
        let identity: Identity = json::read(&self.identity)?;
        match identity.parts() {
            Some(_) => Ok(identity),
            None => Err(Error::Invalid(format!(
                "{} is damaged; without it no head of this gateway can connect",
                self.identity.display()
            ))),
        }
    }

    /// All heads with their names, in the order of their numbers.
    pub fn all(&self) -> Result<All> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(All::default()),
            Err(source) => {
                return Err(Error::Read {
                    path: self.folder.clone(),
                    source,
                });
            }
        };
        let mut all = All::default();
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name
                .strip_suffix(".json")
                .filter(|name| check_name(name).is_ok())
            else {
                continue;
            };
            match json::read::<Head>(&entry.path()) {
                Ok(head) if certificate(&head.certificate).is_some() => {
                    all.heads.push((name.to_owned(), head));
                }
                Ok(_) => all.damaged.push(Error::Invalid(format!(
                    "{}: its certificate is damaged; remove the head and add it again",
                    entry.path().display()
                ))),
                Err(error) => all.damaged.push(error),
            }
        }
        all.heads.sort_by_key(|(_, head)| head.number);
        Ok(all)
    }

    /// Changes whenever a head is added or removed.
    pub(super) fn version(&self) -> Option<Version> {
        let changed = fs::metadata(&self.folder).ok()?.modified().ok()?;
        Some(Version(changed))
    }

    /// Adds a head, and returns how the gateway knows it.
    pub fn add(&self, name: &str, certificate: &str, now: &str) -> Result<Head> {
        check_name(name)?;
        let _lock = self.lock()?;
        let heads = self.all()?.heads;
        let path = self.path(name);
        if path.exists() {
            return Err(Error::HeadExists { name: name.into() });
        }
        if let Some((other, _)) = heads
            .iter()
            .find(|(_, head)| head.certificate == certificate)
        {
            return Err(Error::Invalid(format!(
                "the head '{other}' has this key already; every head needs one of its own"
            )));
        }
        if heads.len() >= HEADS_MAX {
            return Err(Error::Invalid(format!(
                "a gateway has at most {HEADS_MAX} heads"
            )));
        }
        let last = heads.last().map_or(0, |(_, head)| head.number);
        let free =
            || (1..=u16::MAX).find(|number| heads.iter().all(|(_, head)| head.number != *number));
        let number = last.checked_add(1).or_else(free).unwrap_or(u16::MAX);
        let head = Head {
            number,
            certificate: certificate.into(),
            knock: random()?,
            added: now.into(),
        };
        json::text(&head)
            .and_then(|text| replace_private(&path, &text))
            .map_err(wrote(&path))?;
        Ok(head)
    }

    /// Removes a head. A running gateway ends its connection within seconds.
    pub fn remove(&self, name: &str) -> Result<()> {
        let unknown = || Error::UnknownHead {
            name: name.chars().filter(|c| !c.is_control()).take(40).collect(),
        };
        check_name(name).map_err(|_| unknown())?;
        let _lock = self.lock()?;
        let path = self.path(name);
        match fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown()),
            Err(error) => Err(wrote(&path)(error)),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.json"))
    }

    /// Only one command changes the heads at a time.
    fn lock(&self) -> Result<fs::File> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.folder)
            .map_err(wrote(&self.folder))?;
        let path = self.folder.join("lock");
        let file = private_file(&path, OpenOptions::new().create(true)).map_err(wrote(&path))?;
        rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
            .map_err(|errno| wrote(&path)(errno.into()))?;
        Ok(file)
    }
}

/// Sixteen random bytes as hexadecimal digits.
fn random() -> Result<String> {
    let drawn =
        selo_link::random_bytes::<16>().map_err(|error| Error::Random(error.to_string()))?;
    Ok(hex::encode(drawn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn store() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::open(&folder.path().join("state")).expect("opens");
        let store = Store::new(&state);
        (folder, store)
    }

    #[test]
    fn a_head_keeps_its_number_and_leaves_when_removed() {
        let (_folder, store) = store();
        assert!(store.all().expect("reads").heads.is_empty());
        let key = || Identity::new().expect("a key").certificate().to_owned();
        let first = key();
        assert_eq!(store.add("north", &first, "now").expect("added").number, 1);
        assert_eq!(store.add("south", &key(), "now").expect("added").number, 2);
        let before = store.version();
        let error = store.add("north", &key(), "now").expect_err("taken");
        assert!(matches!(error, Error::HeadExists { .. }), "{error}");
        let error = store.add("east", &first, "now").expect_err("the same key");
        assert!(
            error.to_string().contains("'north' has this key"),
            "{error}"
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
        store.remove("north").expect("removed");
        assert_ne!(store.version(), before);
        assert!(matches!(
            store.remove("north"),
            Err(Error::UnknownHead { .. })
        ));
        assert!(matches!(
            store.remove("../registry"),
            Err(Error::UnknownHead { .. })
        ));
        assert_eq!(store.add("north", &key(), "now").expect("added").number, 3);
        let All { heads, damaged } = store.all().expect("reads");
        let names: Vec<_> = heads
            .iter()
            .map(|(name, head)| (name.as_str(), head.number))
            .collect();
        assert_eq!(
            (names, damaged.len()),
            (vec![("south", 2), ("north", 3)], 0)
        );
    }

    #[test]
    fn a_damaged_file_is_named_and_the_others_stay() {
        let (_folder, store) = store();
        let key = Identity::new().expect("a key");
        store.add("north", key.certificate(), "now").expect("added");
        for (name, text) in [
            ("cut", "{\"number\":"),
            (
                "base64",
                "{\"number\":7,\"certificate\":\"%\",\"added\":\"\"}",
            ),
            ("empty", ""),
        ] {
            let path = store.path(name);
            fs::write(&path, text).expect("writes");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("chmod");
        }
        fs::write(store.folder.join("Not a head.json"), "").expect("writes");
        let All { heads, damaged } = store.all().expect("reads");
        assert_eq!((heads.len(), damaged.len()), (1, 3), "{damaged:?}");
    }

    #[test]
    fn the_gateway_has_one_key_for_ever_and_nobody_else_reads_it() {
        let (_folder, store) = store();
        let certificates: Vec<String> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| store.identity().expect("a key").certificate().to_owned()))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("ends"))
                .collect()
        });
        assert!(certificates.iter().all(|one| *one == certificates[0]));
        let mode = fs::metadata(&store.identity)
            .expect("there")
            .permissions()
            .mode()
            & 0o777;
        assert_eq!(mode, 0o600);
        fs::set_permissions(&store.identity, fs::Permissions::from_mode(0o640)).expect("chmod");
        let error = store.identity().expect_err("others can read it");
        assert!(
            error.hint().expect("a hint").starts_with("chmod 600"),
            "{error}"
        );
    }
}
