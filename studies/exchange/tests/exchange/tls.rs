//! The second experiment over loopback: every suite, key exchange and kind of handshake, and every
//! kind of failure.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::authority::{Authority, start};
use crate::support::{Meddling, between};
use selo_exchange::row::Delivered;
use selo_exchange::serving::Server;
use selo_exchange::tls::client::{self, Client};
use selo_exchange::tls::server::{self, Options};
use selo_exchange::tls::url::Url;
use selo_exchange::tls::{Group, Suite};
use selo_exchange::{Fault, Result};
use selo_tls::station::Reading;

const READING: Reading = Reading {
    latitude: -23.1851,
    longitude: -50.6497,
    speed: 12.5,
};

/// The operations of the tests' clients on an authority.
trait Clients {
    fn server(&self) -> Server;
    fn client(&self, to: SocketAddr, suite: Suite, group: Group, resumed: bool) -> Client;
    fn one(&self, to: SocketAddr) -> Result<Delivered>;
}

impl Clients for Authority {
    fn server(&self) -> Server {
        start(self.options(-1, 10))
    }

    fn client(&self, to: SocketAddr, suite: Suite, group: Group, resumed: bool) -> Client {
        let url = Url::parse(&format!("https://localhost:{}", to.port())).expect("good");
        let timeout = Duration::from_secs(20);
        let options = client::Options {
            url,
            authorities: &[self.der()],
            suite,
            group,
            resumed,
            timeout,
            token: None,
        };
        Client::new(options).expect("good")
    }

    fn one(&self, to: SocketAddr) -> Result<Delivered> {
        let client = self.client(to, Suite::Aes128Gcm, Group::X25519, false);
        client.exchange(&READING, false)
    }
}

#[test]
fn every_suite_and_key_exchange_full_and_resumed() {
    let authority = Authority::new();
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("came.jsonl");
    let options = authority.options(-1, 10);
    let server = server::start("127.0.0.1:0", options, Some(&store), |_| {}).expect("a server");
    let mut readings = 0;
    for suite in Suite::ALL {
        for group in Group::ALL {
            let full = authority.client(server.address, suite, group, false);
            let resuming = authority.client(server.address, suite, group, true);
            let first = full.exchange(&READING, true).expect("it goes well");
            let second = full.exchange(&READING, true).expect("it goes well");
            let third = resuming.exchange(&READING, false).expect("it goes well");
            let fourth = resuming.exchange(&READING, false).expect("it goes well");
            readings += 5;
            let received = |done: &Delivered| done.times.handshake_received;
            // The second full handshake has the same size; the resumed one is smaller, because it
            // has no certificate.
            assert!(received(&first).abs_diff(received(&second)) < 8);
            assert!(received(&third) + 300 < received(&first));
            assert_eq!(received(&third), received(&fourth));
            for done in [&first, &third] {
                let times = &done.times;
                assert_eq!((times.handshake_trips, times.exchange_trips), (1, 1));
                assert!(done.sent > times.handshake_sent && times.handshake_sent > 200);
                assert!(done.received > times.handshake_received);
            }
            if group == Group::X25519MlKem768 {
                assert!(first.times.handshake_sent > 1216 && received(&first) > 1120);
            }
        }
    }
    let kept = std::fs::read_to_string(&store).expect("kept");
    let of = |route: &str| kept.lines().filter(|line| line.contains(route)).count();
    assert_eq!(of("\"route\":\"reading\""), readings);
    assert_eq!(of("\"route\":\"handshake\""), 18);
    assert_eq!(of("\"route\":\"exchange\""), 18);
    assert!(kept.contains(&READING.body()));
}

fn fault(result: Result<Delivered>) -> (Fault, bool, u8) {
    let error = result.expect_err("it cannot go well");
    (error.fault(), error.hint().is_some(), error.exit_code())
}

#[test]
fn certificates_that_are_not_good() {
    let (authority, other) = (Authority::new(), Authority::new());
    let good = authority.server();
    assert_eq!(
        fault(other.one(good.address)),
        (Fault::WrongCertificate, true, 1)
    );
    let expired = start(authority.options(-10, -1));
    assert_eq!(
        fault(authority.one(expired.address)),
        (Fault::ExpiredCertificate, true, 1)
    );
    let not_yet = start(authority.options(1, 10));
    assert_eq!(
        fault(authority.one(not_yet.address)),
        (Fault::ExpiredCertificate, true, 1)
    );
    // The certificate has another name.
    let url = Url::parse(&format!("https://127.0.0.1:{}", good.address.port())).expect("good");
    let timeout = Duration::from_secs(20);
    let client = Client::new(client::Options {
        url,
        authorities: &[authority.der()],
        suite: Suite::Aes128Gcm,
        group: Group::X25519,
        resumed: false,
        timeout,
        token: None,
    });
    let result = client.expect("good").exchange(&READING, false);
    assert_eq!(fault(result), (Fault::WrongCertificate, true, 1));
}

#[test]
fn what_is_not_offered() {
    let authority = Authority::new();
    let server = start(Options {
        suites: vec![Suite::ChaCha20Poly1305],
        groups: vec![Group::X25519MlKem768],
        ..authority.options(-1, 10)
    });
    for (suite, group) in [
        (Suite::Aes128Gcm, Group::X25519MlKem768),
        (Suite::ChaCha20Poly1305, Group::X25519),
    ] {
        let client = authority.client(server.address, suite, group, false);
        let result = client.exchange(&READING, false);
        assert_eq!(fault(result), (Fault::NotOffered, true, 1));
    }
    let client = authority.client(
        server.address,
        Suite::ChaCha20Poly1305,
        Group::X25519MlKem768,
        false,
    );
    client.exchange(&READING, false).expect("it goes well");

    // Without tickets no client resumes, and a full handshake is not reported as resumed.
    let server = start(Options {
        tickets: false,
        ..authority.options(-1, 10)
    });
    for resumed in [false, true] {
        let client = authority.client(server.address, Suite::Aes128Gcm, Group::X25519, resumed);
        match client.exchange(&READING, false) {
            Ok(_) => assert!(!resumed),
            failed => assert_eq!(fault(failed), (Fault::NotOffered, true, 1)),
        }
    }
}

#[test]
fn an_absent_server_a_cut_line_and_an_altered_message() {
    let authority = Authority::new();
    let server = authority.server();
    let gone = authority.server().address;
    assert_eq!(fault(authority.one(gone)), (Fault::ServerAbsent, true, 1));
    let before = authority.one(server.address).expect("it goes well").times;
    for at in [10, before.handshake_received as usize + 40] {
        let address = between(server.address, Meddling::Nothing, Meddling::Cut(at));
        assert_eq!(fault(authority.one(address)), (Fault::Cut, true, 1), "{at}");
    }
    // Alter a byte of the server's certificate, and one of its answer.
    for at in [400, before.handshake_received as usize + 40] {
        let address = between(server.address, Meddling::Nothing, Meddling::Alter(at));
        assert_eq!(fault(authority.one(address)).0, Fault::Altered, "{at}");
    }
    authority.one(server.address).expect("it still serves");
}

#[test]
fn strangers_do_not_stop_the_server() {
    let authority = Authority::new();
    let server = start(Options {
        // Longer than a busy machine delays an honest client.
        timeout: Duration::from_secs(3),
        ..authority.options(-1, 10)
    });
    for bytes in [
        &b""[..],
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\xff\xff",
        &[0; 4000],
    ] {
        let mut stream = std::net::TcpStream::connect(server.address).expect("it listens");
        let _ = stream.write_all(bytes);
    }
    authority.one(server.address).expect("it still serves");
    for _ in 0..6000 {
        if server.counts.bad.load(Ordering::Relaxed) >= 3 {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the server noticed nothing");
}
