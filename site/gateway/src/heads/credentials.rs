//! Keys and certificates of heads and gateways. Each end knows the other's certificate and accepts
//! no other: there is no authority, and no date that a wrong clock could miss.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, DnType, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::state::{StateDir, private_file};

/// Schema of the file that a head is started with.
pub const SCHEMA: &str = "selo.head/1";

/// The name of every certificate. Nothing depends on it.
pub(super) const NAME: &str = "selo";

/// Maximum bytes of a file that is read.
const FILE_MAX: u64 = 64 << 10;

/// Maximum heads of a gateway, and maximum gateways of a head.
pub const HEADS_MAX: usize = 1000;
pub const GATEWAYS_MAX: usize = 16;

/// A private key with its certificate, in base64.
#[derive(Clone, Serialize, Deserialize)]
pub struct Identity {
    /// PKCS #8.
    key: Zeroizing<String>,
    certificate: String,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Identity")
    }
}

impl Identity {
    /// Draws a key.
    pub fn new() -> Result<Identity> {
        let failed = |error: rcgen::Error| Error::Random(error.to_string());
        let key = KeyPair::generate().map_err(failed)?;
        let mut params = CertificateParams::new(vec![NAME.to_owned()]).map_err(failed)?;
        params.distinguished_name.push(DnType::CommonName, NAME);
        let certificate = params.self_signed(&key).map_err(failed)?;
        let der = Zeroizing::new(key.serialize_der());
        Ok(Identity {
            key: Zeroizing::new(STANDARD.encode(&*der)),
            certificate: STANDARD.encode(certificate.der()),
        })
    }

    /// The certificate in base64.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// For TLS. `None` if a text is not base64.
    pub(super) fn parts(&self) -> Option<(CertificateDer<'static>, PrivateKeyDer<'static>)> {
        let key = STANDARD.decode(&*self.key).ok()?;
        let key = PrivatePkcs8KeyDer::from(key);
        Some((certificate(&self.certificate)?, key.into()))
    }
}

/// A certificate from base64.
pub(super) fn certificate(text: &str) -> Option<CertificateDer<'static>> {
    Some(STANDARD.decode(text).ok()?.into())
}

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
        let file: HeadFile = read(path)?;
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
        write(path, self)
    }
}

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
            // Two commands may come here at the same time: the first one's key stays.
            let new = self.identity.with_extension(format!("new-{}", random()?));
            write(&new, &Identity::new()?)?;
            let linked = fs::hard_link(&new, &self.identity);
            let _ = fs::remove_file(&new);
            match linked {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(wrote(&self.identity)(error));
                }
                _ => {}
            }
        }
        let identity: Identity = read(&self.identity)?;
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
            match read::<Head>(&entry.path()) {
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
        write(&path, &head)?;
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

fn wrote(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Write {
        path: path.clone(),
        source,
    }
}

/// Reads a JSON file that only its owner may read.
fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T> {
    let failed = |source| Error::Read {
        path: path.into(),
        source,
    };
    let file = fs::File::open(path).map_err(failed)?;
    let mode = file.metadata().map_err(failed)?.mode() & 0o777;
    // systemd has set the rights of a credential.
    let credentials = std::env::var_os("CREDENTIALS_DIRECTORY");
    let private = credentials.is_none_or(|folder| !path.starts_with(folder));
    if private && mode & 0o077 != 0 {
        return Err(Error::HeadFileMode {
            path: path.into(),
            mode,
        });
    }
    let mut text = Zeroizing::new(String::new());
    io::Read::read_to_string(&mut io::Read::take(file, FILE_MAX), &mut text).map_err(failed)?;
    serde_json::from_str(&text)
        .map_err(|error| Error::Invalid(format!("{} is damaged: {error}", path.display())))
}

/// Writes a JSON file with mode 0600, in one step.
fn write(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value)
        .map(Zeroizing::new)
        .map_err(|error| wrote(path)(error.into()))?;
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    let _ = fs::remove_file(&new);
    private_file(&new, OpenOptions::new().create_new(true))
        .and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.write_all(b"\n")?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| {
            let _ = fs::remove_file(&new);
            wrote(path)(error)
        })
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
        let mode = fs::metadata(&store.identity).expect("there").mode() & 0o777;
        assert_eq!(mode, 0o600);
        fs::set_permissions(&store.identity, fs::Permissions::from_mode(0o640)).expect("chmod");
        let error = store.identity().expect_err("others can read it");
        assert!(
            error.hint().expect("a hint").starts_with("chmod 600"),
            "{error}"
        );
    }

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
                knock: random().expect("random bytes"),
            }],
            identity,
        };
        good.write(&path).expect("writes");
        let read = HeadFile::read(&path).expect("reads");
        assert_eq!(
            (read.name, read.gateways),
            (good.name.clone(), good.gateways.clone())
        );
        let mode = fs::metadata(&path).expect("there").mode() & 0o777;
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
