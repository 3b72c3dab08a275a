//! Tests `selo gateway` from end to end, with nodes of the device library's C code, over UDP.

mod killed;
mod output;
mod pairing;

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use crate::gateway_support::{CNode, Running, Site};
use selo_sys::node::{Event, Suite};
use serde_json::Value;

fn parse(line: &str) -> Value {
    serde_json::from_str(line).expect("JSON")
}

#[test]
fn readings_of_every_suite_arrive_and_sessions_survive_a_restart() {
    let site = Site::new();
    let devices: Vec<_> = Suite::ALL
        .into_iter()
        .map(|suite| (suite, site.device(suite, &format!("node {}", suite as u8))))
        .collect();
    let gateway = site.gateway(&[]);
    let mut nodes: Vec<_> = devices
        .iter()
        .map(|(suite, device)| CNode::provisioned(*suite, gateway.address, *device))
        .collect();
    let mut sessions = Vec::new();
    for (node, (suite, (id, _))) in nodes.iter_mut().zip(&devices) {
        node.join();
        node.deliver(b"23.5 C");
        let line = gateway.readings.next_json();
        assert_eq!(line["schema"], "selo.reading/1");
        assert_eq!(line["device"], format!("{id:08x}"));
        assert_eq!(line["name"], format!("node {}", *suite as u8));
        assert_eq!(line["counter"], 0);
        assert_eq!(line["payload"], hex::encode("23.5 C"));
        assert_eq!(line["rssi"], Value::Null);
        assert_eq!(
            (&line["authenticated"], &line["redelivered"]),
            (&true.into(), &false.into())
        );
        let source = line["source"].as_str().expect("a source");
        assert!(source.starts_with("127.0.0.1:"), "{source}");
        assert!(
            line["received"]
                .as_str()
                .is_some_and(|time| time.ends_with('Z'))
        );
        sessions.push(line["session"].clone());
    }
    let (code, rest, _) = gateway.stop();
    assert_eq!((code, rest.len()), (Some(0), 0));

    // The nodes keep their sessions.
    let gateway = site.gateway(&[]);
    for (node, session) in nodes.iter_mut().zip(&sessions) {
        node.move_gateway(gateway.address);
        node.deliver(b"23.6 C");
        let line = gateway.readings.next_json();
        assert_eq!((&line["session"], &line["counter"]), (session, &1.into()));
        assert_eq!(line["redelivered"], false);
    }
    let listed = site.ok(&["device", "list", "--json"]);
    for line in listed.lines().map(parse) {
        assert_eq!(line["join_counter"], 1);
        assert!(
            line["last_seen"].is_string() && line["address"].is_string(),
            "{line}"
        );
        assert!(line.get("key").is_none(), "{line}");
    }
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn a_message_reaches_the_node_and_its_fate_is_told() {
    let site = Site::new();
    let device = site.device(Suite::Ascon, "valve");
    let gateway = site.gateway(&[]);
    let mut node = CNode::provisioned(Suite::Ascon, gateway.address, device);
    node.join();
    node.deliver(b"here");
    let send = Running::start(&site, &["device", "send", "valve", "0aff", "--confirmed"]);
    let heard = node.wait("a message", |event| matches!(event, Event::Received(_)));
    assert_eq!(heard, Event::Received(vec![0x0a, 0xff]));
    // The node acknowledges with its next polls.
    node.event_within(Duration::from_millis(50));
    let (code, out, err) = send.wait();
    assert_eq!(
        (code, out.trim()),
        (Some(0), "acknowledged, packet 1"),
        "{err}"
    );

    let unconfirmed = site.selo(&["device", "send", "valve", "--text", "hi", "--json"]);
    assert_eq!(unconfirmed.code, Some(0), "{unconfirmed:?}");
    assert_eq!(parse(&unconfirmed.stdout)["event"], "sent");
    node.wait("a message", |event| {
        *event == Event::Received(b"hi".to_vec())
    });

    let late = site.selo(&[
        "device",
        "send",
        "valve",
        "00",
        "--after-uplink",
        "--timeout",
        "1s",
    ]);
    assert_eq!(late.code, Some(1), "{late:?}");
    assert!(late.stderr.contains("the message expired"), "{late:?}");
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn a_revoked_device_is_cut_off_at_once_and_an_imported_one_is_known_at_once() {
    let site = Site::new();
    let device = site.device(Suite::ChaChaPolyBlake2s, "a");
    let gateway = site.gateway(&[]);
    let mut node = CNode::provisioned(Suite::ChaChaPolyBlake2s, gateway.address, device);
    node.join();
    node.deliver(b"x");
    site.ok(&["device", "revoke", "a"]);
    node.node.send(b"y", false).expect("joined");
    gateway.log.wait("the device was revoked");
    node.event_within(Duration::from_millis(100));

    let other = site.path().join("other");
    let import = site.path().join("devices.csv");
    let key = hex::encode([5; 32]);
    std::fs::write(
        &import,
        format!("id,name,suite,key\n0000abcd,b,ascon,{key}\n"),
    )
    .expect("writes");
    site.ok(&["device", "import", "devices.csv"]);
    let mut node = CNode::provisioned(Suite::Ascon, gateway.address, (0xabcd, [5; 32]));
    node.join();
    node.deliver(b"z");
    site.ok(&["device", "rename", "b", "c"]);
    node.deliver(b"z2");
    let names: Vec<_> = (0..3)
        .map(|_| gateway.readings.next_json()["name"].clone())
        .collect();
    assert_eq!(names, ["a", "b", "c"]);

    // A backup restores another gateway: keys, names, counters and revocations.
    site.ok(&["device", "export", "--with-keys", "backup.json"]);
    let backup = site.path().join("backup.json");
    let mode = std::fs::metadata(&backup)
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let state = other.display().to_string();
    site.ok(&["device", "import", "backup.json", "--state", &state]);
    let list = |state: &[&str]| {
        let mut arguments = vec!["device", "export"];
        arguments.extend(state);
        parse(&site.ok(&arguments))
    };
    assert_eq!(list(&["--state", &state]), list(&[]));
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn what_nobody_reads_waits_for_the_next_start() {
    let site = Site::new();
    let device = site.device(Suite::Ascon, "a");
    // If the reader of standard output closes its end, the gateway reports it and stops.
    let mut child = site
        .command(&["gateway", "--listen", "127.0.0.1:0", "--json-log"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("starts");
    let log = crate::gateway_support::Lines::of(child.stderr.take().expect("piped"));
    let address = parse(&log.wait("the gateway listens"))["listen"]
        .as_str()
        .and_then(|text| text.parse().ok())
        .expect("an address");
    drop(child.stdout.take());
    let mut node = CNode::provisioned(Suite::Ascon, address, device);
    node.join();
    node.node.send(b"kept", false).expect("joined");
    node.event_within(Duration::from_millis(10));
    let code = child.wait().expect("ends").code();
    log.rest();
    assert_eq!(code, Some(4), "{}", log.all());
    assert!(
        log.all()
            .contains("the reader of the readings has closed its end"),
        "{}",
        log.all()
    );

    let gateway = site.gateway(&[]);
    let line = gateway.readings.next_json();
    assert_eq!(
        (&line["payload"], &line["redelivered"]),
        (&hex::encode("kept").into(), &true.into())
    );
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn a_hang_up_of_the_terminal_does_not_stop_it() {
    let site = Site::new();
    let device = site.device(Suite::Ascon, "a");
    let gateway = site.gateway(&[]);
    gateway.signal(rustix::process::Signal::HUP);
    let mut node = CNode::provisioned(Suite::Ascon, gateway.address, device);
    node.join();
    node.deliver(b"x");
    gateway.readings.next();
    gateway.signal(rustix::process::Signal::INT);
    let (code, _, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
}
