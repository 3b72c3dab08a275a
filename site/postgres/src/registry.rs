//! The registry of devices in PostgreSQL, for several gateways.

mod shards;
mod shared;
mod windows;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use selo_gateway::registry::{Existing, Learnt, Place, Record, Registry, Shared, Store};
use selo_gateway::site_key::SiteKey;
use selo_gateway::{Error, Result};
use selo_link::DeviceId;

use crate::client::{Client, Query, Transaction};
use crate::connection::Connection;
use crate::device::{COLUMNS, insert, name_is_free, record, whole};
use crate::problem::Problem;
use crate::schema;

pub use shared::Sharer;

/// Rows of one statement that stores last contacts.
const ROWS: usize = 1000;

/// Age up to which the version is not asked for again. Each reading asks for it.
const FRESH: Duration = Duration::from_secs(1);

/// True if the text is a connection string.
pub fn is_url(text: &str) -> bool {
    text.starts_with("postgres://") || text.starts_with("postgresql://")
}

/// A registry in PostgreSQL. The site key is in the state directory, unless it is a credential.
#[derive(Clone)]
pub struct InPostgres {
    pub url: String,
    pub state: PathBuf,
    /// Name of this gateway, for people who look at the registry.
    pub gateway: String,
}

impl std::fmt::Debug for InPostgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "InPostgres({})", crate::without_password(&self.url))
    }
}

impl Place for InPostgres {
    fn open(&self) -> Result<Registry> {
        Devices::open(&self.url, &self.state).map(Registry::over)
    }

    fn share(&self) -> Result<Option<Box<dyn Shared>>> {
        let sharer = Sharer::open(&self.url, &self.state, &self.gateway)?;
        Ok(Some(Box::new(sharer)))
    }
}

/// The devices.
#[derive(Debug)]
pub struct Devices {
    db: RefCell<Connection>,
    site_key: SiteKey,
    /// The last version, and when it was asked for.
    version: Cell<Option<(Instant, i64)>>,
}

type Done<T> = std::result::Result<T, Problem>;

impl Devices {
    /// Connects, and creates the tables if they are not there.
    pub fn open(url: &str, state: &Path) -> Result<Devices> {
        let mut db = Connection::new(url)?;
        let place = db.place().to_owned();
        let site_key = db.run(|client| schema::prepare(client, state, &place))?;
        Ok(Devices {
            db: RefCell::new(db),
            site_key,
            version: Cell::new(None),
        })
    }

    fn read<T>(&self, work: impl FnOnce(&mut Client) -> Done<T>) -> Result<T> {
        self.db.borrow_mut().run(work)
    }

    /// Runs a change in a transaction, with the change's number. Changes happen one after the
    /// other, so a gateway that has seen a number has seen all numbers below it.
    fn change<T>(&self, work: impl FnOnce(&mut Transaction<'_>, i64) -> Done<T>) -> Result<T> {
        self.read(|client| {
            let mut transaction = client.transaction()?;
            let number: i64 = transaction
                .query_one(
                    "UPDATE selo_registry.site SET changes = changes + 1 RETURNING changes",
                    &[],
                )?
                .try_get(0)?;
            let done = work(&mut transaction, number)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    /// The device that a query of [`COLUMNS`] finds.
    fn one(
        &self,
        condition: &str,
        parameter: &(dyn tokio_postgres::types::ToSql + Sync),
    ) -> Result<Option<Record>> {
        let sql = format!("SELECT {COLUMNS} FROM selo_registry.device WHERE {condition}");
        self.read(|client| {
            let found = client.query_opt(&sql, &[parameter])?;
            found.map(|row| record(&row, &self.site_key)).transpose()
        })
    }

    /// Runs a change of one device's row. Returns true if there is such a row.
    fn update(
        &self,
        sql: &str,
        id: DeviceId,
        value: &(dyn tokio_postgres::types::ToSql + Sync),
    ) -> Result<bool> {
        self.change(|transaction, number| {
            let changed = transaction.execute(sql, &[&i64::from(id.0), value, &number])?;
            Ok(changed > 0)
        })
    }
}

impl Store for Devices {
    fn count(&self) -> Result<u64> {
        self.read(|client| {
            let row = client.query_one("SELECT count(*) FROM selo_registry.device", &[])?;
            Ok(row.try_get::<_, i64>(0)? as u64)
        })
    }

    fn for_each(&self, each: &mut dyn FnMut(Result<Record>) -> Result<()>) -> Result<()> {
        // In parts, so that a statement stays short however many devices there are.
        let sql = format!(
            "SELECT {COLUMNS} FROM selo_registry.device WHERE id > $1 ORDER BY id LIMIT 10000"
        );
        let mut last = i64::MIN;
        loop {
            let part = self.read(|client| {
                let rows = client.query(&sql, &[&last])?;
                if let Some(end) = rows.last() {
                    last = end.try_get(1)?;
                }
                rows.iter()
                    .map(|row| whole(record(row, &self.site_key)))
                    .collect::<Done<Vec<_>>>()
            })?;
            if part.is_empty() {
                return Ok(());
            }
            part.into_iter().try_for_each(&mut *each)?;
        }
    }

    fn get(&self, id: DeviceId) -> Result<Option<Record>> {
        self.one("id = $1", &i64::from(id.0))
    }

    fn named(&self, name: &str) -> Result<Option<Record>> {
        self.one("name = $1", &name)
    }

    fn add_all(&mut self, records: &[Record], existing: Existing) -> Result<Vec<Record>> {
        self.change(|transaction, number| {
            if existing == Existing::Replace {
                lock(transaction, records)?;
            }
            let mut added = Vec::with_capacity(records.len());
            for new in records {
                if let Some(row) = add(transaction, new, existing, &self.site_key, number)? {
                    added.push(row);
                }
            }
            Ok(added)
        })
    }

    fn revoke(&mut self, id: DeviceId, unix_ms: u64) -> Result<bool> {
        let sql = "UPDATE selo_registry.device SET revoked = $2, changed = $3
                   WHERE id = $1 AND revoked IS NULL";
        self.update(sql, id, &(unix_ms as i64))
    }

    fn remove(&mut self, id: DeviceId) -> Result<bool> {
        self.change(|transaction, number| {
            let id = i64::from(id.0);
            let sql = "DELETE FROM selo_registry.device WHERE id = $1";
            if transaction.execute(sql, &[&id])? == 0 {
                return Ok(false);
            }
            transaction.execute(
                "INSERT INTO selo_registry.removed (id, changed) VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET changed = excluded.changed",
                &[&id, &number],
            )?;
            Ok(true)
        })
    }

    fn rename(&mut self, id: DeviceId, name: Option<&str>) -> Result<()> {
        self.change(|transaction, number| {
            name_is_free(transaction, name, id)?;
            transaction.execute(
                "UPDATE selo_registry.device SET name = $2, changed = $3 WHERE id = $1",
                &[&i64::from(id.0), &name, &number],
            )?;
            Ok(())
        })
    }

    fn set_codec(&mut self, id: DeviceId, codec: &str) -> Result<()> {
        let sql = "UPDATE selo_registry.device SET codec = $2, changed = $3 WHERE id = $1";
        self.update(sql, id, &codec).map(|_| ())
    }

    fn version(&self) -> Result<i64> {
        if let Some((at, version)) = self.version.get()
            && at.elapsed() < FRESH
        {
            return Ok(version);
        }
        let version = self.read(|client| {
            let row = client.query_one("SELECT changes FROM selo_registry.site", &[])?;
            Ok(row.try_get(0)?)
        })?;
        self.version.set(Some((Instant::now(), version)));
        Ok(version)
    }

    fn learn(&mut self, learnt: &HashMap<u32, Learnt>) -> Result<()> {
        let rows: Vec<_> = learnt.iter().collect();
        for part in rows.chunks(ROWS) {
            let numbers: Vec<_> = part.iter().map(|(number, _)| **number as i32).collect();
            let counters: Vec<_> = part
                .iter()
                .map(|(_, it)| it.join_counter.map(i64::from))
                .collect();
            let seen: Vec<_> = part
                .iter()
                .map(|(_, it)| it.seen.as_ref().map(|(at, _)| *at as i64))
                .collect();
            let addresses: Vec<_> = part
                .iter()
                .map(|(_, it)| it.seen.as_ref().map(|(_, address)| address.as_str()))
                .collect();
            self.read(|client| {
                client.execute(LEARN, &[&numbers, &counters, &seen, &addresses])?;
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// A contact that another gateway had later is kept. Everybody locks devices in the order of their
/// numbers, so that none waits for another in a circle.
const LEARN: &str = "
    WITH locked AS (
        SELECT number FROM selo_registry.device WHERE number = ANY ($1::int4[])
        ORDER BY number FOR NO KEY UPDATE)
    UPDATE selo_registry.device d
    SET join_counter = greatest(d.join_counter, coalesce(n.counter, 0)),
        address = CASE WHEN n.seen >= coalesce(d.last_seen, 0) THEN n.address ELSE d.address END,
        last_seen = greatest(d.last_seen, n.seen)
    FROM locked JOIN unnest($1::int4[], $2::int8[], $3::int8[], $4::text[])
        AS n(number, counter, seen, address) USING (number)
    WHERE d.number = locked.number";

/// Locks the rows of devices that are replaced, in the order of their numbers as everybody.
fn lock(transaction: &mut Transaction<'_>, records: &[Record]) -> Done<()> {
    let ids: Vec<i64> = records.iter().map(|it| it.id.0.into()).collect();
    let sql = "SELECT 1 FROM selo_registry.device WHERE id = ANY ($1) ORDER BY number FOR UPDATE";
    transaction.query(sql, &[&ids])?;
    Ok(())
}

/// Adds a device. `None` if one with this id is there and stays.
fn add(
    transaction: &mut Transaction<'_>,
    new: &Record,
    existing: Existing,
    site_key: &SiteKey,
    number: i64,
) -> Done<Option<Record>> {
    let mut new = new.clone();
    let id = i64::from(new.id.0);
    let old = transaction.query_opt(
        "SELECT number, name FROM selo_registry.device WHERE id = $1",
        &[&id],
    )?;
    match (old, existing) {
        (None, _) => {}
        (Some(_), Existing::Keep) => return Ok(None),
        (Some(_), Existing::Refuse) => {
            return Err(Problem::Ours(Error::DeviceExists {
                id: new.id.to_string(),
            }));
        }
        (Some(old), Existing::Replace) => {
            let row: i32 = old.try_get(0)?;
            let name: Option<String> = old.try_get(1)?;
            let sql = "DELETE FROM selo_registry.device WHERE number = $1";
            transaction.execute(sql, &[&row])?;
            new.name = new.name.or(name);
        }
    }
    name_is_free(transaction, new.name.as_deref(), new.id)?;
    new.row = insert(transaction, &new, site_key, number)?;
    Ok(Some(new))
}
