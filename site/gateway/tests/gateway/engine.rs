//! The engine, packet by packet, against [docs/protocol.md].

use crate::common::{Bench, Heard, Node, Seeded, at, peer};
use selo_gateway::counters::{Count, Kind};
use selo_gateway::engine::{
    Device, Downlink, DownlinkOutcome, Event, Limits, PairError, Settings, WindowState,
};
use selo_gateway::limit::Rate;
use selo_gateway::peer::Peer;
use selo_gateway::reading::Payload;
use selo_link::frame::{Frame, JoinRequest};
use selo_link::pair::NodePairing;
use selo_link::session::SealOptions;
use selo_link::{DeviceId, EphemeralSecret, Reason, Suite};

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
fn a_join_is_dropped_before_any_multiplication_unless_its_tag_is_right() {
    let mut bench = Bench::new();
    let mut node = Node::new(1, Suite::AesGcmSha3);
    bench.add(&node, 1);
    let request = node.request();
    let mut random = Seeded(5);
    for round in 0..2_000 {
        let mut forged = request.clone();
        match round % 3 {
            // Alter any bit of the key, the payload or the tag.
            0 => forged[5 + random.below(53) as usize] ^= 1 << random.below(8),
            // A key with all-zero secrets could only be detected by a multiplication.
            1 => forged[5..37].fill(0),
            _ => forged[5..].copy_from_slice(&random.bytes::<53>()),
        }
        assert_eq!(
            bench.handle(1, peer(1), &forged),
            (Err(Reason::ForgedJoin), vec![])
        );
    }
    // The tag is right, but the counter is not.
    assert_eq!(bench.count(Count::Multiplications), 0);
    assert_eq!(bench.handle(1, peer(1), &request).0, Ok(()));
    assert_eq!(bench.count(Count::Multiplications), 2);
    assert_eq!(bench.handle(1, peer(1), &request).0, Ok(()));
    let newer = node.request();
    assert_eq!(bench.handle(1, peer(1), &newer).0, Ok(()));
    assert_eq!(bench.count(Count::Multiplications), 4);
    assert_eq!(
        bench.handle(1, peer(1), &request).0,
        Err(Reason::ReplayedJoin)
    );
    assert_eq!(bench.count(Count::Multiplications), 4);
}

#[test]
fn the_same_request_gets_the_same_answer_while_the_session_is_pending() {
    let mut bench = Bench::new();
    let mut node = Node::new(1, Suite::Ascon);
    bench.add(&node, 1);
    let request = node.request();
    let (_, first) = bench.handle(0, peer(1), &request);
    for repeat in 1..5 {
        // The answer goes to the address of the repeated request.
        let (verdict, again) = bench.handle(repeat * 2000, peer(9), &request);
        assert_eq!(verdict, Ok(()));
        assert_eq!(again, [(peer(9), first[0].1.clone())]);
    }
    assert_eq!(bench.count(Count::Joins), 1);
    // The answer survives a restart.
    bench.restart(&[node.device(1)]);
    let (_, again) = bench.handle(10_000, peer(1), &request);
    assert_eq!(again, first);
    assert_eq!(bench.count(Count::Multiplications), 0);
    node.take(&first[0].1);
    assert_eq!(bench.handle(10_001, peer(1), &node.up(b"x")).0, Ok(()));
    assert_eq!(
        bench.handle(10_002, peer(1), &request).0,
        Err(Reason::ReplayedJoin)
    );
}

#[test]
fn a_join_does_not_harm_the_live_session_before_the_first_up() {
    let (mut bench, mut node) = joined(Suite::ChaChaPolyBlake2s);
    assert_eq!(bench.handle(1, peer(1), &node.up(b"old")).0, Ok(()));
    let mut old = node.session.clone();
    bench.join(2, peer(1), &mut node);
    let mut new = node.session.take();
    // The old session and the pending one exist side by side.
    std::mem::swap(&mut node.session, &mut old);
    assert_eq!(bench.handle(3, peer(1), &node.up(b"old")).0, Ok(()));
    assert_eq!(
        (bench.count(Count::Sessions), bench.count(Count::Pending)),
        (1, 1)
    );
    std::mem::swap(&mut node.session, &mut new);
    assert_eq!(bench.handle(4, peer(1), &node.up(b"new")).0, Ok(()));
    assert_eq!(
        (bench.count(Count::Sessions), bench.count(Count::Pending)),
        (1, 0)
    );
    node.session = new;
    assert_eq!(
        bench.handle(5, peer(1), &node.up(b"old")).0,
        Err(Reason::UnknownSession)
    );
    let names: Vec<_> = bench.readings.iter().map(|taken| taken.session.0).collect();
    assert_eq!(names, [1, 1, 2]);
    // The same after a restart.
    bench.restart(&[node.device(1)]);
    assert_eq!(
        bench.handle(6, peer(1), &node.up(b"old")).0,
        Err(Reason::UnknownSession)
    );
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
fn revoked_removed_and_rekeyed_devices_have_no_session() {
    for what in ["revoke", "remove", "rekey"] {
        let (mut bench, mut node) = joined(Suite::ChaChaPolyBlake2s);
        bench.give(0, peer(1), &node.up(b"x"));
        let request = node.request();
        bench.give(0, peer(1), &request);
        let mut device = node.device(1);
        match what {
            "revoke" => device.revoked = true,
            "rekey" => {
                device.row = 2;
                device.key = selo_link::DeviceKey::new([9; 32]);
            }
            _ => {}
        }
        if what == "remove" {
            bench.engine.remove_device(node.id, &mut bench.out);
        } else {
            bench.engine.set_device(device.clone(), &mut bench.out);
        }
        bench.commit(at(1));
        assert_eq!(
            (bench.count(Count::Sessions), bench.count(Count::Pending)),
            (0, 0)
        );
        assert_eq!(
            bench.handle(1, peer(1), &node.up(b"x")).0,
            Err(Reason::UnknownSession)
        );
        let expected = match what {
            "revoke" => Reason::Revoked,
            "remove" => Reason::UnknownDevice,
            _ => Reason::ForgedJoin,
        };
        assert_eq!(
            bench.handle(1, peer(1), &request).0,
            Err(expected),
            "{what}"
        );
        // Nor after a restart.
        let devices = if what == "remove" {
            vec![]
        } else {
            vec![device]
        };
        bench.restart(&devices);
        assert_eq!(bench.count(Count::Sessions), 0, "{what}");
    }
}

#[test]
fn a_device_that_was_added_again_does_not_inherit_sessions() {
    let (mut bench, mut node) = joined(Suite::ChaChaPolyBlake2s);
    bench.give(0, peer(1), &node.up(b"x"));
    // The device was removed and added again while no gateway ran. It has a new row, even with
    // the same key.
    bench.restart(&[node.device(2)]);
    assert_eq!(bench.count(Count::Sessions), 0);
    assert_eq!(
        bench.handle(1, peer(1), &node.up(b"x")).0,
        Err(Reason::UnknownSession)
    );
}

#[test]
fn session_ids_are_short_while_there_are_enough_of_them() {
    let mut bench = Bench::new();
    let mut wide = 0;
    for number in 0..33_000u32 {
        let mut node = Node::new(number, Suite::ChaChaPolyBlake2s);
        bench
            .engine
            .set_device(node.device(number + 1), &mut bench.out);
        let request = node.request();
        let verdict = bench
            .engine
            .handle(at(0), peer(1), None, &request, &mut bench.out);
        assert_eq!(verdict, Ok(()));
        if number >= 32_700 {
            let sent = bench.out.send.last().expect("an answer").frame().to_vec();
            node.take(&sent);
            let id = node.session.as_ref().expect("joined").id();
            assert_eq!(id.is_wide(), number >= 1 << 15, "node {number}");
            wide += u32::from(id.is_wide());
            let up = node.up(b"x");
            let verdict = bench
                .engine
                .handle(at(0), peer(1), None, &up, &mut bench.out);
            assert_eq!(verdict, Ok(()));
        }
        bench.out.clear();
    }
    assert_eq!(wide, 33_000 - (1 << 15));
}

fn limited() -> Settings {
    Settings {
        limits: Limits {
            packets: Rate::new(10, 20),
            joins: Rate::new(1, 2),
            faults: Rate::new(10, 50),
            ..Limits::default()
        },
    }
}

#[test]
fn a_device_is_limited_and_what_was_dropped_may_come_again() {
    let mut bench = Bench::with(limited());
    let mut node = Node::new(1, Suite::ChaChaPolyBlake2s);
    bench.add(&node, 1);
    bench.join(0, peer(1), &mut node);
    let ups: Vec<_> = (0..30).map(|_| node.up(b"x")).collect();
    let taken = ups
        .iter()
        .filter(|up| bench.handle(1, peer(1), up).0.is_ok())
        .count();
    assert_eq!(taken, 20);
    assert_eq!(bench.counters().get_dropped(Reason::RateLimited), 10);
    for up in &ups[20..] {
        assert_eq!(bench.handle(2000, peer(1), up).0, Ok(()));
    }
    // Joins: two at once, then one per second.
    node.request();
    let verdicts: Vec<_> = (0..3)
        .map(|_| {
            let request = node.request();
            bench.handle(2000, peer(1), &request).0
        })
        .collect();
    assert_eq!(verdicts, [Ok(()), Ok(()), Err(Reason::RateLimited)]);
}

fn message(node: &Node, payload: &[u8], confirmed: bool, until_ms: u64) -> Downlink {
    Downlink {
        device: node.id,
        payload: Payload::new(payload).expect("short"),
        timed: false,
        confirmed,
        after_uplink: false,
        until_ms,
    }
}

fn outcomes(bench: &mut Bench) -> Vec<DownlinkOutcome> {
    let outcome = |event| match event {
        Event::Downlink { outcome, .. } => Some(outcome),
        _ => None,
    };
    bench.events.drain(..).filter_map(outcome).collect()
}

#[test]
fn a_message_waits_for_the_node_and_is_repeated_until_acknowledged() {
    let (mut bench, mut node) = joined(Suite::ChaChaPolyBlake2s);
    // The session is pending: nothing may be sent under it yet.
    let queued = message(&node, b"on", true, 60_000);
    bench
        .engine
        .send(at(0), queued, &mut bench.out)
        .expect("queued");
    assert_eq!(bench.commit(at(0)), []);
    let up = node.confirmed(b"x");
    let (_, sent) = bench.handle(1000, peer(1), &up);
    assert_eq!(sent.len(), 1, "message and acknowledgement in one packet");
    let Some(Heard::Down {
        counter,
        payload,
        ack_request: true,
        ack: Some(0),
    }) = node.take(&sent[0].1)
    else {
        panic!("not what was sent");
    };
    assert_eq!(payload, b"on");
    let mut repeated = Vec::new();
    for ms in (1000..12_000).step_by(100) {
        repeated.extend(bench.tick(ms).into_iter().map(|packet| (ms, packet)));
    }
    let times: Vec<_> = repeated.iter().map(|(ms, _)| *ms).collect();
    assert_eq!(times, [3000, 7000]);
    assert!(repeated.iter().all(|(_, packet)| *packet == sent[0]));
    let options = SealOptions {
        ack_request: false,
        ack: Some(counter as u16),
    };
    assert_eq!(
        bench.handle(12_000, peer(1), &node.seal(b"", options)),
        (Ok(()), vec![])
    );
    let outcomes = outcomes(&mut bench);
    assert_eq!(
        outcomes,
        [
            DownlinkOutcome::Sent {
                counter,
                to: peer(1)
            },
            DownlinkOutcome::Acknowledged { counter },
        ]
    );
    assert_eq!(bench.engine.deadline(), None);
    assert_eq!(bench.tick(100_000), []);
}

#[test]
fn a_message_that_nobody_acknowledges_is_given_up_after_four_transmissions() {
    let (mut bench, mut node) = joined(Suite::Ascon);
    bench.give(0, peer(1), &node.up(b"x"));
    let queued = message(&node, b"on", true, u64::MAX);
    bench
        .engine
        .send(at(0), queued, &mut bench.out)
        .expect("queued");
    let queued = message(&node, b"next", false, u64::MAX);
    bench
        .engine
        .send(at(0), queued, &mut bench.out)
        .expect("queued");
    let mut times = vec![0; bench.commit(at(0)).len()];
    while let Some(due) = bench.engine.deadline().filter(|due| *due < u64::MAX) {
        times.extend(bench.tick(due).iter().map(|_| due));
    }
    assert_eq!(
        times,
        [0, 2000, 6000, 14_000, 30_000],
        "the last is the next message"
    );
    let outcomes = outcomes(&mut bench);
    assert!(
        matches!(
            outcomes[..],
            [
                DownlinkOutcome::Sent { .. },
                DownlinkOutcome::Unacknowledged,
                DownlinkOutcome::Sent { counter: 1, .. },
            ]
        ),
        "{outcomes:?}"
    );
}

#[test]
fn a_message_for_a_node_that_sleeps_is_sent_when_it_is_heard() {
    let (mut bench, mut node) = joined(Suite::Ascon);
    bench.give(0, peer(1), &node.up(b"x"));
    let mut queued = message(&node, b"on", true, 100_000);
    queued.after_uplink = true;
    bench
        .engine
        .send(at(0), queued, &mut bench.out)
        .expect("queued");
    assert_eq!(bench.commit(at(0)), []);
    let mut first = None;
    for hour in 1..=4 {
        let (_, sent) = bench.handle(hour * 10_000, peer(1), &node.up(b"x"));
        assert_eq!(sent.len(), 1);
        assert_eq!(*first.get_or_insert(sent[0].1.clone()), sent[0].1);
        assert_eq!(bench.tick(hour * 10_000 + 5000), []);
    }
    assert_eq!(bench.handle(50_000, peer(1), &node.up(b"x")).1, []);
    bench.tick(100_000);
    assert_eq!(outcomes(&mut bench).last(), Some(&DownlinkOutcome::Expired));
}

#[test]
fn a_time_is_that_of_the_moment_when_it_is_sent() {
    let (mut bench, mut node) = joined(Suite::Ascon);
    bench.give(0, peer(1), &node.up(b"x"));
    let mut queued = message(&node, b"T", true, 100_000);
    (queued.timed, queued.after_uplink) = (true, true);
    let queue = bench.engine.send(at(0), queued, &mut bench.out);
    queue.expect("queued");
    // Sent each time the node is heard, because the previous one may be lost.
    for (counter, ms) in [(0, 10_000), (1, 20_000), (2, 30_000), (3, 40_000)] {
        let (_, sent) = bench.handle(ms, peer(1), &node.up(b"x"));
        let seconds = (at(ms).unix_ms / 1000) as u32;
        let Some(Heard::Down {
            counter: got,
            payload,
            ..
        }) = node.take(&sent[0].1)
        else {
            panic!("{sent:?}");
        };
        assert_eq!(
            (got, payload),
            (counter, [b"T", &seconds.to_le_bytes()[..]].concat())
        );
    }
    assert_eq!(bench.handle(50_000, peer(1), &node.up(b"x")).1, []);
    // The time takes four bytes of the payload.
    let mut long = message(&node, &[0; 30], false, 100_000);
    long.timed = true;
    assert!(bench.engine.send(at(0), long, &mut bench.out).is_err());
}

#[test]
fn a_message_is_sealed_anew_for_a_new_session() {
    let (mut bench, mut node) = joined(Suite::AesGcmSha3);
    bench.give(0, peer(1), &node.up(b"x"));
    let queued = message(&node, b"on", true, u64::MAX);
    bench
        .engine
        .send(at(0), queued, &mut bench.out)
        .expect("queued");
    let first = bench.commit(at(0));
    bench.join(1000, peer(1), &mut node);
    let (_, sent) = bench.handle(1001, peer(1), &node.up(b"x"));
    assert_eq!(sent.len(), 1);
    assert_ne!(sent[0], first[0]);
    assert!(matches!(
        node.take(&sent[0].1),
        Some(Heard::Down { counter: 0, .. })
    ));
}

#[test]
fn messages_are_refused_taken_back_and_forgotten() {
    let (mut bench, node) = joined(Suite::Ascon);
    let stranger = Node::new(2, Suite::Ascon);
    let refused = bench
        .engine
        .send(at(0), message(&stranger, b"x", true, 1), &mut bench.out);
    assert!(refused.is_err());
    let refused = bench
        .engine
        .send(at(0), message(&node, &[0; 30], true, 1), &mut bench.out);
    assert!(
        refused
            .expect_err("refused")
            .to_string()
            .contains("the maximum is 29")
    );
    let ticket = bench
        .engine
        .send(at(0), message(&node, b"x", true, 9), &mut bench.out);
    bench
        .engine
        .cancel(at(0), ticket.expect("queued"), &mut bench.out);
    for _ in 0..16 {
        bench
            .engine
            .send(at(0), message(&node, b"x", true, 9), &mut bench.out)
            .expect("queued");
    }
    let refused = bench
        .engine
        .send(at(0), message(&node, b"x", true, 9), &mut bench.out);
    assert!(refused.is_err());
    bench.engine.remove_device(node.id, &mut bench.out);
    bench.commit(at(0));
    assert_eq!(outcomes(&mut bench), [DownlinkOutcome::Cancelled; 17]);
    assert_eq!(bench.engine.deadline(), None);
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

struct Pairing {
    bench: Bench,
    node: Node,
    attempt: Option<NodePairing>,
    commit: Vec<u8>,
}

impl Pairing {
    fn new() -> Pairing {
        let mut bench = Bench::new();
        bench
            .engine
            .pairing_open(at(0), 600_000, &mut bench.out)
            .expect("opens");
        bench.commit(at(0));
        let mut pairing = Pairing {
            bench,
            node: Node::new(1, Suite::AesGcmSha3),
            attempt: None,
            commit: Vec::new(),
        };
        pairing.restart();
        pairing
    }

    /// Restarts the node's pairing.
    fn restart(&mut self) {
        let secret = EphemeralSecret::new(self.node.random.bytes());
        let (attempt, commit) = NodePairing::start(
            self.node.suite,
            self.node.id,
            secret,
            self.node.random.bytes(),
        );
        self.attempt = Some(attempt);
        self.commit = commit.to_vec();
    }

    /// Continues until the node shows digits and the gateway waits for them.
    fn compare(&mut self, ms: u64) -> (selo_link::pair::Compared, Vec<u8>) {
        let (verdict, sent) = self.bench.handle(ms, peer(1), &self.commit);
        assert_eq!(verdict, Ok(()));
        self.reveal(ms, &sent)
    }

    /// Continues from the node's receipt of a PAIR-KEY.
    fn reveal(
        &mut self,
        ms: u64,
        sent: &[(Peer, Vec<u8>)],
    ) -> (selo_link::pair::Compared, Vec<u8>) {
        let Ok(Frame::PairKey(key)) = Frame::parse(&sent[0].1) else {
            panic!("no PAIR-KEY");
        };
        let attempt = self.attempt.take().expect("an attempt");
        let (compared, reveal) = attempt.key(&key).map_err(|(_, why)| why).expect("a key");
        assert_eq!(self.bench.handle(ms, peer(1), &reveal), (Ok(()), vec![]));
        (compared, reveal.to_vec())
    }

    /// States of the attempts, without the state of the window.
    fn attempts(&self) -> Vec<WindowState> {
        let states = self.bench.engine.pairing_states();
        states.into_iter().skip(1).collect()
    }

    fn is_open(&self) -> bool {
        !self.bench.engine.pairing_states().is_empty()
    }

    /// Enters digits as the operator. Returns the packets that are sent.
    fn enter(&mut self, ms: u64, digits: u32) -> Result<Vec<(Peer, Vec<u8>)>, PairError> {
        let bench = &mut self.bench;
        let matched = bench.engine.pairing_enter(at(ms), digits, &mut bench.out)?;
        bench
            .engine
            .pairing_confirm(at(ms), matched.attempt, &mut bench.out)?;
        Ok(bench.commit(at(ms)))
    }
}

fn pair_result(sent: &[(Peer, Vec<u8>)]) -> selo_link::frame::PairResult<'_> {
    match Frame::parse(&sent[0].1) {
        Ok(Frame::PairResult(result)) => result,
        other => panic!("no PAIR-RESULT: {other:?}"),
    }
}

#[test]
fn a_pairing_that_is_confirmed_gives_both_sides_the_same_key() {
    let mut pairing = Pairing::new();
    let (node, reveal) = pairing.compare(0);
    let [
        WindowState::Comparing {
            device, replaces, ..
        },
    ] = pairing.attempts()[..]
    else {
        panic!("nothing to compare");
    };
    assert_eq!((device, replaces), (pairing.node.id, false));
    // No answer before the operator decides.
    assert_eq!(pairing.bench.handle(5, peer(1), &reveal), (Ok(()), vec![]));
    let bench = &mut pairing.bench;
    let digits = node.digits().value();
    let matched = bench.engine.pairing_enter(at(8), digits, &mut bench.out);
    let matched = matched.expect("the digits of the attempt");
    assert_eq!(matched.key.expose(), node.device_key().expose());
    assert_eq!(matched.suite, Suite::AesGcmSha3);
    let sent = pairing.enter(9, digits).expect("comparing");
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(true));
    assert!(!pairing.is_open());
    // The result is repeated for 10 minutes.
    let (_, again) = pairing.bench.handle(500_000, peer(1), &reveal);
    assert_eq!(node.verdict(&pair_result(&again)), Ok(true));
    let (verdict, again) = pairing.bench.handle(610_000, peer(1), &reveal);
    assert_eq!((verdict, again), (Err(Reason::NotPairing), vec![]));
    assert_eq!(pairing.bench.count(Count::Pairings), 1);
}

#[test]
fn three_wrong_entries_and_the_window_closes() {
    let mut pairing = Pairing::new();
    // An entry while no digits are shown does not count.
    assert_eq!(pairing.enter(0, 1), Err(PairError::NotComparing));
    let (node, reveal) = pairing.compare(1000);
    let wrong = |by: u32| (node.digits().value() + by) % 1_000_000;
    for (typed, left) in [(1, 2), (1, 2), (2, 1), (1, 1)] {
        let refused = pairing.enter(2000, wrong(typed));
        assert_eq!(refused, Err(PairError::NoSuchDigits { entries_left: left }));
    }
    assert!(pairing.is_open());
    let refused = pairing.enter(3000, wrong(3));
    assert_eq!(refused, Err(PairError::NoSuchDigits { entries_left: 0 }));
    // The node is told, and the right digits come too late.
    let sent = pairing.bench.commit(at(3000));
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(false));
    assert_eq!(pairing.bench.handle(4000, peer(1), &reveal).1, sent);
    assert_eq!(pairing.enter(5000, wrong(0)), Err(PairError::Closed));
    pairing.restart();
    let commit = pairing.commit.clone();
    assert_eq!(
        pairing.bench.handle(9000, peer(1), &commit).0,
        Err(Reason::NotPairing)
    );
    assert_eq!(pairing.bench.count(Count::PairingsRejected), 1);
}

#[test]
fn a_wrong_entry_leaves_the_honest_attempt_as_it_is() {
    let mut pairing = Pairing::new();
    let (node, _) = pairing.compare(0);
    let digits = node.digits().value();
    let refused = pairing.enter(1, (digits + 1) % 1_000_000);
    assert_eq!(refused, Err(PairError::NoSuchDigits { entries_left: 2 }));
    let sent = pairing.enter(2, digits).expect("its digits");
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(true));
}

#[test]
fn what_is_rejected_ends_and_the_window_stays_open() {
    let mut pairing = Pairing::new();
    let bench = &mut pairing.bench;
    let nothing = bench.engine.pairing_reject(at(0), &mut bench.out);
    assert_eq!(nothing, Err(PairError::NotComparing));
    let (node, _) = pairing.compare(1);
    let bench = &mut pairing.bench;
    let rejected = bench.engine.pairing_reject(at(2), &mut bench.out);
    rejected.expect("comparing");
    let sent = bench.commit(at(2));
    assert_eq!(node.verdict(&pair_result(&sent)), Ok(false));
    assert_eq!((pairing.is_open(), pairing.attempts()), (true, vec![]));
}

#[test]
fn no_attempt_is_held_for_ever() {
    let mut pairing = Pairing::new();
    let (_, sent) = pairing.bench.handle(0, peer(1), &pairing.commit);
    // A repeated commitment gets the same key, because the answer was lost.
    assert_eq!(pairing.bench.handle(4000, peer(1), &pairing.commit).1, sent);
    assert_eq!(pairing.bench.count(Count::Multiplications), 1);
    // Time-outs of the node, the operator and the window.
    pairing.bench.tick(29_999);
    assert_eq!(pairing.attempts().len(), 1);
    pairing.bench.tick(30_000);
    assert_eq!((pairing.is_open(), pairing.attempts()), (true, vec![]));
    pairing.restart();
    pairing.compare(31_000);
    assert_eq!(pairing.bench.engine.deadline(), Some(151_000));
    pairing.bench.tick(150_999);
    assert_eq!(pairing.attempts().len(), 1);
    pairing.bench.tick(151_000);
    assert_eq!(pairing.attempts(), []);
    pairing.restart();
    pairing.compare(599_000);
    pairing.bench.tick(600_000);
    assert!(!pairing.is_open());
}

/// A restarted node pairs at once, even though the gateway still waits for its last attempt.
#[test]
fn a_node_that_begins_anew_does_not_wait_for_its_last_attempt() {
    let mut pairing = Pairing::new();
    assert_eq!(pairing.bench.handle(0, peer(1), &pairing.commit).1.len(), 1);
    pairing.restart();
    let (node, _) = pairing.compare(1000);
    let sent = pairing.enter(2000, node.digits().value()).expect("paired");
    let to_node = sent.iter().filter(|(_, frame)| frame[0] == 0x40);
    assert_eq!(to_node.count(), 1);
}

/// A stranger's commitment from some address.
fn stranger_commits(pairing: &mut Pairing, ms: u64, from: Peer) -> Vec<(Peer, Vec<u8>)> {
    let commitment = pairing.node.random.bytes();
    let id = DeviceId(u32::from_le_bytes(pairing.node.random.bytes()));
    let commit = selo_link::frame::PairCommit::encode(id, Suite::Ascon, &commitment);
    let (verdict, sent) = pairing.bench.handle(ms, from, &commit);
    assert!(
        matches!(verdict, Ok(()) | Err(Reason::RateLimited)),
        "{verdict:?}"
    );
    sent
}

/// Regression: six packets closed the window, and one kept a node out for a minute. Now a flood
/// delays the node by a few seconds.
#[test]
fn the_packets_of_a_stranger_keep_no_node_out() {
    let mut pairing = Pairing::new();
    for ms in 0..1000 {
        stranger_commits(&mut pairing, ms, peer(9));
    }
    assert_eq!(pairing.attempts().len(), 4, "one source has four");
    let commit = pairing.commit.clone();
    let (_, mut sent) = pairing.bench.handle(1000, peer(1), &commit);
    if sent.is_empty() {
        sent = pairing.bench.tick(1001);
    }
    let (node, _) = pairing.reveal(1002, &sent);
    pairing.enter(2000, node.digits().value()).expect("paired");
}

/// Each PAIR-KEY is a guess for a man in the middle. A window has few, whatever arrives.
#[test]
fn a_window_gives_68_keys_at_most() {
    let mut pairing = Pairing::new();
    let mut keys = 0;
    for ms in (0..600_000u64).step_by(50) {
        let from = peer((ms / 50 % 200) as u32);
        keys += stranger_commits(&mut pairing, ms, from).len();
        pairing.bench.engine.tick(at(ms), &mut pairing.bench.out);
        keys += pairing.bench.commit(at(ms)).len();
        assert!(pairing.attempts().len() <= 8);
    }
    assert!((60..=68).contains(&keys), "{keys}");
    let made = pairing.bench.count(Count::Multiplications);
    assert_eq!(made, keys as u64, "no key is made that nobody gets");
}

/// Under a flood from one address, a node at another address wins every second draw.
#[test]
fn who_sends_more_does_not_win_more_often() {
    let mut pairing = Pairing::new();
    let mut keyed = 0;
    for ms in (0..590_000u64).step_by(20) {
        for source in [8, 9] {
            stranger_commits(&mut pairing, ms, peer(source));
        }
        if ms % 4000 == 0 {
            let commit = pairing.commit.clone();
            let (_, sent) = pairing.bench.handle(ms, peer(1), &commit);
            keyed += usize::from(!sent.is_empty());
        }
        pairing.bench.engine.tick(at(ms), &mut pairing.bench.out);
        let sent = pairing.bench.commit(at(ms));
        keyed += sent.iter().filter(|(to, _)| *to == peer(1)).count();
        if keyed > 0 {
            return;
        }
    }
    panic!("the node has waited through a whole window");
}

/// A forged PAIR-REVEAL does not end the node's attempt.
#[test]
fn a_forged_reveal_does_not_end_the_attempt() {
    let mut pairing = Pairing::new();
    let (_, sent) = pairing.bench.handle(0, peer(1), &pairing.commit);
    let Ok(Frame::PairKey(key)) = Frame::parse(&sent[0].1) else {
        panic!("no PAIR-KEY");
    };
    let attempt = pairing.attempt.take().expect("an attempt");
    let (node, reveal) = attempt.key(&key).map_err(|(_, why)| why).expect("a key");
    let mut foreign = reveal;
    foreign[1] ^= 1;
    assert_eq!(
        pairing.bench.handle(1, peer(2), &foreign).0,
        Err(Reason::NotPairing)
    );
    let mut forged = reveal;
    forged[10] ^= 1;
    assert_eq!(
        pairing.bench.handle(1, peer(1), &forged),
        (Err(Reason::Commitment), vec![])
    );
    assert_eq!(pairing.bench.count(Count::Multiplications), 1);
    assert_eq!(pairing.bench.handle(2, peer(1), &reveal), (Ok(()), vec![]));
    pairing.enter(3, node.digits().value()).expect("paired");
}

/// A window times out, and another operator opens the next one before the first operator learns
/// of it.
#[test]
fn an_operator_who_leaves_late_closes_nobody_elses_window() {
    let mut bench = Bench::new();
    let open = |bench: &mut Bench, ms| {
        let opened = bench.engine.pairing_open(at(ms), 1000, &mut bench.out);
        opened.expect("none is open")
    };
    let first = open(&mut bench, 0);
    bench.tick(1000);
    let second = open(&mut bench, 1001);
    assert_ne!(first, second);
    bench.out.events.clear();
    let Bench { engine, out, .. } = &mut bench;
    engine.pairing_leave(at(1002), first, "the operator disconnected", out);
    assert_eq!(engine.pairing_states().len(), 1);
    engine.pairing_leave(at(1003), second, "the operator disconnected", out);
    assert_eq!(engine.pairing_states(), []);
    // Each event names its window.
    let said: Vec<_> = out
        .events
        .iter()
        .filter_map(|event| match event {
            Event::Pairing(window, WindowState::Closed { .. }) => Some(*window),
            _ => None,
        })
        .collect();
    assert_eq!(said, [second]);
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
