//! `/tokens`: the tokens of programs that send or read.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::answer::ApiError;
use super::super::caller::Admin;
use super::{Answer, Body, Shared};
use crate::auth::{self, Role, SITE, Scope, Token};
use crate::db::Value as Column;
use crate::error::Result;
use crate::message::{is_name, time_text};
use crate::sql;

fn token_json(token: &Token, created: i64) -> Value {
    let mut json = json!({
        "id": token.id, "name": token.name, "role": token.role.name(),
        "created": time_text(created),
    });
    if token.role == Role::Device {
        json["site"] = token.scope.site.as_str().into();
        json["stations"] = token.scope.stations().into();
    }
    json
}

fn check_name(name: &str) -> Result<(), ApiError> {
    if is_name(name, 32) {
        return Ok(());
    }
    let what = "a name must have 1 to 32 letters, digits, dots, underscores and hyphens";
    Err(ApiError::invalid(what))
}

/// `GET /tokens`: the tokens without their secrets.
pub async fn tokens(_: Admin, State(app): Shared) -> Answer {
    app.auth.catch_up().await?;
    let rows = app.readers.read(|db| db.query(sql::TOKENS, &[])).await?;
    let known = app.auth.tokens();
    let tokens: Vec<Value> = rows
        .iter()
        .filter_map(|row| Some(token_json(known.get(&row.int(0))?, row.int(4))))
        .collect();
    Ok(Json(json!({"tokens": tokens})))
}

/// Body of [`new_token`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    name: String,
    role: Role,
    /// Site of the stations. Defaults to `site`.
    site: Option<String>,
    /// Stations that a device token may send for. Defaults to the station of the token's name.
    stations: Option<Vec<String>>,
}

/// `POST /tokens`: creates a token. Only this answer contains its secret.
pub async fn new_token(
    _: Admin,
    State(app): Shared,
    Body(asked): Body<NewToken>,
) -> Result<Response, ApiError> {
    check_name(&asked.name)?;
    let site = asked.site.unwrap_or_else(|| SITE.into());
    let stations = asked.stations.unwrap_or_else(|| vec![asked.name.clone()]);
    let scope = Arc::new(Scope::new(&site, stations)?);
    let (token, hash) = auth::new_token()?;
    let now = app.clock.now();
    let parameters: [Column; 6] = [
        asked.name.as_str().into(),
        asked.role.name().into(),
        hash.to_vec().into(),
        now.into(),
        scope.site.as_str().into(),
        scope.to_text().into(),
    ];
    let rows = app
        .change_access(move |db| db.query(sql::INSERT_TOKEN, &parameters))
        .await?;
    let made = Token {
        id: rows.first().map_or(0, |row| row.int(0)),
        name: asked.name,
        role: asked.role,
        scope,
    };
    app.auth.remember_token(hash, made.clone());
    let mut body = token_json(&made, now);
    body["token"] = token.as_str().into();
    Ok((StatusCode::CREATED, Json(body)).into_response())
}

/// Body of [`patch_token`]. Absent members stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenPatch {
    name: Option<String>,
    role: Option<Role>,
    site: Option<String>,
    stations: Option<Vec<String>>,
}

/// Changes a token's name, role or stations. The stations stay when the name changes. Running requests of the token end if it no longer has the
/// right.
pub async fn patch_token(
    _: Admin,
    State(app): Shared,
    Path(id): Path<String>,
    Body(patch): Body<TokenPatch>,
) -> Answer {
    let unknown = || ApiError::unknown(&format!("token {id}"));
    let number: i64 = id.parse().map_err(|_| unknown())?;
    app.auth.catch_up().await?;
    let mut token = app.auth.tokens().remove(&number).ok_or_else(unknown)?;
    let own = |stations: Vec<&str>| stations.into_iter().map(str::to_owned).collect();
    let site = patch.site.as_deref().unwrap_or(&token.scope.site);
    let stations = patch
        .stations
        .unwrap_or_else(|| own(token.scope.stations()));
    token.scope = Arc::new(Scope::new(site, stations)?);
    token.role = patch.role.unwrap_or(token.role);
    token.name = patch.name.unwrap_or(token.name);
    check_name(&token.name)?;
    let parameters: [Column; 5] = [
        token.role.name().into(),
        token.scope.site.as_str().into(),
        token.scope.to_text().into(),
        number.into(),
        token.name.as_str().into(),
    ];
    app.change_access(move |db| db.execute(sql::PATCH_TOKEN, &parameters))
        .await?;
    app.auth.change_token(&token);
    let rows = app.readers.read(|db| db.query(sql::TOKENS, &[])).await?;
    let row = rows.iter().find(|row| row.int(0) == number);
    Ok(Json(token_json(&token, row.ok_or_else(unknown)?.int(4))))
}

/// `DELETE /tokens/{id}`: revokes a token.
pub async fn delete_token(_: Admin, State(app): Shared, Path(id): Path<String>) -> Answer {
    let unknown = || ApiError::unknown(&format!("token {id}"));
    let number: i64 = id.parse().map_err(|_| unknown())?;
    // Revoke the token at once, even if the database is unavailable. In that case it returns at
    // the next start; collectors that share the database delete it when it answers.
    app.auth.forget_token(number);
    let gone = app
        .change_access(move |db| db.execute(sql::DELETE_TOKEN, &[number.into()]))
        .await;
    if gone.is_err() {
        app.auth.forget_token_later(number);
    }
    let gone = gone?;
    if gone == 0 {
        return Err(unknown());
    }
    Ok(Json(json!({})))
}
