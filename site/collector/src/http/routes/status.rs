//! `/healthz` and `/metrics`.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::super::answer::ApiError;
use super::Shared;
use crate::blocking::within;
use crate::sql;

const HEALTH_DEADLINE: Duration = Duration::from_secs(5);

/// `GET /healthz`: 200 if readings are being stored, else 503.
pub async fn health(State(app): Shared) -> Response {
    let asked = app.readers.read(|db| db.query(sql::PING, &[]));
    let alive = within("the database", HEALTH_DEADLINE, asked).await;
    let stores = app
        .metrics
        .database_up
        .load(std::sync::atomic::Ordering::Relaxed)
        == 1;
    match alive {
        Ok(_) if stores => Json(json!({"status": "ok"})).into_response(),
        Ok(_) => {
            let body = json!({"status": "not-storing"});
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
        Err(error) => ApiError::from(error).into_response(),
    }
}

/// `GET /metrics` in the OpenMetrics format.
pub async fn metrics(State(app): Shared) -> Response {
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = app.metrics.render(app.events.listeners());
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
