//! `selo exchange tls` against `selo collect`: the real commands over real TLS, with both
//! databases. Posted readings reach the database, and failures are reported.

use crate::gateway_support::{Running, Site};
use crate::postgres::Cluster;
use serde_json::{Value, json};

const TLS: [&str; 4] = [
    "--tls-cert",
    "tls/server.pem",
    "--tls-key",
    "tls/server.key",
];

struct Town {
    site: Site,
    database: String,
    // The last field, so that it is dropped last.
    _cluster: Option<Cluster>,
}

impl Town {
    /// Makes the certificates too.
    fn new(cluster: Option<Cluster>) -> Town {
        let site = Site::new();
        let done = site.command(&["setup", "tls"]).output().expect("runs");
        assert!(done.status.success(), "{done:?}");
        let database = match &cluster {
            Some(cluster) => cluster.url(),
            None => "readings.db".into(),
        };
        Town {
            site,
            database,
            _cluster: cluster,
        }
    }

    /// Starts a collector. Returns its address.
    fn collect(&self, more: &[&str]) -> (Running, String) {
        let mut arguments = vec!["collect", "--http", "127.0.0.1:0"];
        arguments.extend(["--database", &self.database]);
        arguments.extend(more);
        let collector = Running::start(&self.site, &arguments);
        let line = collector.err.wait("listening on ");
        let url = line.rsplit("listening on ").next().expect("a URL").trim();
        // The certificate also covers the name `localhost`.
        (collector, url.replace("127.0.0.1", "localhost"))
    }

    /// Exit code and standard error of `selo exchange tls` to a collector.
    fn exchange(&self, url: &str, more: &[&str]) -> (Option<i32>, String) {
        let mut arguments = vec!["exchange", "tls", "--to", url, "--ca", "tls/ca.pem"];
        arguments.extend(["--warm-up", "0", "--report-times"]);
        arguments.extend(more);
        let output = self.site.command(&arguments).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    }

    /// Makes tokens of a station and of a reader. The station's token is in the file `token`.
    fn tokens(&self) -> String {
        let (collector, url) = self.collect(&[]);
        let password = std::fs::read_to_string(self.site.state().join("collector/admin-password"));
        let login = json!({"user": "admin", "password": password.expect("there").trim()});
        let answer = ureq::post(format!("{url}/api/v1/login"))
            .send(login.to_string())
            .expect("logged in");
        let cookie = answer.headers()["set-cookie"].to_str().expect("text");
        let cookie = cookie.split(';').next().expect("one").to_owned();
        let make = |name: &str, role: &str| {
            let body = json!({"name": name, "role": role}).to_string();
            let answer = ureq::post(format!("{url}/api/v1/tokens"))
                .header("cookie", &cookie)
                .send(body)
                .expect("made");
            let text = answer.into_body().read_to_string().expect("text");
            let made: Value = serde_json::from_str(&text).expect("JSON");
            made["token"].as_str().expect("a token").to_owned()
        };
        let station = make("bus", "device");
        let file = self.site.file("token", format!("{station}\n").as_bytes());
        private(&file, 0o600);
        let viewer = make("eye", "viewer");
        end(collector);
        viewer
    }
}

fn private(file: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(mode)).expect("set");
}

fn end(collector: Running) {
    collector.interrupt();
    assert_eq!(collector.wait().0, Some(0));
}

fn exchanges_are_stored(cluster: Option<Cluster>) {
    let town = Town::new(cluster);
    let viewer = town.tokens();
    let (collector, url) = town.collect(&TLS);
    assert!(url.starts_with("https://"), "{url}");
    let (code, said) = town.exchange(
        &url,
        &[
            "--token-file",
            "token",
            "--group",
            "all",
            "--handshake",
            "full,resumed",
            "--repeat",
            "2",
        ],
    );
    assert_eq!(code, Some(0), "{said}");
    let rows = std::fs::read_to_string(town.site.path().join("out/exchange/rows.jsonl"));
    assert_eq!(rows.expect("rows").lines().count(), 36);
    end(collector);

    // The database is queried without TLS.
    let (collector, url) = town.collect(&[]);
    let answer = ureq::get(format!("{url}/api/v1/exchange"))
        .header("authorization", format!("Bearer {viewer}"))
        .call()
        .expect("answers");
    let text = answer.into_body().read_to_string().expect("text");
    let found: Value = serde_json::from_str(&text).expect("JSON");
    let times = found["times"].as_array().expect("a list");
    // Three suites, three key exchanges, full and resumed.
    assert_eq!(times.len(), 18, "{found}");
    for unit in times {
        // A client that resumes makes one full handshake first.
        let count = if unit["resumed"] == true { 2 } else { 3 };
        for phase in ["handshake", "exchange"] {
            assert_eq!(unit[phase]["count"], count, "{unit}");
            assert!(unit[phase]["mean"].as_f64().expect("a mean") > 0.0);
            assert!(unit[phase]["low"].as_f64() < unit[phase]["high"].as_f64());
        }
    }
    let bus = &found["stations"][0];
    assert_eq!(
        (&bus["station"], &bus["readings"]),
        (&json!("bus"), &json!(45))
    );
    assert_eq!(
        (&bus["latitude"], &bus["speed"]),
        (&json!(-23.1851), &json!(12.5))
    );
    end(collector);
}

#[test]
fn every_suite_key_exchange_and_handshake_with_sqlite() {
    exchanges_are_stored(None);
}

#[test]
fn every_suite_key_exchange_and_handshake_with_postgresql() {
    if let Some(cluster) = Cluster::start() {
        exchanges_are_stored(Some(cluster));
    }
}

#[test]
fn what_goes_wrong_is_said_with_what_to_do() {
    let town = Town::new(None);
    town.tokens();
    let chacha = [
        "--tls-suite",
        "TLS_CHACHA20_POLY1305_SHA256",
        "--tls-group",
        "x25519",
    ];
    let offer = [&TLS[..], &chacha[..], &["--tls-without-tickets"][..]].concat();
    let (collector, url) = town.collect(&offer);
    let chacha = ["--suite", "TLS_CHACHA20_POLY1305_SHA256", "--repeat", "1"];
    let with = |more: &[&str]| town.exchange(&url, &[&chacha[..], more].concat());

    let (code, said) = with(&["--out", "1.jsonl"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("401") && said.contains("--token-file FILE"),
        "{said}"
    );
    let wrong = town.site.file("wrong", b"selo_nobody\n");
    private(&wrong, 0o600);
    let (code, said) = with(&["--out", "2.jsonl", "--token-file", "wrong"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the token is unknown"), "{said}");
    private(&wrong, 0o644);
    let (code, said) = with(&["--out", "3.jsonl", "--token-file", "wrong"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("other users can read this token"), "{said}");

    let token = ["--token-file", "token"];
    let (code, said) = with(&[&token[..], &["--out", "4.jsonl"]].concat());
    assert_eq!(code, Some(0), "{said}");
    let resumed = ["--out", "5.jsonl", "--handshake", "resumed"];
    let (code, said) = with(&[&token[..], &resumed].concat());
    assert_eq!(code, Some(1), "there are no tickets: {said}");
    for (out, other) in [
        ("6.jsonl", ["--group", "x25519mlkem768"]),
        ("7.jsonl", ["--suite", "TLS_AES_128_GCM_SHA256"]),
    ] {
        let more = [&token[..], &["--repeat", "1", "--out", out], &other].concat();
        let suite = ["--suite", "TLS_CHACHA20_POLY1305_SHA256"];
        let suite = if other[0] == "--suite" {
            &[][..]
        } else {
            &suite[..]
        };
        let (code, said) = town.exchange(&url, &[suite, &more].concat());
        assert_eq!(code, Some(1), "{said}");
        assert!(
            said.contains("does not offer") && said.contains("--tls-suite"),
            "{said}"
        );
    }
    end(collector);
    // No server is running any more.
    let (code, said) = with(&[&token[..], &["--out", "8.jsonl"]].concat());
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("selo exchange serve-tls"), "{said}");

    for (more, words) in [
        (
            &["--tls-suite", "TLS_RSA"][..],
            "'TLS_RSA' is not one of: TLS_AES_128_GCM_SHA256",
        ),
        (
            &["--tls-group", "p256"],
            "'p256' is not one of: x25519, secp256r1",
        ),
        (&["--tls-group", "x25519"], "no certificate is set"),
    ] {
        let arguments = [&["collect", "--http", "127.0.0.1:0"], more].concat();
        let output = town.site.command(&arguments).output().expect("runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{more:?}: {said}");
    }
}

#[test]
fn stations_without_a_token_post_where_the_operator_lets_them() {
    let town = Town::new(None);
    let open = [&TLS[..], &["--exchange-without-token"]].concat();
    let (collector, url) = town.collect(&open);
    let (code, said) = town.exchange(&url, &["--repeat", "1"]);
    assert_eq!(code, Some(0), "{said}");
    end(collector);
}
