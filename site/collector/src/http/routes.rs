//! Request handlers. Each parses its request, queries the database and formats the answer.

mod alarms;
mod channels;
mod gateway;
mod login;
mod map;
mod series;
mod site;
mod stations;
mod status;
mod tokens;
mod users;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answer::ApiError;
use super::app::App;
pub use super::public::{data as public_data, page as public_page};
use crate::blocking::within;
use crate::db::{Database, transaction};
use crate::error::{Error, Result};
use crate::sql;
use crate::store::Store;

pub use alarms::{acknowledge, alarms, journal, rules, set_rules};
pub use channels::{channels, delete_channel, new_channel, patch_channel, test_channel};
pub use gateway::{label, pairing, patch_device};
pub use login::{login, logout, me};
pub use map::{GROUND_MAX, delete_ground, ground, map, patch_map, put_ground};
pub use series::{frames, rain, series, sparklines, station_events};
pub use site::{patch_site, public, put_public, site};
pub use stations::{map_stations, names, overview, patch_station, station, stations};
pub use status::{health, metrics};
pub use tokens::{delete_token, new_token, patch_token, tokens};
pub use users::{delete_user, new_user, password, patch_user, users};

/// Longest time that a request waits for the writer thread. The requested work may still be done
/// later.
const WRITE_DEADLINE: Duration = Duration::from_secs(30);
/// The API's description, served at `/api/v1/openapi.json`.
pub const OPENAPI: &str = include_str!("../../openapi.json");

type Answer = Result<Json<Value>, ApiError>;
type Shared = State<Arc<App>>;

/// A JSON body. Parse errors are reported in the format of all other errors.
#[derive(Debug)]
pub struct Body<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, app)
            .await
            .map_err(|error| ApiError::new(error.status(), "invalid", error.body_text(), None))?;
        serde_json::from_slice(&bytes)
            .map(Body)
            .map_err(|error| ApiError::invalid(format!("invalid body: {error}")))
    }
}

/// A time range in Unix milliseconds: `from` inclusive, `to` exclusive.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    pub from: i64,
    pub to: i64,
}

impl Range {
    /// Parses a range. Without `from` it begins `span` ms before `to`; a `span` of 0 means from
    /// the beginning.
    pub fn parse(from: Option<&str>, to: Option<&str>, now: i64, span: i64) -> Result<Range> {
        // Include messages that have just arrived.
        let to = to.map_or(Ok(now + 1), moment)?;
        let from = match from {
            Some(text) => moment(text)?,
            None if span == 0 => 0,
            None => to - span,
        };
        if from >= to {
            return Err(Error::Invalid("from must be before to".into()));
        }
        Ok(Range { from, to })
    }
}

/// Parses Unix milliseconds, or RFC 3339.
fn moment(text: &str) -> Result<i64> {
    // Bound that keeps every sum with a time from overflowing.
    const FURTHEST: i64 = 1 << 53;
    if let Ok(ms) = text.parse::<i64>() {
        if (0..=FURTHEST).contains(&ms) {
            return Ok(ms);
        }
    } else if let Ok(time) = humantime::parse_rfc3339_weak(text)
        && let Ok(since) = time.duration_since(std::time::UNIX_EPOCH)
    {
        return Ok(since.as_millis() as i64);
    }
    Err(Error::Invalid(format!(
        "'{text}' is not a valid time: Unix milliseconds, or RFC 3339"
    )))
}

/// `GET /openapi.json`.
pub async fn openapi() -> Response {
    ([(header::CONTENT_TYPE, "application/json")], OPENAPI).into_response()
}

/// Answers every unknown route with 404.
pub async fn no_such_route(uri: Uri) -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "unknown",
        format!("there is no {}", uri.path()),
        Some("see /api/v1/openapi.json for the routes"),
    )
}

/// Answers every unknown method of a route with 405.
pub async fn no_such_method() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method",
        "this route does not support that method",
        Some("see /api/v1/openapi.json for its methods"),
    )
}

impl App {
    /// Runs work on the writer thread, with a deadline for the request.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Database, &mut Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        within("the database", WRITE_DEADLINE, self.ingest.write(work)).await
    }

    /// Changes tokens, logins or settings in the database, and tells the other collectors that share it.
    async fn change_access<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn Database) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if !self.auth.is_shared() {
            return self.write(move |db, _| work(db)).await;
        }
        let done = self.write(move |db, _| {
            transaction(db, |db| {
                db.execute(sql::CHANGE_ACCESS, &[])?;
                work(db)
            })
        });
        let done = done.await?;
        // It is done, whether it is read again now or later.
        let _ = self.auth.catch_up().await;
        Ok(done)
    }
}
