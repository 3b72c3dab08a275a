//! Who asks, and whether they may: by session cookie or by token.

use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};

use super::{ApiError, App, Peer, names};
use crate::auth::{Caller, Proof, Role};

pub const COOKIE: &str = "selo_session";
/// By which a browser that has logged in before is known at its next login.
pub const BROWSER: &str = "selo_browser";

/// May see.
#[derive(Debug)]
pub struct Viewer(pub Caller);
/// May change.
#[derive(Debug)]
pub struct Admin;
/// May change, and is a person with a session.
#[derive(Debug)]
pub struct Person(pub Caller);
/// May send readings.
#[derive(Debug)]
pub struct Sender(pub Caller);
/// May say where it is and what it measured: a [`Sender`], or anyone if the operator wants
/// it so. The name of its token, or `@` and its address.
#[derive(Debug)]
pub struct Station(pub String);

pub fn cookie_of<'a>(headers: &'a HeaderMap, wanted: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|cookies| cookies.to_str().ok())
        .flat_map(|cookies| cookies.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='))
        .find_map(|(name, value)| (name == wanted).then_some(value))
}

/// A browser says which page a request comes from; another site's may not act in a user's
/// name. The cookie is SameSite=Strict too; this holds where a browser has old ideas.
pub fn same_origin(headers: &HeaderMap) -> Result<(), ApiError> {
    let other = || {
        ApiError::new(
            StatusCode::FORBIDDEN,
            "other-origin",
            "the request comes from a page of another site",
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

fn caller(parts: &Parts, app: &App) -> Result<Caller, ApiError> {
    let unknown = |message, hint| {
        ApiError::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            message,
            Some(hint),
        )
    };
    if let Some(given) = parts.headers.get(header::AUTHORIZATION) {
        let token = given.to_str().ok().and_then(|text| {
            let (scheme, token) = text.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
        });
        return token
            .and_then(|token| app.auth.token(token))
            .ok_or_else(|| {
                unknown(
                    "the token is not known",
                    "an admin makes one with POST /api/v1/tokens",
                )
            });
    }
    let caller = cookie_of(&parts.headers, COOKIE)
        .and_then(|secret| app.auth.session(secret, app.clock.now()))
        .ok_or_else(|| {
            unknown(
                "nobody is logged in",
                "POST /api/v1/login, or send `Authorization: Bearer selo_...`",
            )
        })?;
    if !matches!(parts.method, Method::GET | Method::HEAD) {
        same_origin(&parts.headers)?;
    }
    Ok(caller)
}

/// True if `caller` may do what is for `role`.
pub fn is_at_least(caller: &Caller, role: Role) -> bool {
    match role {
        Role::Device => caller.role != Role::Viewer,
        Role::Viewer => caller.role != Role::Device,
        Role::Admin => caller.role == Role::Admin,
    }
}

fn at_least(parts: &Parts, app: &App, role: Role) -> Result<Caller, ApiError> {
    let caller = caller(parts, app)?;
    if is_at_least(&caller, role) {
        return Ok(caller);
    }
    Err(ApiError::new(
        StatusCode::FORBIDDEN,
        "forbidden",
        format!("a {} may not do that", caller.role.name()),
        Some(match role {
            Role::Admin => "log in as an admin",
            _ => "use a token of another role",
        }),
    ))
}

impl FromRequestParts<Arc<App>> for Viewer {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        at_least(parts, app, Role::Viewer).map(Viewer)
    }
}

impl FromRequestParts<Arc<App>> for Admin {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        at_least(parts, app, Role::Admin).map(|_| Admin)
    }
}

impl FromRequestParts<Arc<App>> for Person {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        let caller = at_least(parts, app, Role::Admin)?;
        match caller.proof {
            Proof::Session(_) => Ok(Person(caller)),
            Proof::Token(_) => Err(ApiError::new(
                StatusCode::FORBIDDEN,
                "forbidden",
                "no token may do that",
                Some("log in as an admin"),
            )),
        }
    }
}

impl FromRequestParts<Arc<App>> for Sender {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Self, ApiError> {
        at_least(parts, app, Role::Device).map(Sender)
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
            return at_least(parts, app, Role::Device).map(|caller| Station(caller.name));
        };
        same_origin(&parts.headers)?;
        let (address, _) = names::client(peer.ip(), &parts.headers, app);
        if !strangers.take(address, app.clock.now()) {
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too-many",
                "too much comes from there without a token",
                Some("wait a minute, or send a token"),
            ));
        }
        Ok(Station(format!("@{}", address.to_canonical())))
    }
}
