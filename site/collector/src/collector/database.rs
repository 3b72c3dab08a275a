//! The database at the start of a collector: its schema, and what an earlier run has stored.

use std::path::PathBuf;
use std::sync::Arc;

use crate::alarm::target::Target;
use crate::auth::{Auth, Users};
use crate::channel::{Channels, Secret};
use crate::db::Database;
use crate::outbox::webhook_target;
use crate::settings::Settings;
use crate::store::Store;
use crate::{Config, Result, alarm, mqtt, schema, sql};

/// Opens the database, with the tables of this version.
pub(super) fn open(config: &Config) -> Result<Box<dyn Database>> {
    let mut db = match &config.stream {
        Some(_) => config.database.open_shared(config.pages_max)?,
        None => config.database.open_writer(config.pages_max)?,
    };
    prepare(&mut *db)?;
    Ok(db)
}

/// The users of the state directory, which must be there before the database.
pub(super) fn users(config: &Config) -> Result<Users> {
    match config.is_shared() {
        true => Users::shared(&config.state, config.database.clone()),
        false => Users::open(&config.state),
    }
}

/// The users, tokens and logins, and the file that holds the first admin's password if this was the
/// first start.
pub(super) fn auth(
    config: &Config,
    users: Users,
    db: &mut dyn Database,
) -> Result<(Arc<Auth>, Option<PathBuf>)> {
    let first_password = users.first()?;
    if config.is_shared() {
        let auth = Auth::shared(users, config.database.clone(), config.clock.clone())?;
        return Ok((auth, first_password));
    }
    let auth = Auth::new(users)?;
    auth.remember(db, config.clock.now())?;
    Ok((Arc::new(auth), first_password))
}

/// Restores what else an earlier run has stored.
pub(super) fn restore(
    config: &Config,
    db: &mut dyn Database,
    channels: &Channels,
) -> Result<(Store, Settings)> {
    let mut settings = Settings::load(db)?;
    settings.titles = Arc::new(config.titles.clone());
    let fixed = targets(db, config, channels)?;
    let mut store = Store::default();
    store.tell(fixed);
    let channels = channels.all();
    store.aim(
        channels
            .iter()
            .filter_map(|one| one.target(&settings.zone))
            .collect(),
    );
    Ok((store, settings))
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
