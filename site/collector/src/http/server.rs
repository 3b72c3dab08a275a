//! Connections: how many, for how long, with TLS or without. Whoever sends or reads slowly
//! holds a connection for a known time, and only so many.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream::unfold;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{Instant, Sleep, sleep, timeout, timeout_at};
use tokio_rustls::TlsAcceptor;
use tower_service::Service;

use super::names::Network;
use super::permits::Permits;
use super::{ApiError, Peer};
use crate::auth::neighbourhood;
use crate::metrics::{Metrics, add};

/// What one server gives its clients.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Open connections, of everyone and of one address. A proxy and this machine itself
    /// are not counted as one address.
    pub connections: usize,
    pub of_address: usize,
    /// Listeners to live events, of everyone and of one user or token; each holds a
    /// connection for as long as it likes.
    pub listeners: usize,
    pub listeners_of_one: usize,
    /// Threads that serve requests. None of them waits for a disk or another process.
    pub threads: usize,
    /// For a TLS handshake, and for the lines before a body; also how long a connection may
    /// be idle.
    pub head: Duration,
    /// A body may take so long, and a second more for each [`BODY_RATE`] bytes.
    pub body: Duration,
    /// How long a client may read nothing of what it is sent.
    pub write: Duration,
}

/// The slowest body, in bytes a second.
pub const BODY_RATE: u64 = 1024;
/// The longest head of a request, with all its lines.
pub const HEAD_MAX: usize = 32 << 10;
/// What is read of a connection before its head is complete: a longer one ends there.
const HEAD_BUFFER: usize = 48 << 10;
/// So much of a body that nobody wanted is read; a connection with more of it is closed.
const UNREAD_MAX: usize = 64 << 10;
/// How long requests under way may take when the server stops.
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

/// A server that runs until `stopping` says so.
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
                    // Files are used up, most likely: they come back when connections end.
                    tracing::warn!("no connection could be taken: {error}");
                    sleep(Duration::from_millis(100)).await;
                    continue;
                }
            };
            let everyone = places.clone().try_acquire_owned();
            let ip = neighbourhood(address.ip());
            let is_proxy = server.proxies.iter().any(|proxy| proxy.has(address.ip()));
            let of_address = if server.behind_proxy || is_proxy || ip.is_loopback() {
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
        // A handshake begins with 22 [RFC8446, 5.1]; a letter is somebody without TLS.
        if first[0].is_ascii_uppercase() {
            let text = "this is HTTPS: https:// in place of http://\n";
            let answer = format!(
                "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\
                 Content-Length: {}\r\n\r\n{text}",
                text.len()
            );
            // What was not read when a connection closes takes the answer with it.
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
            // Whoever waits for a word before it sends its body has got one: the answer.
            let expects = request.headers().contains_key(header::EXPECT);
            // More than is read away: the answer does not wait for it.
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
            // How a connection ends is its client's affair.
            _ = connection.as_mut() => return,
            _ = stopping.wait_for(|stopping| *stopping) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = timeout(PATIENCE, connection).await;
    }
}

/// Bytes of a head, if its lines have no more blanks than they need.
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
        format!("the head of the request has more than {HEAD_MAX} bytes"),
        None,
    )
    .into_response();
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(header::CONNECTION, close);
    answer
}

/// A body that ends with an error if it comes too slowly.
fn hastened(body: Body, time: Duration) -> Body {
    if body.is_end_stream() {
        return body;
    }
    let start = Instant::now();
    let state = (body.into_data_stream(), 0_u64);
    Body::from_stream(unfold(state, move |(mut body, mut got)| async move {
        let deadline = start + time + Duration::from_secs(got / BODY_RATE);
        let slow = || io::Error::new(io::ErrorKind::TimedOut, "the body comes too slowly");
        let next = match timeout_at(deadline, body.next()).await {
            Ok(next) => next?.map_err(io::Error::other),
            Err(_) => Err(slow()),
        };
        got += next.as_ref().map_or(0, |bytes| bytes.len() as u64);
        Some((next, (body, got)))
    }))
}

/// A request's body while it is answered. What a handler leaves of it comes back: a connection
/// that is closed with a body on its way takes the answer with it, and the next request.
struct Lent {
    /// `None` once it has been read to its end, or has failed.
    body: Option<Body>,
    back: Option<oneshot::Sender<Option<Body>>>,
}

impl HttpBody for Lent {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.body else {
            return Poll::Ready(None);
        };
        let frame = ready!(Pin::new(body).poll_frame(context));
        if !matches!(frame, Some(Ok(_))) {
            self.body = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body
            .as_ref()
            .map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let rest = self.body.take().filter(|body| !body.is_end_stream());
        if let Some(back) = self.back.take() {
            // Nobody waits for it if the connection has gone.
            let _ = back.send(rest);
        }
    }
}

/// Reads what is left of a body, if that is not much; says whether it has come to the end.
async fn read_away(body: Body) -> bool {
    let mut body = body.into_data_stream();
    let mut got = 0;
    while let Some(next) = body.next().await {
        got += next.as_ref().map_or(UNREAD_MAX, Bytes::len);
        if got >= UNREAD_MAX {
            return false;
        }
    }
    true
}

/// A connection that breaks if its other end reads nothing for too long.
struct Patient {
    stream: TcpStream,
    time: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream, time: Duration) -> Patient {
        Patient {
            stream,
            time,
            waiting: None,
        }
    }

    /// What a write came to; one that waits does so only until its time is over.
    fn bounded<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let time = self.time;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(time)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.bounded(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
