//! What can go wrong with a head: each mistake is said, with what to do.

use serde_json::Value;

use super::Taking;

#[test]
fn what_goes_wrong_with_a_head_is_said_with_what_to_do() {
    let taking = Taking::new();
    let site = &taking.site;
    taking.add("hill");
    let to = taking.heads.to_string();
    for (words, code, problem, hint) in [
        (
            &["head", "add", "hill", "--to", &to][..],
            2,
            "there is already a head 'hill'",
            "selo head remove",
        ),
        (
            &["head", "add", "Hill", "--to", &to],
            2,
            "not a name for a head",
            "",
        ),
        (
            &["head", "add", "dale", "--to", "nowhere"],
            2,
            "expected HOST:PORT",
            "",
        ),
        (
            &["head", "add", "dale", "--to", &to, "--output", "hill.head"],
            2,
            "is the file of the head 'hill'",
            "",
        ),
        (
            &["head", "add", "dale", "--to", &to, "--output", "/nowhere/x"],
            4,
            "cannot write",
            "",
        ),
        (
            &["head", "remove", "dale"],
            2,
            "there is no head 'dale'",
            "selo head list",
        ),
        (&["head", "run", "hill.head"], 2, "required", ""),
        (
            &["head", "run", "dale.head", "--listen", "127.0.0.1:0"],
            4,
            "cannot read dale.head",
            "",
        ),
        (
            &["head", "run", "hill.head", "--radio", "/nowhere"],
            4,
            "cannot use the radio module",
            "plugged in",
        ),
    ] {
        let answer = site.selo(words);
        assert_eq!(answer.code, Some(code), "{words:?}: {answer:?}");
        assert!(
            answer.stderr.contains(problem) && answer.stderr.contains(hint),
            "{words:?}: {answer:?}"
        );
    }
    // A head that was refused has left nothing behind.
    let listed = site.ok(&["head", "list", "--json"]);
    assert_eq!(listed.lines().count(), 1, "{listed}");

    // Others can read the key.
    let copy = site.path().join("copy.head");
    std::fs::copy(site.path().join("hill.head"), &copy).expect("copies");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&copy, open).expect("chmod");
    let answer = site.selo(&["head", "run", "copy.head", "--listen", "127.0.0.1:0"]);
    assert!(answer.stderr.contains("chmod 600"), "{answer:?}");

    // Removed while it is connected: cut off, and it says why.
    let head = taking.head("hill", &["--listen", "127.0.0.1:0"]);
    site.ok(&["head", "remove", "hill"]);
    taking.gateway.log.said("the head was removed");
    head.err.said("does not know this head");
    assert!(!head.err.all().contains("panicked"), "{}", head.err.all());

    // It knocks as a head of the gateway, and has another key: the handshake refuses it.
    // The gateway knows it by then: it would refuse an unknown one with the same words.
    taking.add("dale");
    taking.head("dale", &["--listen", "127.0.0.1:0"]).kill();
    let strange = site.path().join("dale.head");
    let whole = std::fs::read_to_string(&strange).expect("reads");
    let mut file: Value = serde_json::from_str(&whole).expect("JSON");
    let removed = std::fs::read_to_string(site.path().join("hill.head")).expect("reads");
    let removed: Value = serde_json::from_str(&removed).expect("JSON");
    for part in ["key", "certificate"] {
        file[part] = removed[part].clone();
    }
    std::fs::write(&strange, file.to_string()).expect("writes");
    let head = taking.start("dale", &["--listen", "127.0.0.1:0"]);
    head.err.said("does not know this head");
    assert!(taking.listed("dale")["connection"].is_null());
    head.kill();

    // The right head, and a gateway whose key is not that of the head's file: it says nothing to it.
    let mut file: Value = serde_json::from_str(&whole).expect("JSON");
    file["gateways"][0]["certificate"] = removed["certificate"].clone();
    std::fs::write(&strange, file.to_string()).expect("writes");
    let head = taking.start("dale", &["--listen", "127.0.0.1:0"]);
    head.err.said("another gateway answers at this address");
    assert!(taking.listed("dale")["connection"].is_null());
    head.kill();

    // Another gateway at the address: the head tells it nothing.
    let other = Taking::new();
    other.add("hill");
    let file = site.path().join("hill.head");
    let text = std::fs::read_to_string(&file).expect("reads");
    let moved = text.replace(&to, &other.heads.to_string());
    assert_ne!(text, moved);
    std::fs::write(&file, moved).expect("writes");
    let head = taking.start("hill", &["--listen", "127.0.0.1:0"]);
    head.err.said("does not know this head");
    assert!(other.listed("hill")["connection"].is_null());
    assert_eq!(taking.gateway.stop().0, Some(0));
}
