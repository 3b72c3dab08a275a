//! An HTTP/1.1 client with one request per connection.

use std::io::{self, Read, Write};
use std::net::Ipv4Addr;

use super::wire::{Door, Stream};

/// Longest answer that the client reads.
const ANSWER_MAX: u64 = 256 << 20;

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Status code: 200, 404, ...
    pub status: u16,
    /// The header lines.
    pub head: String,
    /// The body after removing the chunk framing.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A string member of the body's JSON.
    pub fn field(&self, name: &str) -> Option<String> {
        let value: serde_json::Value = serde_json::from_slice(&self.body).ok()?;
        match value.get(name)? {
            serde_json::Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        }
    }

    /// The cookie that the answer sets.
    pub fn cookie(&self) -> Option<String> {
        let line = self.head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("set-cookie").then_some(value)
        })?;
        Some(line.trim().split(';').next()?.to_owned())
    }
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// Method: GET, POST, ...
    pub method: &'a str,
    /// Path and query.
    pub path: &'a str,
    /// Header lines without `Host`, each ended by CR LF.
    pub head: String,
    /// The body.
    pub body: &'a [u8],
}

impl<'a> Request<'a> {
    /// A GET.
    pub fn get(path: &'a str) -> Request<'a> {
        Request {
            method: "GET",
            path,
            head: String::new(),
            body: b"",
        }
    }

    /// A POST.
    pub fn post(path: &'a str, body: &'a [u8]) -> Request<'a> {
        Request {
            method: "POST",
            path,
            head: "Content-Type: application/json\r\n".into(),
            body,
        }
    }

    /// Any other method.
    pub fn delete(path: &'a str) -> Request<'a> {
        Request {
            method: "DELETE",
            ..Request::get(path)
        }
    }

    /// Adds a header line.
    #[must_use]
    pub fn with(mut self, line: &str) -> Request<'a> {
        self.head.push_str(line);
        self.head.push_str("\r\n");
        self
    }

    /// The request's bytes, with `host` in the `Host` header.
    pub fn bytes(&self, host: &str) -> Vec<u8> {
        let mut all = format!(
            "{} {} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n{}\r\n",
            self.method,
            self.path,
            self.body.len(),
            self.head
        )
        .into_bytes();
        all.extend(self.body);
        all
    }

    /// Sends the request from an address, and reads the answer.
    pub fn ask(&self, door: &Door, from: Ipv4Addr) -> io::Result<Answer> {
        self.ask_as(door, from, &door.to.to_string())
    }

    /// The same, with another `Host` header.
    pub fn ask_as(&self, door: &Door, from: Ipv4Addr, host: &str) -> io::Result<Answer> {
        let mut stream = door.open(from)?;
        // A server that refuses may answer before it has read the whole request.
        let written = stream
            .write_all(&self.bytes(host))
            .and_then(|()| stream.flush());
        match answer(&mut stream) {
            Ok(answer) => Ok(answer),
            Err(error) => Err(written.err().unwrap_or(error)),
        }
    }
}

/// Reads an answer to its end.
pub fn answer(stream: &mut Stream) -> io::Result<Answer> {
    let mut all = Vec::new();
    let read = Read::take(&mut *stream, ANSWER_MAX).read_to_end(&mut all);
    let end = all.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let Some(end) = end else {
        return Err(read.err().unwrap_or_else(|| io::Error::other("no answer")));
    };
    let head = String::from_utf8_lossy(&all[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("no status"))?;
    let body = all.split_off(end + 4);
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    let body = if chunked { joined(&body) } else { body };
    Ok(Answer { status, head, body })
}

/// Joins the chunks of a body.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(end) = chunks.windows(2).position(|bytes| bytes == b"\r\n") {
        let length = std::str::from_utf8(&chunks[..end]).ok();
        let length = length.and_then(|digits| usize::from_str_radix(digits.trim(), 16).ok());
        let rest = &chunks[end + 2..];
        match length {
            Some(length) if length > 0 && rest.len() >= length + 2 => {
                all.extend(&rest[..length]);
                chunks = &rest[length + 2..];
            }
            _ => break,
        }
    }
    all
}
