//! `/alarms`, `/journal` and `/rules`.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::answer::ApiError;
use super::super::caller::{Admin, Operator, Viewer};
use super::{Answer, Body, Shared};
use crate::alarm::{self, Acknowledgement, Rule};
use crate::journal;
use crate::sql;

/// `GET /alarms`: active and past alarms.
pub async fn alarms(_: Viewer, State(app): Shared) -> Answer {
    let (active, past) = app
        .readers
        .read(|db| {
            let active = db.query(&sql::active_alarms(), &[])?;
            let past = db.query(&sql::past_alarms(), &[500_i64.into()])?;
            Ok((active, past))
        })
        .await?;
    let json =
        |rows: Vec<crate::db::Row>| -> Vec<Value> { rows.iter().map(alarm::row_json).collect() };
    Ok(Json(json!({"active": json(active), "past": json(past)})))
}

/// Body of [`acknowledge`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// Name of the person, where several share an account.
    name: Option<String>,
    note: Option<String>,
}

/// `POST /alarms/{id}/acknowledge`: somebody takes care of an alarm. The user's or the token's
/// name is always noted.
pub async fn acknowledge(
    Operator(caller): Operator,
    State(app): Shared,
    Path(id): Path<String>,
    Body(said): Body<Note>,
) -> Answer {
    let alarm: i64 = id
        .parse()
        .map_err(|_| ApiError::unknown(&format!("alarm {id}")))?;
    let clean = |text: Option<String>, most: usize| match text.as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) if text.chars().count() > most || text.chars().any(char::is_control) => {
            Err(ApiError::invalid(format!(
                "a name or a note has at most {most} characters, in one line"
            )))
        }
        Some(text) => Ok(Some(text.to_string())),
    };
    let by = Acknowledgement {
        alarm,
        person: match clean(said.name, 64)? {
            Some(name) if name != caller.name => format!("{name} ({})", caller.name),
            _ => caller.name,
        },
        note: clean(said.note, 500)?,
    };
    let now = app.clock.now();
    let change = app
        .write(move |db, store| store.acknowledge(db, &by, now))
        .await?;
    app.ingest.tell(std::slice::from_ref(&change));
    Ok(Json(serde_json::from_str(&change.body).unwrap_or_default()))
}

/// Query parameters of [`journal`].
#[derive(Deserialize)]
pub struct Asked {
    station: Option<String>,
    from: Option<String>,
    /// `next` of the previous answer.
    before: Option<String>,
    limit: Option<i64>,
}

/// `GET /journal`: events of alarms, newest first.
pub async fn journal(_: Viewer, State(app): Shared, Query(asked): Query<Asked>) -> Answer {
    let limit = asked.limit.unwrap_or(100);
    if !(1..=journal::PAGE_MAX).contains(&limit) {
        return Err(ApiError::invalid(format!(
            "limit must be from 1 to {}",
            journal::PAGE_MAX
        )));
    }
    let from = asked.from.as_deref().map_or(Ok(0), super::moment)?;
    let before = match asked.before.as_deref() {
        None => (i64::MAX, i64::MAX),
        Some(text) => text
            .split_once('-')
            .and_then(|(at, id)| Some((at.parse().ok()?, id.parse().ok()?)))
            .ok_or_else(|| ApiError::invalid("before must be `next` of an earlier answer"))?,
    };
    let station = asked.station.filter(|station| !station.is_empty());
    let rows = app
        .readers
        .read(move |db| {
            let find = |id: String| crate::query::find_station(db, &id);
            let station = station.map(find).transpose()?;
            journal::events(db, before, from, station.as_deref(), limit)
        })
        .await?;
    let next = rows
        .last()
        .filter(|_| rows.len() as i64 == limit)
        .map(|row| {
            let (at, id) = journal::position(row);
            format!("{at}-{id}")
        });
    let events: Vec<Value> = rows.iter().map(journal::json_of).collect();
    Ok(Json(json!({"events": events, "next": next})))
}

/// `GET /rules`.
pub async fn rules(_: Viewer, State(app): Shared) -> Answer {
    let rules = app.readers.read(alarm::load_rules).await?;
    Ok(Json(json!({"rules": rules})))
}

/// Body of [`set_rules`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    rules: Vec<Rule>,
}

/// Replaces all rules.
pub async fn set_rules(_: Admin, State(app): Shared, Body(Rules { rules }): Body<Rules>) -> Answer {
    let now = app.clock.now();
    let changes = app
        .write(move |db, store| store.set_rules(db, &rules, now))
        .await?;
    app.ingest.tell(&changes);
    let rules = app.readers.read(alarm::load_rules).await?;
    Ok(Json(json!({"rules": rules})))
}
