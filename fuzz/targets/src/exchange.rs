//! Parses the network input of the servers and clients of `selo exchange` and of the collector:
//! frames, HTTP messages, and posts of stations. Nothing may panic, a parsed value must survive
//! writing and reading again, and the result must not depend on how the bytes are split.

use std::io::Read;

use selo_exchange::tls::http;
use selo_exchange::wire::{Frame, HEAD, Hello, ServerTimes};
use selo_tls::station::Post;

/// Longest body of a frame here.
const LIMIT: u32 = 1000;

fn frame(bytes: &[u8]) {
    let Ok(Some(frame)) = Frame::read(&mut &bytes[..], LIMIT, "reading", 1) else {
        return;
    };
    assert!(frame.body.len() <= LIMIT as usize, "more than was allowed");
    let mut written = Vec::new();
    frame
        .write(&mut written, "writing", 1)
        .expect("memory takes every byte");
    assert_eq!(written, bytes[..HEAD + frame.body.len()]);
    if let Ok(hello) = Hello::decode(&frame.body) {
        assert_eq!(hello.encode(), frame.body);
    }
    if let Some((times, _)) = frame.body.split_first_chunk()
        && let Ok(read) = ServerTimes::decode(times)
    {
        assert_eq!(read.encode(), *times);
    }
}

/// A connection that delivers one byte at a time.
struct Dripping<'a>(&'a [u8]);

impl Read for Dripping<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let size = buffer.len().min(1);
        self.0.read(&mut buffer[..size])
    }
}

fn message(bytes: &[u8]) {
    if let Ok(whole) = http::Message::read(&mut &bytes[..]) {
        let slow = http::Message::read(&mut Dripping(bytes)).expect("it was one");
        assert_eq!(slow, whole);
        assert!(whole.is_none_or(|whole| whole.body.len() <= http::BODY));
    }
}

fn posted(bytes: &[u8]) {
    for route in Post::ROUTES {
        let Some(Ok(post)) = Post::parse(route, bytes) else {
            continue;
        };
        let body = match post {
            Post::Reading(reading) => reading.body(),
            Post::Time(_, time) => time.body(),
        };
        let again = Post::parse(route, body.as_bytes()).expect("the same route");
        assert!(again.is_ok(), "what it says is none of its bodies: {body}");
    }
}

/// Runs one input. Panics if a promise is broken.
pub fn run(data: &[u8]) {
    let [choice, rest @ ..] = data else {
        return;
    };
    match choice % 3 {
        0 => frame(rest),
        1 => message(rest),
        _ => posted(rest),
    }
}
