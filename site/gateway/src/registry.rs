//! The registry: devices and their keys, in SQLite. Commands write it whether or not a gateway
//! runs. A running gateway is notified ([`crate::control`]) and reads the changed rows again.
//!
//! Row numbers are never reused. A device that is paired again, or removed and added again,
//! gets a new row, so that sessions of the old key are not attributed to the new one.
//!
//! The file has mode 0600 and holds the keys in plaintext, because a gateway must restart
//! without an operator. Deleted content is overwritten (`secure_delete`).

use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use selo_link::{DeviceId, DeviceKey, Suite};

use crate::engine::Device;
use crate::error::{Error, Result};
use crate::state::private_file;

/// `PRAGMA application_id`: "Selo".
const APPLICATION: i64 = 0x5365_6c6f;
/// `PRAGMA user_version`.
const VERSION: i64 = 2;

const SCHEMA: &str = "
CREATE TABLE device (
    row          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           INTEGER NOT NULL UNIQUE,
    name         TEXT UNIQUE,
    suite        INTEGER NOT NULL,
    key          BLOB NOT NULL CHECK (length(key) = 32),
    join_counter INTEGER NOT NULL DEFAULT 0, -- the highest accepted
    created      INTEGER NOT NULL,           -- Unix milliseconds, as all times
    revoked      INTEGER,
    last_seen    INTEGER,
    address      TEXT,
    codec        TEXT NOT NULL DEFAULT 'rain-gauge'
) STRICT;
";

/// Migrations from each older version to the next one.
const MIGRATIONS: [&str; VERSION as usize - 1] =
    ["ALTER TABLE device ADD COLUMN codec TEXT NOT NULL DEFAULT 'rain-gauge';"];

/// Codec of devices without an explicit one.
pub const DEFAULT_CODEC: &str = "rain-gauge";

const COLUMNS: &str =
    "row, id, name, suite, key, join_counter, created, revoked, last_seen, address, codec";

/// A device with all its registry data.
#[derive(Debug, Clone)]
pub struct Record {
    /// 0 before it is stored.
    pub row: u32,
    pub id: DeviceId,
    pub name: Option<String>,
    pub suite: Suite,
    pub key: DeviceKey,
    /// The highest join counter accepted.
    pub join_counter: u32,
    /// Unix milliseconds, like all times here.
    pub created: u64,
    pub revoked: Option<u64>,
    /// Updated every few minutes while a gateway runs.
    pub last_seen: Option<u64>,
    pub address: Option<String>,
    /// Name of the payload codec. The registry does not check that it exists; callers do.
    pub codec: String,
}

impl Record {
    /// A new device without a name, created now, with the default codec.
    pub fn new(id: DeviceId, suite: Suite, key: DeviceKey) -> Record {
        Record {
            row: 0,
            id,
            name: None,
            suite,
            key,
            join_counter: 0,
            created: crate::clock::unix_ms(),
            revoked: None,
            last_seen: None,
            address: None,
            codec: DEFAULT_CODEC.into(),
        }
    }

    /// The data that the engine needs.
    pub fn device(&self) -> Device {
        Device {
            row: self.row,
            id: self.id,
            key: self.key.clone(),
            suite: self.suite,
            revoked: self.revoked.is_some(),
            joined: self.join_counter,
        }
    }
}

/// Changes that a running gateway has learnt about a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Learnt {
    pub join_counter: Option<u32>,
    /// Time of last contact, Unix milliseconds, and the peer's address.
    pub seen: Option<(u64, String)>,
}

/// Policy for devices whose id exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Fail with [`Error::DeviceExists`].
    Refuse,
    /// Replace the device. The new one inherits the name unless it has its own.
    Replace,
    /// Keep the existing device.
    Keep,
}

/// Checks a device name: short, printable, and not like an id.
///
/// # Errors
/// [`Error::Invalid`] with the rule that the name breaks.
pub fn check_name(name: &str) -> Result<()> {
    let invalid = |why: &str| {
        Err(Error::Invalid(format!(
            "'{name}' is not a valid name: {why}"
        )))
    };
    if name.is_empty() || name.chars().count() > 64 {
        return invalid("a name has 1 to 64 characters");
    }
    if name.chars().any(char::is_control) || name.trim() != name {
        return invalid("control characters and surrounding spaces are not allowed");
    }
    if name.parse::<DeviceId>().is_ok() {
        return invalid("eight hexadecimal digits are a device id");
    }
    Ok(())
}

/// An open registry.
#[derive(Debug)]
pub struct Registry {
    connection: Connection,
    path: PathBuf,
}

impl Registry {
    /// Opens the file, or creates it. Migrates older versions.
    pub fn open(path: &Path) -> Result<Registry> {
        make(path)?;
        let failed = |source| Error::Registry {
            path: path.into(),
            source,
        };
        let mut connection = Connection::open(path).map_err(failed)?;
        connection
            .busy_timeout(Duration::from_secs(10))
            .map_err(failed)?;
        for (pragma, value) in [
            ("journal_mode", "WAL"),
            ("synchronous", "FULL"),
            ("secure_delete", "ON"),
            ("foreign_keys", "ON"),
        ] {
            connection
                .pragma_update(None, pragma, value)
                .map_err(failed)?;
        }
        let transaction = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(failed)?;
        let pragma = |name: &str| -> rusqlite::Result<i64> {
            transaction.pragma_query_value(None, name, |row| row.get(0))
        };
        let (application, version) = (
            pragma("application_id").map_err(failed)?,
            pragma("user_version").map_err(failed)?,
        );
        match (application, version) {
            (0, 0) => {
                let objects: i64 = transaction
                    .query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))
                    .map_err(failed)?;
                if objects != 0 {
                    return Err(Error::NotARegistry { path: path.into() });
                }
                transaction.execute_batch(SCHEMA).map_err(failed)?;
                transaction
                    .pragma_update(None, "application_id", APPLICATION)
                    .and_then(|()| transaction.pragma_update(None, "user_version", VERSION))
                    .map_err(failed)?;
            }
            (APPLICATION, version @ 1..=VERSION) => {
                for migration in &MIGRATIONS[version as usize - 1..] {
                    transaction.execute_batch(migration).map_err(failed)?;
                }
                transaction
                    .pragma_update(None, "user_version", VERSION)
                    .map_err(failed)?;
            }
            (APPLICATION, found) => {
                return Err(Error::RegistryVersion {
                    path: path.into(),
                    found,
                    known: VERSION,
                });
            }
            _ => return Err(Error::NotARegistry { path: path.into() }),
        }
        transaction.commit().map_err(failed)?;
        Ok(Registry {
            connection,
            path: path.into(),
        })
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> Error + use<> {
        let path = self.path.clone();
        move |source| Error::Registry {
            path: path.clone(),
            source,
        }
    }

    /// Number of devices.
    pub fn count(&self) -> Result<u64> {
        self.connection
            .query_row("SELECT count(*) FROM device", [], |row| row.get(0))
            .map_err(self.failed())
    }

    /// Calls `each` for every device, ordered by id.
    pub fn for_each(&self, mut each: impl FnMut(Record)) -> Result<()> {
        let failed = self.failed();
        let mut statement = self
            .connection
            .prepare(&format!("SELECT {COLUMNS} FROM device ORDER BY id"))
            .map_err(&failed)?;
        let records = statement.query_map([], record).map_err(&failed)?;
        for record in records {
            each(record.map_err(&failed)?);
        }
        Ok(())
    }

    /// All devices, ordered by id.
    pub fn all(&self) -> Result<Vec<Record>> {
        let mut records = Vec::new();
        self.for_each(|record| records.push(record))?;
        Ok(records)
    }

    /// The device with this id, if there is one.
    pub fn get(&self, id: DeviceId) -> Result<Option<Record>> {
        self.connection
            .prepare_cached(&format!("SELECT {COLUMNS} FROM device WHERE id = ?1"))
            .and_then(|mut statement| statement.query_row([id.0], record).optional())
            .map_err(self.failed())
    }

    /// The device with this id or name.
    pub fn find(&self, what: &str) -> Result<Record> {
        let found = match what.parse::<DeviceId>() {
            Ok(id) => self.get(id)?,
            Err(_) => self
                .connection
                .query_row(
                    &format!("SELECT {COLUMNS} FROM device WHERE name = ?1"),
                    [what],
                    record,
                )
                .optional()
                .map_err(self.failed())?,
        };
        found.ok_or_else(|| Error::UnknownDevice { what: what.into() })
    }

    /// Adds a device and returns it with its row number.
    pub fn add(&mut self, record: &Record, existing: Existing) -> Result<Record> {
        let mut added = self.add_all(std::slice::from_ref(record), existing)?;
        added.pop().ok_or_else(|| Error::DeviceExists {
            id: record.id.to_string(),
        })
    }

    /// Adds all devices, or none on an error. Returns those that were added.
    pub fn add_all(&mut self, records: &[Record], existing: Existing) -> Result<Vec<Record>> {
        let failed = self.failed();
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&failed)?;
        let mut added = Vec::with_capacity(records.len());
        for record in records {
            if let Some(name) = &record.name {
                check_name(name)?;
            }
            let mut record = record.clone();
            let old: Option<(u32, Option<String>)> = transaction
                .query_row(
                    "SELECT row, name FROM device WHERE id = ?1",
                    [record.id.0],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()
                .map_err(&failed)?;
            match (old, existing) {
                (None, _) => {}
                (Some(_), Existing::Keep) => continue,
                (Some(_), Existing::Refuse) => {
                    return Err(Error::DeviceExists {
                        id: record.id.to_string(),
                    });
                }
                (Some((row, name)), Existing::Replace) => {
                    transaction
                        .execute("DELETE FROM device WHERE row = ?1", [row])
                        .map_err(&failed)?;
                    record.name = record.name.or(name);
                }
            }
            name_is_free(&transaction, record.name.as_deref(), record.id, &failed)?;
            record.row = insert(&transaction, &record).map_err(&failed)?;
            added.push(record);
        }
        transaction.commit().map_err(&failed)?;
        Ok(added)
    }

    /// Revokes a device, so that its joins are refused. Returns false if it was already
    /// revoked.
    pub fn revoke(&mut self, id: DeviceId) -> Result<bool> {
        let changed = self
            .connection
            .execute(
                "UPDATE device SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL",
                params![id.0, crate::clock::unix_ms() as i64],
            )
            .map_err(self.failed())?;
        Ok(changed > 0)
    }

    /// Removes a device and its key. Returns false if there was none.
    pub fn remove(&mut self, id: DeviceId) -> Result<bool> {
        let failed = self.failed();
        let changed = self
            .connection
            .execute("DELETE FROM device WHERE id = ?1", [id.0])
            .map_err(&failed)?;
        // The write-ahead log still holds the key until it is checkpointed and truncated.
        self.connection
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(&failed)?;
        Ok(changed > 0)
    }

    /// Changes or removes the name of a device.
    pub fn rename(&mut self, id: DeviceId, name: Option<&str>) -> Result<()> {
        if let Some(name) = name {
            check_name(name)?;
        }
        let failed = self.failed();
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&failed)?;
        name_is_free(&transaction, name, id, &failed)?;
        transaction
            .execute(
                "UPDATE device SET name = ?2 WHERE id = ?1",
                params![id.0, name],
            )
            .map_err(&failed)?;
        transaction.commit().map_err(&failed)
    }

    /// Sets the payload codec of a device.
    pub fn set_codec(&mut self, id: DeviceId, codec: &str) -> Result<()> {
        self.connection
            .execute(
                "UPDATE device SET codec = ?2 WHERE id = ?1",
                params![id.0, codec],
            )
            .map(|_| ())
            .map_err(self.failed())
    }

    /// A number that changes when another connection has changed the registry.
    pub fn version(&self) -> Result<i64> {
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(self.failed())
    }

    /// Stores what the gateway has learnt, by row. Join counters never decrease.
    pub fn learn<'a>(
        &mut self,
        learnt: impl IntoIterator<Item = (&'a u32, &'a Learnt)>,
    ) -> Result<()> {
        let failed = self.failed();
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&failed)?;
        {
            let mut statement = transaction
                .prepare_cached(
                    "UPDATE device SET join_counter = max(join_counter, coalesce(?2, 0)),
                     last_seen = coalesce(?3, last_seen), address = coalesce(?4, address)
                     WHERE row = ?1",
                )
                .map_err(&failed)?;
            for (row, learnt) in learnt {
                let (seen, address) = learnt.seen.as_ref().map_or((None, None), |(at, where_)| {
                    (Some(*at as i64), Some(where_.as_str()))
                });
                statement
                    .execute(params![row, learnt.join_counter, seen, address])
                    .map_err(&failed)?;
            }
        }
        transaction.commit().map_err(&failed)
    }
}

/// Creates the file with mode 0600; SQLite copies the mode to its other files. An existing file
/// is not opened, because closing it would release the locks of all other connections of this
/// process (POSIX locks belong to process and file). Another process would then consider the
/// write-ahead log orphaned and remove it.
fn make(path: &Path) -> Result<()> {
    if std::fs::symlink_metadata(path).is_ok() {
        return Ok(());
    }
    match private_file(path, OpenOptions::new().create_new(true)) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(Error::Write {
            path: path.into(),
            source,
        }),
    }
}

/// Inserts a device and returns its row number.
fn insert(connection: &Connection, record: &Record) -> rusqlite::Result<u32> {
    let row = connection
        .prepare_cached(
            "INSERT INTO device (id, name, suite, key, join_counter, created, revoked,
             last_seen, address, codec)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .insert(params![
            record.id.0,
            record.name,
            record.suite.code(),
            record.key.expose(),
            record.join_counter,
            record.created as i64,
            record.revoked.map(|ms| ms as i64),
            record.last_seen.map(|ms| ms as i64),
            record.address,
            record.codec,
        ])?;
    Ok(row as u32)
}

fn name_is_free(
    connection: &Connection,
    name: Option<&str>,
    id: DeviceId,
    failed: impl Fn(rusqlite::Error) -> Error,
) -> Result<()> {
    let Some(name) = name else {
        return Ok(());
    };
    let other: Option<u32> = connection
        .query_row(
            "SELECT id FROM device WHERE name = ?1 AND id <> ?2",
            params![name, id.0],
            |row| row.get(0),
        )
        .optional()
        .map_err(failed)?;
    match other {
        None => Ok(()),
        Some(other) => Err(Error::NameTaken {
            name: name.into(),
            id: DeviceId(other).to_string(),
        }),
    }
}

fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let code: u8 = row.get(3)?;
    let suite = Suite::from_code(code)
        .ok_or(rusqlite::Error::IntegralValueOutOfRange(3, i64::from(code)))?;
    let time = |column| -> rusqlite::Result<Option<u64>> {
        let ms: Option<i64> = row.get(column)?;
        Ok(ms.and_then(|ms| u64::try_from(ms).ok()))
    };
    Ok(Record {
        row: row.get(0)?,
        id: DeviceId(row.get(1)?),
        name: row.get(2)?,
        suite,
        key: DeviceKey::new(row.get(4)?),
        join_counter: row.get(5)?,
        created: time(6)?.unwrap_or(0),
        revoked: time(7)?,
        last_seen: time(8)?,
        address: row.get(9)?,
        codec: row.get(10)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn registry() -> (tempfile::TempDir, Registry) {
        let folder = tempfile::tempdir().expect("a folder");
        let registry = Registry::open(&folder.path().join("registry.db")).expect("opens");
        (folder, registry)
    }

    fn device(id: u32, name: Option<&str>) -> Record {
        Record {
            name: name.map(str::to_owned),
            ..Record::new(DeviceId(id), Suite::Ascon, DeviceKey::new([id as u8; 32]))
        }
    }

    #[test]
    fn a_device_comes_back_as_it_was() {
        let (folder, mut registry) = registry();
        let device = Record {
            join_counter: u32::MAX,
            revoked: Some(5),
            last_seen: Some(6),
            address: Some("192.0.2.1:7".into()),
            ..device(u32::MAX, Some("a name, \"quoted\""))
        };
        let added = registry.add(&device, Existing::Refuse).expect("adds");
        drop(registry);
        let registry = Registry::open(&folder.path().join("registry.db")).expect("opens");
        for what in ["ffffffff", "a name, \"quoted\""] {
            let found = registry.find(what).expect("found");
            assert_eq!(format!("{found:?}"), format!("{added:?}"));
            assert_eq!(found.key.expose(), device.key.expose());
        }
    }

    #[test]
    fn no_file_of_it_is_open_to_others() {
        let (folder, mut registry) = registry();
        registry
            .add(&device(1, None), Existing::Refuse)
            .expect("adds");
        let mut files = 0;
        for entry in std::fs::read_dir(folder.path()).expect("a folder") {
            let path = entry.expect("an entry").path();
            let mode = std::fs::metadata(&path)
                .expect("there")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{}", path.display());
            files += 1;
        }
        assert!(files >= 2, "the write-ahead log is not there");
    }

    #[test]
    fn a_device_that_is_there_is_refused_kept_or_replaced() {
        let (_folder, mut registry) = registry();
        let first = registry
            .add(&device(1, Some("one")), Existing::Refuse)
            .expect("adds");
        let error = registry
            .add(&device(1, None), Existing::Refuse)
            .expect_err("refused");
        assert!(matches!(error, Error::DeviceExists { .. }));
        let kept = registry
            .add_all(&[device(1, None), device(2, None)], Existing::Keep)
            .expect("adds");
        assert_eq!(kept.len(), 1);
        assert_eq!(registry.find("one").expect("found").row, first.row);
        let replaced = registry
            .add(&device(1, None), Existing::Replace)
            .expect("adds");
        assert!(replaced.row > first.row);
        assert_eq!(replaced.name.as_deref(), Some("one"));
        assert_eq!(registry.count().expect("counts"), 2);
    }

    #[test]
    fn all_or_none() {
        let (_folder, mut registry) = registry();
        registry
            .add(&device(3, None), Existing::Refuse)
            .expect("adds");
        let devices = [device(1, None), device(2, Some("x")), device(3, None)];
        registry
            .add_all(&devices, Existing::Refuse)
            .expect_err("refused");
        assert_eq!(registry.count().expect("counts"), 1);
    }

    #[test]
    fn a_row_number_is_never_given_twice() {
        let (_folder, mut registry) = registry();
        let first = registry
            .add(&device(1, None), Existing::Refuse)
            .expect("adds");
        assert!(registry.remove(DeviceId(1)).expect("removes"));
        assert!(!registry.remove(DeviceId(1)).expect("removes"));
        let second = registry
            .add(&device(1, None), Existing::Refuse)
            .expect("adds");
        assert!(second.row > first.row);
    }

    #[test]
    fn a_removed_key_is_not_in_the_files() {
        let (folder, mut registry) = registry();
        let key = [0xa7; 32];
        let device = Record::new(DeviceId(1), Suite::Ascon, DeviceKey::new(key));
        registry.add(&device, Existing::Refuse).expect("adds");
        let found = |folder: &Path| {
            std::fs::read_dir(folder).expect("a folder").any(|entry| {
                let bytes = std::fs::read(entry.expect("an entry").path()).expect("reads");
                bytes.windows(32).any(|window| window == key)
            })
        };
        assert!(found(folder.path()));
        registry.remove(DeviceId(1)).expect("removes");
        assert!(!found(folder.path()));
    }

    #[test]
    fn names_are_unique_and_fit_to_print() {
        let (_folder, mut registry) = registry();
        for name in ["", " x", "a\nb", "3f9a01c2", &"x".repeat(65), "\u{1b}[31m"] {
            let error = registry
                .add(&device(1, Some(name)), Existing::Refuse)
                .expect_err("refused");
            assert!(matches!(error, Error::Invalid(_)), "{name:?}");
        }
        registry
            .add(&device(1, Some("x")), Existing::Refuse)
            .expect("adds");
        registry
            .add(&device(2, Some("y")), Existing::Refuse)
            .expect("adds");
        let error = registry
            .rename(DeviceId(2), Some("x"))
            .expect_err("refused");
        assert!(matches!(error, Error::NameTaken { .. }));
        registry.rename(DeviceId(1), None).expect("renames");
        registry.rename(DeviceId(2), Some("x")).expect("renames");
        assert_eq!(registry.find("x").expect("found").id, DeviceId(2));
        assert!(registry.find("y").is_err());
    }

    #[test]
    fn join_counters_never_fall() {
        let (_folder, mut registry) = registry();
        let added = registry
            .add(&device(1, None), Existing::Refuse)
            .expect("adds");
        let learn = |registry: &mut Registry, join_counter, seen| {
            let learnt = Learnt { join_counter, seen };
            registry.learn([(&added.row, &learnt)]).expect("learns");
        };
        learn(&mut registry, Some(7), None);
        learn(&mut registry, Some(3), Some((9, "here".into())));
        learn(&mut registry, None, None);
        let found = registry.find("00000001").expect("found");
        assert_eq!(found.join_counter, 7);
        assert_eq!(
            (found.last_seen, found.address.as_deref()),
            (Some(9), Some("here"))
        );
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("registry.db");
        std::fs::write(&path, "this is no database, and longer than a header").expect("writes");
        assert!(matches!(Registry::open(&path), Err(Error::Registry { .. })));
        std::fs::remove_file(&path).expect("removes");
        Connection::open(&path)
            .and_then(|other| other.execute_batch("CREATE TABLE t (x);"))
            .expect("makes");
        assert!(matches!(
            Registry::open(&path),
            Err(Error::NotARegistry { .. })
        ));
        std::fs::remove_file(&path).expect("removes");
        drop(Registry::open(&path).expect("opens"));
        Connection::open(&path)
            .and_then(|newer| newer.pragma_update(None, "user_version", VERSION + 1))
            .expect("writes");
        let error = Registry::open(&path).expect_err("refused");
        assert!(matches!(error, Error::RegistryVersion { found: 3, .. }));
    }

    /// A file as written by version 1.
    const VERSION_1: &str = "
        CREATE TABLE device (
            row          INTEGER PRIMARY KEY AUTOINCREMENT,
            id           INTEGER NOT NULL UNIQUE,
            name         TEXT UNIQUE,
            suite        INTEGER NOT NULL,
            key          BLOB NOT NULL CHECK (length(key) = 32),
            join_counter INTEGER NOT NULL DEFAULT 0,
            created      INTEGER NOT NULL,
            revoked      INTEGER,
            last_seen    INTEGER,
            address      TEXT
        ) STRICT;
        INSERT INTO device VALUES (7, 1, 'garden', 1, zeroblob(32), 42, 5, NULL, 6, '192.0.2.1:7');
        PRAGMA application_id = 1399155823;
        PRAGMA user_version = 1;";

    #[test]
    fn a_registry_of_version_1_becomes_one_of_today() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("registry.db");
        Connection::open(&path)
            .and_then(|old| old.execute_batch(VERSION_1))
            .expect("makes");
        for _ in 0..2 {
            let mut registry = Registry::open(&path).expect("opens");
            let found = registry.find("garden").expect("found");
            assert_eq!((found.row, found.join_counter), (7, 42));
            assert_eq!(found.address.as_deref(), Some("192.0.2.1:7"));
            assert_eq!(found.codec, DEFAULT_CODEC);
            registry.set_codec(found.id, "raw").expect("sets");
            assert_eq!(registry.find("garden").expect("found").codec, "raw");
            registry.set_codec(found.id, DEFAULT_CODEC).expect("sets");
        }
        let added = Registry::open(&path)
            .and_then(|mut registry| registry.add(&device(2, None), Existing::Refuse))
            .expect("adds");
        assert_eq!(added.row, 8);
    }

    #[test]
    fn a_change_by_another_connection_is_seen() {
        let (folder, registry) = registry();
        let mut other = Registry::open(&folder.path().join("registry.db")).expect("opens");
        let before = registry.version().expect("reads");
        assert_eq!(registry.version().expect("reads"), before);
        other.add(&device(1, None), Existing::Refuse).expect("adds");
        assert_ne!(registry.version().expect("reads"), before);
    }
}
