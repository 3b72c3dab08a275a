//! The HTTP API, `/api/v1`. `openapi.json` describes it, and a test compares the two.

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
// For implementers of `Gateway`.
pub use axum;

/// Longest request body, except for readings.
const BODY_MAX: usize = 256 << 10;
/// Longest login body. Anyone may send one.
const LOGIN_MAX: usize = 8 << 10;
/// The API's description, served at `/api/v1/openapi.json`.
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// State shared by the handlers.
pub struct App {
    pub ingest: Ingest,
    pub readers: Readers,
    pub events: Arc<Events>,
    pub metrics: Arc<Metrics>,
    pub auth: Arc<Auth>,
    pub clock: Clock,
    /// A station is silent after this long without a reading, if no rule says otherwise.
    pub silent_after_ms: i64,
    /// Mark cookies as `Secure` (TLS only).
    pub secure: bool,
    /// Send Strict-Transport-Security for the whole host, whatever its port. Set where a proxy
    /// has the host's name.
    pub strict: bool,
    /// Host names by which browsers may reach this server.
    pub hosts: Hosts,
    /// Proxies whose forwarding headers are trusted.
    pub proxies: Vec<Network>,
    /// Maximum live listeners: in total, and per user or token.
    pub listeners_max: (usize, usize),
    pub listeners: Permits<String>,
    /// Requests with readings in progress.
    pub posts: Permits<Proof>,
    /// Portions of readings that are being stored.
    pub portions: Semaphore,
    /// Pool for files that are read on request.
    pub files: Pool,
    /// Posts of addresses without a token. `None`: only known stations may post.
    pub strangers: Option<Strangers>,
    /// The lab's report page, served at `/report`.
    pub report: Option<std::path::PathBuf>,
    /// The gateway on this machine, if there is one.
    pub gateway: Option<Arc<dyn Gateway>>,
    /// Becomes true when the collector stops, which disconnects the live listeners.
    pub stopping: tokio::sync::watch::Receiver<bool>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("App")
    }
}

/// Answers the requests that only a gateway can: `/pairing`, `/devices`, `/devices/{id}/qr.svg`,
/// below `/api/v1`. The caller has been checked to be an admin.
pub trait Gateway: Send + Sync {
    fn answer(
        &self,
        request: Request,
    ) -> std::pin::Pin<Box<dyn std::future::Future<Output = Response> + Send + '_>>;
}

/// Address of the other end of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// All API routes with their handlers.
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

/// Adds security headers to every response: only our own scripts, no framing, no content
/// sniffing.
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
        // The report page sets its own policy.
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
