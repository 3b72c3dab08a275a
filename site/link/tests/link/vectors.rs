//! The pinned vectors: this crate reproduces them, and the C node produces every byte of its
//! part.

use std::path::PathBuf;

use selo_link::frame::Frame;
use selo_link::join::SessionKeys;
use selo_link::session::{SealOptions, Session, SessionId};
use selo_link::{FRAME_MAX, Kem, Suite};
use selo_sys::node::Event;

use crate::device::CNode;
use crate::format::{Hex, HybridFile, Join, Packet, Pair, SuiteFile};
use crate::{make, make_hybrid, play};

fn text(name: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../lab/vectors/link");
    let path = folder.join(format!("{name}.toml"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn suite_file(suite: Suite) -> SuiteFile {
    toml::from_str(&text(suite.name())).expect("it is such a file")
}

fn array<const N: usize>(hex: &Hex) -> [u8; N] {
    hex.0[..].try_into().expect("of that size")
}

#[test]
fn this_crate_makes_the_files() {
    for suite in Suite::ALL {
        assert!(
            make::suite_file(suite) == text(suite.name()),
            "lab/vectors/link/{suite}.toml"
        );
    }
}

/// Tests opening, which generating the files does not cover.
#[test]
fn the_other_side_opens_every_packet() {
    for suite in Suite::ALL {
        for join in suite_file(suite).join {
            let (mut node, mut gateway) = sessions(suite, &join);
            for packet in &join.packet {
                let (session, data) = match Frame::parse(&packet.frame.0) {
                    Ok(Frame::Up(data)) => (&mut gateway, data),
                    Ok(Frame::Down(data)) => (&mut node, data),
                    other => panic!("{other:?}"),
                };
                // Skip over packets that the file does not contain.
                while session.next_received() + 0x7fff < packet.counter {
                    session.replay_accepted(packet.counter.min(session.next_received() + 0x7fff));
                    if session.next_received() > packet.counter {
                        break;
                    }
                }
                let mut out = [0; FRAME_MAX];
                let opened = session.open(&data, &mut out).expect("it is genuine");
                assert_eq!(opened.counter, packet.counter);
                assert_eq!(opened.payload, packet.payload.0);
                assert_eq!(
                    (opened.ack_request, opened.ack),
                    (packet.ack_request, packet.ack)
                );
            }
        }
    }
}

fn sessions(suite: Suite, join: &Join) -> (Session, Session) {
    let keys = SessionKeys {
        suite,
        session: SessionId(join.session),
        long_tags: join.accept_options == 1,
        up: array(&join.up_key),
        down: array(&join.down_key),
    };
    (keys.node_session(), keys.gateway_session())
}

#[test]
fn the_c_node_says_the_same() {
    for suite in Suite::ALL {
        let file = suite_file(suite);
        let mut c = CNode::begin(suite, array(&file.randomness.entropy));
        pairs(&mut c, &file, true);
        for join in &file.join {
            joins(&mut c, suite, join);
        }
    }
}

#[test]
fn the_c_node_takes_a_rejection() {
    for suite in Suite::ALL {
        let file = suite_file(suite);
        let mut c = CNode::begin(suite, array(&file.randomness.entropy));
        pairs(&mut c, &file, false);
        assert!(!c.node.is_paired());
    }
}

#[test]
fn the_c_node_says_the_same_in_hybrid_pairings() {
    for suite in Suite::ALL {
        let name = format!("hybrid-{suite}");
        assert!(
            make_hybrid::hybrid_file(suite) == text(&name),
            "lab/vectors/link/{name}.toml"
        );
        let file: HybridFile = toml::from_str(&text(&name)).expect("it is such a file");
        for (kem, pairing) in Kem::ALL.into_iter().zip(&file.pairing) {
            let entropy = array(&pairing.randomness.entropy);
            let mut c = CNode::begin_hybrid(suite, Some(kem), entropy);
            c.node.pair().expect("it has begun");
            assert_eq!(Hex(c.sent()), pairing.pair_open);
            for (n, step) in pairing.step.iter().enumerate() {
                if let Some(frame) = &step.pair_step {
                    assert_eq!(&Hex(c.sent()), frame, "{suite}, {kem}, step {n}");
                }
                assert_eq!(c.take(&step.pair_piece.0), []);
            }
            assert_eq!(c.poll(), []);
            compares(&mut c, &pairing.pair, true);
            assert!(c.node.is_paired());
        }
    }
}

fn pairs(c: &mut CNode, file: &SuiteFile, confirmed: bool) {
    c.node.pair().expect("it has begun");
    compares(c, &file.pair, confirmed);
}

/// From PAIR-COMMIT on.
fn compares(c: &mut CNode, pair: &Pair, confirmed: bool) {
    assert_eq!(format!("{:08x}", c.node.id()), pair.device);
    assert_eq!(Hex(c.sent()), pair.pair_commit);
    let digits = pair.digits.parse().expect("digits");
    assert_eq!(c.take(&pair.pair_key.0), [Event::Digits(digits)]);
    assert_eq!(Hex(c.sent()), pair.pair_reveal);
    c.node.confirm(true).expect("it shows digits");
    let (result, event) = if confirmed {
        (&pair.pair_result_confirmed, Event::Paired)
    } else {
        (&pair.pair_result_rejected, Event::PairFailed)
    };
    assert_eq!(c.take(&result.0), [event]);
}

fn joins(c: &mut CNode, suite: Suite, join: &Join) {
    c.node.join().expect("it is paired");
    assert_eq!(Hex(c.sent()), join.join_request);
    assert_eq!(c.take(&join.cookie.0), []);
    assert_eq!(Hex(c.sent()), join.cookie_echo);
    assert_eq!(Hex(c.sent()), join.join_request);
    assert_eq!(c.take(&join.join_accept.0), [Event::Joined]);

    let (mut next_up, mut gateway) = (0, sessions(suite, join).1);
    // A node rejoins after 2^17 packets, so it never sends the one with the highest counter.
    for packet in join.packet.iter().filter(|packet| packet.counter < 1 << 17) {
        if packet.direction == "down" {
            takes_down(c, packet);
            gateway.skip_sent(packet.counter + 1);
            continue;
        }
        while next_up < packet.counter {
            let between = c.send(b"between", false);
            assert_eq!(play::up(&between).counter, next_up as u16);
            next_up += 1;
            if next_up % 16 == 0 {
                let heard = play::seal(&mut gateway, b"heard", SealOptions::default());
                assert_eq!(c.take(&heard), [Event::Received(b"heard".into())]);
            }
        }
        // The node itself acknowledges packets that no payload has acknowledged.
        let only_acknowledges = packet.ack.is_some() && packet.payload.0.is_empty();
        let frame = if only_acknowledges {
            assert_eq!(c.poll(), []);
            c.sent()
        } else {
            c.send(&packet.payload.0, packet.ack_request)
        };
        assert_eq!(Hex(frame), packet.frame, "UP {}", packet.counter);
        next_up += 1;
    }
    assert!(c.is_silent());
}

/// Delivers a DOWN. The node has not polled again afterwards, so its next packet can
/// acknowledge.
fn takes_down(c: &mut CNode, packet: &Packet) {
    let mut event = c.take_once(&packet.frame.0);
    if packet.ack.is_some() {
        assert_eq!(event, Some(Event::Delivered), "DOWN {}", packet.counter);
        event = (!packet.payload.0.is_empty())
            .then(|| c.node.poll())
            .flatten();
    }
    let received = (packet.ack.is_none() || !packet.payload.0.is_empty())
        .then(|| Event::Received(packet.payload.0.clone()));
    assert_eq!(event, received, "DOWN {}", packet.counter);
}
