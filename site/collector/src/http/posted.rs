//! Routes for data that stations post about themselves, and for the dashboard's view of it.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{FromRequest, Query, Request, State};
use axum::http::StatusCode;
use selo_tls::station::Post;
use serde::Deserialize;
use serde_json::Value;

use super::answer::ApiError;
use super::app::App;
use super::caller::{Station, Viewer};
use super::routes::Range;
use crate::metrics::add;
use crate::posted;
use crate::rollup::Level;

/// Request body of a route of [`Post::ROUTES`].
pub struct Body<const ROUTE: usize>(Post);

impl<const ROUTE: usize> FromRequest<Arc<App>> for Body<ROUTE> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, app)
            .await
            .map_err(|error| ApiError::new(error.status(), "invalid", error.body_text(), None))?;
        match Post::parse(Post::ROUTES[ROUTE], &bytes) {
            Some(Ok(post)) => Ok(Body(post)),
            Some(Err(why)) => Err(ApiError::invalid(why)),
            None => Err(ApiError::unknown("such route")),
        }
    }
}

/// Stores a post. Answers after the commit.
pub async fn post<const ROUTE: usize>(
    Station(station): Station,
    State(app): State<Arc<App>>,
    Body(post): Body<ROUTE>,
) -> Result<StatusCode, ApiError> {
    let now = app.clock.now();
    app.write(move |db, _| posted::store(db, &station, &post, now))
        .await?;
    add(&app.metrics.exchange_posts, 1);
    Ok(StatusCode::NO_CONTENT)
}

/// Query parameters of [`summary`].
#[derive(Deserialize)]
pub struct Asked {
    station: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

/// `GET /exchange`: times by suite, and positions.
pub async fn summary(
    _: Viewer,
    State(app): State<Arc<App>>,
    Query(asked): Query<Asked>,
) -> Result<Json<Value>, ApiError> {
    let day = Level::Day.ms();
    let now = app.clock.now();
    let range = Range::parse(asked.from.as_deref(), asked.to.as_deref(), now, day)?;
    let station = asked.station;
    let found = app
        .readers
        .read(move |db| posted::summary(db, station.as_deref(), (range.from, range.to)))
        .await?;
    Ok(Json(found))
}
