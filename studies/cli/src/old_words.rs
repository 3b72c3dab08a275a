//! Words of the previous release. They work, with a hint, until the next release.

use std::ffi::OsString;

/// Each old word and its replacement.
const WORDS: [(&str, &str); 4] = [
    ("--contender", "--library"),
    ("--strategy", "--variant"),
    ("new-contender", "new-library"),
    ("contenders", "libraries"),
];

/// Replaces old words in the arguments, and reports them on stderr.
pub fn translate(arguments: Vec<OsString>) -> Vec<OsString> {
    let (arguments, hints) = translated(arguments);
    for hint in hints {
        eprintln!("hint: {hint}");
    }
    arguments
}

fn translated(arguments: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let mut hints = Vec::new();
    let mut today = Vec::with_capacity(arguments.len());
    for (position, argument) in arguments.into_iter().enumerate() {
        // Accepts `selo-lab lab run` from users who know `selo lab run`.
        if position == 1 && argument == "lab" {
            continue;
        }
        today.push(match argument.to_str().and_then(in_new_words) {
            Some((old, new, whole)) if position > 0 => {
                hints.push(format!("'{old}' is called '{new}' now"));
                whole.into()
            }
            _ => argument,
        });
    }
    (today, hints)
}

/// The old word of an argument, its replacement, and the argument rewritten.
fn in_new_words(argument: &str) -> Option<(&'static str, &'static str, String)> {
    WORDS.into_iter().find_map(|(old, new)| {
        let rest = argument.strip_prefix(old)?;
        let whole = rest.is_empty() || (old.starts_with("--") && rest.starts_with('='));
        whole.then(|| (old, new, format!("{new}{rest}")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated_words(words: &[&str]) -> (Vec<String>, usize) {
        let (today, hints) = translated(words.iter().map(OsString::from).collect());
        let today = today.iter().map(|word| word.to_string_lossy().into_owned());
        (today.collect(), hints.len())
    }

    #[test]
    fn old_words_are_translated_and_named() {
        let old = [
            "selo-lab",
            "run",
            "--contender",
            "bearssl",
            "--strategy=fast",
        ];
        let (today, hints) = translated_words(&old);
        let new = ["selo-lab", "run", "--library", "bearssl", "--variant=fast"];
        assert_eq!((today, hints), (new.map(str::to_owned).to_vec(), 2));
    }

    #[test]
    fn other_words_stay() {
        let words = ["selo-lab", "list", "libraries", "--contenders", "strategy"];
        let (today, hints) = translated_words(&words);
        assert_eq!((today, hints), (words.map(str::to_owned).to_vec(), 0));
    }

    #[test]
    fn a_leading_lab_is_left_out() {
        let (today, _) = translated_words(&["selo-lab", "lab", "run"]);
        assert_eq!(today, ["selo-lab", "run"]);
    }
}
