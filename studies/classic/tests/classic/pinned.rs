//! Checks the pinned vectors: this crate reproduces them, and opens their messages.

use crate::vectors::VectorFile;
use selo_classic::{ClassicKey, Frame};
use selo_link::{EphemeralSecret, FRAME_MAX};

#[test]
fn this_crate_makes_the_file_and_opens_its_messages() {
    let text = std::fs::read_to_string(crate::vectors::path()).expect("the vector file exists");
    assert!(
        crate::vectors::text() == text,
        "lab/vectors/link/classic.toml"
    );
    let file: VectorFile = toml::from_str(&text).expect("a valid vector file");
    let bytes = |digits: &str| hex::decode(digits).expect("hexadecimal");
    let array = |digits: &str| -> [u8; 32] { bytes(digits).try_into().expect("32 bytes") };
    let gateway = EphemeralSecret::new(array(&file.gateway_secret));
    let key = ClassicKey::agree(&gateway, &array(&file.node_public)).expect("a good key");
    for message in &file.message {
        let frame = bytes(&message.frame);
        let Some(Frame::Blocks(blocks)) = Frame::parse(&frame) else {
            panic!("no blocks: {frame:02x?}");
        };
        let mut out = [0; FRAME_MAX];
        assert_eq!(key.open(blocks, &mut out), Ok(&bytes(&message.payload)[..]));
    }
}
