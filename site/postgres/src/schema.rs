//! The tables of the registry, in a schema of their own: the readings may be in the same
//! database.

use std::path::Path;

use selo_gateway::Error;
use selo_gateway::shards::SHARDS;
use selo_gateway::site_key::{SiteKey, SiteKeyId};

use crate::client::{Client, Query};
use crate::problem::Problem;

const VERSION: i32 = 1;

/// Key of the advisory lock under which the tables are created: "selo" and "regi" in ASCII.
const LOCK: i64 = 0x7365_6c6f_7265_6769;

/// `changes` numbers the changes by commands and operators, so that each gateway can ask for
/// those that it has not seen. Joins and last contacts are not counted.
const SCHEMA: &str = "
CREATE SCHEMA IF NOT EXISTS selo_registry;
CREATE TABLE selo_registry.site (
    one     BOOLEAN PRIMARY KEY DEFAULT TRUE CHECK (one),
    version INTEGER NOT NULL,
    key_id  BYTEA NOT NULL,          -- of the site key that seals the device keys
    changes BIGINT NOT NULL
);
CREATE TABLE selo_registry.device (
    number       INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- never used again
    id           BIGINT NOT NULL UNIQUE,
    name         TEXT UNIQUE,
    suite        INTEGER NOT NULL,
    key          BYTEA NOT NULL CHECK (length(key) = 32), -- encrypted under the site key
    seal         BYTEA NOT NULL,     -- nonce and tag of the key
    join_counter BIGINT NOT NULL,    -- the highest granted
    joined_by    TEXT,               -- the gateway that was granted it
    created      BIGINT NOT NULL,    -- Unix milliseconds, as all times
    revoked      BIGINT,
    last_seen    BIGINT,
    address      TEXT,
    codec        TEXT NOT NULL,
    origin       TEXT,               -- how the key came about
    changed      BIGINT NOT NULL
);
CREATE INDEX device_changed ON selo_registry.device (changed);
CREATE TABLE selo_registry.engine (
    instance BYTEA PRIMARY KEY,
    name     TEXT NOT NULL,
    until    TIMESTAMPTZ NOT NULL
);
CREATE TABLE selo_registry.shard (
    id    INTEGER PRIMARY KEY,
    epoch BIGINT NOT NULL,           -- grows with each new owner
    owner BYTEA,                     -- instance of an engine
    until TIMESTAMPTZ                -- the end of its lease
);
CREATE TABLE selo_registry.pairing_window (
    id      BYTEA PRIMARY KEY,
    gateway TEXT NOT NULL,           -- its name, and the id of its state directory
    until   TIMESTAMPTZ NOT NULL,
    body    BYTEA NOT NULL           -- sealed under the site key, as the words
);
CREATE TABLE selo_registry.pairing_word (
    number    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    window_id BYTEA NOT NULL REFERENCES selo_registry.pairing_window ON DELETE CASCADE,
    body      BYTEA NOT NULL
);
CREATE INDEX pairing_word_of ON selo_registry.pairing_word (window_id, number);
CREATE TABLE selo_registry.removed (
    id      BIGINT PRIMARY KEY,
    changed BIGINT NOT NULL
);
";

/// Creates the tables if they are not there. Returns the site key that seals the device keys.
pub fn prepare(client: &mut Client, state: &Path, place: &str) -> Result<SiteKey, Problem> {
    if !exists(client)? {
        create(client, state)?;
    }
    let row = client.query_one("SELECT version, key_id FROM selo_registry.site", &[])?;
    let (version, id): (i32, Vec<u8>) = (row.try_get(0)?, row.try_get(1)?);
    let id = SiteKeyId::try_from(&id[..]);
    let (VERSION, Ok(id)) = (version, id) else {
        return Err(Problem::Ours(Error::RegistryVersion {
            place: place.into(),
            found: version.into(),
            known: VERSION.into(),
        }));
    };
    Ok(SiteKey::of_registry(state, id, place)?)
}

fn exists(client: &mut impl Query) -> Result<bool, Problem> {
    let row = client.query_one("SELECT to_regclass('selo_registry.site') IS NOT NULL", &[])?;
    Ok(row.try_get(0)?)
}

fn create(client: &mut Client, state: &Path) -> Result<(), Problem> {
    let mut transaction = client.transaction()?;
    // Of gateways that start at the same time, one creates the tables.
    transaction.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK])?;
    if !exists(&mut transaction)? {
        transaction.batch_execute(SCHEMA)?;
        transaction.execute(
            "INSERT INTO selo_registry.shard (id, epoch) SELECT n, 0 FROM generate_series(0, $1) n",
            &[&i32::from(SHARDS - 1)],
        )?;
        let key = SiteKey::read_or_create(state)?;
        transaction.execute(
            "INSERT INTO selo_registry.site (version, key_id, changes) VALUES ($1, $2, 0)",
            &[&VERSION, &&key.id()[..]],
        )?;
    }
    transaction.commit()
}
