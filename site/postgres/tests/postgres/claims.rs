//! Joins that the registry grants.

use selo_gateway::registry::{Existing, JoinClaim, Place, Verdict};
use selo_link::DeviceId;

use crate::{Pair, device};

fn claim(row: u32, counter: u32) -> JoinClaim {
    JoinClaim {
        row,
        counter,
        fence: None,
    }
}

#[test]
fn a_counter_is_granted_once_and_never_falls() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let added = registry.add_all(&[device(1, None), device(2, None)], Existing::Refuse);
    let rows: Vec<_> = added.expect("adds").iter().map(|it| it.row).collect();
    let [one, two] = rows[..] else {
        panic!("two devices")
    };
    let mut first = pair.shared(0);
    let mut second = pair.shared(1);
    let asks = [claim(one, 5), claim(two, 1)];
    assert_eq!(first.claim(&asks).expect("asks"), [Verdict::Granted; 2]);
    assert_eq!(second.claim(&asks).expect("asks"), [Verdict::Late; 2]);
    let asks = [claim(one, 4), claim(two, 2), claim(9999, 1)];
    let verdicts = second.claim(&asks).expect("asks");
    assert_eq!(verdicts, [Verdict::Late, Verdict::Granted, Verdict::Late]);
    // Of two claims for one device, the higher counter.
    let asks = [claim(one, 6), claim(one, 7), claim(one, 6)];
    let verdicts = first.claim(&asks).expect("asks");
    assert_eq!(verdicts, [Verdict::Late, Verdict::Granted, Verdict::Late]);
    registry.revoke(DeviceId(1)).expect("revokes");
    assert_eq!(
        first.claim(&[claim(one, 8)]).expect("asks"),
        [Verdict::Late]
    );
    let found = registry.find("00000001").expect("found");
    assert_eq!(found.join_counter, 7);
    let by = pair
        .cluster
        .psql("SELECT joined_by FROM selo_registry.device WHERE id = 2");
    assert_eq!(by, "gateway 1");
}

#[test]
fn of_gateways_that_ask_at_the_same_time_one_gets_each_counter() {
    const DEVICES: u32 = 40;
    const ROUNDS: u32 = 25;
    let Some(pair) = Pair::start() else { return };
    let devices: Vec<_> = (1..=DEVICES).map(|id| device(id, None)).collect();
    let added = pair
        .registry(0)
        .add_all(&devices, Existing::Refuse)
        .expect("adds");
    let rows: Vec<_> = added.iter().map(|it| it.row).collect();
    let granted: Vec<usize> = std::thread::scope(|scope| {
        let ask = |gateway: usize| {
            let mut shared = pair
                .place(gateway % 2)
                .share()
                .expect("connects")
                .expect("shared");
            let mut rows = rows.clone();
            // The gateways hear the devices in different orders.
            rows.rotate_left(gateway * 7);
            if gateway % 2 == 1 {
                rows.reverse();
            }
            scope.spawn(move || {
                let mut granted = 0;
                for round in 1..=ROUNDS {
                    let asks: Vec<_> = rows.iter().map(|row| claim(*row, round)).collect();
                    let verdicts = shared.claim(&asks).expect("asks");
                    granted += verdicts
                        .iter()
                        .filter(|it| **it == Verdict::Granted)
                        .count();
                }
                granted
            })
        };
        let threads: Vec<_> = (0..4).map(ask).collect();
        threads
            .into_iter()
            .map(|it| it.join().expect("ends"))
            .collect()
    });
    // A gateway that lags behind finds higher counters, so fewer are granted, never more.
    let all: usize = granted.iter().sum();
    assert!(all <= (DEVICES * ROUNDS) as usize, "{granted:?}");
    assert!(all >= DEVICES as usize, "{granted:?}");
    let lowest = pair
        .cluster
        .psql("SELECT min(join_counter) FROM selo_registry.device");
    assert_eq!(lowest, ROUNDS.to_string());
}
