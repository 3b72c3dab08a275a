//! The clients of embedded TLS libraries, on this machine. They resume, report resumption only if
//! it happened, and survive an altered session. Their sources come from a registry, through its
//! client, or from the folder in SELO_ARCHIVES. tests/exchange/clients.sh tests the boards'
//! emulators.

use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::authority::{Authority, start};
use rustls::pki_types::CertificateDer;
use selo_engine::project::Project;
use selo_exchange::Error;
use selo_exchange::embedded::{Embedded, Session, Told};
use selo_exchange::row::Delivered;
use selo_exchange::serving::Server;
use selo_exchange::tls::library::{self, Ask, Client, Features};
use selo_exchange::tls::server::Options;
use selo_exchange::tls::url::{Url, request};
use selo_exchange::tls::{Group, Suite};
use zeroize::Zeroizing;

const BODY: &str = r#"{"latitude":-23.185100,"longitude":-50.649700,"speed":12.50}"#;

/// A client that resumes. wolfSSL's also offers the hybrid key exchange.
fn built(library: &str) -> Embedded {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = Project::load(&root.canonicalize().expect("the project")).expect("it is good");
    let features = Features {
        resumes: true,
        hybrid: library == "wolfssl",
    };
    library::build(&project, library, features, |_| {})
        .expect("it is built: the first time this needs a network")
}

/// The values that an `Ask` borrows.
struct Asking {
    url: Url,
    authorities: [CertificateDer<'static>; 1],
    request: Zeroizing<String>,
}

impl Asking {
    fn new(authority: &Authority, port: u16) -> Asking {
        let url = Url::parse(&format!("https://localhost:{port}")).expect("good");
        Asking {
            authorities: [authority.der()],
            request: request(&url, None, "reading", BODY, true),
            url,
        }
    }

    fn ask(&self, suite: Suite, group: Group) -> Ask<'_> {
        Ask {
            url: &self.url,
            authorities: &self.authorities,
            suite,
            group,
            resumed: true,
            request: &self.request,
            timeout: Duration::from_secs(20),
        }
    }
}

fn session(told: Told) -> Session {
    told.session.expect("the server gives tickets")
}

fn every_way_resumes(library: &str, groups: &[Group]) {
    let (client, authority) = (built(library), Authority::new());
    let server = start(authority.options(-1, 10));
    let asking = Asking::new(&authority, server.address.port());
    for suite in Suite::ALL {
        for &group in groups {
            let ask = asking.ask(suite, group);
            let what = format!("{library}, {}, {}", suite.name(), group.name());
            let full = library::once(&client, &ask, None).expect("it goes well");
            assert!(!full.resumed, "{what}");
            let resumed = library::once(&client, &ask, full.session.as_ref()).expect("as well");
            assert!(resumed.resumed && resumed.session.is_some(), "{what}");
            let (first, second) = (full.done.times, resumed.done.times);
            // A resumed handshake sends a ticket and no certificate.
            assert!(
                second.handshake_received + 300 < first.handshake_received,
                "{what}"
            );
            assert!(second.handshake_sent > first.handshake_sent + 100, "{what}");
            assert_eq!(
                (second.handshake_trips, second.exchange_trips),
                (1, 1),
                "{what}"
            );
            let hybrid = group == Group::X25519MlKem768;
            assert_eq!(second.handshake_sent > 1216, hybrid, "{what}");
            assert_eq!(second.handshake_received > 1120, hybrid, "{what}");
        }
    }
}

#[test]
fn wolfssl_resumes_with_every_suite_and_key_exchange() {
    every_way_resumes("wolfssl", &Group::ALL);
}

#[test]
fn mbed_tls_resumes_with_every_suite_and_its_key_exchanges() {
    every_way_resumes("mbedtls", &[Group::X25519, Group::Secp256r1]);
}

/// Forwards connections to the current server. It stands for a server restarted at the same
/// address, without the risk that its port is taken.
fn in_turn(server: Arc<Mutex<SocketAddr>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let to = *server.lock().expect("nobody panics with it");
            let server = TcpStream::connect(to).expect("it listens");
            for (mut from, mut to) in [(&client, &server), (&server, &client)]
                .map(|(from, to)| (from.try_clone(), to.try_clone()))
                .map(|(from, to)| (from.expect("shared"), to.expect("shared")))
            {
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    address
}

/// A restarted server does not know its old tickets. The client makes a full handshake, which is
/// not measured, and resumes with the new ticket.
fn a_server_forgets(library: &str) {
    let (client, authority) = (built(library), Authority::new());
    let server = start(authority.options(-1, 10));
    let place = Arc::new(Mutex::new(server.address));
    let move_on = |server: &Server| *place.lock().expect("nobody panics with it") = server.address;
    let asking = Asking::new(&authority, in_turn(place.clone()).port());
    let mut client = Client::new(&client, asking.ask(Suite::Aes128Gcm, Group::X25519));
    let exchanges = |server: &Server| server.counts.exchanges.load(Ordering::Relaxed);
    let first = client.exchange().expect("it goes well");
    // One exchange to get the ticket.
    assert_eq!(exchanges(&server), 2);
    client.exchange().expect("it goes well");
    assert_eq!(exchanges(&server), 3, "each leaves a ticket for the next");

    let server = start(authority.options(-1, 10));
    move_on(&server);
    let third = client.exchange().expect("it goes well");
    assert_eq!(exchanges(&server), 2);
    let received = |done: &Delivered| done.times.handshake_received;
    assert_eq!(received(&first), received(&third), "it was resumed");

    // With a server that gives no tickets, no full handshake is reported as resumed.
    let options = authority.options(-1, 10);
    let server = start(Options {
        tickets: false,
        ..options
    });
    move_on(&server);
    for _ in 0..2 {
        let error = client.exchange().expect_err("there is no ticket");
        assert!(matches!(error, Error::NotResumed { .. }), "{error}");
        assert!(error.to_string().contains("no ticket"), "{error}");
        let hint = error.hint().unwrap_or_default();
        assert!(hint.contains("--without-tickets"), "{hint}");
    }
}

#[test]
fn wolfssl_and_a_server_that_forgets() {
    a_server_forgets("wolfssl");
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn mbed_tls_and_a_server_that_forgets() {
    a_server_forgets("mbedtls");
}

/// Alters each byte of a session, and cuts it at each length. The session is refused, or the server
/// declines it, or the change does not matter. The client never crashes, and never claims to have
/// resumed with another key.
fn sessions_are_altered(library: &str) {
    let (client, authority) = (built(library), Authority::new());
    let server = start(authority.options(-1, 10));
    let asking = Asking::new(&authority, server.address.port());
    let ask = asking.ask(Suite::Aes128Gcm, Group::X25519);
    let good = session(library::once(&client, &ask, None).expect("it goes well"));
    let offer = |bytes: &[u8]| {
        let session = Session(Zeroizing::new(bytes.to_vec()));
        library::once(&client, &ask, Some(&session))
    };
    for size in 1..good.0.len() {
        match offer(&good.0[..size]) {
            Err(Error::NotResumed { why }) => assert!(why.contains("cannot be read"), "{why}"),
            other => panic!("{library}, {size} bytes: {other:?}"),
        }
    }
    let (mut declined, mut refused) = (0, 0);
    for place in 0..good.0.len() {
        let mut bytes = good.0.to_vec();
        bytes[place] ^= 0x41;
        match offer(&bytes) {
            Ok(told) => declined += usize::from(!told.resumed),
            // A crash or a lack of memory would have the exit code of a machine error.
            Err(error) => {
                assert_eq!(error.exit_code(), 1, "{library}, byte {place}: {error}");
                refused += 1;
            }
        }
    }
    // The server declines an altered ticket, which has at least a hundred bytes. With an altered
    // key, which has 32, the exchange fails.
    assert!(
        declined >= 100 && refused >= 32,
        "{library}: {declined} {refused}"
    );
    // Tickets of rustls can be used more than once: the good session still resumes.
    assert!(offer(&good.0).expect("it goes well").resumed);
}

#[test]
fn wolfssl_and_altered_sessions() {
    sessions_are_altered("wolfssl");
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn mbed_tls_and_altered_sessions() {
    sessions_are_altered("mbedtls");
}

#[test]
fn a_key_exchange_that_a_library_does_not_have() {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let project = Project::load(&root).expect("it is good");
    library::check(&project, "wolfssl@esp8266", &Group::ALL).expect("it has all");
    let error = library::check(&project, "mbedtls", &Group::ALL).expect_err("no ML-KEM");
    assert!(error.to_string().contains("x25519mlkem768"), "{error}");
    assert_eq!(
        error.hint().as_deref(),
        Some("use --group x25519,secp256r1")
    );
    assert_eq!(error.exit_code(), 2);
}
