//! The keys of the configuration file, and the messages about wrong ones, without the command.

use std::path::Path;

use selo_cli::config::SPEC;
use selo_command::config::key;

fn faults(text: &str) -> String {
    let checked = SPEC.check_text(Path::new("selo.toml"), text);
    checked.map_or_else(|error| error.to_string(), |()| String::new())
}

#[test]
fn every_key_of_the_written_file_is_one() {
    let text = SPEC.template();
    assert_eq!(faults(&text), "");
    // Remove the comment marks. Skip lines whose example is not a valid value.
    let bare: String = text
        .lines()
        .filter_map(|line| match line.strip_prefix("# ") {
            Some(line) if line.contains(" = ") && !line.contains(" = \"") => Some(line),
            Some(line) if line.contains(" = \"") && line.contains(':') => None,
            Some(_) => None,
            None => Some(line),
        })
        .map(|line| format!("{line}\n"))
        .collect();
    assert!(bare.lines().count() > 20, "{bare}");
    assert_eq!(faults(&bare), "");
    for section in SPEC.sections {
        for arg in &SPEC.keys(&SPEC.command(), section) {
            let line = format!("# {} = ", key(arg));
            assert!(text.contains(&line), "{section}: {line}");
            assert!(arg.get_help().is_some(), "{section}: {line}");
        }
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_the_nearest_key() {
    for (text, said) in [
        (
            "[up]\nhtpp = \"127.0.0.1:1\"\n",
            "selo.toml:2: [up] has no key 'htpp'; did you mean 'http'?",
        ),
        (
            "[upp]\n",
            "selo.toml:1: there is no section [upp]; did you mean [up]?",
        ),
        (
            "\n\n[up]\n\nhttp = \"x\"\n",
            "selo.toml:5: http: 'x': invalid socket address syntax",
        ),
        (
            "[up]\nlog = \"loud\"\n",
            "selo.toml:2: log: 'loud': it is one of error, warn, info, debug",
        ),
        (
            "[up]\ntls = \"yes\"\n",
            "selo.toml:2: tls: it is true or false",
        ),
        ("[up]\nhttp = true\n", "selo.toml:2: http: 'true' is none"),
        (
            "[up]\nhttp = [\"127.0.0.1:1\"]\n",
            "selo.toml:2: http: it takes one value, no list",
        ),
        (
            "[up.http]\na = 1\n",
            "selo.toml:1: http: a table cannot be a value",
        ),
        (
            "stie = \"a\"\n",
            "selo.toml:1: there is no key 'stie'; did you mean 'site'?",
        ),
        ("[up]\nhttp = \n", "selo.toml:2: "),
        (
            "[up]\nundelivered = -1\n",
            "selo.toml:2: undelivered: '-1': ",
        ),
    ] {
        let found = faults(text);
        assert!(found.starts_with(said), "{text}: {found}");
    }
    let both = faults("[up]\na = 1\nb = 2\n");
    assert_eq!(both.lines().count(), 2, "{both}");
}

#[test]
fn good_values_are_taken() {
    let text = "state = \"/var/lib/selo\"\nsite = \"farm\"\n[up]\ntls = true\n\
                undelivered = 7\nwebhook = [\"https://a.example\", \"https://b.example\"]\n\
                keep_raw = \"30d\"\n[broker]\nfolder = \"farm\"\n";
    assert_eq!(faults(text), "");
}

#[test]
fn json_has_the_same_keys() {
    let faults = |text: &str| {
        let checked = SPEC.check_text(Path::new("options.json"), text);
        checked.map_or_else(|error| error.to_string(), |()| String::new())
    };
    let options = r#"{"language": "pt-BR", "site": "casa", "log": "info", "radio": ["/dev/ttyUSB0"], "name": []}"#;
    assert_eq!(faults(options), "");
    assert_eq!(
        faults("{\n\"langage\": \"en\"}"),
        "options.json:2: there is no key 'langage'; did you mean 'language'?"
    );
    assert_eq!(
        faults("{\"up\": {\"log\": \"loud\"}}"),
        "options.json:1: log: 'loud': it is one of error, warn, info, debug"
    );
}

#[test]
fn the_command_line_is_sound() {
    SPEC.command().debug_assert();
}
