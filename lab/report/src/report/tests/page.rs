//! What the page shows: answers first, dots, and one language.

use std::collections::BTreeSet;

use super::*;
use crate::language::Language;

/// The report in Portuguese, and the texts that the catalogue does not know.
fn portuguese() -> (String, BTreeSet<String>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = Translator::new(Language::Portuguese);
    let paths = write(
        &sample::rows(),
        &papers(),
        &sample::checks(),
        &sample::context(),
        Formats::ALL,
        &words,
        folder.path(),
    );
    let html = read(&paths.expect("the folder is writable").html);
    (unpacked(&html), words.unknown())
}

fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
}

/// The words in the data: names, and sentences that papers and boards bring.
fn names() -> BTreeSet<String> {
    // The same word in both languages.
    let mut texts: Vec<String> = vec!["RAM".to_owned()];
    let mut values = vec![
        serde_json::to_value(sample::rows()).expect("JSON"),
        serde_json::to_value(sample::checks()).expect("JSON"),
    ];
    while let Some(value) = values.pop() {
        match value {
            serde_json::Value::String(text) => texts.push(text),
            serde_json::Value::Array(inner) => values.extend(inner),
            serde_json::Value::Object(inner) => values.extend(inner.into_iter().map(|pair| pair.1)),
            _ => {}
        }
    }
    let context = sample::context();
    for board in context.boards {
        texts.push(board.title);
        texts.extend(board.power.into_iter().map(|power| power.text));
    }
    for paper in papers() {
        texts.push(paper.title);
        texts.extend(paper.notes);
        for table in paper.tables {
            texts.extend([table.label, table.title, table.method]);
            for cell in table.cells {
                texts.extend([cell.row, cell.column]);
                texts.extend(cell.line.reason);
            }
        }
    }
    texts.iter().flat_map(|text| words_of(text)).collect()
}

#[test]
fn no_sentence_of_the_page_stays_in_english() {
    let (page, unknown) = portuguese();
    assert!(page.contains("<html lang=\"pt-BR\">"));
    let names = names();
    let foreign: Vec<&String> = unknown
        .iter()
        .filter(|text| words_of(text).any(|word| !names.contains(&word)))
        .collect();
    assert!(foreign.is_empty(), "no translation: {foreign:#?}");
}

#[test]
fn numbers_of_the_portuguese_page_have_commas() {
    let (page, _) = portuguese();
    assert!(page.contains("2.600 ciclos"));
    assert!(page.contains("0,162 ms"));
    assert!(!page.contains("0.162 ms"));
}

#[test]
fn the_answers_stand_first_and_the_rest_is_folded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let html = read(&write_to(folder.path(), &sample::rows(), &papers(), &sample::checks()).html);
    let main = html
        .split("<main")
        .nth(1)
        .expect("the page has a main part");
    assert!(main.find("id=\"best\"") < main.find("id=\"summary\""));
    // One table and one picture before the first fold.
    let first = main.split("<details").next().unwrap_or_default();
    assert_eq!(first.matches("<svg").count(), 1);
    assert_eq!(first.matches("id=\"best-uno-table\"").count(), 1);
    for id in [
        "trade-off",
        "paper-albarello2020",
        "board-uno",
        "provenance",
    ] {
        let section = main.split(&format!("<section id=\"{id}\"")).nth(1);
        let inside = section.and_then(|rest| Some(rest.split_once('>')?.1));
        assert!(
            inside.is_some_and(|inside| inside.starts_with("<details class=\"fold\">")),
            "{id}"
        );
    }
}

#[test]
fn pictures_have_dots_and_no_bars() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let paths = write_to(folder.path(), &sample::rows(), &papers(), &sample::checks());
    for path in &paths.pictures {
        let picture = read(&Some(path.clone()));
        // The only rectangle is the paper.
        assert_eq!(picture.matches("<rect").count(), 1, "{}", path.display());
        assert!(picture.contains("<circle"), "{}", path.display());
    }
    let energy = |path: &&PathBuf| path.to_string_lossy().ends_with("-energy.svg");
    assert_eq!(paths.pictures.iter().filter(energy).count(), 0);
}
