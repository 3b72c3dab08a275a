//! What happens to every request and to its response.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::answer::ApiError;
use super::app::App;
use super::public::Framed;
use crate::metrics::add;
use crate::settings;

/// Refuses requests for a foreign host name. A request without a host name does not come from a
/// browser.
pub async fn check(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let foreign = request
        .headers()
        .get_all(header::HOST)
        .iter()
        .any(|host| !host.to_str().is_ok_and(|host| app.hosts.allow(host)));
    if foreign {
        return ApiError::new(
            StatusCode::MISDIRECTED_REQUEST,
            "other-host",
            "this server does not have the host name of the request",
            Some("use its address, or start it with --host NAME"),
        )
        .into_response();
    }
    next.run(request).await
}

/// Only our own scripts and pictures, and the tiles of the map if an admin has set any.
fn policy(app: &App) -> HeaderValue {
    let tiles = match settings::tiles_origin(&app.settings.tiles()) {
        Ok(origin) => format!(" {origin}"),
        Err(_) => String::new(),
    };
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:{tiles}; \
         font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'"
    );
    // An origin has only characters that a header may have.
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// Adds security headers to every response: only our own scripts, no framing, no content
/// sniffing.
pub async fn headers(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    add(&app.metrics.requests, 1);
    let mut response = next.run(request).await;
    let framed = response.extensions().get::<Framed>().is_some();
    let headers = response.headers_mut();
    headers
        .entry(header::CONTENT_SECURITY_POLICY)
        .or_insert_with(|| policy(&app));
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        // The report page sets its own policy.
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    if !framed {
        headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    if app.strict {
        let year = HeaderValue::from_static("max-age=31536000");
        headers.insert(header::STRICT_TRANSPORT_SECURITY, year);
    }
    response
}
