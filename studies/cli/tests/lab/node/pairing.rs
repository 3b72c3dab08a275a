//! Virtual nodes that are paired by their digits.

use super::{arguments, parse, run};
use crate::gateway_support::{Running, Site, compare_digits, digits};

#[test]
fn two_people_pair_a_node_by_its_digits() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let to = gateway.address.to_string();
    let node = arguments(&to, &["--pair", "--readings", "2", "--every", "20ms"]);

    // One of the two people misreads the digits.
    let mut there = Running::start(&site, &["device", "pair", "--name", "garden"]);
    there.err.wait("Start pairing on the node");
    let mut here = Running::start(&site, &node);
    let shown = digits(&here.err.wait("Digits here:"));
    there.err.wait("shows its digits");
    let other = format!(
        "{:06}",
        (shown.parse::<u32>().expect("six") + 1) % 1_000_000
    );
    there.type_line("12");
    there.err.wait("Type six digits, or r.");
    there.type_line(&other);
    there.err.wait("do not confirm on the node");
    here.type_line(&other);
    here.err.wait("Type yes or r.");
    here.type_line("r");
    let (code, out, err) = here.wait();
    assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
    assert!(err.contains("nothing was stored"), "{err}");
    there.type_line("r");

    // The window is still open, and this time they read correctly.
    there.err.wait("rejected");
    let mut here = Running::start(&site, &node);
    compare_digits(&mut here, &mut there);
    let (code, id, err) = there.wait();
    assert_eq!(code, Some(0), "{err}");
    let (code, out, err) = here.wait();
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(parse(&out)["acknowledged"], 2);
    for _ in 0..2 {
        let line = gateway.readings.next_json();
        assert_eq!(
            (&line["name"], &line["device"]),
            (&"garden".into(), &id.trim().into())
        );
    }
    // The node is now paired.
    let nodes = run(&site, gateway.address, &["--readings", "1"]);
    assert_eq!(nodes.count("acknowledged"), 1);
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn a_node_whose_digits_nobody_compares_is_not_paired() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let mut there = Running::start(&site, &["device", "pair"]);
    there.err.wait("Start pairing on the node");
    let to = gateway.address.to_string();
    let answer = site.selo(&["node", "--to", &to, "--state", "nodes", "--pair"]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(
        answer.stderr.contains("standard input is closed"),
        "{answer:?}"
    );
    there.type_line("r");
    there.kill();
    assert_eq!(site.ok(&["device", "list", "--json"]), "");
    assert_eq!(gateway.stop().0, Some(0));
}
