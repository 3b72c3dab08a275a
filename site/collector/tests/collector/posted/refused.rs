//! Posts that are refused.

use crate::common::Site;
use selo_collector::auth::STRANGER_POSTS;
use selo_collector::http::tls::{Offer, TlsFiles};
use selo_collector::{Collector, Config};
use selo_tls::station::BODY_MAX;
use selo_tls::{Group, Suite};
use serde_json::json;

use super::{READING, nobody, post, time, with_token};

#[test]
fn what_is_wrong_is_refused_with_a_word_why() {
    let site = Site::start();
    let bus = with_token(&site, "bus", "device");
    let good = time(Suite::Aes128Gcm, false, 0.1);
    let long = format!("{}{}", " ".repeat(BODY_MAX), READING.body());
    for (route, body, status, said) in [
        ("reading", "", 400, "invalid body"),
        ("reading", "{", 400, "invalid body"),
        ("reading", "null", 400, "invalid body"),
        (
            "reading",
            r#"{"latitude":NaN,"longitude":0,"speed":0}"#,
            400,
            "invalid body",
        ),
        (
            "reading",
            r#"{"latitude":91,"longitude":0,"speed":0}"#,
            400,
            "latitude must be -90 to 90",
        ),
        (
            "reading",
            r#"{"latitude":0,"longitude":0,"speed":-1}"#,
            400,
            "speed must be 0 to",
        ),
        ("reading", good.as_str(), 400, "unknown field"),
        ("handshake", READING.body().as_str(), 400, "unknown field"),
        (
            "handshake",
            &good.replace("TLS_AES_128", "TLS_DES"),
            400,
            "is not one of: TLS_AES_128",
        ),
        (
            "exchange",
            &good.replace("x25519", "x448"),
            400,
            "'x448' is not one of: x25519",
        ),
        (
            "exchange",
            &good.replace("0.1", "-0.1"),
            400,
            "seconds must be 0 to 3600",
        ),
        ("reading", &long, 413, "length limit"),
        ("readings", good.as_str(), 404, "there is no"),
    ] {
        let answer = post(&bus, route, body);
        assert_eq!(answer.status, status, "{route} {body}: {}", answer.text);
        let why = answer.json()["error"]["message"].to_string();
        assert!(why.contains(said), "{route} {body}: {why}");
    }
    let path = "/api/v1/exchange/reading";
    assert_eq!(bus.request("GET", path, &[], "").status, 405);
    for path in ["exchange?from=x", "export?of=everything"] {
        assert_eq!(
            site.client.get(&format!("/api/v1/{path}")).status,
            400,
            "{path}"
        );
    }
    let found = site.client.get("/api/v1/exchange").ok();
    assert_eq!((&found["times"], &found["track"]), (&json!([]), &json!([])));
}

#[test]
fn nobody_posts_without_a_token_unless_the_operator_says_so() {
    let site = Site::start();
    let body = READING.body();
    let viewer = with_token(&site, "eye", "viewer");
    let mut wrong = nobody(&site);
    wrong.token = Some("selo_x".into());
    for route in ["reading", "handshake", "exchange"] {
        assert_eq!(post(&nobody(&site), route, &body).status, 401);
        assert_eq!(post(&wrong, route, &body).status, 401);
        assert_eq!(post(&viewer, route, &body).status, 403);
    }
    assert_eq!(nobody(&site).get("/api/v1/exchange").status, 401);
    assert_eq!(
        with_token(&site, "bus", "device")
            .get("/api/v1/exchange")
            .status,
        403
    );
    assert_eq!(viewer.get("/api/v1/exchange").status, 200);

    let open = Site::start_with(|config| config.strangers = true);
    let mut wrong = nobody(&open);
    assert_eq!(post(&wrong, "reading", &body).status, 204);
    let found = open.client.get("/api/v1/exchange").ok();
    assert_eq!(found["stations"][0]["station"], "@127.0.0.1");
    wrong.token = Some("selo_x".into());
    assert_eq!(
        post(&wrong, "reading", &body).status,
        401,
        "a token is one or none"
    );
    let evil = [("origin", "https://evil.example")];
    let path = "/api/v1/exchange/reading";
    assert_eq!(
        nobody(&open).request("POST", path, &evil, &body).status,
        403
    );
    assert_eq!(nobody(&open).get("/api/v1/exchange").status, 401);
    // Invalid posts count towards the limit too.
    for _ in 1..STRANGER_POSTS {
        assert_eq!(post(&nobody(&open), "reading", "").status, 400);
    }
    let answer = post(&nobody(&open), "reading", &body);
    assert_eq!(
        (answer.status, answer.headers.contains_key("retry-after")),
        (429, true)
    );
    assert_eq!(
        post(&with_token(&open, "bus", "device"), "reading", &body).status,
        204
    );
    open.pass(60_000);
    assert_eq!(post(&nobody(&open), "reading", &body).status, 204);
}

/// Output of `openssl s_client` for these arguments: the negotiated parameters.
fn agreed(site: &Site, arguments: &[&str]) -> String {
    let address = site.collector.as_ref().expect("runs").address();
    let output = std::process::Command::new("openssl")
        .args(["s_client", "-connect", &address.to_string()])
        .args(arguments)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("openssl runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_server_offers_what_it_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = selo_mqtt::certificate::Files::of(folder.path());
    selo_mqtt::certificate::ensure(&files, &["localhost".into(), "127.0.0.1".into()])
        .expect("certificates");
    let tls = TlsFiles {
        certificate: files.server.clone(),
        key: files.server_key.clone(),
    };
    let start = |offer: Offer| {
        let tls = tls.clone();
        Site::start_over_tls(&files.ca, move |config| {
            config.tls = Some(tls);
            config.offer = offer;
        })
    };
    let chacha = ["-tls1_3", "-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"];
    let aes = ["-tls1_3", "-ciphersuites", "TLS_AES_256_GCM_SHA384"];
    let x25519 = ["-tls1_3", "-groups", "X25519"];
    let refused = "Cipher is (NONE)";

    let all = start(Offer::default());
    assert!(agreed(&all, &["-tls1_2"]).contains("New, TLSv1.2, Cipher is ECDHE"));
    assert!(agreed(&all, &chacha).contains("Cipher is TLS_CHACHA20"));
    assert!(agreed(&all, &["-tls1_3", "-groups", "P-384"]).contains("Cipher is TLS_"));

    let one = start(Offer {
        suites: vec![Suite::ChaCha20Poly1305],
        groups: vec![Group::Secp256r1],
        without_tickets: true,
    });
    let said = agreed(&one, &chacha);
    assert!(said.contains("Cipher is TLS_CHACHA20"), "{said}");
    assert!(said.contains("ECDH, prime256v1"), "{said}");
    for arguments in [&aes[..], &x25519[..], &["-tls1_2"][..]] {
        let said = agreed(&one, arguments);
        assert!(said.contains(refused), "{arguments:?}: {said}");
    }

    let mut config = Config::new(folder.path().join("clear"));
    config.http = "127.0.0.1:0".parse().expect("an address");
    config.offer.groups = vec![Group::X25519];
    let error = Collector::start(config).expect_err("no certificate");
    assert!(error.to_string().contains("no certificate"), "{error}");
}
