//! What the gateway prints, logs and serves as metrics.

use std::io::Read;
use std::io::Write;
use std::net::{TcpStream, UdpSocket};

use crate::gateway_support::{CNode, Running, Site};
use selo_sys::node::{Event, Suite};

use super::parse;

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
    let status = site.status();
    let address = status["metrics"].as_str().expect("an address");
    let mut node = CNode::provisioned(Suite::Ascon, gateway.address, device);
    node.join();
    node.deliver(b"x");
    gateway.readings.next();
    let stranger = UdpSocket::bind("127.0.0.1:0").expect("binds");
    stranger.send_to(&[0xff], gateway.address).expect("sends");
    let ask = || {
        let mut stream = TcpStream::connect(address).expect("connects");
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
