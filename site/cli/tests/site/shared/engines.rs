//! Engines that own shards of the devices: killed, paused past their lease, and without registry.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use selo_link::frame::Frame;

use super::air::Node;
use super::{Shared, printed};
use crate::gateway_support::{Gateway, PATIENCE};
use crate::postgres::Cluster;
use crate::status::{of, wait_for};

const ENGINE: [&str; 3] = ["--engine", "--lease", "2s"];

/// Longer than the lease and the time in which another engine takes over.
const PAST: Duration = Duration::from_millis(3500);

fn engine(shared: &Shared, index: usize) -> Gateway {
    shared.sites[index].gateway(&ENGINE)
}

fn engines(shared: &Shared) -> Vec<Gateway> {
    let engines: Vec<_> = (0..shared.sites.len())
        .map(|index| engine(shared, index))
        .collect();
    wait_for_shares(&shared.cluster, engines.len());
    engines
}

/// Waits until this many engines own all shards, in about equal parts.
pub fn wait_for_shares(cluster: &Cluster, engines: usize) {
    let sql = "SELECT count(*), min(n), sum(n) FROM (SELECT count(*) n FROM selo_registry.shard
               WHERE until > now() GROUP BY owner) s";
    let least = 64 / engines - engines;
    let since = Instant::now();
    loop {
        let answer = cluster.psql(sql);
        let numbers: Vec<usize> = answer.split('|').flat_map(str::parse).collect();
        if let [owners, min, 64] = numbers[..]
            && owners == engines
            && min >= least
        {
            // The engines have heard of it with the next renewal.
            std::thread::sleep(Duration::from_millis(500));
            return;
        }
        assert!(since.elapsed() < PATIENCE, "{answer}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn addresses(engines: &[Gateway]) -> Vec<SocketAddr> {
    engines.iter().map(|engine| engine.address).collect()
}

fn nodes(shared: &Shared, count: usize) -> Vec<Node> {
    (0..count)
        .map(|n| shared.device(&format!("node {n}")))
        .collect()
}

/// True if a gateway told the node that it does not know its session.
fn heard_hint(node: &Node) -> bool {
    node.heard
        .iter()
        .any(|heard| matches!(Frame::parse(&heard.bytes), Ok(Frame::Hint(_))))
}

/// Sends readings of a session that was lost with its engine, until the new owner says so. A busy
/// machine answers late, and a node repeats what nobody acknowledged.
fn wait_for_hint(node: &mut Node, gateways: &[SocketAddr]) {
    let since = Instant::now();
    while !heard_hint(node) {
        assert!(node.send(gateways, b"lost session").is_empty());
        let waited = since.elapsed();
        assert!(waited < PATIENCE, "the new owner asks the node to join");
    }
}

#[test]
fn each_device_has_one_engine_that_answers_and_the_other_is_silent() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let mut nodes = nodes(&shared, 12);
    let engines = engines(&shared);
    let all = addresses(&engines);
    let mut owners = Vec::new();
    for node in &mut nodes {
        let owner = node.join_patiently(&all);
        for reading in [b"one", b"two"] {
            assert_eq!(node.send(&all, reading), [owner]);
        }
        assert_eq!(node.join_patiently(&all), owner, "the same engine again");
        // A hint would make the node ask for more acknowledgements.
        assert!(
            !heard_hint(node),
            "the other engine knows that it is not asked"
        );
        owners.push(owner);
    }
    for address in &all {
        assert!(
            owners.contains(address),
            "both engines answer some: {owners:?}"
        );
    }
}

#[test]
fn the_nodes_of_a_killed_engine_join_at_another_one() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let mut nodes = nodes(&shared, 8);
    let mut engines = engines(&shared);
    let all = addresses(&engines);
    let owners: Vec<_> = nodes
        .iter_mut()
        .map(|node| node.join_patiently(&all))
        .collect();
    let dead = engines.remove(0);
    dead.kill();
    let alive = engines[0].address;
    wait_for_shares(&shared.cluster, 1);
    for (node, owner) in nodes.iter_mut().zip(&owners) {
        if *owner == alive {
            assert_eq!(node.send(&all, b"as before"), [alive]);
            continue;
        }
        wait_for_hint(node, &all);
        assert_eq!(node.join_patiently(&all), alive);
        assert_eq!(node.send(&all, b"again"), [alive]);
        node.check_counters();
    }
}

#[test]
fn a_killed_engine_that_is_back_within_its_lease_continues_its_sessions() {
    let Some(shared) = Shared::start(1) else {
        return;
    };
    let mut node = shared.device("garden");
    let first = engines(&shared).remove(0);
    let address = node.join_patiently(&[first.address]);
    assert_eq!(node.send(&[address], b"before"), [address]);
    let epoch = shared
        .cluster
        .psql("SELECT max(epoch) FROM selo_registry.shard");
    first.kill();
    let second = engine(&shared, 0);
    wait_for_shares(&shared.cluster, 1);
    assert_eq!(node.send(&[second.address], b"after"), [second.address]);
    assert_eq!(node.check_counters(), 2);
    let grown = shared
        .cluster
        .psql("SELECT max(epoch) FROM selo_registry.shard");
    assert_ne!(epoch, grown, "another start has another epoch");
}

#[test]
fn an_engine_that_was_paused_past_its_lease_answers_nothing() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let mut nodes = nodes(&shared, 8);
    let engines = engines(&shared);
    let all = addresses(&engines);
    let paused = &engines[0];
    let mut of_paused = Vec::new();
    // Ids are random, so all nodes can be of one engine.
    let mut more = 0;
    while let Some(mut node) = nodes.pop() {
        if node.join_patiently(&all) == paused.address {
            assert_eq!(node.send(&all, b"live"), [paused.address]);
            of_paused.push(node);
        }
        if nodes.is_empty() && of_paused.is_empty() {
            assert!(more < 100, "the paused engine has no device");
            nodes.push(shared.device(&format!("another node {more}")));
            more += 1;
        }
    }
    paused.signal(Signal::STOP);
    wait_for_shares(&shared.cluster, 1);
    std::thread::sleep(PAST);
    for node in &mut of_paused {
        // The paused engine gets these too, and finds them when it wakes.
        node.send(&all, b"of the old session");
        assert_eq!(node.join_patiently(&all), engines[1].address);
        assert_eq!(node.send(&all, b"of the new session"), [engines[1].address]);
    }
    let before: Vec<_> = of_paused.iter().map(|node| node.heard.len()).collect();
    paused.signal(Signal::CONT);
    std::thread::sleep(Duration::from_secs(1));
    for (node, before) in of_paused.iter_mut().zip(before) {
        node.listen();
        let late = node.heard[before..]
            .iter()
            .find(|heard| heard.from == paused.address);
        assert!(
            late.is_none(),
            "it answered: {:?}",
            late.map(|heard| &heard.bytes)
        );
        node.check_counters();
    }
    paused.log.said("a session has ended");
    // It takes its part of the shards again, in a new epoch.
    wait_for_shares(&shared.cluster, 2);
    for node in &mut of_paused {
        let owner = node.join_patiently(&all);
        assert_eq!(node.send(&all, b"at last"), [owner]);
        node.check_counters();
    }
}

#[test]
fn engines_without_registry_answer_nothing_after_their_lease_and_continue_when_it_is_back() {
    let Some(shared) = Shared::start(1) else {
        return;
    };
    let mut node = shared.device("garden");
    let engine = engines(&shared).remove(0);
    let all = [node.join_patiently(&[engine.address])];
    assert_eq!(node.send(&all, b"one"), all);
    shared.cluster.kill();
    engine.log.wait("the lease has ended");
    assert!(node.send(&all, b"two").is_empty());
    shared.cluster.up();
    engine.log.wait("the lease is renewed");
    std::thread::sleep(Duration::from_millis(500));
    // Nobody had the shard in between, so the session goes on.
    assert_eq!(node.send(&all, b"three"), all);
    assert_eq!(node.check_counters(), 2);
}

#[test]
fn an_engine_needs_a_registry_in_postgresql() {
    let mut site = crate::gateway_support::Site::new();
    site.environment(&[]);
    let answer = site.selo(&["gateway", "--listen", "127.0.0.1:0", "--engine"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer.stderr.contains("--registry postgresql://"),
        "{answer:?}"
    );
    let answer = site.selo(&["gateway", "--listen", "127.0.0.1:0", "--lease", "3s"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
}

/// Kills, pauses and wakes engines at random while nodes join and send. No join gets two answers,
/// no key has a counter twice, and what was acknowledged is printed.
#[test]
fn whatever_happens_to_engines_no_join_is_answered_twice() {
    const ROUNDS: u64 = 6;
    let Some(shared) = Shared::start(3) else {
        return;
    };
    let mut nodes = nodes(&shared, 4);
    let mut engines: Vec<Option<Gateway>> = engines(&shared).into_iter().map(Some).collect();
    let mut kept: Vec<String> = Vec::new();
    let (mut answered, mut acknowledged) = (0, 0);
    for round in 0..ROUNDS {
        let victim = (round * 7 % 3) as usize;
        let all: Vec<_> = engines
            .iter()
            .flatten()
            .map(|engine| engine.address)
            .collect();
        let struck = engines[victim].take().expect("it runs");
        let paused = round % 2 == 0;
        let struck = if paused {
            struck.signal(Signal::STOP);
            Some(struck)
        } else {
            kept.extend(struck.kill());
            None
        };
        // Nodes join and send before the lease ends, around its end, and after the wake-up.
        for turn in 0..3 {
            for node in &mut nodes {
                let answers = node.join(&all, 1);
                assert!(
                    answers.len() <= 1,
                    "round {round}, turn {turn}: {answers:?}"
                );
                answered += answers.len();
                acknowledged += node.send(&all, &[round as u8, turn]).len();
            }
            if let (1, Some(struck)) = (turn, &struck) {
                struck.signal(Signal::CONT);
            }
        }
        engines[victim] = Some(struck.unwrap_or_else(|| engine(&shared, victim)));
    }
    for node in &mut nodes {
        node.listen();
        node.check_counters();
        node.check_answers();
    }
    assert!(
        answered >= 10 && acknowledged >= 10,
        "{answered} joins, {acknowledged} readings"
    );
    let mut all: Vec<(String, u64)> = Vec::new();
    for engine in engines.into_iter().flatten() {
        std::thread::sleep(Duration::from_millis(200));
        all.extend(printed(&engine.readings));
        engine.stop();
    }
    for line in kept {
        let line: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let session = line["session"].as_str().expect("a session").to_owned();
        all.push((session, line["counter"].as_u64().expect("a counter")));
    }
    all.sort();
    all.dedup();
    assert!(
        all.len() >= acknowledged,
        "{} printed, {acknowledged} acknowledged",
        all.len()
    );
}

#[test]
fn status_shows_engines_and_standbys_and_misses_those_that_are_gone() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let standby = shared.cluster.standby();
    let mut engines = engines(&shared);
    let site = &shared.sites[0];
    let found = wait_for(site, &[], |found| {
        let streams = |standby: &&serde_json::Value| standby["state"] == "ok";
        of(found, "standby").iter().any(streams)
    });
    let worst: Vec<_> = found.iter().filter(|it| it["state"] != "ok").collect();
    assert!(worst.is_empty(), "{worst:?}");
    let shards = |part: &&serde_json::Value| part["figures"]["shards"].as_u64().expect("shards");
    assert_eq!(of(&found, "engine").iter().map(shards).sum::<u64>(), 64);
    assert_eq!(of(&found, "engine").len(), 2);
    assert_eq!(of(&found, "registry")[0]["figures"]["without_owner"], 0);

    // One engine takes the shards of the other, whose row is forgotten.
    engines.remove(1).kill();
    wait_for_shares(&shared.cluster, 1);
    let found = wait_for(site, &[], |found| of(found, "engine").len() == 1);
    assert_eq!(of(&found, "registry")[0]["state"], "ok", "{found:?}");

    standby.kill();
    let found = wait_for(site, &[], |found| {
        of(found, "standby").is_empty() && of(found, "postgresql")[0]["state"] == "fault"
    });
    let problem = of(&found, "postgresql")[0]["problem"].as_str();
    assert!(
        problem.expect("one").contains("nothing can be written"),
        "{found:?}"
    );

    engines.remove(0).kill();
    let found = wait_for(site, &[], |found| {
        let registry = of(found, "registry")[0];
        let gone = of(found, "engine")[0]["state"] == "fault";
        gone && registry["figures"]["without_owner"] == 64 && registry["state"] == "fault"
    });
    let engine = of(&found, "engine")[0]["problem"].as_str();
    assert!(
        engine.expect("one").contains("its lease ended"),
        "{found:?}"
    );
    assert_eq!(of(&found, "gateway")[0]["state"], "fault");

    // A site that has gone on without engines is not blamed.
    shared
        .cluster
        .psql("ALTER SYSTEM RESET synchronous_standby_names");
    shared.cluster.psql("SELECT pg_reload_conf()");
    shared.cluster.psql("DELETE FROM selo_registry.engine");
    let found = wait_for(site, &[], |found| of(found, "engine").is_empty());
    assert_eq!(of(&found, "registry")[0]["state"], "warning", "{found:?}");
}
