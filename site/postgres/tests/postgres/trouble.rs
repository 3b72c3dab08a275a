//! Servers that are away, read-only or of another site, and clients that were paused.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use selo_gateway::Error;
use selo_gateway::registry::{Existing, JoinClaim, Place, Verdict};
use selo_gateway::shards::Ask;
use selo_gateway::site_key;
use selo_postgres::client::Query;
use selo_postgres::connection::Connection;

use crate::cluster::Cluster;
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
fn a_damaged_row_stops_neither_the_start_nor_the_changes_of_other_devices() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let mut shared = pair.shared(0);
    let devices = [device(1, None), device(2, None), device(3, None)];
    registry.add_all(&devices, Existing::Refuse).expect("adds");
    pair.cluster.psql(
        "UPDATE selo_registry.device SET seal = '\\x00' WHERE id = 2;
         INSERT INTO selo_registry.removed VALUES (-7, 100), (1::bigint << 32, 100);
         UPDATE selo_registry.site SET changes = 100",
    );
    let changes = shared.changes(0).expect("goes on");
    let ids: Vec<u32> = changes.changed.iter().map(|it| it.id.0).collect();
    assert_eq!(ids, [1, 3]);
    assert_eq!(
        changes.removed,
        [device(2, None).id],
        "ids out of range are no devices"
    );
    assert_eq!(changes.damaged.len(), 1);
    assert!(changes.damaged[0].to_string().contains("00000002"));
    let mut whole = Vec::new();
    registry
        .for_each_whole(|record| whole.push(record.id.0))
        .expect("goes on");
    assert_eq!(whole, [1, 3]);
    assert!(
        registry
            .get_whole(device(2, None).id)
            .expect("goes on")
            .is_none()
    );
    // A backup must not lack a device without saying so.
    let error = registry.all().expect_err("refused");
    assert!(matches!(error, Error::SealedKey { .. }), "{error}");
}

#[test]
fn rows_that_selo_has_not_written_are_errors_and_no_panics() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let mut shared = pair.shared(0);
    registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds");
    pair.cluster.psql(
        "UPDATE selo_registry.device SET join_counter = -1, created = -9, suite = 70000,
             last_seen = -5, origin = 'x';
         UPDATE selo_registry.shard SET id = -5 WHERE id = 3;
         UPDATE selo_registry.shard SET id = 65536 + 4 WHERE id = 4;
         UPDATE selo_registry.shard SET epoch = 9223372036854775807 WHERE id = 5;
         INSERT INTO selo_registry.pairing_window VALUES ('\\x00', '', 'infinity', '')",
    );
    assert!(registry.find("00000001").is_err());
    assert!(shared.windows().expect("answers").is_empty());
    let ask = Ask {
        lease: Duration::from_secs(60),
        held: &[],
        former: None,
        settled: true,
    };
    // An epoch cannot grow beyond its range.
    let error = shared.hold(&ask).expect_err("refused");
    assert!(matches!(error, Error::RegistryRefused { .. }), "{error}");
    pair.cluster
        .psql("UPDATE selo_registry.shard SET epoch = 1");
    let lease = shared.hold(&ask).expect("answers");
    let shards: Vec<_> = lease.fences.iter().map(|fence| fence.shard).collect();
    assert!(!shards.contains(&3) && !shards.contains(&4), "{shards:?}");
}

/// A server that accepts connections and answers nothing, or stops after this many bytes of
/// PostgreSQL's answers.
fn stopping(cluster: &Cluster, bytes: usize) -> (String, std::sync::Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let left = std::sync::Arc::new(AtomicUsize::new(bytes));
    let (socket, allowed) = (cluster.unix_socket(), left.clone());
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = UnixStream::connect(&socket).expect("runs");
            let mut to_server = server.try_clone().expect("clones");
            let mut from_client = client.try_clone().expect("clones");
            std::thread::spawn(move || std::io::copy(&mut from_client, &mut to_server));
            let allowed = allowed.clone();
            std::thread::spawn(move || pass_on(server, client, &allowed));
        }
    });
    let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
    (url, left)
}

fn pass_on(mut from: UnixStream, mut to: TcpStream, left: &AtomicUsize) {
    let mut byte = [0];
    while from.read_exact(&mut byte).is_ok() {
        while left.load(Ordering::Relaxed) == 0 {
            std::thread::sleep(Duration::from_millis(50));
        }
        left.fetch_sub(1, Ordering::Relaxed);
        if to.write_all(&byte).is_err() {
            return;
        }
    }
}

#[test]
fn a_server_that_says_nothing_or_stops_within_an_answer_is_away_after_seconds() {
    let Some(pair) = Pair::start() else { return };
    let row = pair
        .registry(0)
        .add(&device(1, None), Existing::Refuse)
        .expect("adds")
        .row;
    let (url, left) = stopping(&pair.cluster, 0);
    let place = place(&url, pair.states[0].path(), 0);
    let limit = Duration::from_secs(12);
    let away = |what: &str, since: Instant, error: Error| {
        assert!(
            matches!(error, Error::RegistryAway { .. }),
            "{what}: {error}"
        );
        assert!(
            error.to_string().contains("not answered"),
            "{what}: {error}"
        );
        assert!(since.elapsed() < limit, "{what}: {:?}", since.elapsed());
    };
    let since = Instant::now();
    away("a start", since, place.open().expect_err("silent"));
    // Enough to connect, and then not enough for the answer to a claim.
    left.store(1 << 30, Ordering::Relaxed);
    let mut shared = place.share().expect("connects").expect("shared");
    let claims = [JoinClaim {
        row,
        counter: 1,
        fence: None,
    }];
    left.store(40, Ordering::Relaxed);
    let since = Instant::now();
    away("a claim", since, shared.claim(&claims).expect_err("stops"));
    left.store(1 << 30, Ordering::Relaxed);
    let verdicts = shared.claim(&claims).expect("a new connection");
    assert_eq!(verdicts, [Verdict::Granted], "nothing was granted before");
}

#[test]
fn a_read_only_server_grants_nothing_and_is_named() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let row = registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds")
        .row;
    let mut shared = pair.shared(0);
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
fn a_commit_is_on_disk_whatever_the_server_s_default_is() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    for (default, expected) in [
        ("off", "on"),
        ("local", "on"),
        ("remote_write", "on"),
        ("on", "on"),
        ("remote_apply", "remote_apply"),
    ] {
        cluster.psql(&format!(
            "ALTER DATABASE postgres SET synchronous_commit = {default}"
        ));
        let mut db = Connection::new(&cluster.url()).expect("url");
        let found = db.run(|client| {
            let row = client.query_one("SHOW synchronous_commit", &[])?;
            Ok(row.try_get::<_, String>(0)?)
        });
        assert_eq!(found.expect("answers"), expected, "{default}");
    }
}

#[test]
fn a_server_that_is_away_is_named_and_comes_back() {
    let Some(pair) = Pair::start() else { return };
    let mut registry = pair.registry(0);
    let row = registry
        .add(&device(1, None), Existing::Refuse)
        .expect("adds")
        .row;
    let mut shared = pair.shared(0);
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
    let mut shared = pair.shared(0);
    let mut paused = Connection::new(&pair.cluster.url()).expect("url");
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

/// Of several servers the first says nothing, to a new connection or to a statement. The next one is
/// taken then.
#[test]
fn a_server_that_says_nothing_is_left_for_the_next_one() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let (hung, left) = stopping(&cluster, 0);
    let (well, _) = stopping(&cluster, 1 << 30);
    let host = |url: &str| url.split(['@', '/']).nth(3).expect("a host").to_owned();
    let url = format!(
        "postgresql://postgres@{},{}/postgres?sslmode=disable&connect_timeout=1",
        host(&hung),
        host(&well)
    );
    let asked = |connection: &mut Connection| {
        connection.run(|client| client.query_one("SELECT 1", &[]).map(drop))
    };
    let away = |asked: Result<(), Error>| {
        let error = asked.expect_err("silent");
        assert!(error.to_string().contains("not answered"), "{error}");
    };
    let mut connection = Connection::new(&url).expect("valid");
    away(asked(&mut connection));
    asked(&mut connection).expect("the next one answers");

    left.store(1 << 30, Ordering::Relaxed);
    let mut connection = Connection::new(&url).expect("valid");
    asked(&mut connection).expect("the first one answers now");
    left.store(0, Ordering::Relaxed);
    away(asked(&mut connection));
    asked(&mut connection).expect("the next one answers");
}
