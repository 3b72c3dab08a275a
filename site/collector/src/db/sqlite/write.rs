//! Readings on their way into a table, several in one statement.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Statement};

use super::{functions, tables};
use crate::db::Packed;

/// Readings of one statement, if there are many.
const READINGS: usize = 8;

/// Writes readings into this table.
pub fn put(connection: &Connection, table: &str, rows: &[Packed<'_>]) -> rusqlite::Result<()> {
    let mut list = Vec::new();
    let (pieces, rest) = rows.as_chunks::<READINGS>();
    for (rows, of) in [(pieces.as_flattened(), READINGS), (rest, 1)] {
        if rows.is_empty() {
            continue;
        }
        let mut statement = connection.prepare_cached(&tables::insert(table, of))?;
        for rows in rows.chunks(of) {
            put_readings(&mut statement, rows, &mut list)?;
        }
    }
    Ok(())
}

/// Writes as many readings as the statement takes. `list` is room for values.
fn put_readings(
    statement: &mut Statement<'_>,
    rows: &[Packed<'_>],
    list: &mut Vec<u8>,
) -> rusqlite::Result<()> {
    for (number, row) in rows.iter().enumerate() {
        bind(statement, number * tables::WIDTH, row, list)?;
    }
    statement.raw_execute().map(drop)
}

/// Binds a reading to the parameters after `at`.
fn bind(
    statement: &mut Statement<'_>,
    at: usize,
    row: &Packed<'_>,
    list: &mut Vec<u8>,
) -> rusqlite::Result<()> {
    let message = row.message;
    functions::put_list(list, message.values.values().map(|one| one.value));
    for (place, value) in (at + 1..).zip([
        row.station.into(),
        message.identity.session,
        message.identity.counter,
        message.received,
        row.stored,
        message.authenticated.into(),
    ]) {
        statement.raw_bind_parameter(place, value)?;
    }
    statement.raw_bind_parameter(at + 7, message.rssi)?;
    statement.raw_bind_parameter(at + 8, row.layout)?;
    statement.raw_bind_parameter(at + 9, message.gateway.as_deref())?;
    statement.raw_bind_parameter(at + 10, &message.payload[..])?;
    let list = ToSqlOutput::Borrowed(ValueRef::Text(list));
    statement.raw_bind_parameter(at + 11, list)
}
