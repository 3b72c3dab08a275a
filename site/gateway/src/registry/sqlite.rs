//! The registry as a SQLite file, for one gateway.
//!
//! The file has mode 0600. Deleted content is overwritten (`secure_delete`).

mod file;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use selo_link::{DeviceId, DeviceKey, Suite};

use super::{Existing, Learnt, Origin, Place, Record, Registry, Store, open_key, seal_key};
use crate::error::{Error, Result};
use crate::site_key::SiteKey;

/// The registry of a state directory.
#[derive(Debug, Clone)]
pub struct InState(pub PathBuf);

impl Place for InState {
    fn open(&self) -> Result<Registry> {
        Registry::open(&self.0)
    }
}

const COLUMNS: &str = "row, id, name, suite, key, join_counter, created, revoked, last_seen, address, codec, \
     seal, origin";

/// An open file.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    path: PathBuf,
    site_key: SiteKey,
}

impl Sqlite {
    /// Opens the file, or creates it. Migrates older versions. The site key is in the same
    /// folder, unless it is a credential.
    pub fn open(path: &Path) -> Result<Sqlite> {
        let (connection, site_key) = file::open(path)?;
        Ok(Sqlite {
            connection,
            path: path.into(),
            site_key,
        })
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> Error + use<> {
        let path = self.path.clone();
        move |source| Error::Registry {
            path: path.clone(),
            source,
        }
    }

    /// The device that a query of [`COLUMNS`] finds.
    fn one(&self, sql: &str, parameter: impl rusqlite::ToSql) -> Result<Option<Record>> {
        let found = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.query_row([parameter], stored).optional())
            .map_err(self.failed())?;
        found.map(|stored| stored.open(&self.site_key)).transpose()
    }
}

impl Store for Sqlite {
    fn count(&self) -> Result<u64> {
        self.connection
            .query_row("SELECT count(*) FROM device", [], |row| row.get(0))
            .map_err(self.failed())
    }

    fn for_each(&self, each: &mut dyn FnMut(Result<Record>) -> Result<()>) -> Result<()> {
        let failed = self.failed();
        let mut statement = self
            .connection
            .prepare(&format!("SELECT {COLUMNS} FROM device ORDER BY id"))
            .map_err(&failed)?;
        let rows = statement.query_map([], stored).map_err(&failed)?;
        for row in rows {
            each(row.map_err(&failed)?.open(&self.site_key))?;
        }
        Ok(())
    }

    fn get(&self, id: DeviceId) -> Result<Option<Record>> {
        self.one(&format!("SELECT {COLUMNS} FROM device WHERE id = ?1"), id.0)
    }

    fn named(&self, name: &str) -> Result<Option<Record>> {
        self.one(
            &format!("SELECT {COLUMNS} FROM device WHERE name = ?1"),
            name,
        )
    }

    fn add_all(&mut self, records: &[Record], existing: Existing) -> Result<Vec<Record>> {
        let failed = self.failed();
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&failed)?;
        let mut added = Vec::with_capacity(records.len());
        for record in records {
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
            record.row = insert(&transaction, &record, &self.site_key, &failed)?;
            added.push(record);
        }
        transaction.commit().map_err(&failed)?;
        Ok(added)
    }

    fn revoke(&mut self, id: DeviceId, unix_ms: u64) -> Result<bool> {
        let changed = self
            .connection
            .execute(
                "UPDATE device SET revoked = ?2 WHERE id = ?1 AND revoked IS NULL",
                params![id.0, unix_ms as i64],
            )
            .map_err(self.failed())?;
        Ok(changed > 0)
    }

    fn remove(&mut self, id: DeviceId) -> Result<bool> {
        let failed = self.failed();
        let changed = self
            .connection
            .execute("DELETE FROM device WHERE id = ?1", [id.0])
            .map_err(&failed)?;
        // The write-ahead log still holds the key until it is checkpointed and truncated.
        file::empty_log(&self.connection).map_err(&failed)?;
        Ok(changed > 0)
    }

    fn rename(&mut self, id: DeviceId, name: Option<&str>) -> Result<()> {
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

    fn set_codec(&mut self, id: DeviceId, codec: &str) -> Result<()> {
        self.connection
            .execute(
                "UPDATE device SET codec = ?2 WHERE id = ?1",
                params![id.0, codec],
            )
            .map(|_| ())
            .map_err(self.failed())
    }

    fn version(&self) -> Result<i64> {
        self.connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(self.failed())
    }

    fn learn(&mut self, learnt: &HashMap<u32, Learnt>) -> Result<()> {
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

/// Inserts a device and returns its row number.
fn insert(
    connection: &Connection,
    record: &Record,
    site_key: &SiteKey,
    failed: impl Fn(rusqlite::Error) -> Error,
) -> Result<u32> {
    let sealed = seal_key(site_key, record.id, record.suite, &record.key)?;
    let row = connection
        .prepare_cached(
            "INSERT INTO device (id, name, suite, key, join_counter, created, revoked,
             last_seen, address, codec, seal, origin)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )
        .and_then(|mut statement| {
            statement.insert(params![
                record.id.0,
                record.name,
                record.suite.code(),
                sealed.key,
                record.join_counter,
                record.created as i64,
                record.revoked.map(|ms| ms as i64),
                record.last_seen.map(|ms| ms as i64),
                record.address,
                record.codec,
                sealed.seal,
                record.origin.map(Origin::name),
            ])
        })
        .map_err(failed)?;
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

/// A row whose key is still sealed.
struct Stored {
    record: Record,
    key: [u8; 32],
    seal: Vec<u8>,
}

impl Stored {
    fn open(self, site_key: &SiteKey) -> Result<Record> {
        let Stored { record, key, seal } = self;
        let key = open_key(site_key, record.id, record.suite, &key, &seal)?;
        Ok(Record { key, ..record })
    }
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    let code: u8 = row.get(3)?;
    let suite = Suite::from_code(code)
        .ok_or(rusqlite::Error::IntegralValueOutOfRange(3, i64::from(code)))?;
    let time = |column| -> rusqlite::Result<Option<u64>> {
        let ms: Option<i64> = row.get(column)?;
        Ok(ms.and_then(|ms| u64::try_from(ms).ok()))
    };
    let record = Record {
        row: row.get(0)?,
        id: DeviceId(row.get(1)?),
        name: row.get(2)?,
        suite,
        // Replaced by `Stored::open`.
        key: DeviceKey::new([0; 32]),
        join_counter: row.get(5)?,
        created: time(6)?.unwrap_or(0),
        revoked: time(7)?,
        last_seen: time(8)?,
        address: row.get(9)?,
        codec: row.get(10)?,
        // A name of a newer version is unknown here.
        origin: row
            .get::<_, Option<String>>(12)?
            .and_then(|name| Origin::from_name(&name)),
    };
    Ok(Stored {
        record,
        key: row.get(4)?,
        seal: row.get(11)?,
    })
}
