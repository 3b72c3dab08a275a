//! `/channels`: how people are told of alarms. Only a person with a session changes or tests
//! them: a leaked token must not make the collector call addresses.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::super::answer::ApiError;
use super::super::app::App;
use super::super::caller::{Admin, Person};
use super::{Answer, Body, Shared};
use crate::blocking::within;
use crate::channel::{self, Change, Channel};
use crate::db::Database;
use crate::error::Result;
use crate::message::time_text;
use crate::sql;
use crate::store::Store;

/// The channel with what waits for it, and its last success and failure.
fn with_outbox(db: &mut dyn Database, channel: &Channel) -> Result<Value> {
    let mut json = channel.json();
    let target = || [channel.target_name().into()];
    if let Some(row) = db.query(sql::COUNT_NOTICES, &target())?.first() {
        let failing = row.opt_int(2).is_some_and(|attempts| attempts > 0);
        json["waiting"] = row.int(0).into();
        json["oldest"] = row.opt_int(1).map(time_text).into();
        json["attempts"] = row.int(2).into();
        json["next"] = row.opt_int(3).filter(|_| failing).map(time_text).into();
    }
    let rows = db.query(sql::DELIVERY, &target())?;
    let row = rows.first();
    json["sent"] = row.map_or(0, |row| row.int(0)).into();
    json["dropped"] = row.map_or(0, |row| row.int(1)).into();
    json["sent_at"] = row.and_then(|row| row.opt_int(2)).map(time_text).into();
    json["failed_at"] = row.and_then(|row| row.opt_int(3)).map(time_text).into();
    json["reason"] = row.and_then(|row| row.opt_text(4)).into();
    Ok(json)
}

fn number(id: &str) -> Result<i64, ApiError> {
    id.parse()
        .map_err(|_| ApiError::unknown(&format!("channel {id}")))
}

impl App {
    /// Reads the channels again, if another collector may have changed them.
    async fn catch_up_channels(&self) -> Result<()> {
        if self.auth.is_shared() {
            self.channels.reload(&self.readers).await?;
        }
        Ok(())
    }

    async fn show_channel(&self, channel: Channel) -> Result<Value> {
        self.readers.read(move |db| with_outbox(db, &channel)).await
    }

    /// Makes the alarms know the channels, after a change of the one with this number. Nothing
    /// waits any more for a channel that was removed or switched off.
    async fn aim(&self, id: i64) -> Result<()> {
        let (channels, zone) = (self.channels.clone(), self.settings.zone.clone());
        let work = move |db: &mut dyn Database, store: &mut Store| {
            // Read here, where one change follows another: the last one wins.
            let known = channels.all();
            store.aim(known.iter().filter_map(|one| one.target(&zone)).collect());
            db.ready()?;
            let channel = known.iter().find(|one| one.id == id);
            let target = || [channel::target_name(id).into()];
            if channel.is_none_or(|channel| !channel.active) {
                db.execute(sql::DELETE_TARGET, &target())?;
            }
            if channel.is_none() {
                db.execute(sql::DELETE_DELIVERY, &target())?;
            }
            Ok(())
        };
        // A database that is away must not keep a channel from the alarms that follow.
        let done = self.ingest.write_in_any_case(work);
        within("the database", super::WRITE_DEADLINE, done).await
    }
}

/// `GET /channels`.
pub async fn channels(_: Admin, State(app): Shared) -> Answer {
    app.catch_up_channels().await?;
    let all = app.channels.all();
    let list = move |db: &mut dyn Database| {
        let each = all.iter().map(|channel| with_outbox(db, channel));
        each.collect::<Result<Vec<Value>>>()
    };
    Ok(Json(json!({"channels": app.readers.read(list).await?})))
}

/// `POST /channels`: adds a channel.
pub async fn new_channel(
    _: Person,
    State(app): Shared,
    Body(asked): Body<Change>,
) -> Result<Response, ApiError> {
    let channel = app.channels.add(asked).await?;
    channel::start(&app.outbox, &app.channels, &app.settings, channel.id);
    app.aim(channel.id).await?;
    let json = app.show_channel(channel).await?;
    Ok((StatusCode::CREATED, Json(json)).into_response())
}

/// `PATCH /channels/{id}`. Absent members stay unchanged, also the secret.
pub async fn patch_channel(
    _: Person,
    State(app): Shared,
    Path(id): Path<String>,
    Body(asked): Body<Change>,
) -> Answer {
    let channel = app.channels.change(number(&id)?, asked).await?;
    app.aim(channel.id).await?;
    Ok(Json(app.show_channel(channel).await?))
}

/// `DELETE /channels/{id}`: removes a channel, and what waits for it.
pub async fn delete_channel(_: Person, State(app): Shared, Path(id): Path<String>) -> Answer {
    let id = number(&id)?;
    app.channels.remove(id).await?;
    app.aim(id).await?;
    Ok(Json(json!({})))
}

/// `POST /channels/{id}/test`: sends a test message now, and tells what came of it.
pub async fn test_channel(_: Person, State(app): Shared, Path(id): Path<String>) -> Answer {
    let id = number(&id)?;
    app.catch_up_channels().await?;
    let channel = app.channels.get(id);
    let channel = channel.ok_or_else(|| ApiError::unknown(&format!("channel {id}")))?;
    let Some(_place) = app.tests.take(id, 1) else {
        return Err(ApiError::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many",
            "a test of this channel is running",
            None,
        ));
    };
    let sent = channel::send_test(&channel, &app.settings, app.clock.now()).await;
    match sent {
        Ok(refused) => Ok(Json(json!({"sent": true, "refused": refused}))),
        Err(reason) => Err(ApiError::new(
            StatusCode::BAD_GATEWAY,
            "not-sent",
            format!("the test message was not sent: {reason}"),
            None,
        )),
    }
}
