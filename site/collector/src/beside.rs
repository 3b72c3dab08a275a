//! HTTP access to the gateway on this machine: its devices and its pairing window, for logged-in
//! admins. It uses the gateway's control socket and registry, as `selo device` does.

mod change;
mod desk;

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::Json;
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use selo_gateway::control::{Client, Reply, Request as Ask};
use selo_gateway::engine::WINDOW_MAX_MS;
use selo_gateway::label::{Code, text};
use selo_gateway::registry::{Place, Registry, check_name};
use selo_gateway::state::StateDir;
use serde::Deserialize;
use serde_json::json;

use crate::blocking::Pool;
use crate::http::{ApiError, Gateway};

use desk::{Desk, Window, listen, lock};

/// Longest request body, in bytes.
const BODY_MAX: usize = 4096;

/// Maximum simultaneous requests to the gateway, and the deadline of each. A gateway with a full
/// disk may answer late or never.
const AT_ONCE: usize = 4;
const DEADLINE: Duration = Duration::from_secs(15);

/// A gateway whose state is in this directory.
#[derive(Debug, Clone)]
pub struct Beside {
    state: PathBuf,
    registry: Option<Arc<dyn Place>>,
    desk: Arc<Mutex<Desk>>,
    /// Names of the codecs that a device may have.
    codecs: Arc<Vec<String>>,
    pool: Pool,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "action", rename_all = "kebab-case", deny_unknown_fields)]
enum Action {
    Open {
        name: Option<String>,
        #[serde(default = "longest")]
        seconds: u64,
    },
    /// The digits that the node shows.
    Confirm {
        digits: String,
    },
    Reject {},
    Close {},
}

fn longest() -> u64 {
    WINDOW_MAX_MS / 1000
}

type Answer = Result<Response, ApiError>;

impl Beside {
    /// A gateway with its state in `state`, and the default deadline.
    pub fn new(state: PathBuf) -> Beside {
        Beside {
            state,
            registry: None,
            desk: Arc::default(),
            codecs: Arc::default(),
            pool: Pool::new("the gateway", AT_ONCE, DEADLINE),
        }
    }

    /// Sets where the gateway's registry is, if it is not in the state directory.
    pub fn registry_at(mut self, place: Arc<dyn Place>) -> Beside {
        self.registry = Some(place);
        self
    }

    /// Sets the codecs that a device may have.
    pub fn with_codecs(mut self, names: Vec<String>) -> Beside {
        self.codecs = Arc::new(names);
        self
    }

    /// Sets the deadline for the gateway's answers.
    pub fn patient(mut self, deadline: Duration) -> Beside {
        self.pool = Pool::new("the gateway", AT_ONCE, deadline);
        self
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        lock(&self.desk)
    }

    /// Reads the request here, then answers it on a thread that may wait for the gateway.
    async fn route(&self, request: Request) -> Answer {
        let path = request.uri().path().to_owned();
        let method = request.method().clone();
        let body = to_bytes(request.into_body(), BODY_MAX).await;
        let body = body.map_err(|_| bad("the request is too long"))?;
        let beside = self.clone();
        let work = move || beside.answer_now(&method, &path, &body);
        self.pool.run(work).await.map_err(ApiError::from)?
    }

    fn answer_now(&self, method: &Method, path: &str, body: &[u8]) -> Answer {
        let tail = path.split("/api/v1").last().unwrap_or(path);
        let device = tail
            .strip_prefix("/devices/")
            .and_then(|rest| rest.strip_suffix("/qr.svg"));
        match (method, tail, device) {
            (&Method::GET, "/pairing", _) => Ok(self.window()),
            (&Method::POST, "/pairing", _) => {
                let action = serde_json::from_slice(body)
                    .map_err(|error| bad(format!("this is not a pairing action: {error}")))?;
                self.act(action)
            }
            (&Method::GET, "/devices", _) => self.devices(),
            (&Method::GET, _, Some(id)) => self.label(id),
            (&Method::PATCH, path, _) if path.starts_with("/devices/") => {
                let change = serde_json::from_slice(body)
                    .map_err(|error| bad(format!("this is not a change: {error}")))?;
                self.change(&path["/devices/".len()..], change)
            }
            _ => Err(ApiError::new(
                StatusCode::NOT_FOUND,
                "not-found",
                "there is nothing here",
                None,
            )),
        }
    }

    fn window(&self) -> Response {
        let window = self.desk().window.clone();
        ([(header::CACHE_CONTROL, "no-store")], Json(window)).into_response()
    }

    fn act(&self, action: Action) -> Answer {
        match action {
            Action::Open { name, seconds } => self.open(name, seconds)?,
            Action::Confirm { digits } => {
                let name = self.desk().name.clone();
                self.ask(&Ask::Confirm { digits, name })?;
            }
            Action::Reject {} => self.ask(&Ask::Reject)?,
            Action::Close {} => self.desk().close("closed here"),
        }
        Ok(self.window())
    }

    /// Sends the operator's action on a separate connection and returns the gateway's answer.
    fn ask(&self, ask: &Ask) -> Result<(), ApiError> {
        if self.desk().connection.is_none() {
            return Err(not_open());
        }
        let state = StateDir::open(&self.state).map_err(refused)?;
        let mut client = Client::connect(&state).map_err(refused)?;
        client.ask(ask).map_err(refused)?;
        Ok(())
    }

    fn open(&self, name: Option<String>, seconds: u64) -> Result<(), ApiError> {
        if let Some(name) = &name {
            check_name(name).map_err(|error| bad(error.to_string()))?;
        }
        if seconds == 0 || seconds > longest() {
            return Err(bad(format!(
                "a window stays open for 1 to {} seconds",
                longest()
            )));
        }
        let state = StateDir::open(&self.state).map_err(refused)?;
        let mut client = Client::connect(&state).map_err(refused)?;
        let ask = Ask::Pair {
            seconds,
            name: name.clone(),
        };
        let first = client.ask(&ask).map_err(refused)?;
        let mut desk = self.desk();
        desk.close("opened again");
        desk.number += 1;
        desk.name = name;
        desk.window = Window::default();
        if let Reply::Event(event) = first {
            desk.window.take(event);
        }
        desk.connection = Some(client.writer().map_err(refused)?);
        let (shared, number) = (self.desk.clone(), desk.number);
        std::thread::spawn(move || listen(client, &shared, number));
        Ok(())
    }

    fn registry(&self) -> Result<Registry, ApiError> {
        let state = StateDir::open(&self.state).map_err(refused)?;
        // Include changes that the gateway has not written to the registry yet.
        if let Ok(mut client) = Client::connect(&state) {
            let _ = client.ask(&Ask::Flush);
        }
        match &self.registry {
            Some(place) => place.open().map_err(refused),
            None => Registry::open(&state.registry()).map_err(refused),
        }
    }

    fn devices(&self) -> Answer {
        let records = self.registry()?.all().map_err(refused)?;
        let devices: Vec<_> = records
            .iter()
            .map(|record| {
                json!({
                    "id": record.id.to_string(),
                    "name": record.name,
                    "suite": record.suite.name(),
                    "codec": record.codec,
                    "created": record.created,
                    "revoked": record.revoked,
                    "last_seen": record.last_seen,
                    "address": record.address,
                    "origin": record.origin.map(|origin| origin.name()),
                    "quantum_safe_since": record.quantum_safe_since(),
                })
            })
            .collect();
        let json = json!({ "devices": devices, "codecs": *self.codecs });
        Ok(Json(json).into_response())
    }

    fn label(&self, id: &str) -> Answer {
        let record = self.registry()?.find(id).map_err(|error| {
            ApiError::new(StatusCode::NOT_FOUND, "not-found", error.to_string(), None)
        })?;
        let code = Code::new(&text(&record)).map_err(refused)?;
        let headers = [
            (header::CONTENT_TYPE, "image/svg+xml"),
            (header::CACHE_CONTROL, "no-store"),
        ];
        Ok((headers, code.svg()).into_response())
    }
}

impl Gateway for Beside {
    fn answer(&self, request: Request) -> Pin<Box<dyn Future<Output = Response> + Send + '_>> {
        Box::pin(async move {
            match self.route(request).await {
                Ok(response) => response,
                Err(error) => error.into_response(),
            }
        })
    }
}

fn not_open() -> ApiError {
    ApiError::new(
        StatusCode::CONFLICT,
        "not-open",
        "no pairing window is open here",
        Some("open the window, then start pairing on the node"),
    )
}

fn bad(message: impl Into<String>) -> ApiError {
    ApiError::new(StatusCode::BAD_REQUEST, "bad-request", message, None)
}

fn refused(error: selo_gateway::Error) -> ApiError {
    let hint = error.hint();
    ApiError::new(
        StatusCode::CONFLICT,
        "gateway",
        error.to_string(),
        hint.as_deref(),
    )
}
