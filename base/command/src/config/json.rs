//! A configuration file in JSON, for programs that write one: Home Assistant gives the options of an
//! add-on that way. It has the same sections and keys as the TOML file.

use serde_json::Value as Json;

use super::entry::{Entry, Value};

/// What a file holds: its entries, and its sections with their lines.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) entries: Vec<Entry>,
    pub(super) sections: Vec<(String, usize)>,
}

/// Parses the text. A key whose value is `null`, or text or a list without content, is a field that
/// somebody left empty: it counts as not set. An error is a line and what is wrong in it.
pub(super) fn parse(text: &str) -> Result<Parsed, (usize, String)> {
    let root: Json =
        serde_json::from_str(text).map_err(|error| (error.line().max(1), error.to_string()))?;
    let Json::Object(root) = root else {
        return Err((1, "it is not a JSON object: { ... }".into()));
    };
    let mut parsed = Parsed::default();
    for (name, value) in &root {
        match value {
            Json::Object(keys) => {
                parsed.sections.push((name.clone(), line_of(text, name)));
                for (key, value) in keys {
                    parsed.entries.extend(entry(text, Some(name), key, value));
                }
            }
            value => parsed.entries.extend(entry(text, None, name, value)),
        }
    }
    Ok(parsed)
}

fn entry(text: &str, section: Option<&str>, key: &str, value: &Json) -> Option<Entry> {
    let value = match value {
        Json::Null => return None,
        Json::String(text) if text.is_empty() => return None,
        Json::Array(list) if list.is_empty() => return None,
        Json::Bool(on) => Ok(Value::Switch(*on)),
        Json::Array(list) => list
            .iter()
            .map(one)
            .collect::<Result<_, _>>()
            .map(|texts| Value::Texts { list: true, texts }),
        value => one(value).map(|text| Value::Texts {
            list: false,
            texts: vec![text],
        }),
    };
    Some(Entry {
        section: section.map(Into::into),
        key: key.replace('_', "-"),
        line: line_of(text, key),
        value,
    })
}

fn one(value: &Json) -> Result<String, &'static str> {
    match value {
        Json::String(text) => Ok(text.clone()),
        Json::Number(number) => Ok(number.to_string()),
        Json::Null => Err("null in a list"),
        Json::Bool(_) => Err("true or false in a list"),
        Json::Array(_) => Err("a list in a list"),
        Json::Object(_) => Err("an object"),
    }
}

/// The line where the key stands first, for messages. The parser keeps no positions.
fn line_of(text: &str, key: &str) -> usize {
    let at = text.find(&format!("\"{key}\"")).unwrap_or(0);
    text[..at].matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Parsed {
        parse(text).unwrap_or_else(|(line, error)| panic!("{line}: {error}"))
    }

    fn keys(parsed: &Parsed) -> Vec<(Option<&str>, &str, usize)> {
        let all = parsed.entries.iter();
        all.map(|entry| (entry.section.as_deref(), entry.key.as_str(), entry.line))
            .collect()
    }

    #[test]
    fn empty_fields_are_not_set() {
        let parsed = parsed(r#"{"site": "", "radio": [], "name": null, "log": "info"}"#);
        assert_eq!(keys(&parsed), [(None, "log", 1)]);
    }

    #[test]
    fn sections_lists_and_lines_are_kept() {
        let parsed = parsed(
            "{\n \"up\": {\n  \"keep_raw\": \"30d\",\n  \"undelivered\": 7},\n \"radio\": [\"/dev/a\"]}",
        );
        assert_eq!(parsed.sections, [("up".to_owned(), 2)]);
        let expected = [
            (Some("up"), "keep-raw", 3),
            (Some("up"), "undelivered", 4),
            (None, "radio", 5),
        ];
        let mut found = keys(&parsed);
        found.sort_by_key(|(_, _, line)| *line);
        assert_eq!(found, expected);
        let list = parsed.entries.iter().find(|entry| entry.key == "radio");
        let value = &list.expect("there").value;
        assert!(matches!(value, Ok(Value::Texts { list: true, texts }) if texts == &["/dev/a"]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, said) in [
            ("{\n\"site\": }", 2, "expected value"),
            ("[]", 1, "it is not a JSON object"),
            ("", 1, "EOF"),
        ] {
            let (at, error) = parse(text).err().expect("wrong");
            assert_eq!(at, line, "{text}");
            assert!(error.starts_with(said), "{text}: {error}");
        }
        for (text, said) in [
            (r#"{"up": {"a": {"b": 1}}}"#, "an object"),
            (r#"{"up": {"a": [true]}}"#, "true or false in a list"),
        ] {
            let parsed = parsed(text);
            assert_eq!(parsed.entries[0].value.as_ref().err(), Some(&said));
        }
    }
}
