//! Live events: server-sent events [HTML, 9.2].

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event as Sent, KeepAlive, Sse};
use futures_util::stream::{Stream, unfold};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::watch;

use super::caller::Viewer;
use super::{ApiError, App};
use crate::events::Event;

/// Proxies and phones drop connections that are quiet for a minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

struct Listener {
    app: Arc<App>,
    first: VecDeque<Sent>,
    live: Receiver<Event>,
    stopping: watch::Receiver<bool>,
}

pub async fn events(
    _: Viewer,
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Sent, Infallible>>>, ApiError> {
    if app.events.listeners() >= app.listeners_max {
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too-many",
            "too many listen to live events already",
            Some("close some windows of the dashboard"),
        ));
    }
    let last = headers
        .get("last-event-id")
        .and_then(|value| value.to_str().ok());
    let listening = app.events.listen(last);
    let mut first: VecDeque<Sent> = VecDeque::new();
    if listening.lost {
        first.push_back(resync());
    }
    first.extend(listening.missed.iter().map(|event| sent(&app, event)));
    let listener = Listener {
        first,
        live: listening.live,
        stopping: app.stopping.clone(),
        app,
    };
    Ok(Sse::new(unfold(listener, next)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

async fn next(mut listener: Listener) -> Option<(Result<Sent, Infallible>, Listener)> {
    if let Some(event) = listener.first.pop_front() {
        return Some((Ok(event), listener));
    }
    let event = tokio::select! {
        event = listener.live.recv() => event,
        _ = listener.stopping.wait_for(|stopping| *stopping) => return None,
    };
    match event {
        Ok(event) => Some((Ok(sent(&listener.app, &event)), listener)),
        // It reads more slowly than things happen.
        Err(RecvError::Lagged(_)) => Some((Ok(resync()), listener)),
        Err(RecvError::Closed) => None,
    }
}

fn sent(app: &App, event: &Event) -> Sent {
    Sent::default()
        .id(app.events.id(event.number))
        .event(event.kind)
        .data(&event.data)
}

/// Tells a listener to ask for everything anew.
fn resync() -> Sent {
    Sent::default().event("resync").data("{}")
}
