//! The first experiment over loopback: every cipher with every implementation, several clients, and
//! every kind of failure.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::support::{Meddling, between};
use selo_exchange::cipher::{BuiltIn, Cipher};
use selo_exchange::client::{Done, Exchange};
use selo_exchange::implementation::Implementation;
use selo_exchange::key::Key;
use selo_exchange::payload::Payload;
use selo_exchange::server::{self, Options};
use selo_exchange::serving::Server;
use selo_exchange::{Error, Fault, Result};

struct KeyFolder {
    folder: tempfile::TempDir,
    key: Key,
}

impl KeyFolder {
    fn new() -> KeyFolder {
        let folder = tempfile::tempdir().expect("a folder");
        let key = Key::generate().expect("randomness");
        key.write(&folder.path().join("key")).expect("written");
        KeyFolder { folder, key }
    }

    fn key(&self) -> Key {
        Key::read(&self.folder.path().join("key")).expect("read")
    }

    fn server(&self, options: Options) -> Server {
        server::start("127.0.0.1:0", self.key(), options, |_| {}).expect("a server")
    }

    fn run(&self, to: SocketAddr, cipher: Cipher, payload: &[u8]) -> Result<Done> {
        self.run_by(to, cipher, &BuiltIn::Selo.into(), payload, None)
    }

    fn run_by(
        &self,
        to: SocketAddr,
        cipher: Cipher,
        implementation: &Implementation,
        payload: &[u8],
        store: Option<&Path>,
    ) -> Result<Done> {
        Exchange {
            to: &to.to_string(),
            key: &self.key,
            cipher,
            implementation,
            payload,
            timeout: Duration::from_secs(20),
            store,
        }
        .run()
    }
}

/// Waits until a counter has the value. The server counts after the client has left.
fn reaches(counter: &std::sync::atomic::AtomicU64, value: u64) -> bool {
    for _ in 0..6000 {
        if counter.load(Ordering::Relaxed) >= value {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn every_cipher_by_every_implementation_and_both_ends_keep_what_was_sent() {
    let place = KeyFolder::new();
    let payload = Payload::parse("string").expect("there is one").bytes;
    let all: Vec<Implementation> = BuiltIn::ALL.iter().map(|one| (*one).into()).collect();
    for (number, server_side) in all.iter().enumerate() {
        let store = place.folder.path().join(format!("store{number}"));
        let server = place.server(Options {
            implementation: server_side.clone(),
            store: Some(store.clone()),
            ..Options::default()
        });
        let mut exchanges = 0;
        for cipher in Cipher::ALL.into_iter().filter(|c| server_side.offers(*c)) {
            for client_side in all.iter().filter(|i| i.offers(cipher)) {
                let kept = place.folder.path().join("kept");
                let done = place
                    .run_by(server.address, cipher, client_side, &payload, Some(&kept))
                    .expect("it goes well");
                assert_eq!(std::fs::read(&kept).expect("kept"), payload);
                let name = format!("server-{exchanges:06}-{}.bin", cipher.name());
                assert_eq!(std::fs::read(store.join(name)).expect("kept"), payload);
                exchanges += 1;
                // The stamps are in order, and the server's fit into the time that the client
                // waited.
                assert!(done.sealed <= done.came && done.came <= done.opened);
                assert!(done.server.sealed <= done.came - done.sealed);
                assert!(done.machine.starts_with(server_side.name()));
                let sealed = cipher.sealed_size(payload.len()) as u64;
                assert_eq!((done.sent, done.received), (sealed + 20, sealed + 36));
            }
        }
        assert!(reaches(&server.counts.verified, exchanges));
        assert_eq!(server.counts.bad.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn an_image_and_nothing_at_all() {
    let place = KeyFolder::new();
    let server = place.server(Options::default());
    let image = Payload::parse("image").expect("there is one").bytes;
    for payload in [&image[..], b""] {
        place
            .run(server.address, Cipher::ChaCha20Poly1305, payload)
            .expect("it goes well");
    }
    assert!(reaches(&server.counts.verified, 2));
}

#[test]
fn several_clients_and_bad_ones_between_them() {
    let place = KeyFolder::new();
    let server = place.server(Options {
        // Longer than a busy machine delays an honest client.
        timeout: Duration::from_secs(3),
        ..Options::default()
    });
    let address = server.address;
    std::thread::scope(|scope| {
        for n in 0..4 {
            let place = &place;
            scope.spawn(move || {
                for _ in 0..5 {
                    let cipher = Cipher::ALL[n];
                    place.run(address, cipher, &[n as u8; 5000]).expect("well");
                }
            });
        }
        // Silence; nonsense; an announced length of four gigabytes; a message that stops in the
        // middle.
        for bytes in [
            &b""[..],
            b"GET / HTTP/1.1\r\n\r\n",
            b"SELX\x01\x01\x01\x00\xff\xff\xff\xff",
            b"SELX\x01\x01\x01\x00\x00\x00\x10\x00half",
            b"SELX\x01\x01\x63\x00\x00\x00\x00\x08\0\0\0\0\0\0\0\0",
            b"SELX\x01\x04\x01\x00\x00\x00\x00\x00",
        ] {
            scope.spawn(move || {
                let mut stream = TcpStream::connect(address).expect("it listens");
                let _ = stream.write_all(bytes);
                let _ = stream.read_to_end(&mut Vec::new());
            });
        }
    });
    assert!(reaches(&server.counts.verified, 20));
    assert!(reaches(&server.counts.bad, 6));
    place
        .run(address, Cipher::Aes128Gcm, b"still there")
        .expect("it still serves");
}

/// The fault, whether there is a hint, and the exit code.
fn fault(result: Result<Done>) -> (Fault, bool, u8) {
    let error = result.expect_err("it cannot go well");
    (error.fault(), error.hint().is_some(), error.exit_code())
}

#[test]
fn an_absent_server() {
    let place = KeyFolder::new();
    let address = place.server(Options::default()).address;
    let result = place.run(address, Cipher::Aes128Gcm, b"x");
    assert_eq!(fault(result), (Fault::ServerAbsent, true, 1));
}

#[test]
fn another_key() {
    let (place, other) = (KeyFolder::new(), KeyFolder::new());
    let server = other.server(Options::default());
    for cipher in [Cipher::Aes128Cbc, Cipher::AsconAead128] {
        let result = place.run(server.address, cipher, b"x");
        assert_eq!(fault(result), (Fault::WrongKey, true, 1));
    }
}

#[test]
fn a_connection_cut_in_the_middle() {
    let place = KeyFolder::new();
    let server = place.server(Options::default());
    for (up, down) in [
        (Meddling::Cut(5000), Meddling::Nothing),
        (Meddling::Nothing, Meddling::Cut(5000)),
        (Meddling::Nothing, Meddling::Cut(5)),
    ] {
        let address = between(server.address, up, down);
        let result = place.run(address, Cipher::Aes256Gcm, &[7; 20_000]);
        assert_eq!(fault(result), (Fault::Cut, true, 1), "{up:?} {down:?}");
    }
}

#[test]
fn an_altered_message() {
    let place = KeyFolder::new();
    let server = place.server(Options::default());
    for cipher in Cipher::ALL.into_iter().filter(|c| c.authenticated()) {
        for (up, down) in [
            (Meddling::Alter(2000), Meddling::Nothing),
            (Meddling::Nothing, Meddling::Alter(2000)),
        ] {
            let address = between(server.address, up, down);
            let result = place.run(address, cipher, &[7; 3000]);
            assert_eq!(fault(result), (Fault::Altered, true, 1), "{up:?} {down:?}");
        }
    }
    // CBC opens an altered message. The comparison of the two ends detects it.
    for (up, down) in [
        (Meddling::Alter(2000), Meddling::Nothing),
        (Meddling::Nothing, Meddling::Alter(2000)),
    ] {
        let address = between(server.address, up, down);
        let result = place.run(address, Cipher::Aes128Cbc, &[7; 3000]);
        assert_eq!(fault(result), (Fault::Differs, true, 1), "{up:?} {down:?}");
    }
}

#[test]
fn too_large_too_many_and_not_offered() {
    let place = KeyFolder::new();
    let server = place.server(Options {
        max_payload: 1000,
        implementation: BuiltIn::Ring.into(),
        ..Options::default()
    });
    let result = place.run(server.address, Cipher::Aes128Gcm, &[0; 1001]);
    assert_eq!(fault(result).0, Fault::Refused);
    let result = place.run(server.address, Cipher::AsconAead128, b"x");
    assert_eq!(fault(result).0, Fault::NotOffered);
    place
        .run(server.address, Cipher::Aes128Gcm, &[0; 1000])
        .expect("at the limit");
    let full = place.server(Options {
        max_clients: 1,
        ..Options::default()
    });
    let mut first = TcpStream::connect(full.address).expect("it listens");
    first.read_exact(&mut [0; 12]).expect("a greeting");
    let result = place.run(full.address, Cipher::Aes128Gcm, b"x");
    assert_eq!(fault(result).0, Fault::Refused);
}

#[test]
fn a_server_that_says_nothing() {
    let place = KeyFolder::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let result = Exchange {
        to: &listener.local_addr().expect("an address").to_string(),
        key: &place.key,
        cipher: Cipher::Aes128Gcm,
        implementation: &BuiltIn::Selo.into(),
        payload: b"x",
        timeout: Duration::from_millis(300),
        store: None,
    }
    .run();
    assert_eq!(fault(result), (Fault::Timeout, true, 1));
}

#[test]
fn nobody_listens_on_an_address_of_others() {
    let place = KeyFolder::new();
    let server = server::start("192.0.2.1:1", place.key(), Options::default(), |_| {});
    let error = server.expect_err("not of this machine");
    assert!(matches!(error, Error::Usage { .. }), "{error}");
}
