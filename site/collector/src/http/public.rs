//! The public page: chosen stations without a login, for a town's web site. It may be shown in
//! frames of other sites, so it has no scripts and nothing that could be clicked in a user's name.
//!
//! A page is made at most once in [`FRESH_MS`](super::made::FRESH_MS) for each language, however
//! many ask for it, also if that fails. So there is no limit for an address: in a flood, many
//! people behind one address look at it.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;

use super::answer::ApiError;
use super::app::App;
use super::made::{FRESH_MS, Page};
use crate::blocking::within;
use crate::error::Result;
use crate::public::{self, Form, Public};
use crate::query;

/// Longest time that a page waits for the database. All visitors wait with it.
const READ_DEADLINE: Duration = Duration::from_secs(10);

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

/// The body of a form: the made one if it is fresh, else a new one. If none can be made, it is the
/// old one, which says its time.
async fn made(app: &App, form: Form) -> Result<Arc<str>, ApiError> {
    let now = app.clock.now();
    // One request makes the page, and the others wait for it. The choice is read under the lock:
    // `forget` would miss a page that is made later from an older choice.
    let mut pages = app.public.0.lock().await;
    let shown = app.settings.public();
    if !shown.enabled {
        return Err(ApiError::unknown("public page"));
    }
    let page = &mut pages[form as usize];
    let is_fresh = |page: &Page| (0..FRESH_MS).contains(&(now - page.at));
    if !page.as_ref().is_some_and(is_fresh) {
        let body = match made_now(app, form, &shown, now).await {
            Ok(body) => Some(body),
            Err(error) => {
                tracing::warn!("the public page cannot be made, the old one is shown: {error}");
                page.take().and_then(|page| page.body)
            }
        };
        *page = Some(Page { at: now, body });
    }
    page.as_ref()
        .and_then(|page| page.body.clone())
        .ok_or_else(not_made)
}

fn not_made() -> ApiError {
    ApiError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "unavailable",
        "the page cannot be made now",
        Some("try again in a minute"),
    )
}

async fn made_now(app: &App, form: Form, shown: &Public, now: i64) -> Result<Arc<str>> {
    let silent_after = app.silent_after_ms;
    let chosen = shown.stations.clone();
    let read = app
        .readers
        .read(move |db| query::stations(db, Some(&chosen), now, silent_after));
    let stations: Vec<Value> = within("the database", READ_DEADLINE, read).await?;
    let site = public::Of {
        name: app.settings.name(),
        zone: app.settings.zone.now(),
        titles: app.settings.titles.clone(),
    };
    Ok(public::body(form, shown, &stations, &site, now).into())
}
