//! A device as a row.

use selo_gateway::registry::{Origin, Record, open_key, seal_key};
use selo_gateway::site_key::SiteKey;
use selo_gateway::{Error, Result};
use selo_link::{DeviceId, Suite};
use tokio_postgres::Row;

use crate::client::Query;
use crate::problem::Problem;

pub const COLUMNS: &str = "number, id, name, suite, key, seal, join_counter, created, revoked, \
     last_seen, address, codec, origin";

/// Reads a row of [`COLUMNS`], and opens the device's key.
pub fn record(row: &Row, site_key: &SiteKey) -> std::result::Result<Record, Problem> {
    let number: i32 = row.try_get(0)?;
    let id: i64 = row.try_get(1)?;
    let suite: i32 = row.try_get(3)?;
    let damaged = || Error::SealedKey {
        id: format!("{id:08x}"),
    };
    let id = device_id(id).ok_or_else(damaged)?;
    let suite = u8::try_from(suite).ok().and_then(Suite::from_code);
    let suite = suite.ok_or_else(damaged)?;
    let (key, seal): (&[u8], &[u8]) = (row.try_get(4)?, row.try_get(5)?);
    let time = |column| -> std::result::Result<Option<u64>, tokio_postgres::Error> {
        let ms: Option<i64> = row.try_get(column)?;
        Ok(ms.and_then(|ms| u64::try_from(ms).ok()))
    };
    let counter: i64 = row.try_get(6)?;
    Ok(Record {
        row: number as u32,
        id,
        name: row.try_get(2)?,
        suite,
        key: open_key(site_key, id, suite, key, seal)?,
        // A counter beyond the range refuses all joins.
        join_counter: u32::try_from(counter).unwrap_or(u32::MAX),
        created: time(7)?.unwrap_or(0),
        revoked: time(8)?,
        last_seen: time(9)?,
        address: row.try_get(10)?,
        codec: row.try_get(11)?,
        // A name of a newer version is unknown here.
        origin: row
            .try_get::<_, Option<&str>>(12)?
            .and_then(Origin::from_name),
    })
}

/// Separates a row that was changed by something else than Selo from other errors.
pub fn whole(
    read: std::result::Result<Record, Problem>,
) -> std::result::Result<Result<Record>, Problem> {
    match read {
        Ok(record) => Ok(Ok(record)),
        Err(Problem::Ours(damage @ Error::SealedKey { .. })) => Ok(Err(damage)),
        Err(other) => Err(other),
    }
}

/// The device with this id; `None` if it is out of range.
pub fn device_id(id: i64) -> Option<DeviceId> {
    u32::try_from(id).ok().map(DeviceId)
}

/// Inserts a device, and returns its number.
pub fn insert(
    client: &mut impl Query,
    record: &Record,
    site_key: &SiteKey,
    change: i64,
) -> std::result::Result<u32, Problem> {
    let sealed = seal_key(site_key, record.id, record.suite, &record.key)?;
    let time = |ms: Option<u64>| ms.map(|ms| ms as i64);
    let row = client.query_one(
        "INSERT INTO selo_registry.device (id, name, suite, key, seal, join_counter, created,
         revoked, last_seen, address, codec, origin, changed)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING number",
        &[
            &i64::from(record.id.0),
            &record.name,
            &i32::from(record.suite.code()),
            &&sealed.key[..],
            &&sealed.seal[..],
            &i64::from(record.join_counter),
            &(record.created as i64),
            &time(record.revoked),
            &time(record.last_seen),
            &record.address,
            &record.codec,
            &record.origin.map(Origin::name),
            &change,
        ],
    )?;
    let number: i32 = row.try_get(0)?;
    Ok(number as u32)
}

/// Fails if another device has the name.
pub fn name_is_free(
    client: &mut impl Query,
    name: Option<&str>,
    id: DeviceId,
) -> std::result::Result<(), Problem> {
    let Some(name) = name else {
        return Ok(());
    };
    let other = client.query_opt(
        "SELECT id FROM selo_registry.device WHERE name = $1 AND id <> $2",
        &[&name, &i64::from(id.0)],
    )?;
    let Some(other) = other else {
        return Ok(());
    };
    let other: i64 = other.try_get(0)?;
    let taken: Result<()> = Err(Error::NameTaken {
        name: name.into(),
        id: format!("{other:08x}"),
    });
    Ok(taken?)
}
