//! Servers for channels, well-behaved and not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};

/// Serves each connection on a thread. Returns the address.
pub fn serve(work: impl Fn(TcpStream) + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listens");
    let address = listener.local_addr().expect("an address").to_string();
    let work = std::sync::Arc::new(work);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let work = work.clone();
            std::thread::spawn(move || work(stream));
        }
    });
    address
}

/// Reads a request. Returns its head and its body.
pub fn request(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut size) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        let lower = line.to_lowercase();
        if let Some(length) = lower.strip_prefix("content-length:") {
            size = length.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; size];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}

/// A server that refuses the first `refusals` requests. Returns its URL and the accepted bodies.
pub fn refusing(refusals: usize) -> (String, Receiver<String>) {
    let (took, taken) = channel();
    let left = std::sync::atomic::AtomicUsize::new(refusals);
    let address = serve(move |mut stream| {
        use std::sync::atomic::Ordering::SeqCst;
        let Some((_, body)) = request(&stream) else {
            return;
        };
        let refuse = left
            .fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1))
            .is_ok();
        let status = if refuse { "503 Busy" } else { "200 OK" };
        let _ = write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        if !refuse {
            let _ = took.send(body);
        }
    });
    (format!("http://{address}"), taken)
}

pub fn accepting() -> (String, Receiver<String>) {
    refusing(0)
}

/// A mail server that accepts every mail. Returns its port and the lines of each session.
pub fn mail_server() -> (u16, Receiver<String>) {
    let (took, taken) = channel();
    let address = serve(move |stream| {
        let mut out = stream.try_clone().expect("a copy");
        let mut lines = String::new();
        let mut is_data = false;
        let _ = write!(out, "220 test\r\n");
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            lines.push_str(&line);
            lines.push('\n');
            let answer = match line.split(' ').next().unwrap_or("") {
                "." if is_data => {
                    is_data = false;
                    "250 kept"
                }
                _ if is_data => continue,
                "EHLO" => "250-test\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN",
                "AUTH" => "235 welcome",
                "DATA" => {
                    is_data = true;
                    "354 go on"
                }
                "QUIT" => "221 bye",
                _ => "250 fine",
            };
            let _ = write!(out, "{answer}\r\n");
            if answer == "221 bye" {
                break;
            }
        }
        let _ = took.send(lines);
    });
    let port = address.rsplit(':').next().expect("a port");
    (port.parse().expect("a number"), taken)
}
