//! Tests every built-in codec, and the errors of codec files. The test vectors in the files are
//! checked whenever a catalogue is loaded.

use std::collections::BTreeMap;

use proptest::prelude::*;
use selo_codec::{Catalogue, Codec, Error, Kind};

fn built_in() -> Catalogue {
    Catalogue::built_in().expect("the project's codecs are right")
}

/// Values by name. Only channel formats may repeat a name.
fn values(codec: &Codec, payload: &[u8]) -> Option<BTreeMap<String, f64>> {
    let values = codec.decode(payload).ok()?;
    let named: BTreeMap<_, _> = values
        .iter()
        .map(|value| (value.name.to_string(), value.value))
        .collect();
    (named.len() == values.len()).then_some(named)
}

fn encode(codec: &Codec, values: &BTreeMap<String, f64>) -> Result<Vec<u8>, Error> {
    let values: Vec<_> = values
        .iter()
        .map(|(name, value)| (&**name, *value))
        .collect();
    codec.encode(&values)
}

/// Payloads that may match the codec.
fn payloads(codec: &Codec) -> BoxedStrategy<Vec<u8>> {
    let items: Vec<(u8, usize)> = codec.items().map(|(code, size, _)| (code, size)).collect();
    if items.is_empty() {
        // Small numbers are within most ranges.
        let byte = prop_oneof![Just(0), any::<u8>()];
        return proptest::collection::vec(byte, 16).boxed();
    }
    proptest::collection::btree_map(any::<u8>(), (0..items.len(), any::<[u8; 16]>()), 0..6)
        .prop_map(move |chosen| {
            let mut payload = Vec::new();
            for (channel, (index, data)) in chosen {
                let (code, size) = items[index];
                payload.extend([channel, code]);
                payload.extend(&data[..size]);
            }
            payload
        })
        .boxed()
}

#[test]
fn what_is_decoded_is_encoded_and_decoded_again() {
    for codec in built_in().iter().filter(|codec| codec.name != "raw") {
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let encoded = std::cell::Cell::new(0);
        runner
            .run(&payloads(codec), |payload| {
                let Some(before) = values(codec, &payload) else {
                    return Err(TestCaseError::fail("a payload of the codec is refused"));
                };
                // An out-of-range value was left out and cannot be encoded.
                let Ok(again) = encode(codec, &before) else {
                    return Ok(());
                };
                encoded.set(encoded.get() + 1);
                prop_assert_eq!(values(codec, &again), Some(before));
                Ok(())
            })
            .expect("holds");
        assert!(encoded.get() >= 10, "{}: {encoded:?}", codec.name);
    }
}

proptest! {
    #[test]
    fn a_rain_gauge_says_what_it_was_given(
        time in 1u32.., tips in any::<u32>(), centi in -6000i32..=8500, milli in any::<u16>(),
        flags in 0u8..8,
    ) {
        let codecs = built_in();
        let codec = codecs.get("rain-gauge").expect("there");
        let mut payload = [0; 16];
        payload[..4].copy_from_slice(&time.to_le_bytes());
        payload[4..8].copy_from_slice(&tips.to_le_bytes());
        payload[8..12].copy_from_slice(&centi.to_le_bytes());
        payload[12..14].copy_from_slice(&milli.to_le_bytes());
        payload[14] = flags;
        let values = values(codec, &payload).expect("a payload");
        // The nearest f64 to the decimal fraction, which prints in its short form.
        prop_assert_eq!(values["rain_total"], f64::from(tips) * 2.0 / 10.0);
        prop_assert_eq!(values["temperature"], f64::from(centi) / 100.0);
        prop_assert_eq!(values["battery"], f64::from(milli) / 1000.0);
        prop_assert_eq!(encode(codec, &values).expect("fits"), payload);
    }
}

#[test]
fn the_default_is_there_and_says_what_its_values_are() {
    let codecs = built_in();
    let codec = codecs.get(selo_codec::DEFAULT).expect("there");
    let fields = codec.fields();
    let rain = fields
        .iter()
        .find(|field| field.name == "rain_total")
        .expect("there");
    assert_eq!((&*rain.unit, rain.kind), ("mm", Kind::Counter));
    assert_eq!(rain.title.pt, "Chuva desde a instalação");
    let names: Vec<_> = fields.iter().map(|field| &*field.name).collect();
    let all = "time rain_total temperature battery clock_lost restarted radio_lost";
    assert_eq!(names.join(" "), all);
}

#[test]
fn a_clock_that_is_lost_or_wrong_wants_the_time() {
    let codecs = built_in();
    let gauge = codecs.get("rain-gauge").expect("there");
    assert_eq!(gauge.set_clock.as_deref(), Some(&b"T"[..]));
    let now = 1_795_343_211;
    for (time, wants) in [
        (0, true),
        (now, false),
        (now - 30, false),
        (now - 31, true),
        (now + 31, true),
    ] {
        let mut payload = (time as u32).to_le_bytes().to_vec();
        payload.extend([0; 12]);
        assert_eq!(gauge.wants_time(&payload, now, 30), wants, "{time}");
    }
    assert!(!gauge.wants_time(b"no reading", now, 30));
    let raw = codecs.get("raw").expect("there");
    assert!(!raw.wants_time(&[0; 16], now, 30), "nobody knows how");
    for text in ["", "5", "xx", "00000000000000000000000000000000ff"] {
        let file = format!(
            "name = 'c'\ntitle = {{ en = 'c', pt = 'c' }}\nformat = 'raw'\nset_clock = '{text}'\n"
        );
        let error = built_in().add("c.toml", &file).expect_err(text);
        assert!(error.to_string().contains("line 4: set_clock"), "{error}");
    }
}

#[test]
fn an_unknown_name_is_refused_with_the_names_there_are() {
    let error = built_in().get("no-such").expect_err("refused").to_string();
    assert_eq!(
        error,
        "there is no codec 'no-such'; known codecs: cayenne-lpp, rain-gauge, raw"
    );
}

#[test]
fn a_folder_adds_codecs_and_replaces_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("writes");
    };
    write("mine.toml", &MINE.replace("\"x\"", "\"mine\""));
    write("raw.toml", &MINE.replace("\"x\"", "\"raw\""));
    write("notes.txt", "no codec");
    let codecs = Catalogue::with_folder(Some(folder.path())).expect("loads");
    assert!(codecs.get("mine").is_ok());
    assert_eq!(codecs.get("raw").expect("there").fields().len(), 1);
    write("bad.toml", "name = 3");
    let error = Catalogue::with_folder(Some(folder.path())).expect_err("refused");
    assert!(error.to_string().contains("bad.toml, line 1"), "{error}");
}

const MINE: &str = r#"name = "x"
title = { en = "T", pt = "T" }
[[field]]
name = "a"
title = { en = "A", pt = "A" }
type = "u8"
unit = "1"
"#;

#[test]
fn variants_are_told_apart_by_first_byte_and_length() {
    let text = r#"
        name = "x"
        title = { en = "T", pt = "T" }
        endian = "big"
        [[variant]]
        first_byte = 1
        [[variant.field]]
        name = "a"
        title = { en = "A", pt = "A" }
        offset = 1
        type = "f32"
        unit = "V"
        [[variant]]
        first_byte = 2
        [[variant.field]]
        name = "b"
        title = { en = "B", pt = "B" }
        offset = 1
        type = "u16"
        bits = [4, 11]
        absent = 255
        unit = "1"
        [[variant]]
        length = 8
        [[variant.field]]
        name = "c"
        title = { en = "C", pt = "C" }
        type = "f64"
        endian = "little"
        unit = "1"
        scale = 2.0
        add = -0.5
    "#;
    let codec = Catalogue::default().add("x", text).expect("right");
    let one = |payload: &[u8]| {
        let values = codec.decode(payload).expect("a payload");
        values
            .first()
            .map(|value| (value.name.to_string(), value.value))
    };
    assert_eq!(one(&[1, 0x41, 0xbb, 0x33, 0x33]), Some(("a".into(), 23.4)));
    assert_eq!(one(&[2, 0xa1, 0x2f]), Some(("b".into(), f64::from(0x12))));
    assert_eq!(one(&[2, 0x0f, 0xf0]), None);
    assert_eq!(one(&2f64.to_le_bytes()), Some(("c".into(), 3.5)));
    assert_eq!(one(&f64::NAN.to_le_bytes()), None);
    assert_eq!(
        codec.encode(&[("a", 23.4)]).expect("fits"),
        [1, 0x41, 0xbb, 0x33, 0x33]
    );
    assert_eq!(codec.encode(&[("b", 18.0)]).expect("fits"), [2, 0x01, 0x20]);
    assert_eq!(
        codec.encode(&[("c", 3.5)]).expect("fits"),
        2f64.to_le_bytes()
    );
    let error = codec.decode(&[3, 0]).expect_err("refused").to_string();
    assert_eq!(
        error,
        "not a payload of x, which has first byte 1 and at least 5 bytes, or first byte 2 and \
         at least 3 bytes, or 8 bytes: it has 2 bytes, the first is 3"
    );
}

/// Mistakes in a codec: a text of [`MINE`], its replacement, the line that the error names, and
/// words of the error or its hint.
const MISTAKES: [(&str, &str, u32, &str); 24] = [
    (
        "name = \"x\"",
        "name = \"X\"",
        1,
        "'X' is not a valid codec name",
    ),
    (
        "name = \"x\"",
        "name = \"y\"",
        1,
        "differs from its file's name",
    ),
    (
        "title = { en = \"T\", pt = \"T\" }",
        "title = \"T\"",
        2,
        "expected",
    ),
    (
        "[[field]]",
        "format = \"raw\"\n[[field]]",
        1,
        "[[field]] is not allowed",
    ),
    ("[[field]]", "[[fields]]", 3, "unknown field `fields`"),
    (
        "\"u8\"",
        "\"u7\"",
        3,
        "there is no type 'u7'; known types: u8",
    ),
    ("unit = \"1\"", "unit = \"\"", 3, "'' is not a valid unit"),
    ("unit = \"1\"", "unti = \"1\"", 7, "unknown field `unti`"),
    ("unit = \"1\"", "unit = \"1\"\nscale = 0.0", 3, "scale"),
    ("unit = \"1\"", "unit = \"1\"\nscale = nan", 3, "scale"),
    ("unit = \"1\"", "unit = \"1\"\nbit = 8", 3, "no bits 8 to 8"),
    (
        "unit = \"1\"",
        "unit = \"1\"\nbit = 1\nbits = [0, 1]",
        3,
        "bit and bits",
    ),
    (
        "unit = \"1\"",
        "unit = \"1\"\nvalid = [1, 0]",
        3,
        "valid range is empty",
    ),
    (
        "unit = \"1\"",
        "unit = \"1\"\noffset = 5000",
        3,
        "ends after byte 1024",
    ),
    (
        "[[field]]",
        "length = 0\n[[field]]",
        1,
        "ends after the 0 bytes",
    ),
    (
        "name = \"a\"",
        "name = \"b\"",
        1,
        "two fields are called 'b'",
    ),
    ("name = \"a\"", "name = \"1a\"", 3, "not a valid field name"),
    (
        "[[field]]",
        "[[variant]]\nlength = 3\n[[variant]]\nlength = 3\n[[field]]",
        5,
        "same first_byte and length",
    ),
    (
        "[[field]]",
        "[[variant]]\n[[field]]",
        3,
        "neither first_byte nor length",
    ),
    (
        "[[field]]",
        "[[variant]]\nfirst_byte = 1\n[[field]]",
        3,
        "covers the first byte",
    ),
    (
        "[[field]]",
        "[[vector]]\npayload = \"1\"\nvalues = {}\n[[field]]",
        3,
        "not hexadecimal",
    ),
    (
        "[[field]]",
        "[[vector]]\npayload = \"010000\"\nvalues = {}\n[[field]]",
        3,
        "disagree",
    ),
    (
        "[[field]]",
        "[[vector]]\npayload = \"010000\"\n[[field]]",
        3,
        "neither values nor refused",
    ),
    (
        "[[field]]",
        "[[vector]]\npayload = \"010000\"\nrefused = \"\"\n[[field]]",
        3,
        "not refused",
    ),
];

#[test]
fn a_mistake_is_named_with_file_and_line_and_a_hint() {
    let second = "[[field]]\nname = \"b\"\ntitle = { en = \"B\", pt = \"B\" }\noffset = 1\ntype = \"u16\"\nunit = \"1\"\n";
    for (from, to, line, words) in MISTAKES {
        let text = format!("{MINE}{second}").replacen(from, to, 1);
        let error = Catalogue::default()
            .add("folder/x.toml", &text)
            .expect_err(words);
        let said = format!("{error} hint: {}", error.hint().expect("a hint"));
        let place = format!("folder/x.toml, line {line}: ");
        assert!(
            said.starts_with(&place) && said.contains(words),
            "{from} -> {to}: {said}"
        );
    }
}

#[test]
fn values_that_do_not_fit_are_refused_and_not_cut() {
    let codecs = built_in();
    let codec = codecs.get("rain-gauge").expect("there");
    let good = codec
        .decode(&[0; 16])
        .expect("a payload")
        .into_iter()
        .map(|value| (value.name.into_owned(), value.value))
        .collect::<BTreeMap<_, _>>();
    for (name, value, words) in [
        ("battery", 66.0, "battery: 66 does not fit 16 bits"),
        ("battery", f64::NAN, "battery: NaN is not a finite number"),
        (
            "temperature",
            100.0,
            "temperature: 100 is outside of -60 to 85",
        ),
        ("time", 0.0, "time: 0 is the code for a missing value"),
        ("rain_total", -0.2, "rain_total: -0.2 does not fit"),
        ("clock_lost", 2.0, "clock_lost: 2 does not fit 1 bits"),
        ("wind", 1.0, "there is no field 'wind'"),
    ] {
        let mut values = good.clone();
        values.insert(name.into(), value);
        let error = encode(codec, &values).expect_err(words).to_string();
        assert!(error.contains(words), "{error}");
    }
    let error = codec.encode(&[]).expect_err("refused").to_string();
    assert_eq!(error, "rain_total is missing");
}
