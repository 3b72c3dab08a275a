//! Servers for channels, well-behaved and not.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use selo_mqtt::certificate::{Files, ensure};

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
    mail_server_refusing("@@")
}

fn port_of(address: &str) -> u16 {
    let port = address.rsplit(':').next();
    port.and_then(|port| port.parse().ok()).expect("a port")
}

/// A mail server that refuses the recipients whose address has this text.
pub fn mail_server_refusing(refused: &'static str) -> (u16, Receiver<String>) {
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
                "RCPT" if line.contains(refused) => "550 5.1.1 no such user",
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
    (port_of(&address), taken)
}

/// A mail server with a certificate of an authority that no machine trusts. Returns its port and
/// what it received.
pub fn tls_mail_server(folder: &Path, starttls: bool) -> (u16, Receiver<String>) {
    let files = Files::of(folder);
    ensure(&files, &["127.0.0.1".to_owned()]).expect("certificates");
    let chain = CertificateDer::pem_file_iter(&files.server)
        .expect("a file")
        .collect::<Result<Vec<_>, _>>()
        .expect("a chain");
    let key = PrivateKeyDer::from_pem_file(&files.server_key).expect("a key");
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("a configuration");
    let config = Arc::new(config);
    let (took, taken) = channel();
    let address = serve(move |mut stream| {
        let mut got = String::new();
        if starttls {
            let _ = stream.write_all(b"220 test\r\n");
            let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
            while !got.ends_with("STARTTLS\r\n") && reader.read_line(&mut got).is_ok_and(|n| n > 0)
            {
                let _ = stream.write_all(b"250-test\r\n250 STARTTLS\r\n");
            }
        }
        let server = rustls::ServerConnection::new(config.clone()).expect("a connection");
        let mut tls = rustls::StreamOwned::new(server, stream);
        let mut inside = Vec::new();
        if !starttls {
            let _ = tls.write_all(b"220 test\r\n");
        }
        let _ = tls.read_to_end(&mut inside);
        got.push_str(&String::from_utf8_lossy(&inside));
        let _ = took.send(got);
    });
    (port_of(&address), taken)
}
