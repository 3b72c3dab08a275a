//! One interface to both databases. The SQL is the same for both (`sql.rs`); what differs
//! is here: types of columns, parameters, and what an error means.

mod postgres;
mod postgres_tls;
mod sqlite;

use std::path::PathBuf;

use crate::error::{Error, Result};

pub use self::postgres::Postgres;
pub use self::sqlite::Sqlite;

/// Which database, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Location {
    /// A file; its directory must exist.
    Sqlite(PathBuf),
    /// A connection string of PostgreSQL: `postgres://user@host/database`, or
    /// `host=/run/postgresql user=selo dbname=selo`.
    Postgres(String),
}

impl Location {
    /// A path is SQLite; what begins with `postgres://` or `postgresql://` is not.
    pub fn parse(text: &str) -> Location {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Location::Postgres(text.into())
        } else {
            Location::Sqlite(text.into())
        }
    }

    /// A connection that may write; `limit` bounds the pages of a SQLite file.
    pub fn open_writer(&self, limit: Option<u64>) -> Result<Box<dyn Database>> {
        Ok(match self {
            Location::Sqlite(path) => Box::new(Sqlite::open_writer(path, limit)?),
            Location::Postgres(url) => Box::new(Postgres::open(url, true)?),
        })
    }

    /// A connection that only reads.
    pub fn open_reader(&self) -> Result<Box<dyn Database>> {
        Ok(match self {
            Location::Sqlite(path) => Box::new(Sqlite::open_reader(path)?),
            Location::Postgres(url) => Box::new(Postgres::open(url, false)?),
        })
    }
}

/// Without the password of a connection string.
impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Location::Sqlite(path) => write!(f, "{}", path.display()),
            Location::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

fn without_password(url: &str) -> String {
    let after_scheme = url.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = url.split_at(after_scheme);
    let rest = match rest.rsplit_once('@') {
        Some((user, host)) => {
            let name = user.split(':').next().unwrap_or("");
            format!("{name}@{host}")
        }
        None => rest.to_string(),
    };
    // Parameters may hold a password too.
    let rest = rest.split('?').next().unwrap_or("");
    format!("{scheme}{rest}")
}

/// What a column holds, or a parameter.
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

/// A row of an answer. A column that is not of the kind asked for reads as if it were
/// absent: the schema says which kinds there are.
#[derive(Debug, Clone, PartialEq)]
pub struct Row(pub Vec<Value>);

impl Row {
    pub fn int(&self, column: usize) -> i64 {
        self.opt_int(column).unwrap_or(0)
    }

    pub fn opt_int(&self, column: usize) -> Option<i64> {
        match self.0.get(column) {
            Some(Value::Int(value)) => Some(*value),
            Some(Value::Real(value)) => Some(*value as i64),
            _ => None,
        }
    }

    pub fn opt_real(&self, column: usize) -> Option<f64> {
        match self.0.get(column) {
            Some(Value::Real(value)) => Some(*value),
            Some(Value::Int(value)) => Some(*value as f64),
            _ => None,
        }
    }

    pub fn real(&self, column: usize) -> f64 {
        self.opt_real(column).unwrap_or(0.0)
    }

    pub fn opt_text(&self, column: usize) -> Option<&str> {
        match self.0.get(column) {
            Some(Value::Text(value)) => Some(value),
            _ => None,
        }
    }

    pub fn text(&self, column: usize) -> &str {
        self.opt_text(column).unwrap_or("")
    }

    pub fn blob(&self, column: usize) -> &[u8] {
        match self.0.get(column) {
            Some(Value::Blob(value)) => value,
            _ => &[],
        }
    }
}

/// A connection. SQL is written with `?1 ?2`, and with the types of `schema.rs`.
pub trait Database: Send + std::fmt::Debug {
    /// How the place is shown, without secrets.
    fn place(&self) -> &str;
    /// Connects anew if the connection is gone.
    fn ready(&mut self) -> Result<()>;
    /// True if [`Database::ready`] would have to connect.
    fn is_gone(&self) -> bool;
    fn execute(&mut self, sql: &str, parameters: &[Value]) -> Result<u64>;
    fn query(&mut self, sql: &str, parameters: &[Value]) -> Result<Vec<Row>>;
    /// Runs `head VALUES (...) tail` for every row.
    fn put_rows(&mut self, head: &str, tail: &str, rows: &[Vec<Value>]) -> Result<()>;
    /// Inserts the rows that are not there yet, whose `key` is their first columns: true
    /// for each that was new. No two of them may have the same key.
    fn insert_new(&mut self, head: &str, key: &[&str], rows: &[Vec<Value>]) -> Result<Vec<bool>>;
    /// Statements without parameters, such as those of a schema.
    fn script(&mut self, sql: &str) -> Result<()>;
    /// Begins a transaction that will write.
    fn begin(&mut self) -> Result<()>;
    fn commit(&mut self) -> Result<()>;
    /// Never fails: a transaction that cannot be taken back is over anyway.
    fn rollback(&mut self);
    /// The database's name of a type of `schema.rs`.
    fn dialect(&self, sql: &str) -> String;
}

/// Runs `work` in a transaction; nothing of it remains if it fails.
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

/// The rows of a multi-row statement: `head VALUES (?1, ?2), (?3, ?4) tail`. Few sizes, so
/// that prepared statements are found again.
fn in_multi_rows(
    rows: &[Vec<Value>],
    head: &str,
    tail: &str,
    mut each: impl FnMut(&str, &[Value]) -> Result<()>,
) -> Result<()> {
    let mut rest = rows;
    let (mut sql, mut of) = (String::new(), 0);
    while let Some(first) = rest.first() {
        let size = match rest.len() {
            128.. => 128,
            16.. => 16,
            _ => 1,
        };
        let (now, later) = rest.split_at(size);
        rest = later;
        if of != size {
            (sql, of) = (multi_row(head, tail, size, first.len()), size);
        }
        let parameters: Vec<Value> = now.iter().flatten().cloned().collect();
        each(&sql, &parameters)?;
    }
    Ok(())
}

fn multi_row(head: &str, tail: &str, rows: usize, columns: usize) -> String {
    use std::fmt::Write;
    let mut sql = String::with_capacity(head.len() + tail.len() + rows * columns * 5);
    sql.push_str(head);
    sql.push_str(" VALUES ");
    for row in 0..rows {
        sql.push_str(if row == 0 { "(" } else { ", (" });
        for column in 0..columns {
            let comma = if column == 0 { "" } else { "," };
            // A string takes every byte.
            let _ = write!(sql, "{comma}?{}", row * columns + column + 1);
        }
        sql.push(')');
    }
    sql.push(' ');
    sql.push_str(tail);
    sql
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

    #[test]
    fn rows_are_numbered_through() {
        assert_eq!(
            multi_row("INSERT INTO t", "ON CONFLICT DO NOTHING", 2, 2),
            "INSERT INTO t VALUES (?1,?2), (?3,?4) ON CONFLICT DO NOTHING"
        );
    }
}
