//! `/stations`: the list, one station, and changes of it. `/names`, `/overview` and
//! `/map/stations`: lists of many stations. They are not below `/stations/`, where an id stands.

use std::sync::atomic::Ordering::Relaxed;

use axum::Json;
use axum::extract::{Path, Query, State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::answer::ApiError;
use super::super::app::App;
use super::super::caller::{Operator, Viewer};
use super::{Answer, Body, Shared};
use crate::db::{Database, Value as Column, transaction};
use crate::error::{Error, Result};
use crate::overview::{self, Order};
use crate::{live, query, sql};

impl App {
    async fn find_stations(&self, chosen: Option<Vec<String>>) -> Result<Vec<Value>> {
        let (now, silent_after) = (self.clock.now(), self.silent_after_ms);
        self.readers
            .read(move |db| query::stations(db, chosen.as_deref(), now, silent_after))
            .await
    }

    /// Resolves a station id. A device id is enough if only one site has that device.
    pub(super) async fn station_id(&self, id: String) -> Result<String> {
        let find = move |db: &mut dyn Database| query::find_station(db, &id);
        self.readers.read(find).await
    }

    async fn find_station(&self, station: &str) -> Result<Value> {
        let mut found = self.find_stations(Some(vec![station.into()])).await?;
        found.pop().ok_or_else(|| Error::Unknown {
            what: format!("station '{station}'"),
        })
    }
}

/// Maximum stations that a request names. The dashboard has the same.
const NAMED_MAX: usize = 100;

/// Parses station ids with commas between. A station that is named twice is one.
pub(super) fn named(text: &str) -> Result<Vec<String>, ApiError> {
    let mut ids: Vec<String> = text
        .split(',')
        .filter(|id| !id.is_empty())
        .take(NAMED_MAX + 1)
        .map(str::to_string)
        .collect();
    if ids.len() > NAMED_MAX {
        let what = format!("at most {NAMED_MAX} stations may be named");
        return Err(ApiError::invalid(what));
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Query parameters of [`stations`].
#[derive(Deserialize)]
pub struct Asked {
    /// Unknown stations are left out.
    stations: Option<String>,
}

/// `GET /stations`: all stations, or the named ones. A dashboard with many stations asks for the
/// changed ones only.
pub async fn stations(_: Viewer, State(app): Shared, Query(asked): Query<Asked>) -> Answer {
    let chosen = asked.stations.as_deref().map(named).transpose()?;
    let stations = app.find_stations(chosen).await?;
    Ok(Json(
        json!({"stations": stations, "retention": retention(&app)}),
    ))
}

/// Shown by the dashboard when old rows are not deleted.
fn retention(app: &App) -> Value {
    let (held, behind) = (&app.metrics.prune_held, &app.metrics.prune_behind);
    json!({"held": held.load(Relaxed) == 1, "behind_seconds": behind.load(Relaxed)})
}

/// `GET /names`: what choices of a station or a value show.
pub async fn names(_: Viewer, State(app): Shared) -> Answer {
    let mut names = app.readers.read(overview::names).await?;
    let values = names["values"].as_array().into_iter().flatten();
    let titles = app.settings.titles.json(values.filter_map(Value::as_str));
    names["titles"] = titles;
    Ok(Json(names))
}

/// Query parameters of [`overview`].
#[derive(Deserialize)]
pub struct Page {
    order: Option<String>,
    search: Option<String>,
    from: Option<usize>,
    limit: Option<usize>,
}

/// `GET /overview`: a page of the stations in an order.
pub async fn overview(_: Viewer, State(app): Shared, Query(asked): Query<Page>) -> Answer {
    let limit = asked.limit.unwrap_or(NAMED_MAX);
    if !(1..=NAMED_MAX).contains(&limit) {
        let what = format!("limit must be from 1 to {NAMED_MAX}");
        return Err(ApiError::invalid(what));
    }
    let page = overview::Page {
        order: Order::parse(asked.order.as_deref().unwrap_or("worst"))?,
        search: asked.search.unwrap_or_default(),
        from: asked.from.unwrap_or(0),
        limit,
    };
    let (now, silent_after) = (app.clock.now(), app.silent_after_ms);
    let mut found = app
        .readers
        .read(move |db| overview::overview(db, &page, now, silent_after))
        .await?;
    found["retention"] = retention(&app);
    Ok(Json(found))
}

/// Query parameters of [`map_stations`].
#[derive(Deserialize)]
pub struct OnMap {
    show: Option<String>,
    stations: Option<String>,
}

/// `GET /map/stations`: all stations, or the named ones, with what the map shows of each.
pub async fn map_stations(_: Viewer, State(app): Shared, Query(asked): Query<OnMap>) -> Answer {
    let chosen = asked.stations.as_deref().map(named).transpose()?;
    let show = asked.show.unwrap_or_else(|| "rain.hour".into());
    let (now, silent_after) = (app.clock.now(), app.silent_after_ms);
    let stations = app
        .readers
        .read(move |db| overview::on_map(db, chosen.as_deref(), &show, now, silent_after))
        .await?;
    Ok(Json(json!({"stations": stations})))
}

/// `GET /stations/{station}`.
pub async fn station(_: Viewer, State(app): Shared, Path(id): Path<String>) -> Answer {
    let station = app.station_id(id).await?;
    Ok(Json(app.find_station(&station).await?))
}

/// Body of [`patch_station`]. Absent members stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    name: Option<String>,
    latitude: Option<f64>,
    longitude: Option<f64>,
}

/// `PATCH /stations/{station}`: sets the name and the position.
pub async fn patch_station(
    _: Operator,
    State(app): Shared,
    Path(id): Path<String>,
    Body(patch): Body<Patch>,
) -> Answer {
    if let Some(name) = &patch.name
        && (name.trim().is_empty()
            || name.chars().count() > 64
            || name.chars().any(char::is_control))
    {
        return Err(ApiError::invalid("a name must have 1 to 64 characters"));
    }
    let within = |place: Option<f64>, most: f64| place.is_none_or(|at| at.abs() <= most);
    if !within(patch.latitude, 90.0) || !within(patch.longitude, 180.0) {
        return Err(ApiError::invalid(
            "latitude must be from -90 to 90, longitude from -180 to 180",
        ));
    }
    let station = app.station_id(id).await?;
    let parameters: [Column; 4] = [
        patch.name.into(),
        patch.latitude.into(),
        patch.longitude.into(),
        station.as_str().into(),
    ];
    app.write(move |db, _| db.execute(sql::PATCH_STATION, &parameters))
        .await?;
    let station = app.find_station(&station).await?;
    let line = station.to_string();
    app.events.publish("station", line.as_str().into());
    if app.auth.is_shared() {
        let tell = move |db: &mut dyn Database| live::tell_event(db, "station", &line);
        // The change is made. Viewers elsewhere see it later if this fails.
        let _ = app.write(move |db, _| transaction(db, tell)).await;
    }
    Ok(Json(station))
}
