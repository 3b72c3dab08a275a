//! `/site`: name and time zone of the site.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::app::App;
use super::super::caller::{Admin, Viewer};
use super::{Answer, Body, Shared};
use crate::settings;

fn site_json(app: &App) -> Value {
    json!({"name": app.settings.name(), "zone": app.settings.zone.name()})
}

/// `GET /site`.
pub async fn site(_: Viewer, State(app): Shared) -> Answer {
    Ok(Json(site_json(&app)))
}

/// Body of [`patch_site`]. Absent members stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SitePatch {
    name: Option<String>,
    /// Name in the IANA database, such as `America/Sao_Paulo`.
    zone: Option<String>,
}

/// `PATCH /site`.
pub async fn patch_site(_: Admin, State(app): Shared, Body(patch): Body<SitePatch>) -> Answer {
    let name = patch.name.map(|name| name.trim().to_string());
    settings::check(name.as_deref(), patch.zone.as_deref())?;
    let stored = (name.clone(), patch.zone.clone());
    app.write(move |db, _| {
        if let Some(name) = &stored.0 {
            settings::store(db, "name", name)?;
        }
        if let Some(zone) = &stored.1 {
            settings::store(db, "zone", zone)?;
        }
        Ok(())
    })
    .await?;
    if let Some(name) = name {
        app.settings.set_name(&name);
    }
    if let Some(zone) = patch.zone {
        app.settings.zone.set(&zone)?;
    }
    Ok(Json(site_json(&app)))
}
