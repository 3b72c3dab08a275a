//! What an onlooker may read of a database of readings, and of the collectors that share it. It writes
//! nothing.

use std::path::Path;

use selo_postgres::client::{Client, Query};
use selo_postgres::problem::Problem;
use selo_postgres::status::has;

use crate::db::Location;

type Done<T> = std::result::Result<T, Problem>;

/// A database of readings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Readings {
    pub stations: i64,
    /// Time of the newest reading with a plausible time, Unix milliseconds.
    pub newest_ms: Option<i64>,
    pub collectors: Vec<Collector>,
    /// Partitions of streams, by site, that had an owner and have none that lives.
    pub orphans: Vec<(String, i64)>,
}

/// A collector around a stream.
#[derive(Debug, Clone, PartialEq)]
pub struct Collector {
    pub name: String,
    pub site: String,
    /// Partitions that it owns.
    pub partitions: i64,
    /// Seconds to the end of its lease. Less than zero: it has ended.
    pub lease_seconds: f64,
}

const STATIONS: &str = "SELECT count(*), max(last_seen) FROM station";

/// The site without a name is for duties that one collector of a database has.
const COLLECTORS: &str = "
    SELECT c.name, c.site, (c.until / 1000.0 - extract(epoch FROM clock_timestamp()))::FLOAT8,
        (SELECT count(*) FROM stream_part p WHERE p.owner = c.name AND p.site = c.site)
    FROM stream_collector c ORDER BY c.site, c.name";

const ORPHANS: &str = "
    SELECT site, count(*) FROM stream_part p
    WHERE site <> '' AND NOT EXISTS (SELECT 1 FROM stream_collector c WHERE c.name = p.owner
        AND c.until > extract(epoch FROM clock_timestamp()) * 1000)
    GROUP BY site ORDER BY site";

/// Reads a SQLite file, which one collector has.
///
/// # Errors
/// If the file cannot be read, or is no database of readings.
pub fn in_file(path: &Path) -> crate::Result<Readings> {
    let mut db = Location::Sqlite(path.into()).open_reader()?;
    let rows = db.query(STATIONS, &[])?;
    Ok(Readings {
        stations: rows.first().map_or(0, |row| row.int(0)),
        newest_ms: rows.first().and_then(|row| row.opt_int(1)),
        ..Readings::default()
    })
}

/// Reads a database in PostgreSQL. `None`: it has no readings' tables.
///
/// # Errors
/// If the server does not answer, or this role may not read the readings.
pub fn in_postgres(client: &mut Client) -> Done<Option<Readings>> {
    let mut reading = client.snapshot()?;
    if !has(&mut reading, "station")? {
        return Ok(None);
    }
    let stations = reading.query_one(STATIONS, &[])?;
    let mut found = Readings {
        stations: stations.try_get(0)?,
        newest_ms: stations.try_get(1)?,
        ..Readings::default()
    };
    if has(&mut reading, "stream_part")? {
        for row in reading.query(COLLECTORS, &[])? {
            found.collectors.push(Collector {
                name: row.try_get(0)?,
                site: row.try_get(1)?,
                lease_seconds: row.try_get(2)?,
                partitions: row.try_get(3)?,
            });
        }
        for row in reading.query(ORPHANS, &[])? {
            found.orphans.push((row.try_get(0)?, row.try_get(1)?));
        }
    }
    Ok(Some(found))
}
