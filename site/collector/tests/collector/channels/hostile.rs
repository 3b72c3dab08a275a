//! Servers that misbehave, and attempts to read a channel's secrets.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use super::servers::{accepting, request, serve};
use super::{add, hot, ntfy, raise, send_test, set_rules, shown, until};
use crate::common::Site;

/// Longest time that a misbehaving server may take, with the time of a busy machine.
const PATIENCE: Duration = Duration::from_secs(45);

#[test]
fn a_server_that_never_answers_delays_no_other_channel() {
    let silent = serve(|mut stream| {
        let _ = stream.read_to_end(&mut Vec::new());
    });
    let (url, taken) = accepting();
    let site = Site::start();
    set_rules(&site, &hot("warning"));
    let hung = add(
        &site,
        &ntfy(&format!("http://{silent}"), &json!({"name": "hung"})),
    );
    add(&site, &ntfy(&url, &json!({"name": "good"})));
    let start = Instant::now();
    raise(&site, 1);
    taken
        .recv_timeout(Duration::from_secs(10))
        .expect("the other channel's message");
    let failed = until(&site, hung, |one| one["attempts"] == 1);
    assert!(start.elapsed() < PATIENCE);
    assert!(
        failed["reason"]
            .as_str()
            .is_some_and(|why| why.contains("timeout")),
        "{failed}"
    );
    assert!(failed["next"].is_string() && failed["waiting"] == 1);
}

#[test]
fn an_endless_answer_is_not_read() {
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = sent.clone();
    let endless = serve(move |mut stream| {
        if request(&stream).is_none() {
            return;
        }
        let _ = write!(
            stream,
            "HTTP/1.1 500 Oh\r\nTransfer-Encoding: chunked\r\n\r\n"
        );
        let chunk = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
        while stream.write_all(chunk.as_bytes()).is_ok() {
            counted.fetch_add(chunk.len(), Ordering::SeqCst);
        }
    });
    let heads = serve(|mut stream| {
        if request(&stream).is_some() && write!(stream, "HTTP/1.1 200 OK\r\n").is_ok() {
            while write!(stream, "X-More: {}\r\n", "y".repeat(1000)).is_ok() {}
        }
    });
    let site = Site::start();
    for (name, address) in [("endless", endless), ("heads", heads)] {
        let id = add(
            &site,
            &ntfy(&format!("http://{address}"), &json!({"name": name})),
        );
        let start = Instant::now();
        let answer = send_test(&site, id);
        assert_eq!(answer.status, 502, "{}", answer.text);
        assert!(start.elapsed() < PATIENCE, "{name}");
    }
    assert!(sent.load(Ordering::SeqCst) < 16 << 20, "{sent:?}");
}

#[test]
fn an_endless_mail_server_is_left() {
    let endless = serve(|mut stream| while write!(stream, "220-more\r\n").is_ok() {});
    let port: u16 = endless
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok())
        .expect("a port");
    let site = Site::start();
    let mail = json!({"name": "mail", "kind": "email", "server": "127.0.0.1", "port": port,
        "security": "none", "from": "a@example.org", "to": ["b@example.org"]});
    let id = add(&site, &mail);
    let start = Instant::now();
    let answer = send_test(&site, id);
    assert_eq!(answer.status, 502, "{}", answer.text);
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn a_redirect_into_this_network_is_not_followed() {
    let reached = Arc::new(AtomicUsize::new(0));
    let counted = reached.clone();
    let inside = serve(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
    });
    let outside = serve(move |mut stream| {
        if request(&stream).is_some() {
            let _ = write!(
                stream,
                "HTTP/1.1 307 Go\r\nLocation: http://{inside}/metrics\r\nContent-Length: 0\r\n\r\n"
            );
        }
    });
    let site = Site::start();
    let id = add(&site, &ntfy(&format!("http://{outside}"), &json!({})));
    let answer = send_test(&site, id);
    assert_eq!(answer.status, 502);
    assert!(
        answer.text.contains("redirects are not followed"),
        "{}",
        answer.text
    );
    assert_eq!(reached.load(Ordering::SeqCst), 0);
}

#[test]
fn the_keys_of_a_cloud_are_out_of_reach() {
    let site = Site::start();
    for server in [
        "http://169.254.169.254",
        "http://[::ffff:169.254.169.254]",
        "http://0.0.0.0:1",
    ] {
        let channel = json!({"name": "duty", "kind": "ntfy", "server": server, "topic": "desk"});
        let id = add(&site, &channel);
        let answer = send_test(&site, id);
        assert_eq!(answer.status, 502, "{server}: {}", answer.text);
        assert!(answer.text.contains("link-local"), "{}", answer.text);
    }
    let mail = json!({"name": "mail", "kind": "email", "server": "169.254.169.254", "port": 25,
        "security": "none", "from": "a@example.org", "to": ["b@example.org"]});
    let id = add(&site, &mail);
    let answer = send_test(&site, id);
    assert!(answer.text.contains("link-local"), "{}", answer.text);
}

#[test]
fn no_answer_and_no_error_contains_a_secret() {
    // A server that repeats what it was sent.
    let echo = serve(|mut stream| {
        let Some((head, _)) = request(&stream) else {
            return;
        };
        let body = json!({"error": head, "description": head}).to_string();
        let _ = write!(
            stream,
            "HTTP/1.1 401 No\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
    });
    let url = format!("http://{echo}");
    let site = Site::start();
    let secrets = ["tk_secret", "123:bot-secret", "hook-secret", "path-secret"];
    let telegram = json!({"name": "bot", "kind": "telegram", "server": url, "topic": "7",
        "secret": secrets[1]});
    let webhook = json!({"name": "hook", "kind": "webhook", "url": format!("{url}/{}", secrets[3]),
        "secret": secrets[2]});
    let ids = [ntfy(&url, &json!({})), telegram, webhook].map(|channel| add(&site, &channel));
    let mut told = site.client.get("/api/v1/channels").text;
    for id in ids {
        let answer = send_test(&site, id);
        assert_eq!(answer.status, 502, "{}", answer.text);
        told.push_str(&answer.text);
    }
    set_rules(&site, &hot("critical"));
    raise(&site, 1);
    for id in ids {
        told.push_str(&until(&site, id, |one| one["reason"].is_string()).to_string());
    }
    for secret in secrets {
        assert!(!told.contains(secret), "{secret}: {told}");
        let bare = format!("{:?}", site.collector);
        assert!(!bare.contains(secret));
    }
    let file = site.folder.path().join("state/channels.json");
    let mode = std::fs::metadata(&file)
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_secret_is_not_sent_to_another_server() {
    let (url, taken) = accepting();
    let site = Site::start();
    let id = add(&site, &ntfy("http://127.0.0.1:1", &json!({})));
    let patch = |body: serde_json::Value| {
        let path = format!("/api/v1/channels/{id}");
        site.client.request("PATCH", &path, &[], &body.to_string())
    };
    assert_eq!(patch(json!({"server": url})).status, 400);
    assert_eq!(patch(json!({"kind": "webhook", "url": url})).status, 400);
    assert_eq!(shown(&site, id)["server"], "http://127.0.0.1:1");
    assert_eq!(
        patch(json!({"server": url, "secret": "tk_other"})).status,
        200
    );
    send_test(&site, id).ok();
    taken
        .recv_timeout(Duration::from_secs(10))
        .expect("the test");
}

#[test]
fn a_list_that_others_may_read_stops_the_start() {
    let mut site = Site::start();
    add(&site, &ntfy("http://127.0.0.1:1", &json!({})));
    site.collector.take().expect("runs").stop();
    let file = site.folder.path().join("state/channels.json");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("changes");
    let refused = selo_collector::Collector::start(site.config.clone()).expect_err("refused");
    assert!(
        refused.to_string().contains("others may read it"),
        "{refused}"
    );
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("changes");
    std::fs::write(&file, "{\"next\":1,\"channels\":[{\"secret\":\"tk_x\"}]}").expect("writes");
    let refused = selo_collector::Collector::start(site.config.clone()).expect_err("refused");
    assert!(!refused.to_string().contains("tk_x"), "{refused}");
}
