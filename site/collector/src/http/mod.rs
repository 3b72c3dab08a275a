//! The HTTP API, `/api/v1`. What it answers is in `openapi.json`, which a test compares
//! with what it does.

mod answer;
mod caller;
mod events;
mod export;
pub mod names;
mod pages;
pub mod permits;
mod posted;
pub mod readings;
mod routes;
pub mod server;
pub mod tls;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{delete, get, post};
use tokio::sync::Semaphore;

use self::names::{Hosts, Network};
use self::permits::Permits;
use crate::auth::{Auth, Proof, Strangers};
use crate::blocking::Pool;
use crate::clock::Clock;
use crate::events::Events;
use crate::ingest::Ingest;
use crate::metrics::{Metrics, add};
use crate::readers::Readers;

pub use answer::ApiError;
// For whoever implements `Gateway`.
pub use axum;

/// The longest body of a request, but for readings.
const BODY_MAX: usize = 256 << 10;
/// The longest body of a login, which anybody may send.
const LOGIN_MAX: usize = 8 << 10;
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// What the handlers share.
pub struct App {
    pub ingest: Ingest,
    pub readers: Readers,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub auth: Arc<Auth>,
    pub clock: Clock,
    /// A station that has been quiet for so long is silent, if no rule says otherwise.
    pub silent_after_ms: i64,
    /// Cookies are for TLS only.
    pub secure: bool,
    /// This host is TLS only, whatever its port: said where a proxy has the host's name.
    pub strict: bool,
    /// Names by which browsers may ask for this server.
    pub hosts: Hosts,
    /// Proxies that are believed when they say for whom they ask.
    pub proxies: Vec<Network>,
    /// Listeners to live events, at most, and of one user or token.
    pub listeners_max: (usize, usize),
    pub listeners: Permits<String>,
    /// Requests with readings that are under way.
    pub posts: Permits<Proof>,
    /// Portions of them that are being stored.
    pub portions: Semaphore,
    /// For files that are read when somebody asks.
    pub files: Pool,
    /// What addresses without a token post; `None` lets only known stations post.
    pub strangers: Option<Strangers>,
    /// A page of the lab, served at `/report`.
    pub report: Option<std::path::PathBuf>,
    /// The gateway beside this collector, if there is one.
    pub gateway: Option<Arc<dyn Gateway>>,
    /// Turns true when the collector stops: live listeners are let go.
    pub stopping: tokio::sync::watch::Receiver<bool>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("App")
    }
}

/// Answers what only a gateway can: `/pairing`, `/devices`, `/devices/{id}/qr.svg`, below
/// `/api/v1`. Who asks has been found to be an admin.
pub trait Gateway: Send + Sync {
    fn answer(
        &self,
        request: Request,
    ) -> std::pin::Pin<Box<dyn std::future::Future<Output = Response> + Send + '_>>;
}

/// The other end of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// Every route of the API: path and handlers.
pub fn router(app: Arc<App>) -> Router {
    let stations = Router::new()
        .route("/exchange/reading", post(posted::post::<0>))
        .route("/exchange/handshake", post(posted::post::<1>))
        .route("/exchange/exchange", post(posted::post::<2>))
        .layer(DefaultBodyLimit::max(selo_tls::station::BODY_MAX));
    let api = Router::new()
        .route("/openapi.json", get(routes::openapi))
        .route(
            "/login",
            post(routes::login).layer(DefaultBodyLimit::max(LOGIN_MAX)),
        )
        .route("/logout", post(routes::logout))
        .route("/me", get(routes::me))
        .route("/stations", get(routes::stations))
        .route(
            "/stations/{station}",
            get(routes::station).patch(routes::patch_station),
        )
        .route("/stations/{station}/series", get(routes::series))
        .route("/stations/{station}/rain", get(routes::rain))
        .route("/frames", get(routes::frames))
        .route("/alarms", get(routes::alarms))
        .route("/rules", get(routes::rules).put(routes::set_rules))
        .route("/pairing", get(routes::pairing).post(routes::pairing))
        .route("/devices", get(routes::pairing))
        .route("/devices/{id}/qr.svg", get(routes::label))
        .route("/export", get(export::export))
        .route("/events", get(events::events))
        .route("/tokens", get(routes::tokens).post(routes::new_token))
        .route(
            "/tokens/{id}",
            delete(routes::delete_token).patch(routes::patch_token),
        )
        .route("/readings", post(readings::readings))
        .route("/exchange", get(posted::summary))
        .merge(stations)
        .fallback(routes::no_such_route)
        .method_not_allowed_fallback(routes::no_such_method);
    Router::new()
        .nest("/api/v1", api)
        .route("/healthz", get(routes::health))
        .route("/metrics", get(routes::metrics))
        .route("/report", get(pages::report))
        .fallback(get(pages::page))
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(from_fn_with_state(app.clone(), names::check))
        .layer(from_fn_with_state(app.clone(), headers))
        .with_state(app)
}

/// What every answer says to a browser: no scripts but our own, no frames, no guessing.
async fn headers(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    add(&app.metrics.requests, 1);
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; \
             base-uri 'none'; frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        ),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "same-origin",
        ),
    ] {
        // The report page says what it needs itself.
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
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
