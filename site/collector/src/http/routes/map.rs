//! `/map`: the ground of the map, a GeoJSON file or a picture, and an address of tiles.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::answer::ApiError;
use super::super::app::App;
use super::super::caller::{Admin, Viewer};
use super::{Answer, Body, Shared};
use crate::error::{Error, Result};
use crate::settings;
use crate::{geojson, sql};

/// Longest ground, in bytes.
pub const GROUND_MAX: usize = 2 << 20;

/// The format of a picture by its first bytes. SVG is missing, because it may contain programs.
fn picture(body: &[u8]) -> Option<&'static str> {
    match body {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        // The four bytes between are the length. Sounds and films are RIFF files too.
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}
const GEOJSON: &str = "application/geo+json";

/// South, west, north and east of a picture.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Bounds {
    south: Option<f64>,
    west: Option<f64>,
    north: Option<f64>,
    east: Option<f64>,
}

impl Bounds {
    fn corners(self) -> Result<[f64; 4]> {
        if let (Some(south), Some(west), Some(north), Some(east)) =
            (self.south, self.west, self.north, self.east)
        {
            // The projection has no poles.
            let latitudes = -85.0 <= south && south < north && north <= 85.0;
            let longitudes = -180.0 <= west && west < east && east <= 180.0;
            if latitudes && longitudes {
                return Ok([south, west, north, east]);
            }
        }
        let what = "a picture needs south < north and west < east, in degrees";
        Err(Error::Invalid(what.into()))
    }
}

/// `GET /map`.
pub async fn map(_: Viewer, State(app): Shared) -> Answer {
    app.show_map().await
}

impl App {
    async fn show_map(&self) -> Answer {
        let rows = self
            .readers
            .read(|db| db.query(sql::GROUND_HEAD, &[]))
            .await?;
        let ground = rows.first().map(|row| {
            let bounds: Value = serde_json::from_str(row.text(1)).unwrap_or_default();
            json!({"kind": row.text(0), "bounds": bounds, "tag": row.text(2)})
        });
        Ok(Json(
            json!({"ground": ground, "tiles": self.settings.tiles()}),
        ))
    }
}

/// `GET /map/ground`: the file itself.
pub async fn ground(
    _: Viewer,
    State(app): Shared,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let rows = app.readers.read(|db| db.query(sql::GROUND, &[])).await?;
    let row = rows
        .first()
        .ok_or_else(|| ApiError::unknown("ground of the map"))?;
    let tag = format!("\"{}\"", row.text(2));
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|tag| tag.to_str().ok());
    let cache = [
        (header::ETAG, tag.clone()),
        (header::CACHE_CONTROL, "private, no-cache".into()),
    ];
    if known == Some(tag.as_str()) {
        return Ok((StatusCode::NOT_MODIFIED, cache).into_response());
    }
    let kind = [(header::CONTENT_TYPE, row.text(0).to_string())];
    Ok((cache, kind, row.blob(1).to_vec()).into_response())
}

/// `PUT /map/ground`: replaces the ground. The body is the file. A picture needs its bounds.
pub async fn put_ground(
    _: Admin,
    State(app): Shared,
    Query(bounds): Query<Bounds>,
    body: Bytes,
) -> Answer {
    let (kind, bounds) = match picture(&body) {
        Some(kind) => (kind, json!(bounds.corners()?)),
        None => (GEOJSON, Value::Null),
    };
    let bytes = if kind == GEOJSON {
        geojson::reduced(&body)?
    } else {
        body.to_vec()
    };
    let tag = hex::encode(&Sha256::digest(&bytes)[..8]);
    let row = [
        kind.into(),
        bytes.into(),
        bounds.to_string().into(),
        tag.into(),
    ];
    app.write(move |db, _| db.execute(sql::SET_GROUND, &row))
        .await?;
    app.show_map().await
}

/// `DELETE /map/ground`.
pub async fn delete_ground(_: Admin, State(app): Shared) -> Answer {
    app.write(|db, _| db.execute(sql::DELETE_GROUND, &[]))
        .await?;
    Ok(Json(json!({})))
}

/// Body of [`patch_map`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapPatch {
    /// `https://.../{z}/{x}/{y}.png`; empty: no tiles.
    tiles: String,
}

/// `PATCH /map`: the address of tiles. Browsers then load pictures from another server.
pub async fn patch_map(_: Admin, State(app): Shared, Body(patch): Body<MapPatch>) -> Answer {
    let tiles = patch.tiles.trim().to_string();
    if !tiles.is_empty() {
        let origin = settings::tiles_origin(&tiles)?;
        // Browsers load no http:// pictures into a page that they got over https://.
        if app.secure && origin.starts_with("http://") {
            let what = "this site is served over https://, so its tiles must be too";
            return Err(ApiError::invalid(what));
        }
    }
    let stored = tiles.clone();
    app.change_access(move |db| settings::store(db, "tiles", &stored))
        .await?;
    app.settings.set_tiles(&tiles);
    app.show_map().await
}
