//! Requests that the gateway on this machine answers.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::super::answer::ApiError;
use super::super::caller::{Admin, Person};
use super::Shared;
use crate::error::Result;

/// Refuses gateway requests of a collector without a gateway.
pub async fn pairing(_: Admin, State(app): Shared, request: Request) -> Response {
    let Some(gateway) = app.gateway.clone() else {
        return ApiError::new(
            StatusCode::NOT_IMPLEMENTED,
            "no-gateway",
            "no gateway runs together with this collector",
            Some("`selo up` starts both; `selo device pair` works where the gateway runs"),
        )
        .into_response();
    };
    gateway.answer(request).await
}

/// `PATCH /devices/{id}`: renames or revokes a device, or sets its codec. Only a person may: a
/// revoked station is silent until somebody visits it.
pub async fn patch_device(_: Person, State(app): Shared, request: Request) -> Response {
    pairing(Admin, State(app), request).await
}

/// Serves a device's label, which holds its key. Only a person who logged in recently may see it,
/// so neither a leaked token nor an unattended screen reveals it.
pub async fn label(
    Person(caller): Person,
    State(app): Shared,
    request: Request,
) -> Result<Response, ApiError> {
    if !caller.is_fresh(app.clock.now()) {
        return Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "password-needed",
            "a label holds a device's key, so it is shown only shortly after a login",
            Some("log out, log in again, and open it within 15 minutes"),
        ));
    }
    Ok(pairing(Admin, State(app), request).await)
}
