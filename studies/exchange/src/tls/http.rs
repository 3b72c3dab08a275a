//! The part of HTTP/1.1 that a reading and its answer need: one head of bounded length, and one
//! body of announced and bounded length.

use std::io::{self, Read};

/// Longest head.
const HEAD: usize = 8192;
/// Longest body.
pub const BODY: usize = 64 << 10;

/// A request or an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// `POST /path HTTP/1.1`, or `HTTP/1.1 204 No Content`.
    pub first: String,
    /// The other end will close the connection.
    pub close: bool,
    pub body: Vec<u8>,
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

impl Message {
    /// Reads one message. Returns `None` at a clean end. Bytes beyond the announced body are an error,
    /// so the other end must wait for its answer.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Message>> {
        let mut have = Vec::new();
        let mut chunk = [0; 2048];
        let end = loop {
            if let Some(end) = have.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            if have.len() > HEAD {
                return Err(bad("the message head is too long"));
            }
            match from.read(&mut chunk) {
                Ok(0) if have.is_empty() => return Ok(None),
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(size) => have.extend(&chunk[..size]),
                // The other end closed TCP between two messages without closing TLS. That is a
                // clean end.
                Err(error) if have.is_empty() && error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        };
        let head =
            std::str::from_utf8(&have[..end]).map_err(|_| bad("the message head is not text"))?;
        let mut lines = head.split("\r\n");
        let first = lines.next().unwrap_or_default().to_owned();
        let (mut length, mut close) = (0, false);
        for line in lines {
            let (name, value) = line
                .split_once(':')
                .ok_or_else(|| bad("a header line has no ':'"))?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                length = value
                    .parse()
                    .map_err(|_| bad("Content-Length is not a number"))?;
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                return Err(bad("chunked bodies are not supported"));
            } else if name.eq_ignore_ascii_case("connection") {
                close = value.eq_ignore_ascii_case("close");
            }
        }
        if length > BODY {
            return Err(bad("the body is too long"));
        }
        let mut body = have.split_off(end + 4);
        if body.len() > length {
            return Err(bad("the body is longer than Content-Length"));
        }
        let start = body.len();
        body.resize(length, 0);
        from.read_exact(&mut body[start..])?;
        Ok(Some(Message { first, close, body }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn whatever_comes_nothing_panics(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "(POST /[a-z]* HTTP/1.1\r\n)?([A-Za-z-]{0,14}: ?[0-9a-z]{0,22}\r\n){0,3}(\r\n)?.{0,9}") {
            let _ = Message::read(&mut &bytes[..]);
            let _ = Message::read(&mut text.as_bytes());
        }
    }

    #[test]
    fn a_message_has_its_body_and_no_more() {
        let read = |text: &str| Message::read(&mut text.as_bytes());
        let good = read("POST /x HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc");
        let good = good.expect("good").expect("one");
        assert_eq!(
            (&*good.first, &*good.body),
            ("POST /x HTTP/1.1", &b"abc"[..])
        );
        assert!(good.close);
        assert!(read("").expect("an end").is_none());
        for bad in [
            "POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nab",
            "POST /x HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd",
            "POST /x HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST /x HTTP/1.1\r\nContent-Length: 70000\r\n\r\n",
            "POST /x HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "POST /x HTTP/1.1\r\nnonsense\r\n\r\n",
            "POST /x",
            &"x".repeat(9000),
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}
