//! Readings over HTTP: one message, a JSON list, or one message per line. The body is parsed as
//! it arrives and stored in portions. A request therefore uses a few hundred kilobytes of memory
//! and its answer has a few kilobytes, whatever its size.

mod pieces;

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::{Value, json};

use self::pieces::Pieces;
use super::answer::ApiError;
use super::app::App;
use super::caller::Sender;
use crate::auth::{May, SITE};
use crate::blocking::within;
use crate::error::Error;
use crate::ingest::{Incoming, Settled};
use crate::message::session_text;

/// Longest body: some thousand readings.
pub const BODY_MAX: usize = 4 << 20;
/// Maximum messages of one request.
pub const MESSAGES_MAX: usize = 10_000;
/// Size of a portion: messages and bytes that are stored together.
const PORTION: (usize, usize) = (1000, 256 << 10);
/// Maximum portions of all requests that are read and stored at the same time.
pub const PORTIONS: usize = 4;
/// Maximum simultaneous requests of one token or session.
const OF_CALLER: usize = 8;
/// Maximum messages that the answer lists individually, and maximum reasons that it gives.
const TOLD_MAX: usize = 100;
const REASONS_MAX: usize = 10;
const REASON_MAX: usize = 200;
/// Time limit for storing a portion.
const DEADLINE: Duration = Duration::from_secs(60);

/// Query parameters of [`readings`].
#[derive(Debug, Deserialize)]
pub struct Asked {
    site: Option<String>,
}

/// Outcome of the messages so far.
#[derive(Default)]
struct Tally {
    stored: usize,
    duplicates: usize,
    rejected: usize,
    results: Vec<Value>,
    errors: Vec<Value>,
}

impl Tally {
    fn all(&self) -> usize {
        self.stored + self.duplicates + self.rejected
    }

    fn take(&mut self, verdict: &Settled) {
        let at = self.all();
        let settled = |result, identity: &crate::message::Identity| {
            json!({
                "result": result,
                "device": identity.device(),
                "session": session_text(identity.session),
                "counter": identity.counter,
            })
        };
        let result = match verdict {
            Settled::Stored(identity) => {
                self.stored += 1;
                settled("stored", identity)
            }
            Settled::Duplicate(identity) => {
                self.duplicates += 1;
                settled("duplicate", identity)
            }
            Settled::Rejected(reason) => {
                self.rejected += 1;
                if self.errors.len() < REASONS_MAX {
                    let reason: String = reason.chars().take(REASON_MAX).collect();
                    self.errors.push(json!({"message": at, "reason": reason}));
                }
                json!({"result": "rejected"})
            }
        };
        if self.results.len() < TOLD_MAX {
            self.results.push(result);
        }
    }

    fn json(self) -> Value {
        json!({
            "stored": self.stored,
            "duplicates": self.duplicates,
            "rejected": self.rejected,
            "results": self.results,
            "errors": self.errors,
        })
    }
}

/// One request.
struct Post {
    app: Arc<App>,
    site: String,
    source: String,
    may: May,
    pieces: Pieces,
    portion: Vec<Incoming>,
    /// Bytes of the portion.
    bytes: usize,
    tally: Tally,
}

/// `POST /readings`: stores the messages of the body. Answers after the commit.
pub async fn readings(
    Sender(caller): Sender,
    State(app): State<Arc<App>>,
    Query(Asked { site }): Query<Asked>,
    request: Request,
) -> Result<Json<Value>, ApiError> {
    let Some(_place) = app.posts.take(caller.proof, OF_CALLER) else {
        return Err(ApiError::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too-many",
            "too many requests with this token are in progress",
            Some("send one after the other"),
        ));
    };
    let own = match &caller.may {
        May::Own(scope) => &scope.site,
        May::All => SITE,
    };
    let mut post = Post {
        app,
        site: site.unwrap_or_else(|| own.into()),
        source: format!("http {}", caller.name),
        may: caller.may,
        pieces: Pieces::default(),
        portion: Vec::new(),
        bytes: 0,
        tally: Tally::default(),
    };
    post.take(request.into_body()).await?;
    Ok(Json(post.tally.json()))
}

impl Post {
    async fn take(&mut self, body: Body) -> Result<(), ApiError> {
        let mut body = body.into_data_stream();
        let mut got = 0;
        let mut refusal = None;
        while let Some(next) = body.next().await {
            let next: Bytes = next.map_err(|error| ApiError::invalid(error.to_string()))?;
            got += next.len();
            if got > BODY_MAX {
                return Err(self.too_much(&format!("more than {BODY_MAX} bytes")));
            }
            // Read the body to its end before refusing. A connection that is closed while a body
            // is in transit loses the answer.
            if refusal.is_none() {
                refusal = self.take_some(&next).await.err();
            }
        }
        match refusal {
            Some(refusal) => Err(refusal),
            None => {
                self.pieces.end().map_err(|why| self.wrong(&why))?;
                self.store_if((1, 0)).await
            }
        }
    }

    async fn take_some(&mut self, bytes: &[u8]) -> Result<(), ApiError> {
        // Parse in small pieces, whatever the size of the received chunk.
        for some in bytes.chunks(4096) {
            self.pieces.take(some).map_err(|why| self.wrong(&why))?;
            self.store_if(PORTION).await?;
        }
        Ok(())
    }

    /// Stores the portion if it has at least this many messages or bytes.
    async fn store_if(&mut self, (messages, bytes): (usize, usize)) -> Result<(), ApiError> {
        while let Some(piece) = self.pieces.next() {
            if self.tally.all() + self.portion.len() >= MESSAGES_MAX {
                self.store().await?;
                return Err(self.too_much(&format!("more than {MESSAGES_MAX} messages")));
            }
            self.bytes += piece.len();
            self.portion.push(Incoming {
                site: self.site.clone(),
                device: None,
                bytes: piece,
                source: self.source.clone(),
                may: self.may.clone(),
                refused: None,
            });
        }
        if self.portion.len() >= messages || self.bytes > bytes {
            self.store().await?;
        }
        Ok(())
    }

    async fn store(&mut self) -> Result<(), ApiError> {
        let portion = std::mem::take(&mut self.portion);
        self.bytes = 0;
        // The semaphore is fair: waiting requests are served in order.
        let offered = async {
            let place = self.app.portions.acquire().await;
            let _place = place.map_err(|_| Error::Stopping)?;
            self.app.ingest.offer(portion).await
        };
        let verdicts = within("the database", DEADLINE, offered).await?;
        for verdict in &verdicts {
            self.tally.take(verdict);
        }
        Ok(())
    }

    /// Says how many messages are already settled; they remain so.
    fn so_far(&self) -> String {
        match self.tally.all() {
            0 => String::new(),
            some => format!("; the first {some} messages are already settled"),
        }
    }

    fn too_much(&self, what: &str) -> ApiError {
        ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "too-long",
            format!("{what} in one request{}", self.so_far()),
            Some("split them into several requests"),
        )
    }

    fn wrong(&self, why: &str) -> ApiError {
        ApiError::invalid(format!("invalid body: {why}{}", self.so_far()))
    }
}
