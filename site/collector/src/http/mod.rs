//! The HTTP API, `/api/v1`. `openapi.json` describes it, and a test compares the two.

mod answer;
mod app;
mod caller;
mod events;
mod export;
pub mod made;
mod middleware;
pub mod names;
mod pages;
pub mod permits;
mod posted;
mod proxies;
mod public;
pub mod readings;
mod routes;
pub mod server;
mod squeeze;
pub mod tls;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, patch, post};

pub use answer::ApiError;
pub use app::{App, Gateway, Peer};
// For implementers of `Gateway`.
pub use axum;
pub use routes::OPENAPI;

/// Longest request body, except for readings.
const BODY_MAX: usize = 256 << 10;
/// Longest login body. Anyone may send one.
const LOGIN_MAX: usize = 8 << 10;

/// Routes of logins, users and tokens.
fn people() -> Router<Arc<App>> {
    Router::new()
        .route(
            "/login",
            post(routes::login).layer(DefaultBodyLimit::max(LOGIN_MAX)),
        )
        .route("/logout", post(routes::logout))
        .route("/me", get(routes::me))
        .route("/tokens", get(routes::tokens).post(routes::new_token))
        .route(
            "/tokens/{id}",
            delete(routes::delete_token).patch(routes::patch_token),
        )
        .route("/users", get(routes::users).post(routes::new_user))
        .route(
            "/users/{name}",
            delete(routes::delete_user).patch(routes::patch_user),
        )
        .route(
            "/me/password",
            post(routes::password).layer(DefaultBodyLimit::max(LOGIN_MAX)),
        )
}

/// Routes of stations that post about themselves.
fn posts() -> Router<Arc<App>> {
    Router::new()
        .route("/exchange/reading", post(posted::post::<0>))
        .route("/exchange/handshake", post(posted::post::<1>))
        .route("/exchange/exchange", post(posted::post::<2>))
        .layer(DefaultBodyLimit::max(selo_tls::station::BODY_MAX))
}

/// Lists that grow with the number of stations.
fn lists() -> Router<Arc<App>> {
    Router::new()
        .route("/names", get(routes::names))
        .route("/overview", get(routes::overview))
        .route("/stations", get(routes::stations))
        .route("/map/stations", get(routes::map_stations))
        .route("/sparklines", get(routes::sparklines))
        .route_layer(from_fn(squeeze::squeeze))
}

/// All API routes with their handlers.
pub fn router(app: Arc<App>) -> Router {
    let api = Router::new()
        .route("/openapi.json", get(routes::openapi))
        .merge(lists())
        .route(
            "/stations/{station}",
            get(routes::station).patch(routes::patch_station),
        )
        .route("/stations/{station}/series", get(routes::series))
        .route("/stations/{station}/rain", get(routes::rain))
        .route("/stations/{station}/events", get(routes::station_events))
        .route("/frames", get(routes::frames))
        .route("/alarms", get(routes::alarms))
        .route("/alarms/{id}/acknowledge", post(routes::acknowledge))
        .route("/journal", get(routes::journal))
        .route("/rules", get(routes::rules).put(routes::set_rules))
        .route("/channels", get(routes::channels).post(routes::new_channel))
        .route(
            "/channels/{id}",
            delete(routes::delete_channel).patch(routes::patch_channel),
        )
        .route("/channels/{id}/test", post(routes::test_channel))
        .route("/map", get(routes::map).patch(routes::patch_map))
        .route(
            "/map/ground",
            get(routes::ground)
                .put(routes::put_ground)
                .delete(routes::delete_ground)
                .layer(DefaultBodyLimit::max(routes::GROUND_MAX)),
        )
        .route("/public", get(routes::public).put(routes::put_public))
        .route("/site", get(routes::site).patch(routes::patch_site))
        .route("/pairing", get(routes::pairing).post(routes::pairing))
        .route("/devices", get(routes::pairing))
        .route("/devices/{id}", patch(routes::patch_device))
        .route("/devices/{id}/qr.svg", get(routes::label))
        .route("/export", get(export::export))
        .route("/events", get(events::events))
        .route("/readings", post(readings::readings))
        .route("/exchange", get(posted::summary))
        .merge(people())
        .merge(posts())
        .fallback(routes::no_such_route)
        .method_not_allowed_fallback(routes::no_such_method);
    let files = get(pages::page)
        .layer(from_fn(squeeze::squeeze))
        .with_state(app.clone());
    Router::new()
        .nest("/api/v1", api)
        .route("/healthz", get(routes::health))
        .route("/metrics", get(routes::metrics))
        .route("/report", get(pages::report))
        .route("/public", get(routes::public_page))
        .route("/public.json", get(routes::public_data))
        .fallback_service(files)
        .layer(DefaultBodyLimit::max(BODY_MAX))
        .layer(from_fn_with_state(app.clone(), middleware::check))
        .layer(from_fn_with_state(app.clone(), middleware::headers))
        .with_state(app)
}
