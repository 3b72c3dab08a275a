//! Several gateways with one registry in PostgreSQL.

mod air;
pub mod engines;
mod pairing;
mod publishing;

use std::time::{Duration, Instant};

use crate::gateway_support::{Gateway, Lines, PATIENCE, Site};
use crate::postgres::Cluster;
use air::Node;
use selo_sys::node::Suite;

/// State directories of one site, whose registry is in PostgreSQL.
struct Shared {
    sites: Vec<Site>,
    cluster: Cluster,
}

impl Shared {
    /// `None` if PostgreSQL is not installed; CI requires it.
    fn start(gateways: usize) -> Option<Shared> {
        let cluster = Cluster::start()?;
        let url = cluster.url();
        let mut sites: Vec<Site> = (0..gateways).map(|_| Site::new()).collect();
        for site in &mut sites {
            site.environment(&[("SELO_REGISTRY", &url)]);
        }
        // The first command creates the registry and the site key.
        assert_eq!(sites[0].ok(&["device", "list", "--json"]), "");
        let key = std::fs::read(sites[0].state().join("site-key")).expect("a site key");
        for site in &sites[1..] {
            give_key(site, &key);
        }
        Some(Shared { sites, cluster })
    }

    fn device(&self, name: &str) -> Node {
        Node::new(self.sites[0].device(Suite::ChaChaPolyBlake2s, name))
    }

    fn gateways(&self) -> Vec<Gateway> {
        self.sites.iter().map(|site| site.gateway(&[])).collect()
    }
}

/// Copies the site key into the state directory of another gateway.
pub fn give_key(site: &Site, key: &[u8]) {
    use std::os::unix::fs::PermissionsExt;
    let state = site.state();
    std::fs::create_dir(&state).expect("a folder");
    let private = |path: &std::path::Path, mode| {
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, mode).expect("sets");
    };
    private(&state, 0o700);
    let path = state.join("site-key");
    std::fs::write(&path, key).expect("writes");
    private(&path, 0o600);
}

/// Readings that the gateways have printed so far, as (session, counter).
fn printed(lines: &Lines) -> Vec<(String, u64)> {
    let all = lines.all();
    let whole = all.rfind('\n').map_or("", |end| &all[..end]);
    let parse = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let session = line["session"].as_str().expect("a session").to_owned();
        (session, line["counter"].as_u64().expect("a counter"))
    };
    whole.lines().map(parse).collect()
}

#[test]
fn of_two_gateways_that_hear_a_node_one_answers_each_join() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let mut node = shared.device("garden");
    let gateways = shared.gateways();
    let addresses: Vec<_> = gateways.iter().map(|it| it.address).collect();
    let mut winners = Vec::new();
    for round in 0..12 {
        let answers = node.join(&addresses, 2);
        assert_eq!(answers.len(), 1, "round {round}: {answers:?}");
        let winner = *answers.values().next().expect("one");
        let by = node.send(&addresses, b"reading");
        assert_eq!(by, [winner], "round {round}");
        winners.push(winner);
    }
    assert!(node.check_counters() >= 12);
    let since = Instant::now();
    let mut all = Vec::new();
    while all.len() < 12 && since.elapsed() < PATIENCE {
        all = gateways
            .iter()
            .flat_map(|it| printed(&it.readings))
            .collect();
        std::thread::sleep(Duration::from_millis(20));
    }
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!((count, all.len()), (12, 12), "each reading once: {all:?}");
    // The registry names the gateway that has answered, and its counter.
    let listed = shared.sites[1].ok(&["device", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["join_counter"], 12);
    // The loser said why it did not answer.
    let logs: String = gateways.into_iter().map(|it| it.stop().2).collect();
    assert!(logs.contains("Late"), "both were asked: {winners:?}");
}

#[test]
fn what_one_gateway_learns_of_devices_the_other_knows_within_seconds() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let second = [gateways[1].address];
    let mut node = shared.device("late comer");
    let since = Instant::now();
    node.join_patiently(&second);
    assert!(
        since.elapsed() < Duration::from_secs(20),
        "it took too long"
    );
    assert_eq!(node.send(&second, b"hello"), second);
    shared.sites[0].ok(&["device", "revoke", "late comer"]);
    gateways[1].log.wait("a session has ended");
    assert!(node.send(&second, b"hello").is_empty());
    assert!(node.join(&second, 1).is_empty());
}

#[test]
fn while_the_registry_is_away_joins_are_refused_and_sessions_go_on() {
    let Some(shared) = Shared::start(1) else {
        return;
    };
    let (mut live, mut late) = (shared.device("live"), shared.device("late"));
    let gateways = shared.gateways();
    let addresses = [gateways[0].address];
    live.join_patiently(&addresses);
    shared.cluster.kill();
    gateways[0]
        .log
        .wait("joins are refused until the registry can grant them");
    assert!(
        late.join(&addresses, 2).is_empty(),
        "answered without a grant"
    );
    assert_eq!(live.send(&addresses, b"still here"), addresses);
    let answer = shared.sites[0].selo(&["device", "list"]);
    assert_eq!(answer.code, Some(4), "{answer:?}");
    assert!(answer.stderr.contains("does not answer"), "{answer:?}");
    assert!(
        answer.stderr.contains("is PostgreSQL running"),
        "{answer:?}"
    );
    shared.cluster.up();
    gateways[0].log.wait("the registry answers again");
    late.join_patiently(&addresses);
    assert_eq!(live.send(&addresses, b"and now"), addresses);
    let gateway = gateways.into_iter().next().expect("one");
    let (code, lines, _) = gateway.stop();
    assert_eq!((code, lines.len()), (Some(0), 2));
}

#[test]
fn the_site_key_may_be_a_credential_of_systemd() {
    let mut site = Site::new();
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("selo-site-key");
    std::fs::write(&key, "ab".repeat(32)).expect("writes");
    let credentials = folder.path().to_str().expect("text");
    site.environment(&[("CREDENTIALS_DIRECTORY", credentials)]);
    site.device(Suite::Ascon, "garden");
    assert!(!site.state().join("site-key").exists());
    let answer = site.selo(&["backup", "copy"]);
    assert!(
        answer.stderr.contains("The site key is not in"),
        "{answer:?}"
    );
    site.environment(&[]);
    let answer = site.selo(&["device", "list"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("site-key is missing"), "{answer:?}");
}

#[test]
fn a_gateway_of_another_site_and_a_wrong_address_are_named() {
    let Some(shared) = Shared::start(1) else {
        return;
    };
    shared.device("garden");
    let mut other = Site::new();
    let url = shared.cluster.url();
    other.environment(&[("SELO_REGISTRY", &url)]);
    let start = ["gateway", "--listen", "127.0.0.1:0"];
    let answer = other.selo(&start);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("site-key is missing"), "{answer:?}");
    assert!(!other.state().join("site-key").exists(), "no key is made");
    std::fs::write(other.state().join("site-key"), "0".repeat(64)).expect("writes");
    let answer = other.selo(&start);
    assert_eq!(answer.code, Some(4), "{answer:?}");
    assert!(
        answer.stderr.contains("other users can read it"),
        "{answer:?}"
    );
    let mut third = Site::new();
    third.environment(&[("SELO_REGISTRY", &url)]);
    give_key(&third, "0".repeat(64).as_bytes());
    let answer = third.selo(&start);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer.stderr.contains("sealed under the site key"),
        "{answer:?}"
    );
    third.environment(&[("SELO_REGISTRY", "mysql://db/selo")]);
    let answer = third.selo(&start);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    third.environment(&[("SELO_REGISTRY", "postgresql://u:secret@127.0.0.1:1/selo")]);
    let answer = third.selo(&start);
    assert_eq!(answer.code, Some(4), "{answer:?}");
    assert!(!answer.stderr.contains("secret"), "{answer:?}");
    assert_eq!(
        shared.sites[0]
            .ok(&["device", "list", "--json"])
            .lines()
            .count(),
        1
    );
}
