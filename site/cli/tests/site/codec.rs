//! Tests `selo codec`, and performs docs/operator/add-a-codec.md: writes its file, runs its
//! commands, and looks for the lines that it shows.

use std::path::Path;

use crate::gateway_support::Site;

#[test]
fn the_page_can_be_followed() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operator/add-a-codec.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let site = Site::new();
    let (mut said, mut performed) = (String::new(), 0);
    for block in page.split("\n```").skip(1).step_by(2) {
        let (info, text) = block.split_once('\n').expect("a block");
        if let Some((_, file)) = info.split_once("file=") {
            let path = site.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes");
            std::fs::write(path, text).expect("writes");
        } else if info == "sh" {
            said = text
                .lines()
                .map(|line| {
                    let words: Vec<&str> = line.split_whitespace().collect();
                    assert_eq!(words[0], "selo");
                    site.ok(&words[1..])
                })
                .collect();
        } else if info == "expect" {
            for line in text.lines() {
                assert!(said.contains(line), "{line:?} is not in:\n{said}");
            }
        } else {
            // The page also shows a mistake.
            assert_eq!(info, "text");
            let path = site.path().join("my-codecs/soil.toml");
            let right = std::fs::read_to_string(&path).expect("there");
            std::fs::write(&path, right.replacen("u16", "u17", 1)).expect("writes");
            let refused = site.selo(&["codec", "list", "--codecs", "my-codecs"]);
            assert_eq!(refused.code, Some(2), "{refused:?}");
            let shown = text.split(", ...").next().expect("a line");
            assert!(refused.stderr.contains(shown), "{refused:?}\n{shown}");
            std::fs::write(&path, right).expect("writes");
        }
        performed += 1;
    }
    assert!(performed >= 6, "the page performs nothing");
}

#[test]
fn a_payload_is_decoded_as_in_a_message() {
    let site = Site::new();
    let decoded = site.ok(&["codec", "decode", "cayenne-lpp", "03 67 01 10", "--json"]);
    assert_eq!(
        decoded,
        "{\"codec\":\"cayenne-lpp\",\"values\":{\"temperature_3\":{\"value\":27.2,\"unit\":\"Cel\"}}}\n"
    );
    for (arguments, code, words) in [
        (
            &["codec", "decode", "rain-gauge", "00"][..],
            2,
            "16 bytes: it has 1 bytes",
        ),
        (
            &["codec", "decode", "rain-gauge", "0x"],
            2,
            "the payload is not hexadecimal",
        ),
        (
            &["codec", "decode", "none", "00"],
            2,
            "known codecs: cayenne-lpp, rain-gauge, raw",
        ),
        (&["codec", "show", "none"], 2, "there is no codec 'none'"),
        (
            &["codec", "list", "--codecs", "not-there"],
            4,
            "cannot read not-there",
        ),
    ] {
        let refused = site.selo(arguments);
        assert_eq!(refused.code, Some(code), "{refused:?}");
        assert!(refused.stderr.contains(words), "{refused:?}");
    }
}

#[test]
fn a_device_has_a_codec_that_is_known() {
    let site = Site::new();
    let add = |codec: &str| {
        site.selo(&[
            "device",
            "add",
            "--generate",
            "--name",
            "a",
            "--codec",
            codec,
        ])
    };
    let refused = add("nonsense");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused
            .stderr
            .contains("known codecs: cayenne-lpp, rain-gauge, raw"),
        "{refused:?}"
    );
    assert_eq!(add("raw").code, Some(0));
    let codec = |name: &str| -> String {
        let shown: serde_json::Value =
            serde_json::from_str(&site.ok(&["device", "show", name, "--json"])).expect("JSON");
        shown["codec"].as_str().expect("a codec").to_owned()
    };
    assert_eq!(codec("a"), "raw");
    site.ok(&["device", "set", "a", "--codec", "cayenne-lpp"]);
    assert_eq!(codec("a"), "cayenne-lpp");
    assert_eq!(
        site.selo(&["device", "set", "a", "--codec", "x"]).code,
        Some(2)
    );
    assert_eq!(
        site.selo(&["device", "set", "b", "--codec", "raw"]).code,
        Some(2)
    );
    site.ok(&["device", "add", "--generate", "--name", "b"]);
    assert_eq!(codec("b"), "rain-gauge");

    // The backup contains the codec. A backup that names an unknown codec is refused as a whole.
    site.ok(&["device", "export", "--with-keys", "backup.json"]);
    let other = Site::new();
    let text = std::fs::read_to_string(site.path().join("backup.json")).expect("there");
    let file = other.file("backup.json", text.as_bytes());
    let wrong = other.file("wrong.json", text.replace("cayenne-lpp", "x").as_bytes());
    let refused = other.selo(&["device", "import", &wrong.display().to_string()]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(other.ok(&["device", "list", "--json"]), "");
    other.ok(&["device", "import", &file.display().to_string()]);
    let shown = other.ok(&["device", "show", "a"]);
    assert!(shown.contains("cayenne-lpp"), "{shown}");
}
