//! Tests of the registry and its file.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::Connection;
use selo_link::{DeviceId, DeviceKey, Kem, Suite};

use super::file::VERSION;
use super::*;
use crate::registry::DEFAULT_CODEC;
use crate::site_key;

fn registry() -> (tempfile::TempDir, Registry) {
    let folder = tempfile::tempdir().expect("a folder");
    let registry = Registry::open(&folder.path().join("registry.db")).expect("opens");
    (folder, registry)
}

fn device(id: u32, name: Option<&str>) -> Record {
    Record {
        name: name.map(str::to_owned),
        ..Record::new(DeviceId(id), Suite::Ascon, DeviceKey::new([id as u8; 32]))
    }
}

#[test]
fn a_device_comes_back_as_it_was() {
    let (folder, mut registry) = registry();
    let device = Record {
        join_counter: u32::MAX,
        revoked: Some(5),
        last_seen: Some(6),
        address: Some("192.0.2.1:7".into()),
        ..device(u32::MAX, Some("a name, \"quoted\""))
    };
    let added = registry.add(&device, Existing::Refuse).expect("adds");
    drop(registry);
    let registry = Registry::open(&folder.path().join("registry.db")).expect("opens");
    for what in ["ffffffff", "a name, \"quoted\""] {
        let found = registry.find(what).expect("found");
        assert_eq!(format!("{found:?}"), format!("{added:?}"));
        assert_eq!(found.key.expose(), device.key.expose());
    }
}

#[test]
fn the_origin_of_a_key_tells_since_when_it_is_quantum_safe() {
    let (_folder, mut registry) = registry();
    for (origin, safe) in [
        (None, false),
        (Some(Origin::Hand), true),
        (Some(Origin::X25519), false),
        (Some(Origin::Hybrid(Kem::MlKem512)), true),
        (Some(Origin::Hybrid(Kem::MlKem768)), true),
    ] {
        let record = Record {
            origin,
            created: 77,
            ..device(1, None)
        };
        registry.add(&record, Existing::Replace).expect("adds");
        let found = registry.find("00000001").expect("found");
        assert_eq!(found.origin, origin);
        assert_eq!(found.quantum_safe_since(), safe.then_some(77));
    }
    // Paired again with X25519 alone: it is no longer safe.
    let record = Record {
        origin: Some(Origin::X25519),
        ..device(1, None)
    };
    registry.add(&record, Existing::Replace).expect("adds");
    let found = registry.find("00000001").expect("found");
    assert_eq!(found.quantum_safe_since(), None);
}

#[test]
fn no_file_of_it_is_open_to_others() {
    let (folder, mut registry) = registry();
    registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    let mut files = 0;
    for entry in std::fs::read_dir(folder.path()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let mode = std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
        files += 1;
    }
    assert!(files >= 2, "the write-ahead log is not there");
}

#[test]
fn a_device_that_is_there_is_refused_kept_or_replaced() {
    let (_folder, mut registry) = registry();
    let first = registry
        .add(&device(1, Some("one")), Existing::Refuse)
        .expect("adds");
    let error = registry
        .add(&device(1, None), Existing::Refuse)
        .expect_err("refused");
    assert!(matches!(error, Error::DeviceExists { .. }));
    let kept = registry
        .add_all(&[device(1, None), device(2, None)], Existing::Keep)
        .expect("adds");
    assert_eq!(kept.len(), 1);
    assert_eq!(registry.find("one").expect("found").row, first.row);
    let replaced = registry
        .add(&device(1, None), Existing::Replace)
        .expect("adds");
    assert!(replaced.row > first.row);
    assert_eq!(replaced.name.as_deref(), Some("one"));
    assert_eq!(registry.count().expect("counts"), 2);
}

#[test]
fn all_or_none() {
    let (_folder, mut registry) = registry();
    registry
        .add(&device(3, None), Existing::Refuse)
        .expect("adds");
    let devices = [device(1, None), device(2, Some("x")), device(3, None)];
    registry
        .add_all(&devices, Existing::Refuse)
        .expect_err("refused");
    assert_eq!(registry.count().expect("counts"), 1);
}

#[test]
fn a_row_number_is_never_given_twice() {
    let (_folder, mut registry) = registry();
    let first = registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    assert!(registry.remove(DeviceId(1)).expect("removes"));
    assert!(!registry.remove(DeviceId(1)).expect("removes"));
    let second = registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    assert!(second.row > first.row);
}

/// True if these bytes are in a file of the folder.
fn is_written(folder: &Path, bytes: &[u8]) -> bool {
    std::fs::read_dir(folder).expect("a folder").any(|entry| {
        let found = std::fs::read(entry.expect("an entry").path()).expect("reads");
        found.windows(bytes.len()).any(|window| window == bytes)
    })
}

#[test]
fn no_key_is_in_the_files() {
    let (folder, mut registry) = registry();
    let key = [0xa7; 32];
    let device = Record::new(DeviceId(1), Suite::Ascon, DeviceKey::new(key));
    registry.add(&device, Existing::Refuse).expect("adds");
    assert!(!is_written(folder.path(), &key));
    let sealed: Vec<u8> = Connection::open(folder.path().join("registry.db"))
        .and_then(|db| db.query_row("SELECT key FROM device", [], |row| row.get(0)))
        .expect("reads");
    assert!(is_written(folder.path(), &sealed));
    registry.remove(DeviceId(1)).expect("removes");
    assert!(!is_written(folder.path(), &sealed), "overwritten");
}

#[test]
fn a_key_opens_only_in_its_own_row() {
    let (folder, mut registry) = registry();
    for id in [1, 2] {
        registry
            .add(&device(id, None), Existing::Refuse)
            .expect("adds");
    }
    // Someone who can write to the database gives the key of device 1 to device 2.
    let db = Connection::open(folder.path().join("registry.db")).expect("opens");
    let swap = "UPDATE device SET (key, seal) = (SELECT key, seal FROM device WHERE id = 1)";
    db.execute(swap, []).expect("writes");
    registry.find("00000001").expect("as before");
    let error = registry.find("00000002").expect_err("refused");
    assert!(matches!(error, Error::SealedKey { .. }), "{error}");
    db.execute("UPDATE device SET suite = 1", [])
        .expect("writes");
    registry.find("00000001").expect_err("refused");
}

#[test]
fn without_the_right_site_key_nothing_opens_and_nothing_is_lost() {
    let (folder, mut registry) = registry();
    registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    drop(registry);
    let (path, key) = (
        folder.path().join("registry.db"),
        site_key::file(folder.path()),
    );
    let right = std::fs::read(&key).expect("there");
    std::fs::remove_file(&key).expect("removes");
    let error = Registry::open(&path).expect_err("refused");
    assert!(matches!(error, Error::NoSiteKey { .. }), "{error}");
    assert!(!key.exists(), "no new key is made");
    let other = tempfile::tempdir().expect("a folder");
    site_key::SiteKey::read_or_create(other.path()).expect("makes");
    std::fs::copy(site_key::file(other.path()), &key).expect("copies");
    let error = Registry::open(&path).expect_err("refused");
    assert!(matches!(error, Error::WrongSiteKey { .. }), "{error}");
    std::fs::write(&key, right).expect("writes");
    let registry = Registry::open(&path).expect("opens");
    assert_eq!(
        registry.find("00000001").expect("found").key.expose(),
        &[1; 32]
    );
}

#[test]
fn names_are_unique_and_fit_to_print() {
    let (_folder, mut registry) = registry();
    for name in ["", " x", "a\nb", "3f9a01c2", &"x".repeat(65), "\u{1b}[31m"] {
        let error = registry
            .add(&device(1, Some(name)), Existing::Refuse)
            .expect_err("refused");
        assert!(matches!(error, Error::Invalid(_)), "{name:?}");
    }
    registry
        .add(&device(1, Some("x")), Existing::Refuse)
        .expect("adds");
    registry
        .add(&device(2, Some("y")), Existing::Refuse)
        .expect("adds");
    let error = registry
        .rename(DeviceId(2), Some("x"))
        .expect_err("refused");
    assert!(matches!(error, Error::NameTaken { .. }));
    registry.rename(DeviceId(1), None).expect("renames");
    registry.rename(DeviceId(2), Some("x")).expect("renames");
    assert_eq!(registry.find("x").expect("found").id, DeviceId(2));
    assert!(registry.find("y").is_err());
}

#[test]
fn join_counters_never_fall() {
    let (_folder, mut registry) = registry();
    let added = registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    let learn = |registry: &mut Registry, join_counter, seen| {
        let learnt = Learnt { join_counter, seen };
        registry
            .learn(&HashMap::from([(added.row, learnt)]))
            .expect("learns");
    };
    learn(&mut registry, Some(7), None);
    learn(&mut registry, Some(3), Some((9, "here".into())));
    learn(&mut registry, None, None);
    let found = registry.find("00000001").expect("found");
    assert_eq!(found.join_counter, 7);
    assert_eq!(
        (found.last_seen, found.address.as_deref()),
        (Some(9), Some("here"))
    );
}

#[test]
fn other_files_are_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("registry.db");
    std::fs::write(&path, "this is no database, and longer than a header").expect("writes");
    assert!(matches!(Registry::open(&path), Err(Error::Registry { .. })));
    std::fs::remove_file(&path).expect("removes");
    Connection::open(&path)
        .and_then(|other| other.execute_batch("CREATE TABLE t (x);"))
        .expect("makes");
    assert!(matches!(
        Registry::open(&path),
        Err(Error::NotARegistry { .. })
    ));
    std::fs::remove_file(&path).expect("removes");
    drop(Registry::open(&path).expect("opens"));
    Connection::open(&path)
        .and_then(|newer| newer.pragma_update(None, "user_version", VERSION + 1))
        .expect("writes");
    let error = Registry::open(&path).expect_err("refused");
    let newer = VERSION + 1;
    assert!(matches!(error, Error::RegistryVersion { found, .. } if found == newer));
}

/// A file as written by version 1.
const VERSION_1: &str = "
    CREATE TABLE device (
        row          INTEGER PRIMARY KEY AUTOINCREMENT,
        id           INTEGER NOT NULL UNIQUE,
        name         TEXT UNIQUE,
        suite        INTEGER NOT NULL,
        key          BLOB NOT NULL CHECK (length(key) = 32),
        join_counter INTEGER NOT NULL DEFAULT 0,
        created      INTEGER NOT NULL,
        revoked      INTEGER,
        last_seen    INTEGER,
        address      TEXT
    ) STRICT;
    INSERT INTO device VALUES (7, 1, 'garden', 1, x'a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7a7', 42, 5, NULL, 6, '192.0.2.1:7');
    PRAGMA application_id = 1399155823;
    PRAGMA user_version = 1;";

#[test]
fn a_registry_of_version_1_becomes_one_of_today() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("registry.db");
    Connection::open(&path)
        .and_then(|old| old.execute_batch(VERSION_1))
        .expect("makes");
    let key = [0xa7; 32];
    assert!(is_written(folder.path(), &key));
    for _ in 0..2 {
        let mut registry = Registry::open(&path).expect("opens");
        // Its keys were in the clear, and are sealed in place.
        assert!(!is_written(folder.path(), &key));
        let found = registry.find("garden").expect("found");
        assert_eq!(found.key.expose(), &key);
        assert_eq!((found.row, found.join_counter), (7, 42));
        assert_eq!(found.address.as_deref(), Some("192.0.2.1:7"));
        assert_eq!(found.codec, DEFAULT_CODEC);
        assert_eq!((found.origin, found.quantum_safe_since()), (None, None));
        registry.set_codec(found.id, "raw").expect("sets");
        assert_eq!(registry.find("garden").expect("found").codec, "raw");
        registry.set_codec(found.id, DEFAULT_CODEC).expect("sets");
    }
    let added = Registry::open(&path)
        .and_then(|mut registry| registry.add(&device(2, None), Existing::Refuse))
        .expect("adds");
    assert_eq!(added.row, 8);
}

#[test]
fn a_change_by_another_connection_is_seen() {
    let (folder, registry) = registry();
    let mut other = Registry::open(&folder.path().join("registry.db")).expect("opens");
    let before = registry.version().expect("reads");
    assert_eq!(registry.version().expect("reads"), before);
    other.add(&device(1, None), Existing::Refuse).expect("adds");
    assert_ne!(registry.version().expect("reads"), before);
}
