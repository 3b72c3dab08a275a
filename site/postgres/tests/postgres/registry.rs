//! The registry in PostgreSQL behaves as the one in SQLite.

use std::collections::HashMap;

use selo_gateway::Error;
use selo_gateway::registry::{
    Existing, JoinClaim, Learnt, Origin, Place, Record, Registry, Shared,
};
use selo_link::{DeviceId, DeviceKey, Suite};
use selo_postgres::InPostgres;

use crate::{Pair, device};

/// The same registry in both databases.
fn both(test: impl Fn(Registry)) {
    let folder = tempfile::tempdir().expect("a folder");
    test(Registry::open(&folder.path().join("registry.db")).expect("opens"));
    if let Some(pair) = Pair::start() {
        test(pair.registry(0));
    }
}

#[test]
fn a_device_comes_back_as_it_was() {
    both(|mut registry| {
        let device = Record {
            join_counter: u32::MAX,
            revoked: Some(5),
            last_seen: Some(6),
            address: Some("192.0.2.1:7".into()),
            codec: "cayenne-lpp".into(),
            origin: Some(Origin::Hybrid(selo_link::Kem::MlKem768)),
            ..device(u32::MAX, Some("a name, \"quoted\""))
        };
        let added = registry.add(&device, Existing::Refuse).expect("adds");
        for what in ["ffffffff", "a name, \"quoted\""] {
            let found = registry.find(what).expect("found");
            assert_eq!(format!("{found:?}"), format!("{added:?}"));
            assert_eq!(found.key.expose(), device.key.expose());
        }
        assert_eq!(registry.all().expect("all").len(), 1);
        assert_eq!(registry.count().expect("counts"), 1);
        assert!(registry.find("nobody").is_err());
    });
}

#[test]
fn devices_are_added_replaced_and_removed() {
    both(|mut registry| {
        let first = registry.add(&device(1, Some("one")), Existing::Refuse);
        let first = first.expect("adds");
        let error = registry.add(&device(1, None), Existing::Refuse);
        assert!(
            matches!(error, Err(Error::DeviceExists { .. })),
            "{error:?}"
        );
        let devices = [device(1, None), device(2, None)];
        registry
            .add_all(&devices, Existing::Refuse)
            .expect_err("refused");
        assert_eq!(registry.count().expect("counts"), 1, "all or none");
        let kept = registry.add_all(&devices, Existing::Keep).expect("adds");
        assert_eq!(kept.len(), 1);
        let replaced = registry
            .add(&device(1, None), Existing::Replace)
            .expect("adds");
        assert!(replaced.row > first.row);
        assert_eq!(replaced.name.as_deref(), Some("one"));
        let taken = registry.rename(DeviceId(2), Some("one"));
        assert!(matches!(taken, Err(Error::NameTaken { .. })), "{taken:?}");
        registry.rename(DeviceId(1), None).expect("renames");
        registry.rename(DeviceId(2), Some("one")).expect("renames");
        registry.set_codec(DeviceId(2), "raw").expect("sets");
        let found = registry.find("one").expect("found");
        assert_eq!((found.id, found.codec.as_str()), (DeviceId(2), "raw"));
        assert!(registry.revoke(DeviceId(2)).expect("revokes"));
        assert!(!registry.revoke(DeviceId(2)).expect("is revoked"));
        assert!(registry.remove(DeviceId(2)).expect("removes"));
        assert!(!registry.remove(DeviceId(2)).expect("is gone"));
        let again = registry
            .add(&device(2, None), Existing::Refuse)
            .expect("adds");
        assert!(
            again.row > replaced.row,
            "a row number is never given twice"
        );
    });
}

#[test]
fn what_gateways_learn_is_kept_and_the_latest_contact_counts() {
    both(|mut registry| {
        let row = registry
            .add(&device(1, None), Existing::Refuse)
            .expect("adds")
            .row;
        let mut learn = |join_counter, seen| {
            let learnt = HashMap::from([(row, Learnt { join_counter, seen })]);
            registry.learn(&learnt).expect("learns");
            let found = registry.find("00000001").expect("found");
            (found.join_counter, found.last_seen, found.address)
        };
        assert_eq!(learn(Some(7), None), (7, None, None));
        let here = Some("here".to_owned());
        assert_eq!(
            learn(Some(3), Some((9, "here".into()))),
            (7, Some(9), here.clone())
        );
        assert_eq!(learn(None, None), (7, Some(9), here));
    });
}

#[test]
fn no_key_is_in_the_database_in_the_clear() {
    let Some(pair) = Pair::start() else { return };
    let key = DeviceKey::new([0xa7; 32]);
    let device = Record::new(DeviceId(1), Suite::Ascon, key);
    pair.registry(0)
        .add(&device, Existing::Refuse)
        .expect("adds");
    let stored = pair
        .cluster
        .psql("SELECT encode(key, 'hex') FROM selo_registry.device");
    assert_eq!(stored.len(), 64);
    assert_ne!(stored, "a7".repeat(32));
    let found = pair
        .registry(1)
        .find("00000001")
        .expect("opens with the same site key");
    assert_eq!(found.key.expose(), &[0xa7; 32]);
}

#[test]
fn another_gateway_sees_what_changed_since_and_nothing_else() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    registry
        .add_all(&[device(1, None), device(2, None)], Existing::Refuse)
        .expect("adds");
    let mut other = pair.shared(1);
    let since = other.last_change().expect("asks");
    let none = other.changes(since).expect("asks");
    assert_eq!(
        (none.changed.len(), none.removed.len(), none.until),
        (0, 0, since)
    );
    registry
        .add(&device(3, None), Existing::Refuse)
        .expect("adds");
    registry.revoke(DeviceId(1)).expect("revokes");
    registry.remove(DeviceId(2)).expect("removes");
    let changes = other.changes(since).expect("asks");
    let mut changed: Vec<_> = changes.changed.iter().map(|it| it.id.0).collect();
    changed.sort_unstable();
    assert_eq!(changed, [1, 3]);
    assert_eq!(changes.removed, [DeviceId(2)]);
    // A device that is added again is not removed.
    registry
        .add(&device(2, None), Existing::Refuse)
        .expect("adds");
    let changes = other.changes(changes.until).expect("asks");
    assert_eq!((changes.changed.len(), changes.removed.len()), (1, 0));
    assert_eq!(other.changes(since).expect("asks").removed, []);
}

#[test]
fn each_origin_of_a_key_comes_back() {
    both(|mut registry| {
        let origins = [None, Some(Origin::Hand), Some(Origin::of_pairing(None))];
        let hybrid = [selo_link::Kem::MlKem512, selo_link::Kem::MlKem768];
        let hybrid = hybrid.map(|kem| Some(Origin::of_pairing(Some(kem))));
        for (id, origin) in (1..).zip(origins.into_iter().chain(hybrid)) {
            let device = Record {
                origin,
                ..device(id, None)
            };
            registry.add(&device, Existing::Refuse).expect("adds");
            let found = registry.get(device.id).expect("reads").expect("there");
            assert_eq!(found.origin, origin);
        }
    });
}

#[test]
fn a_window_is_removed_by_its_own_gateway_only() {
    let Some(pair) = Pair::start() else { return };
    let same_name = |state: usize| {
        let place = InPostgres {
            gateway: "gateway".into(),
            ..pair.place(state)
        };
        place.share().expect("connects").expect("shared")
    };
    let ids = |shared: &mut Box<dyn Shared>| -> Vec<u8> {
        let windows = shared.windows().expect("reads");
        let mut ids: Vec<_> = windows.iter().map(|(id, _)| id[0]).collect();
        ids.sort_unstable();
        ids
    };
    let (mut a, mut b) = (same_name(0), same_name(1));
    a.open_window(&[1; 16], 60, b"a").expect("opens");
    a.open_window(&[1; 16], 60, b"a")
        .expect("an answer was lost");
    b.open_window(&[2; 16], 60, b"b").expect("opens");
    assert_eq!(ids(&mut a), [1, 2]);
    // A gateway that was killed and started again.
    same_name(0).open_window(&[3; 16], 60, b"c").expect("opens");
    assert_eq!(ids(&mut b), [2, 3]);
}

/// Tries until it is done. On a busy machine a lock can take longer than its limit, and a gateway tries again;
/// a circle of locks is never right.
fn without_circle<T>(mut change: impl FnMut() -> Result<T, Error>) {
    loop {
        match change() {
            Ok(_) => return,
            Err(error) => {
                let text = format!("{error:?}");
                assert!(text.contains("(55P03)"), "{text}");
            }
        }
    }
}

/// Gateways and commands that change the same devices in different orders do not wait for each
/// other in a circle.
#[test]
fn claims_contacts_and_imports_do_not_lock_each_other() {
    let Some(pair) = Pair::start() else { return };
    let devices: Vec<Record> = (1..=200).map(|id| device(id, None)).collect();
    let added = pair.registry(0).add_all(&devices, Existing::Refuse);
    let rows: Vec<u32> = added.expect("adds").iter().map(|it| it.row).collect();
    let reversed: Vec<Record> = devices.iter().rev().cloned().collect();
    std::thread::scope(|scope| {
        let claimer = |order: Vec<u32>, gateway| {
            let mut shared = pair.shared(gateway);
            move || {
                for counter in 1..=30 {
                    let claim = |row: &u32| JoinClaim {
                        row: *row,
                        counter,
                        fence: None,
                    };
                    let claims: Vec<_> = order.iter().map(claim).collect();
                    without_circle(|| shared.claim(&claims));
                }
            }
        };
        let backwards = rows.iter().rev().copied().collect();
        scope.spawn(claimer(rows.clone(), 0));
        scope.spawn(claimer(backwards, 1));
        let mut registry = pair.registry(1);
        let learnt: HashMap<u32, Learnt> = rows
            .iter()
            .map(|row| {
                let seen = Some((5, "192.0.2.1:7".to_owned()));
                (
                    *row,
                    Learnt {
                        join_counter: None,
                        seen,
                    },
                )
            })
            .collect();
        scope.spawn(move || {
            for _ in 0..30 {
                without_circle(|| registry.learn(&learnt));
            }
        });
        let mut registry = pair.registry(0);
        scope.spawn(move || {
            for _ in 0..5 {
                without_circle(|| registry.add_all(&reversed, Existing::Replace));
            }
        });
    });
}
