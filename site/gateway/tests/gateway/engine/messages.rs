//! Messages to nodes: when they are sent, repeated and given up.

use crate::common::{Bench, Heard, Node, at, peer};
use selo_gateway::engine::{Downlink, DownlinkOutcome, Event};
use selo_gateway::reading::Payload;
use selo_link::Suite;
use selo_link::session::SealOptions;

use super::joined;

pub(super) fn message(node: &Node, payload: &[u8], confirmed: bool, until_ms: u64) -> Downlink {
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
