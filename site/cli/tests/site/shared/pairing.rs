//! A node that another gateway hears than the one where the operator is.

use std::time::Duration;

use selo_sys::node::{Event, Suite};

use super::Shared;
use crate::gateway_support::{CNode, Running, pair_after_a_typing_error};

const OPENS: &str = "opens the pairing window of an operator at another gateway";

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
    let pair = Running::start(&shared.sites[0], &["device", "pair"]);
    pair.err.wait("Start pairing on the node");
    gateways[1].log.wait(OPENS);
    let copy = format!(
        "{insert} SELECT '\\x{}', 'y', now() + interval '5 min', body
         FROM selo_registry.pairing_window WHERE gateway <> 'x'",
        "03".repeat(16)
    );
    shared.cluster.psql(&copy);
    let mut node = CNode::new(Suite::Ascon, gateways[1].address, 1);
    node.node.pair().expect("starts");
    node.wait("digits", |event| matches!(event, Event::Digits(_)));
    pair.err.wait("shows its digits");
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
