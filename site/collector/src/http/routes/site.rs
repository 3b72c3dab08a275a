//! `/site` and `/public`: name and time zone of the site, and what of it is public.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::app::App;
use super::super::caller::{Admin, Viewer};
use super::{Answer, Body, Shared};
use crate::public::Public;
use crate::settings;

fn site_json(app: &App) -> Value {
    let zone = app.settings.zone.name();
    let chosen = zone.is_some();
    let zone = zone.as_deref().unwrap_or("UTC");
    json!({"name": app.settings.name(), "zone": zone, "zone_chosen": chosen})
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
    app.change_access(move |db| {
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

/// `GET /public`: what is public.
pub async fn public(_: Admin, State(app): Shared) -> Answer {
    Ok(Json(json!(app.settings.public())))
}

/// `PUT /public`: chooses what is public.
pub async fn put_public(_: Admin, State(app): Shared, Body(wanted): Body<Public>) -> Answer {
    wanted.check()?;
    let text = json!(wanted).to_string();
    app.change_access(move |db| settings::store(db, "public", &text))
        .await?;
    app.settings.set_public(wanted);
    app.public.forget().await;
    Ok(Json(json!(app.settings.public())))
}
