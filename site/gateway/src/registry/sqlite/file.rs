//! The file of the registry: its schema, and the migration of older versions.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use selo_link::{DeviceId, DeviceKey, Suite};
use tracing::warn;
use zeroize::Zeroizing;

use crate::error::{Error, Result};
use crate::registry::seal_key;
use crate::site_key::{SiteKey, SiteKeyId};
use crate::state::private_file;

/// `PRAGMA application_id`: "Selo".
const APPLICATION: i64 = 0x5365_6c6f;
/// `PRAGMA user_version`.
pub(super) const VERSION: i64 = 3;

const SCHEMA: &str = "
CREATE TABLE device (
    row          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           INTEGER NOT NULL UNIQUE,
    name         TEXT UNIQUE,
    suite        INTEGER NOT NULL,
    key          BLOB NOT NULL CHECK (length(key) = 32), -- encrypted under the site key
    join_counter INTEGER NOT NULL DEFAULT 0, -- the highest accepted
    created      INTEGER NOT NULL,           -- Unix milliseconds, as all times
    revoked      INTEGER,
    last_seen    INTEGER,
    address      TEXT,
    codec        TEXT NOT NULL DEFAULT 'rain-gauge',
    seal         BLOB NOT NULL DEFAULT x'', -- nonce and tag of the key
    origin       TEXT                       -- of the key; NULL: older than this column
) STRICT;
CREATE TABLE site (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    key_id BLOB NOT NULL -- of the site key that seals the device keys
) STRICT;
";

/// Migrations from each older version to the next one.
const MIGRATIONS: [&str; VERSION as usize - 1] = [
    "ALTER TABLE device ADD COLUMN codec TEXT NOT NULL DEFAULT 'rain-gauge';",
    "ALTER TABLE device ADD COLUMN seal BLOB NOT NULL DEFAULT x'';
     ALTER TABLE device ADD COLUMN origin TEXT;
     CREATE TABLE site (one INTEGER PRIMARY KEY CHECK (one = 1), key_id BLOB NOT NULL) STRICT;",
];
// Versions 1 and 2 had their keys in the clear.

/// A table that is there while the write-ahead log may hold keys in the clear.
const CLEAR_LOG: &str = "clear_keys_in_log";
/// Maximum wait for other programs, and that until the write-ahead log is empty.
const BUSY: Duration = Duration::from_secs(10);
const BUSY_LOG: Duration = Duration::from_secs(3);

/// Opens the file, or creates it. Migrates older versions. Returns the site key too.
pub(super) fn open(path: &Path) -> Result<(Connection, SiteKey)> {
    make(path)?;
    let failed = |source| Error::Registry {
        path: path.into(),
        source,
    };
    let mut connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(BUSY).map_err(failed)?;
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
    let site_key = migrate(path, &transaction)?;
    transaction.commit().map_err(failed)?;
    remove_clear_keys(path, &connection).map_err(failed)?;
    Ok((connection, site_key))
}

/// Empties the write-ahead log if it may hold keys in the clear. If another program prevents it,
/// says so; the next start tries again.
fn remove_clear_keys(path: &Path, connection: &Connection) -> rusqlite::Result<()> {
    if !connection.table_exists(None, CLEAR_LOG)? {
        return Ok(());
    }
    connection.busy_timeout(BUSY_LOG)?;
    let emptied = empty_log(connection)?
        && connection
            .execute_batch(&format!("DROP TABLE {CLEAR_LOG};"))
            .is_ok();
    connection.busy_timeout(BUSY)?;
    if emptied {
        return Ok(());
    }
    warn!(
        file = %path.display(),
        hint = "stop all other programs that have the registry open, and start again",
        "the device keys are sealed now, but the write-ahead log still has them in the clear"
    );
    Ok(())
}

/// Copies the write-ahead log to the database, and empties it. Returns false if another program
/// reads or writes the registry for longer than the busy timeout.
pub(super) fn empty_log(connection: &Connection) -> rusqlite::Result<bool> {
    let busy: i64 =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    Ok(busy == 0)
}

/// Creates the tables in an empty file, or brings an older file to this version. Returns the site
/// key.
fn migrate(path: &Path, transaction: &Transaction<'_>) -> Result<SiteKey> {
    let failed = |source| Error::Registry {
        path: path.into(),
        source,
    };
    let pragma = |name: &str| -> rusqlite::Result<i64> {
        transaction.pragma_query_value(None, name, |row| row.get(0))
    };
    let (application, version) = (
        pragma("application_id").map_err(failed)?,
        pragma("user_version").map_err(failed)?,
    );
    let state = path.parent().unwrap_or(Path::new("."));
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
            let site_key = SiteKey::read_or_create(state)?;
            note_site_key(transaction, site_key.id()).map_err(failed)?;
            Ok(site_key)
        }
        (APPLICATION, VERSION) => known_site_key(path, state, transaction),
        (APPLICATION, version @ 1..VERSION) => {
            for migration in &MIGRATIONS[version as usize - 1..] {
                transaction.execute_batch(migration).map_err(failed)?;
            }
            transaction
                .pragma_update(None, "user_version", VERSION)
                .map_err(failed)?;
            let site_key = SiteKey::read_or_create(state)?;
            note_site_key(transaction, site_key.id()).map_err(failed)?;
            seal_all(path, transaction, &site_key)?;
            transaction
                .execute_batch(&format!("CREATE TABLE {CLEAR_LOG} (one INTEGER) STRICT;"))
                .map_err(failed)?;
            Ok(site_key)
        }
        (APPLICATION, found) => Err(Error::RegistryVersion {
            place: path.display().to_string(),
            found,
            known: VERSION,
        }),
        _ => Err(Error::NotARegistry { path: path.into() }),
    }
}

fn note_site_key(transaction: &Transaction<'_>, id: SiteKeyId) -> rusqlite::Result<()> {
    transaction
        .execute("INSERT INTO site (one, key_id) VALUES (1, ?1)", [id])
        .map(|_| ())
}

/// The site key that sealed the keys of this registry.
fn known_site_key(path: &Path, state: &Path, transaction: &Transaction<'_>) -> Result<SiteKey> {
    let known: SiteKeyId = transaction
        .query_row("SELECT key_id FROM site", [], |row| row.get(0))
        .map_err(|source| Error::Registry {
            path: path.into(),
            source,
        })?;
    SiteKey::of_registry(state, known, &path.display().to_string())
}

/// Seals the keys of a registry that has them in the clear.
fn seal_all(path: &Path, transaction: &Transaction<'_>, site_key: &SiteKey) -> Result<()> {
    let failed = |source| Error::Registry {
        path: path.into(),
        source,
    };
    let rows: Vec<(u32, u32, u8, Zeroizing<[u8; 32]>)> = transaction
        .prepare("SELECT row, id, suite, key FROM device")
        .and_then(|mut statement| {
            let found = statement.query_map([], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    Zeroizing::new(row.get(3)?),
                ))
            })?;
            found.collect()
        })
        .map_err(failed)?;
    let mut update = transaction
        .prepare("UPDATE device SET key = ?2, seal = ?3 WHERE row = ?1")
        .map_err(failed)?;
    for (row, id, suite, key) in rows {
        let suite = Suite::from_code(suite).ok_or_else(|| {
            failed(rusqlite::Error::IntegralValueOutOfRange(
                2,
                i64::from(suite),
            ))
        })?;
        let sealed = seal_key(site_key, DeviceId(id), suite, &DeviceKey::new(*key))?;
        update
            .execute(params![row, sealed.key, sealed.seal])
            .map_err(failed)?;
    }
    Ok(())
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
