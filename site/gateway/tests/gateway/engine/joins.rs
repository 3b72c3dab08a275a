//! Joins: which requests are answered, and what a join changes.

use crate::common::{Bench, Node, Seeded, at, peer};
use selo_gateway::counters::Count;
use selo_gateway::engine::{Limits, Settings};
use selo_gateway::limit::Rate;
use selo_link::{Reason, Suite};

use super::joined;

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
#[ignore = "takes long: make test-all runs it"]
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
