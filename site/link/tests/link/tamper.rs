//! Every alteration in transit is refused: each bit of each frame, and each size.

use selo_link::Suite;
use selo_link::frame::{Frame, encode_hint};
use selo_link::join::{JoinAttempt, JoinOpened};
use selo_link::pair::{GatewayPairing, NodePairing};
use selo_link::session::{SealOptions, Session, SessionId};
use selo_link::{EphemeralSecret, FRAME_MAX};

use crate::play::{self, DEVICE, GATEWAY_SECRET, NODE_SECRET};

/// The frame with each bit flipped, truncated to each size, and extended by up to 3 bytes.
fn changes(frame: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let bits = (0..8 * frame.len()).map(|bit| {
        let mut changed = frame.to_vec();
        changed[bit / 8] ^= 1 << (bit % 8);
        changed
    });
    let shorter = (0..frame.len()).map(|bytes| frame[..bytes].to_vec());
    let longer =
        (1..=3).flat_map(move |more| [0, 0xa5].map(|byte| [frame, &vec![byte; more]].concat()));
    bits.chain(shorter).chain(longer)
}

#[test]
fn join_request() {
    for suite in Suite::ALL {
        let key = play::device_key();
        let (_, request) = JoinAttempt::start(suite, DEVICE, &key, 1, false, &NODE_SECRET);
        for changed in changes(&request) {
            if let Ok(Frame::JoinRequest(request)) = Frame::parse(&changed) {
                assert!(
                    JoinOpened::open(suite, &key, &request).is_err(),
                    "{changed:02x?}"
                );
            }
        }
    }
}

#[test]
fn join_accept() {
    for suite in Suite::ALL {
        let key = play::device_key();
        let (mut attempt, request) =
            JoinAttempt::start(suite, DEVICE, &key, 1, false, &NODE_SECRET);
        let opened = JoinOpened::open(suite, &key, &play::join_request(&request)).expect("genuine");
        let (accept, keys) = opened
            .accept(&GATEWAY_SECRET, SessionId(1), false)
            .expect("a good key");
        for changed in changes(&accept) {
            if let Ok(Frame::JoinAccept(accept)) = Frame::parse(&changed) {
                assert!(attempt.finish(&accept).is_err(), "{changed:02x?}");
            }
        }
        let at_node = attempt
            .finish(&play::join_accept(&accept))
            .expect("it waits for this one");
        assert_eq!(at_node.up, keys.up);
    }
}

#[test]
fn up_and_down() {
    for suite in Suite::ALL {
        for (id, long_tags) in [(0x5e10, false), (0x1_0000, true), (0xffff_ffff, false)] {
            let keys = play::join(suite, SessionId(id), long_tags);
            for bits in 0..4 {
                let options = SealOptions {
                    ack_request: bits & 1 == 1,
                    ack: (bits & 2 == 2).then_some(0x1234),
                };
                refuses(keys.node_session(), &keys.gateway_session(), options);
                refuses(keys.gateway_session(), &keys.node_session(), options);
            }
        }
    }
}

/// Starts a few packets in, so that altered counters are above, within and below the window.
fn refuses(mut from: Session, to: &Session, options: SealOptions) {
    let mut to = to.clone();
    from.skip_sent(300);
    assert!(to.replay_accepted(290));
    for payload in [&b""[..], b"23.5 C, 1013 hPa"] {
        let frame = play::seal(&mut from, payload, options);
        for changed in changes(&frame) {
            assert!(
                opens(&mut to.clone(), &changed).is_none(),
                "{frame:02x?} {changed:02x?}"
            );
        }
        assert_eq!(opens(&mut to, &frame).as_deref(), Some(payload));
        assert_eq!(opens(&mut to, &frame), None, "twice");
    }
}

/// The payload, if the receiver accepts these bytes.
fn opens(session: &mut Session, frame: &[u8]) -> Option<Vec<u8>> {
    let Ok(Frame::Up(data) | Frame::Down(data)) = Frame::parse(frame) else {
        return None;
    };
    let mut out = [0; FRAME_MAX];
    session
        .open(&data, &mut out)
        .ok()
        .map(|opened| opened.payload.to_vec())
}

/// A hint is not authenticated. An altered one names another session or is malformed.
#[test]
fn hint() {
    for id in [0, 0x5e10, 0xffff, 0x1_0000, u32::MAX] {
        let session = SessionId(id);
        let mut buffer = [0; 5];
        let hint = encode_hint(session, &mut buffer);
        assert_eq!(Frame::parse(hint), Ok(Frame::Hint(session)));
        for changed in changes(hint) {
            assert_ne!(Frame::parse(&changed), Ok(Frame::Hint(session)));
        }
    }
}

/// The outcome of a pairing whose nth frame is altered. Returns `Some` if both sides have the
/// same key and digits, and the node accepts the confirmation.
fn pairs(suite: Suite, nth: usize, change: impl Fn(&[u8]) -> Vec<u8>) -> Option<()> {
    let pass = |n: usize, frame: &[u8]| {
        if n == nth {
            change(frame)
        } else {
            frame.to_vec()
        }
    };
    let (node, commit) = NodePairing::start(suite, DEVICE, NODE_SECRET, [5; 16]);
    let commit = pass(1, &commit);
    let Ok(Frame::PairCommit(commit)) = Frame::parse(&commit) else {
        return None;
    };
    let (gateway, key) = GatewayPairing::start(&commit, GATEWAY_SECRET);
    let key = pass(2, &key);
    let Ok(Frame::PairKey(key)) = Frame::parse(&key) else {
        return None;
    };
    let (node, reveal) = node.key(&key).ok()?;
    let reveal = pass(3, &reveal);
    let Ok(Frame::PairReveal(reveal)) = Frame::parse(&reveal) else {
        return None;
    };
    let gateway = gateway.reveal(&reveal).ok()?;
    let result = pass(4, &gateway.result(true));
    let Ok(Frame::PairResult(result)) = Frame::parse(&result) else {
        return None;
    };
    let confirmed = node.verdict(&result).ok()?;
    let same_key = node.device_key().expose() == gateway.device_key().expose();
    (confirmed && same_key && node.digits() == gateway.digits()).then_some(())
}

#[test]
fn pairing() {
    for suite in Suite::ALL {
        assert_eq!(pairs(suite, 0, <[u8]>::to_vec), Some(()));
        let (_, commit) = NodePairing::start(suite, DEVICE, NODE_SECRET, [5; 16]);
        let sizes = [commit.len(), 37, 53, 21];
        for (nth, size) in (1..).zip(sizes) {
            for bit in 0..8 * size {
                let flip = |frame: &[u8]| {
                    let mut frame = frame.to_vec();
                    frame[bit / 8] ^= 1 << (bit % 8);
                    frame
                };
                assert_eq!(pairs(suite, nth, flip), None, "frame {nth}, bit {bit}");
            }
            assert_eq!(pairs(suite, nth, |frame| frame[..size - 1].to_vec()), None);
            assert_eq!(pairs(suite, nth, |frame| [frame, &[0]].concat()), None);
        }
    }
}

/// The digits reveal a man in the middle who uses own keys.
#[test]
fn a_pairing_with_somebody_between() {
    let between = EphemeralSecret::new([0x66; 32]);
    let theirs = between.public_key();
    for suite in Suite::ALL {
        let with_their_key = |frame: &[u8]| {
            let mut frame = frame.to_vec();
            frame[5..37].copy_from_slice(&theirs);
            frame
        };
        assert_eq!(pairs(suite, 2, with_their_key), None);
        assert_eq!(
            pairs(suite, 3, with_their_key),
            None,
            "the commitment is not opened"
        );
    }
}
