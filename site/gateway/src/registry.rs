//! The registry: devices and their keys, in SQLite. Commands write it whether or not a gateway
//! runs. A running gateway is notified ([`crate::control`]) and reads the changed rows again.
//!
//! Row numbers are never reused. A device that is paired again, or removed and added again,
//! gets a new row, so that sessions of the old key are not attributed to the new one.
//!
//! The file has mode 0600 and holds the keys in plaintext, because a gateway must restart
//! without an operator. Deleted content is overwritten (`secure_delete`).

mod file;
mod record;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use selo_link::{DeviceId, DeviceKey, Suite};

use crate::error::{Error, Result};

pub use record::{DEFAULT_CODEC, Learnt, Origin, Record, check_name};

const COLUMNS: &str = "row, id, name, suite, key, join_counter, created, revoked, last_seen, address, codec, \
     origin";

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

/// An open registry.
#[derive(Debug)]
pub struct Registry {
    connection: Connection,
    path: PathBuf,
}

impl Registry {
    /// Opens the file, or creates it. Migrates older versions.
    pub fn open(path: &Path) -> Result<Registry> {
        Ok(Registry {
            connection: file::open(path)?,
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

/// Inserts a device and returns its row number.
fn insert(connection: &Connection, record: &Record) -> rusqlite::Result<u32> {
    let row = connection
        .prepare_cached(
            "INSERT INTO device (id, name, suite, key, join_counter, created, revoked,
             last_seen, address, codec, origin)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
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
            record.origin.map(Origin::name),
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
        // A name of a newer version is unknown here.
        origin: row
            .get::<_, Option<String>>(11)?
            .and_then(|name| Origin::from_name(&name)),
    })
}
