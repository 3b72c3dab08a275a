//! Clients in C on this machine: a node of the link against the gateway of `selo-link`, and the
//! command's reaction to lines that it cannot parse. tests/exchange/clients.sh tests the boards'
//! emulators and the TLS libraries.

use std::path::{Path, PathBuf};
use std::time::Duration;

use selo_engine::project::Project;
use selo_exchange::embedded::Embedded;
use selo_exchange::link::{self, Handshake};
use selo_exchange::tls::library::{self, Features};
use selo_link::Suite;

fn project() -> Project {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Project::load(&root.canonicalize().expect("the project")).expect("it is good")
}

/// All suites for `make test-all`, or a sample: each is a build of the whole library.
fn suites(sample: &[Suite]) -> impl Iterator<Item = Suite> {
    let all = std::env::var_os("SELO_TEST_ALL").is_some();
    let wanted = move |suite: &Suite| all || sample.contains(suite);
    Suite::ALL.into_iter().filter(wanted)
}

#[test]
fn a_node_of_each_suite_joins_and_sends_a_reading() {
    let project = project();
    for suite in suites(&[Suite::ChaChaPolyBlake2s, Suite::AesGcmSha256]) {
        let node =
            link::build(&project, Handshake::Join, suite, "native", |_| {}).expect("it is built");
        let done = link::exchange(&node, Handshake::Join, suite, Duration::from_secs(20))
            .expect("it joins");
        // docs/protocol.md: 58 bytes each way, and 29 for a reading of 16 bytes.
        assert_eq!((done.sent, done.received), (87, 58), "{}", suite.name());
        assert_eq!(done.times.instructions, None, "a clock is not counted");
        assert!(done.times.handshake > 0 && done.times.handshake_cpu > 0);
        assert_eq!(done.times.flash, None, "this machine's memory is no limit");
    }
}

#[test]
fn a_node_pairs_and_one_of_the_published_protocol_agrees_on_a_key() {
    let project = project();
    let run = |handshake, suite| {
        let node = link::build(&project, handshake, suite, "native", |_| {}).expect("it is built");
        link::exchange(&node, handshake, suite, Duration::from_secs(20)).expect("it goes well")
    };
    for suite in suites(&[Suite::Ascon]) {
        // docs/protocol.md: 38 + 53 and 37 + 21; then the join and the reading with the new key.
        let done = run(Handshake::Pair, suite);
        let pairing = (done.times.handshake_sent, done.times.handshake_received);
        assert_eq!(pairing, (91, 58), "{}", suite.name());
        assert_eq!((done.sent, done.received), (91 + 87, 58 + 58));
        let trips = (done.times.handshake_trips, done.times.exchange_trips);
        assert_eq!(trips, (2, 1), "{}", suite.name());
    }
    let done = run(Handshake::Classic, Suite::Ascon);
    let keys = (done.times.handshake_sent, done.times.handshake_received);
    assert_eq!((keys, done.sent, done.received), ((34, 33), 34 + 33, 33));
    assert_eq!(done.times.handshake_trips, 1);
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_node_of_another_suite_is_refused() {
    let project = project();
    let node = link::build(&project, Handshake::Join, Suite::Ascon, "native", |_| {})
        .expect("it is built");
    let failed = link::exchange(
        &node,
        Handshake::Join,
        Suite::ChaChaPolyBlake2s,
        Duration::from_secs(20),
    );
    let error = failed.expect_err("the gateway cannot open its request");
    assert_eq!(error.exit_code(), 1, "{error}");
}

#[test]
fn what_is_not_there_is_said() {
    let project = project();
    let nossl = library::build(&project, "nossl@esp8266", Features::default(), |_| {});
    let unknown = nossl.expect_err("no such client");
    let hint = unknown.hint().unwrap_or_default();
    assert!(
        hint.contains("wolfssl") && unknown.exit_code() == 2,
        "{unknown}"
    );
    let nowhere = link::build(&project, Handshake::Join, Suite::Ascon, "pdp11", |_| {})
        .expect_err("no such board");
    assert_eq!(nowhere.exit_code(), 2, "{nowhere}");
    // The Uno has no start-up code for programs of this kind.
    assert!(Embedded::build(&project, "link", Some("uno"), &[], |_| {}).is_err());
}

#[test]
fn a_board_on_which_no_client_runs_is_named_and_those_on_which_one_does() {
    let project = project();
    for board in ["uno", "esp32"] {
        let built = link::build(&project, Handshake::Join, Suite::Ascon, board, |_| {});
        let error = built.expect_err("there is no start-up for it");
        assert_eq!(error.exit_code(), 2, "{error}");
        assert!(error.to_string().contains(board), "{error}");
        if board == "uno" {
            assert!(error.hint().is_some_and(|hint| hint.contains("esp8266")));
        }
    }
}
