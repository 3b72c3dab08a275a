//! Pairing with `selo device pair`.

use std::time::{Duration, Instant};

use crate::gateway_support::{CNode, Running, Site, pair_after_a_typing_error};
use selo_gateway::control::{self, Client, Reply, Request};
use selo_gateway::state::StateDir;
use selo_sys::node::{Event, Suite};

use super::parse;

#[test]
fn a_node_is_paired_by_a_person_who_types_what_it_shows() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let mut pair = Running::start(&site, &["device", "pair", "--name", "garden"]);
    pair.err.wait("Start pairing on the node");
    let mut node = CNode::new(Suite::AesGcmSha3_256, gateway.address, 1);
    node.node.pair().expect("starts");
    pair_after_a_typing_error(&mut pair, &mut node);
    let (code, out, err) = pair.wait();
    assert_eq!(
        (code, out.trim()),
        (Some(0), format!("{:08x}", node.node.id()).as_str()),
        "{err}"
    );

    node.join();
    node.deliver(b"hello");
    let line = gateway.readings.next_json();
    assert_eq!(line["name"], "garden");
    let shown = parse(&site.ok(&["device", "show", "garden", "--json"]));
    assert_eq!(shown["suite"], "aesgcm-sha3-256");
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn wrong_digits_store_nothing_and_three_of_them_close_the_window() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let mut node = CNode::new(Suite::ChaChaPolyBlake2s, gateway.address, 1);
    let watcher = Running::start(&site, &["device", "pair", "--json"]);
    assert_eq!(watcher.out.next_json()["event"], "open");
    // A second window is refused while the first is open.
    let second = site.selo(&["device", "pair"]);
    assert_eq!(second.code, Some(1), "{second:?}");
    assert!(second.stderr.contains("already open"), "{second:?}");

    node.node.pair().expect("starts");
    let digits = node.digits();
    assert_eq!(watcher.out.next_json()["event"], "keyed");
    let comparing = watcher.out.next_json();
    assert_eq!(comparing["event"], "comparing");
    // The events do not contain the digits: the operator must read them from the node.
    assert!(
        !comparing.to_string().contains(&format!("{digits:06}")),
        "{comparing}"
    );
    let wrong = |by: u32| format!("{:06}", (digits + by) % 1_000_000);
    let enter = |typed: &str| site.selo(&["device", "pair", "--digits", typed, "--name", "roof"]);
    for left in [2, 1] {
        let refused = enter(&wrong(left));
        assert_eq!(refused.code, Some(1), "{refused:?}");
        assert!(
            refused.stderr.contains("do not confirm on the node"),
            "{refused:?}"
        );
        let open = watcher.out.next_json();
        assert_eq!(
            (&open["event"], &open["entries_left"]),
            (&"open".into(), &left.into())
        );
    }
    assert_eq!(site.ok(&["device", "list", "--json"]), "");
    assert_eq!(enter(&wrong(3)).code, Some(1));
    assert_eq!(watcher.out.next_json()["event"], "failed");
    assert_eq!(watcher.out.next_json()["event"], "closed");
    assert_eq!(watcher.wait().0, Some(1));
    node.wait("the rejection", |event| *event == Event::PairFailed);
    assert_eq!(site.ok(&["device", "list", "--json"]), "");

    // Pair again, with the digits that the node shows.
    let watcher = Running::start(&site, &["device", "pair", "--json"]);
    assert_eq!(watcher.out.next_json()["event"], "open");
    node.node.pair().expect("starts");
    let digits = node.digits();
    let digits = format!("{digits:06}");
    let paired = site.selo(&["device", "pair", "--digits", &digits, "--name", "roof"]);
    node.node.confirm(true).expect("comparing");
    assert_eq!(paired.code, Some(0), "{paired:?}");
    node.wait("the result", |event| *event == Event::Paired);
    let (code, out, _) = watcher.wait();
    assert_eq!(code, Some(0));
    assert!(
        out.contains("\"paired\"") && out.contains("\"closed\""),
        "{out}"
    );
    site.ok(&["device", "show", "roof"]);

    // The window closes when the command that opened it ends.
    let watcher = Running::start(&site, &["device", "pair"]);
    watcher.err.wait("Start pairing");
    watcher.kill();
    gateway.log.wait("the operator disconnected");
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn who_opens_a_window_right_after_another_has_closed_keeps_it() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let state = StateDir::open(&site.state()).expect("there");
    let client = || Client::connect(&state).expect("a gateway");
    let pair = |seconds| Request::Pair {
        seconds,
        name: None,
    };
    let open = Reply::Event(control::Event::Open { entries_left: 3 });

    for round in 0..5 {
        let mut first = client();
        assert_eq!(first.ask(&pair(1)).expect("opens"), open);
        let since = Instant::now();
        // The window closes after a second. The second operator keeps trying until then.
        let mut second = loop {
            let mut second = client();
            match second.ask(&pair(60)) {
                Ok(reply) => {
                    assert_eq!(reply, open);
                    break second;
                }
                Err(error) => assert!(since.elapsed().as_secs() < 60, "{error}"),
            }
        };
        // The end of the first connection does not close the second operator's window.
        while first.receive().is_ok() {}
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(
            client().ask(&Request::Watch).ok(),
            Some(open.clone()),
            "{round}"
        );
        second.hang_up();
        while second.receive().is_ok() {}
        while client().ask(&Request::Watch).is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    assert_eq!(gateway.stop().0, Some(0));
}
