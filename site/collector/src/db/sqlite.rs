//! SQLite in write-ahead-log mode: one writer, and readers that do not wait for it [SQLITEWAL].

mod functions;
mod pack;
mod tables;
mod words;
mod write;

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use super::{Database, Packed, Row, Value, one_row, refused};
use crate::error::{Error, Result};

/// Longest time that a statement waits for another process, such as a backup.
const PATIENCE: Duration = Duration::from_secs(5);

/// Maximum statements that are kept.
const STATEMENTS: usize = 256;

pub(super) use words::WORDS;

/// A connection to a SQLite file.
pub struct Sqlite {
    connection: Connection,
    place: String,
    /// The statements that run in the place of those of `sql.rs`.
    own: HashMap<String, Arc<str>>,
    /// A migration has left a long write-ahead log.
    is_long: bool,
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
                functions::add(&connection)?;
                Ok(connection)
            })
            .map_err(|error| meaning(&place, error))?;
        Ok(Sqlite {
            connection,
            place,
            own: HashMap::new(),
            is_long: false,
            lock: None,
        })
    }
}

impl Sqlite {
    /// The statement that runs in the place of this one.
    fn own(&mut self, sql: &str) -> Arc<str> {
        if let Some(own) = self.own.get(sql) {
            return own.clone();
        }
        let own: Arc<str> = WORDS.statement(sql).into();
        // Statements for a number of stations have many forms.
        if self.own.len() >= STATEMENTS {
            self.own.clear();
        }
        self.own.insert(sql.into(), own.clone());
        own
    }

    /// The bytes that the disk has room for. `None` if it does not say so.
    fn free_room(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(self.place.as_str()).ok()?;
        disk.f_bavail.checked_mul(disk.f_frsize)
    }

    /// Runs a one-row statement for each row.
    fn each_row(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<()> {
        let Some(first) = rows.first() else {
            return Ok(());
        };
        let sql = self.own(&one_row(head, tail, first.len()));
        let run = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare_cached(&sql)?;
            rows.iter().try_for_each(|row| {
                statement.execute(params_from_iter(row))?;
                Ok(())
            })
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
        let sql = self.own(sql);
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.execute(params_from_iter(parameters)))
            .map(|rows| rows as u64)
            .map_err(|error| meaning(&self.place, error))
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>> {
        let sql = self.own(sql);
        let answer = || -> rusqlite::Result<Vec<Row>> {
            let mut statement = self.connection.prepare_cached(&sql)?;
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
        self.each_row(head, tail, rows)
    }

    fn may_defer(&self) -> bool {
        true
    }

    fn keeps_apart(&self) -> bool {
        true
    }

    fn put_packed(&mut self, rows: &[Packed<'_>]) -> Result<()> {
        let is_fresh = rows.first().is_some_and(|row| row.apart);
        let table = if is_fresh {
            "fresh_reading"
        } else {
            "packed_reading"
        };
        let done = write::put(&self.connection, table, rows);
        done.map_err(|error| meaning(&self.place, error))
    }

    fn gather(&mut self) -> Result<()> {
        self.script(&tables::merge())
    }

    fn pack(&mut self) -> Result<()> {
        self.is_long = true;
        let free = self.free_room();
        pack::pack(self, free)
    }

    fn span(&self) -> i64 {
        WORDS.long
    }

    fn take_time(&mut self, long: bool) {
        if !long && std::mem::take(&mut self.is_long) {
            // It is only shorter, or not: what is in the log is stored all the same.
            let _ = self.query("PRAGMA wal_checkpoint(TRUNCATE)", &[]);
        }
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
            .replace("RENAME_SPANS", "")
    }
}
