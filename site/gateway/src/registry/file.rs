//! The file of the registry: its schema, and the migration of older versions.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::{Error, Result};
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
    key          BLOB NOT NULL CHECK (length(key) = 32),
    join_counter INTEGER NOT NULL DEFAULT 0, -- the highest accepted
    created      INTEGER NOT NULL,           -- Unix milliseconds, as all times
    revoked      INTEGER,
    last_seen    INTEGER,
    address      TEXT,
    codec        TEXT NOT NULL DEFAULT 'rain-gauge',
    origin       TEXT                        -- of the key; NULL: older than this column
) STRICT;
";

/// Migrations from each older version to the next one.
const MIGRATIONS: [&str; VERSION as usize - 1] = [
    "ALTER TABLE device ADD COLUMN codec TEXT NOT NULL DEFAULT 'rain-gauge';",
    "ALTER TABLE device ADD COLUMN origin TEXT;",
];

/// Opens the file, or creates it. Migrates older versions.
pub(super) fn open(path: &Path) -> Result<Connection> {
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
    migrate(path, &transaction)?;
    transaction.commit().map_err(failed)?;
    Ok(connection)
}

/// Creates the tables in an empty file, or brings an older file to this version.
fn migrate(path: &Path, transaction: &Transaction<'_>) -> Result<()> {
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
