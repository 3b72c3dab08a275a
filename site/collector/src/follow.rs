//! Settings and channels that another collector of the same database has changed. It asks each second
//! whether they have.

use std::sync::Arc;
use std::time::Duration;

use crate::channel;
use crate::db::{Database, Row};
use crate::error::Result;
use crate::http::App;
use crate::sql;
use crate::store::Store;

/// Interval at which the database is asked for changes.
const LOOK: Duration = Duration::from_secs(1);

/// Follows the changes until the runtime ends.
pub(crate) async fn run(app: Arc<App>) {
    let mut seen = None;
    loop {
        tokio::time::sleep(LOOK).await;
        let look = app.readers.read(move |db| news(db, seen)).await;
        // What a database that is away means for requests is logged elsewhere.
        if let Ok(Some((number, settings))) = look
            && take(&app, &settings).await.is_ok()
        {
            seen = Some(number);
        }
        for channel in app.channels.all() {
            channel::start(&app.outbox, &app.channels, &app.settings, channel.id);
        }
    }
}

/// The number of changes and the settings, if the number is another one than was seen.
fn news(db: &mut dyn Database, seen: Option<i64>) -> Result<Option<(i64, Vec<Row>)>> {
    // Read before the tables: a later change is then seen by the next look.
    let rows = db.query(sql::ACCESS, &[])?;
    let number = rows.first().map_or(0, |row| row.int(0));
    if seen == Some(number) {
        return Ok(None);
    }
    Ok(Some((number, db.query(sql::SETTINGS, &[])?)))
}

async fn take(app: &App, settings: &[Row]) -> Result<()> {
    let before = app.settings.public();
    app.settings.take(settings);
    if app.settings.public() != before {
        app.public.forget().await;
    }
    let old = app.channels.all();
    app.channels.reload(&app.readers).await?;
    let known = app.channels.clone();
    let zone = app.settings.zone.clone();
    let aim = move |db: &mut dyn Database, store: &mut Store| {
        let known = known.all();
        store.aim(known.iter().filter_map(|one| one.target(&zone)).collect());
        // An alarm may have left a notice for a channel that was just removed or switched off.
        let is_wanted = |id| known.iter().any(|one| one.id == id && one.active);
        let gone = old.iter().filter(|one| !is_wanted(one.id));
        let gone: Vec<_> = gone.map(|one| vec![one.target_name().into()]).collect();
        if !gone.is_empty() {
            db.ready()?;
        }
        gone.iter().try_for_each(|target| {
            db.execute(sql::DELETE_TARGET, target)?;
            Ok(())
        })
    };
    app.ingest.write_in_any_case(aim).await
}
