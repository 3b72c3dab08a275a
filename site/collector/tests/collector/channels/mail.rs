//! E-mail: recipients, refusals, and servers that are not who they say.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde_json::{Value, json};

use super::servers::{mail_server, mail_server_refusing, tls_mail_server};
use super::{add, hot, raise, send_test, set_rules, until};
use crate::common::Site;

/// Maximum wait for a mail.
const PATIENCE: Duration = Duration::from_secs(30);

fn mail(port: u16, security: &str) -> Value {
    json!({"name": "mail", "kind": "email", "server": "127.0.0.1", "port": port,
        "security": security, "from": "selo@example.org", "severity": "info",
        "to": ["maria@example.org", "gone@example.org", "jo@example.org"]})
}

/// The next mail, with all these parts.
fn mail_with(taken: &Receiver<String>, parts: &[&str]) {
    let told = taken.recv_timeout(PATIENCE).expect("a mail");
    for part in parts {
        assert!(told.contains(part), "{part}: {told}");
    }
}

/// The server has got neither a login nor a letter when the connection ends.
fn gets_nothing(taken: &Receiver<String>) {
    let lines = taken.recv_timeout(PATIENCE).expect("the connection's end");
    assert!(
        !lines.contains("AUTH") && !lines.contains("MAIL"),
        "{lines}"
    );
}

#[test]
fn a_mail_is_sent_with_its_recipients_and_a_login() {
    let (port, taken) = mail_server();
    let site = Site::start();
    let mail = json!({"name": "mail", "kind": "email", "server": "127.0.0.1", "port": port,
        "security": "none", "user": "desk", "secret": "mail-password",
        "from": "Selo <selo@example.org>", "to": ["maria@example.org", "João <j@example.org>"]});
    let id = add(&site, &mail);
    let answer = send_test(&site, id);
    assert_eq!(answer.status, 200, "{}", answer.text);
    let parts = [
        "AUTH PLAIN",
        "MAIL FROM:<selo@example.org>",
        "RCPT TO:<maria@example.org>",
        "RCPT TO:<j@example.org>",
        "Subject: [Selo] test (alarm)",
        "This is a test",
    ];
    mail_with(&taken, &parts);
}

#[test]
fn a_refused_recipient_keeps_the_mail_from_nobody_else() {
    let (port, taken) = mail_server_refusing("gone@example.org");
    let site = Site::start();
    set_rules(&site, &hot("critical"));
    let id = add(&site, &mail(port, "none"));
    let test = send_test(&site, id).ok();
    let refused = test["refused"].as_str().expect("a reason");
    assert!(
        refused.contains("gone@example.org") && refused.contains("no such user"),
        "{refused}"
    );
    taken.recv_timeout(PATIENCE).expect("a mail");
    raise(&site, 1);
    let parts = [
        "RCPT TO:<maria@example.org>",
        "RCPT TO:<jo@example.org>",
        "\nDATA\n",
        "CRITICAL",
    ];
    mail_with(&taken, &parts);
    let done = until(&site, id, |one| one["sent"] == 1 && one["waiting"] == 0);
    let reason = done["reason"].as_str().expect("a reason");
    assert!(reason.contains("gone@example.org"), "{reason}");
    assert!(done["failed_at"].is_string() && done["sent_at"].is_string());
}

#[test]
fn a_server_that_refuses_all_gets_the_mail_again() {
    let (port, taken) = mail_server_refusing("example.org");
    let site = Site::start();
    set_rules(&site, &hot("critical"));
    let id = add(&site, &mail(port, "none"));
    raise(&site, 1);
    let failed = until(&site, id, |one| one["attempts"] == 1);
    assert_eq!(
        (&failed["waiting"], &failed["sent"]),
        (&json!(1), &json!(0))
    );
    let told = taken.recv_timeout(PATIENCE).expect("a try");
    assert!(!told.contains("\nDATA\n"), "{told}");
}

#[test]
fn a_server_with_a_certificate_of_nobody_gets_no_mail() {
    let folder = tempfile::tempdir().expect("a folder");
    for (security, starttls) in [("tls", false), ("starttls", true)] {
        let (port, taken) = tls_mail_server(folder.path(), starttls);
        let site = Site::start();
        let mut channel = mail(port, security);
        channel["secret"] = "mail-password".into();
        let id = add(&site, &channel);
        let answer = send_test(&site, id);
        assert_eq!(answer.status, 502, "{security}: {}", answer.text);
        let text = answer.text.to_lowercase();
        assert!(text.contains("certificate"), "{security}: {text}");
        gets_nothing(&taken);
    }
}

#[test]
fn a_server_without_starttls_gets_no_mail() {
    let (port, taken) = mail_server();
    let site = Site::start();
    let mut channel = mail(port, "starttls");
    channel["secret"] = "mail-password".into();
    let id = add(&site, &channel);
    let answer = send_test(&site, id);
    assert_eq!(answer.status, 502, "{}", answer.text);
    assert!(answer.text.contains("STARTTLS"), "{}", answer.text);
    gets_nothing(&taken);
}
