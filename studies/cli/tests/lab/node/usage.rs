//! Wrong use, and the page that explains the command.

use std::net::UdpSocket;

use crate::gateway_support::Site;

#[test]
fn wrong_use_says_what_to_do() {
    let site = Site::new();
    let says = |arguments: &[&str], code, what: &str| {
        let answer = site.selo(arguments);
        assert_eq!(answer.code, Some(code), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains(what), "{arguments:?}: {answer:?}");
        assert!(answer.stderr.contains("hint:"), "{arguments:?}: {answer:?}");
        answer
    };
    says(&["node", "--to", "127.0.0.1"], 2, "node 0 has no key");
    says(
        &["node", "--to", "127.0.0.1:x"],
        2,
        "'x' is not a valid port",
    );
    says(
        &["node", "--to", "127.0.0.1:70000"],
        2,
        "'70000' is not a valid port",
    );
    says(
        &["node", "--to", "nowhere.invalid"],
        2,
        "the host is unknown",
    );
    says(
        &[
            "node",
            "--to",
            "127.0.0.1",
            "--state",
            "a",
            "--pair",
            "--count",
            "2",
        ],
        2,
        "one node",
    );
    site.file("empty.csv", b"");
    says(
        &["node", "--to", "127.0.0.1", "--registry", "empty.csv"],
        2,
        "no device",
    );

    site.ok(&["node", "--make-registry", "n.csv", "--state", "n"]);
    says(
        &["node", "--make-registry", "m.csv", "--state", "n"],
        2,
        "already contains nodes",
    );
    says(
        &["node", "--make-registry", "n.csv", "--state", "m"],
        2,
        "already exists",
    );
    let first = ["node", "--to", "127.0.0.1", "--state", "n"];
    says(
        &[&first[..], &["--suite", "ascon"]].concat(),
        2,
        "has suite chachapoly-blake2s",
    );
    site.ok(&["node", "--make-registry", "o.csv", "--state", "o"]);
    says(
        &[&first[..], &["--registry", "o.csv"]].concat(),
        2,
        "use another directory",
    );

    // Nothing listens there: the port was just released.
    let free = UdpSocket::bind("127.0.0.1:0").expect("binds").local_addr();
    let free = free.expect("bound").to_string();
    let answer = says(
        &["node", "--to", &free, "--state", "n", "--for", "1s"],
        1,
        "no program listens",
    );
    assert!(answer.stdout.contains("0 of 1 node joined"), "{answer:?}");

    // A file that is not a record stays unchanged.
    let records = site.path().join("n/records");
    std::fs::write(&records, "letters").expect("writes");
    says(&first, 2, "does not hold records");
    assert_eq!(std::fs::read(&records).expect("there"), b"letters");
    site.file("file", b"");
    says(
        &["node", "--to", "127.0.0.1", "--state", "file"],
        4,
        "cannot write",
    );
}

/// Follows docs/firmware/run-nodes.md: runs its `sh` blocks on a gateway with another port, and
/// looks for the lines of its `expect` blocks.
#[test]
fn the_page_can_be_followed() {
    let page =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/firmware/run-nodes.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let site = Site::new();
    let gateway = site.gateway(&[]);
    let to = gateway.address.to_string();
    let (mut said, mut block) = (String::new(), None);
    let (mut performed, mut expected) = (0, 0);
    for line in page.lines() {
        match (line.strip_prefix("```"), block) {
            (Some(info), None) => block = Some(info),
            (Some(_), Some(_)) => block = None,
            (None, Some("sh")) => {
                let words = line.split_whitespace().map(|word| match word {
                    "127.0.0.1" => to.as_str(),
                    _ => word,
                });
                let answer = site.selo(&words.skip(1).collect::<Vec<_>>());
                // On a bad network a node may give up a reading, and reports it.
                assert!(matches!(answer.code, Some(0 | 1)), "{line}: {answer:?}");
                said += &answer.stdout;
                performed += 1;
            }
            (None, Some("expect")) => {
                assert!(said.contains(line), "{line:?} is not in:\n{said}");
                expected += 1;
            }
            _ => {}
        }
    }
    assert!(performed >= 4 && expected >= 3, "{performed} {expected}");
    assert_eq!(gateway.stop().0, Some(0));
}
