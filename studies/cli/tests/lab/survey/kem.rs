//! A folder of PQClean, unedited: ML-KEM is called by trial, its faults are named.

use super::{evidence, finding, mark, survey};
use crate::common::{Project, root};
use std::path::{Path, PathBuf};

const SCHEME: &str = "pq/crypto_kem/ml-kem-512/clean";

/// The fetched sources that the lab's own library uses.
pub fn fetched(project: &Project) -> PathBuf {
    let answer = project.selo(&["lab", "fetch", "pqclean"]);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let sources = std::fs::read_dir(project.path().join("target/sources")).expect("sources");
    sources
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().contains("pqcrypto-mlkem"))
        .map(|path| path.join("pqclean"))
        .expect("the fetched sources")
}

/// Copies the scheme and the shared folder.
fn tree(project: &Project) {
    let fetched = fetched(project);
    for folder in ["crypto_kem/ml-kem-512/clean", "common"] {
        copy(
            &fetched.join(folder),
            &project.path().join("pq").join(folder),
        );
    }
}

/// Copies the files of a folder.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("the folder").flatten() {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
        }
    }
}

/// The corpus names folders by links into the trees that the registries' archives hold.
#[test]
fn a_library_of_the_corpus_takes_the_shared_files_of_its_tree() {
    let project = Project::new();
    let clean = fetched(&project).join("crypto_kem/ml-kem-768/clean");
    let list = std::fs::read_to_string(root().join("lab/corpus.toml")).expect("the list");
    project.write("lab/corpus.toml", &list);
    let corpus = project.path().join("corpus");
    std::fs::create_dir(&corpus).expect("a folder");
    let link = corpus.join("pqclean-ml-kem-768");
    std::os::unix::fs::symlink(clean, link).expect("a link");
    let mut arguments = vec!["lab", "survey", "--corpus", "corpus", "--board", "native"];
    arguments.extend(["--budget", "1", "--json", "pqclean-ml-kem-768"]);
    let answer = project.selo(&arguments);
    let [line] = &answer.lines()[..] else {
        panic!("{}", answer.all());
    };
    let (wanted, bound) = (&line["wanted"], &line["bound"]);
    assert_eq!(wanted[0], "ml-kem-768", "{line}");
    assert_eq!(wanted, bound, "{line}");
    assert_eq!(line["accused_falsely"], serde_json::json!([]), "{line}");
}

fn edit(project: &Project, file: &str, from: &str, to: &str) {
    let path = format!("{SCHEME}/{file}");
    let text = std::fs::read_to_string(project.path().join(&path)).expect("the source");
    assert!(text.contains(from), "{file} has no {from}");
    project.write(&path, &text.replacen(from, to, 1));
}

const ON_M4: [&str; 4] = ["--board", "stm32f407", "--algorithm", "ml-kem-512"];

#[test]
fn ml_kem_of_pqclean_conforms_on_a_cortex_m4_and_does_not_fit_an_uno() {
    let project = Project::new();
    tree(&project);
    let (answer, lines) = survey(&project, SCHEME, &ON_M4);
    assert_eq!(answer.code, Some(0), "{}", answer.all());
    let [line] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(mark(line, "conforms"), "yes");
    assert_eq!(mark(line, "constant-time"), "yes");
    assert_eq!(line["verdict"], "reservations");
    finding(line, "caller-checks-keys");
    let costs = line["costs"].as_array().expect("costs");
    let cycles = |operation: &str| {
        costs.iter().any(|cost| {
            cost["operation"] == operation
                && cost["metric"] == "cycles"
                && cost["fidelity"] == "cycle-model"
                && cost["value"]
                    .as_f64()
                    .is_some_and(|value| value > 100_000.0)
        })
    };
    assert!(
        ["keygen", "encapsulate", "decapsulate"]
            .into_iter()
            .all(cycles),
        "{line:#}"
    );
    // On the Uno the same calls are built, and the sizes are told.
    let uno = ["--board", "uno", "--algorithm", "ml-kem-512"];
    let (answer, lines) = survey(&project, SCHEME, &uno);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let large = finding(&lines[0], "does-not-fit");
    let sizes = evidence(large, "sizes").concat();
    assert!(sizes.contains("RAM") && sizes.contains("over"), "{sizes}");
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_wrong_constant_of_the_transform_is_named() {
    let project = Project::new();
    tree(&project);
    edit(&project, "ntt.c", " 1493,  1422", " 1493,  1421");
    let (answer, lines) = survey(&project, SCHEME, &ON_M4);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let named = finding(&lines[0], "wrong-transform");
    // 1422 is 630 in Montgomery form, and 1421 is 461.
    assert_eq!(evidence(named, "expected"), ["630"]);
    assert_eq!(evidence(named, "got"), ["461"]);
    assert!(
        named["title"]
            .as_str()
            .is_some_and(|title| title.contains("constant 5")),
        "{named}"
    );
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_skipped_comparison_is_named_with_the_bytes_that_it_skips() {
    let project = Project::new();
    tree(&project);
    let compares = "verify(ct, cmp, KYBER_CIPHERTEXTBYTES)";
    edit(
        &project,
        "kem.c",
        compares,
        "verify(ct, cmp, KYBER_CIPHERTEXTBYTES - 1)",
    );
    let (answer, lines) = survey(&project, SCHEME, &ON_M4);
    assert_eq!(answer.code, Some(1), "{}", answer.all());
    let named = finding(&lines[0], "skipped-comparison");
    assert_eq!(evidence(named, "altered bytes"), ["767"]);
    edit(
        &project,
        "kem.c",
        "(uint8_t) (1 - fail)",
        "(uint8_t) (1 - 0 * fail)",
    );
    let (_, lines) = survey(&project, SCHEME, &ON_M4);
    let named = finding(&lines[0], "skipped-comparison");
    assert!(
        evidence(named, "altered bytes")
            .concat()
            .starts_with("0, 96, "),
        "{named}"
    );
}
