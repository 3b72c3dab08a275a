//! Live events as server-sent events [HTML, 9.2].

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
use tokio::time::{Interval, MissedTickBehavior, interval};

use super::answer::ApiError;
use super::app::App;
use super::caller::{Viewer, is_at_least};
use super::permits::Permit;
use crate::auth::{Caller, Proof, Role};
use crate::events::Event;

/// Interval of keep-alive comments. Proxies and phones drop connections that are idle for a
/// minute.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Interval at which a listener's rights are checked again without a change notice, because
/// sessions expire by time alone.
const LOOK: Duration = Duration::from_secs(1);

struct Listener {
    app: Arc<App>,
    first: VecDeque<Sent>,
    live: Receiver<Event>,
    stopping: watch::Receiver<bool>,
    /// The listener's credential, and the signal that rights may have changed.
    proof: Proof,
    changes: watch::Receiver<u64>,
    look: Interval,
    _place: Permit<String>,
}

/// The user or token whose listener limit applies.
fn owner(caller: &Caller) -> String {
    match caller.proof {
        Proof::Session(_) => format!("user {}", caller.name),
        Proof::Token(hash) => format!("token {}", hex::encode(hash)),
    }
}

/// `GET /events`: a stream of server-sent events. The header `Last-Event-ID` resumes it.
pub async fn events(
    Viewer(caller): Viewer,
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Sent, Infallible>>>, ApiError> {
    let (all, of_one) = app.listeners_max;
    let place = app.listeners.take(owner(&caller), of_one);
    let (false, Some(place)) = (app.events.listeners() >= all, place) else {
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "too-many",
            "too many connections to live events are open",
            Some("close some dashboard windows"),
        ));
    };
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
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
        proof: caller.proof,
        changes: app.auth.changes(),
        look,
        _place: place,
        app,
    };
    Ok(Sse::new(unfold(listener, next)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

impl Listener {
    fn may_listen(&self) -> bool {
        let caller = self.app.auth.still(&self.proof, self.app.clock.now());
        caller.is_some_and(|caller| is_at_least(&caller, Role::Viewer))
    }

    /// Waits while nobody is known, because the database that others change does not answer. Nothing
    /// is sent meanwhile. Returns whether the listener may hear more.
    async fn is_allowed(&mut self) -> bool {
        while !self.app.auth.knows() {
            tokio::select! {
                _ = self.stopping.wait_for(|stopping| *stopping) => return false,
                _ = self.look.tick() => {}
            }
        }
        self.may_listen()
    }
}

async fn next(mut listener: Listener) -> Option<(Result<Sent, Infallible>, Listener)> {
    let event = loop {
        // Check before each event, so that nothing is sent after the right has ended.
        if !listener.is_allowed().await {
            return None;
        }
        if let Some(event) = listener.first.pop_front() {
            return Some((Ok(event), listener));
        }
        tokio::select! {
            _ = listener.stopping.wait_for(|stopping| *stopping) => return None,
            _ = listener.changes.changed() => {}
            _ = listener.look.tick() => {}
            event = listener.live.recv() => break event,
        }
    };
    if !listener.is_allowed().await {
        return None;
    }
    match event {
        Ok(event) => Some((Ok(sent(&listener.app, &event)), listener)),
        // The listener reads more slowly than events occur.
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

/// Tells a listener to reload everything.
fn resync() -> Sent {
    Sent::default().event("resync").data("{}")
}
