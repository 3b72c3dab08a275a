//! Metrics in OpenMetrics text format, over HTTP. The server has no runtime: with axum, each program
//! that has a gateway in it would link tokio and hyper, and the limits would still be ours.
//!
//! The server limits connections in total and per address, and limits each request in time and
//! size. A slow client blocks neither the gateway nor other clients.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use selo_base::openmetrics::Text;
use selo_link::Reason;

use crate::counters::{BOUNDS, Count, Kind, Shared};
use crate::error::{Error, Result};

const PREFIX: &str = "selo_gateway_";
const CONNECTIONS_MAX: usize = 24;
const CONNECTIONS_OF_ADDRESS_MAX: usize = 4;
/// Time limit for reading a request and for each write of the answer.
const PATIENCE: Duration = Duration::from_secs(2);
const REQUEST_MAX: usize = 8 << 10;
const HEADERS_MAX: usize = 64;

/// Serves `GET /metrics` in a thread of its own. Returns the bound address.
///
/// # Errors
/// [`Error::Metrics`] if the address cannot be bound or the thread cannot start.
pub fn serve(
    address: SocketAddr,
    counters: Arc<Shared>,
    stopping: impl Fn() -> bool + Send + 'static,
) -> Result<SocketAddr> {
    let failed = |source| Error::Metrics { address, source };
    let listener = TcpListener::bind(address).map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    std::thread::Builder::new()
        .name("metrics".into())
        .spawn(move || {
            let seats = Arc::new(Seats::default());
            for stream in listener.incoming() {
                if stopping() {
                    return;
                }
                let Ok(mut stream) = stream else {
                    std::thread::sleep(Duration::from_millis(100));
                    continue;
                };
                let Some(seat) = stream
                    .peer_addr()
                    .ok()
                    .and_then(|peer| seats.take(peer.ip()))
                else {
                    continue;
                };
                let counters = counters.clone();
                // If the thread cannot start, dropping the closure frees the seat.
                let _ = std::thread::Builder::new()
                    .name("metrics".into())
                    .spawn(move || {
                        let _ = answer(&mut stream, &counters);
                        // A client that saw the end of its answer must find the seat free.
                        drop(seat);
                        drop(stream);
                    });
            }
        })
        .map_err(failed)?;
    Ok(bound)
}

/// Open connections per address.
#[derive(Debug, Default)]
struct Seats(Mutex<HashMap<IpAddr, usize>>);

impl Seats {
    /// Reserves a connection for an address, if the limits allow it.
    fn take(self: &Arc<Seats>, address: IpAddr) -> Option<Seat> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = taken.get(&address).copied().unwrap_or(0);
        let all: usize = taken.values().sum();
        if all >= CONNECTIONS_MAX || of_address >= CONNECTIONS_OF_ADDRESS_MAX {
            return None;
        }
        taken.insert(address, of_address + 1);
        Some(Seat {
            seats: Arc::clone(self),
            address,
        })
    }
}

/// A reserved connection. Dropping it frees the place.
#[derive(Debug)]
struct Seat {
    seats: Arc<Seats>,
    address: IpAddr,
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                taken.remove(&self.address);
            }
        }
    }
}

/// Wakes the thread of [`serve`], so that it sees that the gateway stops.
pub fn wake(address: SocketAddr) {
    let _ = TcpStream::connect_timeout(&address, Duration::from_millis(200));
}

/// A host without its port.
fn without_port(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    }
}

/// True if a foreign website cannot own this host name. A site could let its own name resolve
/// to this machine, and a browser would then let its pages read the metrics (DNS rebinding). An
/// IP address, a single-label name, and a name in a non-public zone [RFC6762] [RFC8375] are
/// safe.
fn is_local(host: &str) -> bool {
    const ZONES: [&str; 5] = ["localhost", "local", "lan", "internal", "home.arpa"];
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let in_zone = |zone: &&str| {
        host.strip_suffix(zone)
            .is_some_and(|rest| rest.ends_with('.'))
    };
    !host.contains('.') || host.parse::<IpAddr>().is_ok() || ZONES.iter().any(in_zone)
}

fn answer(stream: &mut TcpStream, counters: &Shared) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = read_head(stream)?;
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut headers);
    let is_http = request
        .parse(&head)
        .is_ok_and(|status| status.is_complete());
    let (method, target) = (request.method.unwrap_or(""), request.path.unwrap_or(""));
    let path = target.split('?').next().unwrap_or("");
    // HTTP/1.0 needs no host.
    let mut hosts = request
        .headers
        .iter()
        .filter(|header| header.name.eq_ignore_ascii_case("host"));
    let is_ours =
        hosts.all(|host| str::from_utf8(host.value).is_ok_and(|host| is_local(without_port(host))));
    let (status, kind, body) = match (method, path) {
        _ if !is_http => ("400 Bad Request", "text/plain", "not HTTP\n".into()),
        _ if !is_ours => (
            "421 Misdirected Request",
            "text/plain",
            "use an IP address or a local name: a public name may belong to another \
             site (DNS rebinding)\n"
                .into(),
        ),
        ("GET" | "HEAD", "/metrics") => (
            "200 OK",
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
            render(counters),
        ),
        ("GET" | "HEAD", "/") => (
            "200 OK",
            "text/plain; charset=utf-8",
            "Selo gateway. Its metrics are at /metrics.\n".into(),
        ),
        ("GET" | "HEAD", _) => ("404 Not Found", "text/plain", "see /metrics\n".into()),
        _ => (
            "405 Method Not Allowed",
            "text/plain",
            "only GET and HEAD\n".into(),
        ),
    };
    let allow = if status.starts_with("405") {
        "Allow: GET, HEAD\r\n"
    } else {
        ""
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{allow}\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    Ok(())
}

/// Reads the request line and the headers.
///
/// # Errors
/// `TimedOut` if the request is too slow or too large.
fn read_head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    let mut bytes = [0; 1024];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() > REQUEST_MAX {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = stream.read(&mut bytes)?;
        head.extend_from_slice(&bytes[..read]);
        let complete = head.windows(4).any(|end| end == b"\r\n\r\n");
        if complete || read == 0 {
            return Ok(head);
        }
    }
}

/// Renders all metrics as OpenMetrics text.
pub fn render(shared: &Shared) -> String {
    let counters = shared.snapshot();
    let mut text = Text::new(PREFIX);
    for count in Count::ALL {
        let (name, help, value) = (count.metric(), count.help(), counters.get(*count));
        if count.is_gauge() {
            text.gauge(name, help, value);
        } else {
            text.counter(name, help, value);
        }
    }
    let received = Kind::ALL.map(|kind| (kind.label(), counters.get_received(kind)));
    let sent = Kind::ALL.map(|kind| (kind.label(), counters.get_sent(kind)));
    // Only nodes use the reason `WrongCheck`.
    let reasons = Reason::ALL.into_iter().filter(|r| *r != Reason::WrongCheck);
    let dropped = reasons.map(|reason| (reason.label(), counters.get_dropped(reason)));
    text.counters(
        "frames_received",
        "Packets received, by type",
        "type",
        received,
    );
    text.counters("frames_sent", "Packets sent, by type", "type", sent);
    text.counters(
        "frames_dropped",
        "Packets dropped, by reason",
        "reason",
        dropped,
    );
    for (name, help, histogram) in [
        (
            "accepting_seconds",
            "Time from receiving a packet until its record was written",
            &shared.accepting,
        ),
        (
            "delivering_seconds",
            "Time from receiving a reading until the sink accepted it",
            &shared.delivering,
        ),
        (
            "journal_sync_seconds",
            "Duration of journal synchronisations",
            &shared.syncing,
        ),
    ] {
        text.histogram(name, help, &BOUNDS, &histogram.buckets(), histogram.sum());
    }
    text.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).expect("connects");
        stream.write_all(request.as_bytes()).expect("sends");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    #[test]
    fn it_answers_what_it_should_and_nothing_else() {
        let address = "127.0.0.1:0".parse().expect("an address");
        let bound = serve(address, Arc::default(), || false).expect("serves");
        let answer = ask(bound, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with("\n# EOF\n"), "{answer}");
        assert!(ask(bound, "HEAD /metrics HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
        assert!(ask(bound, "GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
        assert!(ask(bound, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
        let two = "GET /metrics HTTP/1.1\r\nHost: x\r\nHost: attacker.example\r\n\r\n";
        assert!(ask(bound, two).starts_with("HTTP/1.1 421"));
        for wrong in ["\x16\x03\x01\r\n\r\n", "GET /metrics\r\nHost\r\n\r\n"] {
            assert!(ask(bound, wrong).starts_with("HTTP/1.1 400"), "{wrong:?}");
        }
        for (host, status) in [
            ("attacker.example", "421"),
            ("attacker.example:80", "421"),
            ("127.0.0.1.attacker.example", "421"),
            ("localhost", "200"),
            ("127.0.0.1:9120", "200"),
            ("[::1]:9120", "200"),
            ("gateway:9120", "200"),
            ("north.local", "200"),
        ] {
            let answer = ask(
                bound,
                &format!("GET /metrics HTTP/1.1\r\nHost: {host}\r\n\r\n"),
            );
            assert!(
                answer.starts_with(&format!("HTTP/1.1 {status}")),
                "{host}: {answer}"
            );
        }
        let error = serve(bound, Arc::default(), || false).expect_err("taken");
        assert!(error.hint().expect("a hint").contains("--metrics"));
    }

    #[test]
    fn every_sample_belongs_to_the_family_before_it_and_none_comes_twice() {
        let text = render(&Shared::default());
        let mut family = String::new();
        let mut seen = std::collections::HashSet::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                family = rest.split(' ').next().expect("a name").into();
                assert!(seen.insert(family.clone()), "{family} twice");
            } else if !line.starts_with('#') {
                assert!(line.starts_with(&family), "{line} in {family}");
                assert!(seen.insert(line.into()), "{line} twice");
            }
        }
        assert!(text.contains("selo_gateway_frames_dropped_total{reason=\"forged-join\"} 0\n"));
        assert!(!text.contains("wrong-check"));
    }

    #[test]
    fn histograms_are_cumulative() {
        let shared = Shared::default();
        shared.accepting.record(15_000, 3);
        shared.accepting.record(30_000_000_000, 2);
        let text = render(&shared);
        for line in [
            "accepting_seconds_bucket{le=\"1e-5\"} 0",
            "accepting_seconds_bucket{le=\"2e-5\"} 3",
            "accepting_seconds_bucket{le=\"10.0\"} 3",
            "accepting_seconds_bucket{le=\"+Inf\"} 5",
            "accepting_seconds_count 5",
        ] {
            assert!(
                text.contains(&format!("{PREFIX}{line}\n")),
                "{line}\n{text}"
            );
        }
    }
}
