//! Pairing windows as rows, and the words of gateways about them. The bodies are opaque here.

use selo_gateway::registry::WindowId;

use crate::client::{Client, Query};
use crate::problem::Problem;

/// A row of a window or of a word that is longer was not written by a gateway.
const BODY_MAX: i32 = 1024;

pub fn windows(client: &mut Client) -> Result<Vec<(WindowId, Vec<u8>)>, Problem> {
    let rows = client.query(
        "SELECT id, body FROM selo_registry.pairing_window
         WHERE until > clock_timestamp() AND length(body) <= $1 AND length(id) = 16
         ORDER BY until LIMIT 16",
        &[&BODY_MAX],
    )?;
    let mut windows = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: &[u8] = row.try_get(0)?;
        if let Ok(id) = id.try_into() {
            windows.push((id, row.try_get(1)?));
        }
    }
    Ok(windows)
}

pub fn open(
    client: &mut Client,
    id: &WindowId,
    gateway: &str,
    seconds: u64,
    body: &[u8],
) -> Result<(), Problem> {
    let mut transaction = client.transaction()?;
    // Leave rows that another gateway removes now: nobody waits for another in a circle.
    transaction.execute(
        "DELETE FROM selo_registry.pairing_window WHERE id IN
         (SELECT id FROM selo_registry.pairing_window
          WHERE (gateway = $1 AND id <> $2) OR until < clock_timestamp() FOR UPDATE SKIP LOCKED)",
        &[&gateway, &&id[..]],
    )?;
    // After an error the row may be there.
    transaction.execute(
        "INSERT INTO selo_registry.pairing_window (id, gateway, until, body)
         VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3), $4)
         ON CONFLICT (id) DO NOTHING",
        &[&&id[..], &gateway, &(seconds as f64), &body],
    )?;
    transaction.commit()
}

pub fn close(client: &mut Client, id: &WindowId) -> Result<(), Problem> {
    let sql = "DELETE FROM selo_registry.pairing_window WHERE id = $1";
    client.execute(sql, &[&&id[..]])?;
    Ok(())
}

/// Has no effect if the window was removed.
pub fn say(client: &mut Client, id: &WindowId, body: &[u8]) -> Result<(), Problem> {
    client.execute(
        "INSERT INTO selo_registry.pairing_word (window_id, body)
         SELECT id, $2 FROM selo_registry.pairing_window WHERE id = $1 FOR KEY SHARE",
        &[&&id[..], &body],
    )?;
    Ok(())
}

pub fn words(
    client: &mut Client,
    id: &WindowId,
    after: i64,
) -> Result<Vec<(i64, Vec<u8>)>, Problem> {
    let rows = client.query(
        "SELECT number, body FROM selo_registry.pairing_word
         WHERE window_id = $1 AND number > $2 AND length(body) <= $3 ORDER BY number LIMIT 100",
        &[&&id[..], &after, &BODY_MAX],
    )?;
    let word = |row: &tokio_postgres::Row| Ok((row.try_get(0)?, row.try_get(1)?));
    Ok(rows
        .iter()
        .map(word)
        .collect::<Result<_, tokio_postgres::Error>>()?)
}
