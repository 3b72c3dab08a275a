//! Bad input to `selo gateway` and `selo device`. Each case needs a clear error with a hint and the
//! documented exit code, and loses no data.

use std::fs;
use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;

use crate::gateway_support::{Answer, CNode, Site};
use selo_sys::node::Suite;

/// Asserts that a command fails with this exit code, and that its message contains these words.
fn refused(site: &Site, arguments: &[&str], code: i32, words: &[&str]) -> Answer {
    let answer = site.selo(arguments);
    assert_eq!(answer.code, Some(code), "{arguments:?}: {answer:?}");
    for word in words {
        assert!(
            answer.stderr.contains(word),
            "{arguments:?}: no '{word}' in {answer:?}"
        );
    }
    assert!(answer.stdout.is_empty(), "{arguments:?}: {answer:?}");
    assert!(!answer.stderr.contains("panicked"), "{answer:?}");
    answer
}

#[test]
fn wrong_usage_is_explained() {
    let site = Site::new();
    let key = "00".repeat(32);
    for (arguments, words) in [
        (&["gateway", "--listen", "nowhere"][..], &["--listen"][..]),
        (
            &["gateway", "--sync", "sometimes"],
            &["not one of: always, 1s, never"],
        ),
        (&["device", "add"], &["--key-file"]),
        (
            &["device", "add", "--generate", "--id", "xyz"],
            &["eight hexadecimal digits"],
        ),
        (
            &["device", "add", "--generate", "--suite", "des"],
            &["chachapoly-blake2s"],
        ),
        (
            &["device", "add", "--generate", "--name", "3f9a01c2"],
            &["are a device id"],
        ),
        (
            &["device", "add", "--generate", "--name", ""],
            &["1 to 64 characters"],
        ),
        // No option takes a key on the command line.
        (
            &["device", "add", "--key", &key],
            &["unexpected argument '--key'"],
        ),
        (&["device", "pair", "--window", "11m"], &["10m"]),
        (&["device", "pair", "--digits", "12345"], &["six digits"]),
        (&["device", "export", "--with-keys"], &["<FILE>"]),
        (
            &["device", "show", "nobody"],
            &["there is no device 'nobody'", "hint: `selo device list`"],
        ),
        (&["device", "revoke", "00000001"], &["there is no device"]),
        (&["device", "remove", "00000001"], &["there is no device"]),
        (
            &["device", "rename", "00000001", "x"],
            &["there is no device"],
        ),
        (&["device", "qr", "00000001"], &["there is no device"]),
        (
            &["device", "send", "00000001", "00"],
            &["there is no device"],
        ),
        (&["device", "send", "00000001", "0"], &["not hexadecimal"]),
        (
            &["device", "send", "00000001", "00", "--timeout", "0s"],
            &["at least 1s"],
        ),
    ] {
        refused(&site, arguments, 2, words);
    }
    let long = "00".repeat(34);
    refused(&site, &["device", "send", "x", &long], 2, &["at most 29"]);
}

#[test]
fn files_that_are_not_what_they_should_be_add_nothing() {
    let site = Site::new();
    site.file("short.key", b"abcd");
    site.file("bad.json", b"{\"schema\":");
    site.file("bad.csv", b"id,name,suite,key\nzz,,ascon,00\n");
    for (arguments, code, words) in [
        (
            &["device", "add", "--key-file", "absent.key"][..],
            4,
            &["cannot read absent.key"][..],
        ),
        (
            &["device", "add", "--key-file", "short.key"],
            2,
            &["not a valid device key"],
        ),
        (&["device", "import", "bad.json"], 2, &["bad.json, line 1"]),
        (
            &["device", "import", "bad.csv"],
            2,
            &["bad.csv, line 2", "eight hexadecimal digits"],
        ),
        (
            &["device", "import", "absent.csv"],
            4,
            &["cannot read absent.csv"],
        ),
    ] {
        refused(&site, arguments, code, words);
    }
    assert_eq!(site.ok(&["device", "list", "--json"]), "");
    // An import is all or nothing.
    let key = hex::encode([1; 32]);
    site.file(
        "two.csv",
        format!("id,name,suite,key\n00000001,,ascon,{key}\n00000002,,ascon,{key}\n").as_bytes(),
    );
    site.file(
        "two2.csv",
        format!("id,name,suite,key\n00000003,,ascon,{key}\n00000002,x,ascon,{key}\n").as_bytes(),
    );
    site.ok(&["device", "import", "two.csv"]);
    refused(
        &site,
        &["device", "import", "two2.csv"],
        2,
        &["already a device 00000002", "hint:"],
    );
    assert_eq!(site.ok(&["device", "list", "--json"]).lines().count(), 2);
    site.ok(&["device", "import", "two2.csv", "--existing", "keep"]);
    assert_eq!(site.ok(&["device", "list", "--json"]).lines().count(), 3);
    assert!(site.selo(&["device", "show", "x"]).code == Some(2));
    site.ok(&["device", "import", "two2.csv", "--existing", "replace"]);
    site.ok(&["device", "show", "x"]);
}

#[test]
fn a_label_says_id_and_suite_and_is_not_contradicted() {
    let site = Site::new();
    let key = hex::encode([1; 32]);
    site.file("a.key", key.as_bytes());
    site.ok(&[
        "device",
        "add",
        "--id",
        "0000000a",
        "--key-file",
        "a.key",
        "--suite",
        "ascon",
    ]);
    site.ok(&["device", "qr", "0000000a", "--out", "a.txt"]);
    let mode = fs::metadata(site.path().join("a.txt"))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    refused(
        &site,
        &["device", "qr", "0000000a", "--out", "a.txt"],
        2,
        &["--force"],
    );
    site.ok(&["device", "qr", "0000000a", "--out", "a.txt", "--force"]);
    refused(
        &site,
        &["device", "qr", "0000000a", "--out", "a.gif"],
        2,
        &[".svg"],
    );
    for ending in ["svg", "png"] {
        site.ok(&["device", "qr", "0000000a", "--out", &format!("a.{ending}")]);
    }
    site.ok(&["device", "remove", "0000000a"]);
    refused(
        &site,
        &["device", "add", "--key-file", "a.txt", "--id", "0000000b"],
        2,
        &["another id"],
    );
    let other = [
        "device",
        "add",
        "--key-file",
        "a.txt",
        "--suite",
        "aesgcm-sha256",
    ];
    refused(&site, &other, 2, &["another suite"]);
    assert_eq!(
        site.ok(&["device", "add", "--key-file", "a.txt"]),
        "0000000a\n"
    );
    let shown = site.ok(&["device", "show", "0000000a", "--json", "--show-key"]);
    assert!(shown.contains("\"suite\":\"ascon\""), "{shown}");
    refused(
        &site,
        &["device", "add", "--key-file", "a.txt"],
        2,
        &["already a device 0000000a"],
    );
}

#[test]
fn a_taken_port_and_a_second_gateway_are_named() {
    let site = Site::new();
    let taken = UdpSocket::bind("127.0.0.1:0").expect("binds");
    let address = taken.local_addr().expect("bound").to_string();
    refused(
        &site,
        &["gateway", "--listen", &address],
        4,
        &[
            &format!("cannot listen on {address}"),
            "hint: see who has it",
        ],
    );
    refused(
        &site,
        &["gateway", "--listen", "192.0.2.1:1"],
        4,
        &["an address of this machine"],
    );
    let busy = std::net::TcpListener::bind("127.0.0.1:0").expect("binds");
    let metrics = busy.local_addr().expect("bound").to_string();
    let answer = site.selo(&["gateway", "--listen", "127.0.0.1:0", "--metrics", &metrics]);
    assert_eq!(answer.code, Some(4), "{answer:?}");
    assert!(
        answer
            .stderr
            .contains(&format!("cannot serve metrics on {metrics}")),
        "{answer:?}"
    );
    assert!(
        answer.stderr.contains("hint: choose another --metrics"),
        "{answer:?}"
    );

    let gateway = site.gateway(&[]);
    refused(
        &site,
        &["gateway", "--listen", "127.0.0.1:0"],
        4,
        &["another gateway (process ", "hint: stop it first"],
    );
    assert_eq!(gateway.stop().0, Some(0));
    refused(
        &site,
        &["device", "pair"],
        3,
        &["no gateway runs on", "hint: start one"],
    );
}

#[test]
fn a_state_that_others_may_enter_is_refused() {
    let site = Site::new();
    site.ok(&["device", "list"]);
    fs::set_permissions(site.state(), fs::Permissions::from_mode(0o755)).expect("chmod");
    for arguments in [
        &["gateway", "--listen", "127.0.0.1:0"][..],
        &["device", "list"],
    ] {
        refused(
            &site,
            arguments,
            4,
            &["other users can access it (mode 755)", "hint: chmod 700"],
        );
    }
    fs::set_permissions(site.state(), fs::Permissions::from_mode(0o700)).expect("chmod");
    site.ok(&["device", "list"]);
    let file = site.file("file", b"").display().to_string();
    refused(
        &site,
        &["device", "list", "--state", &file],
        2,
        &["is not a directory"],
    );
}

#[test]
fn a_registry_that_is_none_is_left_alone() {
    let site = Site::new();
    site.ok(&["device", "list"]);
    let registry = site.state().join("registry.db");
    fs::write(
        &registry,
        "no database at all, but something somebody wants to keep",
    )
    .expect("writes");
    let answer = refused(
        &site,
        &["device", "list"],
        4,
        &["registry.db", "hint: move"],
    );
    assert!(answer.stderr.contains("selo device import"));
    assert!(
        fs::read(&registry)
            .expect("there")
            .starts_with(b"no database")
    );
}

#[test]
fn a_damaged_journal_costs_sessions_and_no_reading_that_checks() {
    let site = Site::new();
    let device = site.device(Suite::ChaChaPolyBlake2s, "a");
    let gateway = site.gateway(&[]);
    let mut node = CNode::provisioned(Suite::ChaChaPolyBlake2s, gateway.address, device);
    node.join();
    for round in 0..5 {
        node.deliver(format!("reading {round}").as_bytes());
    }
    for _ in 0..5 {
        gateway.readings.next();
    }
    gateway.kill();
    // Remove the position of delivery, so that everything is redelivered, and change one byte.
    fs::remove_file(site.state().join("delivered")).expect("there");
    let segment = site.state().join("journal/0000000000000001");
    let mut bytes = fs::read(&segment).expect("there");
    let place = bytes
        .windows(9)
        .position(|part| part == b"reading 2")
        .expect("in the clear");
    bytes[place] ^= 1;
    fs::write(&segment, &bytes).expect("writes");

    let gateway = site.gateway(&[]);
    let log = gateway.log.all();
    assert!(
        log.contains("the journal is damaged") && log.contains("kept "),
        "{log}"
    );
    let kept: Vec<_> = (0..4).map(|_| gateway.readings.next_json()).collect();
    let counters: Vec<_> = kept.iter().map(|line| line["counter"].as_u64()).collect();
    assert_eq!(counters, [Some(0), Some(1), Some(3), Some(4)]);
    assert!(kept.iter().all(|line| line["redelivered"] == true));
    // The node gets a hint, and joins again by itself.
    node.move_gateway(gateway.address);
    let mut through = false;
    for _ in 0..100 {
        let _ = node.node.send(b"after", false);
        node.event_within(std::time::Duration::from_millis(20));
        if !node.node.is_joined() {
            continue;
        }
        through = gateway.log.all().contains("a session is live");
        if through {
            break;
        }
    }
    assert!(through, "{}", gateway.log.all());
    let (code, _, log) = gateway.stop();
    assert_eq!(code, Some(0));
    assert!(!log.contains("panicked"));
    // The log reports it once.
    let gateway = site.gateway(&[]);
    assert!(!gateway.log.all().contains("damaged"));
}

#[test]
fn a_journal_of_a_newer_version_is_not_touched() {
    let site = Site::new();
    site.gateway(&[]).stop();
    let segment = site.state().join("journal/0000000000000001");
    let mut bytes = fs::read(&segment).expect("there");
    bytes[8] = 9;
    let crc = crc32fast::hash(&bytes[..60]);
    bytes[60..64].copy_from_slice(&crc.to_le_bytes());
    fs::write(&segment, &bytes).expect("writes");
    refused(
        &site,
        &["gateway", "--listen", "127.0.0.1:0"],
        2,
        &[
            "newer version of Selo (journal version 9",
            "hint: use the version",
        ],
    );
    assert_eq!(fs::read(&segment).expect("there"), bytes);
}
