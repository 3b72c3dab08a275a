//! The database at the start of a collector: its schema, and what an earlier run has stored.

use std::sync::Arc;

use crate::alarm::target::Target;
use crate::auth::{Auth, Role, Scope, Session, Token};
use crate::channel::{Channels, Secret};
use crate::db::Database;
use crate::outbox::webhook_target;
use crate::settings::Settings;
use crate::store::Store;
use crate::{Config, Result, alarm, mqtt, schema, sql};

/// Opens the database, and restores what an earlier run has stored.
pub(super) fn open(
    config: &Config,
    auth: &Auth,
    channels: &Channels,
) -> Result<(Box<dyn Database>, Store, Settings)> {
    let mut db = match &config.stream {
        Some(_) => config.database.open_shared(config.pages_max)?,
        None => config.database.open_writer(config.pages_max)?,
    };
    prepare(&mut *db)?;
    remember(&mut *db, auth, config.clock.now())?;
    let mut settings = Settings::load(&mut *db)?;
    settings.titles = Arc::new(config.titles.clone());
    let fixed = targets(&mut *db, config, channels)?;
    let mut store = Store::default();
    store.tell(fixed);
    let channels = channels.all();
    store.aim(
        channels
            .iter()
            .filter_map(|one| one.target(&settings.zone))
            .collect(),
    );
    Ok((db, store, settings))
}

/// Brings the database to the present schema. A new one receives the first rules.
fn prepare(db: &mut dyn Database) -> Result<()> {
    if schema::migrate(db)? {
        for rule in alarm::Rule::first() {
            let body = serde_json::to_string(&rule).unwrap_or_default();
            db.execute(sql::INSERT_RULE, &[rule.name.into(), body.into()])?;
        }
    }
    Ok(())
}

/// Loads tokens and logins, so that both survive a restart.
fn remember(db: &mut dyn Database, auth: &Auth, now: i64) -> Result<()> {
    for row in db.query(sql::TOKENS, &[])? {
        if let (Ok(hash), Some(role)) = (row.blob(3).try_into(), Role::parse(row.text(2))) {
            let name = row.text(1);
            let scope = Scope::kept(row.opt_text(5), row.opt_text(6), name);
            let token = Token {
                id: row.int(0),
                name: name.into(),
                role,
                scope: Arc::new(scope),
            };
            auth.remember_token(hash, token);
        }
    }
    for row in db.query(sql::LOGINS, &[now.into()])? {
        if let (Ok(id), Ok(stamp)) = (row.blob(0).try_into(), row.blob(2).try_into()) {
            auth.remember_session(Session {
                id,
                user: row.text(1).into(),
                stamp,
                expires: row.int(3),
            });
        }
    }
    Ok(())
}

/// The receivers of alarm notices that the command line names. Receivers that no longer exist
/// leave the database.
fn targets(db: &mut dyn Database, config: &Config, channels: &Channels) -> Result<Vec<Target>> {
    let mut names = Vec::new();
    for url in &config.webhooks {
        let name = webhook_target(&Secret::from(url.clone()));
        // Earlier versions named it by its URL.
        for sql in [sql::RENAME_TARGET, sql::RENAME_DELIVERY] {
            db.execute(sql, &[url.as_str().into(), name.as_str().into()])?;
        }
        names.push(name);
    }
    names.extend(config.mqtt.as_ref().map(|_| mqtt::TARGET.to_string()));
    let channels = channels.all();
    for row in db.query(sql::TARGETS, &[])? {
        let name = || [row.text(0).into()];
        let channel = channels.iter().find(|one| one.target_name() == row.text(0));
        let is_fixed = names.iter().any(|name| name == row.text(0));
        // Nothing waits for a channel that is switched off.
        if !is_fixed && channel.is_none_or(|channel| !channel.active) {
            db.execute(sql::DELETE_TARGET, &name())?;
        }
        if !is_fixed && channel.is_none() {
            db.execute(sql::DELETE_DELIVERY, &name())?;
        }
    }
    Ok(names.into_iter().map(Target::every).collect())
}
