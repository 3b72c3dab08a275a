//! One interface to both databases. Both run the same SQL (`sql.rs`). This module handles the
//! differences: column types, parameters, and the meaning of errors.

mod own;
mod packed;
mod postgres;
mod sqlite;
mod turn;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use selo_postgres::client::Heard;
use selo_postgres::without_password;

use crate::error::{Error, Result};
use crate::ingest::Pulse;

pub use self::packed::Packed;
pub use self::postgres::{Mode, Postgres};
pub use self::sqlite::Sqlite;

/// The kind of database, and its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A SQLite file. Its directory must exist.
    Sqlite(PathBuf),
    /// A PostgreSQL connection string: `postgres://user@host/database`, or `host=/run/postgresql
    /// user=selo dbname=selo`.
    Postgres(String),
}

impl Location {
    /// Parses a location: a PostgreSQL connection string, or else a path to a SQLite file.
    pub fn parse(text: &str) -> Location {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Location::Postgres(text.into())
        } else {
            Location::Sqlite(text.into())
        }
    }

    /// Opens a connection that may write. `limit` bounds the number of pages of a SQLite file.
    pub fn open_writer(&self, limit: Option<u64>) -> Result<Box<dyn Database>> {
        Ok(match self {
            Location::Sqlite(path) => Box::new(Sqlite::open_writer(path, limit)?),
            Location::Postgres(url) => Box::new(Postgres::open(url, Mode::Writes)?),
        })
    }

    /// Opens a connection that writes in turn with those of other collectors. A SQLite file has one
    /// writer only.
    pub fn open_shared(&self, limit: Option<u64>) -> Result<Box<dyn Database>> {
        match self {
            Location::Sqlite(_) => self.open_writer(limit),
            Location::Postgres(url) => Ok(Box::new(Postgres::open(url, Mode::Shares)?)),
        }
    }

    /// Opens a connection on which collectors agree about who owns what. Its transactions do not
    /// wait for those that write readings. PostgreSQL only: a SQLite file has one writer.
    pub fn open_beside(&self) -> Result<Box<dyn Database>> {
        match self {
            Location::Sqlite(_) => self.open_writer(None),
            Location::Postgres(url) => Ok(Box::new(Postgres::open(url, Mode::Agrees)?)),
        }
    }

    /// Opens a connection that reads and changes few rows, beside those that write readings, and waits
    /// only for a short time.
    pub fn open_brief(&self) -> Result<Box<dyn Database>> {
        match self {
            Location::Sqlite(_) => self.open_writer(None),
            Location::Postgres(url) => Ok(Box::new(Postgres::open(url, Mode::Brief)?)),
        }
    }

    /// Opens a read-only connection.
    pub fn open_reader(&self) -> Result<Box<dyn Database>> {
        Ok(match self {
            Location::Sqlite(path) => Box::new(Sqlite::open_reader(path)?),
            Location::Postgres(url) => Box::new(Postgres::open(url, Mode::Reads)?),
        })
    }
}

/// Omits the password of a connection string.
impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Location::Sqlite(path) => write!(f, "{}", path.display()),
            Location::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

/// The value of a column or a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Int(value)
    }
}

impl From<i32> for Value {
    fn from(value: i32) -> Self {
        Value::Int(value.into())
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Real(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Int(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Text(value.into())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Value::Text(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Value::Blob(value)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

/// A result row. A column of another type than requested reads as absent; the schema defines the
/// types.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<Value>);

impl Row {
    /// An integer; 0 if it is absent.
    pub fn int(&self, column: usize) -> i64 {
        self.opt_int(column).unwrap_or(0)
    }

    /// An integer.
    pub fn opt_int(&self, column: usize) -> Option<i64> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Some(*value),
            Some(Value::Real(value)) => Some(*value as i64),
            _ => None,
        }
    }

    /// A floating-point number. An integer is converted.
    pub fn opt_real(&self, column: usize) -> Option<f64> {
        match self.0.get(column) {
            Some(Value::Real(value)) => Some(*value),
            Some(Value::Int(value)) => Some(*value as f64),
            _ => None,
        }
    }

    /// A floating-point number; 0 if it is absent.
    pub fn real(&self, column: usize) -> f64 {
        self.opt_real(column).unwrap_or(0.0)
    }

    /// A text.
    pub fn opt_text(&self, column: usize) -> Option<&str> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Some(value),
            _ => None,
        }
    }

    /// A text; empty if it is absent.
    pub fn text(&self, column: usize) -> &str {
        self.opt_text(column).unwrap_or("")
    }

    /// A byte string; empty if it is absent.
    pub fn blob(&self, column: usize) -> &[u8] {
        match self.0.get(column) {
            Some(Value::Blob(value)) => value,
            _ => &[],
        }
    }
}

/// A database connection. SQL uses the parameters `?1 ?2` and the types of `schema.rs`.
pub trait Database: Send + std::fmt::Debug {
    /// The location as shown to users, without secrets.
    fn place(&self) -> &str;
    /// Reconnects if the connection is lost.
    fn ready(&mut self) -> Result<()>;
    /// Returns true if [`Database::ready`] would have to reconnect.
    fn is_gone(&self) -> bool;
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64>;
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>>;
    /// Runs a query once for each key: its parameters. Returns the rows of each key, in no certain
    /// order. A database on another machine takes one statement for all keys.
    fn query_each(&mut self, sql: &str, keys: &[Vec<Value>]) -> Result<Vec<Vec<Row>>> {
        keys.iter().map(|key| self.query(sql, key)).collect()
    }
    /// Runs `change WHERE place` for each row of parameters. No two rows may name the same place.
    fn change_each(&mut self, change: &str, place: &str, rows: &[Vec<Value>]) -> Result<()> {
        let sql = format!("{change} WHERE {place}");
        rows.iter().try_for_each(|row| {
            self.execute(&sql, row)?;
            Ok(())
        })
    }
    /// Runs `head VALUES (...) tail` for every row.
    fn put_rows(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<()>;
    /// Returns true if the consequences of readings may be stored in a later transaction, because
    /// nobody else writes.
    fn may_defer(&self) -> bool;
    /// Returns true if readings whose consequences are stored later may be in a table of their own until
    /// [`Database::gather`], and if such readings must be the last ones of their stations.
    fn keeps_apart(&self) -> bool {
        false
    }
    /// Puts the readings that are apart among the others.
    fn gather(&mut self) -> Result<()> {
        Ok(())
    }
    /// Writes packed readings, of which none is stored already. The end of the transaction, or an
    /// earlier statement, may tell that it failed.
    fn put_packed(&mut self, rows: &[Packed<'_>]) -> Result<()>;
    /// Brings readings and roll-ups of earlier versions into the tables of this one, in a transaction.
    /// Only for a database that does it in a way of its own.
    fn pack(&mut self) -> Result<()> {
        Ok(())
    }
    /// Runs statements without parameters, such as those of a schema.
    fn script(&mut self, sql: &str) -> Result<()>;
    /// Begins a transaction for writing.
    fn begin(&mut self) -> Result<()>;
    fn commit(&mut self) -> Result<()>;
    /// Rolls back. Never fails: a transaction that cannot be rolled back has ended anyway.
    fn rollback(&mut self);
    /// Returns true if another collector has written since this was last asked, so that copies of
    /// what the database has are old. To be asked in a transaction.
    fn take_behind(&mut self) -> bool {
        false
    }
    /// Returns true if another collector wants to hear of the changes of this transaction.
    fn is_watched(&self) -> bool {
        false
    }
    /// Sets the name of this collector among those that hear of changes.
    fn call(&mut self, _name: &str) {}
    /// Waits for messages of other collectors, for at most this time, after a `LISTEN`.
    fn hear(&mut self, _limit: Duration) -> Result<Heard> {
        Ok(Heard::default())
    }
    /// Beats with each statement from now on.
    fn tell(&mut self, _pulse: Arc<Pulse>) {}
    /// Statements may take long from now on, as those of a migration do, or no longer.
    fn take_time(&mut self, _long: bool) {}
    /// The length of the spans of a station's readings, in milliseconds.
    fn span(&self) -> i64;
    /// Replaces the types of `schema.rs` by this database's types.
    fn dialect(&self, sql: &str) -> String;
}

/// Runs `work` in a transaction, and rolls it back if it fails.
pub fn transaction<T>(
    db: &mut dyn Database,
    work: impl FnOnce(&mut dyn Database) -> Result<T>,
) -> Result<T> {
    db.begin()?;
    let done = work(db).and_then(|done| db.commit().map(|()| done));
    if done.is_err() {
        db.rollback();
    }
    done
}

/// The statement for one row: `head VALUES (?1,?2) tail`.
fn one_row(head: &str, tail: &str, columns: usize) -> String {
    let places: Vec<String> = (1..=columns).map(|column| format!("?{column}")).collect();
    format!("{head} VALUES ({}) {tail}", places.join(","))
}

fn refused(place: &str, reason: impl ToString) -> Error {
    Error::Database {
        place: place.into(),
        reason: reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        for (url, shown) in [
            (
                "postgres://selo:secret@db:5432/selo",
                "postgres://selo@db:5432/selo",
            ),
            ("postgres://selo:se@cret@db/selo", "postgres://selo@db/selo"),
            (
                "postgres://db/selo?user=a&password=secret",
                "postgres://db/selo",
            ),
        ] {
            assert_eq!(Location::parse(url).to_string(), shown);
        }
        assert_eq!(
            Location::parse("/a/b.db"),
            Location::Sqlite("/a/b.db".into())
        );
    }
}
