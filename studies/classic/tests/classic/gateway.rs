//! The gateway's side, without a socket and over UDP, and the program.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use selo_classic::gateway::Taken;
use selo_classic::{ClassicKey, Frame, Gateway, Server};
use selo_link::{EphemeralSecret, FRAME_MAX, Reason};

fn peer(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

fn gateway_key(frame: &[u8]) -> [u8; 32] {
    match Frame::parse(frame) {
        Some(Frame::GatewayKey(key)) => *key,
        other => panic!("no key: {other:?}"),
    }
}

fn seal(key: &ClassicKey, message: &[u8]) -> Vec<u8> {
    let mut buffer = [0; FRAME_MAX];
    key.seal(message, &mut buffer).expect("fits").to_vec()
}

/// One block whose padding is wrong under this key. Of 256 arbitrary blocks, about one has a right one.
fn frame_with_wrong_padding(key: &ClassicKey) -> [u8; 17] {
    let mut text = [0; FRAME_MAX];
    (0..=u8::MAX)
        .map(|byte| {
            let mut frame = [byte; 17];
            frame[0] = 0xc3;
            frame
        })
        .find(|frame| key.open(&frame[1..], &mut text).is_err())
        .expect("a block that the key does not open")
}

#[test]
fn a_node_is_its_address_and_a_replay_is_a_reading() {
    let mut gateway = Gateway::default();
    let secret = EphemeralSecret::new([3; 32]);
    let Ok(Taken::Answer(answer)) = gateway.take(peer(1), &Frame::REQUEST) else {
        panic!("no answer");
    };
    let key = ClassicKey::agree(&secret, &gateway_key(&answer)).expect("a key");
    let ours = Frame::encode_node_key(&secret.public_key());
    assert_eq!(gateway.take(peer(2), &ours), Err(Reason::UnknownSession));
    assert_eq!(gateway.take(peer(1), &ours), Ok(Taken::Keyed));
    let blocks = seal(&key, b"23.5 C");
    let mut readings = Vec::new();
    for _ in 0..2 {
        match gateway.take(peer(1), &blocks) {
            Ok(Taken::Reading(reading)) => readings.push(reading),
            other => panic!("no reading: {other:?}"),
        }
    }
    // The published protocol does not detect a replay.
    assert_eq!(readings[0].payload, b"23.5 C");
    assert_eq!(readings[0].session, readings[1].session);
    assert_eq!((readings[0].counter, readings[1].counter), (0, 1));
    assert_eq!(
        gateway.take(peer(1), &frame_with_wrong_padding(&key)),
        Err(Reason::Malformed)
    );
    assert_eq!(gateway.take(peer(1), &[0x10; 38]), Err(Reason::Malformed));
    assert_eq!(gateway.take(peer(1), &answer), Err(Reason::NotPairing));
    assert_eq!(gateway.multiplications(), 2);
}

/// The three messages of a join, and one message.
fn talk(to: SocketAddr) {
    let node = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("binds");
    node.set_read_timeout(Some(Duration::from_secs(20)))
        .expect("sets");
    node.send_to(&Frame::REQUEST, to).expect("sends");
    let mut answer = [0; 64];
    let (size, _) = node.recv_from(&mut answer).expect("an answer");
    let secret = EphemeralSecret::random().expect("random");
    let key = ClassicKey::agree(&secret, &gateway_key(&answer[..size])).expect("a key");
    let ours = Frame::encode_node_key(&secret.public_key());
    node.send_to(&ours, to).expect("sends");
    node.send_to(&seal(&key, b"23.5 C"), to).expect("sends");
}

#[test]
fn a_server_hands_on_readings_and_counts() {
    let (to, readings) = channel();
    let server = Server::start(peer(0), move |reading| {
        to.send(reading).map_err(std::io::Error::other)
    });
    let server = server.expect("starts");
    talk(server.address());
    let reading = readings.recv_timeout(Duration::from_secs(20));
    assert_eq!(reading.expect("a reading").payload, b"23.5 C");
    assert_eq!((server.accepted(), server.multiplications()), (1, 2));
    assert_eq!(server.dropped(Reason::Malformed), 0);
    assert!(!server.has_ended());
    server.stop().expect("stops");
}

#[test]
fn the_program_prints_a_line_that_says_that_nobody_authenticated_it() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_selo-classic"))
        .args(["--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut said = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut next = || said.next().expect("a line").expect("text");
    assert!(next().contains("not authenticated"));
    let address = next();
    let address = address.strip_prefix("listening ").expect("an address");
    talk(address.parse().expect("an address"));
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("a line");
    child.kill().expect("ends");
    child.wait().expect("ended");
    let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!(line["schema"], "selo.reading/1");
    assert!(line["device"].is_null());
    assert_eq!(line["authenticated"], false);
    assert_eq!(line["payload"], "32332e352043");
}
