//! Shards, their leases, and joins under a fence.

use std::time::Duration;

use selo_gateway::registry::{Existing, JoinClaim, Shared, Verdict};
use selo_gateway::shards::{Ask, Fence, Former, Instance, Lease, SHARDS, Shard, shard_of};

use crate::{Pair, device};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(1);

fn engine(pair: &Pair, gateway: usize) -> Box<dyn Shared> {
    pair.shared(gateway)
}

fn hold(engine: &mut dyn Shared, lease: Duration, held: &Lease) -> Lease {
    let held: Vec<Shard> = held.fences.iter().map(|fence| fence.shard).collect();
    let ask = Ask {
        lease,
        held: &held,
        former: None,
        settled: true,
    };
    engine.hold(&ask).expect("answers")
}

fn restart(engine: &mut dyn Shared, instance: Instance, last: &Lease) -> Lease {
    let former = Former {
        instance,
        fences: last.fences.clone(),
    };
    let ask = Ask {
        lease: LONG,
        held: &[],
        former: Some(&former),
        settled: false,
    };
    engine.hold(&ask).expect("answers")
}

fn claim(row: u32, counter: u32, fence: Fence) -> JoinClaim {
    JoinClaim {
        row,
        counter,
        fence: Some(fence),
    }
}

#[test]
fn engines_share_the_shards_and_none_is_owned_twice() {
    let Some(pair) = Pair::start() else { return };
    let (mut a, mut b) = (engine(&pair, 0), engine(&pair, 1));
    let alone = hold(a.as_mut(), LONG, &Lease::default());
    assert_eq!(alone.fences.len(), usize::from(SHARDS));
    assert!(alone.fences.iter().all(|fence| fence.epoch == 1));
    let none = hold(b.as_mut(), LONG, &Lease::default());
    assert_eq!((none.fences.len(), none.engines), (0, 2));
    // The first engine gives half of them up. They are free only when it says so.
    let half = hold(a.as_mut(), LONG, &alone);
    assert_eq!(half.fences.len(), 32);
    assert_eq!(
        hold(b.as_mut(), LONG, &none).fences.len(),
        0,
        "not free yet"
    );
    let again = hold(a.as_mut(), LONG, &half);
    assert_eq!(again.fences, half.fences, "renewed in the same epoch");
    let other = hold(b.as_mut(), LONG, &none);
    assert_eq!(other.fences.len(), 32);
    assert!(other.fences.iter().all(|fence| fence.epoch == 2));
    let mut all: Vec<_> = half
        .fences
        .iter()
        .chain(&other.fences)
        .map(|it| it.shard)
        .collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), usize::from(SHARDS));
}

#[test]
fn an_engine_past_its_lease_is_granted_no_join() {
    let Some(pair) = Pair::start() else { return };
    let added = pair
        .registry(0)
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    let at = usize::from(shard_of(added.id));
    let (mut paused, mut other) = (engine(&pair, 0), engine(&pair, 1));
    let old = hold(paused.as_mut(), SHORT, &Lease::default());
    let grant = paused
        .claim(&[claim(added.row, 1, old.fences[at])])
        .expect("answers");
    assert_eq!(
        grant,
        [Verdict::Granted],
        "nobody took the shard, so the epoch is its own"
    );
    std::thread::sleep(Duration::from_millis(50));
    let first = hold(other.as_mut(), LONG, &Lease::default());
    assert_eq!(
        first.fences,
        [],
        "an engine takes no ended lease with its first request"
    );
    let new = hold(other.as_mut(), LONG, &first);
    assert_eq!(new.fences.len(), usize::from(SHARDS));
    let fenced = paused
        .claim(&[claim(added.row, 2, old.fences[at])])
        .expect("answers");
    assert_eq!(fenced, [Verdict::Fenced]);
    // Neither with the new epoch, which it may have read somewhere.
    let fenced = paused
        .claim(&[claim(added.row, 2, new.fences[at])])
        .expect("answers");
    assert_eq!(fenced, [Verdict::Fenced]);
    let grant = other
        .claim(&[claim(added.row, 2, new.fences[at])])
        .expect("answers");
    assert_eq!(grant, [Verdict::Granted]);
    assert_eq!(
        hold(paused.as_mut(), LONG, &old).fences,
        [],
        "it has lost all"
    );
}

#[test]
fn after_an_outage_the_owners_keep_their_shards_whoever_comes_first() {
    let Some(pair) = Pair::start() else { return };
    let (mut a, mut b) = (engine(&pair, 0), engine(&pair, 1));
    let mut of_a = hold(a.as_mut(), LONG, &Lease::default());
    let mut of_b = hold(b.as_mut(), LONG, &Lease::default());
    for _ in 0..3 {
        of_a = hold(a.as_mut(), LONG, &of_a);
        of_b = hold(b.as_mut(), LONG, &of_b);
    }
    assert_eq!((of_a.fences.len(), of_b.fences.len()), (32, 32));
    // Nobody could renew for longer than a lease.
    for table in ["shard", "engine"] {
        pair.cluster.psql(&format!(
            "UPDATE selo_registry.{table} SET until = now() - interval '1 s'"
        ));
    }
    assert_eq!(hold(a.as_mut(), LONG, &of_a).fences, of_a.fences);
    assert_eq!(hold(b.as_mut(), LONG, &of_b).fences, of_b.fences);
}

#[test]
fn a_restarted_engine_finds_its_shards_in_a_new_epoch() {
    let Some(pair) = Pair::start() else { return };
    let mut first = engine(&pair, 0);
    let old = hold(first.as_mut(), LONG, &Lease::default());
    let mut second = engine(&pair, 0);
    let new = restart(second.as_mut(), first.instance(), &old);
    assert_eq!(new.continued.len(), usize::from(SHARDS));
    assert!(
        new.fences
            .iter()
            .zip(&old.fences)
            .all(|(new, old)| new.epoch == old.epoch + 1)
    );
    assert_eq!(new.engines, 1, "the former one is forgotten");
    let lost = hold(first.as_mut(), LONG, &old);
    assert_eq!(
        lost.fences,
        [],
        "if it lives on after all, it has lost them"
    );
    let mut third = engine(&pair, 0);
    let none = restart(third.as_mut(), [9; 16], &old);
    assert!(none.continued.is_empty(), "of an engine that nobody knows");
}

#[test]
fn a_restarted_engine_continues_no_sessions_of_an_epoch_before_another_owner() {
    let Some(pair) = Pair::start() else { return };
    let mut first = engine(&pair, 0);
    let old = hold(first.as_mut(), LONG, &Lease::default());
    // It lost half of its shards and got them back, and was killed before it noted that.
    pair.cluster
        .psql("UPDATE selo_registry.shard SET epoch = epoch + 2 WHERE id < 32");
    let mut second = engine(&pair, 0);
    let new = restart(second.as_mut(), first.instance(), &old);
    assert_eq!(new.fences.len(), usize::from(SHARDS));
    let same: Vec<Shard> = (32..SHARDS).collect();
    assert_eq!(new.continued, same);
}

#[test]
fn after_an_outage_the_first_engine_leaves_the_shards_of_the_others() {
    let Some(pair) = Pair::start() else { return };
    let (mut a, mut b) = (engine(&pair, 0), engine(&pair, 1));
    let all = hold(a.as_mut(), LONG, &Lease::default());
    hold(b.as_mut(), LONG, &Lease::default());
    let half = hold(a.as_mut(), LONG, &all);
    hold(a.as_mut(), LONG, &half);
    let other = hold(b.as_mut(), LONG, &Lease::default());
    assert_eq!(other.fences.len(), 32);
    for table in ["engine", "shard"] {
        let past = "SET until = now() - interval '1 min'";
        pair.cluster
            .psql(&format!("UPDATE selo_registry.{table} {past}"));
    }
    let held: Vec<Shard> = half.fences.iter().map(|fence| fence.shard).collect();
    let ask = |settled| Ask {
        lease: LONG,
        held: &held,
        former: None,
        settled,
    };
    for round in 0..3 {
        let lease = a.hold(&ask(false)).expect("answers");
        assert_eq!(lease.fences, half.fences, "round {round}");
    }
    let back = hold(b.as_mut(), LONG, &other);
    assert_eq!(back.fences, other.fences, "it is not too late");
    // An engine that stays away loses its shards.
    pair.cluster.psql(
        "UPDATE selo_registry.engine SET until = now() - interval '1 min' WHERE name = 'gateway 1';
         UPDATE selo_registry.shard SET until = now() - interval '1 min' WHERE id IN
         (SELECT s.id FROM selo_registry.shard s LEFT JOIN selo_registry.engine e
          ON s.owner = e.instance WHERE e.name IS DISTINCT FROM 'gateway 0')",
    );
    let lease = a.hold(&ask(true)).expect("answers");
    assert_eq!(lease.fences.len(), usize::from(SHARDS));
}

#[test]
fn while_shards_move_no_counter_is_granted_twice_and_none_to_an_engine_without_the_shard() {
    const ROUNDS: u32 = 60;
    let Some(pair) = Pair::start() else { return };
    let added = pair
        .registry(0)
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    let shard = shard_of(added.id);
    // (epoch, counter) of each grant, by engine.
    let grants: Vec<Vec<(i64, u32)>> = std::thread::scope(|scope| {
        let run = |gateway: usize| {
            let mut engine = engine(&pair, gateway);
            scope.spawn(move || {
                let mut grants = Vec::new();
                let mut lease = Lease::default();
                for round in 1..=ROUNDS {
                    // Its lease always ends at once, and it goes on as if it had not.
                    if round % (3 + gateway as u32) == 0 || lease.fences.is_empty() {
                        lease = hold(engine.as_mut(), SHORT, &lease);
                    }
                    let fence = lease.fences.iter().find(|fence| fence.shard == shard);
                    let Some(fence) = fence else { continue };
                    let asks = [claim(added.row, round, *fence)];
                    if engine.claim(&asks).expect("answers") == [Verdict::Granted] {
                        grants.push((fence.epoch, round));
                    }
                }
                grants
            })
        };
        let threads: Vec<_> = (0..2).map(run).collect();
        threads
            .into_iter()
            .map(|it| it.join().expect("ends"))
            .collect()
    });
    let epochs = |of: &[(i64, u32)]| of.iter().map(|it| it.0).collect::<Vec<_>>();
    let (a, b) = (epochs(&grants[0]), epochs(&grants[1]));
    assert!(
        !a.iter().any(|epoch| b.contains(epoch)),
        "one epoch, two engines: {grants:?}"
    );
    let mut counters: Vec<_> = grants.iter().flatten().map(|it| it.1).collect();
    let all = counters.len();
    counters.sort_unstable();
    counters.dedup();
    assert_eq!(counters.len(), all, "a counter twice: {grants:?}");
    assert!(all > 0);
}
