//! Tests `selo gateway` from end to end, with nodes of the device library's C code, over UDP.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use crate::gateway_support::{CNode, Running, Site};
use selo_gateway::control::{self, Client, Reply, Request};
use selo_gateway::state::StateDir;
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
fn a_node_is_paired_by_a_person_who_types_what_it_shows() {
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let mut pair = Running::start(&site, &["device", "pair", "--name", "garden"]);
    pair.err.wait("Start pairing on the node");
    let mut node = CNode::new(Suite::AesGcmSha3_256, gateway.address, 1);
    node.node.pair().expect("starts");
    let digits = node.wait("digits", |event| matches!(event, Event::Digits(_)));
    let Event::Digits(digits) = digits else {
        unreachable!()
    };
    pair.err.wait("shows its digits");
    // A typing error does not end the pairing.
    pair.type_line(&format!("{:06}", (digits + 1) % 1_000_000));
    pair.err.wait("no attempt at this gateway has these digits");
    pair.type_line(&format!("{digits:06}"));
    pair.err.wait("The digits are right");
    node.node.confirm(true).expect("comparing");
    node.wait("the result", |event| *event == Event::Paired);
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
    let Event::Digits(digits) = node.wait("digits", |event| matches!(event, Event::Digits(_)))
    else {
        unreachable!()
    };
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
    let Event::Digits(digits) = node.wait("digits", |event| matches!(event, Event::Digits(_)))
    else {
        unreachable!()
    };
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

/// Kills the gateway repeatedly under load. Every acknowledged reading is printed, and none is
/// accepted twice.
#[test]
fn killed_under_load_it_loses_nothing_and_takes_nothing_twice() {
    const NODES: usize = 6;
    const KILLS: u32 = 6;
    let site = Site::new();
    let devices: Vec<_> = (0..NODES)
        .map(|number| {
            let suite = Suite::ALL[number % 4];
            (suite, site.device(suite, &format!("n{number}")))
        })
        .collect();
    let mut gateway = site.gateway(&["--sync", "1s"]);
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (moved, addresses): (Vec<_>, Vec<_>) =
        (0..NODES).map(|_| std::sync::mpsc::channel()).unzip();
    let workers: Vec<_> = devices
        .iter()
        .zip(addresses)
        .enumerate()
        .map(|(number, ((suite, device), addresses))| {
            let mut node = CNode::provisioned(*suite, gateway.address, *device);
            let stop = stop.clone();
            std::thread::spawn(move || {
                let mut acknowledged = HashSet::new();
                let mut joins = 0;
                let mut serial = 0u32;
                let mut under_way = None;
                node.node.join().expect("paired");
                while !stop.load(std::sync::atomic::Ordering::Relaxed) || under_way.is_some() {
                    if let Some(address) = addresses.try_iter().last() {
                        node.move_gateway(address);
                    }
                    if under_way.is_none() && node.node.is_joined() {
                        serial += 1;
                        let payload = format!("{number}.{serial}");
                        // Every third reading asks for no acknowledgement.
                        let confirmed = !serial.is_multiple_of(3);
                        if node.node.send(payload.as_bytes(), confirmed).is_ok() && confirmed {
                            under_way = Some(payload);
                        }
                    }
                    match node.event_within(Duration::from_millis(1)) {
                        Some(Event::Delivered) => acknowledged.extend(under_way.take()),
                        Some(Event::Undelivered) => under_way = None,
                        Some(Event::Joined) => joins += 1,
                        _ => {}
                    }
                }
                (acknowledged, joins)
            })
        })
        .collect();

    let mut lines = Vec::new();
    let mut random = 7u64;
    for _ in 0..KILLS {
        // Kill the gateway after a pseudo-random number of lines.
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        for _ in 0..50 + random % 400 {
            lines.push(gateway.readings.next());
        }
        lines.extend(gateway.kill());
        gateway = site.gateway(&["--sync", "1s"]);
        for address in &moved {
            address.send(gateway.address).expect("the node lives");
        }
    }
    for _ in 0..200 {
        lines.push(gateway.readings.next());
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    let results: Vec<_> = workers
        .into_iter()
        .map(|worker| worker.join().expect("no panic"))
        .collect();
    let (code, rest, log) = gateway.stop();
    assert_eq!(code, Some(0), "{log}");
    lines.extend(rest);

    let mut taken: HashMap<(String, String, u64), String> = HashMap::new();
    let mut names_of: HashMap<String, HashSet<(String, String, u64)>> = HashMap::new();
    let mut redelivered = 0;
    for line in lines.iter().map(|line| parse(line)) {
        let text = |field: &str| line[field].as_str().expect("text").to_owned();
        let name = (
            text("device"),
            text("session"),
            line["counter"].as_u64().expect("number"),
        );
        let payload = String::from_utf8(hex::decode(text("payload")).expect("hex")).expect("text");
        names_of
            .entry(payload.clone())
            .or_default()
            .insert(name.clone());
        if let Some(before) = taken.insert(name, payload.clone()) {
            assert_eq!(
                line["redelivered"], true,
                "printed twice, but not marked as redelivered: {line}"
            );
            assert_eq!(before, payload);
            redelivered += 1;
        }
    }
    for (payload, names) in &names_of {
        assert_eq!(names.len(), 1, "{payload} was accepted as {names:?}");
    }
    for (acknowledged, joins) in &results {
        assert_eq!(*joins, 1, "a session did not survive");
        assert!(
            acknowledged.len() > 20,
            "{} acknowledged",
            acknowledged.len()
        );
        for payload in acknowledged {
            assert!(
                names_of.contains_key(payload),
                "{payload} was acknowledged and lost"
            );
        }
    }
    println!("{} readings, {redelivered} delivered again", taken.len());
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
fn no_log_and_no_output_holds_a_key() {
    let site = Site::new();
    let (id, key) = site.device(Suite::ChaChaPolyBlake2s, "a");
    let mut said = String::new();
    let gateway = site.gateway(&["--metrics", "127.0.0.1:0"]);
    let mut node = CNode::provisioned(Suite::ChaChaPolyBlake2s, gateway.address, (id, key));
    node.join();
    node.deliver(b"x");
    let pair = Running::start(&site, &["device", "pair", "--json"]);
    pair.out.next();
    let mut other = CNode::new(Suite::Ascon, gateway.address, 1);
    other.node.pair().expect("starts");
    let Event::Digits(digits) = other.wait("digits", |event| matches!(event, Event::Digits(_)))
    else {
        unreachable!()
    };
    other.node.confirm(true).expect("comparing");
    let digits = format!("{digits:06}");
    said += &site.ok(&["device", "pair", "--digits", &digits, "--name", "b"]);
    let (_, out, err) = pair.wait();
    said += &out;
    said += &err;
    for arguments in [
        &["device", "list"][..],
        &["device", "list", "--json"],
        &["device", "show", "a"],
        &["device", "show", "b", "--json"],
        &["device", "export"],
        &["device", "rename", "a", "c", "--json"],
    ] {
        said += &site.ok(arguments);
    }
    let (code, lines, log) = gateway.stop();
    assert_eq!(code, Some(0));
    said += &lines.concat();
    said += &log;
    assert!(
        log.contains("a node joined") && log.contains("pairing window"),
        "{log}"
    );
    let forms = |name: &str| {
        let shown = parse(&site.ok(&["device", "qr", name, "--json"]));
        let label = shown["label"].as_str().expect("a label").to_owned();
        let key = selo_gateway::label::parse_key_file(label.as_bytes())
            .expect("a label")
            .key;
        let bytes = format!("{:?}", key.expose());
        let base64 = label.rsplit(':').next().expect("a key").to_owned();
        [
            hex::encode(key.expose()),
            hex::encode_upper(key.expose()),
            base64,
            bytes,
        ]
    };
    for form in ["c", "b"].into_iter().flat_map(forms) {
        assert!(!said.contains(&form), "a key is in the output");
        assert!(!said.contains(&form[..20]), "half a key is in the output");
    }
    // On request the key is shown, so the check above can fail.
    let shown = site.ok(&["device", "show", "c", "--show-key"]);
    assert!(shown.contains(&forms("c")[2]));
}

#[test]
fn numbers_are_served() {
    let site = Site::new();
    let device = site.device(Suite::Ascon, "a");
    let gateway = site.gateway(&["--metrics", "127.0.0.1:0"]);
    let address = {
        let status = std::os::unix::net::UnixStream::connect(site.state().join("control"));
        let mut stream = status.expect("connects");
        stream.write_all(b"{\"op\":\"status\"}\n").expect("asks");
        let mut reader = std::io::BufReader::new(stream);
        let mut line = String::new();
        std::io::BufRead::read_line(&mut reader, &mut line).expect("an answer");
        parse(&line)["status"]["metrics"]
            .as_str()
            .expect("an address")
            .to_owned()
    };
    let mut node = CNode::provisioned(Suite::Ascon, gateway.address, device);
    node.join();
    node.deliver(b"x");
    gateway.readings.next();
    let stranger = UdpSocket::bind("127.0.0.1:0").expect("binds");
    stranger.send_to(&[0xff], gateway.address).expect("sends");
    let ask = || {
        let mut stream = TcpStream::connect(&address).expect("connects");
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            .expect("asks");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    };
    let wanted = [
        "selo_gateway_readings_total 1\n",
        "selo_gateway_delivered_total 1\n",
        "selo_gateway_joins_total 1\n",
        "selo_gateway_sessions 1\n",
        "selo_gateway_frames_dropped_total{reason=\"malformed\"} 1\n",
        "selo_gateway_delivering_seconds_count 1\n",
    ];
    // The gateway updates its metrics shortly after each batch.
    let start = std::time::Instant::now();
    while !wanted.iter().all(|line| ask().contains(line)) {
        assert!(
            start.elapsed() < crate::gateway_support::PATIENCE,
            "{}",
            ask()
        );
    }
    assert_eq!(gateway.stop().0, Some(0));
}

#[test]
fn classic_is_refused_and_the_hint_names_the_study() {
    let site = Site::new();
    let output = site
        .command(&["gateway", "--listen", "127.0.0.1:0", "--allow-classic"])
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("hint: `selo classic --listen"), "{said}");

    let node = UdpSocket::bind("127.0.0.1:0").expect("binds");
    let gateway = site.gateway(&[]);
    node.send_to(&[0xc0], gateway.address).expect("sends");
    let (code, lines, log) = gateway.stop();
    assert_eq!((code, lines.len()), (Some(0), 0));
    assert!(!log.contains("classic"));
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
