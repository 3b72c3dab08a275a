//! Limits on tag checks [docs/protocol.md, Under load, Forgeries, A lost session]: no limit can
//! be used against an honest node, and none can be bypassed. flood.rs tests the same under
//! 100,000 hostile packets a second.

use crate::common::{Bench, Heard, Node, Seeded, at, peer};
use selo_gateway::counters::{Count, Kind};
use selo_gateway::engine::{Limits, Settings};
use selo_gateway::limit::Rate;
use selo_gateway::peer::Peer;
use selo_link::frame::{CookieEcho, Frame};
use selo_link::{DeviceId, Reason, Suite};

/// A neighbour behind the same address, or a forger of that address, sends garbage. No node
/// suffers from it.
#[test]
fn nobody_is_limited_by_what_others_send_from_its_address() {
    let mut bench = Bench::with(Settings::default());
    let mut node = Node::new(1, Suite::ChaChaPolyBlake2s);
    bench.add(&node, 1);
    for _ in 0..1000 {
        bench.give(0, peer(1), &[0xff]);
        bench.give(0, peer(2), &[0xff]);
    }
    bench.join(0, peer(1), &mut node);
    assert_eq!(bench.handle(1, peer(1), &node.up(b"x")).0, Ok(()));
    let false_ones = forged(&node.up(b"x"), 1000);
    assert_eq!(looked_at(&mut bench, 1, peer(2), &false_ones), 1000);
    assert_eq!(bench.handle(2, peer(2), &node.up(b"x")).0, Ok(()));
}

/// Repeats an honest request until it is answered, and echoes cookies as a node does. Returns
/// the number of cookies.
fn joins_under_load(bench: &mut Bench, ms: u64, from: Peer, node: &mut Node) -> usize {
    let request = node.request();
    for cookies in 0..3 {
        let (_, sent) = bench.handle(ms, from, &request);
        let [(to, answer)] = &sent[..] else {
            panic!("no answer")
        };
        assert_eq!(*to, from);
        if node.take(answer) == Some(Heard::Joined) {
            return cookies;
        }
        let Ok(Frame::Cookie(cookie)) = Frame::parse(answer) else {
            panic!("not a cookie")
        };
        assert_eq!(cookie.mark[..], request[54..]);
        let echo = CookieEcho::encode(node.id, cookie.cookie);
        assert_eq!(bench.handle(ms, from, &echo), (Ok(()), vec![]));
    }
    panic!("asked again and again")
}

fn forged_join(id: DeviceId, random: &mut Seeded) -> Vec<u8> {
    let mut request = random.bytes::<58>();
    request[0] = 0x50;
    request[1..5].copy_from_slice(&id.to_bytes());
    request.to_vec()
}

#[test]
fn a_join_under_load_proves_its_address_by_a_cookie() {
    let mut bench = Bench::with(Settings::default());
    let mut random = Seeded(5);
    let (mut node, mut other) = (
        Node::new(1, Suite::ChaChaPolyBlake2s),
        Node::new(2, Suite::Ascon),
    );
    bench.add(&node, 1);
    bench.add(&other, 2);
    // Without load there is no cookie.
    assert_eq!(joins_under_load(&mut bench, 0, peer(1), &mut node), 0);
    let mut verdicts = Vec::new();
    for _ in 0..1000 {
        let request = forged_join(node.id, &mut random);
        let (verdict, sent) = bench.handle(1, peer(9), &request);
        // An answer is never longer than its request, so it cannot amplify.
        assert!(
            sent.iter()
                .all(|(to, bytes)| *to == peer(9) && bytes.len() == 13)
        );
        verdicts.push(verdict);
    }
    let looked_at = verdicts.iter().filter(|v| **v == Err(Reason::ForgedJoin));
    assert_eq!(looked_at.count(), 8);
    assert_eq!(verdicts[8..], [Err(Reason::Unproven); 992]);
    assert_eq!(joins_under_load(&mut bench, 1, peer(1), &mut node), 1);
    // A proof is valid for some minutes, for this address and this device only.
    assert_eq!(joins_under_load(&mut bench, 2, peer(1), &mut node), 0);
    assert_eq!(joins_under_load(&mut bench, 2, peer(3), &mut node), 1);
    // Another device is unaffected.
    assert_eq!(joins_under_load(&mut bench, 2, peer(9), &mut other), 0);
    assert_eq!(bench.counters().get_sent(Kind::JoinAccept), 5);
    // Radio needs no proof, because it has no addresses.
    let radio = Peer::Radio(0);
    for _ in 0..100 {
        let request = forged_join(node.id, &mut random);
        let verdict = bench.handle(2, radio, &request);
        assert_eq!(verdict, (Err(Reason::ForgedJoin), vec![]));
    }
    assert_eq!(joins_under_load(&mut bench, 3000, radio, &mut node), 0);
}

#[test]
fn a_cookie_is_for_one_address_one_device_and_some_minutes() {
    let mut bench = Bench::with(Settings::default());
    let mut random = Seeded(6);
    let (node, other) = (
        Node::new(1, Suite::ChaChaPolyBlake2s),
        Node::new(2, Suite::Ascon),
    );
    bench.add(&node, 1);
    bench.add(&other, 2);
    let mut cookie = |bench: &mut Bench, ms| loop {
        let request = forged_join(node.id, &mut random);
        if let [(_, answer)] = &bench.handle(ms, peer(1), &request).1[..] {
            break <[u8; 8]>::try_from(&answer[5..]).expect("a cookie");
        }
    };
    let first = cookie(&mut bench, 0);
    let echo = CookieEcho::encode(node.id, &first);
    let mut wrong = echo;
    wrong[12] ^= 1;
    let unproven = Err(Reason::Unproven);
    assert_eq!(bench.handle(1, peer(1), &wrong).0, unproven);
    assert_eq!(bench.handle(1, peer(2), &echo).0, unproven);
    assert_eq!(bench.handle(1, Peer::Radio(0), &echo).0, unproven);
    let of_other = CookieEcho::encode(other.id, &first);
    assert_eq!(bench.handle(1, peer(1), &of_other).0, unproven);
    let of_nobody = CookieEcho::encode(DeviceId(1), &first);
    assert_eq!(
        bench.handle(1, peer(1), &of_nobody).0,
        Err(Reason::UnknownDevice)
    );
    assert_eq!(bench.handle(1, peer(1), &echo).0, Ok(()));
    // The secret changes after two minutes; the previous one stays valid for as long again.
    let second = cookie(&mut bench, 125_000);
    assert_ne!(first, second);
    assert_eq!(bench.handle(200_000, peer(1), &echo).0, Ok(()));
    assert_eq!(bench.handle(250_000, peer(1), &echo).0, unproven);
    let echo = CookieEcho::encode(node.id, &second);
    assert_eq!(bench.handle(250_001, peer(1), &echo).0, Ok(()));
    // After a long silence no old secret is valid.
    assert_eq!(bench.handle(10_000_000, peer(1), &echo).0, unproven);
}

/// A proven address has a limited number of tag checks.
#[test]
fn a_proven_address_has_a_limit_of_its_own() {
    let mut limits = Limits::default();
    limits.checks.proven_address = Rate::new(1, 10);
    let mut bench = Bench::with(Settings { limits });
    let mut random = Seeded(8);
    let mut node = Node::new(1, Suite::ChaChaPolyBlake2s);
    bench.add(&node, 1);
    let id = node.id;
    let mut flood = |bench: &mut Bench, from| {
        let mut cookie = None;
        let forged = (0..100).filter(|_| {
            let request = forged_join(id, &mut random);
            let (verdict, sent) = bench.handle(0, from, &request);
            cookie = sent.last().map(|(_, bytes)| bytes[5..].to_vec());
            verdict == Err(Reason::ForgedJoin)
        });
        (forged.count(), cookie)
    };
    let (looked_at, cookie) = flood(&mut bench, peer(1));
    assert_eq!(looked_at, 8);
    let cookie = cookie.expect("asked for").try_into().expect("8 bytes");
    let echo = CookieEcho::encode(node.id, &cookie);
    assert_eq!(bench.handle(0, peer(1), &echo).0, Ok(()));
    assert_eq!(flood(&mut bench, peer(1)).0, 10);
    assert_eq!(bench.handle(0, peer(1), &echo).0, Ok(()));
    assert_eq!(flood(&mut bench, peer(1)).0, 0);
    // Another address is unaffected.
    assert_eq!(joins_under_load(&mut bench, 0, peer(2), &mut node), 1);
}

/// An engine with low limits on wrong tags from home and from elsewhere, and a node with a live
/// session.
fn with_few_forgeries() -> (Bench, Node) {
    let mut limits = Limits::NONE;
    limits.checks.forged_at_home = Rate::each_tick(1000);
    limits.checks.forged_elsewhere = Rate::each_tick(100);
    let mut bench = Bench::with(Settings { limits });
    let mut node = Node::new(1, Suite::ChaChaPolyBlake2s);
    bench.add(&node, 1);
    bench.join(0, peer(1), &mut node);
    assert_eq!(bench.handle(0, peer(1), &node.up(b"x")).0, Ok(()));
    (bench, node)
}

fn forged(up: &[u8], count: usize) -> Vec<Vec<u8>> {
    let mut random = Seeded(9);
    let forge = |_| {
        let mut forged = up.to_vec();
        let tag = forged.len() - 8;
        forged[tag..].copy_from_slice(&random.bytes::<8>());
        forged
    };
    (0..count).map(forge).collect()
}

/// The number of packets whose tag was checked.
fn looked_at(bench: &mut Bench, ms: u64, from: Peer, packets: &[Vec<u8>]) -> usize {
    let verdict = |packet: &&Vec<u8>| bench.handle(ms, from, packet).0 == Err(Reason::Forged);
    packets.iter().filter(verdict).count()
}

#[test]
fn forgeries_of_a_session_are_throttled_and_do_not_end_it() {
    let (mut bench, mut node) = with_few_forgeries();
    let false_ones = forged(&node.up(b"x"), 5000);
    // From elsewhere: a hundred at once, then one per second. The node at home is unaffected.
    assert_eq!(looked_at(&mut bench, 1000, peer(2), &false_ones), 100);
    assert_eq!(looked_at(&mut bench, 2000, peer(3), &false_ones), 1);
    assert_eq!(looked_at(&mut bench, 12_000, peer(4), &false_ones), 10);
    assert_eq!(bench.handle(12_000, peer(1), &node.up(b"x")).0, Ok(()));
    // A node that moves meanwhile gets a hint, so that it can request a new session.
    let up = node.up(b"moved");
    let (verdict, sent) = bench.handle(12_000, peer(5), &up);
    assert_eq!(verdict, Err(Reason::RateLimited));
    assert_eq!(sent.len(), 1);
    assert!(matches!(node.take(&sent[0].1), Some(Heard::Hint(_))));
    // After the forgeries end, packets from its new address are accepted.
    assert_eq!(bench.handle(13_000, peer(5), &up).0, Ok(()));
    // Home, whose address can be forged, has a separate allowance.
    assert_eq!(looked_at(&mut bench, 14_000, peer(5), &false_ones), 1000);
    assert_eq!(
        bench.handle(14_000, peer(5), &node.up(b"x")).0,
        Err(Reason::RateLimited)
    );
    assert_eq!(bench.handle(15_000, peer(5), &node.up(b"x")).0, Ok(()));
    assert_eq!(looked_at(&mut bench, 15_000, peer(5), &false_ones), 1);
    assert_eq!(bench.count(Count::Sessions), 1);
    assert_eq!(bench.count(Count::SessionsEnded), 0);
    // A new session has new allowances.
    bench.join(16_000, peer(5), &mut node);
    assert_eq!(bench.handle(16_000, peer(5), &node.up(b"x")).0, Ok(()));
    let false_ones = forged(&node.up(b"x"), 5000);
    assert_eq!(looked_at(&mut bench, 16_000, peer(5), &false_ones), 1000);
}

/// More forgeries than the former session limit. With a gateway's limits the session survives,
/// and its node is heard.
#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_million_forgeries_do_not_end_a_session() {
    let mut bench = Bench::with(Settings::default());
    let mut node = Node::new(1, Suite::ChaChaPolyBlake2s);
    bench.add(&node, 1);
    bench.join(0, peer(1), &mut node);
    assert_eq!(bench.handle(0, peer(1), &node.up(b"x")).0, Ok(()));
    let false_ones = forged(&node.up(b"x"), 64);
    for ms in 0..(1 << 20) / 64 + 10 {
        for false_one in &false_ones {
            let verdict = bench
                .engine
                .handle(at(ms), peer(1), None, false_one, &mut bench.out);
            assert_eq!(verdict, Err(Reason::Forged));
        }
    }
    assert!(bench.counters().get_dropped(Reason::Forged) > 1 << 20);
    assert_eq!(bench.count(Count::Sessions), 1);
    assert_eq!(bench.handle(20_000, peer(1), &node.up(b"x")).0, Ok(()));
}

#[test]
fn hints_are_few() {
    let mut bench = Bench::new();
    let mut random = Seeded(3);
    let mut hints = |bench: &mut Bench, ms, from, session: [u8; 2]| {
        let mut bytes = [0x70; 29];
        bytes[1..].copy_from_slice(&random.bytes::<28>());
        bytes[1..3].copy_from_slice(&session);
        bench.handle(ms, from, &bytes).1.len()
    };
    // Per session and address: one per second.
    let of_one: usize = (0..3000)
        .map(|ms| hints(&mut bench, ms, peer(1), [7, 7]))
        .sum();
    assert_eq!(of_one, 3);
    // Per address: ten at once, then ten per second.
    let of_address = |ms: u64| hints(&mut bench, 5000 + ms, peer(2), (ms as u16).to_le_bytes());
    let of_address: usize = (0..3000).map(of_address).sum();
    assert!((39..=40).contains(&of_address), "{of_address}");
    // Another port of the same address, and another address, have separate limits.
    let Peer::Udp(mut neighbour) = peer(2) else {
        unreachable!("a test's peer has an address")
    };
    neighbour.set_port(6000);
    assert_eq!(hints(&mut bench, 7999, Peer::Udp(neighbour), [1, 1]), 1);
    assert_eq!(hints(&mut bench, 7999, peer(3), [1, 1]), 1);
    // In total: 1,000 at once, then 10,000 per second.
    let of_all = |number: u32| {
        let ms = 10_000 + u64::from(number / 20);
        hints(&mut bench, ms, peer(100 + number), [7, 7])
    };
    let of_all: usize = (0..20_000).map(of_all).sum();
    assert!((10_900..=11_000).contains(&of_all), "{of_all}");
    // On a radio channel, where each hint costs air time: one per second in total.
    let of_radio = |ms: u64| {
        hints(
            &mut bench,
            20_000 + ms,
            Peer::Radio(0),
            (ms as u16).to_le_bytes(),
        )
    };
    assert_eq!((0..3000).map(of_radio).sum::<usize>(), 3);
}
