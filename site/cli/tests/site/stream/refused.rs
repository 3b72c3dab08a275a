//! Credentials, certificates and streams that cannot work. Each is named, with what to do.

use std::os::unix::fs::PermissionsExt;

use async_nats::jetstream::stream::Config;

use super::Net;
use super::server::{Nats, STREAM};
use crate::gateway_support::{Running, Site, blocks};

/// Starts a collector, waits for these words in its log, and checks that the line has a hint.
fn says(site: &Site, stream: &[&str], words: &str) {
    let mut arguments = vec!["collect", "--http", "127.0.0.1:0", "--site", "farm"];
    arguments.extend(stream);
    let collector = Running::start(site, &arguments);
    let said = collector.err.said(words);
    assert!(said.contains("hint"), "{said}");
    assert!(!said.contains("wrong secret"), "{said}");
    collector.kill();
}

pub fn secret(site: &Site, name: &str, text: &str) -> String {
    let path = site.file(name, text.as_bytes());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("private");
    path.display().to_string()
}

#[test]
fn a_wrong_password_and_an_unknown_authority_are_named() {
    let site = Site::new();
    site.ok(&["setup", "keys"]);
    let keys = site.path().join("keys");
    let tls = format!(
        "tls {{ cert_file: \"{0}/server.pem\", key_file: \"{0}/server.key\" }}
         authorization {{ user: farm, password: right }}",
        keys.display()
    );
    let Some(nats) = Nats::configured(&tls) else {
        return;
    };
    let url = format!("tls://farm@localhost:{}", nats.port);
    let wrong = secret(&site, "wrong", "wrong secret\n");
    let right = secret(&site, "right", "right\n");
    let ca = keys.join("ca.pem").display().to_string();
    let stream = ["--stream", &url, "--stream-password-file"];
    says(
        &site,
        &[&stream[..], &[&right]].concat(),
        "an authority that this machine does not trust",
    );
    let named = [&stream[..], &[&wrong, "--stream-ca", &ca]].concat();
    says(&site, &named, "refuses user farm");
    let good = [&stream[..], &[&right, "--stream-ca", &ca]].concat();
    let mut arguments = vec!["collect", "--http", "127.0.0.1:0", "--site", "farm"];
    arguments.extend(good);
    let collector = Running::start(&site, &arguments);
    collector.err.wait("the stream is connected");
    collector.kill();
    let name = "tls://farm@127.0.0.2";
    let url = format!("{name}:{}", nats.port);
    let nowhere = [
        "--stream",
        &url,
        "--stream-password-file",
        &right,
        "--stream-ca",
        &ca,
    ];
    says(&site, &nowhere, "unreachable");
}

/// The page's configuration, without the lines that the test has of its own.
fn config_of_page(keys: &str) -> String {
    let page = include_str!("../../../../../docs/operator/stream.md");
    let blocks = blocks(page);
    let (_, lines) = blocks
        .iter()
        .find(|(info, _)| info == "conf nats.conf")
        .expect("a block");
    let own = |line: &&String| !line.starts_with("listen") && !line.starts_with("jetstream");
    let lines: Vec<&str> = lines.iter().filter(own).map(String::as_str).collect();
    lines.join("\n").replace("keys/", &format!("{keys}/"))
}

#[test]
fn the_permissions_of_the_page_are_enough_and_no_more() {
    let site = Site::new();
    site.ok(&["setup", "keys"]);
    let keys = site.path().join("keys").display().to_string();
    let Some(nats) = Nats::configured(&config_of_page(&keys)) else {
        return;
    };
    let port = nats.port;
    let options = |user: &str, password: &str| {
        vec![
            "--stream".to_owned(),
            format!("tls://{user}@localhost:{port}"),
            "--stream-password-file".to_owned(),
            secret(&site, user, password),
            "--stream-ca".to_owned(),
            format!("{keys}/ca.pem"),
        ]
    };
    let mut net = Net::new(nats, None);
    net.options = [
        options("north", "change me"),
        options("collector", "change me too"),
    ];
    // The permissions are of another gateway.
    net.add_collector();
    net.start_gateway();
    let said = net.gateway_says("refuses user north");
    assert!(said.contains("--gateway-name"), "{said}");
    net.gateway.take().expect("runs").kill();
    net.options[0].extend(["--gateway-name".to_owned(), "north".to_owned()]);
    net.start_gateway();
    net.join();
    net.deliver(3);
    net.is_complete();
    net.kill_collector(0);
    net.deliver(3);
    // It looks into the stream.
    std::thread::sleep(std::time::Duration::from_secs(8));
    net.start_collector(0);
    net.is_complete();
    assert!(!net.logs().contains("refuses"), "{}", net.logs());

    let onlooker = options("onlooker", "change me three");
    let mut words = vec!["status", "--json", "--site", "farm"];
    words.extend(onlooker.iter().map(String::as_str));
    let answer = site.selo(&words);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(
        answer.stdout.contains(r#""partitions_asked_for":"#),
        "{answer:?}"
    );
    // A gateway may not look at the stream.
    let gateway = options("north", "change me");
    words.truncate(4);
    words.extend(gateway.iter().map(String::as_str));
    let answer = site.selo(&words);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    assert!(answer.stdout.contains("refuses user north"), "{answer:?}");
}

#[test]
fn a_stream_that_would_lose_readings_is_refused() {
    let Some(nats) = Nats::start() else {
        return;
    };
    let config = Config {
        name: STREAM.into(),
        subjects: vec!["selo.farm.readings.*".into()],
        ..Config::default()
    };
    nats.operate(async |context| context.create_stream(config).await.expect("made"));
    let site = Site::new();
    says(
        &site,
        &["--stream", &nats.url()],
        "its retention is not workqueue",
    );
}

#[test]
fn addresses_that_would_show_a_secret_are_refused() {
    let site = Site::new();
    for (url, words) in [
        ("nats://nats.example", "unencrypted"),
        ("tls://farm:secret@nats.example", "--stream-password-file"),
        ("http://nats.example", "must begin with tls://"),
        (
            "tls://nats.example,tls://x:secret@y",
            "--stream-password-file",
        ),
        ("tls://nats.example,", "must begin with tls://"),
    ] {
        for command in ["gateway", "collect"] {
            let answer = site.selo(&[command, "--stream", url]);
            assert_eq!(answer.code, Some(2), "{answer:?}");
            assert!(answer.stderr.contains(words), "{answer:?}");
            // What a service says is kept in the log of the system.
            assert!(!answer.stderr.contains("secret"), "{answer:?}");
        }
    }
    let answer = site.selo(&["gateway", "--mqtt", "mqtts://farm:secret@broker.example"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(answer.stderr.contains("--mqtt-password-file"), "{answer:?}");
    assert!(!answer.stderr.contains("secret"), "{answer:?}");
}
