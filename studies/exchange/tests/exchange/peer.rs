//! Tests the two implementations of the protocol against each other: studies/firmware/exchange in C,
//! written from docs/researcher/exchange.md, and this crate, each as client and as server.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use selo_exchange::cipher::{BuiltIn, Cipher};
use selo_exchange::client::Exchange;
use selo_exchange::key::Key;
use selo_exchange::payload::Payload;
use selo_exchange::row::{self, Figure};
use selo_exchange::server::{self, Options};
use selo_exchange::{Error, Fault};

struct Peer {
    folder: tempfile::TempDir,
    program: PathBuf,
    key: PathBuf,
}

impl Peer {
    fn build() -> Peer {
        let folder = tempfile::tempdir().expect("a folder");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/firmware/exchange");
        let made = Command::new("make")
            .args(["-s", "-C"])
            .arg(source)
            .arg(format!("OUT={}", folder.path().display()))
            .status();
        assert!(made.is_ok_and(|status| status.success()), "it is built");
        let key = folder.path().join("key");
        Key::generate()
            .and_then(|new| new.write(&key))
            .expect("a key");
        Peer {
            program: folder.path().join("peer"),
            folder,
            key,
        }
    }

    fn key(&self) -> Key {
        Key::read(&self.key).expect("a key")
    }
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_two_programs_understand_each_other() {
    let peer = Peer::build();

    // The client in C, the server in Rust.
    let server = server::start("127.0.0.1:0", peer.key(), Options::default(), |_| {});
    let server = server.expect("a server");
    let output = Command::new(&peer.program)
        .arg("run")
        .arg(&peer.key)
        .args(["127.0.0.1", &server.address.port().to_string()])
        .args(["--cipher", "all", "--payload", "string,image"])
        .args(["--repeat", "1", "--warm-up", "1"])
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{output:?}");
    let file = peer.folder.path().join("rows.jsonl");
    std::fs::write(&file, &output.stdout).expect("written");
    let rows: Vec<row::Row> = row::read(&file).expect("its rows are ours");
    assert_eq!(rows.len(), 2 * 2 * Cipher::ALL.len());
    assert!(rows.iter().all(|row| row.verified && row.fault.is_none()));
    assert!(rows.iter().all(|row| Figure::Total.of(row).is_some()));
    assert_eq!(
        rows.iter().filter(|row| row.warm_up).count(),
        rows.len() / 2
    );

    // The server in C, the client in Rust.
    let mut serving = Running(
        Command::new(&peer.program)
            .arg("serve")
            .arg(&peer.key)
            .args(["127.0.0.1", "0", "--emulated"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs"),
    );
    let mut line = String::new();
    let out = serving.0.stdout.take().expect("piped");
    BufReader::new(out).read_line(&mut line).expect("a line");
    let to = line.strip_prefix("listening ").expect("where").trim();
    let (key, other) = (peer.key(), Key::generate().expect("randomness"));
    let payload = Payload::parse("string").expect("there is one").bytes;
    let exchange = Exchange {
        to,
        key: &key,
        cipher: Cipher::Aes128Cbc,
        implementation: &BuiltIn::RustCrypto.into(),
        payload: &payload,
        timeout: Duration::from_secs(20),
        store: None,
    };
    for cipher in Cipher::ALL {
        let done = Exchange { cipher, ..exchange }.run().expect("it goes well");
        assert!(done.machine.starts_with("selo-c ") && done.machine.ends_with(", emulated"));
    }
    let wrong = Exchange {
        key: &other,
        ..exchange
    };
    let error = wrong.run().expect_err("another key");
    assert_eq!(error.fault(), Fault::WrongKey);

    // The server survives invalid input too.
    for bytes in [
        &b"GET /"[..],
        b"SELX\x01\x01\x01\x00\xff\xff\xff\xff",
        &[0; 40],
    ] {
        let mut stream = std::net::TcpStream::connect(to).expect("it listens");
        let _ = std::io::Write::write_all(&mut stream, bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    exchange.run().expect("it still serves");
    let absent = Exchange {
        to: "127.0.0.1:1",
        ..exchange
    };
    assert!(matches!(absent.run(), Err(Error::Absent { .. })));
}
