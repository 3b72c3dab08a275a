//! API errors: `{"error":{"code","message","hint"}}`.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::Error;

/// An error response: status, stable code, message and hint.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    hint: Option<String>,
}

impl ApiError {
    /// Builds an error response.
    pub fn new(
        status: StatusCode,
        code: &'static str,
        message: impl Into<String>,
        hint: Option<&str>,
    ) -> ApiError {
        ApiError {
            status,
            code,
            message: message.into(),
            hint: hint.map(str::to_string),
        }
    }

    /// 400, with the code `invalid`.
    pub fn invalid(message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, "invalid", message, None)
    }

    /// 404, with the code `unknown` and the message "there is no {what}".
    pub fn unknown(what: &str) -> ApiError {
        let message = format!("there is no {what}");
        ApiError::new(StatusCode::NOT_FOUND, "unknown", message, None)
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        let (status, code) = match &error {
            Error::Invalid(_) => (StatusCode::BAD_REQUEST, "invalid"),
            Error::Unknown { .. } => (StatusCode::NOT_FOUND, "unknown"),
            Error::Scope { .. } => (StatusCode::FORBIDDEN, "forbidden"),
            Error::Full { .. } => (StatusCode::INSUFFICIENT_STORAGE, "full"),
            Error::Unavailable { .. } | Error::Busy { .. } | Error::Stopping => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
            }
            other => {
                tracing::error!("a request failed: {other}");
                (StatusCode::INTERNAL_SERVER_ERROR, "failed")
            }
        };
        ApiError {
            status,
            code,
            message: error.to_string(),
            hint: error.hint(),
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({"error": {
            "code": self.code, "message": self.message, "hint": self.hint,
        }});
        let mut response = (self.status, Json(body)).into_response();
        if matches!(
            self.status,
            StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::INSUFFICIENT_STORAGE
                | StatusCode::TOO_MANY_REQUESTS
        ) {
            let later = HeaderValue::from_static("10");
            response.headers_mut().insert(header::RETRY_AFTER, later);
        }
        response
    }
}
