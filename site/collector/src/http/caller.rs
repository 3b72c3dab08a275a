//! Authentication and authorisation of a request, by session cookie or token.

use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};

use super::answer::ApiError;
use super::app::{App, Peer};
use super::proxies;
use crate::auth::{Caller, Proof, Role};

/// The session cookie.
pub const COOKIE: &str = "selo_session";
/// Cookie that identifies a browser that has logged in before.
pub const BROWSER: &str = "selo_browser";

/// A caller that may read.
#[derive(Debug)]
pub struct Viewer(pub Caller);
/// A caller that may acknowledge alarms, and name and place stations.
#[derive(Debug)]
pub struct Operator(pub Caller);
/// A caller that may make changes.
#[derive(Debug)]
pub struct Admin;
/// A caller that may make changes and is a person with a session.
#[derive(Debug)]
pub struct Person(pub Caller);
/// A caller that may send readings.
#[derive(Debug)]
pub struct Sender(pub Caller);
/// A caller that may post its position and measurements: a [`Sender`], or anyone if the operator
/// allows it. Holds the token's name, or `@` and the address.
#[derive(Debug)]
pub struct Station(pub String);

/// The value of a cookie, if the request has it.
pub fn cookie_of<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find_map(|(name, value)| (name == wanted).then_some(value))
}

/// Rejects requests that another site's page makes in a user's name, by the browser's `Origin`
/// and `Sec-Fetch-Site` headers. The cookie is SameSite=Strict too; this also protects older
/// browsers.
pub fn same_origin(headers: &HeaderMap) -> Result<(), ApiError> {
    let other = || {
        ApiError::new(
            StatusCode::FORBIDDEN,
            "other-origin",
            "the request comes from a page of another site (cross-origin)",
            None,
        )
    };
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &header::HeaderValue| value.to_str().ok())
    };
    if headers.contains_key(header::ORIGIN) {
        let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
        if origin.is_none_or(|(_, host)| Some(host) != text(header::HOST)) {
            return Err(other());
        }
    }
    match headers.get("sec-fetch-site").map(|value| value.as_bytes()) {
        None | Some(b"same-origin" | b"none") => Ok(()),
        Some(_) => Err(other()),
    }
}

/// What proves who the caller is: a token, or else the session cookie.
fn proof_of(headers: &HeaderMap) -> Option<Proof> {
    match headers.get(header::AUTHORIZATION) {
        Some(given) => {
            let (scheme, token) = given.to_str().ok()?.split_once(' ')?;
            let is_bearer = scheme.eq_ignore_ascii_case("bearer");
            is_bearer.then(|| Proof::of_token(token.trim()))
        }
        None => cookie_of(headers, COOKIE).map(Proof::of_session),
    }
}

/// The caller to whom a proof belongs. One that is unknown here may be new: another collector may have
/// made it a moment ago.
async fn known(app: &App, proof: &Proof) -> Result<Option<Caller>, ApiError> {
    if let Some(caller) = app.auth.still(proof, app.clock.now()) {
        return Ok(Some(caller));
    }
    app.auth.catch_up().await?;
    Ok(app.auth.still(proof, app.clock.now()))
}

async fn caller(parts: &Parts, app: &App) -> Result<Caller, ApiError> {
    let unknown = |message, hint| {
        ApiError::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            message,
            Some(hint),
        )
    };
    let found = match proof_of(&parts.headers) {
        Some(proof) => known(app, &proof).await?,
        None => None,
    };
    if parts.headers.contains_key(header::AUTHORIZATION) {
        return found.ok_or_else(|| {
            unknown(
                "the token is unknown",
                "an admin creates one with POST /api/v1/tokens",
            )
        });
    }
    let caller = found.ok_or_else(|| {
        unknown(
            "not logged in",
            "POST /api/v1/login, or send `Authorization: Bearer selo_...`",
        )
    })?;
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        same_origin(&parts.headers)?;
    }
    Ok(caller)
}

/// Returns true if `caller` has at least `role`.
pub fn is_at_least(caller: &Caller, role: Role) -> bool {
    match role {
        Role::Device => matches!(caller.role, Role::Device | Role::Admin),
        Role::Viewer => caller.role != Role::Device,
        Role::Operator => matches!(caller.role, Role::Operator | Role::Admin),
        Role::Admin => caller.role == Role::Admin,
    }
}

async fn at_least(parts: &Parts, app: &App, role: Role) -> Result<Caller, ApiError> {
    let caller = caller(parts, app).await?;
    if is_at_least(&caller, role) {
        return Ok(caller);
    }
    Err(ApiError::new(
        StatusCode::FORBIDDEN,
        "forbidden",
        format!("the role {} may not do that", caller.role.name()),
        Some(match role {
            Role::Admin => "log in as an admin",
            Role::Operator => "log in as an operator or an admin",
            _ => "use a token with another role",
        }),
    ))
}

impl FromRequestParts<Arc<App>> for Viewer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        at_least(parts, app, Role::Viewer).await.map(Viewer)
    }
}

impl FromRequestParts<Arc<App>> for Operator {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        at_least(parts, app, Role::Operator).await.map(Operator)
    }
}

impl FromRequestParts<Arc<App>> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        at_least(parts, app, Role::Admin).await.map(|_| Admin)
    }
}

impl FromRequestParts<Arc<App>> for Person {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let caller = at_least(parts, app, Role::Admin).await?;
        match caller.proof {
            Proof::Session(_) => Ok(Person(caller)),
            Proof::Token(_) => Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "forbidden",
                "a token may not do that",
                Some("log in as an admin"),
            )),
        }
    }
}

impl FromRequestParts<Arc<App>> for Sender {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        at_least(parts, app, Role::Device).await.map(Sender)
    }
}

impl FromRequestParts<Arc<App>> for Station {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let says_who = parts.headers.contains_key(header::AUTHORIZATION)
            || cookie_of(&parts.headers, COOKIE).is_some();
        let peer = parts.extensions.get::<ConnectInfo<Peer>>();
        let (Some(strangers), Some(ConnectInfo(Peer(peer))), false) =
            (&app.strangers, peer, says_who)
        else {
            return at_least(parts, app, Role::Device)
                .await
                .map(|caller| Station(caller.name));
        };
        same_origin(&parts.headers)?;
        let (address, _) = proxies::client(peer.ip(), &parts.headers, app);
        if !strangers.take(address, app.clock.now()) {
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too-many",
                "too many requests without a token from this address",
                Some("wait a minute, or send a token"),
            ));
        }
        Ok(Station(format!("@{}", address.to_canonical())))
    }
}
