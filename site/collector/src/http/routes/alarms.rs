//! `/alarms` and `/rules`.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::caller::{Admin, Viewer};
use super::{Answer, Body, Shared};
use crate::alarm::{self, Rule};
use crate::sql;

/// `GET /alarms`: active and past alarms.
pub async fn alarms(_: Viewer, State(app): Shared) -> Answer {
    let (active, past) = app
        .readers
        .read(|db| {
            let active = db.query(sql::ACTIVE_ALARMS, &[])?;
            let past = db.query(&sql::past_alarms(), &[500_i64.into()])?;
            Ok((active, past))
        })
        .await?;
    let json =
        |rows: Vec<crate::db::Row>| -> Vec<Value> { rows.iter().map(alarm::row_json).collect() };
    Ok(Json(json!({"active": json(active), "past": json(past)})))
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
