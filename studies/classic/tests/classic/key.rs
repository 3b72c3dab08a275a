//! Keys and messages of the published protocol.

use selo_classic::key::WrongPadding;
use selo_classic::{ClassicKey, Frame, PAYLOAD_MAX};
use selo_link::{EphemeralSecret, FRAME_MAX, Refusal};

fn node_secret() -> EphemeralSecret {
    EphemeralSecret::new([1; 32])
}

fn gateway_secret() -> EphemeralSecret {
    EphemeralSecret::new([2; 32])
}

#[test]
fn classic_both_ways() {
    let node = ClassicKey::agree(&node_secret(), &gateway_secret().public_key()).expect("good");
    let gateway = ClassicKey::agree(&gateway_secret(), &node_secret().public_key()).expect("good");
    let (mut sent, mut read) = ([0; FRAME_MAX], [0; FRAME_MAX]);
    for bytes in 0..=PAYLOAD_MAX {
        let payload = &[0x10; PAYLOAD_MAX][..bytes];
        let frame = node.seal(payload, &mut sent).expect("it fits");
        assert_eq!(frame.len(), 1 + (bytes / 16 + 1) * 16);
        let Some(Frame::Blocks(blocks)) = Frame::parse(frame) else {
            panic!("blocks")
        };
        assert_eq!(gateway.open(blocks, &mut read), Ok(payload));
    }
    assert!(node.seal(&[0; PAYLOAD_MAX + 1], &mut sent).is_err());
}

/// Only the padding is checked, and it does not authenticate the message.
#[test]
fn classic_refuses_wrong_padding_only() {
    let key = ClassicKey::agree(&node_secret(), &gateway_secret().public_key()).expect("good");
    let mut out = [0; FRAME_MAX];
    let frame = key.seal(&[0x40; 20], &mut out).expect("it fits").to_vec();
    let mut cut = [0; FRAME_MAX];
    assert_eq!(key.open(&frame[1..17], &mut cut), Err(WrongPadding));
    assert_eq!(key.open(&[], &mut cut), Err(WrongPadding));
    assert_eq!(key.open(&frame[1..20], &mut cut), Err(WrongPadding));
    assert_eq!(key.open(&[0; 80], &mut cut), Err(WrongPadding));
    // The blocks are independent: repeating the first one gives a longer valid message.
    let twice = [&frame[1..17], &frame[1..33]].concat();
    assert_eq!(key.open(&twice, &mut cut).map(<[u8]>::len), Ok(36));
}

#[test]
fn a_public_key_of_small_order_is_refused_and_a_key_is_not_printed() {
    for bad in [[0; 32], {
        let mut one = [0; 32];
        one[0] = 1;
        one
    }] {
        let refused = ClassicKey::agree(&node_secret(), &bad);
        assert_eq!(refused.expect_err("a bad key"), Refusal::Key);
    }
    let key = ClassicKey::agree(&node_secret(), &gateway_secret().public_key()).expect("good");
    assert_eq!(format!("{key:?}"), "ClassicKey(..)");
}
