//! Shards and their leases. One engine at a time changes them, under an advisory lock; a claim
//! only reads them, under a lock on the row.

use selo_gateway::shards::{Ask, Fence, Instance, Lease, SHARDS, Shard};
use tokio_postgres::Row;

use crate::client::Query;
use crate::problem::Problem;

/// Key of the advisory lock: "selo" and "shar" in ASCII.
const LOCK: i64 = 0x7365_6c6f_7368_6172;

/// The fence of a row; `None` if it is no shard.
fn fence(row: &Row) -> Result<Option<Fence>, tokio_postgres::Error> {
    let (id, epoch): (i32, i64) = (row.try_get(0)?, row.try_get(1)?);
    let shard = Shard::try_from(id).ok().filter(|shard| *shard < SHARDS);
    Ok(shard.map(|shard| Fence { shard, epoch }))
}

fn fences(rows: &[Row]) -> Result<Vec<Fence>, tokio_postgres::Error> {
    rows.iter()
        .filter_map(|row| fence(row).transpose())
        .collect()
}

/// Renews the lease of an engine, frees what it has left, and takes its part of free shards.
pub fn hold(
    client: &mut impl Query,
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
        let instance = &former.instance[..];
        let rows = client.query(CONTINUE, &[&me, &instance, &seconds])?;
        lease.fences = fences(&rows)?;
        // Another epoch: somebody had the shard after these sessions had begun.
        let same = |fence: &&Fence| {
            former.fences.contains(&Fence {
                epoch: fence.epoch.saturating_sub(1),
                ..**fence
            })
        };
        let same = lease.fences.iter().filter(same);
        lease.continued = same.map(|fence| fence.shard).collect();
        let sql = "DELETE FROM selo_registry.engine WHERE instance = $1";
        client.execute(sql, &[&instance])?;
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
        &client.query(TAKE, &[&me, &room, &seconds, &(alive && ask.settled)])?,
    )?);
    lease.fences.sort_unstable();
    Ok(lease)
}

/// The fences of these that hold now. Nobody can take their shards before the transaction ends.
pub fn in_force(
    client: &mut impl Query,
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

/// Each new owner has a new epoch. An engine whose own lease has ended, or had ended recently, takes
/// no shard whose lease has ended: after an outage of the registry all leases have, and their
/// owners come back.
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
