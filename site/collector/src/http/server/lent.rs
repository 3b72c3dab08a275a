//! A request's body, of which the server reads the rest that a handler left.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use futures_util::StreamExt;
use hyper::body::{Frame, SizeHint};
use tokio::sync::oneshot;

/// Maximum bytes of an unread body that are discarded. A connection with a longer one is closed.
pub(super) const UNREAD_MAX: usize = 64 << 10;

/// A request's body while it is handled. The part that the handler does not read is returned and
/// discarded, because closing a connection with unread data would lose the answer and the next
/// request.
pub(super) struct Lent {
    /// `None` after it has been read to its end or has failed.
    pub(super) body: Option<Body>,
    pub(super) back: Option<oneshot::Sender<Option<Body>>>,
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
            // The connection may have gone.
            let _ = back.send(rest);
        }
    }
}

/// Discards the rest of a body up to [`UNREAD_MAX`] bytes. Returns true if the end was reached.
pub(super) async fn read_away(body: Body) -> bool {
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
