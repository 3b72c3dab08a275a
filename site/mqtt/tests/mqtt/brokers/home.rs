//! Home Assistant's part, played by Mosquitto's clients: a last will, a birth message, and
//! subscriptions of integrations for other makers' devices.

use std::process::{Command, Output};

use crate::support::{BOTH, BrokerSetup, Kind};

fn client(place: &BrokerSetup, program: &str, user: &str, words: &[&str]) -> Output {
    let password = std::fs::read_to_string(place.path(&format!("{user}.password"))).expect("there");
    Command::new(program)
        .args(["-V", "mqttv5", "-h", "localhost", "-q", "1", "-u", user])
        .args([
            "-P",
            password.trim(),
            "-p",
            &place.address.port().to_string(),
        ])
        .arg("--cafile")
        .arg(place.path("ca.pem"))
        .args(words)
        .output()
        .expect("Mosquitto's clients are installed")
}

fn said(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// What Home Assistant always does: integrations subscribe to topics of other makers.
#[rustfmt::skip]
const LISTENS: [&str; 18] = [
    "--will-topic", "homeassistant/status", "--will-payload", "offline", "--will-qos", "1",
    "-t", "homeassistant/+/+/config", "-t", "homeassistant/+/+/+/config", "-t", "homeassistant/status",
    "-t", "tasmota/discovery/#", "-t", "selo/#", "-F", "%t %p",
];

#[test]
fn home_assistant_is_refused_nothing_that_it_always_does() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let _broker = place.start(kind);
        let birth = ["-t", "homeassistant/status", "-m", "online", "-r"];
        let output = client(&place, "mosquitto_pub", "homeassistant", &birth);
        assert!(output.status.success(), "{kind:?}: {}", said(&output));
        assert_eq!(said(&output), "", "{kind:?}");
        let listens = [&LISTENS[..], &["-C", "1", "-W", "60"]].concat();
        let output = client(&place, "mosquitto_sub", "homeassistant", &listens);
        assert_eq!(said(&output), "homeassistant/status online\n", "{kind:?}");

        let forged = ["-t", "selo/farm/reading/00000001", "-m", "{}"];
        let output = client(&place, "mosquitto_pub", "homeassistant", &forged);
        let refused = said(&output).to_lowercase().contains("not authorized");
        assert!(refused, "{kind:?}: {}", said(&output));
    }
}

#[test]
fn a_viewer_cannot_pose_as_home_assistant() {
    let place = BrokerSetup::new();
    let _broker = place.start(Kind::Embedded);
    let listens = [&LISTENS[..], &["-W", "10"]].concat();
    let output = client(&place, "mosquitto_sub", "viewer", &listens);
    assert!(!output.status.success());
    let refused = said(&output).to_lowercase().contains("not authorised");
    assert!(
        refused || said(&output).to_lowercase().contains("not authorized"),
        "{}",
        said(&output)
    );
}
