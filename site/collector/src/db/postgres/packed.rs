//! Readings on their way to PostgreSQL: rows of COPY in its binary format
//! [POSTGRESQL, COPY].

use crate::db::Packed;
use crate::message::Message;

/// The statement. Its columns are those of [`encode`].
pub const COPY: &str = "COPY packed_reading(session, counter, received, stored, batch, rssi,
        station, layout, authenticated, gateway, payload, data)
    FROM STDIN (FORMAT binary)";
const COLUMNS: i16 = 12;

/// Length of a piece. The server reads one while the next one is sent.
const PIECE: usize = 256 << 10;
/// Object identifier of the type `float8`.
const FLOAT8: i32 = 701;

/// The rows in pieces of COPY's binary format.
pub fn encode(rows: &[Packed<'_>]) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    let mut out = Vec::with_capacity(PIECE + 4096);
    // Signature, flags, length of the extension.
    out.extend_from_slice(b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0");
    for row in rows {
        if out.len() >= PIECE {
            let next = Vec::with_capacity(PIECE + 4096);
            pieces.push(std::mem::replace(&mut out, next));
        }
        put(&mut out, row);
    }
    out.extend_from_slice(&(-1_i16).to_be_bytes());
    pieces.push(out);
    pieces
}

fn put(out: &mut Vec<u8>, row: &Packed<'_>) {
    let message = row.message;
    out.extend_from_slice(&COLUMNS.to_be_bytes());
    for value in [
        message.identity.session,
        message.identity.counter,
        message.received,
        row.stored,
        row.batch,
    ] {
        field(out, &value.to_be_bytes());
    }
    match message.rssi {
        Some(rssi) => field(out, &rssi.to_be_bytes()),
        None => absent(out),
    }
    field(out, &row.station.to_be_bytes());
    field(out, &row.layout.to_be_bytes());
    field(out, &[message.authenticated.into()]);
    match &message.gateway {
        Some(gateway) => field(out, gateway.as_bytes()),
        None => absent(out),
    }
    field(out, &message.payload);
    values(out, message);
}

/// The values, an array of one dimension.
fn values(out: &mut Vec<u8>, message: &Message) {
    let count = length(message.values.len());
    let (dimensions, bytes) = match count {
        0 => (0, 12),
        count => (1, 20 + 12 * count),
    };
    // Dimensions, no nulls, type; then count and first index of the dimension.
    for number in [bytes, dimensions, 0, FLOAT8] {
        out.extend_from_slice(&number.to_be_bytes());
    }
    if count > 0 {
        out.extend_from_slice(&count.to_be_bytes());
        out.extend_from_slice(&1_i32.to_be_bytes());
    }
    for quantity in message.values.values() {
        field(out, &quantity.value.to_be_bytes());
    }
}

fn field(out: &mut Vec<u8>, value: &[u8]) {
    out.extend_from_slice(&length(value.len()).to_be_bytes());
    out.extend_from_slice(value);
}

fn absent(out: &mut Vec<u8>) {
    out.extend_from_slice(&(-1_i32).to_be_bytes());
}

/// A message is shorter than 16 KiB, and so is all of it.
fn length(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
