//! Users, tokens and logins in a database that collectors share.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use selo_collector::auth::{Auth, Proof, Role, Users};
use selo_collector::clock::Clock;
use selo_collector::schema;
use sha2::{Digest, Sha256};

use crate::common::{NOON, place, postgres::Cluster};

const PASSWORD: &str = "correct horse battery";

fn sha256(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

/// A site of one collector becomes one of several: its database has the tables of the version before,
/// a token and a login, and its users are in a file.
#[test]
fn an_older_database_and_a_file_of_users_are_taken_over_in_place() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let place = place(&cluster);
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().join("state");
    let users = Users::open(&state).expect("opens");
    users.set("ana", Role::Viewer, PASSWORD).expect("set");
    let text = std::fs::read_to_string(state.join("users")).expect("text");
    let hash = text.trim().rsplit(':').next().expect("a hash");

    let shared = || Users::shared(&state, place.clone()).expect("opens");
    let error = shared().list().expect_err("there are no tables");
    assert!(error.to_string().contains("start a collector"), "{error}");
    let mut db = place.open_shared(None).expect("opens");
    schema::migrate_to(&mut *db, 9).expect("the version before");
    let token = [sha256("a token").into()];
    let put = "INSERT INTO token(name, role, hash, created) VALUES ('probe', 'viewer', ?1, 0)";
    db.execute(put, &token).expect("a token");
    let login = [
        sha256("a cookie").into(),
        sha256(hash).into(),
        (NOON + 1).into(),
    ];
    let put = "INSERT INTO login(id, person, stamp, expires) VALUES (?1, 'ana', ?2, ?3)";
    db.execute(put, &login).expect("a login");
    let error = shared().first().expect_err("the tables are older");
    assert!(error.to_string().contains("start a collector"), "{error}");
    assert!(state.join("users").exists());

    assert!(!schema::migrate(&mut *db).expect("migrated"));
    assert_eq!(shared().first().expect("taken over"), None);
    let clock = Clock::Manual(Arc::new(AtomicI64::new(NOON)));
    let auth = Auth::shared(shared(), place.clone(), clock).expect("starts");
    let known = |proof: Proof| auth.still(&proof, NOON).map(|caller| caller.name);
    assert_eq!(known(Proof::of_session("a cookie")), Some("ana".into()));
    assert_eq!(known(Proof::of_token("a token")), Some("probe".into()));
    assert_eq!(known(Proof::of_token("another")), None);

    // A collector that comes later makes no admin, and changes nobody.
    let other = Users::shared(&folder.path().join("other"), place.clone()).expect("opens");
    assert_eq!(other.first().expect("works"), None);
    assert_eq!(other.list().expect("read"), [("ana".into(), Role::Viewer)]);
    // Tables of a later version are left alone.
    cluster.psql("UPDATE meta SET value = value + 1 WHERE name = 'schema'");
    let error = shared().remove("ana").expect_err("too new");
    assert!(error.to_string().contains("version"), "{error}");
}
