//! The registry in PostgreSQL behaves as the one in SQLite.

use std::collections::HashMap;

use selo_gateway::Error;
use selo_gateway::registry::{Existing, Learnt, Place, Record, Registry};
use selo_link::{DeviceId, DeviceKey, Suite};

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
    let mut other = pair.place(1).share().expect("connects").expect("shared");
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
