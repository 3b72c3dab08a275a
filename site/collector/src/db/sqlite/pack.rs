//! The way from the tables of earlier versions to those of packed readings.
//!
//! Everything is in one transaction, so a crash, or a disk without room, leaves the earlier tables as they
//! were. Roll-ups come first: the pages of their tables and of the indexes are then free for readings, so
//! that the file hardly grows. What changes is in the write-ahead log until the end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::tables;
use crate::db::{Database, Value};
use crate::error::{Error, Result};
use crate::rollup::Level;
use crate::sql::packed::{self, Place, rounded};

/// Readings of one statement.
const PIECE: i64 = 20_000;

/// Time between two lines of the log.
const TOLD: Duration = Duration::from_secs(5);

/// Packs what earlier versions left. See the [module](self). `free`: the bytes that the disk has room for,
/// if it says so.
pub fn pack(db: &mut dyn Database, free: Option<u64>) -> Result<()> {
    let all = count(db, "SELECT COALESCE(SUM(readings), 0) FROM station")?;
    if all > 0 {
        check_room(db, free)?;
        tracing::info!(
            "readings and roll-ups are brought into the tables of this version: about {all} readings; \
             until then nothing is stored"
        );
    }
    db.script(&tables::tables())?;
    number(db)?;
    tell_of_older_minutes(db)?;
    pack_rollups(db)?;
    grow_early_minutes(db)?;
    db.script(
        "DROP TABLE rollup_minute; DROP TABLE rollup_hour; DROP TABLE rollup_day;
        DROP INDEX reading_of_device; DROP INDEX reading_by_time",
    )?;
    let mut progress = Progress::of(all);
    for station in stations(db)? {
        pack_station(db, &station, &mut progress)?;
    }
    db.script("DROP TABLE reading")?;
    db.script(&tables::views())?;
    if progress.done > 0 {
        let spent = progress.started.elapsed().as_secs();
        tracing::info!(
            "{} readings are in the new tables, after {spent} s",
            progress.done
        );
    }
    Ok(())
}

fn count(db: &mut dyn Database, sql: &str) -> Result<i64> {
    let rows = db.query(sql, &[])?;
    Ok(rows.first().map_or(0, |row| row.int(0)))
}

/// The write-ahead log is as long as the new tables, which are smaller than the earlier ones.
fn check_room(db: &mut dyn Database, free: Option<u64>) -> Result<()> {
    let Some(free) = free else {
        return Ok(());
    };
    let used = count(
        db,
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    )?;
    let unused = count(
        db,
        "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size",
    )?;
    has_room(db.place(), u64::try_from(used - unused).unwrap_or(0), free)
}

/// Returns an error if the new tables of a file that uses so many bytes need more than are free.
fn has_room(place: &str, used: u64, free: u64) -> Result<()> {
    let needed = used / 3;
    if free < needed {
        return Err(Error::Full {
            place: place.into(),
            reason: format!(
                "the new tables of readings and roll-ups need about {} MB beside the earlier ones until \
                 they are complete, and the disk has {} MB; nothing was changed",
                needed / 1_000_000 + 1,
                free / 1_000_000
            ),
        });
    }
    Ok(())
}

/// The stations that have readings, in order.
fn stations(db: &mut dyn Database) -> Result<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    loop {
        let last = all.last().map_or("", String::as_str);
        let rows = db.query(
            "SELECT MIN(station) FROM reading WHERE station > ?1",
            &[last.into()],
        )?;
        match rows.first().and_then(|row| row.opt_text(0)) {
            Some(next) => all.push(next.into()),
            None => return Ok(all),
        }
    }
}

fn number(db: &mut dyn Database) -> Result<()> {
    for station in stations(db)? {
        db.execute(
            "INSERT INTO station_number(station) VALUES(?1)",
            &[station.into()],
        )?;
    }
    db.script(
        "INSERT INTO station_number(station)
            SELECT station FROM station UNION SELECT station FROM quantity
            UNION SELECT station FROM rollup_day UNION SELECT station FROM rollup_hour ORDER BY 1
            ON CONFLICT DO NOTHING;
        INSERT INTO quantity_number(name)
            SELECT name FROM quantity UNION SELECT name FROM rollup_day
            UNION SELECT name FROM rollup_hour ORDER BY 1",
    )
}

/// Says how many minutes go, because they were kept longer than the readings that minutes are made of.
fn tell_of_older_minutes(db: &mut dyn Database) -> Result<()> {
    let older = count(db, OLDER_MINUTES)?;
    if older > 0 {
        tracing::warn!(
            "{older} rows of minutes are older than the readings, and are not in the new tables; their \
             hours and days are"
        );
    }
    Ok(())
}

/// The minutes before the first reading.
const OLDER_MINUTES: &str = "SELECT COUNT(*) FROM rollup_minute
    WHERE at < COALESCE((SELECT MIN(received) / 60000 * 60000 FROM reading), 9223372036854775807)";

fn pack_rollups(db: &mut dyn Database) -> Result<()> {
    for level in [Level::Hour, Level::Day] {
        let (from, to) = (level.table(), level.packed());
        db.script(&format!(
            "INSERT OR FAIL INTO {to} SELECT s.number, n.number, r.at, r.count, r.min, r.max, r.sum,
                r.amount, r.last, r.last_session, r.last_counter
            FROM {from} r CROSS JOIN station_number s ON s.station = r.station
                CROSS JOIN quantity_number n ON n.name = r.name
            ORDER BY 1, 2, 3"
        ))?;
    }
    db.script(
        "INSERT OR FAIL INTO grown_minute SELECT s.number, n.number, r.at, r.amount
            FROM rollup_minute r CROSS JOIN station_number s ON s.station = r.station
                CROSS JOIN quantity_number n ON n.name = r.name
            WHERE r.amount <> 0 ORDER BY 1, 2, 3",
    )
}

/// The growth in minutes that were deleted before their readings.
fn grow_early_minutes(db: &mut dyn Database) -> Result<()> {
    let first = count(db, "SELECT COALESCE(MIN(at), 0) FROM rollup_minute")?;
    for station in stations(db)? {
        let is_early = db.query(
            "SELECT 1 FROM reading WHERE station = ?1 AND received < ?2 LIMIT 1",
            &[station.as_str().into(), first.into()],
        )?;
        if is_early.is_empty() {
            continue;
        }
        db.execute(
            "INSERT INTO grown_minute
            SELECT s.number, n.number, f.at, f.grown FROM (
                SELECT name, received / 60000 * 60000 AS at, SUM(selo_exact(
                    CASE WHEN value >= before THEN value - before ELSE MAX(value, 0) END)) AS grown
                FROM (SELECT r.received, one.key AS name, one.value, lag(one.value)
                        OVER (PARTITION BY one.key ORDER BY r.session, r.counter) AS before
                    FROM reading r, json_each(r.data) one
                    WHERE r.station = ?1 AND one.key LIKE '%^_total' ESCAPE '^')
                WHERE before IS NOT NULL AND received < ?2
                GROUP BY 1, 2) f
            JOIN station_number s ON s.station = ?1 JOIN quantity_number n ON n.name = f.name
            WHERE f.grown <> 0
            ON CONFLICT DO NOTHING",
            &[station.into(), first.into()],
        )?;
    }
    Ok(())
}

/// What the log says of it.
struct Progress {
    all: i64,
    done: i64,
    started: Instant,
    told: Instant,
}

impl Progress {
    fn of(all: i64) -> Progress {
        let now = Instant::now();
        Progress {
            all,
            done: 0,
            started: now,
            told: now,
        }
    }

    fn add(&mut self, readings: i64) {
        self.done += readings;
        if self.told.elapsed() >= TOLD {
            self.told = Instant::now();
            tracing::info!(
                "{} of about {} readings are in the new tables",
                self.done,
                self.all
            );
        }
    }
}

fn pack_station(db: &mut dyn Database, station: &str, progress: &mut Progress) -> Result<()> {
    let rows = db.query(packed::STATION_NUMBER, &[station.into()])?;
    let number = rows.first().map_or(0, |row| row.int(0));
    let mut after = (i64::MIN, i64::MIN);
    loop {
        let piece = db.query(
            "SELECT session, counter, received FROM reading
            WHERE station = ?1 AND (session, counter) > (?2, ?3)
            ORDER BY session, counter LIMIT ?4",
            &[station.into(), after.0.into(), after.1.into(), PIECE.into()],
        )?;
        let Some(last) = piece.last() else {
            return Ok(());
        };
        let to = (last.int(0), last.int(1));
        let range: [Value; 5] = [
            station.into(),
            after.0.into(),
            after.1.into(),
            to.0.into(),
            to.1.into(),
        ];
        db.execute(
            "INSERT INTO layout(names) SELECT DISTINCT selo_names(data) FROM reading
            WHERE station = ?1 AND (session, counter) > (?2, ?3) AND (session, counter) <= (?4, ?5)
            ON CONFLICT DO NOTHING",
            &range,
        )?;
        let mut of_number = range.to_vec();
        of_number.push(number.into());
        db.execute(
            "INSERT OR FAIL INTO packed_reading(station, session, counter, received, stored,
                authenticated, rssi, layout, gateway, payload, data)
            SELECT ?6, r.session, r.counter, r.received, r.stored, r.authenticated, r.rssi,
                (SELECT number FROM layout WHERE names = selo_names(r.data)), r.gateway, r.payload,
                selo_values(r.data)
            FROM reading r WHERE r.station = ?1 AND (r.session, r.counter) > (?2, ?3)
                AND (r.session, r.counter) <= (?4, ?5)
            ORDER BY r.session, r.counter",
            &of_number,
        )?;
        let mut spans: BTreeMap<i64, (Place, Place)> = BTreeMap::new();
        for row in &piece {
            let of = (row.int(0), row.int(1));
            let span = spans.entry(row.int(2).div_euclid(db.span()) * db.span());
            let (low, high) = span.or_insert((of, of));
            (*low, *high) = ((*low).min(of), (*high).max(of));
        }
        let spans = spans.into_iter().map(|(at, (low, high))| -> Vec<Value> {
            let (low, high) = rounded(low, high);
            [number, at, low.0, low.1, high.0, high.1]
                .map(Value::Int)
                .into()
        });
        let (head, tail) = packed::WIDEN_SPAN;
        db.put_rows(head, tail, &spans.collect::<Vec<_>>())?;
        progress.add(piece.len() as i64);
        after = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_is_told_in_advance() {
        assert!(has_room("a.db", 3_000_000_000, 1_000_000_000).is_ok());
        let error = has_room("a.db", 3_000_000_000, 999_000_000);
        let error = error.expect_err("no room").to_string();
        assert!(error.contains("about 1001 MB"), "{error}");
        assert!(error.contains("has 999 MB; nothing was changed"), "{error}");
    }
}
