//! One exchange with fixed secrets, as stored in `lab/vectors/link/classic.toml`.

use std::path::{Path, PathBuf};

use selo_classic::{ClassicKey, Frame};
use selo_link::for_vectors::{hash, shared_secret};
use selo_link::{EphemeralSecret, FRAME_MAX, Suite};
use serde::{Deserialize, Serialize};

const HEADER: &str = "\
# Made by `cargo run -p selo-classic --example classic_vectors`; a test holds the program to this file.
# Bytes are hexadecimal, numbers decimal. README.md beside it says what the fields are.
";

const READING: &[u8] = b"23.5 C, 1013 hPa";

/// The file. Bytes are hexadecimal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VectorFile {
    pub node_secret: String,
    pub node_public: String,
    pub gateway_secret: String,
    pub gateway_public: String,
    pub request: String,
    pub gateway_key: String,
    pub node_key: String,
    pub shared: String,
    pub key: String,
    pub message: Vec<Message>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub payload: String,
    pub frame: String,
}

pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/vectors/link/classic.toml")
}

/// A fixed secret for each side that looks random.
fn secret(purpose: &str) -> [u8; 32] {
    hash(
        Suite::AesGcmSha256,
        &[b"Selo test vector", b"classic", purpose.as_bytes()],
    )
}

/// The whole text of the file.
pub fn text() -> String {
    let (node_secret, gateway_secret) = (secret("node"), secret("gateway"));
    let (node, gateway) = (
        EphemeralSecret::new(node_secret),
        EphemeralSecret::new(gateway_secret),
    );
    let (node_public, gateway_public) = (node.public_key(), gateway.public_key());
    let key = ClassicKey::agree(&node, &gateway_public).expect("a good key");
    let same = ClassicKey::agree(&gateway, &node_public).expect("a good key");
    assert_eq!(key.expose(), same.expose());
    let shared = shared_secret(&node_secret, &gateway_public).expect("a good key");
    assert_eq!(key.expose(), &hash(Suite::AesGcmSha3, &[shared.as_ref()]));
    let message = |payload: &[u8]| {
        let mut out = [0; FRAME_MAX];
        Message {
            payload: hex::encode(payload),
            frame: hex::encode(key.seal(payload, &mut out).expect("it fits")),
        }
    };
    let file = VectorFile {
        node_secret: hex::encode(node_secret),
        node_public: hex::encode(node_public),
        gateway_secret: hex::encode(gateway_secret),
        gateway_public: hex::encode(gateway_public),
        request: hex::encode(Frame::REQUEST),
        gateway_key: hex::encode(Frame::encode_gateway_key(&gateway_public)),
        node_key: hex::encode(Frame::encode_node_key(&node_public)),
        shared: hex::encode(shared.as_ref() as &[u8]),
        key: hex::encode(key.expose()),
        message: [&b""[..], b"23.5 C", READING, &[b'C'; 47]]
            .map(message)
            .into(),
    };
    format!(
        "{HEADER}\n{}",
        toml::to_string(&file).expect("the file is made of strings")
    )
}
