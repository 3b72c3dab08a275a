//! Follows pages of docs/contributor and docs/researcher: writes their files, runs their commands,
//! and looks for the output that they promise. An outdated page fails here.

use crate::common::{Project, root};

/// A fenced block of a page.
struct Block {
    /// The text after the fence: `toml file=lab/boards/x.toml`, `sh`, `expect`.
    info: String,
    text: String,
    line: usize,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut out = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Block {
                    info: info.to_owned(),
                    text: String::new(),
                    line: number + 1,
                });
            }
            (Some(_), Some(_)) => out.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    out
}

fn perform(name: &str) {
    let page = ["contributor", "researcher"]
        .iter()
        .find_map(|folder| {
            std::fs::read_to_string(root().join("docs").join(folder).join(name)).ok()
        })
        .expect("the page");
    let project = Project::new();
    let (mut files, mut commands, mut expected) = (0, 0, 0);
    let mut said = String::new();
    for block in blocks(&page) {
        let at = format!("{name}:{}", block.line);
        if let Some((_, file)) = block.info.split_once("file=") {
            project.write(file, &block.text);
            files += 1;
        } else if let Some((_, file)) = block.info.split_once("append=") {
            project.append(file, &block.text);
            files += 1;
        } else if block.info == "sh fetch" {
            fetch(&at, &block.text, project.path());
        } else if block.info == "sh" {
            said.clear();
            for line in block.text.lines() {
                let words: Vec<&str> = line.split_whitespace().collect();
                let ["selo", arguments @ ..] = words.as_slice() else {
                    panic!("{at}: only selo can be run here: {line}");
                };
                let answer = project.selo(arguments);
                // A survey has succeeded if it finds the fault.
                let wanted = if line.starts_with("selo lab survey") {
                    1
                } else {
                    0
                };
                let done = answer.code == Some(0) || answer.code == Some(wanted);
                assert!(done, "{at}: {line}\n{}", answer.all());
                said.push_str(&answer.all());
                commands += 1;
            }
        } else if block.info == "expect" {
            for line in block.text.lines() {
                assert!(said.contains(line), "{at}: {line:?} is not in:\n{said}");
                expected += 1;
            }
        }
    }
    assert!(
        files > 0 && commands > 0 && expected > 0,
        "{name} performs nothing"
    );
}

/// Fetches a page's download from a registry, by its client. Without a network the test fails; it
/// is not skipped.
fn fetch(at: &str, text: &str, folder: &std::path::Path) {
    let output = std::process::Command::new("sh")
        .args(["-e", "-c", text])
        .current_dir(folder)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{at}: this step needs a network\n{text}\n{said}"
    );
}

#[test]
#[ignore = "takes long: make test-all runs it"]
fn a_library_is_surveyed() {
    perform("survey-a-library.md");
}

#[test]
fn a_board_is_added() {
    perform("add-a-board.md");
}

#[test]
fn a_library_is_added() {
    perform("add-a-library.md");
}

/// Needs a network, or the archive in the folder of SELO_ARCHIVES.
#[test]
fn a_library_of_a_registry_is_added() {
    perform("add-a-library-from-a-registry.md");
}

#[test]
fn an_algorithm_is_added() {
    perform("add-an-algorithm.md");
}

#[test]
fn a_paper_is_added() {
    perform("add-a-paper.md");
}

#[test]
fn results_are_published() {
    perform("publish.md");
}

#[test]
fn benchmarks_are_continuous() {
    perform("continuous-benchmarks.md");
}
