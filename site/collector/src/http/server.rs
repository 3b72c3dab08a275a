//! HTTP connections, with or without TLS: their number and their time limits. A client that sends
//! or reads slowly holds a connection for a bounded time.

mod lent;
mod patient;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use selo_base::address::{is_this_machine, neighbourhood};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;
use tower_service::Service;

use super::answer::ApiError;
use super::app::Peer;
use super::names::Network;
use super::permits::Permits;
use crate::metrics::{Metrics, add};

use lent::{Lent, UNREAD_MAX, read_away};
use patient::Patient;

/// Resource limits of a server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Maximum open connections: in total, and per address. The limit per address does not apply
    /// to proxies and to this machine.
    pub connections: usize,
    pub of_address: usize,
    /// Maximum live listeners: in total, and per user or token. A listener holds its connection
    /// indefinitely.
    pub listeners: usize,
    pub listeners_of_one: usize,
    /// Number of threads that serve requests. None of them waits for a disk or another process.
    pub threads: usize,
    /// Time limit for the TLS handshake and for the request head. Also the idle timeout of a
    /// connection.
    pub head: Duration,
    /// Time limit of a body, plus one second per [`BODY_RATE`] bytes.
    pub body: Duration,
    /// Longest time that a client may read nothing of its response.
    pub write: Duration,
}

/// Minimum rate of a body, in bytes per second.
pub const BODY_RATE: u64 = 1024;
/// Longest request head, in bytes.
pub const HEAD_MAX: usize = 32 << 10;
/// Read buffer for the head. A connection with a longer head is closed.
const HEAD_BUFFER: usize = 48 << 10;
/// Time that requests in progress get when the server stops.
const PATIENCE: Duration = Duration::from_secs(5);

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 512,
            of_address: 64,
            listeners: 256,
            listeners_of_one: 64,
            threads: 2,
            head: Duration::from_secs(15),
            body: Duration::from_secs(15),
            write: Duration::from_secs(30),
        }
    }
}

/// A server that runs until `stopping` becomes true.
pub struct Server {
    pub router: Router,
    pub tls: Option<TlsAcceptor>,
    pub limits: Limits,
    pub behind_proxy: bool,
    pub proxies: Vec<Network>,
    pub metrics: Arc<Metrics>,
    pub stopping: watch::Receiver<bool>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Server")
    }
}

impl Server {
    /// Accepts connections until `stopping` becomes true.
    pub async fn run(self, listener: TcpListener) {
        let places = Arc::new(Semaphore::new(self.limits.connections));
        let counts = Permits::default();
        let mut stopping = self.stopping.clone();
        let server = Arc::new(self);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopping.wait_for(|stopping| *stopping) => break,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Usually the process has no file descriptors left. They become free when
                    // connections end.
                    tracing::warn!("cannot accept a connection: {error}");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let everyone = places.clone().try_acquire_owned();
            let ip = neighbourhood(address.ip());
            let is_proxy = server.proxies.iter().any(|proxy| proxy.has(address.ip()));
            let of_address = if server.behind_proxy || is_proxy || is_this_machine(address.ip()) {
                usize::MAX
            } else {
                server.limits.of_address
            };
            let own = counts.take(ip, of_address);
            let (Ok(everyone), Some(own)) = (everyone, own) else {
                add(&server.metrics.refused, 1);
                continue;
            };
            let server = server.clone();
            tokio::spawn(async move {
                let _places = (everyone, own);
                server.connection(stream, address).await;
            });
        }
        drop(listener);
        let all = u32::try_from(server.limits.connections).unwrap_or(u32::MAX);
        let _ = timeout(PATIENCE, places.acquire_many(all)).await;
    }

    async fn connection(&self, mut stream: TcpStream, address: SocketAddr) {
        let _ = stream.set_nodelay(true);
        let head = self.limits.head;
        let Some(tls) = &self.tls else {
            return self
                .talk(Patient::new(stream, self.limits.write), address)
                .await;
        };
        let mut first = [0];
        if !matches!(timeout(head, stream.peek(&mut first)).await, Ok(Ok(1))) {
            return;
        }
        // A TLS handshake begins with byte 22 [RFC8446, 5.1]. A letter means plain HTTP.
        if first[0].is_ascii_uppercase() {
            let text = "this is an HTTPS server: use https:// instead of http://\n";
            let answer = format!(
                "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\
                 Content-Length: {}\r\n\r\n{text}",
                text.len()
            );
            // Read the request first: closing a socket with unread data would discard the answer.
            let mut request = [0; 4096];
            let said = async {
                let _ = stream.read(&mut request).await?;
                stream.write_all(answer.as_bytes()).await?;
                stream.shutdown().await
            };
            let _ = timeout(head, said).await;
            return;
        }
        let stream = Patient::new(stream, self.limits.write);
        if let Ok(Ok(stream)) = timeout(head, tls.accept(stream)).await {
            self.talk(stream, address).await;
        }
    }

    async fn talk(&self, stream: impl AsyncRead + AsyncWrite + Unpin, address: SocketAddr) {
        let body_time = self.limits.body;
        let service = service_fn(move |request: hyper::Request<Incoming>| {
            // A client that waits for 100-continue gets the final answer instead.
            let expects = request.headers().contains_key(header::EXPECT);
            // The body is longer than is discarded, so the answer does not wait for it.
            let length = request.headers().get(header::CONTENT_LENGTH);
            let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
            let long = length.is_some_and(|length: u64| length > UNREAD_MAX as u64);
            let (back, mut unread) = oneshot::channel();
            let mut request = request.map(|body| {
                Body::new(Lent {
                    body: Some(hastened(Body::new(body), body_time)),
                    back: Some(back),
                })
            });
            request.extensions_mut().insert(ConnectInfo(Peer(address)));
            // A router is always ready.
            let answer = match head_length(&request) {
                ..=HEAD_MAX => Ok(self.router.clone().call(request)),
                _ => Err(too_long_a_head()),
            };
            async move {
                let mut answer = match answer {
                    Ok(answer) => answer.await?,
                    Err(refusal) => refusal,
                };
                if let Ok(Some(rest)) = unread.try_recv()
                    && (expects || long || !read_away(rest).await)
                {
                    let close = HeaderValue::from_static("close");
                    answer.headers_mut().insert(header::CONNECTION, close);
                }
                Ok::<_, Infallible>(answer)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.head)
            .max_buf_size(HEAD_BUFFER)
            .serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let mut stopping = self.stopping.clone();
        tokio::select! {
            // The client may end its connection in any way.
            _ = connection.as_mut() => return,
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = timeout(PATIENCE, connection).await;
    }
}

/// Size of the head in bytes, assuming no optional whitespace in its lines.
fn head_length<B>(request: &hyper::Request<B>) -> usize {
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str());
    let authority = match (request.uri().scheme_str(), request.uri().authority()) {
        (Some(scheme), Some(authority)) => scheme.len() + 3 + authority.as_str().len(),
        _ => 0,
    };
    let first = request.method().as_str().len() + authority + path.len() + " HTTP/1.1\r\n ".len();
    let lines = request.headers().iter();
    let lines: usize = lines
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
        .sum();
    first + lines + "\r\n".len()
}

fn too_long_a_head() -> Response {
    let mut answer = ApiError::new(
        StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        "too-long",
        format!("the request head is longer than {HEAD_MAX} bytes"),
        None,
    )
    .into_response();
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(header::CONNECTION, close);
    answer
}

/// Wraps a body so that it fails if it arrives too slowly.
fn hastened(body: Body, time: Duration) -> Body {
    if body.is_end_stream() {
        return body;
    }
    let start = Instant::now();
    let state = (body.into_data_stream(), 0_u64);
    Body::from_stream(unfold(state, move |(mut body, mut got)| async move {
        let deadline = start + time + Duration::from_secs(got / BODY_RATE);
        let slow = || io::Error::new(io::ErrorKind::TimedOut, "the body arrives too slowly");
        let next = match timeout_at(deadline, body.next()).await {
            Ok(next) => next?.map_err(io::Error::other),
            Err(_) => Err(slow()),
        };
        got += next.as_ref().map_or(0, |bytes| bytes.len() as u64);
        Some((next, (body, got)))
    }))
}
