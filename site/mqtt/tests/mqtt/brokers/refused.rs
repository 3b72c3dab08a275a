//! Certificates and passwords that a broker or a client refuses.

use std::os::unix::fs::PermissionsExt;

use crate::support::{BOTH, BrokerSetup, Kind, deliver, reading, readings, refused};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use selo_mqtt::Publisher;

use super::arrives;

/// Creates a server certificate with these names and days, signed by the place's authority.
fn certificate(place: &BrokerSetup, names: &[&str], days: (i64, i64), other_authority: bool) {
    make_certificate(place, "server", names, days, other_authority);
}

fn make_certificate(
    place: &BrokerSetup,
    file: &str,
    names: &[&str],
    days: (i64, i64),
    other_authority: bool,
) {
    let key = KeyPair::generate().expect("a key");
    let issuer_key = std::fs::read_to_string(place.path("ca.key")).expect("there");
    let issuer = if other_authority {
        let mut params = CertificateParams::new(Vec::new()).expect("params");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Issuer::new(params, KeyPair::generate().expect("a key"))
    } else {
        let ca = std::fs::read_to_string(place.path("ca.pem")).expect("there");
        Issuer::from_ca_cert_pem(&ca, KeyPair::from_pem(&issuer_key).expect("a key"))
            .expect("an authority")
    };
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("params");
    let now = time::OffsetDateTime::now_utc();
    params.not_before = now + time::Duration::days(days.0);
    params.not_after = now + time::Duration::days(days.1);
    let made = params.signed_by(&key, &issuer).expect("signs");
    std::fs::write(place.path(&format!("{file}.pem")), made.pem()).expect("writes");
    let path = place.path(&format!("{file}.key"));
    std::fs::write(&path, key.serialize_pem()).expect("writes");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("chmod");
}

#[test]
fn a_wrong_certificate_is_named_and_nothing_is_lost() {
    for (names, days, other, words, hint) in [
        (&["localhost"][..], (-10, -1), false, "has expired", "renew"),
        (&["localhost"], (1, 10), false, "not valid yet", "clock"),
        (
            &["localhost"],
            (-1, 10),
            true,
            "authority that this machine does not trust",
            "--mqtt-ca",
        ),
        (
            &["broker.example"],
            (-1, 10),
            false,
            "is not for 'localhost', but for",
            "--name",
        ),
    ] {
        let place = BrokerSetup::new();
        certificate(&place, names, days, other);
        let broker = place.start(Kind::Mosquitto);
        let mut publisher = Publisher::new(place.publisher()).expect("starts");
        let batch = readings(1, 0..10);
        let reason = refused(&mut publisher, &batch, words);
        assert!(
            reason.contains("hint: ") && reason.contains(hint),
            "{reason}"
        );
        broker.kill();

        certificate(&place, &["localhost"], (-1, 10), false);
        let _broker = place.start(Kind::Mosquitto);
        arrives(&place, &mut publisher, &batch);
    }
}

#[test]
fn a_wrong_password_is_named_and_nothing_is_lost() {
    for kind in BOTH {
        let place = BrokerSetup::new();
        let broker = place.start(kind);
        let right = std::fs::read_to_string(place.path("passwords")).expect("there");
        let mut client = place.client("gateway");
        client.password = Some("wrong".to_owned().into());
        let mut publisher = Publisher::new(place.publisher_as(client)).expect("starts");
        let batch = readings(1, 0..10);
        let reason = refused(&mut publisher, &batch, "refuses user gateway");
        assert!(
            reason.contains("hint: ") && reason.contains("--mqtt-password-file"),
            "{reason}"
        );
        assert!(
            !reason.contains("wrong\"") && !reason.contains(right.trim()),
            "{reason}"
        );
        broker.kill();

        // Set the broker's password to the one that the gateway has.
        let line = selo_mqtt::access::password_line("gateway", "wrong").expect("a line");
        let others = right.lines().filter(|line| !line.starts_with("gateway:"));
        let users: Vec<&str> = others.chain([line.trim()]).collect();
        std::fs::write(place.path("passwords"), users.join("\n") + "\n").expect("writes");
        let _broker = place.start(kind);
        arrives(&place, &mut publisher, &batch);
    }
}

#[test]
fn a_client_certificate_is_shown_when_the_broker_wants_one() {
    let place = BrokerSetup::new();
    let config = place.path("mosquitto.conf");
    let text = std::fs::read_to_string(&config).expect("there")
        + &format!(
            "cafile {}\nrequire_certificate true\n",
            place.path("ca.pem").display()
        );
    std::fs::write(&config, text).expect("writes");
    let _broker = place.start(Kind::Mosquitto);
    let mut without = Publisher::new(place.publisher()).expect("starts");
    let reason = refused(
        &mut without,
        &[reading(1, 0)],
        "requires a client certificate",
    );
    assert!(reason.contains("--mqtt-certificate"), "{reason}");
    make_certificate(&place, "client", &["gateway"], (-1, 10), false);
    let mut client = place.client("gateway");
    client.certificate = Some((place.path("client.pem"), place.path("client.key")));
    let mut with = Publisher::new(place.publisher_as(client)).expect("starts");
    deliver(&mut with, &[reading(1, 0)]);
}
