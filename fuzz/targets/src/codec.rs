//! Gives arbitrary payloads to every codec, and arbitrary text as a codec's file. Nothing may
//! panic, values must be numbers, and a codec must decode every payload that it encodes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use selo_codec::{Catalogue, Codec};

static CODECS: LazyLock<Catalogue> =
    LazyLock::new(|| Catalogue::built_in().expect("the project's codecs are right"));

fn values(codec: &Codec, payload: &[u8]) -> Option<BTreeMap<String, f64>> {
    let values = codec.decode(payload).ok()?;
    let count = values.len();
    let named: BTreeMap<String, f64> = values
        .into_iter()
        .map(|value| {
            assert!(value.value.is_finite(), "{} is not a number", value.name);
            (value.name.into_owned(), value.value)
        })
        .collect();
    // With channels a payload may repeat a value's name. Such a payload cannot be encoded again.
    (named.len() == count).then_some(named)
}

fn check(codec: &Codec, payload: &[u8]) {
    let Some(said) = values(codec, payload) else {
        return;
    };
    let list: Vec<_> = said.iter().map(|(name, value)| (&**name, *value)).collect();
    if let Ok(written) = codec.encode(&list) {
        assert!(
            codec.decode(&written).is_ok(),
            "what it wrote is none of its payloads"
        );
    }
}

/// Runs one input. Panics if a promise is broken.
pub fn run(data: &[u8]) {
    let [choice, rest @ ..] = data else {
        return;
    };
    if choice & 1 == 0 {
        for codec in CODECS.iter() {
            check(codec, rest);
        }
        return;
    }
    // A codec file and, after a zero byte, a payload for it.
    let mut parts = rest.splitn(2, |byte| *byte == 0);
    let Some(Ok(text)) = parts.next().map(std::str::from_utf8) else {
        return;
    };
    if let Ok(codec) = Catalogue::default().add("x", text) {
        check(&codec, parts.next().unwrap_or_default());
    }
}
