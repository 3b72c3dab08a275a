//! Servers that are away, read-only or of another site, and clients that were paused.

use std::time::{Duration, Instant};

use selo_gateway::Error;
use selo_gateway::registry::{Existing, JoinClaim, Place, Verdict};
use selo_gateway::site_key;

use crate::{Pair, device, place};

#[test]
fn a_registry_of_another_site_key_is_refused_and_stays() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    let other = tempfile::tempdir().expect("a folder");
    let stranger = place(&pair.cluster.url(), other.path(), 2);
    let error = stranger.open().expect_err("it has no key");
    assert!(matches!(error, Error::NoSiteKey { .. }), "{error}");
    assert!(!site_key::file(other.path()).exists(), "no new key is made");
    site_key::SiteKey::read_or_create(other.path()).expect("makes");
    let error = stranger.open().expect_err("it has another key");
    assert!(matches!(error, Error::WrongSiteKey { .. }), "{error}");
    assert!(
        error.hint().is_some_and(|hint| hint.contains("site-key")),
        "{error}"
    );
    let error = stranger.share().expect_err("it has another key");
    assert!(matches!(error, Error::WrongSiteKey { .. }), "{error}");
    assert_eq!(
        registry.find("00000001").expect("found").key.expose(),
        &[1; 32]
    );
}

#[test]
fn a_key_that_was_given_to_another_device_does_not_open() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let devices = [device(1, None), device(2, None)];
    registry.add_all(&devices, Existing::Refuse).expect("adds");
    pair.cluster.psql(
        "UPDATE selo_registry.device SET (key, seal) =
         (SELECT key, seal FROM selo_registry.device WHERE id = 1)",
    );
    registry.find("00000001").expect("as before");
    let error = registry.find("00000002").expect_err("refused");
    assert!(matches!(error, Error::SealedKey { .. }), "{error}");
}

#[test]
fn a_read_only_server_grants_nothing_and_is_named() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let row = registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds")
        .row;
    let mut shared = pair.place(0).share().expect("connects").expect("shared");
    pair.cluster
        .psql("ALTER DATABASE postgres SET default_transaction_read_only = on");
    // The setting holds for new connections.
    pair.cluster.kill();
    pair.cluster.up();
    std::thread::sleep(Duration::from_millis(1100));
    let claims = [JoinClaim {
        row,
        counter: 1,
        fence: None,
    }];
    let error = shared.claim(&claims).expect_err("refused");
    assert!(matches!(error, Error::RegistryReadOnly { .. }), "{error}");
    let error = pair.place(1).share().expect_err("refused at the start");
    assert!(matches!(error, Error::RegistryReadOnly { .. }), "{error}");
    let error = registry.revoke(device(1, None).id).expect_err("refused");
    assert!(matches!(error, Error::RegistryReadOnly { .. }), "{error}");
    assert_eq!(registry.find("00000001").expect("reads").join_counter, 0);
    pair.cluster.psql(
        "BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT",
    );
    let verdicts = shared
        .claim(&claims)
        .expect("a new connection after the error");
    assert_eq!(verdicts, [Verdict::Granted]);
}

#[test]
fn a_server_that_is_away_is_named_and_comes_back() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let row = registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds")
        .row;
    let mut shared = pair.place(0).share().expect("connects").expect("shared");
    let claims = [JoinClaim {
        row,
        counter: 1,
        fence: None,
    }];
    pair.cluster.kill();
    let error = shared.claim(&claims).expect_err("away");
    assert!(matches!(error, Error::RegistryAway { .. }), "{error}");
    let error = registry.all().expect_err("away");
    assert!(matches!(error, Error::RegistryAway { .. }), "{error}");
    let error = pair.place(1).open().expect_err("away");
    assert!(matches!(error, Error::RegistryAway { .. }), "{error}");
    assert!(!error.to_string().contains("password"), "{error}");
    pair.cluster.up();
    assert_eq!(registry.find("00000001").expect("is back").join_counter, 0);
    assert_eq!(shared.claim(&claims).expect("is back"), [Verdict::Granted]);
}

#[test]
fn a_client_that_stops_within_a_transaction_holds_others_up_for_seconds_only() {
    let Some(pair) = Pair::start() else { return };
    let row = pair
        .registry(0)
        .add(&device(1, None), Existing::Refuse)
        .expect("adds")
        .row;
    let mut shared = pair.place(0).share().expect("connects").expect("shared");
    let mut paused = selo_postgres::connection::Connection::new(&pair.cluster.url()).expect("url");
    paused
        .run(|client| {
            client.batch_execute("BEGIN; SELECT * FROM selo_registry.device FOR UPDATE")?;
            Ok(())
        })
        .expect("locks the row");
    let since = Instant::now();
    let claims = [JoinClaim {
        row,
        counter: 1,
        fence: None,
    }];
    while shared.claim(&claims).ok() != Some(vec![Verdict::Granted]) {
        assert!(
            since.elapsed() < Duration::from_secs(60),
            "it is held up for ever"
        );
    }
    drop(paused);
}
