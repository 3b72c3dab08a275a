//! Parts of the command that need no process: lines of the log, the collector's name, servers.

use selo_cli::collect::client_id;
use selo_cli::log::{escaped, is_hidden, json};
use selo_cli::stream::with_user;
use selo_stream::client::parse_url;

const EVIL: &str = "a\nERROR b\x1b[2J\u{9b}1m\u{202e}c\r\u{2028}d\u{7f}";

#[test]
fn a_line_stays_one_line_and_says_what_it_holds() {
    let shown = escaped(EVIL, |c| c.escape_default().to_string());
    assert_eq!(
        shown,
        "a\\nERROR b\\u{1b}[2J\\u{9b}1m\\u{202e}c\\r\\u{2028}d\\u{7f}"
    );
    assert_eq!(escaped("Größe 日本", |_| String::new()), "Größe 日本");
}

#[test]
fn a_line_of_json_means_the_same_as_before() {
    let line = serde_json::json!({"topic": EVIL}).to_string() + "\n";
    let shown = json(line.as_bytes());
    assert!(!shown.trim_end_matches('\n').chars().any(is_hidden));
    assert!(shown.ends_with('\n'));
    let value: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    assert_eq!(value["topic"], EVIL);
}

#[test]
fn a_collector_keeps_its_name_and_no_other_has_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let of = |name: &str| client_id(&folder.path().join(name)).expect("a name");
    let first = of("a");
    assert_eq!(of("a"), first);
    assert_ne!(of("b"), first);
    // A full disk can leave an empty file: the collector then draws a new id.
    std::fs::write(folder.path().join("a/client-id"), "").expect("writes");
    assert!(of("a").starts_with("selo-collector-"));
}

#[test]
fn a_server_without_a_user_has_that_of_the_first() {
    let url = |text| parse_url(text).expect("an address");
    let others = [url("tls://b"), url("tls://other@c")];
    let found = with_user(&others, &url("tls://north@a"));
    let users: Vec<_> = found.iter().map(|it| it.user.as_deref()).collect();
    assert_eq!(users, [Some("north"), Some("other")]);
}
