//! The dashboard's files, embedded in the program. A debug build reads them from the folder on
//! each request.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use super::answer::ApiError;
use super::app::App;

#[derive(RustEmbed)]
#[folder = "../web"]
#[exclude = "node_modules/*"]
#[exclude = "tests/*"]
#[exclude = ".npmrc"]
#[exclude = "*.md"]
#[exclude = "package*.json"]
struct Web;

/// Third-party files of the pages, installed by npm (see `build.rs`).
#[derive(RustEmbed)]
#[folder = "../web/node_modules/uplot/dist"]
#[include = "uPlot.iife.min.js"]
#[include = "uPlot.min.css"]
struct Uplot;

/// A file as it is served, and its ETag.
type Served = (Vec<u8>, String);

/// The file for a path.
fn file(path: &str) -> Option<Served> {
    let served = |file: EmbeddedFile, end: &str| {
        // Weak, because the file may be sent compressed.
        let tag = format!("W/\"{}\"", hex::encode(&file.metadata.sha256_hash()[..8]));
        let mut bytes = file.data.into_owned();
        bytes.extend_from_slice(end.as_bytes());
        (bytes, tag)
    };
    match path {
        // The library's module is not minified, so its script becomes a module here.
        "vendor/uplot.js" => {
            let script = Uplot::get("uPlot.iife.min.js")?;
            Some(served(script, "\nexport default uPlot;\n"))
        }
        "vendor/uplot.css" => Some(served(Uplot::get("uPlot.min.css")?, "")),
        path => Some(served(Web::get(path)?, "")),
    }
}

/// Serves a file of the dashboard.
pub async fn page(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    match file(path) {
        Some((_, tag)) if has(&headers, &tag) => {
            let tag = [
                (header::ETAG, tag),
                (header::CACHE_CONTROL, "no-cache".into()),
            ];
            (StatusCode::NOT_MODIFIED, tag).into_response()
        }
        Some((bytes, tag)) => {
            let kind = kind(path);
            // The files change only with the program, so the browser revalidates by ETag.
            let cache = "no-cache";
            (
                [
                    (header::CONTENT_TYPE, kind.to_string()),
                    (header::CACHE_CONTROL, cache.to_string()),
                    (header::ETAG, tag),
                ],
                bytes,
            )
                .into_response()
        }
        None => ApiError::unknown(&format!("page {}", uri.path())).into_response(),
    }
}

/// True if the browser has the file with this tag.
fn has(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get(header::IF_NONE_MATCH);
    let known = known.and_then(|value| value.to_str().ok()).unwrap_or("");
    known.split(',').any(|one| one.trim() == tag)
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// Serves the lab's report: one file with inline styles and pictures. The policy allows those and
/// nothing else.
pub async fn report(State(app): State<Arc<App>>) -> Response {
    let none = || {
        ApiError::new(
            StatusCode::NOT_FOUND,
            "unknown",
            "there is no report",
            Some("create one with `selo lab report`, and pass it with --report FILE"),
        )
        .into_response()
    };
    let Some(path) = &app.report else {
        return none();
    };
    let path = path.clone();
    let read = app.files.run(move || std::fs::read(path));
    match read.await {
        Err(busy) => ApiError::from(busy).into_response(),
        Ok(Ok(page)) => (
            [
                (
                    header::CONTENT_TYPE,
                    HeaderValue::from_static("text/html; charset=utf-8"),
                ),
                (
                    header::CONTENT_SECURITY_POLICY,
                    HeaderValue::from_static(
                        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
                    ),
                ),
            ],
            page,
        )
            .into_response(),
        _ => none(),
    }
}
