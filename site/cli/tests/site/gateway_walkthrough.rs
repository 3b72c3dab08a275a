//! Performs docs/operator/run-a-gateway.md: runs its commands, with a node of the device library
//! where the page needs one, and looks for the lines that the page shows.

use std::path::Path;

use crate::gateway_support::{CNode, Gateway, Running, Site, blocks};
use selo_sys::node::{Event, Suite};

fn arguments(line: &str) -> Vec<&str> {
    let mut words = line.split_whitespace();
    assert_eq!(words.next(), Some("selo"), "{line}");
    words.collect()
}

/// The page's options, with free ports.
fn start(site: &Site, line: &str) -> Gateway {
    let options = arguments(line);
    assert_eq!(options[0], "gateway");
    let free: Vec<_> = options[1..]
        .iter()
        .map(|word| match word.rsplit_once(':') {
            Some(_) => "127.0.0.1:0",
            None => *word,
        })
        .collect();
    site.gateway(&free)
}

#[test]
fn the_page_can_be_followed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operator/run-a-gateway.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let (site, other) = (Site::new(), Site::new());
    let mut gateway = None;
    let mut node = None;
    let mut said = String::new();
    let mut performed = 0;
    for (info, lines) in blocks(&page) {
        performed += lines.len();
        match info.as_str() {
            "sh background" => gateway = Some(start(&site, &lines[0])),
            "sh pair" => {
                let gateway: &Gateway = gateway.as_ref().expect("started");
                let mut pair = Running::start(&site, &arguments(&lines[0]));
                pair.err.wait("Start pairing");
                let mut paired = CNode::new(Suite::ChaChaPolyBlake2s, gateway.address, 1);
                paired.node.pair().expect("starts");
                let digits = paired.digits();
                pair.type_line(&format!("{digits:06}"));
                pair.err.wait("The digits are right");
                paired.node.confirm(true).expect("comparing");
                paired.wait("the result", |event| *event == Event::Paired);
                assert_eq!(pair.wait().0, Some(0));
                paired.join();
                paired.deliver(b"23.5 C");
                node = Some(paired);
            }
            "json" => {
                let gateway: &Gateway = gateway.as_ref().expect("started");
                let shown: serde_json::Value = serde_json::from_str(&lines[0]).expect("JSON");
                let printed = gateway.readings.next_json();
                let fields = |line: &serde_json::Value| -> Vec<String> {
                    line.as_object()
                        .expect("an object")
                        .keys()
                        .cloned()
                        .collect()
                };
                assert_eq!(fields(&shown), fields(&printed));
                for field in [
                    "schema",
                    "name",
                    "counter",
                    "payload",
                    "rssi",
                    "authenticated",
                ] {
                    assert_eq!(shown[field], printed[field], "{field}");
                }
            }
            "sh send" => {
                let node: &mut CNode = node.as_mut().expect("paired");
                let send = Running::start(&site, &arguments(&lines[0]));
                node.wait("the message", |event| *event == Event::Received(vec![1]));
                node.event_within(std::time::Duration::from_millis(50));
                assert_eq!(send.wait().0, Some(0));
            }
            "sh restore" => {
                let backup = site.path().join("backup.json");
                std::fs::copy(backup, other.path().join("backup.json")).expect("copies");
                said = lines
                    .iter()
                    .map(|line| other.ok(&arguments(line)))
                    .collect();
            }
            "sh" => said = lines.iter().map(|line| site.ok(&arguments(line))).collect(),
            "expect" => {
                for line in &lines {
                    assert!(said.contains(line.as_str()), "{line:?} is not in:\n{said}");
                }
            }
            // For another machine, as the page says.
            "text" => performed -= lines.len(),
            info => panic!("unknown kind of block '{info}'"),
        }
    }
    assert!(performed > 10, "the page performs nothing");
    assert_eq!(gateway.expect("started").stop().0, Some(0));
}
