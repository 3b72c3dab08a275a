//! SQLite, in its write-ahead log: one writer, and readers that do not wait for it
//! [SQLITEWAL].

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, ToSql, params_from_iter};

use super::{Database, Row, Value, multi_row, refused};
use crate::error::{Error, Result};

/// How long a statement waits for another process, such as a backup.
const PATIENCE: Duration = Duration::from_secs(5);

pub struct Sqlite {
    connection: Connection,
    place: String,
    /// Held as long as it writes: what the writer remembers is true for one writer only.
    lock: Option<File>,
}

impl std::fmt::Debug for Sqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lock = if self.lock.is_some() { ", locked" } else { "" };
        write!(f, "Sqlite({}{lock})", self.place)
    }
}

impl Sqlite {
    pub fn open_writer(path: &Path, limit: Option<u64>) -> Result<Sqlite> {
        use std::os::unix::fs::OpenOptionsExt;
        let lock = lock(path)?;
        // Made before SQLite does, so that nobody else may read it; the log and the
        // shared memory take its mode.
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
        // FULL: what was committed survives a power failure; in the log that is one
        // wait for the disk a transaction.
        db.script(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
             PRAGMA cache_size = -32768; PRAGMA wal_autocheckpoint = 4000",
        )?;
        if let Some(pages) = limit {
            db.script(&format!("PRAGMA max_page_count = {pages}"))?;
        }
        Ok(db)
    }

    /// Copies a whole database as it is at one moment, whoever writes it meanwhile, into a
    /// file that is not there yet.
    pub fn copy(from: &Path, to: &Path) -> Result<()> {
        let mut db = Self::open_reader(from)?;
        let to = to.display().to_string();
        db.execute("VACUUM INTO ?1", &[to.into()])?;
        Ok(())
    }

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
    /// Runs a statement of one row for each: true where it changed something.
    fn each_row(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<Vec<bool>> {
        let Some(first) = rows.first() else {
            return Ok(Vec::new());
        };
        let sql = multi_row(head, tail, 1, first.len());
        let run = || -> rusqlite::Result<Vec<bool>> {
            let mut statement = self.connection.prepare_cached(&sql)?;
            rows.iter()
                .map(|row| Ok(statement.execute(params_from_iter(row))? > 0))
                .collect()
        };
        run().map_err(|error| meaning(&self.place, error))
    }
}

/// A file of its own: to open the database's beside SQLite would lose SQLite's locks.
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

/// What an error of SQLite means for whoever wanted to store something.
fn meaning(place: &str, error: rusqlite::Error) -> Error {
    let (place, reason) = (place.to_string(), error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Error::Full { place, reason },
        // A full disk shows as a failed write, too.
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

    // Row by row: a statement of many rows keeps copies of the pages that it changes, to
    // take itself back, and one that returns rows builds a table of them first.
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
            return Err(refused(&self.place, "a transaction is open already"));
        }
        self.script("BEGIN IMMEDIATE")
    }

    fn commit(&mut self) -> Result<()> {
        self.script("COMMIT")
    }

    fn rollback(&mut self) {
        // After some errors SQLite has rolled back by itself.
        if !self.connection.is_autocommit() {
            let _ = self.script("ROLLBACK");
        }
    }

    fn dialect(&self, sql: &str) -> String {
        sql.replace("BYTEA", "BLOB")
            .replace("SERIAL_KEY", "INTEGER PRIMARY KEY AUTOINCREMENT")
            .replace("CLUSTERED", "WITHOUT ROWID")
    }
}
