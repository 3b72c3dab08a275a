//! `/login`, `/logout` and `/me`.

use axum::Json;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::answer::ApiError;
use super::super::app::{App, Peer};
use super::super::caller::{BROWSER, COOKIE, Viewer, cookie_of, same_origin};
use super::super::proxies;
use super::{Body, Shared};
use crate::auth::{BROWSER_MS, Login, Origin, Refusal, SESSION_MS};
use crate::db::{Database, Value as Column};
use crate::error::Result;
use crate::metrics::add;
use crate::sql;

/// Body of a login.
#[derive(Deserialize)]
pub struct Credentials {
    user: String,
    password: zeroize::Zeroizing<String>,
}

/// `POST /login`: sets the session cookie.
pub async fn login(
    State(app): Shared,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    headers: HeaderMap,
    Body(login): Body<Credentials>,
) -> Result<Response, ApiError> {
    same_origin(&headers)?;
    let now = app.clock.now();
    let (address, shared) = proxies::client(peer.ip(), &headers, &app);
    let browser = cookie_of(&headers, BROWSER);
    let place = app.auth.place((address, shared), &login.user, browser, now);
    let known = matches!(place, Origin::Browser(_));
    let user = login.user.clone();
    let done = app
        .auth
        .login((address, place), login.user, login.password, now)
        .await;
    match done {
        Ok(login) => {
            add(&app.metrics.logins, 1);
            app.keep_login(&login).await?;
            let secure = if app.secure { "; Secure" } else { "" };
            let cookie = |name: &str, value: &str, ms: i64| {
                let seconds = ms / 1000;
                let cookie = format!(
                    "{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}"
                );
                (header::SET_COOKIE, cookie)
            };
            let mut cookies = vec![cookie(COOKIE, &login.secret, SESSION_MS)];
            if !known {
                let value = app.auth.browser_cookie(&user, now)?;
                cookies.push(cookie(BROWSER, &value, BROWSER_MS));
            }
            let body = Json(json!({"user": user, "role": login.role.name()}));
            Ok((AppendHeaders(cookies), body).into_response())
        }
        Err(refusal) => Err(app.refused(refusal)),
    }
}

impl App {
    /// Stores a login so that it outlives this run, and deletes the sessions that it evicted. A login
    /// that the other collectors of a shared database cannot know is none.
    async fn keep_login(&self, login: &Login) -> Result<()> {
        let session = &login.session;
        let kept: [Column; 4] = [
            session.id.to_vec().into(),
            session.user.as_str().into(),
            session.stamp.to_vec().into(),
            session.expires.into(),
        ];
        let ended = login.ended.clone();
        let work = move |db: &mut dyn Database| {
            for id in ended {
                db.execute(sql::DELETE_LOGIN, &[id.to_vec().into()])?;
            }
            db.execute(sql::INSERT_LOGIN, &kept)
        };
        match self.change_access(work).await {
            Ok(_) => Ok(()),
            Err(error) if self.auth.is_shared() => {
                // The database may still store it.
                let id = self.auth.logout(&login.secret);
                self.auth.logout_later(id);
                Err(error)
            }
            Err(error) => {
                tracing::warn!("a login was not stored and will end with this run: {error}");
                Ok(())
            }
        }
    }

    pub(super) fn refused(&self, refusal: Refusal) -> ApiError {
        match refusal {
            Refusal::Failed(error) => error.into(),
            Refusal::Wrong => {
                add(&self.metrics.failed_logins, 1);
                ApiError::new(
                    StatusCode::UNAUTHORIZED,
                    "wrong-password",
                    "the user or the password is wrong",
                    Some("`selo collect user add NAME` sets a password"),
                )
            }
            Refusal::TooMany => ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "too-many",
                "too many failed logins to this account from this place",
                Some("wait a minute"),
            ),
            Refusal::Busy => {
                add(&self.metrics.busy_logins, 1);
                ApiError::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "busy",
                    "too many logins at the same time",
                    Some("try again in a moment"),
                )
            }
        }
    }
}

/// `POST /logout`: ends the session.
pub async fn logout(State(app): Shared, headers: HeaderMap) -> Result<Response, ApiError> {
    same_origin(&headers)?;
    if let Some(secret) = cookie_of(&headers, COOKIE) {
        let id = app.auth.logout(secret);
        // Otherwise the session would return at the next start, or stay at other collectors.
        let delete =
            move |db: &mut dyn Database| db.execute(sql::DELETE_LOGIN, &[id.to_vec().into()]);
        if let Err(error) = app.change_access(delete).await {
            app.auth.logout_later(id);
            return Err(error.into());
        }
    }
    let cookie = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    Ok(([(header::SET_COOKIE, cookie)], Json(json!({}))).into_response())
}

/// `GET /me`: name and role of the caller.
pub async fn me(Viewer(caller): Viewer) -> Json<Value> {
    Json(json!({"user": caller.name, "role": caller.role.name()}))
}
