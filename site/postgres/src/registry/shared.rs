//! A gateway's connection to the registry that it shares with others.

use std::collections::HashMap;
use std::path::Path;

use selo_gateway::registry::{Changes, JoinClaim, Shared, Verdict, WindowId};
use selo_gateway::shards::{Ask, Fence, Instance, Lease};
use selo_gateway::site_key::SiteKey;
use selo_gateway::state::gateway_id;
use selo_gateway::{Error, Result};

use super::{shards, windows};
use crate::client::Query;
use crate::connection::Connection;
use crate::device::{COLUMNS, device_id, record, whole};
use crate::problem::Problem;
use crate::schema;

/// See the [module](self).
#[derive(Debug)]
pub struct Sharer {
    db: Connection,
    site_key: SiteKey,
    gateway: String,
    /// The gateway's name, and the id of its state directory. Names need not differ.
    window_owner: String,
    instance: Instance,
}

impl Sharer {
    /// Connects.
    ///
    /// # Errors
    /// [`Error::RegistryReadOnly`] at once, if the server grants no joins.
    pub fn open(url: &str, state: &Path, gateway: &str) -> Result<Sharer> {
        let mut db = Connection::new(url)?;
        let place = db.place().to_owned();
        let site_key = db.run(|client| {
            let site_key = schema::prepare(client, state, &place)?;
            let row = client.query_one("SHOW transaction_read_only", &[])?;
            if row.try_get::<_, &str>(0)? == "on" {
                return Err(Problem::Ours(Error::RegistryReadOnly {
                    place,
                    reason: "it grants no joins".into(),
                }));
            }
            Ok(site_key)
        })?;
        let instance: Instance =
            selo_link::random_bytes().map_err(|error| Error::Random(error.to_string()))?;
        // On a full disk, the windows of an earlier start stay until their end.
        let id =
            gateway_id(state).unwrap_or_else(|_| format!("{:x}", u128::from_le_bytes(instance)));
        Ok(Sharer {
            db,
            site_key,
            gateway: gateway.into(),
            window_owner: format!("{gateway} {id}"),
            instance,
        })
    }
}

/// Grants the counters that are above the last one of their device. Everybody locks devices in
/// the order of their numbers, so that none waits for another in a circle.
const CLAIM: &str = "
    WITH locked AS (
        SELECT number FROM selo_registry.device WHERE number = ANY ($1::int4[])
        ORDER BY number FOR NO KEY UPDATE)
    UPDATE selo_registry.device d
    SET join_counter = n.counter, joined_by = $3
    FROM locked JOIN unnest($1::int4[], $2::int8[]) AS n(number, counter) USING (number)
    WHERE d.number = locked.number AND d.join_counter < n.counter AND d.revoked IS NULL
    RETURNING d.number, d.join_counter";

/// The highest counter of each device, among the claims whose fence holds.
fn highest(claims: &[JoinClaim], in_force: &[Fence]) -> (Vec<i32>, Vec<i64>) {
    let mut highest: HashMap<u32, u32> = HashMap::new();
    for claim in claims.iter().filter(|claim| holds(claim, in_force)) {
        let counter = highest.entry(claim.row).or_default();
        *counter = claim.counter.max(*counter);
    }
    highest
        .iter()
        .map(|(number, counter)| (*number as i32, i64::from(*counter)))
        .unzip()
}

fn holds(claim: &JoinClaim, in_force: &[Fence]) -> bool {
    claim.fence.is_none_or(|fence| in_force.contains(&fence))
}

impl Shared for Sharer {
    fn claim(&mut self, claims: &[JoinClaim]) -> Result<Vec<Verdict>> {
        let (gateway, instance) = (&self.gateway, self.instance);
        let mut shards: Vec<_> = claims.iter().filter_map(|claim| claim.fence).collect();
        shards.sort_unstable();
        shards.dedup_by_key(|fence| fence.shard);
        let shards: Vec<_> = shards.into_iter().map(|fence| fence.shard).collect();
        let (granted, in_force) = self.db.run(|client| {
            let mut transaction = client.transaction()?;
            let in_force = match shards.is_empty() {
                true => Vec::new(),
                false => shards::in_force(&mut transaction, instance, &shards)?,
            };
            let (numbers, counters) = highest(claims, &in_force);
            let rows = transaction.query(CLAIM, &[&numbers, &counters, gateway])?;
            // Nothing is granted before the commit.
            transaction.commit()?;
            let granted = rows
                .iter()
                .map(|row| Ok((row.try_get(0)?, row.try_get(1)?)));
            let granted: std::result::Result<HashMap<i32, i64>, tokio_postgres::Error> =
                granted.collect();
            Ok((granted?, in_force))
        })?;
        let verdict = |claim: &JoinClaim| match granted.get(&(claim.row as i32)) {
            _ if !holds(claim, &in_force) => Verdict::Fenced,
            Some(counter) if *counter == i64::from(claim.counter) => Verdict::Granted,
            _ => Verdict::Late,
        };
        Ok(claims.iter().map(verdict).collect())
    }

    fn changes(&mut self, since: i64) -> Result<Changes> {
        if self.last_change()? == since {
            return Ok(Changes {
                until: since,
                ..Changes::default()
            });
        }
        let site_key = &self.site_key;
        self.db.run(|client| {
            let mut transaction = client.snapshot()?;
            let row = transaction.query_one("SELECT changes FROM selo_registry.site", &[])?;
            let sql = format!("SELECT {COLUMNS} FROM selo_registry.device WHERE changed > $1");
            let changed = transaction.query(&sql, &[&since])?;
            let removed = transaction.query(
                "SELECT r.id FROM selo_registry.removed r WHERE r.changed > $1 AND NOT EXISTS
                 (SELECT 1 FROM selo_registry.device d WHERE d.id = r.id)",
                &[&since],
            )?;
            let mut changes = Changes {
                until: row.try_get(0)?,
                ..Changes::default()
            };
            for row in &changed {
                match whole(record(row, site_key))? {
                    Ok(record) => changes.changed.push(record),
                    Err(damage) => {
                        changes.removed.extend(device_id(row.try_get(1)?));
                        changes.damaged.push(damage);
                    }
                }
            }
            for row in &removed {
                changes.removed.extend(device_id(row.try_get(0)?));
            }
            Ok(changes)
        })
    }

    fn last_change(&mut self) -> Result<i64> {
        self.db.run(|client| {
            let row = client.query_one("SELECT changes FROM selo_registry.site", &[])?;
            Ok(row.try_get(0)?)
        })
    }

    fn site_key(&self) -> &SiteKey {
        &self.site_key
    }

    fn windows(&mut self) -> Result<Vec<(WindowId, Vec<u8>)>> {
        self.db.run(windows::windows)
    }

    fn open_window(&mut self, id: &WindowId, seconds: u64, body: &[u8]) -> Result<()> {
        let owner = &self.window_owner;
        self.db
            .run(|client| windows::open(client, id, owner, seconds, body))
    }

    fn close_window(&mut self, id: &WindowId) -> Result<()> {
        self.db.run(|client| windows::close(client, id))
    }

    fn say(&mut self, id: &WindowId, body: &[u8]) -> Result<()> {
        self.db.run(|client| windows::say(client, id, body))
    }

    fn words(&mut self, id: &WindowId, after: i64) -> Result<Vec<(i64, Vec<u8>)>> {
        self.db.run(|client| windows::words(client, id, after))
    }

    fn instance(&self) -> Instance {
        self.instance
    }

    fn hold(&mut self, ask: &Ask<'_>) -> Result<Lease> {
        let (instance, gateway) = (self.instance, &self.gateway);
        self.db.run(|client| {
            let mut transaction = client.transaction()?;
            let lease = shards::hold(&mut transaction, instance, gateway, ask)?;
            transaction.commit()?;
            Ok(lease)
        })
    }
}
