//! Joins that a shared registry grants, and shards that an engine owns.

use crate::common::{Bench, Heard, Node, Sent, at, peer};
use selo_gateway::counters::Count;
use selo_gateway::engine::{Claim, Downlink, Limits, QueueError, Settings};
use selo_gateway::reading::Payload;
use selo_gateway::registry::Verdict;
use selo_gateway::shards::{Fence, Lease, SHARDS, Shard, shard_of, shard_of_session};
use selo_link::{Reason, Suite};

const SUITE: Suite = Suite::ChaChaPolyBlake2s;

/// An engine with a node, that asks for each join.
fn sharing() -> (Bench, Node) {
    let mut bench = Bench::new();
    bench.engine.claim_joins();
    let node = Node::new(1, SUITE);
    bench.add(&node, 1);
    (bench, node)
}

/// Hands a packet to the engine. Returns its claims too.
fn ask(bench: &mut Bench, ms: u64, bytes: &[u8]) -> (Result<(), Reason>, Vec<Claim>, Sent) {
    let verdict = bench
        .engine
        .handle(at(ms), peer(1), None, bytes, &mut bench.out);
    let claims = std::mem::take(&mut bench.out.claims);
    (verdict, claims, bench.commit(at(ms)))
}

fn decide(bench: &mut Bench, ms: u64, claim: &Claim, verdict: Verdict) -> Sent {
    bench.engine.claimed(at(ms), claim, verdict, &mut bench.out);
    bench.commit(at(ms))
}

fn lease(shards: impl IntoIterator<Item = Shard>, epoch: i64) -> Lease {
    let fence = |shard| Fence { shard, epoch };
    Lease {
        fences: shards.into_iter().map(fence).collect(),
        ..Lease::default()
    }
}

fn take(bench: &mut Bench, lease: &Lease, until_ms: u64) {
    bench.engine.take_lease(lease, until_ms, &mut bench.out);
    bench.commit(at(0));
}

/// An engine that owns all shards in epoch 5 until 10,000 ms, with a live session of its node.
fn owning() -> (Bench, Node) {
    let (mut bench, mut node) = sharing();
    bench.engine.own_shards();
    take(&mut bench, &lease(0..SHARDS, 5), 10_000);
    let (verdict, claims, _) = ask(&mut bench, 0, &node.request());
    assert_eq!((verdict, claims.len()), (Ok(()), 1));
    let sent = decide(&mut bench, 1, &claims[0], Verdict::Granted);
    assert_eq!(node.take(&sent[0].1), Some(Heard::Joined));
    let up = node.up(b"live");
    assert_eq!(bench.handle(2, peer(1), &up).0, Ok(()));
    (bench, node)
}

#[test]
fn nothing_is_computed_or_answered_before_the_registry_grants_a_join() {
    let (mut bench, mut node) = sharing();
    let request = node.request();
    let (verdict, claims, sent) = ask(&mut bench, 0, &request);
    assert_eq!((verdict, claims.len(), sent.len()), (Ok(()), 1, 0));
    assert_eq!(
        (claims[0].row, claims[0].counter, claims[0].fence),
        (1, 1, None)
    );
    assert_eq!(bench.count(Count::Multiplications), 0);
    assert_eq!(bench.records.len(), 0, "no session in the journal");
    // A repeated request asks no second time, until the registry has had time to answer.
    assert_eq!(ask(&mut bench, 2_000, &request).1, []);
    assert_eq!(ask(&mut bench, 6_000, &request).1.len(), 1);
    let sent = decide(&mut bench, 6_001, &claims[0], Verdict::Granted);
    assert_eq!((sent.len(), sent[0].0), (1, peer(1)));
    assert_eq!(node.take(&sent[0].1), Some(Heard::Joined));
    assert_eq!(bench.count(Count::Multiplications), 2);
    // The verdict on the second claim comes too late, whatever it is.
    for verdict in [Verdict::Late, Verdict::Granted, Verdict::Unknown] {
        assert!(decide(&mut bench, 6_002, &claims[0], verdict).is_empty());
    }
    assert_eq!(bench.count(Count::Joins), 1);
}

/// A stranger replays requests that the registry, which is away, has not granted.
#[test]
fn requests_that_are_repeated_while_the_registry_is_away_count_against_limits() {
    let mut bench = Bench::with(Settings {
        limits: Limits::default(),
    });
    bench.engine.claim_joins();
    let mut node = Node::new(1, SUITE);
    bench.add(&node, 1);
    let requests = [node.request(), node.request()];
    let mut asked = 0;
    let mut unproven = 0;
    for round in 0..100 {
        let (verdict, claims, _) = ask(&mut bench, round, &requests[round as usize % 2]);
        for claim in &claims {
            decide(&mut bench, round, claim, Verdict::Unknown);
        }
        asked += claims.len();
        unproven += usize::from(verdict == Err(Reason::Unproven));
    }
    assert!(
        asked <= 9 && unproven >= 90,
        "{asked} asked, {unproven} not checked"
    );
    // The node itself proves its address, if it hears the cookie.
    let later = node.request();
    let (verdict, claims, _) = ask(&mut bench, 60_000, &later);
    assert_eq!((verdict, claims.len()), (Ok(()), 1), "the budget has grown");
}

#[test]
fn a_join_that_is_not_granted_is_not_answered() {
    for (verdict, reason) in [
        (Verdict::Late, Reason::Elsewhere),
        (Verdict::Fenced, Reason::NotOwner),
        (Verdict::Unknown, Reason::Unclaimed),
    ] {
        let (mut bench, mut node) = sharing();
        let request = node.request();
        let (_, claims, _) = ask(&mut bench, 0, &request);
        assert!(decide(&mut bench, 1, &claims[0], verdict).is_empty());
        assert_eq!(bench.counters().get_dropped(reason), 1, "{verdict:?}");
        assert_eq!(bench.count(Count::Multiplications), 0);
        let again = ask(&mut bench, 2, &request);
        match verdict {
            // Another gateway has answered this counter.
            Verdict::Late => assert_eq!(again.0, Err(Reason::ReplayedJoin)),
            // A server that is away is not asked again at once.
            Verdict::Unknown => assert_eq!((again.0, again.1.len()), (Ok(()), 0)),
            _ => assert_eq!((again.0, again.1.len()), (Ok(()), 1)),
        }
        let (_, claims, _) = ask(&mut bench, 3, &node.request());
        let sent = decide(&mut bench, 4, &claims[0], Verdict::Granted);
        assert_eq!(node.take(&sent[0].1), Some(Heard::Joined), "its next join");
    }
}

#[test]
fn a_verdict_on_a_device_that_changed_meanwhile_has_no_effect() {
    for change in ["revoked", "removed", "paired again", "joined again"] {
        let (mut bench, mut node) = sharing();
        let (_, claims, _) = ask(&mut bench, 0, &node.request());
        let mut device = node.device(1);
        match change {
            "revoked" => device.revoked = true,
            "paired again" => device.row = 2,
            _ => {}
        }
        match change {
            "removed" => bench.engine.remove_device(node.id, &mut bench.out),
            "joined again" => assert_eq!(ask(&mut bench, 0, &node.request()).1.len(), 1),
            _ => bench.engine.set_device(device, &mut bench.out),
        }
        let sent = decide(&mut bench, 1, &claims[0], Verdict::Granted);
        assert!(sent.is_empty(), "{change}");
        assert_eq!(bench.count(Count::Multiplications), 0, "{change}");
    }
}

#[test]
fn an_engine_answers_only_its_shards_and_only_within_its_lease() {
    let (mut bench, mut node) = owning();
    let shard = shard_of(node.id);
    let session = node.session.as_ref().expect("a session").id();
    assert_eq!(
        shard_of_session(session.0),
        shard,
        "the session id tells the shard"
    );
    let up = node.confirmed(b"in time");
    let (verdict, sent) = bench.handle(9_999, peer(1), &up);
    assert_eq!((verdict, sent.len()), (Ok(()), 1));
    // The lease has ended: neither readings nor joins, and nothing changes.
    let late = node.confirmed(b"too late");
    let records = bench.records.len();
    for ms in [10_000, 50_000] {
        assert_eq!(
            bench.handle(ms, peer(1), &late),
            (Err(Reason::NotOwner), vec![])
        );
        let (verdict, claims, sent) = ask(&mut bench, ms, &node.request());
        assert_eq!(
            (verdict, claims.len(), sent.len()),
            (Err(Reason::NotOwner), 0, 0)
        );
        let message = Downlink {
            device: node.id,
            payload: Payload::new(b"x").expect("short"),
            timed: false,
            confirmed: false,
            after_uplink: false,
            until_ms: 100_000,
        };
        let refused = bench.engine.send(at(ms), message, &mut bench.out);
        assert_eq!(refused, Err(QueueError::NotOwner));
    }
    assert_eq!(bench.records.len(), records);
    // The same epoch again: nobody had the shard in between, so the session goes on.
    take(&mut bench, &lease(0..SHARDS, 5), 70_000);
    let (verdict, sent) = bench.handle(60_000, peer(1), &late);
    assert_eq!((verdict, sent.len()), (Ok(()), 1));
    bench.assert_no_reading_twice();
}

#[test]
fn a_session_ends_with_the_epoch_of_its_join() {
    for (what, next) in [
        ("another epoch", lease(0..SHARDS, 6)),
        ("no shard", lease([], 0)),
    ] {
        let (mut bench, mut node) = owning();
        let up = node.confirmed(b"x");
        take(&mut bench, &next, 20_000);
        let (verdict, _) = bench.handle(3, peer(1), &up);
        assert!(verdict.is_err(), "{what}");
        assert_eq!(bench.count(Count::Sessions), 0, "{what}");
        let forgotten = bench.keys.last().expect("a change");
        assert!(forgotten.is_forgotten(), "its keys are overwritten: {what}");
        // Nor does it come back after a restart.
        bench.restart(&[node.device(1)]);
        assert!(bench.handle(4, peer(1), &up).0.is_err(), "{what}");
    }
}

#[test]
fn a_grant_of_an_epoch_that_has_passed_is_not_answered() {
    let (mut bench, mut node) = owning();
    let (_, claims, _) = ask(&mut bench, 3, &node.request());
    assert_eq!(claims[0].fence.map(|fence| fence.epoch), Some(5));
    take(&mut bench, &lease(0..SHARDS, 7), 20_000);
    assert!(decide(&mut bench, 4, &claims[0], Verdict::Granted).is_empty());
    let (_, claims, _) = ask(&mut bench, 5, &node.request());
    // Granted in time, but the engine was paused before it could answer.
    assert!(decide(&mut bench, 20_000, &claims[0], Verdict::Granted).is_empty());
    assert_eq!(bench.count(Count::Joins), 1);
}

#[test]
fn only_the_owner_of_an_unknown_session_hints() {
    let (mut bench, mut node) = owning();
    let shard = shard_of(node.id);
    let up = node.up(b"x");
    bench.engine.remove_device(node.id, &mut bench.out);
    take(
        &mut bench,
        &lease((0..SHARDS).filter(|it| *it != shard), 5),
        20_000,
    );
    assert_eq!(
        bench.handle(3, peer(1), &up),
        (Err(Reason::NotOwner), vec![])
    );
    take(&mut bench, &lease([shard], 6), 20_000);
    let (verdict, sent) = bench.handle(4, peer(1), &up);
    assert_eq!((verdict, sent.len()), (Err(Reason::UnknownSession), 1));
    assert!(matches!(node.take(&sent[0].1), Some(Heard::Hint(_))));
}

#[test]
fn after_a_restart_only_sessions_of_continued_shards_go_on() {
    for continued in [true, false] {
        let (mut bench, mut node) = owning();
        let up = node.confirmed(b"x");
        bench.restart(&[node.device(1)]);
        bench.engine.claim_joins();
        bench.engine.own_shards();
        let early = bench.handle(3, peer(1), &up);
        assert_eq!(
            early,
            (Err(Reason::NotOwner), vec![]),
            "before the first lease"
        );
        let mut lease = lease(0..SHARDS, 6);
        if continued {
            lease.continued = (0..SHARDS).collect();
        }
        take(&mut bench, &lease, 20_000);
        let (verdict, _) = bench.handle(4, peer(1), &up);
        assert_eq!(verdict.is_ok(), continued);
    }
}
