//! A node that another gateway hears than the one where the operator is.

use std::time::Duration;

use selo_sys::node::{Event, Suite};

use super::Shared;
use crate::gateway_support::{CNode, Gateway, Running, pair_after_a_typing_error};

const OPENS: &str = "opens the pairing window of an operator at another gateway";

/// A window that an operator has opened at the first gateway, and these others too.
fn opened(shared: &Shared, others: &[Gateway]) -> Running {
    let pair = Running::start(&shared.sites[0], &["device", "pair"]);
    pair.err.wait("Start pairing on the node");
    for gateway in others {
        gateway.log.wait(OPENS);
    }
    pair
}

/// A node at this gateway whose digits the operator is asked for.
fn compared(pair: &Running, gateway: &Gateway) -> (CNode, u32) {
    let mut node = CNode::new(Suite::Ascon, gateway.address, 1);
    node.node.pair().expect("starts");
    let digits = node.digits();
    pair.err.wait("shows its digits");
    (node, digits)
}

#[test]
fn an_operator_pairs_a_node_that_another_gateway_hears() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let operator = ["device", "pair", "--name", "garden"];
    let mut pair = Running::start(&shared.sites[0], &operator);
    pair.err.wait("Start pairing on the node");
    gateways[1].log.wait(OPENS);
    let mut node = CNode::new(Suite::AesGcmSha3_256, gateways[1].address, 1);
    node.node.pair().expect("starts");
    pair_after_a_typing_error(&mut pair, &mut node);
    let (code, out, err) = pair.wait();
    let id = format!("{:08x}", node.node.id());
    assert_eq!((code, out.trim()), (Some(0), id.as_str()), "{err}");
    node.join();
    node.deliver(b"hello");
    assert_eq!(gateways[1].readings.next_json()["name"], "garden");
    // Neither digits nor anything else of the pairing stays.
    let since = std::time::Instant::now();
    let left = "SELECT count(*) FROM selo_registry.pairing_window";
    while shared.cluster.psql(left) != "0" {
        assert!(since.elapsed() < Duration::from_secs(20), "the row stays");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(
        shared
            .cluster
            .psql("SELECT count(*) FROM selo_registry.pairing_word"),
        "0"
    );
}

#[test]
fn who_can_write_to_the_database_can_neither_open_a_window_nor_enter_digits() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let insert = "INSERT INTO selo_registry.pairing_window (id, gateway, until, body)";
    shared.cluster.psql(&format!(
        "{insert} VALUES ('\\x{}', 'x', now() + interval '5 min', '\\x{}')",
        "01".repeat(16),
        "02".repeat(90)
    ));
    std::thread::sleep(Duration::from_secs(3));
    assert!(!gateways[1].log.all().contains(OPENS), "a forged window");
    // The row of a true window under another id.
    let pair = opened(&shared, &gateways[1..]);
    let copy = format!(
        "{insert} SELECT '\\x{}', 'y', now() + interval '5 min', body
         FROM selo_registry.pairing_window WHERE gateway <> 'x'",
        "03".repeat(16)
    );
    shared.cluster.psql(&copy);
    let (_node, _) = compared(&pair, &gateways[1]);
    // A word that no gateway has sealed, and a true one again.
    for body in [
        "'\\x0102'",
        "(SELECT body FROM selo_registry.pairing_word LIMIT 1)",
    ] {
        shared.cluster.psql(&format!(
            "INSERT INTO selo_registry.pairing_word (window_id, body)
             SELECT id, {body} FROM selo_registry.pairing_window WHERE gateway NOT IN ('x', 'y')"
        ));
    }
    pair.interrupt();
    let (code, ..) = pair.wait();
    assert_ne!(code, Some(0));
    gateways[1].log.wait("pairing window closed");
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(
        gateways[1].log.all().matches(OPENS).count(),
        1,
        "a copied window"
    );
    assert_eq!(shared.sites[0].ok(&["device", "list", "--json"]), "");
}

/// Whoever can write to the database keeps the row of a window, and writes it again after the
/// operator has closed the window.
#[test]
fn a_window_that_was_closed_does_not_open_again_when_its_row_comes_back() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let pair = opened(&shared, &gateways[1..]);
    shared
        .cluster
        .psql("CREATE TABLE kept AS SELECT * FROM selo_registry.pairing_window");
    pair.interrupt();
    pair.wait();
    gateways[1].log.wait("pairing window closed");
    // The gateway sees that the row is gone.
    std::thread::sleep(Duration::from_secs(3));
    shared
        .cluster
        .psql("INSERT INTO selo_registry.pairing_window SELECT * FROM kept");
    std::thread::sleep(Duration::from_secs(3));
    let opened = gateways[1].log.all().matches(OPENS).count();
    assert_eq!(opened, 1, "the window was replayed");
}

/// The words of a window are written again, too: the digits are entered once.
#[test]
fn digits_that_are_replayed_are_entered_once() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let mut pair = opened(&shared, &gateways[1..]);
    let (_node, digits) = compared(&pair, &gateways[1]);
    let wrong = (digits + 1) % 1_000_000;
    pair.type_line(&format!("{wrong:06}"));
    pair.err.wait("Entries left: 2");
    for _ in 0..3 {
        shared.cluster.psql(
            "INSERT INTO selo_registry.pairing_word (window_id, body)
             SELECT window_id, body FROM selo_registry.pairing_word",
        );
        std::thread::sleep(Duration::from_secs(1));
    }
    pair.type_line(&format!("{:06}", (wrong + 1) % 1_000_000));
    pair.err.wait("Entries left: 1");
    pair.interrupt();
    pair.wait();
}

/// Two nodes show digits, at two gateways. The one with other digits answers first.
#[test]
fn the_gateway_with_the_digits_decides_and_not_the_first_that_answers() {
    let Some(shared) = Shared::start(3) else {
        return;
    };
    let gateways = shared.gateways();
    let mut pair = opened(&shared, &gateways[1..]);
    let others = gateways[1..].iter();
    let mut nodes: Vec<(CNode, u32)> = others.map(|gateway| compared(&pair, gateway)).collect();
    let (node, digits) = nodes.last_mut().expect("two");
    let late = &gateways[2];
    late.signal(rustix::process::Signal::STOP);
    pair.type_line(&format!("{digits:06}"));
    std::thread::sleep(Duration::from_secs(2));
    late.signal(rustix::process::Signal::CONT);
    let (code, out, err) = pair.wait();
    let id = format!("{:08x}", node.node.id());
    assert_eq!((code, out.trim()), (Some(0), id.as_str()), "{err}");
    assert!(!err.contains("refuses"), "{err}");
    node.node.confirm(true).expect("it shows digits");
    node.wait("the result", |event| *event == Event::Paired);
    node.join();
}

#[test]
fn the_operator_rejects_a_node_that_another_gateway_hears() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let mut pair = opened(&shared, &gateways[1..]);
    let (_node, _) = compared(&pair, &gateways[1]);
    pair.type_line("r");
    gateways[1].log.wait("the operator rejected it");
    pair.err.wait("the pairing failed at another gateway");
    pair.interrupt();
    pair.wait();
    assert_eq!(shared.sites[0].ok(&["device", "list", "--json"]), "");
}

/// Whoever can write to the database writes the operator's rejection again.
#[test]
fn a_rejection_that_is_replayed_rejects_no_later_node() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let mut pair = opened(&shared, &gateways[1..]);
    let (_rejected, _) = compared(&pair, &gateways[1]);
    pair.type_line("r");
    pair.err.wait("the pairing failed at another gateway");
    let (mut node, digits) = compared(&pair, &gateways[1]);
    shared.cluster.psql(
        "INSERT INTO selo_registry.pairing_word (window_id, body)
         SELECT window_id, body FROM selo_registry.pairing_word",
    );
    std::thread::sleep(Duration::from_secs(2));
    pair.type_line(&format!("{digits:06}"));
    pair.err.wait("The digits are right");
    node.node.confirm(true).expect("it shows digits");
    node.wait("the result", |event| *event == Event::Paired);
    assert_eq!(pair.wait().0, Some(0));
}

/// The registry is away for a moment while a window is open: the operator still sees the node.
#[test]
fn a_window_outlives_an_outage_of_the_registry() {
    let Some(shared) = Shared::start(2) else {
        return;
    };
    let gateways = shared.gateways();
    let mut pair = opened(&shared, &gateways[1..]);
    let mut node = CNode::new(Suite::Ascon, gateways[1].address, 1);
    shared.cluster.kill();
    gateways[0].log.wait("do not hear of the pairing window");
    node.node.pair().expect("starts");
    let digits = node.digits();
    shared.cluster.up();
    pair.err.wait("shows its digits");
    pair.type_line(&format!("{digits:06}"));
    pair.err.wait("The digits are right");
    node.node.confirm(true).expect("it shows digits");
    node.wait("the result", |event| *event == Event::Paired);
    let (code, ..) = pair.wait();
    assert_eq!(code, Some(0));
    node.join();
}
