//! The readings of stations: `/series`, `/rain`, `/events`, `/sparklines` and `/frames`.

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Deserialize;

use super::super::answer::ApiError;
use super::super::caller::Viewer;
use super::stations::named;
use super::{Answer, Range, Shared};
use crate::db::Database;
use crate::query::{self, Before, Step};
use crate::rollup::Level;
use crate::timeline;

/// Query parameters of [`series`] and [`rain`].
#[derive(Deserialize)]
pub struct Series {
    name: Option<String>,
    from: Option<String>,
    to: Option<String>,
    step: Option<String>,
}

impl Series {
    /// The times asked for: the last day, unless the query says otherwise.
    fn range(&self, now: i64) -> crate::error::Result<Range> {
        let day = Level::Day.ms();
        Range::parse(self.from.as_deref(), self.to.as_deref(), now, day)
    }

    fn name(&self) -> Result<String, ApiError> {
        name_of(self.name.clone())
    }
}

fn name_of(asked: Option<String>) -> Result<String, ApiError> {
    asked.ok_or_else(|| ApiError::invalid("the parameter name is missing: it names the value"))
}

/// `GET /stations/{station}/series`: a value over time, as columns.
pub async fn series(
    _: Viewer,
    State(app): Shared,
    Path(id): Path<String>,
    Query(asked): Query<Series>,
) -> Answer {
    let range = asked.range(app.clock.now())?;
    let step = Step::parse(asked.step.as_deref().unwrap_or("minute"))?;
    let name = asked.name()?;
    let station = app.station_id(id).await?;
    let zone = app.settings.zone.now();
    let series = app
        .readers
        .read(move |db| query::series(db, &station, &name, (range.from, range.to), step, &zone))
        .await?;
    Ok(Json(series))
}

/// `GET /stations/{station}/rain`: rain per step.
pub async fn rain(
    _: Viewer,
    State(app): Shared,
    Path(id): Path<String>,
    Query(asked): Query<Series>,
) -> Answer {
    let range = asked.range(app.clock.now())?;
    let Step::Rollup(level) = Step::parse(asked.step.as_deref().unwrap_or("hour"))? else {
        return Err(ApiError::invalid("step must be minute, hour or day"));
    };
    let station = app.station_id(id).await?;
    let zone = app.settings.zone.now();
    let rain = app
        .readers
        .read(move |db| query::rain(db, &station, (range.from, range.to), level, &zone))
        .await?;
    Ok(Json(rain))
}

/// `GET /stations/{station}/events`: restarts, and hours without a set clock or a radio.
pub async fn station_events(
    _: Viewer,
    State(app): Shared,
    Path(id): Path<String>,
    Query(asked): Query<Series>,
) -> Answer {
    let range = asked.range(app.clock.now())?;
    let station = app.station_id(id).await?;
    let work = move |db: &mut dyn Database| timeline::events(db, &station, (range.from, range.to));
    Ok(Json(app.readers.read(work).await?))
}

/// Query parameters of [`sparklines`].
#[derive(Deserialize)]
pub struct Lines {
    name: Option<String>,
    stations: Option<String>,
}

/// `GET /sparklines`: the last hours of one value of all stations, or of the named ones.
pub async fn sparklines(_: Viewer, State(app): Shared, Query(asked): Query<Lines>) -> Answer {
    let name = name_of(asked.name)?;
    let chosen = asked.stations.as_deref().map(named).transpose()?;
    let now = app.clock.now();
    let lines = app
        .readers
        .read(move |db| timeline::sparklines(db, &name, chosen.as_deref(), now))
        .await?;
    Ok(Json(lines))
}

/// Query parameters of [`frames`].
#[derive(Deserialize)]
pub struct Frames {
    /// A station id or a device id.
    #[serde(alias = "station")]
    device: Option<String>,
    limit: Option<i64>,
    before: Option<String>,
}

/// `GET /frames`: a page of the frame log, newest first.
pub async fn frames(_: Viewer, State(app): Shared, Query(asked): Query<Frames>) -> Answer {
    let limit = asked.limit.unwrap_or(100);
    if !(1..=query::FRAMES_MAX).contains(&limit) {
        return Err(ApiError::invalid(format!(
            "limit must be from 1 to {}",
            query::FRAMES_MAX
        )));
    }
    let before = asked.before.as_deref().map(Before::parse).transpose()?;
    let before = before.unwrap_or(Before::END);
    let station = match asked.device {
        Some(id) => Some(app.station_id(id).await?),
        None => None,
    };
    let frames = app
        .readers
        .read(move |db| query::frames(db, station.as_deref(), &before, limit))
        .await?;
    Ok(Json(frames))
}
