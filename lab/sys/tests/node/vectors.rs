//! Tests with `lab/vectors/link/`, made by the gateway's crate. The node only gets its entropy
//! and the gateway's frames, and must send every frame of the file bit for bit.

use std::fs;
use std::path::PathBuf;

use aes_gcm::Aes256Gcm;
use aes_gcm::aead::{Aead, KeyInit, Payload};
use ascon_aead::AsconAead128;
use chacha20poly1305::ChaCha20Poly1305;
use selo_sys::node::{Event, Node, Suite};
use serde::Deserialize;

use crate::device::{Device, events};

#[derive(Deserialize)]
struct File {
    code: u8,
    randomness: Randomness,
    pair: Pair,
    join: Vec<Join>,
}

#[derive(Deserialize)]
struct Randomness {
    entropy: String,
    draw: Vec<Draw>,
}

#[derive(Deserialize)]
struct Draw {
    output: String,
}

#[derive(Deserialize)]
struct Pair {
    device: String,
    pair_commit: String,
    pair_key: String,
    pair_reveal: String,
    device_key: String,
    digits: String,
    pair_result_confirmed: String,
    pair_result_rejected: String,
}

#[derive(Deserialize)]
struct Join {
    counter: u32,
    session: u32,
    accept_options: u8,
    join_request: String,
    cookie: String,
    cookie_echo: String,
    join_accept: String,
    down_key: String,
    packet: Vec<Packet>,
}

#[derive(Deserialize)]
struct Packet {
    direction: String,
    counter: u64,
    ack_request: bool,
    ack: Option<u16>,
    payload: String,
    frame: String,
}

fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex).expect("the file holds hexadecimal")
}

fn files() -> Vec<File> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/vectors/link");
    Suite::ALL
        .into_iter()
        .map(|suite| {
            let name = match suite {
                Suite::AesGcmSha3_256 => "aesgcm-sha3-256",
                Suite::ChaChaPolyBlake2s => "chachapoly-blake2s",
                Suite::AesGcmSha256 => "aesgcm-sha256",
                Suite::Ascon => "ascon",
            };
            let path = folder.join(name).with_extension("toml");
            let text = fs::read_to_string(&path).expect("the file of each suite is there");
            let file: File = toml::from_str(&text).expect("it has the fields above");
            assert_eq!(Suite::from_code(file.code), Some(suite));
            file
        })
        .collect()
}

/// A node with the file's data, just begun.
fn begin(file: &File) -> (Device, Node) {
    let entropy = bytes(&file.randomness.entropy);
    let device = Device::new(entropy.try_into().expect("32 bytes"));
    let suite = Suite::from_code(file.code).expect("checked above");
    let mut node = device.node(suite);
    node.begin().expect("the device works");
    (device, node)
}

/// The seed in the record.
fn seed(device: &Device) -> Vec<u8> {
    device.state().record.expect("it was stored")[40..72].to_vec()
}

fn pair(file: &File) -> (Device, Node) {
    let (device, mut node) = begin(file);
    let draws: Vec<_> = file
        .randomness
        .draw
        .iter()
        .map(|draw| bytes(&draw.output))
        .collect();
    assert_eq!(seed(&device), draws[0]);
    assert_eq!(format!("{:08x}", node.id()), file.pair.device);
    assert_eq!(node.id().to_le_bytes(), draws[1][..4]);

    node.pair().expect("it has begun");
    assert_eq!(device.last(), bytes(&file.pair.pair_commit));
    let digits = file.pair.digits.parse().expect("six digits");
    assert_eq!(
        device.give(&mut node, &bytes(&file.pair.pair_key)),
        [Event::Digits(digits)]
    );
    assert_eq!(device.last(), bytes(&file.pair.pair_reveal));
    (device, node)
}

#[test]
fn pairings() {
    for file in files() {
        let (device, mut node) = pair(&file);
        let rejected = bytes(&file.pair.pair_result_rejected);
        assert_eq!(device.give(&mut node, &rejected), [Event::PairFailed]);

        let (device, mut node) = pair(&file);
        let confirmed = bytes(&file.pair.pair_result_confirmed);
        assert_eq!(device.give(&mut node, &confirmed), []);
        node.confirm(true).expect("the digits are there");
        assert_eq!(events(&mut node), [Event::Paired]);
        let record = device.state().record.expect("it was stored");
        assert_eq!(record[8..40], bytes(&file.pair.device_key));
        assert_eq!(seed(&device), bytes(&file.randomness.draw[4].output));
    }
}

/// A DOWN frame made here, to receive between those of the file.
fn down(file: &File, join: &Join, n: u16) -> Vec<u8> {
    assert!(join.session < 0x1_0000 && join.accept_options == 0);
    let session = u16::try_from(join.session).expect("just checked");
    let header = [&[0x80], &session.to_le_bytes()[..], &n.to_le_bytes()].concat();
    let key = bytes(&join.down_key);
    let payload = Payload {
        msg: b"...".as_slice(),
        aad: &header,
    };
    let mut nonce = [0; 12];
    let sealed = match Suite::from_code(file.code).expect("checked above") {
        Suite::ChaChaPolyBlake2s => {
            nonce[4..6].copy_from_slice(&n.to_le_bytes());
            ChaCha20Poly1305::new_from_slice(&key)
                .expect("32 bytes")
                .encrypt(&nonce.into(), payload)
        }
        Suite::Ascon => {
            let mut nonce: [u8; 16] = key[16..].try_into().expect("32 bytes");
            nonce[0] ^= n.to_le_bytes()[0];
            nonce[1] ^= n.to_le_bytes()[1];
            AsconAead128::new_from_slice(&key[..16])
                .expect("16 bytes")
                .encrypt(&nonce.into(), payload)
        }
        Suite::AesGcmSha3_256 | Suite::AesGcmSha256 => {
            nonce[10..].copy_from_slice(&n.to_be_bytes());
            Aes256Gcm::new_from_slice(&key)
                .expect("32 bytes")
                .encrypt(&nonce.into(), payload)
        }
    }
    .expect("short messages can be sealed");
    [&header, &sealed[..sealed.len() - 8]].concat()
}

/// Sends payloads until the next one has counter `counter`. Receives DOWN frames often enough
/// that the node does not join again; they use counters that the file leaves free.
fn go_on(file: &File, join: &Join, node: &mut Node, device: &Device, up: &mut u64, counter: u64) {
    while *up < counter {
        if (*up).is_multiple_of(16) {
            let n = u16::try_from(100 + *up / 16).expect("below 2^16");
            assert_eq!(device.give(node, &down(file, join, n)).len(), 1);
        }
        node.send(b"filler", false).expect("there is a session");
        *up += 1;
        device.state().sent.clear();
    }
}

#[test]
fn joins_and_packets() {
    let mut tried = 0;
    for file in files() {
        let (device, mut node) = pair(&file);
        node.confirm(true).expect("the digits are there");
        let confirmed = bytes(&file.pair.pair_result_confirmed);
        assert_eq!(device.give(&mut node, &confirmed), [Event::Paired]);
        for join in &file.join {
            let stored = device.state().record.expect("it was stored");
            let reserved = stored[72..].try_into().map(u32::from_le_bytes);
            assert!(join.counter < reserved.expect("four bytes"));
            node.join().expect("there is a key");
            assert_eq!(device.last(), bytes(&join.join_request));
            device.state().sent.clear();
            assert_eq!(device.give(&mut node, &bytes(&join.cookie)), []);
            assert_eq!(
                device.state().sent,
                [bytes(&join.cookie_echo), bytes(&join.join_request)]
            );
            assert_eq!(
                device.give(&mut node, &bytes(&join.join_accept)),
                [Event::Joined]
            );
            tried += packets(&file, join, &mut node, &device);
        }
    }
    assert!(tried > 100, "only {tried} packets");
}

/// Every packet of a session within reach: 2^32 packets would take too long.
fn packets(file: &File, join: &Join, node: &mut Node, device: &Device) -> usize {
    let reachable = |packet: &&Packet| packet.counter < 1 << 20;
    let mut up = 0;
    let mut tried = 0;
    let mut waiting = false;
    let list: Vec<&Packet> = join.packet.iter().filter(reachable).collect();
    for (at, packet) in list.iter().enumerate() {
        let (payload, frame) = (bytes(&packet.payload), bytes(&packet.frame));
        if packet.direction == "up" {
            go_on(file, join, node, device, &mut up, packet.counter);
            let alone = packet.ack.is_some() && payload.is_empty();
            if !alone {
                node.send(&payload, packet.ack_request)
                    .expect("there is a session");
            }
            assert_eq!(device.last(), frame, "UP {}", packet.counter);
            waiting |= packet.ack_request;
            up += 1;
        } else {
            // The next payload carries the acknowledgement only if it is sent before the next poll.
            let alone = list
                .get(at + 1)
                .is_none_or(|next| next.payload.is_empty() || next.ack.is_none());
            device.state().received.push_back(frame);
            let mut said = Vec::new();
            while let Some(event) = node.poll() {
                let last = matches!(event, Event::Received(_));
                said.push(event);
                if last && !alone {
                    break;
                }
            }
            let mut want = Vec::new();
            if packet.ack.is_some() && waiting {
                want.push(Event::Delivered);
                waiting = false;
            }
            if packet.ack.is_none() || !payload.is_empty() {
                want.push(Event::Received(payload));
            }
            assert_eq!(said, want, "DOWN {}", packet.counter);
        }
        tried += 1;
    }
    tried
}
