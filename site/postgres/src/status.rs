//! What an onlooker may read: the server, its standbys, and a registry. It writes nothing, and needs
//! no key of the site.

use crate::client::{Client, Query, Transaction};
use crate::problem::Problem;

type Done<T> = std::result::Result<T, Problem>;

/// A PostgreSQL server and its standbys.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// The server's version, as it says it.
    pub version: String,
    /// True if it is a standby, or refuses to write.
    pub read_only: bool,
    /// `synchronous_standby_names`: if it is not empty, commits wait for a standby.
    pub waits_for: String,
    pub standbys: Vec<Standby>,
    /// False if this role may not see how far the standbys are.
    pub sees_standbys: bool,
}

/// A standby that is connected to the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Standby {
    pub name: String,
    /// `streaming` if all is well [POSTGRESQL, pg_stat_replication].
    pub state: Option<String>,
    /// `sync`, `quorum`, `potential` or `async`.
    pub kind: Option<String>,
    /// Bytes of the log that it has not replayed.
    pub behind_bytes: Option<i64>,
    /// Seconds from a commit to its replay there. `None` also after a quiet time.
    pub behind_seconds: Option<f64>,
}

impl Server {
    /// True if commits wait for a standby, and none is there that they could wait for.
    pub fn waits_in_vain(&self) -> bool {
        let counts = |standby: &Standby| {
            matches!(standby.kind.as_deref(), Some("sync" | "quorum"))
                && standby.state.as_deref() == Some("streaming")
        };
        !self.waits_for.trim().is_empty() && self.sees_standbys && !self.standbys.iter().any(counts)
    }
}

/// A registry of devices, and the engines that share it.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    pub devices: i64,
    pub revoked: i64,
    /// Devices that a gateway heard within the last hour, as far as it has told the registry.
    pub heard: i64,
    /// Pairing windows that are open now.
    pub windows: i64,
    pub engines: Vec<Engine>,
    pub shards: i64,
    /// Shards that no engine owns now: their nodes get no answer, if engines are used.
    pub unowned: i64,
    /// True if an engine has ever owned a shard.
    pub has_had_engines: bool,
}

/// An engine, which may be gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Engine {
    pub name: String,
    /// Shards that it owns now.
    pub shards: i64,
    /// Seconds to the end of its lease. Less than zero: it has ended.
    pub lease_seconds: f64,
}

const SERVER: &str = "
    SELECT current_setting('server_version'),
        pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on',
        current_setting('synchronous_standby_names'),
        pg_has_role(current_user, 'pg_monitor', 'USAGE')";

/// A standby cannot tell the position of its own log in the same way.
const STANDBYS: &str = "
    SELECT application_name, state, sync_state,
        CASE WHEN pg_is_in_recovery() THEN NULL
            ELSE pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::BIGINT END,
        extract(epoch FROM replay_lag)::FLOAT8
    FROM pg_stat_replication ORDER BY application_name, pid";

/// Reads what the server says of itself.
///
/// # Errors
/// If the server does not answer.
pub fn server(client: &mut Client) -> Done<Server> {
    let mut reading = client.snapshot()?;
    let row = reading.query_one(SERVER, &[])?;
    let standbys = reading.query(STANDBYS, &[])?;
    let standby = |row: &tokio_postgres::Row| -> Result<Standby, tokio_postgres::Error> {
        Ok(Standby {
            name: row.try_get(0)?,
            state: row.try_get(1)?,
            kind: row.try_get(2)?,
            behind_bytes: row.try_get(3)?,
            behind_seconds: row.try_get(4)?,
        })
    };
    let found = Server {
        version: row.try_get(0)?,
        read_only: row.try_get(1)?,
        waits_for: row.try_get(2)?,
        sees_standbys: row.try_get(3)?,
        standbys: standbys.iter().map(standby).collect::<Result<_, _>>()?,
    };
    Ok(found)
}

const DEVICES: &str = "
    SELECT count(*), count(revoked),
        count(*) FILTER (WHERE last_seen > extract(epoch FROM now() - interval '1 hour') * 1000)
    FROM selo_registry.device";

const WINDOWS: &str = "SELECT count(*) FROM selo_registry.pairing_window WHERE until > now()";

const ENGINES: &str = "
    SELECT name, extract(epoch FROM e.until - clock_timestamp())::FLOAT8,
        (SELECT count(*) FROM selo_registry.shard s
            WHERE s.owner = e.instance AND s.until > clock_timestamp())
    FROM selo_registry.engine e ORDER BY name, instance";

const SHARDS: &str = "
    SELECT count(*), count(*) FILTER (WHERE until IS NULL OR until <= clock_timestamp()),
        COALESCE(max(epoch), 0)
    FROM selo_registry.shard";

/// Reads a registry. `None`: the database has none.
///
/// # Errors
/// If the server does not answer, or this role may not read the registry.
pub fn registry(client: &mut Client) -> Done<Option<Registry>> {
    let mut reading = client.snapshot()?;
    if !has(&mut reading, "selo_registry.site")? {
        return Ok(None);
    }
    let devices = reading.query_one(DEVICES, &[])?;
    let windows = reading.query_one(WINDOWS, &[])?;
    let engines = reading.query(ENGINES, &[])?;
    let engine = |row: &tokio_postgres::Row| -> Result<Engine, tokio_postgres::Error> {
        Ok(Engine {
            name: row.try_get(0)?,
            lease_seconds: row.try_get(1)?,
            shards: row.try_get(2)?,
        })
    };
    let shards = reading.query_one(SHARDS, &[])?;
    let found = Registry {
        devices: devices.try_get(0)?,
        revoked: devices.try_get(1)?,
        heard: devices.try_get(2)?,
        windows: windows.try_get(0)?,
        engines: engines.iter().map(engine).collect::<Result<_, _>>()?,
        shards: shards.try_get(0)?,
        unowned: shards.try_get(1)?,
        has_had_engines: shards.try_get::<_, i64>(2)? > 0,
    };
    Ok(Some(found))
}

/// True if the database has a table that this role can see.
///
/// # Errors
/// If the server does not answer.
pub fn has(reading: &mut Transaction<'_>, table: &str) -> Done<bool> {
    let row = reading.query_one("SELECT to_regclass($1) IS NOT NULL", &[&table])?;
    Ok(row.try_get(0)?)
}
