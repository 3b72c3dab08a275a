//! Compression of the dashboard's files and of the long lists. Other answers stay as they are:
//! they are short, and the length of a compressed answer could tell something about a secret in it.

use std::io::Write;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;

/// Shortest and longest answers that are compressed, in bytes. A packet has 1.4 KB anyway, and a
/// very long answer would hold up the other requests of its thread.
const LEAST: usize = 1400;
const MOST: usize = 1 << 20;
/// Types whose files are compressed already.
const PACKED: [&str; 3] = ["image/png", "image/x-icon", "font/woff2"];

/// Compresses an answer with gzip [RFC1952] if its client takes that.
pub async fn squeeze(request: Request, next: Next) -> Response {
    let takes = takes_gzip(request.headers());
    let mut answer = next.run(request).await;
    let vary = HeaderValue::from_static("accept-encoding");
    answer.headers_mut().append(header::VARY, vary);
    let kind = answer.headers().get(header::CONTENT_TYPE);
    let is_packed = kind.is_none_or(|kind| PACKED.iter().any(|packed| kind == packed));
    if !takes || is_packed || answer.status() != StatusCode::OK {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    // Handlers make whole answers, so nothing is read here.
    let Ok(bytes) = to_bytes(body, usize::MAX).await else {
        parts.status = StatusCode::INTERNAL_SERVER_ERROR;
        return Response::from_parts(parts, Body::empty());
    };
    if !(LEAST..=MOST).contains(&bytes.len()) {
        return Response::from_parts(parts, bytes.into());
    }
    let Some(short) = gzip(&bytes) else {
        return Response::from_parts(parts, bytes.into());
    };
    let gzip = HeaderValue::from_static("gzip");
    parts.headers.insert(header::CONTENT_ENCODING, gzip);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, short.into())
}

fn gzip(bytes: &[u8]) -> Option<Vec<u8>> {
    let room = Vec::with_capacity(bytes.len() / 4);
    let mut gzip = GzEncoder::new(room, Compression::fast());
    gzip.write_all(bytes).ok()?;
    gzip.finish().ok()
}

/// True if a client takes gzip. A weight of zero means that it does not.
fn takes_gzip(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|one| {
            let (coding, weight) = one.split_once(';').unwrap_or((one, "q=1"));
            let weight = weight.trim().trim_start_matches("q=").parse::<f32>();
            coding.trim().eq_ignore_ascii_case("gzip") && weight.is_ok_and(|weight| weight > 0.0)
        })
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use axum::Router;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use flate2::read::GzDecoder;
    use tower_service::Service;

    use super::*;

    #[test]
    fn only_who_takes_gzip_gets_it() {
        let takes = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            takes_gzip(&headers)
        };
        for yes in ["gzip", "br, GZIP;q=0.5", "deflate,gzip", "gzip; q=1"] {
            assert!(takes(yes), "{yes}");
        }
        for no in [
            "",
            "br",
            "gzip;q=0",
            "gzip;q=",
            "x-gzip",
            "gzipped",
            "gzip;q=0.000",
        ] {
            assert!(!takes(no), "{no}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    async fn answer(path: &str, accept: &str) -> (HeaderMap, Vec<u8>) {
        let long = || async { "a station, ".repeat(1000) };
        let picture = || async { ([(header::CONTENT_TYPE, "image/png")], [7u8; 9000]) };
        let lost = || async { (StatusCode::NOT_FOUND, "nothing, ".repeat(1000)) };
        let mut router: Router = Router::new()
            .route("/long", get(long))
            .route("/short", get(|| async { "short" }))
            .route("/huge", get(|| async { "a".repeat(MOST + 1) }))
            .route("/picture", get(picture))
            .route("/lost", get(lost))
            .layer(from_fn(squeeze));
        let request = Request::builder()
            .uri(path)
            .header(header::ACCEPT_ENCODING, accept)
            .body(Body::empty())
            .expect("a request");
        let Ok(answer) = router.call(request).await;
        let (parts, body) = answer.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.expect("a body");
        (parts.headers, bytes.to_vec())
    }

    #[tokio::test]
    async fn long_texts_are_compressed_and_nothing_else() {
        let (headers, bytes) = answer("/long", "gzip").await;
        assert_eq!(headers[header::CONTENT_ENCODING], "gzip");
        assert_eq!(headers[header::VARY], "accept-encoding");
        let mut text = String::new();
        GzDecoder::new(&bytes[..])
            .read_to_string(&mut text)
            .expect("gzip");
        assert!(bytes.len() < 500 && text == "a station, ".repeat(1000));
        for (path, accept) in [
            ("/long", "br"),
            ("/short", "gzip"),
            ("/huge", "gzip"),
            ("/picture", "gzip"),
            ("/lost", "gzip"),
        ] {
            let (headers, bytes) = answer(path, accept).await;
            assert!(!headers.contains_key(header::CONTENT_ENCODING), "{path}");
            assert_eq!(headers[header::VARY], "accept-encoding");
            assert!(!bytes.is_empty());
        }
    }
}
