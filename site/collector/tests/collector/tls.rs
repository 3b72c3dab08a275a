//! TLS for the dashboard, the API and PostgreSQL, with real certificates, connections and
//! servers.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::postgres::Cluster;
use crate::common::{NOON, Site, message};
use selo_collector::db::Location;
use selo_collector::http::tls::TlsFiles;
use selo_collector::{Collector, Config, Error};
use selo_mqtt::certificate::{Files, ensure};

/// Longest time that a test waits for an expected event.
const PATIENCE: Duration = Duration::from_secs(30);

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn own(folder: &Path, for_names: &[&str]) -> (Files, TlsFiles) {
    let files = Files::of(folder);
    ensure(&files, &names(for_names)).expect("certificates");
    let tls = TlsFiles {
        certificate: files.server.clone(),
        key: files.server_key.clone(),
    };
    (files, tls)
}

/// Output of `openssl s_client` about the server's certificate.
fn shown(site: &Site, ca: &Path) -> String {
    let address = site.collector.as_ref().expect("runs").address();
    let output = Command::new("openssl")
        .args([
            "s_client",
            "-servername",
            "localhost",
            "-verify_return_error",
        ])
        .arg("-CAfile")
        .arg(ca)
        .arg("-connect")
        .arg(address.to_string())
        .stdin(Stdio::null())
        .output()
        .expect("openssl runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A self-signed certificate that expired long ago.
fn expired(folder: &Path) -> TlsFiles {
    let tls = TlsFiles {
        certificate: folder.join("old.pem"),
        key: folder.join("old.key"),
    };
    let folder = folder.display();
    let script = format!(
        "set -e; cd '{folder}'
        openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout old.key \
            -subj /CN=localhost -out old.csr
        printf '[ca]\\ndefault_ca=d\\n[d]\\ndatabase=index\\nserial=serial\\nnew_certs_dir=.\\n\
            default_md=sha256\\npolicy=p\\n[p]\\ncommonName=supplied\\n' > ca.cnf
        : > index; echo 01 > serial
        openssl ca -batch -config ca.cnf -selfsign -keyfile old.key -in old.csr -out old.pem \
            -notext -startdate 20200101000000Z -enddate 20200102000000Z
        chmod 600 old.key"
    );
    let done = Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("sh runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    tls
}

#[test]
fn the_dashboard_speaks_tls_and_takes_a_new_certificate_while_it_runs() {
    let folder = tempfile::tempdir().expect("a folder");
    let (files, tls) = own(folder.path(), &["localhost", "127.0.0.1"]);
    let mut site = Site::start_over_tls(&files.ca, |config| config.tls = Some(tls));
    assert!(site.client.base.starts_with("https://"));
    // The login cookie is marked as Secure.
    assert!(
        site.client.set_cookie.contains("; Secure"),
        "{}",
        site.client.set_cookie
    );
    assert!(site.client.set_cookie.contains("HttpOnly"));
    let sent = site
        .client
        .send(&[message("3f9a01c2", 1, 0, NOON - 1000, 1.0)]);
    assert_eq!(sent, ["stored"]);
    let first = shown(&site, &files.ca);
    assert!(first.contains("Verify return code: 0 (ok)"), "{first}");

    // A client that speaks plain HTTP to the port gets an explanation.
    let address = site.collector.as_ref().expect("runs").address();
    let mut plain = TcpStream::connect(address).expect("connects");
    plain
        .write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        .expect("writes");
    let mut answer = String::new();
    plain.read_to_string(&mut answer).expect("an answer");
    assert!(
        answer.starts_with("HTTP/1.1 400") && answer.contains("https://"),
        "{answer}"
    );

    // Unusable files leave the certificate in place.
    let good = std::fs::read(&files.server).expect("there");
    std::fs::write(&files.server, "no certificate").expect("writes");
    let reload = site.collector.as_ref().expect("runs").reload();
    reload.notify_one();
    assert_eq!(
        certificate_of(&shown(&site, &files.ca)),
        certificate_of(&first)
    );
    std::fs::write(&files.server, good).expect("writes");

    // A new certificate is loaded without a notification.
    ensure(&files, &names(&["localhost", "127.0.0.1", "new.example"])).expect("a new one");
    let deadline = Instant::now() + PATIENCE;
    while certificate_of(&shown(&site, &files.ca)) == certificate_of(&first) {
        assert!(
            Instant::now() < deadline,
            "the new certificate is never shown"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(site.client.get("/healthz").status, 200);
    site.collector.take().expect("runs").stop();
}

fn certificate_of(text: &str) -> &str {
    let start = text.find("-----BEGIN").expect("a certificate");
    let end = text.find("-----END").expect("a certificate");
    &text[start..end]
}

fn refused(change: impl FnOnce(&mut Config)) -> Error {
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = Config::new(folder.path().join("state"));
    config.http = "127.0.0.1:0".parse().expect("an address");
    change(&mut config);
    match Collector::start(config) {
        Ok(collector) => {
            collector.stop();
            panic!("it starts");
        }
        Err(error) => error,
    }
}

#[test]
fn what_cannot_work_is_said_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let (files, good) = own(folder.path(), &["localhost"]);

    let anyone = "0.0.0.0:0".parse().expect("an address");
    let error = refused(|config| config.http = anyone);
    assert!(matches!(error, Error::Clear { .. }), "{error}");
    let hint = error.hint().expect("a hint");
    assert!(
        hint.contains("--tls-cert") && hint.contains("--behind-proxy"),
        "{hint}"
    );

    let old = expired(folder.path());
    let error = refused(|config| config.tls = Some(old));
    assert!(error.to_string().contains("expired"), "{error}");
    assert!(error.hint().expect("a hint").contains("renew"));

    let mut crossed = good.clone();
    crossed.key = files.ca_key.clone();
    let error = refused(|config| config.tls = Some(crossed));
    assert!(
        error.to_string().contains("is not the private key of"),
        "{error}"
    );

    let mut open = good.clone();
    open.key = folder.path().join("open.key");
    std::fs::copy(&good.key, &open.key).expect("copies");
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(&open.key, std::fs::Permissions::from_mode(0o644)).expect("chmod");
    let error = refused(|config| config.tls = Some(open));
    assert!(
        error.hint().expect("a hint").starts_with("chmod 600"),
        "{error}"
    );

    let mut missing = good;
    missing.certificate = folder.path().join("nothing.pem");
    let error = refused(|config| config.tls = Some(missing));
    assert!(error.to_string().contains("cannot read"), "{error}");
}

#[test]
fn postgresql_is_reached_as_sslmode_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let (files, _) = own(folder.path(), &["localhost"]);
    let Some(cluster) = Cluster::start_with_tls(&files.server, &files.server_key) else {
        return;
    };
    let port = cluster.port();
    let ca = files.ca.display().to_string();
    let open = |host: &str, parameters: &str| {
        let url = format!("postgres://postgres@{host}:{port}/postgres?{parameters}");
        Location::parse(&url).open_reader()
    };
    let encrypted = |host: &str, parameters: &str| -> bool {
        let mut db = open(host, parameters).expect("connects");
        let sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        db.query(sql, &[]).expect("an answer")[0].int(0) == 1
    };
    let full = format!("sslmode=verify-full&sslrootcert={ca}");
    assert!(encrypted("localhost", &full));
    assert!(encrypted("localhost", "sslmode=require"));
    assert!(encrypted("localhost", "sslmode=prefer"));
    assert!(encrypted("localhost", ""));
    assert!(!encrypted("localhost", "sslmode=disable"));

    let failure = |host: &str, parameters: &str| match open(host, parameters) {
        Ok(_) => panic!("{host} {parameters}: it connects"),
        Err(error) => error.to_string(),
    };
    // The certificate is for localhost, so by address only verify-ca succeeds.
    assert!(encrypted("127.0.0.1", &full.replace("full", "ca")));
    let error = failure("127.0.0.1", &full);
    assert!(error.contains("another name"), "{error}");

    let other = tempfile::tempdir().expect("a folder");
    let (others, _) = own(other.path(), &["localhost"]);
    let stranger = others.ca.display().to_string();
    for mode in ["verify-full", "verify-ca", "require"] {
        let error = failure(
            "localhost",
            &format!("sslmode={mode}&sslrootcert={stranger}"),
        );
        assert!(error.contains("does not trust"), "{mode}: {error}");
    }
    let error = failure("localhost", "sslmode=verify-full&sslrootcert=/nowhere.pem");
    assert!(error.contains("cannot read /nowhere.pem"), "{error}");

    // A whole collector over such a connection.
    let url = format!("postgres://postgres@localhost:{port}/postgres?{full}");
    let site = Site::start_with(|config| config.database = Location::parse(&url));
    let sent = site
        .client
        .send(&[message("3f9a01c2", 1, 0, NOON - 1000, 1.0)]);
    assert_eq!(sent, ["stored"]);
    drop(site);

    cluster.without_tls();
    let error = failure("localhost", "sslmode=require");
    assert!(error.contains("does not offer TLS"), "{error}");
    assert!(!encrypted("localhost", "sslmode=prefer"));
}
