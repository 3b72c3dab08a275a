//! Tests the configuration file: precedence, error messages, and `selo config show`. Also tests
//! backups, which find the state directory through the file.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::gateway_support::{Answer, Site};

/// The command without SELO_STATE, which other tests set.
fn selo(site: &Site, environment: &[(&str, &str)], arguments: &[&str]) -> Answer {
    let mut command = site.command(arguments);
    command
        .env_remove("SELO_STATE")
        .env("XDG_CONFIG_HOME", site.path().join("none"))
        .envs(environment.iter().copied());
    Answer::of(command.output().expect("runs"))
}

fn line_of<'a>(text: &'a str, key: &str) -> &'a str {
    let line = text
        .lines()
        .find(|line| line.starts_with(&format!("{key} =")));
    line.unwrap_or_else(|| panic!("no {key} in {text}"))
}

#[test]
fn the_command_line_goes_before_the_environment_and_that_before_the_file() {
    let site = Site::new();
    site.file(
        "selo.toml",
        b"site = \"everywhere\"\njson-log = true\n[up]\nsite = \"farm\"\nhttp = \"127.0.0.1:1\"\n\
          keep_raw = \"30d\"\nwebhook = [\"https://hooks.example/secret\"]\n\
          database = \"postgres://selo:pass@db/readings\"\n",
    );
    let show = |environment: &[(&str, &str)], more: &[&str]| {
        let arguments = [&["--config", "selo.toml", "config", "show"], more].concat();
        let answer = selo(&site, environment, &arguments);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        answer.stdout
    };
    let text = show(&[], &["up"]);
    assert_eq!(
        line_of(&text, "http"),
        "http = \"127.0.0.1:1\"  # selo.toml:5"
    );
    assert_eq!(line_of(&text, "site"), "site = \"farm\"  # selo.toml:4");
    assert_eq!(line_of(&text, "json-log"), "json-log = true  # selo.toml:2");
    assert_eq!(
        line_of(&text, "keep-raw"),
        "keep-raw = \"30d\"  # selo.toml:6"
    );
    assert_eq!(line_of(&text, "log"), "log = \"info\"  # default");
    assert!(line_of(&text, "database").contains("\"postgres://selo@db/...\""));
    assert!(line_of(&text, "webhook").contains("[\"https://hooks.example/...\"]"));
    assert!(!text.contains("pass") && !text.contains("secret"), "{text}");
    assert!(text.contains("# report is not set"), "{text}");
    // A key above the sections applies to every command.
    let text = show(&[], &["gateway"]);
    assert_eq!(
        line_of(&text, "site"),
        "site = \"everywhere\"  # selo.toml:1"
    );

    let environment = [("SELO_HTTP", "127.0.0.1:2"), ("SELO_SITE", "hill")];
    let text = show(&environment, &["up"]);
    assert_eq!(
        line_of(&text, "http"),
        "http = \"127.0.0.1:2\"  # environment, SELO_HTTP"
    );
    let text = show(&environment, &["up", "--http", "127.0.0.1:3"]);
    assert_eq!(
        line_of(&text, "http"),
        "http = \"127.0.0.1:3\"  # command line"
    );
    assert_eq!(
        line_of(&text, "site"),
        "site = \"hill\"  # environment, SELO_SITE"
    );
    // A list on the command line replaces the list of the file.
    let text = show(&[], &["up", "--webhook", "https://other.example"]);
    assert!(line_of(&text, "webhook").starts_with("webhook = [\"https://other.example\"]"));
    // SELO_CONFIG names the file.
    let answer = selo(
        &site,
        &[("SELO_CONFIG", "selo.toml")],
        &["config", "show", "up"],
    );
    assert!(answer.stdout.contains("# selo.toml:5"), "{answer:?}");
}

#[test]
fn an_option_that_rules_another_out_does_so_in_the_file() {
    let site = Site::new();
    site.file("selo.toml", b"[up]\ntls = true\n");
    let more = ["--tls-cert", "a.pem", "--tls-key", "a.key"];
    let arguments = [
        &["--config", "selo.toml", "config", "show", "up"],
        &more[..],
    ]
    .concat();
    let answer = selo(&site, &[], &arguments);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert_eq!(line_of(&answer.stdout, "tls"), "tls = false  # default");
}

#[test]
fn mistakes_name_the_file_the_line_the_key_and_the_nearest_one() {
    let site = Site::new();
    site.file("selo.toml", b"[up]\nhtpp = \"127.0.0.1:1\"\n\n[colect]\n");
    let words = [
        "selo.toml:2: [up] has no key 'htpp'; did you mean 'http'?",
        "selo.toml:4: there is no section [colect]; did you mean [collect]?",
    ];
    for arguments in [
        &["config", "check", "selo.toml"][..],
        &["--config", "selo.toml", "up"],
        &["--config", "selo.toml", "device", "list"],
    ] {
        let answer = selo(&site, &[], arguments);
        assert_eq!(answer.code, Some(2), "{arguments:?}: {answer:?}");
        for words in words {
            assert!(answer.stderr.contains(words), "{arguments:?}: {answer:?}");
        }
        assert!(answer.stderr.contains("hint: "), "{answer:?}");
    }
    // One key requires another.
    site.file("half.toml", b"\n[collect]\ntls-cert = \"a.pem\"\n");
    let answer = selo(&site, &[], &["config", "check", "half.toml"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    assert!(
        answer.stderr.contains("half.toml:2: [collect]: "),
        "{answer:?}"
    );
    assert!(answer.stderr.contains("--tls-key"), "{answer:?}");
    let answer = selo(&site, &[], &["--config", "nowhere.toml", "up"]);
    assert!(
        answer.stderr.contains("cannot read nowhere.toml"),
        "{answer:?}"
    );
}

#[test]
fn what_is_written_for_a_start_is_good() {
    let site = Site::new();
    let written = selo(&site, &[], &["config", "init"]);
    assert_eq!(written.code, Some(0), "{written:?}");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&site.path().join("selo.toml")), 0o600);
    let again = selo(&site, &[], &["config", "init"]);
    assert_eq!(again.code, Some(4), "it is not overwritten: {again:?}");
    for arguments in [
        &["config", "check", "selo.toml"][..],
        &["setup", "farm"],
        &["config", "check", "farm/selo.toml"],
        &["--config", "farm/selo.toml", "config", "show", "broker"],
        &["--config", "farm/selo.toml", "config", "show", "collect"],
    ] {
        let answer = selo(&site, &[], arguments);
        assert_eq!(answer.code, Some(0), "{arguments:?}: {answer:?}");
    }
    // The file is found in its default place.
    let folder = site.path().join("none/selo");
    std::fs::create_dir_all(&folder).expect("makes");
    std::fs::write(folder.join("selo.toml"), "site = \"hill\"\n").expect("writes");
    let answer = selo(&site, &[], &["config", "show", "up"]);
    assert!(
        line_of(&answer.stdout, "site").contains("selo.toml:1"),
        "{answer:?}"
    );
}

#[test]
fn the_file_says_where_the_state_is_and_backups_hold_it() {
    let site = Site::new();
    site.file("selo.toml", b"state = \"kept\"\n");
    let run = |arguments: &[&str]| {
        let arguments = [&["--config", "selo.toml"], arguments].concat();
        selo(&site, &[], &arguments)
    };
    let id = run(&["device", "add", "--generate", "--name", "roof"]);
    assert_eq!(id.code, Some(0), "{id:?}");
    assert!(site.path().join("kept/registry.db").exists());
    let answer = run(&["backup", "copy"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.stdout.contains("registry.db"), "{answer:?}");
    let copy = site.path().join("copy");
    let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!(
        (mode(&copy), mode(&copy.join("registry.db"))),
        (0o700, 0o600)
    );
    assert_eq!(
        run(&["backup", "copy"]).code,
        Some(2),
        "it is there already"
    );

    // Nothing is restored into a directory that already has a state.
    let answer = run(&["restore", "copy"]);
    assert_eq!(answer.code, Some(2), "{answer:?}");
    let answer = run(&["restore", "copy", "--state", "other"]);
    assert_eq!(answer.code, Some(0), "{answer:?}");
    let listed = run(&["device", "list", "--state", "other"]);
    assert!(listed.stdout.contains("roof"), "{listed:?}");

    // Change one byte of the file.
    let path = copy.join("registry.db");
    let mut bytes = std::fs::read(&path).expect("there");
    *bytes.last_mut().expect("a byte") ^= 1;
    std::fs::write(&path, bytes).expect("writes");
    let answer = run(&["restore", "copy", "--state", "third"]);
    assert_eq!(answer.code, Some(4), "{answer:?}");
    assert!(
        answer.stderr.contains("registry.db is damaged"),
        "{answer:?}"
    );
    assert!(!site.path().join("third").exists(), "nothing was written");
    let list = copy.join("backup.json");
    let text = std::fs::read_to_string(&list).expect("there");
    std::fs::write(&list, text.replace("registry.db", "../registry.db")).expect("writes");
    let answer = run(&["restore", "copy", "--state", "third"]);
    assert!(
        answer.stderr.contains("is not a valid file name"),
        "{answer:?}"
    );
}

/// Minutes are made of the readings: an option of earlier versions is taken, and what it no longer does
/// is said where that loses something.
#[test]
fn times_that_keep_too_little_are_told() {
    let site = Site::new();
    let collect = |more: &[&str]| {
        // Without TLS it does not start on an address that others reach.
        let arguments = ["collect", "--http", "0.0.0.0:0"];
        let answer = selo(&site, &[], &[&arguments[..], more].concat());
        assert_eq!(answer.code, Some(2), "{answer:?}");
        answer.stderr
    };
    let said = collect(&["--keep-raw", "30d", "--keep-minutes", "60d"]);
    assert!(
        said.contains("--keep-minutes has no effect any more"),
        "{said}"
    );
    assert!(said.contains("kept for 30days"), "{said}");
    site.file("old.toml", b"[collect]\nkeep-minutes = \"500d\"\n");
    let said = collect(&["--config", "old.toml"]);
    assert!(said.contains("has no effect any more"), "{said}");
    for more in [&["--keep-minutes", "60d"][..], &["--keep-raw", "30d"]] {
        let said = collect(more);
        assert!(!said.contains("--keep-minutes"), "{said}");
    }
    let said = collect(&["--keep-raw", "1d"]);
    assert!(
        said.contains("must be kept for at least 8 days (--keep-raw)"),
        "{said}"
    );
}
