//! `selo status`: what it says of parts that work, that are gone, and that cannot be asked.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::gateway_support::{Answer, PATIENCE, Site};
use crate::postgres::Cluster;
use crate::stream::server::Nats;

/// The lines of `selo status --json`.
fn parts(answer: &Answer) -> Vec<Value> {
    let lines = answer.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The parts of a kind.
pub fn of<'a>(parts: &'a [Value], kind: &str) -> Vec<&'a Value> {
    parts.iter().filter(|part| part["part"] == kind).collect()
}

/// Asks until the answer is as wanted: leases end, and standbys catch up, with time.
pub fn wait_for(site: &Site, words: &[&str], wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let since = Instant::now();
    let words = [&["status", "--json"], words].concat();
    loop {
        let answer = site.selo(&words);
        let found = parts(&answer);
        if wanted(&found) {
            let faults = found.iter().any(|part| part["state"] == "fault");
            assert_eq!(answer.code, Some(i32::from(faults)), "{answer:?}");
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "{answer:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn a_gateway_is_shown_and_missed_and_nothing_is_made() {
    let site = Site::new();
    let answer = site.selo(&["status"]);
    assert_eq!(answer.code, Some(3), "{answer:?}");
    assert!(answer.stderr.contains("nothing to look at"), "{answer:?}");
    assert!(!site.state().exists(), "it made a state directory");

    // The state directory of a collector is not that of a gateway which is gone.
    std::fs::create_dir_all(site.state().join("collector")).expect("a folder");
    assert_eq!(site.selo(&["status"]).code, Some(3));
    std::fs::remove_dir_all(site.state()).expect("removes");

    let gateway = site.gateway(&[]);
    site.ok(&["head", "add", "mast", "--to", "127.0.0.1:1"]);
    let found = wait_for(&site, &[], |found| {
        of(found, "gateway")[0]["figures"]["undelivered_bytes"] == 0
    });
    let [shown] = of(&found, "gateway")[..] else {
        panic!("{found:?}");
    };
    assert_eq!(shown["state"], "ok", "{shown}");
    let head = of(&found, "head")[0];
    assert_eq!(head["state"], "warning", "{head}");
    let problem = head["problem"].as_str().expect("a problem");
    assert!(problem.contains("--heads"), "{problem}");
    let table = site.selo(&["status"]);
    assert_eq!(table.code, Some(0), "{table:?}");
    assert!(table.stdout.contains("warning: head mast: "), "{table:?}");

    gateway.kill();
    let answer = site.selo(&["status"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.stdout.contains("does not run"), "{answer:?}");
}

#[test]
fn what_does_not_answer_is_a_fault_that_says_why() {
    let site = Site::new();
    // Nothing listens there, and passwords are not repeated.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = silent.local_addr().expect("an address").port();
    drop(silent);
    let database = format!("postgres://selo:word@127.0.0.1:{port}/readings");
    let stream = format!("nats://127.0.0.1:{port}");
    let words = ["status", "--database", &database, "--stream", &stream];
    let answer = site.selo(&words);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    for line in [
        "fault: readings postgres://selo@127.0.0.1",
        "fault: stream site: ",
    ] {
        assert!(answer.stdout.contains(line), "no '{line}' in {answer:?}");
    }
    assert!(!format!("{answer:?}").contains("selo:word"), "{answer:?}");

    let file = site.file(
        "not-a-database",
        b"This is no database, but a text of some length.",
    );
    let path = file.to_str().expect("text");
    let answer = site.selo(&["status", "--database", path]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.stdout.contains("fault: readings "), "{answer:?}");
}

/// Takes the place of a gateway's control socket, and passes on what it says as if it were of another
/// version.
fn disguise(site: &Site, as_version: &'static str) {
    let (place, own) = (site.state().join("control"), site.state().join("own"));
    std::fs::rename(&place, &own).expect("renames");
    let listener = UnixListener::bind(&place).expect("binds");
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let mut gateway = UnixStream::connect(&own).expect("connects");
            let mut to_client = client.try_clone().expect("a socket");
            let mut answers = BufReader::new(gateway.try_clone().expect("a socket")).lines();
            for request in BufReader::new(client).lines().map_while(Result::ok) {
                writeln!(gateway, "{request}").expect("passes on");
                let Some(Ok(answer)) = answers.next() else {
                    break;
                };
                let answer = answer.replace(env!("CARGO_PKG_VERSION"), as_version);
                writeln!(to_client, "{answer}").expect("passes on");
            }
        }
    });
}

#[test]
fn a_gateway_of_another_version_is_a_warning() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    wait_for(&site, &[], |found| of(found, "gateway")[0]["state"] == "ok");
    disguise(&site, "9.8.7");
    let found = wait_for(&site, &[], |found| {
        of(found, "gateway")[0]["figures"]["version"] == "9.8.7"
    });
    let shown = of(&found, "gateway")[0];
    assert_eq!(shown["state"], "warning", "{shown}");
    let problem = shown["problem"].as_str().expect("one");
    let own = format!("this command is of version {}", env!("CARGO_PKG_VERSION"));
    assert!(problem.contains(&own), "{problem}");
    gateway.kill();
}

#[test]
fn a_standby_that_is_behind_is_a_warning() {
    let Some(cluster) = Cluster::start() else {
        return;
    };
    let standby = cluster.standby();
    let site = Site::new();
    let url = cluster.url();
    let words = ["--registry", &url];
    standby.psql("SELECT pg_wal_replay_pause()");
    // Random text is not compressed: more than 16 MB.
    cluster.psql(
        "CREATE TABLE filler AS SELECT md5(n::text) AS a, md5((-n)::text) AS b
         FROM generate_series(1, 250000) n",
    );
    let found = wait_for(&site, &words, |found| {
        let found = of(found, "standby");
        found.iter().any(|standby| standby["state"] == "warning")
    });
    let shown = of(&found, "standby")[0];
    let problem = shown["problem"].as_str().expect("one");
    assert!(problem.contains("MB of the log behind"), "{problem}");
    standby.psql("SELECT pg_wal_replay_resume()");
    wait_for(&site, &words, |found| {
        of(found, "standby")[0]["state"] == "ok"
    });
}

#[test]
fn a_replica_that_is_gone_is_a_warning() {
    let Some(mut servers) = Nats::several(3) else {
        return;
    };
    let site = Site::new();
    let urls: Vec<String> = servers.iter().map(Nats::url).collect();
    let urls = urls.join(",");
    let words = ["--stream", &urls, "--site", "farm"];
    wait_for(&site, &words, |found| {
        let found = of(found, "replica");
        found.len() == 2 && found.iter().all(|it| it["state"] == "ok")
    });
    servers[2].kill();
    let found = wait_for(&site, &words, |found| {
        let gone = |it: &&Value| {
            it["problem"]
                .as_str()
                .is_some_and(|it| it.contains("not there"))
        };
        of(found, "replica").into_iter().any(|it| gone(&it))
    });
    let faults: Vec<_> = found.iter().filter(|it| it["state"] == "fault").collect();
    assert!(faults.is_empty(), "{faults:?}");
}
