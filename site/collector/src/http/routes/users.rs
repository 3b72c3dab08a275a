//! `/users` and `/me/password`: the people who may log in. Only a person with a session changes
//! them: a leaked token must not make itself an account.

use axum::Json;
use axum::extract::{ConnectInfo, Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::super::answer::ApiError;
use super::super::app::{App, Peer};
use super::super::caller::{Admin, BROWSER, Person, Viewer, cookie_of};
use super::super::proxies;
use super::{Answer, Body, Shared};
use crate::auth::{Proof, Role, Users, check_password};
use crate::error::Result;

/// A password in a request. It is wiped after use.
type Password = Zeroizing<String>;

impl App {
    /// Changes the users on a thread that may wait for the disk or the database, and for the hash.
    async fn change_users(
        &self,
        work: impl FnOnce(&Users) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let auth = self.auth.clone();
        self.files.run(move || auth.change_users(work)).await??;
        // It is done, whether it is read again now or later.
        let _ = self.auth.catch_up().await;
        Ok(())
    }
}

/// `GET /users`: names and roles.
pub async fn users(_: Admin, State(app): Shared) -> Answer {
    app.auth.catch_up().await?;
    let users: Vec<Value> = app
        .auth
        .list()
        .into_iter()
        .map(|(name, role)| json!({"name": name, "role": role.name()}))
        .collect();
    Ok(Json(json!({ "users": users })))
}

/// Body of [`new_user`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewUser {
    name: String,
    role: Role,
    password: Password,
}

/// Devices have tokens; a user with their role could do nothing.
fn human(role: Role) -> Result<Role, ApiError> {
    match role {
        Role::Device => Err(ApiError::invalid(
            "a user is a viewer, an operator or an admin",
        )),
        role => Ok(role),
    }
}

/// `POST /users`: adds a user. An existing one stays as it is.
pub async fn new_user(
    _: Person,
    State(app): Shared,
    Body(asked): Body<NewUser>,
) -> Result<Response, ApiError> {
    let role = human(asked.role)?;
    let json = json!({"name": asked.name, "role": role.name()});
    app.change_users(move |users| users.add(&asked.name, role, &asked.password))
        .await?;
    Ok((StatusCode::CREATED, Json(json)).into_response())
}

/// Body of [`patch_user`]. Absent members stay unchanged.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserPatch {
    role: Option<Role>,
    password: Option<Password>,
}

/// `PATCH /users/{name}`: changes a role or a password. A new password ends the user's sessions.
pub async fn patch_user(
    _: Person,
    State(app): Shared,
    Path(name): Path<String>,
    Body(patch): Body<UserPatch>,
) -> Answer {
    let role = patch.role.map(human).transpose()?;
    let of = name.clone();
    app.change_users(move |users| {
        users.change(
            &of,
            role,
            patch.password.as_ref().map(|password| password.as_str()),
        )
    })
    .await?;
    let known = app.auth.list();
    let role = known
        .iter()
        .find(|user| user.0 == name)
        .map(|user| user.1.name());
    Ok(Json(json!({"name": name, "role": role})))
}

/// `DELETE /users/{name}`: removes a user, and ends their sessions. The last admin stays.
pub async fn delete_user(_: Person, State(app): Shared, Path(name): Path<String>) -> Answer {
    app.change_users(move |users| users.remove_but_last_admin(&name))
        .await?;
    Ok(Json(json!({})))
}

/// Body of [`password`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewPassword {
    old: Password,
    new: Password,
}

/// `POST /me/password`: a user's own password. The old one is checked as by a login, with its
/// limits. All sessions of the user end.
pub async fn password(
    Viewer(caller): Viewer,
    State(app): Shared,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    headers: HeaderMap,
    Body(asked): Body<NewPassword>,
) -> Answer {
    if matches!(caller.proof, Proof::Token(_)) {
        let why = "a token has no password";
        return Err(ApiError::new(StatusCode::FORBIDDEN, "forbidden", why, None));
    }
    // A short password must not cost the hash of the old one.
    check_password(&asked.new)?;
    let now = app.clock.now();
    let (address, shared) = proxies::client(peer.ip(), &headers, &app);
    let browser = cookie_of(&headers, BROWSER);
    let place = app
        .auth
        .place((address, shared), &caller.name, browser, now);
    let checked = app
        .auth
        .confirm((address, place), caller.name.clone(), asked.old, now)
        .await;
    checked.map_err(|refusal| app.refused(refusal))?;
    app.change_users(move |users| users.change(&caller.name, None, Some(&asked.new)))
        .await?;
    Ok(Json(json!({})))
}
