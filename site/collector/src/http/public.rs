//! The public page: chosen stations without a login, for a town's web site. It may be shown in
//! frames of other sites, so it has no scripts and nothing that could be clicked in a user's name.
//!
//! A page is made at most once in [`FRESH_MS`](super::made::FRESH_MS) for each language, however many ask for it. So there
//! is no limit for an address: in a flood, many people behind one address look at it.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;

use super::answer::ApiError;
use super::app::App;
use super::made::FRESH_MS;
use crate::error::Result;
use crate::public::{self, Form};
use crate::query;

/// The page's own policy: no scripts, and any site may frame it.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors *";

/// Marks a response that other sites may frame.
#[derive(Debug, Clone, Copy)]
pub struct Framed;

/// Query parameters of [`page`].
#[derive(Debug, Deserialize)]
pub struct Asked {
    lang: Option<String>,
}

/// `GET /public`: the page, in the language of `lang` or of the browser.
pub async fn page(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
    Query(asked): Query<Asked>,
) -> Result<Response, ApiError> {
    let accepted = headers
        .get(header::ACCEPT_LANGUAGE)
        .and_then(|text| text.to_str().ok());
    let wanted = asked.lang.as_deref().or(accepted).unwrap_or("");
    let form = if wanted.starts_with("pt") {
        Form::Portuguese
    } else {
        Form::English
    };
    let body = made(&app, form).await?;
    let head = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("text/html; charset=utf-8"),
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static(POLICY),
        ),
        (header::VARY, HeaderValue::from_static("accept-language")),
    ];
    Ok((head, answer(&body)).into_response())
}

/// `GET /public.json`: the same data for programs of any site.
pub async fn data(State(app): State<Arc<App>>) -> Result<Response, ApiError> {
    let body = made(&app, Form::Json).await?;
    let head = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        ),
    ];
    Ok((head, answer(&body)).into_response())
}

fn answer(body: &Arc<str>) -> Response {
    let cache = HeaderValue::from_static("public, max-age=30");
    let policy = HeaderValue::from_static("cross-origin");
    let mut response = body.to_string().into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    let name = header::HeaderName::from_static("cross-origin-resource-policy");
    response.headers_mut().insert(name, policy);
    response.extensions_mut().insert(Framed);
    response
}

/// The body of a form: the made one if it is fresh, else a new one.
async fn made(app: &App, form: Form) -> Result<Arc<str>, ApiError> {
    let now = app.clock.now();
    // One request makes the page, and the others wait for it. The choice is read under the lock:
    // `forget` would miss a page that is made later from an older choice.
    let mut pages = app.public.0.lock().await;
    let shown = app.settings.public();
    if !shown.enabled {
        return Err(ApiError::unknown("public page"));
    }
    if let Some((at, body)) = &pages[form as usize]
        && (0..FRESH_MS).contains(&(now - at))
    {
        return Ok(body.clone());
    }
    let silent_after = app.silent_after_ms;
    let stations: Vec<Value> = app
        .readers
        .read(move |db| query::stations(db, None, now, silent_after))
        .await?;
    let site = public::Of {
        name: app.settings.name(),
        zone: app.settings.zone.now(),
    };
    let body: Arc<str> = public::body(form, &shown, &stations, &site, now).into();
    pages[form as usize] = Some((now, body.clone()));
    Ok(body)
}
