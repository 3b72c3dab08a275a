//! SQLite in write-ahead-log mode: one writer, and readers that do not wait for it [SQLITEWAL].

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use super::{Database, Row, Value, one_row, refused};
use crate::error::{Error, Result};

/// Longest time that a statement waits for another process, such as a backup.
const PATIENCE: Duration = Duration::from_secs(5);

/// A connection to a SQLite file.
pub struct Sqlite {
    connection: Connection,
    place: String,
    /// Lock file, held by the writer. The writer's in-memory copy is valid only while it is the
    /// only writer.
    lock: Option<File>,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lock = if self.lock.is_some() { ", locked" } else { "" };
        write!(f, "Sqlite({}{lock})", self.place)
    }
}

impl Sqlite {
    /// Opens or creates the file and takes its lock. `limit` bounds the number of pages. Returns
    /// [`Error::Locked`] if another collector has the lock.
    pub fn open_writer(path: &Path, limit: Option<u64>) -> Result<Sqlite> {
        use std::os::unix::fs::OpenOptionsExt;
        let lock = lock(path)?;
        // Create the file before SQLite does, so that no other user can read it. The WAL and
        // shared-memory files inherit its mode.
        let made = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path);
        match made {
            Err(source) if source.kind() != std::io::ErrorKind::AlreadyExists => {
                let path = path.into();
                return Err(Error::Write { path, source });
            }
            _ => {}
        }
        let mut db = Self::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        db.lock = Some(lock);
        // FULL: committed data survives a power failure. In WAL mode this costs one disk sync per
        // transaction.
        db.script(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000",
        )?;
        if let Some(pages) = limit {
            db.script(&format!("PRAGMA max_page_count = {pages}"))?;
        }
        Ok(db)
    }

    /// Copies a consistent snapshot of a database to a new file, even while another process
    /// writes to it.
    pub fn copy(from: &Path, to: &Path) -> Result<()> {
        let mut db = Self::open_reader(from)?;
        let to = to.display().to_string();
        db.execute("VACUUM INTO ?1", &[to.into()])?;
        Ok(())
    }

    /// Opens the file for reading only.
    pub fn open_reader(path: &Path) -> Result<Sqlite> {
        Self::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
    }

    fn open(path: &Path, flags: OpenFlags) -> Result<Sqlite> {
        let place = path.display().to_string();
        let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .and_then(|connection| {
                connection.busy_timeout(PATIENCE)?;
                connection.set_prepared_statement_cache_capacity(128);
                Ok(connection)
            })
            .map_err(|error| meaning(&place, error))?;
        Ok(Sqlite {
            connection,
            place,
            lock: None,
        })
    }
}

impl Sqlite {
    /// Runs a one-row statement for each row. Returns true where it changed a row.
    fn each_row(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<Vec<bool>> {
        let Some(first) = rows.first() else {
            return Ok(Vec::new());
        };
        let sql = one_row(head, tail, first.len());
        let run = || -> rusqlite::Result<Vec<bool>> {
            let mut statement = self.connection.prepare_cached(&sql)?;
            rows.iter()
                .map(|row| Ok(statement.execute(params_from_iter(row))? > 0))
                .collect()
        };
        run().map_err(|error| meaning(&self.place, error))
    }
}

/// Uses a separate lock file: opening the database file outside SQLite would release SQLite's own
/// locks when it is closed.
fn lock(path: &Path) -> Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut name = path.as_os_str().to_owned();
    name.push("-lock");
    let lock = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&name)
        .map_err(|source| Error::Write {
            path: name.clone().into(),
            source,
        })?;
    match rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(lock),
        Err(rustix::io::Errno::WOULDBLOCK) => Err(Error::Locked {
            place: path.display().to_string(),
        }),
        Err(error) => Err(Error::Write {
            path: name.into(),
            source: error.into(),
        }),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(value) => ValueRef::Integer(*value),
            Value::Real(value) => ValueRef::Real(*value),
            Value::Text(value) => ValueRef::Text(value.as_bytes()),
            Value::Blob(value) => ValueRef::Blob(value),
        }))
    }
}

fn value(found: ValueRef<'_>) -> Value {
    match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(value) => Value::Int(value),
        ValueRef::Real(value) => Value::Real(value),
        ValueRef::Text(value) => Value::Text(String::from_utf8_lossy(value).into_owned()),
        ValueRef::Blob(value) => Value::Blob(value.into()),
    }
}

/// Converts a SQLite error to the collector's meaning of it.
fn meaning(place: &str, error: rusqlite::Error) -> Error {
    let (place, reason) = (place.to_string(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Full { place, reason },
        // A full disk also shows as a failed write.
        Some(
            ErrorCode::SystemIoFailure
            | ErrorCode::DatabaseBusy
            | ErrorCode::DatabaseLocked
            | ErrorCode::CannotOpen
            | ErrorCode::ReadOnly
            | ErrorCode::OutOfMemory,
        ) => Error::Unavailable { place, reason },
        _ => Error::Database { place, reason },
    }
}

impl Database for Sqlite {
    fn place(&self) -> &str {
        &self.place
    }

    fn ready(&mut self) -> Result<()> {
        Ok(())
    }

    fn is_gone(&self) -> bool {
        false
    }

    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64> {
        self.connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(params_from_iter(parameters)))
            .map(|rows| rows as u64)
            .map_err(|error| meaning(&self.place, error))
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>> {
        let answer = || -> rusqlite::Result<Vec<Row>> {
            let mut statement = self.connection.prepare_cached(sql)?;
            let columns = statement.column_count();
            let mut rows = statement.query(params_from_iter(parameters))?;
            let mut answer = Vec::new();
            while let Some(row) = rows.next()? {
                let values = (0..columns).map(|column| row.get_ref(column).map(value));
                answer.push(Row(values.collect::<rusqlite::Result<_>>()?));
            }
            Ok(answer)
        };
        answer().map_err(|error| meaning(&self.place, error))
    }

    // Insert row by row. A multi-row statement keeps copies of the changed pages for its own
    // rollback, and one with RETURNING first builds a temporary table.
    fn put_rows(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<()> {
        self.each_row(head, tail, rows).map(drop)
    }

    fn insert_new(&mut self, head: &str, _key: &[&str], rows: &[Vec<Value>]) -> Result<Vec<bool>> {
        self.each_row(head, "ON CONFLICT DO NOTHING", rows)
    }

    fn script(&mut self, sql: &str) -> Result<()> {
        self.connection
            .execute_batch(sql)
            .map_err(|error| meaning(&self.place, error))
    }

    fn begin(&mut self) -> Result<()> {
        if !self.connection.is_autocommit() {
            return Err(refused(&self.place, "a transaction is already open"));
        }
        self.script("BEGIN IMMEDIATE")
    }

    fn commit(&mut self) -> Result<()> {
        self.script("COMMIT")
    }

    fn rollback(&mut self) {
        // After some errors SQLite has already rolled back.
        if !self.connection.is_autocommit() {
            let _ = self.script("ROLLBACK");
        }
    }

    fn dialect(&self, sql: &str) -> String {
        sql.replace("BYTEA", "BLOB")
            .replace("SERIAL_KEY", "INTEGER PRIMARY KEY AUTOINCREMENT")
            .replace("CLUSTERED", "WITHOUT ROWID")
            .replace("PACK_READINGS", "")
    }
}
