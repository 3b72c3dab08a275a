//! Shards and their leases. One engine at a time changes them, under an advisory lock; a claim
//! only reads them, under a lock on the row.

use postgres::{GenericClient, Row};
use selo_gateway::shards::{Ask, Fence, Instance, Lease, SHARDS, Shard};

use crate::connection::Problem;

/// Key of the advisory lock: "selo" and "shar" in ASCII.
const LOCK: i64 = 0x7365_6c6f_7368_6172;

fn fence(row: &Row) -> Result<Fence, postgres::Error> {
    let id: i32 = row.try_get(0)?;
    Ok(Fence {
        shard: id as Shard,
        epoch: row.try_get(1)?,
    })
}

fn fences(rows: &[Row]) -> Result<Vec<Fence>, postgres::Error> {
    rows.iter().map(fence).collect()
}

/// Renews the lease of an engine, frees what it has left, and takes its part of free shards.
pub fn hold(
    client: &mut impl GenericClient,
    instance: Instance,
    name: &str,
    ask: &Ask<'_>,
) -> Result<Lease, Problem> {
    let (me, seconds) = (&instance[..], ask.lease.as_secs_f64());
    client.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    let row = client.query_opt(ALIVE, &[&me])?;
    let alive = row.is_some_and(|row| row.try_get(0).unwrap_or(false));
    client.execute(ENGINE, &[&me, &name, &seconds])?;
    client.execute(FORGET, &[])?;
    let held: Vec<i32> = ask.held.iter().map(|shard| i32::from(*shard)).collect();
    client.execute(FREE, &[&me, &held])?;
    let mut lease = Lease::default();
    if let Some(former) = ask.former {
        let rows = client.query(CONTINUE, &[&me, &&former[..], &seconds])?;
        lease.fences = fences(&rows)?;
        lease.continued = lease.fences.iter().map(|fence| fence.shard).collect();
        client.execute(
            "DELETE FROM selo_registry.engine WHERE instance = $1",
            &[&&former[..]],
        )?;
    }
    let row = client.query_one("SELECT count(*) FROM selo_registry.engine", &[])?;
    lease.engines = row.try_get::<_, i64>(0)? as usize;
    let share = usize::from(SHARDS).div_ceil(lease.engines.max(1));
    // What is held beyond the share is not renewed. It is free with the next request, which does
    // not name it any more.
    let kept: Vec<i32> = held.into_iter().take(share).collect();
    lease
        .fences
        .extend(fences(&client.query(RENEW, &[&me, &kept, &seconds])?)?);
    let room = share.saturating_sub(lease.fences.len()) as i64;
    lease.fences.extend(fences(
        &client.query(TAKE, &[&me, &room, &seconds, &alive])?,
    )?);
    lease.fences.sort_unstable();
    Ok(lease)
}

/// The fences of these that hold now. Nobody can take their shards before the transaction ends.
pub fn in_force(
    client: &mut impl GenericClient,
    instance: Instance,
    shards: &[Shard],
) -> Result<Vec<Fence>, Problem> {
    let ids: Vec<i32> = shards.iter().map(|shard| i32::from(*shard)).collect();
    Ok(fences(&client.query(IN_FORCE, &[&&instance[..], &ids])?)?)
}

const ENGINE: &str = "
    INSERT INTO selo_registry.engine (instance, name, until)
    VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
    ON CONFLICT (instance) DO UPDATE SET until = excluded.until";

const FORGET: &str = "DELETE FROM selo_registry.engine WHERE until < clock_timestamp()";

const FREE: &str = "
    UPDATE selo_registry.shard SET owner = NULL, until = NULL
    WHERE owner = $1 AND id <> ALL ($2)";

const CONTINUE: &str = "
    UPDATE selo_registry.shard
    SET owner = $1, epoch = epoch + 1, until = clock_timestamp() + make_interval(secs => $3)
    WHERE owner = $2 RETURNING id, epoch";

const RENEW: &str = "
    UPDATE selo_registry.shard SET until = clock_timestamp() + make_interval(secs => $3)
    WHERE owner = $1 AND id = ANY ($2) RETURNING id, epoch";

/// True if the engine's lease has not ended.
const ALIVE: &str = "
    SELECT until >= clock_timestamp() FROM selo_registry.engine WHERE instance = $1";

/// Each new owner has a new epoch. An engine whose own lease has ended takes no shard whose lease
/// has ended: after an outage of the registry all leases have, and their owners come back.
const TAKE: &str = "
    UPDATE selo_registry.shard
    SET owner = $1, epoch = epoch + 1, until = clock_timestamp() + make_interval(secs => $3)
    WHERE id IN (
        SELECT id FROM selo_registry.shard
        WHERE owner IS NULL OR ($4 AND until < clock_timestamp())
        ORDER BY id LIMIT $2)
    RETURNING id, epoch";

const IN_FORCE: &str = "
    SELECT id, epoch FROM selo_registry.shard
    WHERE owner = $1 AND id = ANY ($2) ORDER BY id FOR SHARE";
