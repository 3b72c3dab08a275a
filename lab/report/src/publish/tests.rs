//! Sites of invented rows, some of them hostile.

use std::path::Path;

use selo_engine::row::{Metric, Row, Status};

use super::unit::command;
use super::view::LARGEST;
use super::*;
use crate::context::Context;
use crate::sample;

fn given<'a>(rows: &'a [Row], context: &'a Context, name: &'a str) -> Given<'a> {
    Given {
        rows,
        checks: &[],
        context,
        name: Some(name),
        now: "2026-11-27T01:02:03Z",
    }
}

fn put(rows: &[Row], name: &str, site: &Path) -> Result<Published> {
    publish(given(rows, &sample::context(), name), site, |_| {})
}

/// Every page of a site, with its path below the site's folder.
fn pages(site: &Path) -> Vec<(String, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![site.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "html") {
                let text = std::fs::read_to_string(&path).expect("a page");
                let path = path.strip_prefix(site).expect("in the site");
                found.push((path.display().to_string(), text));
            }
        }
    }
    found
}

fn page(site: &Path, path: &str) -> String {
    std::fs::read_to_string(site.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn hostile_names_stay_text_inside_the_site() {
    let names = [
        "<script>alert(1)</script>",
        "../../up",
        "a\" onload=\"b",
        "'; rm -rf /",
        "",
        "\u{202e}x",
    ];
    let mut rows = Vec::new();
    for name in names {
        let mut row = sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 10.0);
        for field in [
            &mut row.board,
            &mut row.library,
            &mut row.algorithm,
            &mut row.variant,
        ] {
            name.clone_into(field);
        }
        for field in [
            &mut row.operation,
            &mut row.compiler,
            &mut row.mcu,
            &mut row.commit,
        ] {
            name.clone_into(field);
        }
        row.sweep = Some(name.to_owned());
        rows.push(row);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site");
    put(&rows, "one", &site).expect("published");
    let beside: Vec<_> = std::fs::read_dir(folder.path())
        .expect("a folder")
        .collect();
    assert_eq!(beside.len(), 1, "nothing outside the site");
    for (path, text) in pages(&site) {
        assert!(text.contains(frame::POLICY), "{path} has no policy");
        assert!(
            !text.contains("<script>alert") && !text.contains("\" onload=\"b"),
            "{path}"
        );
    }
    assert_eq!(
        command(&rows[3]).matches("'\\''; rm -rf /'").count(),
        6,
        "{}",
        command(&rows[3])
    );
}

#[test]
fn a_page_with_many_rows_stays_small() {
    let mut rows = Vec::new();
    for bytes in 0..400 {
        let mut row = sample::row("aes-128", "fast", "encrypt", Metric::Cycles, 10.0);
        row.bytes = Some(bytes);
        rows.push(row);
    }
    let folder = tempfile::tempdir().expect("a folder");
    put(&rows, "one", folder.path()).expect("published");
    for (path, text) in pages(folder.path()) {
        assert!(text.len() <= LARGEST, "{path}: {} bytes", text.len());
    }
    let text = page(
        folder.path(),
        "latest/figures/uno/selo/aes-128/fast/index.html",
    );
    assert!(text.contains("id=\"encrypt-399-cycles\""));
    assert!(
        text.contains("--metric cycles --fresh"),
        "the command stays"
    );
}

#[test]
fn changes_are_sorted_from_worst() {
    let row =
        |operation: &str, value| sample::row("aes-128", "fast", operation, Metric::Cycles, value);
    let before = [
        row("a", 100.0),
        row("b", 100.0),
        row("c", 100.0),
        row("d", 100.0),
        row("e", 100.0),
    ];
    let mut now = [
        row("a", 90.0),
        row("b", 110.0),
        row("c", 150.0),
        row("e", 0.0),
        row("f", 1.0),
    ];
    (now[3].value, now[3].status) = (None, Status::Failed);
    let folder = tempfile::tempdir().expect("a folder");
    put(&before, "one", folder.path()).expect("published");
    let published = put(&now, "two", folder.path()).expect("published");
    let counts = published.changes;
    assert_eq!(
        counts.words(),
        "3 worse, 1 gone, 1 better, 1 new",
        "{counts:?}"
    );
    let text = page(folder.path(), "latest/changes/index.html");
    let place = |name: &str| {
        let part = format!(">{name}, 16 bytes: cycles<");
        text.find(&part).unwrap_or_else(|| panic!("{part}: {text}"))
    };
    let order = ["c", "b", "e", "d", "a", "f"].map(place);
    assert!(order.is_sorted(), "{order:?}");
    assert!(text.contains("no figure now"));
}

#[test]
fn what_is_gone_leads_to_the_runs_that_have_it() {
    let rows = sample::rows();
    let folder = tempfile::tempdir().expect("a folder");
    put(&rows, "one", folder.path()).expect("published");
    let rest: Vec<Row> = rows
        .into_iter()
        .filter(|row| row.algorithm == "aes-128")
        .collect();
    put(&rest, "two", folder.path()).expect("published");
    let gone = "figures/uno/selo/speck128_128/fast/index.html";
    let text = page(folder.path(), &format!("latest/{gone}"));
    assert!(
        text.contains(&format!("href=\"../../../../../../runs/one/{gone}\"")),
        "{text}"
    );
    assert!(
        text.contains("id=\"encrypt-16-cycles\"") && text.contains("2,600 cycles"),
        "{text}"
    );
    assert!(!folder.path().join("runs/two").join(gone).exists());
}

#[test]
fn an_error_at_the_end_leaves_the_site() {
    let rows = sample::rows();
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path();
    put(&rows, "one", site).expect("published");
    let before = pages(site);
    // A file stands where the runs' folder is, so the new run cannot be put in place.
    std::fs::rename(site.join("runs"), site.join("kept")).expect("renamed");
    std::fs::write(site.join("runs"), "").expect("written");
    let error = put(&rows[1..], "two", site).expect_err("no folder");
    assert!(
        matches!(&error, PublishError::Write { path, .. } if path.ends_with("runs")),
        "{error}"
    );
    std::fs::remove_file(site.join("runs")).expect("removed");
    std::fs::rename(site.join("kept"), site.join("runs")).expect("renamed");
    assert!(pages(site) == before && !site.join(".publish").exists());
}

#[test]
fn two_publications_at_once_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let draft = Draft::begin(folder.path()).expect("the first");
    let error = put(&sample::rows(), "one", folder.path()).expect_err("the second");
    assert!(matches!(error, PublishError::Busy { .. }), "{error}");
    drop(draft);
    put(&sample::rows(), "one", folder.path()).expect("the second again");
}

#[test]
fn names_of_runs_are_folders_and_words() {
    for name in ["v1.2", "2026-11-27-rows2-0123456789", "a_b"] {
        assert!(valid_name(name), "{name}");
    }
    let long = "x".repeat(65);
    for name in ["", ".", "..", ".git", "a/b", "a b", "é", "-x", &long] {
        assert!(!valid_name(name), "{name}");
    }
    let rows = sample::rows();
    let folder = tempfile::tempdir().expect("a folder");
    let context = Context::default();
    let unnamed = Given {
        name: None,
        ..given(&rows, &context, "")
    };
    let published = publish(unnamed, folder.path(), |_| {}).expect("published");
    assert_eq!(published.run.name, "2026-11-27-rows2-0123456789");
}
