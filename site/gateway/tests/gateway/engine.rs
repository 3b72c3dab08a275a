//! The engine, packet by packet, against [docs/protocol.md].

mod hybrid;
mod joins;
mod messages;
mod ownership;
mod pairing;

use crate::common::{Bench, Heard, Node, at, peer};
use selo_gateway::counters::{Count, Kind};
use selo_gateway::engine::{Device, Downlink};
use selo_gateway::reading::Payload;
use selo_link::frame::{Frame, JoinRequest};
use selo_link::session::SealOptions;
use selo_link::{Reason, Suite};

fn joined(suite: Suite) -> (Bench, Node) {
    let mut bench = Bench::new();
    let mut node = Node::new(1, suite);
    bench.add(&node, 1);
    bench.join(0, peer(1), &mut node);
    (bench, node)
}

#[test]
fn a_reading_of_every_suite_is_taken() {
    for suite in Suite::ALL {
        for long_tags in [false, true] {
            let mut bench = Bench::new();
            let mut node = Node::new(1, suite);
            node.long_tags = long_tags;
            bench.add(&node, 1);
            bench.join(0, peer(1), &mut node);
            assert_eq!(
                (bench.count(Count::Sessions), bench.count(Count::Pending)),
                (0, 1)
            );
            let up = node.up(b"0123456789abcdef");
            assert_eq!(up.len(), if long_tags { 37 } else { 29 });
            assert_eq!(bench.handle(1, peer(1), &up), (Ok(()), vec![]));
            assert_eq!(
                (bench.count(Count::Sessions), bench.count(Count::Pending)),
                (1, 0)
            );
            let taken = &bench.readings[0];
            assert_eq!((taken.device, taken.counter), (node.id.0, 0));
            assert_eq!(taken.payload, b"0123456789abcdef");
            assert_eq!(taken.session.0, 1);
        }
    }
}

#[test]
fn every_reason_of_the_page() {
    let mut bench = Bench::new();
    let mut node = Node::new(1, Suite::ChaChaPolyBlake2s);
    let mut revoked = Node::new(2, Suite::ChaChaPolyBlake2s);
    let mut stranger = Node::new(3, Suite::ChaChaPolyBlake2s);
    bench.add(&node, 1);
    let device = Device {
        revoked: true,
        ..revoked.device(2)
    };
    bench.engine.set_device(device, &mut bench.out);
    let from = peer(1);
    let expect = |bench: &mut Bench, bytes: &[u8], reason| {
        let before = bench.counters().get_dropped(reason);
        let (verdict, sent) = bench.handle(1, from, bytes);
        assert_eq!(verdict, Err(reason));
        assert_eq!(bench.counters().get_dropped(reason), before + 1);
        sent
    };
    for bytes in [&[][..], &[0x70; 59], &[0xa0], &[0x51; 58], &[0x50; 57]] {
        assert!(expect(&mut bench, bytes, Reason::Malformed).is_empty());
    }
    assert!(expect(&mut bench, &stranger.request(), Reason::UnknownDevice).is_empty());
    assert!(expect(&mut bench, &revoked.request(), Reason::Revoked).is_empty());
    // Frames that only gateways send, sent to a gateway.
    let accept = {
        let request = node.request();
        let (_, sent) = bench.handle(1, from, &request);
        sent[0].1.clone()
    };
    assert!(expect(&mut bench, &accept, Reason::UnknownSession).is_empty());
    assert_eq!(node.take(&accept), Some(Heard::Joined));
    let mut forged = node.request();
    forged[57] ^= 1;
    assert!(expect(&mut bench, &forged, Reason::ForgedJoin).is_empty());
    let up = node.up(b"x");
    assert_eq!(bench.handle(1, from, &up).0, Ok(()));
    assert!(expect(&mut bench, &up, Reason::Replayed).is_empty());
    let mut changed = node.up(b"x");
    changed[5] ^= 1;
    assert!(expect(&mut bench, &changed, Reason::Forged).is_empty());
    assert!(expect(&mut bench, &[0xc0], Reason::ClassicRefused).is_empty());
    let commit = selo_link::frame::PairCommit::encode(node.id, node.suite, &[7; 32]);
    assert!(expect(&mut bench, &commit, Reason::NotPairing).is_empty());
    // The frame that gets an answer.
    let mut unknown = up.clone();
    unknown[1] ^= 0x55;
    let hint = expect(&mut bench, &unknown, Reason::UnknownSession);
    let session = u32::from(u16::from_le_bytes([unknown[1], unknown[2]]));
    assert_eq!(hint.len(), 1);
    assert_eq!(node.take(&hint[0].1), Some(Heard::Hint(session)));
}

#[test]
fn the_address_moves_with_the_newest_packet_and_only_if_its_tag_is_right() {
    let (mut bench, mut node) = joined(Suite::AesGcmSha256);
    assert_eq!(bench.handle(1, peer(1), &node.up(b"a")).0, Ok(()));
    let where_is = |bench: &mut Bench| {
        let payload = Payload::new(b"go").expect("short");
        let message = Downlink {
            device: crate::common::Node::new(1, Suite::Ascon).id,
            payload,
            timed: false,
            confirmed: false,
            after_uplink: false,
            until_ms: u64::MAX,
        };
        bench
            .engine
            .send(at(1), message, &mut bench.out)
            .expect("queued");
        bench.commit(at(1))[0].0
    };
    assert_eq!(where_is(&mut bench), peer(1));
    let delayed = node.up(b"b");
    let mut forged = node.up(b"c");
    forged[9] ^= 1;
    assert_eq!(bench.handle(2, peer(2), &forged).0, Err(Reason::Forged));
    assert_eq!(where_is(&mut bench), peer(1));
    assert_eq!(bench.handle(3, peer(3), &node.up(b"d")).0, Ok(()));
    assert_eq!(where_is(&mut bench), peer(3));
    // A delayed packet is accepted but does not move the peer's address back.
    assert_eq!(bench.handle(4, peer(4), &delayed).0, Ok(()));
    assert_eq!(where_is(&mut bench), peer(3));
    assert_eq!(bench.count(Count::Roamed), 1);
    bench.restart(&[node.device(1)]);
    assert_eq!(where_is(&mut bench), peer(3));
}

#[test]
fn a_confirmed_packet_is_acknowledged_and_again_at_most_once_a_second() {
    let (mut bench, mut node) = joined(Suite::ChaChaPolyBlake2s);
    let up = node.confirmed(b"x");
    let (_, sent) = bench.handle(0, peer(1), &up);
    let heard = node.take(&sent[0].1).expect("an acknowledgement");
    assert!(
        matches!(heard, Heard::Down { ack: Some(0), ack_request: false, ref payload, .. }
        if payload.is_empty())
    );
    let mut acknowledged = 0;
    for ms in (10..=3000).step_by(10) {
        let (verdict, sent) = bench.handle(ms, peer(1), &up);
        assert_eq!(verdict, Err(Reason::Replayed));
        acknowledged += sent.len();
    }
    assert_eq!(acknowledged, 3);
    assert_eq!(bench.readings.len(), 1);
    // A replay that requests nothing gets no answer.
    let plain = node.up(b"y");
    bench.give(10_000, peer(1), &plain);
    assert_eq!(
        bench.handle(20_000, peer(1), &plain),
        (Err(Reason::Replayed), vec![])
    );
}

/// Replays of older packets do not use up the acknowledgement that the node waits for.
#[test]
fn replays_of_older_packets_take_no_acknowledgement_away() {
    let (mut bench, mut node) = joined(Suite::ChaChaPolyBlake2s);
    let (old, new) = (node.confirmed(b"x"), node.confirmed(b"y"));
    bench.give(0, peer(1), &old);
    bench.give(0, peer(1), &new);
    let mut replayed = |ms| bench.handle(ms, peer(1), &old);
    let answers: usize = (1000..3000)
        .map(&mut replayed)
        .map(|(_, sent)| sent.len())
        .sum();
    assert_eq!(answers, 0);
    let (_, sent) = bench.handle(3000, peer(1), &new);
    let heard = node.take(&sent[0].1).expect("an acknowledgement");
    assert!(
        matches!(heard, Heard::Down { ack: Some(1), .. }),
        "{heard:?}"
    );
}

#[test]
fn what_only_acknowledges_is_no_reading_and_an_empty_payload_is() {
    let (mut bench, mut node) = joined(Suite::Ascon);
    assert_eq!(bench.handle(0, peer(1), &node.up(b"")).0, Ok(()));
    assert_eq!(bench.readings.len(), 1);
    let options = SealOptions {
        ack_request: true,
        ack: Some(0),
    };
    let only = node.seal(b"", options);
    assert_eq!(bench.handle(0, peer(1), &only), (Ok(()), vec![]));
    assert_eq!(bench.readings.len(), 1);
    // Its counter still counts, also in the journal.
    assert_eq!(bench.handle(0, peer(1), &only).0, Err(Reason::Replayed));
    bench.restart(&[node.device(1)]);
    assert_eq!(bench.handle(0, peer(1), &only).0, Err(Reason::Replayed));
    assert_eq!(
        bench.handle(0, peer(1), &node.seal(b"z", options)).0,
        Ok(())
    );
    assert_eq!(bench.readings.len(), 2);
}

#[test]
fn down_counters_are_never_used_twice() {
    let (mut bench, mut node) = joined(Suite::ChaChaPolyBlake2s);
    let mut highest = None;
    for round in 0..20u64 {
        for _ in 0..20 {
            let up = node.confirmed(b"x");
            let (_, sent) = bench.handle(round * 1000, peer(1), &up);
            let Some(Heard::Down { counter, .. }) = node.take(&sent[0].1) else {
                panic!("round {round}: nothing heard");
            };
            assert!(highest < Some(counter), "counter {counter} again");
            highest = Some(counter);
        }
        bench.restart(&[node.device(1)]);
    }
    bench.assert_no_reading_twice();
}

#[test]
fn frames_of_the_published_protocol_are_refused() {
    let mut bench = Bench::new();
    for size in [1, 17, 33, 49] {
        for first in 0xc0..=0xc3 {
            let mut packet = vec![9; size];
            packet[0] = first;
            let (verdict, sent) = bench.handle(0, peer(1), &packet);
            assert!(sent.is_empty());
            let refused = verdict == Err(Reason::ClassicRefused);
            assert_eq!(refused, Frame::parse(&packet).is_ok(), "{first:02x} {size}");
        }
    }
    assert!(bench.readings.is_empty());
    assert_eq!(bench.count(Count::Multiplications), 0);
}

#[test]
fn counters_count_by_type() {
    let (mut bench, mut node) = joined(Suite::Ascon);
    bench.give(0, peer(1), &node.confirmed(b"x"));
    bench.give(0, peer(1), &[0xff]);
    let counters = bench.counters();
    assert_eq!(counters.get_received(Kind::JoinRequest), 1);
    assert_eq!(counters.get_received(Kind::Up), 1);
    assert_eq!(counters.get_received(Kind::Other), 1);
    assert_eq!(counters.get_sent(Kind::JoinAccept), 1);
    assert_eq!(counters.get_sent(Kind::Down), 1);
    assert_eq!(JoinRequest::BYTES, 58);
}
