//! Performs docs/howto/*.md: writes their files, runs their commands, and looks
//! for the lines that they promise. A page that no longer works fails here.

mod common;

use common::{Project, root};

/// A fenced block of a page.
struct Block {
    /// What stands behind the fence: `toml file=boards/x.toml`, `sh`, `expect`.
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
    let page = std::fs::read_to_string(root().join("docs/howto").join(name)).expect("the page");
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
        } else if block.info == "sh" {
            said.clear();
            for line in block.text.lines() {
                let words: Vec<&str> = line.split_whitespace().collect();
                let ["selo", arguments @ ..] = words.as_slice() else {
                    panic!("{at}: only selo can be run here: {line}");
                };
                let answer = project.selo(arguments);
                assert_eq!(answer.code, Some(0), "{at}: {line}\n{}", answer.all());
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

#[test]
fn a_board_is_added() {
    perform("add-a-board.md");
}

#[test]
fn a_contender_is_added() {
    perform("add-a-contender.md");
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
fn benchmarks_are_continuous() {
    perform("continuous-benchmarks.md");
}
